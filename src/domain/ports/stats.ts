import type { CaseCount, ClaimName, Picture, ServerStats, StaffStats, StatsSpan } from "../stats.ts";

/** Figures made of what was kept. All calls reject as those of the history do. */
export interface Stats {
  server(guildId: string, asked: StatsSpan & { readonly bindingId: string }): Promise<ServerStats>;
  /** Over all servers of the guild; of one player where `playerId` names them. */
  staff(
    guildId: string,
    asked: StatsSpan & {
      readonly playerId?: number | undefined;
      readonly claimNames?: readonly ClaimName[];
    },
  ): Promise<StaffStats>;
  cases(
    guildId: string,
    asked: { readonly fromMs: number; readonly toMs: number },
  ): Promise<readonly CaseCount[]>;
  /**
   * Draws what one message shows. A guild gets one new drawing of figures a minute, and one of the map; what was drawn lately
   * is there at once.
   * @param options.withinMs how long the caller can wait for a new drawing; 30 seconds where they do not say
   */
  draw(
    guildId: string,
    pictures: readonly Picture[],
    options?: {
      readonly withinMs?: number;
      /** What it shows, whatever has moved since: where it has to wait, the one just made of the same is answered. */
      readonly subject?: string | undefined;
    },
  ): Promise<Drawn>;
}

export type Drawn =
  /** PNG, in the order in which they were asked for. `ofMs`: they were made of an earlier look, then; epoch milliseconds. */
  | { readonly kind: "made"; readonly pngs: readonly Uint8Array[]; readonly ofMs?: number }
  /** Another one was drawn for this guild a moment ago: when this one can be, epoch milliseconds, and how often one is. */
  | { readonly kind: "later"; readonly atMs: number; readonly everyMs: number };
