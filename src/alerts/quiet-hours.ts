import type { QuietHours } from "../domain/alert.ts";
import { shownIn } from "../domain/zone-time.ts";

/** Whether the clocks of that zone stand within the hours at that moment. */
export function isQuiet({ fromMinute, toMinute }: QuietHours, zone: string, atMs: number): boolean {
  const shown = shownIn(zone, atMs);
  const minute = shown.hour * 60 + shown.minute;
  return fromMinute <= toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute;
}
