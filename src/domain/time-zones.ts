/** Time zones by their IANA names, as this Node knows them. */

export const DEFAULT_ZONE = "UTC";

/** All names, UTC first. */
export const TIME_ZONES: readonly string[] = [
  DEFAULT_ZONE,
  ...Intl.supportedValuesOf("timeZone").filter((name) => name !== DEFAULT_ZONE),
];

/** What people call them. Node takes some of these for places that nobody means: EST for Panama, BST for Dhaka. */
const CALLED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "America/Halifax": ["ast", "adt", "atlantic"],
    "America/New_York": ["est", "edt", "et", "eastern"],
    "America/Chicago": ["cst", "cdt", "ct", "central"],
    "America/Denver": ["mst", "mdt", "mt", "mountain"],
    "America/Los_Angeles": ["pst", "pdt", "pt", "pacific"],
    "Europe/London": ["bst", "uk"],
    "Europe/Berlin": ["cet", "cest"],
    "Europe/Athens": ["eet", "eest"],
    "Europe/Moscow": ["msk"],
    "Asia/Tokyo": ["jst"],
    "Australia/Sydney": ["aest", "aedt", "aet"],
    "Pacific/Auckland": ["nzst", "nzdt"],
  }).flatMap(([zone, names]) => names.map((name) => [name, zone] as const)),
);

/** The name as it is written, however it was typed ("europe/berlin", "berlin", "CET"); undefined where there is no such zone. */
export function zoneNamed(typed: string): string | undefined {
  const wanted = typed.trim().replace(/\s+/g, "_").toLowerCase();
  const known = TIME_ZONES.find((name) => name.toLowerCase() === wanted);
  if (known !== undefined) return known;
  const called = CALLED.get(wanted.replace(/_(?:standard_|daylight_)?time$/, ""));
  if (called !== undefined) return called;
  // "berlin" can only be one.
  const [city, ...more] = TIME_ZONES.filter((name) => name.toLowerCase().endsWith(`/${wanted}`));
  if (city !== undefined && more.length === 0) return city;
  // Older names ("Asia/Calcutta", "US/Eastern") are taken too; offsets ("+01:00") would know no summer time.
  if (!/^[a-z]/.test(wanted)) return undefined;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: wanted }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** What the clocks of a zone show: `Sat 19:04`. */
export function clockIn(zone: string, atMs: number): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  return format.format(atMs).replace(",", "");
}
