import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import type { Card, MessageBody } from "../../../domain/message.ts";
import type { PastSession, SessionFigures } from "../../../domain/session.ts";
import { EVENINGS_TO_COMPARE, type StaffingSeen } from "../../../domain/session-staffing.ts";
import { inlineName } from "../escape.ts";
import { amount, lasting } from "../stats/stats-words.ts";

/** How sessions that are over read. Pure. */

const COLOR = 0x80848e;
const SHOWN = 10;
/** Where less of the time is known, it is said. */
const KNOWN_ENOUGH = 0.95;
const SHORT_S = 300;

/** Length, most players, staff, calls and how long they waited. */
export function summaryCard(past: PastSession, serverName: string): Card {
  const { fromMs, untilMs, peak, staffSeen } = past;
  const lines = [
    md`<t:${Math.floor(fromMs / 1_000)}:t> to <t:${Math.floor(untilMs / 1_000)}:t> · **${lasting(secondsOf(past))}**`,
    peak === undefined ? md`👥 The server was not read meanwhile.` : md`👥 Most players: **${peak}**`,
    ...(peak === undefined ? [] : [staffLine(past, staffSeen)]),
    ...callLines(past.figures, secondsOf(past)),
  ];
  return {
    title: md`📋 Session on ${inlineName(serverName)}`,
    description: joined(lines, "\n"),
    color: COLOR,
  };
}

function staffLine(past: PastSession, staffSeen: number): Escaped {
  const { figures } = past;
  // Staff is counted once a minute: of a few minutes the first count says too much.
  const isShort = secondsOf(past) < SHORT_S;
  const average = typeof figures === "object" && !isShort ? figures.staff : undefined;
  const on = average === undefined ? md`` : md`, ${amount(average)} at a time on average`;
  return md`🛡 Staff seen: **${staffSeen}**${on}`;
}

function callLines(figures: PastSession["figures"], lengthS: number): readonly Escaped[] {
  if (figures === "off") return [md`-# Recording is off, so calls were not counted.`];
  if (figures === "unknown") return [md`-# Marshal couldn't read its records, so calls were not counted.`];
  const { knownS } = figures;
  const isPartial = knownS < lengthS * KNOWN_ENOUGH;
  return [
    callLine(figures),
    ...(isPartial
      ? [md`-# Based on ${lasting(knownS)} of ${lasting(lengthS)}; the rest was not recorded.`]
      : []),
  ];
}

function callLine({ calls, answered, medianAnswerS }: SessionFigures): Escaped {
  if (calls === 0) return md`🔔 No moderator calls`;
  const wait = medianAnswerS === undefined ? md`` : md`, typically after **${lasting(medianAnswerS)}**`;
  return md`🔔 Moderator calls: **${calls}**, answered **${answered}**${wait}`;
}

/** The last sessions of a server, and what was seen with how many staff. */
export function pastCard(past: readonly PastSession[], seen: StaffingSeen, serverName: string): MessageBody {
  const rows = past.slice(-SHOWN).toReversed().map(pastLine);
  const more = past.length > SHOWN ? [md`-# The last ${SHOWN} of ${past.length}`] : [];
  const words =
    rows.length === 0
      ? [md`No past sessions yet. One that has just ended appears with its summary.`]
      : [...rows, ...more];
  return {
    cards: [
      {
        title: md`Sessions on ${inlineName(serverName)}`,
        description: joined([...words, md``, staffingWords(seen)], "\n"),
        color: COLOR,
      },
    ],
  };
}

function pastLine(one: PastSession): Escaped {
  const { fromMs, peak, figures } = one;
  const parts = [
    md`<t:${Math.floor(fromMs / 1_000)}:D> **${lasting(secondsOf(one))}**`,
    ...(peak === undefined ? [] : [md`at most ${peak} players`]),
    ...(typeof figures === "object" && figures.staff !== undefined
      ? [md`${amount(figures.staff)} staff`]
      : []),
    ...(typeof figures === "object" ? [md`${figures.calls} ${figures.calls === 1 ? "call" : "calls"}`] : []),
    ...(typeof figures === "object" && figures.medianAnswerS !== undefined
      ? [md`answered in ${lasting(figures.medianAnswerS)}`]
      : []),
  ];
  return joined(parts, " · ");
}

/** What was seen, and never what would be. */
export function staffingWords(seen: StaffingSeen): Escaped {
  if (seen.kind === "few") {
    return md`-# How long calls wait with fewer or more staff: shown after ${EVENINGS_TO_COMPARE} sessions of half an hour or more with answered calls. So far: ${seen.evenings}.`;
  }
  if (seen.groups.length === 0) {
    return md`-# Nothing to compare yet: no 3 sessions had the same number of staff.`;
  }
  const lines = seen.groups.map(
    ({ staff, evenings, medianAnswerS }) =>
      md`With **${staff}** staff, calls waited **${lasting(medianAnswerS)}** (${evenings} sessions).`,
  );
  return joined(
    [md`**Seen so far**`, ...lines, md`-# Typical for those sessions. Other things differed too.`],
    "\n",
  );
}

function secondsOf({ fromMs, untilMs }: PastSession): number {
  return Math.max(0, Math.round((untilMs - fromMs) / 1_000));
}
