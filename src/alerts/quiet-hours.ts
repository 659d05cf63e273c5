import type { QuietHours } from "../domain/alert.ts";

/** Whether the clocks of that zone stand within the hours at that moment. */
export function isQuiet({ fromMinute, toMinute }: QuietHours, zone: string, atMs: number): boolean {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(atMs);
  const of = (type: "hour" | "minute") => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const minute = of("hour") * 60 + of("minute");
  return fromMinute <= toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute;
}
