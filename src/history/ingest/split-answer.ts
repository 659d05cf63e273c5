import type { LogEntry, PlayerRef } from "../../domain/model.ts";
import type { LogRows, RecordedAnswer } from "./recorded-answer.ts";

/** An answer in parts that can be stored one without the other: one odd row then costs itself alone. Pure. */

type Logs = Pick<RecordedAnswer, "joins" | "kills" | "commands" | "modCalls">;

/** What every part tells. The moderator calls were looked at once: by the part that has them. */
function shellOf({ links, atS, playerCount, newestJoinS }: RecordedAnswer): RecordedAnswer {
  return {
    links,
    atS,
    playerCount,
    hasModCalls: false,
    ...(newestJoinS === undefined ? {} : { newestJoinS }),
  };
}

/** Two parts or more; none where it cannot be divided any further. */
export function splitAnswer(answer: RecordedAnswer): readonly RecordedAnswer[] {
  const kinds = kindsOf(answer);
  if (kinds.length > 1) return kinds;
  const shell = { ...shellOf(answer), hasModCalls: answer.hasModCalls };
  const { joins, kills, commands, modCalls, cardAnswers = [], emergencyCalls = [] } = answer;
  return [
    ...halvesOfLog(joins, ({ player }) => player).map((log) => ({ ...shell, joins: log })),
    ...halvesOfLog(kills, ({ killer }) => killer).map((log) => ({ ...shell, kills: log })),
    ...halvesOfLog(commands, ({ player }) => player).map((log) => ({ ...shell, commands: log })),
    ...halvesOfLog(modCalls, ({ caller }) => caller).map((log) => ({ ...shell, modCalls: log })),
    ...halves(cardAnswers).map((some) => ({ ...shell, cardAnswers: some })),
    ...halves(emergencyCalls).map((some) => ({ ...shell, emergencyCalls: some })),
  ];
}

/** How many rows a part holds that is not divided any further; its players are one statement. */
export function rowsIn({ joins, kills, commands, modCalls }: Logs): number {
  return Math.max(
    1,
    [joins, kills, commands, modCalls].reduce((sum, log) => sum + (log?.rows.length ?? 0), 0),
  );
}

/** The logs first, as in one transaction: who was there is read by them. */
function kindsOf(answer: RecordedAnswer): readonly RecordedAnswer[] {
  const { joins, kills, commands, modCalls, hasModCalls, cardAnswers, emergencyCalls } = answer;
  const { players, queue } = answer;
  const shell = shellOf(answer);
  return [
    ...(joins === undefined ? [] : [{ ...shell, joins }]),
    ...(kills === undefined ? [] : [{ ...shell, kills }]),
    ...(commands === undefined ? [] : [{ ...shell, commands }]),
    ...(modCalls === undefined ? [] : [{ ...shell, modCalls, hasModCalls }]),
    ...(cardAnswers === undefined ? [] : [{ ...shell, cardAnswers }]),
    ...(emergencyCalls === undefined || emergencyCalls.length === 0 ? [] : [{ ...shell, emergencyCalls }]),
    ...(players === undefined ? [] : [{ ...shell, players, ...(queue === undefined ? {} : { queue }) }]),
  ];
}

/** Equal rows of one second stay together, since the place among them is a part of what they are. */
function halvesOfLog<T extends LogEntry>(
  log: LogRows<T> | undefined,
  personOf: (row: T) => PlayerRef,
): readonly LogRows<T>[] {
  if (log === undefined) return [];
  const together = Map.groupBy(log.rows, (row) => {
    const { id, name } = personOf(row);
    return `${row.atS} ${id ?? ""} ${name}`;
  });
  return halves([...together.values()]).map((groups) => ({ ...log, rows: groups.flat() }));
}

function halves<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length < 2) return [];
  const half = Math.ceil(all.length / 2);
  return [all.slice(0, half), all.slice(half)];
}
