import { type Escaped, joined, md, userMention } from "../../domain/escaped.ts";
import type { GuildSettings } from "../../domain/guild.ts";
import type { Button, MessageBody } from "../../domain/message.ts";
import type { BanEndView } from "../../domain/ports/ban-ends.ts";
import type { ScheduleView } from "../../domain/ports/schedules.ts";
import type { RankKeeper } from "../../domain/rank.ts";
import type { Rule } from "../../domain/rule.ts";

/** What runs by itself in a community, for whom, and the press that stops it. Pure. */

export interface AutomaticView {
  readonly schedules: readonly ScheduleView[];
  readonly bans: readonly BanEndView[];
  /** Those that do more than tell. */
  readonly rules: readonly NonNullable<Rule["step"]>[];
  /** In whose name ranks are kept, by server. */
  readonly ranks: readonly RankKeeper[];
  readonly pause: GuildSettings["automaticPause"];
}

const MOST_PEOPLE = 5;

/** In each room that shows what runs by itself, while it does not. */
export const AUTOMATIC_PAUSED = md`⏸ Automatic commands are paused. A Manager resumes them in \`/run queue\`.`;

/** With that said: above a list, below a sentence. */
export function withPaused(body: MessageBody): MessageBody {
  const { content, cards: [card, ...others] = [] } = body;
  if (card === undefined)
    return {
      ...body,
      content: joined([...(content === undefined ? [] : [content]), AUTOMATIC_PAUSED], "\n"),
    };
  const { description = md`` } = card;
  return { ...body, cards: [{ ...card, description: md`${AUTOMATIC_PAUSED}\n${description}` }, ...others] };
}

/** "Automatic: 2 schedules and 5 bans that end, for @A and @B"; undefined: nothing runs by itself. */
export function automaticLine({ schedules, bans, rules, ranks, pause }: AutomaticView): Escaped | undefined {
  const counts = [
    ...(schedules.length === 0
      ? []
      : [schedules.length === 1 ? md`1 schedule` : md`${schedules.length} schedules`]),
    ...(bans.length === 0
      ? []
      : [bans.length === 1 ? md`1 ban that ends` : md`${bans.length} bans that end`]),
    ...(rules.length === 0 ? [] : [rules.length === 1 ? md`1 rule` : md`${rules.length} rules`]),
    ...(ranks.length === 0 ? [] : [md`ranks by role`]),
  ];
  if (pause !== undefined) {
    const waits = counts.length === 0 ? md`` : md` ${joined(counts, ", ")} wait.`;
    return md`⏸ ${userMention(pause.byId)} paused automatic commands <t:${Math.floor(pause.atMs / 1_000)}:R>.${waits}`;
  }
  if (counts.length === 0) return undefined;
  const people = new Set([
    ...schedules.map(({ schedule }) => schedule.ownerId),
    ...bans.map(({ end }) => end.byId),
    ...[...rules, ...ranks].map(({ byId }) => byId),
  ]);
  const named = [...people].slice(0, MOST_PEOPLE).map((id) => userMention(id));
  const more = people.size > named.length ? md` and ${people.size - named.length} more` : md``;
  return md`⚙ Automatic: ${joined(counts, ", ")}. Set by ${joined(named, ", ")}${more}`;
}

/** Undefined: nothing runs by itself. */
export function automaticButton({ schedules, bans, rules, ranks, pause }: AutomaticView): Button | undefined {
  const style = "secondary";
  if (pause !== undefined)
    return { kind: "button", style, label: "Resume automatic commands", id: "automatic-resume" };
  return schedules.length + bans.length + rules.length + ranks.length === 0
    ? undefined
    : { kind: "button", style, label: "Pause automatic commands", id: "automatic-pause" };
}

/** The answer to that press. */
export function automaticAnswer(view: AutomaticView): MessageBody {
  const said =
    view.pause === undefined
      ? md`▶ Automatic commands run again. Missed schedules are skipped; bans whose time is over are lifted now.`
      : md`⏸ Automatic commands are paused: no schedule runs, no ban ends by itself, no rank changes, and rules only tell.`;
  const button = automaticButton(view);
  return { content: said, rows: button === undefined ? [] : [[button]] };
}
