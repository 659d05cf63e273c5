import { Failure } from "./failure.ts";

/** Commands that run by themselves: at which times, on whose behalf, and how the last time ended. */

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export type ScheduleRule =
  /** Times of day (`HH:MM`, sorted) on these days, as the clocks of the guild's zone show them. */
  | { readonly kind: "times"; readonly days: readonly Weekday[]; readonly times: readonly string[] }
  | { readonly kind: "every"; readonly minutes: number };

/** What is run. The text of a preset is read anew each time. */
export type ScheduledWhat =
  | { readonly kind: "preset"; readonly name: string }
  | { readonly kind: "text"; readonly text: string };

/** How a due time ended. "claimed": it is being sent, or was, when the process ended. */
export const DUE_RESULTS = ["claimed", "ran", "unknown", "skipped", "failed"] as const;

export interface LastDue {
  readonly dueAtMs: number;
  /** The id of its row in the audit, where there is one. */
  readonly runId: string;
  readonly result: (typeof DUE_RESULTS)[number];
  /** In words for people; outside words may stand in it. */
  readonly why?: string;
}

export interface Schedule {
  readonly id: string;
  readonly guildId: string;
  readonly bindingId: string;
  readonly what: ScheduledWhat;
  readonly rule: ScheduleRule;
  /** Intervals are counted from here, epoch milliseconds. */
  readonly anchorMs: number;
  readonly onlyWithPlayers: boolean;
  /** The person who made it: it runs by their rights. */
  readonly ownerId: string;
  readonly ownerName: string;
  /** Where it was made; its rows in the audit say so. */
  readonly channelId: string;
  readonly createdAtMs: number;
  /** Due times up to this moment are settled: run, skipped, or about to be run. Written before anything is sent. */
  readonly claimedMs: number;
  readonly last?: LastDue;
  /** Due times in a row that failed in a way that somebody has to mend. */
  readonly failures: number;
  /** Why it has ended, while its notice was not sent yet. */
  readonly endedWhy?: string;
}

/** Two runs of one schedule are at least this far apart. */
export const SHORTEST_INTERVAL_MIN = 10;
const LONGEST_INTERVAL_MIN = 24 * 60;
const MOST_TIMES = 6;

const EXAMPLES = `I can't read when that is. Write "20:00", "fri 20:00", "mon-fri 18:00, 21:00" or "every 30 min".`;
const DAY_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/** Words that say nothing of their own: "every friday at 20:00". */
const FILLERS: ReadonlySet<string> = new Set(["every", "each", "on", "at", "daily", "day", "and", ""]);
const GROUPS: ReadonlyMap<string, readonly Weekday[]> = new Map([
  ["weekdays", WEEKDAYS.slice(0, 5)],
  ["weekends", WEEKDAYS.slice(5)],
]);

/**
 * Reads when a schedule runs, as people write it: "20:00", "fri, sat 8pm", "mon-fri 18:00, 21:00", "every 30 min".
 * @throws Failure "bad-command" for what cannot be read, or comes too often.
 */
export function ruleOf(typed: string): ScheduleRule {
  const text = typed
    .toLowerCase()
    .replace(/["'“”„]/g, "")
    .replace(/[–—]/g, "-")
    .replace(/[\s,;]+/g, " ")
    .replace(/ ?- ?/g, "-")
    .replace(/(\d) (am|pm)\b/g, "$1$2")
    .trim();
  const span = /^(?:every|each) (.+)$/.exec(text)?.[1];
  const minutes = text === "hourly" ? 60 : span === undefined ? undefined : minutesOf(span);
  return minutes === undefined ? timesOf(text) : checkedInterval(minutes);
}

/** "30 min", "2 h", "hour", "1 h 30 min"; undefined for anything else. */
function minutesOf(span: string): number | undefined {
  if (span === "hour") return 60;
  const parts = /^(?:(\d{1,4}) ?h(?:ours?|rs?)? ?)?(?:(\d{1,4}) ?m(?:in(?:ute)?s?)?)?$/.exec(span);
  if (parts === null || (parts[1] === undefined && parts[2] === undefined)) return undefined;
  return Number(parts[1] ?? 0) * 60 + Number(parts[2] ?? 0);
}

function checkedInterval(minutes: number): ScheduleRule {
  if (minutes < SHORTEST_INTERVAL_MIN) {
    throw new Failure("bad-command", `The shortest interval is ${SHORTEST_INTERVAL_MIN} min.`);
  }
  if (minutes > LONGEST_INTERVAL_MIN) {
    throw new Failure(
      "bad-command",
      'The longest interval is 24 h. For longer ones name days, such as "mon 20:00".',
    );
  }
  return { kind: "every", minutes };
}

function timesOf(text: string): ScheduleRule {
  const days = new Set<Weekday>();
  const times = new Set<string>();
  for (const word of text.split(" ").filter((one) => !FILLERS.has(one))) {
    const time = timeOf(word);
    const named = time === undefined ? daysOf(word) : [];
    if (time !== undefined) times.add(time);
    else if (named.length === 0) throw new Failure("bad-command", EXAMPLES);
    for (const day of named) days.add(day);
  }
  if (times.size === 0) throw new Failure("bad-command", EXAMPLES);
  return {
    kind: "times",
    days: days.size === 0 ? WEEKDAYS : WEEKDAYS.filter((day) => days.has(day)),
    times: checkedTimes([...times].sort()),
  };
}

function checkedTimes(times: readonly string[]): readonly string[] {
  if (times.length > MOST_TIMES) {
    throw new Failure(
      "bad-command",
      `A schedule has at most ${MOST_TIMES} times of day. Add a second one for more.`,
    );
  }
  const minutes = times.map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)));
  const isClose = minutes.some((at, index) => {
    const next = minutes[index + 1] ?? (minutes[0] ?? 0) + 24 * 60;
    return next - at < SHORTEST_INTERVAL_MIN;
  });
  if (isClose) {
    throw new Failure("bad-command", `Times of day must be at least ${SHORTEST_INTERVAL_MIN} minutes apart.`);
  }
  return times;
}

/** "20:00", "8pm", "8.30pm" as `HH:MM`; undefined for anything else. */
function timeOf(word: string): string | undefined {
  const [, hours = "", minutes, half] = /^(\d{1,2})(?:[:.](\d{2}))?(am|pm)?$/.exec(word) ?? [];
  if (hours === "" || (minutes === undefined && half === undefined)) return undefined;
  const twelve = Number(hours);
  if (half !== undefined && (twelve < 1 || twelve > 12)) return undefined;
  const hour = half === undefined ? twelve : (twelve % 12) + (half === "pm" ? 12 : 0);
  const minute = minutes ?? "00";
  return hour > 23 || Number(minute) > 59 ? undefined : `${String(hour).padStart(2, "0")}:${minute}`;
}

/** "fri", "fridays", "mon-fri", "weekdays"; empty for anything else. */
function daysOf(word: string): readonly Weekday[] {
  const group = GROUPS.get(word) ?? GROUPS.get(`${word}s`);
  if (group !== undefined) return group;
  const [first = "", last = first, ...more] = word.split("-");
  const [from, to] = [dayIndex(first), dayIndex(last)];
  if (more.length > 0 || from < 0 || to < 0) return [];
  const count = ((to - from + 7) % 7) + 1;
  return Array.from({ length: count }, (_, step) => WEEKDAYS[(from + step) % 7] ?? "mon");
}

function dayIndex(word: string): number {
  const start = word.length > 3 ? word.replace(/s$/, "") : word;
  return start.length < 3 ? -1 : DAY_NAMES.findIndex((name) => name.startsWith(start));
}
