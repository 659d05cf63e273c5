/** Times as Discord shows them; pure: the present is given. */

export type TimeStyle = "t" | "T" | "d" | "D" | "f" | "F" | "R";

const styles: Readonly<Record<Exclude<TimeStyle, "R">, Intl.DateTimeFormatOptions>> = {
  t: { hour: "2-digit", minute: "2-digit" },
  T: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  d: { day: "2-digit", month: "2-digit", year: "numeric" },
  D: { day: "numeric", month: "long", year: "numeric" },
  f: { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" },
  F: { weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" },
};

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** "in 5 minutes", "3 seconds ago". */
export function relativeTime(atMs: number, nowMs: number): string {
  const deltaS = Math.round((atMs - nowMs) / 1_000);
  const format = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  const [unit, size] = units.find(([, seconds]) => Math.abs(deltaS) >= seconds) ?? ["second", 1];
  return format.format(Math.trunc(deltaS / size), unit);
}

export function formatTime(atMs: number, style: TimeStyle, nowMs: number): string {
  if (style === "R") return relativeTime(atMs, nowMs);
  return new Intl.DateTimeFormat("en-GB", styles[style]).format(atMs);
}

/** Of a message: "Today at 14:05", "Yesterday at 09:00", "03/02/2026 09:00". */
export function messageTime(atMs: number, nowMs: number): string {
  const clock = formatTime(atMs, "t", nowMs);
  const days = daysBetween(atMs, nowMs);
  if (days === 0) return `Today at ${clock}`;
  if (days === 1) return `Yesterday at ${clock}`;
  return `${formatTime(atMs, "d", nowMs)} ${clock}`;
}

/** How many midnights lie between two times, by this machine's calendar. */
export function daysBetween(atMs: number, nowMs: number): number {
  const midnight = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);
  return Math.round((midnight(nowMs) - midnight(atMs)) / 86_400_000);
}
