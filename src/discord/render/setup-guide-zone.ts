import { type Escaped, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { Row } from "../../domain/message.ts";
import { clockIn, DEFAULT_ZONE } from "../../domain/time-zones.ts";
import { inlineCode } from "./escape.ts";
import type { GuideView } from "./setup-guide-parts.ts";

/** A zone's name as it is to be typed: one of Node's own, so nothing in it needs an escape. */
export function zoneCode(zone: string): Escaped {
  return md`\`${markdownOfOurs(zone)}\``;
}

/** The step of the time zone: the zones of most communities, any other by name. Pure. */

/** From west to east; with a chosen one that is not among them they are the 25 that a select holds. */
const USUAL_ZONES: readonly string[] = [
  DEFAULT_ZONE,
  "Pacific/Honolulu",
  "America/Los_Angeles",
  "America/Denver",
  "America/Chicago",
  "America/New_York",
  "America/Halifax",
  "America/Mexico_City",
  "America/Bogota",
  "America/Sao_Paulo",
  "America/Argentina/Buenos_Aires",
  "Europe/London",
  "Europe/Berlin",
  "Europe/Athens",
  "Europe/Istanbul",
  "Europe/Moscow",
  "Africa/Lagos",
  "Africa/Johannesburg",
  "Asia/Dubai",
  "Asia/Kolkata",
  "Asia/Manila",
  "Asia/Tokyo",
  "Australia/Sydney",
  "Pacific/Auckland",
];

export function zoneText({ settings, nowMs }: GuideView): readonly Escaped[] {
  const zone = settings.timeZone ?? DEFAULT_ZONE;
  return [
    md`For times you type, such as 20:14 in \`/server at\`, and for schedules, figures and the weekly summary. Times in cards follow each reader's own clock.`,
    md`Now: ${zoneCode(zone)}, where it is ${inlineCode(clockIn(zone, nowMs))}.`,
  ];
}

export function zoneRow({ binding, settings, nowMs }: GuideView): Row {
  const chosen = settings.timeZone ?? DEFAULT_ZONE;
  const zones = USUAL_ZONES.includes(chosen) ? USUAL_ZONES : [chosen, ...USUAL_ZONES];
  return [
    {
      kind: "select",
      of: "string",
      id: `guide-zone:${binding?.id ?? ""}`,
      placeholder: "A time zone",
      options: zones.map((zone) => ({
        label: zone.replaceAll("_", " "),
        value: zone,
        description: clockIn(zone, nowMs),
        default: zone === settings.timeZone,
      })),
    },
  ];
}
