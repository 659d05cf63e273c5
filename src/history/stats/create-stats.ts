import type { Clock } from "../../domain/ports/clock.ts";
import type { Stats } from "../../domain/ports/stats.ts";
import { PictureDesk } from "../pictures/picture-desk.ts";
import type { AnswerOf, ArgsOf, QueryName } from "../queries/named-queries.ts";

export interface StatsParts {
  readonly clock: Clock;
  /** Asks the worker. */
  ask<N extends QueryName>(
    name: N,
    args: ArgsOf<N>,
    options?: { readonly withinMs?: number },
  ): Promise<AnswerOf<N>>;
}

/** A quarter of a year holds a hundred thousand looks. */
const LONG = { withinMs: 30_000 } as const;

/** Figures and pictures of them, over the worker. */
export function createStats({ clock, ask }: StatsParts): Stats {
  const desk = new PictureDesk({ clock, draw: (pictures) => ask("pictures.draw", { pictures }, LONG) });
  return {
    server: (guildId, asked) => ask("stats.server", { guildId, ...asked }, LONG),
    staff: (guildId, asked) => ask("stats.staff", { guildId, ...asked }, LONG),
    cases: (guildId, asked) => ask("stats.cases", { guildId, ...asked }),
    draw: (guildId, pictures) => desk.draw(guildId, pictures),
  };
}
