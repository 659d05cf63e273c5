import { type Escaped, md } from "../../domain/escaped.ts";
import type { FailureCode } from "../../domain/failure.ts";
import type { RunRecord } from "../../domain/run.ts";
import { KNOWN_REFUSAL } from "./known-refusal.ts";
import { RUN_COLORS as colors } from "./plan-cards.ts";

/** The headline of a run and the advice below it, by what became of it. Pure. */

interface Words {
  readonly title: Escaped;
  readonly color: number;
  readonly next?: Escaped;
}

const FAILURES = {
  "not-linked": [
    "The server was unlinked",
    "Someone with Manage Server can link it again with `/setup link`.",
  ],
  "queue-full": ["Too many commands are waiting", "Wait until some have run. See `/run queue`."],
  // Its reason says it, and trying again changes nothing.
  denied: ["You can't run this", undefined],
  "target-changed": ["It was not sent", undefined],
  "bad-command": ["The game refused the command", "Correct it and send it with `/run command`."],
  "key-rejected": [
    "The server key is wrong or expired",
    "Someone with Manage Server can replace it with `/setup link`.",
  ],
  "not-authorised": [
    "The owner does not let Marshal run commands",
    "Someone with Manage Server can fix it: `/setup start`, **Let Marshal run commands**.",
  ],
  "read-refused": [
    "The game service does not let Marshal read the server",
    "The owner should check the game's API settings.",
  ],
  "server-empty": ["The server is empty", "Run it again when someone has joined."],
  "rate-limited": ["The game service asked Marshal to wait", "Run it again later."],
  blocked: ["The game service is blocking Marshal", "Run it again later. Marshal's host knows."],
  platform: ["The game did not answer", "Try again in a minute."],
  "module-outdated": [
    "The game server runs an old version",
    "Everyone has to leave it once: a Manager shuts it down from inside the game (Marshal can't). Then run it again.",
  ],
  unreachable: ["The game service did not answer", "Try again in a minute."],
  "bad-response": ["Marshal could not read the answer", "Give Marshal's host the reference."],
  moved: ["The game service has moved", "Tell Marshal's host to set the new address."],
  store: ["Marshal can't write to its database", "Tell Marshal's host. Then try again."],
  paused: ["Marshal is paused for a moment", "Try again in a minute."],
} as const satisfies Readonly<
  Record<
    FailureCode extends "expired" ? never : Exclude<FailureCode, "expired" | "busy">,
    readonly [what: string, next: string | undefined]
  >
>;

/** What became of it, in a line, and what to do next where there is something. */
export function wordsFor(record: RunRecord): Words {
  const { status, failureCode, proof, interrupted, tells, isInGameOnly, knownSinceMs } = record;
  if (status === "done") {
    const seen = proof === "seen" ? " · seen in the log" : "";
    return { title: md`✅ It ran${seen}`, color: colors.done };
  }
  if (status === "unknown") {
    if (proof === "seen") return { title: md`✅ It ran`, color: colors.done };
    return { title: md`❔ ${UNKNOWN_TITLES[proof]}`, color: colors.ask };
  }
  if (status === "waiting") return { title: md`⏳ Waiting, not sent yet`, color: colors.wait };
  if (status === "sending") return { title: md`📨 Being sent`, color: colors.wait };
  if (status === "cancelled") return { title: md`⚪ Cancelled, not sent`, color: colors.quiet };
  if (status === "expired") {
    const why = interrupted === true ? ": Marshal stopped before sending it" : "";
    return {
      title: md`⌛ Not sent${why}`,
      color: colors.quiet,
      next: tells === undefined ? md`Run it again if it still matters.` : TELL_AGAIN,
    };
  }
  // The game refused it as it refuses every such command: there is nothing to correct.
  if (isInGameOnly === true && failureCode === "bad-command") {
    return { title: md`⛔ It works only in the game`, color: colors.failed, next: USE_IT_THERE };
  }
  if (knownSinceMs !== undefined) {
    return { title: md`⛔ ${KNOWN_REFUSAL.what}`, color: colors.failed, next: md`${KNOWN_REFUSAL.next}` };
  }
  // What bars it is who asked for the ban, or the player, and not whoever reads this.
  if (failureCode === "denied" && record.askedBy !== undefined)
    return { title: md`⛔ It was not sent`, color: colors.failed };
  const [what, next] = isCode(failureCode)
    ? FAILURES[failureCode]
    : (["Nothing happened", "Ask again."] as const);
  const advice = next === undefined ? {} : { next: md`${next}` };
  return { title: md`⛔ ${what}`, color: colors.failed, ...advice };
}

/** Of the message that tells a warned player: run again, it would not be known as that. */
export const TELL_AGAIN = md`Press **Tell** on the case again if they do not know yet.`;

const USE_IT_THERE = md`Use it in the game yourself.`;

const UNKNOWN_TITLES = {
  unchecked: "It may have run",
  "seen-twice": "It probably ran",
  "not-seen": "It probably did not run",
} as const satisfies Readonly<Record<Exclude<RunRecord["proof"], "seen">, string>>;

function isCode(code: string | undefined): code is keyof typeof FAILURES {
  return code !== undefined && Object.hasOwn(FAILURES, code);
}
