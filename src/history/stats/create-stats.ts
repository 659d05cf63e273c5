import type { Clock } from "../../domain/ports/clock.ts";
import type { Stats } from "../../domain/ports/stats.ts";
import { PictureDesk, type PictureDeskPorts } from "../pictures/picture-desk.ts";
import type { AnswerOf, ArgsOf, QueryName } from "../queries/named-queries.ts";
import { KeptAnswers } from "./kept-answers.ts";

export interface StatsParts {
  readonly clock: Clock;
  /** Asks the thread of the database. */
  ask<N extends QueryName>(
    name: N,
    args: ArgsOf<N>,
    options?: { readonly withinMs?: number },
  ): Promise<AnswerOf<N>>;
  readonly draw: PictureDeskPorts["draw"];
}

/** Figures that are kept: some kilobytes each, for who asks again within the seconds that their times name. */
const MOST_KEPT = 100;
/** Rows may still come, also of a time that is over. */
const KEPT_FOR_MS = 60_000;
/** A quarter of a year holds a hundred thousand looks. */
const LONG = { withinMs: 30_000 } as const;

/** Figures and pictures of them, each made in a thread of its own. */
export function createStats({
  clock,
  ask,
  draw,
}: StatsParts): Stats & { forgetGuild(guildId: string): void } {
  const desk = new PictureDesk({ clock, draw });
  const expiry = { clock, afterMs: KEPT_FOR_MS };
  const kept = {
    server: new KeptAnswers<AnswerOf<"stats.server">>(MOST_KEPT, expiry),
    staff: new KeptAnswers<AnswerOf<"stats.staff">>(MOST_KEPT, expiry),
  };
  return {
    server(guildId, asked) {
      const question = JSON.stringify(asked);
      const known = kept.server.get(guildId, question);
      if (known !== undefined) return known;
      const answer = ask("stats.server", { guildId, ...asked }, LONG);
      kept.server.put(guildId, question, answer);
      return answer;
    },
    staff(guildId, asked) {
      const question = JSON.stringify(asked);
      const known = kept.staff.get(guildId, question);
      if (known !== undefined) return known;
      const answer = ask("stats.staff", { guildId, ...asked }, LONG);
      kept.staff.put(guildId, question, answer);
      return answer;
    },
    cases: (guildId, asked) => ask("stats.cases", { guildId, ...asked }),
    draw: (guildId, pictures, within) => desk.draw(guildId, pictures, within),
    /** What is kept in memory of a guild may name somebody who was forgotten. */
    forgetGuild(guildId) {
      desk.forgetGuild(guildId);
      kept.server.forgetGuild(guildId);
      kept.staff.forgetGuild(guildId);
    },
  };
}
