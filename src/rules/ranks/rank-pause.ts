import type { Binding } from "../../domain/guild.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { RankRenderer } from "../../domain/ports/rank-renderer.ts";
import type { RankPause } from "../../domain/rank.ts";
import type { RuledServer } from "../rule-book.ts";
import type { RankBook } from "./rank-book.ts";
import type { ServerRanks } from "./rank-records.ts";

export interface RankPausePorts {
  readonly book: Pick<RankBook, "change" | "of">;
  readonly bindings: Pick<Bindings, "list">;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: Pick<RankRenderer, "paused">;
  readonly clock: Clock;
}

/** Nothing more is sent, also of what was confirmed before. */
export function withPause(kept: ServerRanks, pause: RankPause): ServerRanks {
  const raised = kept.raised.map(({ isConfirmed: _, ...record }) => record);
  return { ...kept, pause: kept.pause ?? pause, raised };
}

/** Paused, and nothing was confirmed since. */
export function isAllPaused({ pause, raised }: Pick<ServerRanks, "pause" | "raised">): boolean {
  return pause !== undefined && raised.every(({ isConfirmed }) => isConfirmed !== true);
}

/** Marshal pauses the ranks of a server, and what was confirmed in an earlier pause, and says why. Rejects when the store does. */
export async function pauseRanks(ports: RankPausePorts, server: RuledServer, why: string): Promise<void> {
  const { book, notifier, renderer, clock } = ports;
  const pause = { atMs: clock.nowMs(), why };
  const kept = book.of(server);
  if (kept !== undefined && isAllPaused(kept)) return;
  const paused = await book.change(server, (before) => withPause(before, pause));
  const name = await serverNameOf(ports, server);
  await notifier.guild(server.guildId, renderer.paused(name, pause), paused?.keeper?.byId);
}

export async function serverNameOf(
  { bindings }: { readonly bindings: Pick<Bindings, "list"> },
  { guildId, bindingId }: RuledServer,
): Promise<string> {
  const linked: readonly Binding[] = await bindings.list(guildId);
  return linked.find(({ id }) => id === bindingId)?.name ?? "the server";
}
