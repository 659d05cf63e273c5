import { channelMention, type Escaped, md } from "../../domain/escaped.ts";
import type { SinkRefusalReason } from "../../domain/failure.ts";
import type { Button } from "../../domain/message.ts";
import type { ChannelAccess } from "../../domain/ports/guilds.ts";
import type { ScheduleView } from "../../domain/ports/schedules.ts";
import { type AutomaticView, automaticButton, automaticLine } from "./automatic-cards.ts";
import { type AccessOf, obstacle } from "./channel-access.ts";
import { commandMention } from "./command-mention.ts";
import { cut, escapeMarkdown, inlineCode } from "./escape.ts";
import { ruleWords } from "./schedule-cards.ts";

/** What `/diagnose` says of everything but the logs: alerts, cases, panels, schedules and the like. Pure. */

/** A channel that something posts into. */
export interface Place {
  /** As the line begins: "Cases", "3 alerts". */
  readonly what: Escaped;
  readonly channelId: string;
  /** What gives it another channel: "`/setup cases` chooses another". */
  readonly elsewhere: Escaped;
  /** Where it needs more than other posts: what is missing there. */
  readonly access?: ChannelAccess | undefined;
  /** Why Discord took none of its messages lately; absent: it did, as far as is known. */
  readonly refused?: SinkRefusalReason | undefined;
}

export interface Finding {
  readonly isFine: boolean;
  readonly line: Escaped;
  readonly mend?: Button;
}

export interface PlacesView {
  readonly places: readonly Place[];
  readonly automatic: AutomaticView;
  readonly accessOf: AccessOf;
  readonly commandId: (name: string) => string | undefined;
}

/** A line for each that is wrong; what is fine is left out, but for what runs by itself. */
export function placeFindings(view: PlacesView): readonly Finding[] {
  const places = view.places.flatMap((place) => placeLine(place, view) ?? []);
  const schedules = view.automatic.schedules.flatMap((one) => scheduleLine(one, view) ?? []);
  const wrong = [...places, ...schedules].map((line) => ({ isFine: false, line }));
  return [...wrong, ...automaticFindings(view.automatic)];
}

/** What runs by itself, with the press that pauses it, and what of it a Manager has to decide about. */
function automaticFindings(view: AutomaticView): readonly Finding[] {
  const line = automaticLine(view);
  const mend = automaticButton(view);
  const held = view.bans.filter(({ end }) => end.state === "held").length;
  const words = held === 1 ? md`1 ban with an end is` : md`${held} bans with an end are`;
  return [
    ...(held === 0
      ? []
      : [{ isFine: false, line: md`✋ ${words} waiting for a Manager to decide`, mend: BANS_HELD }]),
    ...(line === undefined ? [] : [{ isFine: view.pause === undefined, line, ...(mend && { mend }) }]),
  ];
}

const BANS_HELD: Button = { kind: "button", style: "secondary", label: "Bans that end", id: "run-bans-open" };

function placeLine(
  { what, channelId, elsewhere, refused, access: own }: Place,
  { accessOf }: PlacesView,
): Escaped | undefined {
  const access = own ?? accessOf(channelId);
  switch (access.kind) {
    case "gone":
      return md`⛔ ${what}: the channel was deleted; ${elsewhere}`;
    case "missing":
    case "timed-out":
      return md`⚠ ${what} in ${channelMention(channelId)}: ${obstacle(access)}`;
    case "closed":
      return md`⚠ ${what} in ${channelMention(channelId)}: archived or locked. Open it or ${elsewhere}`;
    default:
      return refused === undefined
        ? undefined
        : md`⚠ ${what} in ${channelMention(channelId)}: recent posts failed; ${elsewhere}`;
  }
}

/** A schedule that somebody has to look after: its last times failed. */
function scheduleLine(
  { schedule, text, last }: ScheduleView,
  { commandId }: PlacesView,
): Escaped | undefined {
  const { failures, what, rule } = schedule;
  if (failures === 0) return undefined;
  const times = failures === 1 ? md`the last time` : md`${failures} times in a row`;
  const why = last?.why === undefined ? md`` : md` (${escapeMarkdown(cut(last.why, 150))})`;
  const list = commandMention("schedule list", commandId);
  const sends = inlineCode(text ?? (what.kind === "preset" ? what.name : what.text), 80);
  return md`⚠ Schedule ${sends}, ${escapeMarkdown(ruleWords(rule))}: failed ${times}${why}; ${list} removes it`;
}
