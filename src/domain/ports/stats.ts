import type { CaseCount, Picture, ServerStats, StaffStats, StatsSpan } from "../stats.ts";

/** Figures made of what was kept. All calls reject as those of the history do. */
export interface Stats {
  server(guildId: string, asked: StatsSpan & { readonly bindingId: string }): Promise<ServerStats>;
  /** Over all servers of the guild; of one player where `playerId` names them. */
  staff(guildId: string, asked: StatsSpan & { readonly playerId?: number | undefined }): Promise<StaffStats>;
  cases(
    guildId: string,
    asked: { readonly fromMs: number; readonly toMs: number },
  ): Promise<readonly CaseCount[]>;
  /**
   * Draws what one message shows. A guild gets one new drawing a minute; what was drawn lately is there at once.
   * @param options.withinMs how long the caller can wait for a new drawing; 30 seconds where they do not say
   */
  draw(
    guildId: string,
    pictures: readonly Picture[],
    options?: { readonly withinMs?: number },
  ): Promise<Drawn>;
}

export type Drawn =
  /** PNG, in the order in which they were asked for. */
  | { readonly kind: "made"; readonly pngs: readonly Uint8Array[] }
  /** Another one was drawn for this guild less than a minute ago; epoch milliseconds. */
  | { readonly kind: "later"; readonly atMs: number };
