import type { PlayerRef } from "./model.ts";
import type { RunRecord } from "./run.ts";

/** A ban that somebody asked for who may not ban. */
export interface AskedBan {
  readonly id: string;
  readonly guildId: string;
  readonly bindingId: string;
  readonly serverName: string;
  readonly player: Required<PlayerRef>;
  readonly reason: string;
  readonly askerId: string;
  readonly askerName: string;
  readonly askedAtMs: number;
  /** Somebody who may ban has said yes: it is sent, or waits for players. */
  readonly approval?: {
    readonly byId: string;
    readonly byName: string;
    /** Where it is told what came of it. */
    readonly channelId: string;
    readonly atMs: number;
    /** The message there that says that it waits; it is to say what came of it. */
    readonly messageId?: string;
  };
  /** The run that bans, written before it is sent. */
  readonly runId?: string;
}

/** How it ended: the run that came of it, why none did, or that nobody knows. */
export type AskedBanEnd = RunRecord | string | { readonly unsure: string };

/** The command that an approval sends, by id: it needs nobody present. */
export function askedText({ player, reason }: Pick<AskedBan, "player" | "reason">): string {
  return `:ban ${player.id} ${reason}`;
}
