// Over 200 lines: every card of a run's outcome, whose words have to fit one another.
import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type { FailureCode } from "../../domain/failure.ts";
import type { Button, Card, MessageBody, Row } from "../../domain/message.ts";
import type { DeferredRun, RunProgress, RunRecord } from "../../domain/run.ts";
import { refusalWords } from "./audit-rows.ts";
import { referenceLine } from "./errors.ts";
import { cut, escapeMarkdown } from "./escape.ts";
import { RUN_COLORS as colors, commandLine } from "./plan-cards.ts";

/** How a run reads from the queue to what the log says of it: what happened, and what to press. Pure. */

/** While it waits: its place, and the time before which it is not sent: a later one is no broken promise. */
export function progressCard({ record, place, expectedAtMs }: RunProgress): MessageBody {
  const sending = record.status === "sending";
  const atS = Math.ceil(expectedAtMs / 1000);
  const where = place === 1 ? "It is next" : md`Place **${place}** in the queue`;
  const card: Card = {
    title: sending ? md`📨 Being sent` : md`⏳ Waiting, not sent yet`,
    description: joined(
      [
        commandLine(record.text, record.serverName),
        "",
        sending ? "The game has not answered yet." : md`${where}, to be sent after <t:${atS}:T>.`,
      ],
      "\n",
    ),
    color: colors.wait,
  };
  if (sending) return { cards: [card] };
  return { cards: [card], rows: [[button("Cancel", `run-cancel:${record.id}`)]] };
}

export interface OutcomeOptions {
  /** It may wait for someone to join. */
  readonly mayDefer?: boolean;
  /** Epoch milliseconds when trying again makes sense. */
  readonly retryAtMs?: number | undefined;
  /** The log is being read for it, and this card will say what it shows. */
  readonly isSought?: boolean;
  /** It became a case that has no reason yet. */
  readonly wantsReason?: boolean;
}

/**
 * What happened; whether it ran and why; what the log says; the next step; when; and last the reference. From the
 * audit row alone, so that it can be shown again later.
 */
export function outcomeCard(record: RunRecord, options: OutcomeOptions = {}): MessageBody {
  const { title, color, next } = wordsFor(record, options);
  const lines: Escaped[] = [commandLine(record.text, record.serverName), md``, ...whyLines(record)];
  const proof = proofLine(record);
  if (proof !== undefined) lines.push(proof);
  // What the log says of an unknown outcome is what to do next.
  if (next !== undefined) lines.push(record.status === "unknown" ? next : md`**Next:** ${next}`);
  // A time of day: counted from now it would soon promise what has passed.
  if (options.retryAtMs !== undefined) {
    lines.push(md`**When:** after <t:${Math.ceil(options.retryAtMs / 1000)}:T>`);
  }
  lines.push(referenceLine(record.id, record.commandId));
  const why = options.wantsReason === true ? [button("Give the reason", `case-why:${record.id}`)] : [];
  const buttons = [...why, ...outcomeButtons(record, options)];
  const rows: readonly Row[] = buttons.length === 0 ? [] : [buttons];
  return { cards: [{ title, description: joined(lines, "\n"), color }], rows };
}

interface Words {
  readonly title: Escaped;
  readonly color: number;
  readonly next?: Escaped;
}

const FAILURES = {
  "not-linked": ["The server was unlinked", "Someone with Manage Server links it again with `/setup link`."],
  "queue-full": ["Too many commands are waiting", "Wait until some have run; `/run queue` shows them."],
  denied: ["You may not run this", "Ask whoever manages this Discord server; `/staff check` shows them why."],
  "bad-command": ["The game refused the command", "Correct it and send it with `/run command`."],
  "key-rejected": [
    "The game service no longer accepts the server key",
    "The owner copies the current key, and someone links it with `/setup link`.",
  ],
  "not-authorised": [
    "The owner has not allowed Marshal to run commands",
    "The owner authorises it in the game's API settings.",
  ],
  "read-refused": [
    "The game service does not let Marshal read the server",
    "The owner looks at the game's API settings.",
  ],
  "server-empty": ["Nobody is in the server", "Run it again when someone has joined."],
  "rate-limited": ["The game service asks us to wait", "Run it again then."],
  blocked: ["The game service blocks Marshal for a while", "Run it again then; the operator was told."],
  platform: ["The game platform did not answer", "Try again in a minute."],
  unreachable: ["The game service could not be reached", "Try again in a minute."],
  "bad-response": ["The answer could not be read", "Tell the operator of this bot the reference."],
  store: ["Marshal cannot write to its own store", "Tell the operator of this bot; ask again afterwards."],
  paused: ["Marshal pauses for a moment", "Try again in a minute."],
} as const satisfies Readonly<
  Record<
    FailureCode extends "expired" ? never : Exclude<FailureCode, "expired" | "busy">,
    readonly [what: string, next: string]
  >
>;

function wordsFor(record: RunRecord, { isSought }: OutcomeOptions): Words {
  const { status, failureCode, proof, interrupted } = record;
  if (status === "done") {
    const seen = proof === "seen" ? " · seen in the log" : "";
    return { title: md`✅ It ran${seen}`, color: colors.done };
  }
  if (status === "unknown") {
    const why = interrupted === true ? ": Marshal was stopped while it was being sent" : TITLE_PROOF[proof];
    const next = isSought === true && proof === "unchecked" ? LOOKING : NEXT_OF_UNKNOWN[proof];
    return { title: md`❔ It may have run${why}`, color: colors.ask, next };
  }
  if (status === "waiting") return { title: md`⏳ Waiting, not sent yet`, color: colors.wait };
  if (status === "sending") return { title: md`📨 Being sent`, color: colors.wait };
  if (status === "cancelled") return { title: md`⚪ Cancelled, not sent`, color: colors.quiet };
  if (status === "expired") {
    const why = interrupted === true ? "Marshal was stopped before it was sent" : "it waited too long";
    return {
      title: md`⌛ Not sent: ${why}`,
      color: colors.quiet,
      next: md`Ask again if it still matters.`,
    };
  }
  const [what, next] = isCode(failureCode)
    ? FAILURES[failureCode]
    : (["Nothing came of it", "Ask again."] as const);
  return { title: md`⛔ ${what}`, color: colors.failed, next: md`${next}` };
}

const TITLE_PROOF = {
  unchecked: "",
  seen: " · seen in the log",
  "seen-twice": " · seen in the log",
  "not-seen": " · not in the log",
} as const satisfies Readonly<Record<RunRecord["proof"], string>>;

const LOOKING = md`**Do not repeat it yet.** Marshal is looking into the game's log, and says here what it shows.`;
const NOT_SEEN = md`⚠ **In the game's log it is not there**, although the log covers that time.`;
const SEEN_TWICE = md`⚠ The game's log shows it **twice**; another program may have sent it too.`;

/** Another program may have sent the same text: a match is consistent with the log, no proof of more. */
const NEXT_OF_UNKNOWN = {
  unchecked: md`In the game's log it was not seen so far. **Do not repeat it yet:** look in the game, or check the log.`,
  seen: md`**Do not repeat it:** the game's log shows it once, which is consistent with it having run.`,
  "seen-twice": md`**Do not repeat it.** ${SEEN_TWICE}`,
  "not-seen": md`${NOT_SEEN} Run it again only if nothing has happened in the game.`,
} as const satisfies Readonly<Record<RunRecord["proof"], Escaped>>;

/** Of a run whose outcome the service stated. */
function proofLine({ status, proof }: RunRecord): Escaped | undefined {
  if (status === "unknown") return undefined;
  if (proof === "seen-twice") return SEEN_TWICE;
  return proof === "not-seen" ? NOT_SEEN : undefined;
}

function isCode(code: string | undefined): code is keyof typeof FAILURES {
  return code !== undefined && Object.hasOwn(FAILURES, code);
}

/** Whether it ran, unless the title has said so, and why not. The game's usual answer is the bare word "Success". */
function whyLines({ message = "", status, ran, actorRoleIds }: RunRecord): Escaped[] {
  if (status === "done") {
    const said = /^success\W*$/i.test(message) ? "" : message;
    return said === "" ? [] : [md`**The game says:** ${escapeMarkdown(cut(said, 800))}`];
  }
  const why = message === "" ? [] : [refusalWords(message, status, actorRoleIds)];
  if (ran === "yes") return [joined([md`**It ran.**`, ...why], " ")];
  if (ran === "unknown") {
    return [joined([md`**It was sent, and no clear answer came.**`, ...why], " ")];
  }
  // The title of these says that it was not sent.
  if (status === "cancelled" || status === "expired") return why;
  return [joined([status === "denied" ? md`**It was never sent.**` : md`**It did not run.**`, ...why], " ")];
}

/** Pressing again would meet the same refusal: something must be put right before. */
const NEEDS_MENDING: ReadonlySet<string> = new Set([
  "not-linked",
  "bad-command",
  "key-rejected",
  "not-authorised",
]);

function outcomeButtons(record: RunRecord, { mayDefer, isSought }: OutcomeOptions): Button[] {
  const { id, status, failureCode, inverse, proof } = record;
  const buttons: Button[] = [];
  // Where the card says "do not repeat it", no button does.
  const isOpen = status === "unknown" && isSought !== true && proof !== "seen" && proof !== "seen-twice";
  if (failureCode === "server-empty" && mayDefer === true) {
    buttons.push({
      kind: "button",
      style: "primary",
      label: "Run when someone joins",
      id: `run-defer:${id}`,
    });
  }
  if (isOpen) {
    buttons.push({ kind: "button", style: "primary", label: "Check the log", id: `run-check:${id}` });
  }
  if (status === "done" && inverse !== undefined) buttons.push(button("Undo", `run-undo:${id}`));
  const again = status === "done" || isOpen || status === "expired" || status === "failed";
  if (again && !(status === "failed" && NEEDS_MENDING.has(failureCode ?? "")))
    buttons.push(button("Run again", `run-again:${id}`));
  return buttons;
}

function button(label: string, id: string): Button {
  return { kind: "button", style: "secondary", label, id };
}

/** Nobody joined within the time. */
export function deferredExpiredCard({ request, id }: DeferredRun): MessageBody {
  const card: Card = {
    title: md`⌛ Not sent: nobody joined`,
    description: joined(
      [
        commandLine(request.text, request.binding.name),
        "",
        "**It was never sent.** It waited an hour for someone to join.",
        "**Next:** Ask again if it still matters.",
        referenceLine(id),
      ],
      "\n",
    ),
    color: colors.quiet,
  };
  return { cards: [card] };
}
