import { Cron } from "croner";
import type { Schedule, ScheduleRule, Weekday } from "../../domain/schedule.ts";

/** When a schedule is due. Pure. */

const MINUTE_MS = 60_000;

/** As croner counts them. */
const DAY_NUMBERS = {
  sun: 0,
  mon: 1,
  tue: 2,
  wed: 3,
  thu: 4,
  fri: 5,
  sat: 6,
} as const satisfies Readonly<Record<Weekday, number>>;

/**
 * The first due time after `afterMs`, epoch milliseconds. A time of day that the clocks of the zone show twice, in
 * autumn, is due at the first; one that they leap over, in spring, is due when they have leapt.
 */
export function nextTime(
  { rule, anchorMs }: Pick<Schedule, "rule" | "anchorMs">,
  zone: string,
  afterMs: number,
): number {
  if (rule.kind === "every") {
    const stepMs = rule.minutes * MINUTE_MS;
    return anchorMs + (Math.floor((afterMs - anchorMs) / stepMs) + 1) * stepMs;
  }
  return Math.min(...rule.times.map((time) => nextAt(time, rule, zone).after(afterMs)));
}

/** Where intervals begin that are set now: midnight, so that "every 30 min" is at full and half hours. */
export function anchorOf(zone: string, nowMs: number): number {
  return nextAt("00:00", { days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] }, zone).after(nowMs);
}

function nextAt(
  time: string,
  { days }: Pick<Extract<ScheduleRule, { kind: "times" }>, "days">,
  zone: string,
): { after(ms: number): number } {
  const [hours = "", minutes = ""] = time.split(":");
  const onDays = days.map((day) => DAY_NUMBERS[day]).join(",");
  const cron = new Cron(`${Number(minutes)} ${Number(hours)} * * ${onDays}`, { timezone: zone });
  return {
    after(ms) {
      const next = cron.nextRun(new Date(ms));
      if (next === null) throw new RangeError(`no time follows ${time} on ${onDays}`);
      return next.getTime();
    },
  };
}
