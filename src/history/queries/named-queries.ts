import { evidence, hasTrack, keepEvidence } from "../positions/case-evidence.ts";
import * as positionSettings from "../positions/position-settings.ts";
import { track } from "../positions/read-positions.ts";
import { add } from "./add-cases.ts";
import * as cases from "./cases.ts";
import type { QueryContext } from "./context.ts";
import * as duty from "./duty.ts";
import { answeredCalls, facts } from "./duty-facts.ts";
import * as erasing from "./erase-cases.ts";
import * as retention from "./erase-expired.ts";
import { exportPlayer } from "./export-player.ts";
import { forget } from "./forget-player.ts";
import * as ingest from "./ingest.ts";
import * as cards from "./player-card.ts";
import { page } from "./player-pages.ts";
import * as players from "./players.ts";
import * as guilds from "./recorded-guilds.ts";
import * as rewind from "./rewind.ts";
import * as serverStats from "./server-stats.ts";
import * as staffStats from "./staff-stats.ts";
import { unreadS } from "./unread-time.ts";
import * as watches from "./watches.ts";

/**
 * Every question and change that may cross to the worker, by name. Arguments and answers are plain data. A query is
 * `(context, args) => Promise<answer>`; each group has a file of its own.
 */
export const namedQueries = {
  "guild.retention": guilds.retention,
  "guild.setRetention": guilds.setRetention,
  "guild.turnedOff": guilds.turnedOff,
  "guild.kept": guilds.kept,
  "guild.linked": guilds.linked,
  "privacy.forget": forget,
  "privacy.export": exportPlayer,
  "retention.erase": retention.eraseStep,
  "retention.erasePersons": retention.erasePersons,
  "positions.days": positionSettings.days,
  "positions.setDays": positionSettings.setDays,
  "positions.guilds": positionSettings.guilds,
  "positions.track": track,
  "ingest.take": ingest.take,
  "players.search": players.search,
  "players.find": players.find,
  "players.findAll": players.findAll,
  "cards.card": cards.card,
  "cards.page": page,
  "rewind.at": rewind.at,
  "rewind.unrecorded": rewind.unrecorded,
  "stats.server": serverStats.server,
  "stats.staff": staffStats.staff,
  "stats.cases": staffStats.caseCounts,
  "cases.add": add,
  "cases.get": cases.get,
  "cases.byOrigin": cases.byOrigin,
  "cases.put": cases.put,
  "cases.search": cases.search,
  "cases.counts": cases.counts,
  "cases.open": cases.open,
  "cases.evidence": evidence,
  "cases.hasTrack": hasTrack,
  "cases.keepEvidence": keepEvidence,
  "cases.erasePlayer": erasing.erasePlayer,
  "cases.departed": erasing.departed,
  "cases.eraseDeparted": erasing.eraseDeparted,
  "duty.rows": duty.rows,
  "duty.write": duty.write,
  "duty.facts": facts,
  "duty.calls": answeredCalls,
  "duty.unreadS": unreadS,
  "duty.guilds": duty.guilds,
  "watches.put": watches.put,
  "watches.remove": watches.remove,
  "watches.all": watches.all,
} satisfies Readonly<Record<string, (context: QueryContext, args: never) => Promise<unknown>>>;

export type NamedQueries = typeof namedQueries;
export type QueryName = keyof NamedQueries;
export type ArgsOf<N extends QueryName> = Parameters<NamedQueries[N]>[1];
export type AnswerOf<N extends QueryName> = Awaited<ReturnType<NamedQueries[N]>>;
/** As the main thread sees them. */
export type HistoryQuestions = {
  readonly [N in QueryName]: { readonly args: ArgsOf<N>; readonly answer: AnswerOf<N> };
};
