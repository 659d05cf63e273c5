import { type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { Failure, FailureCode, Ran } from "../../domain/failure.ts";
import type { Button, Card, MessageBody } from "../../domain/message.ts";
import { cut, escapeMarkdown } from "./escape.ts";
import { isToProgrammer, noneBefore, referenceLine, serviceSays, tryAfter } from "./fine-print.ts";
import { commandLine } from "./hit-words.ts";
import { beyondWrongKey } from "./key-refusal.ts";
import { KNOWN_REFUSAL, notAskedAgain } from "./known-refusal.ts";
import { escapeButRoles } from "./own-markup.ts";

/**
 * How an error reads: what happened; whether it ran, and why; the next step; when; small and last the reference. The
 * title is the answer, so where the failure's own words say more than its code, they begin it. A slip of the person's
 * own has no reference, since nobody has to look it up; the log has it all the same.
 */

export interface ErrorContext {
  /** Names this error in the log. */
  readonly reference: string;
  /** The next step as a button, where there is one. */
  readonly next?: Button | undefined;
  /** The person manages the Discord server, and need not ask anyone. */
  readonly manages?: boolean;
  /** It was about a command to the game: then it is said whether that ran. */
  readonly runs?: boolean | undefined;
  /** The roles of the person who asked; a refusal shows them as roles. */
  readonly roleIds?: readonly string[] | undefined;
}

const ERROR_TEXTS = {
  "not-linked": {
    what: "That server is not linked here",
    next: "Someone with Manage Server can link one with `/setup start`.",
  },
  "queue-full": {
    what: "Too many commands are waiting",
    next: "Wait until some have run. See `/run queue`.",
  },
  expired: { what: "This has expired", next: "Run the slash command again." },
  busy: { what: "Too many requests at once", next: "Try again in a moment." },
  denied: {
    what: "You can't do this",
    next: "Ask a manager for a role. `/staff check` shows them what is missing.",
  },
  "target-changed": { what: "It was not sent", next: "Look who is in the server, then start again." },
  "bad-command": { what: "That didn't work", next: "Correct it and try again." },
  "key-rejected": {
    what: "The server key is wrong or expired",
    next: "Someone with Manage Server can replace it with `/setup link`.",
  },
  "not-authorised": {
    what: "The owner does not let Marshal run commands",
    next: "Someone with Manage Server can fix it: `/setup start`, **Let Marshal run commands**.",
  },
  "read-refused": {
    what: "The game service does not let Marshal read the server",
    next: "The owner should check the game's API settings. Marshal tries again by itself.",
  },
  "server-empty": {
    what: "The server is empty, so the game did not run it",
    next: "Try again when someone has joined.",
  },
  "rate-limited": {
    what: "The game service asked Marshal to wait",
    next: "Try again later. Nothing is lost.",
  },
  blocked: {
    what: "The game service is blocking Marshal",
    next: "Try again later. Marshal's host knows.",
  },
  platform: {
    what: "The game did not answer",
    next: "Try again in a minute.",
  },
  "module-outdated": {
    what: "The game server runs an old version",
    next: "Everyone has to leave it once: a Manager shuts it down from inside the game (Marshal can't). Then try again.",
  },
  unreachable: { what: "The game service is not answering", next: "Try again in a minute." },
  "bad-response": {
    what: "Marshal could not read the game service's answer",
    next: "Try again in a minute. If it keeps happening, give Marshal's host the reference.",
  },
  moved: {
    what: "The game service has moved",
    next: "Tell Marshal's host: `SERVICE_URL` needs the new address.",
  },
  store: {
    what: "Marshal can't write to its database",
    next: "Tell Marshal's host: `/readyz` says what is wrong. Then try again.",
  },
  paused: { what: "Marshal is paused for a moment", next: "Try again in a minute. Nothing is lost." },
} as const satisfies Record<FailureCode, { readonly what: string; readonly next: string }>;

/** The history, cases and watches are kept apart from the store: that they cannot be read stops nothing else. */
const NOT_READ = {
  what: "Marshal can't read its records right now",
  next: "Try again in a minute. If it keeps happening, tell Marshal's host.",
} as const;

function textOf({ code, isRead, knownSinceMs }: Failure) {
  if (knownSinceMs !== undefined) return KNOWN_REFUSAL;
  return code === "store" && isRead ? NOT_READ : ERROR_TEXTS[code];
}

const RAN_WORDS = {
  yes: "**It ran.**",
  no: "**It did not run.**",
  unknown: "**It may have run.** Check in the game before you run it again.",
} as const satisfies Record<Ran, string>;

/** Red for what failed, amber where it may have happened. */
const FAILED_COLOR = 0xd83c3e;
const UNKNOWN_COLOR = 0xe0a100;

const DENIED_MANAGER = "You manage this Discord server: give one of your roles a tier with `/staff allow`.";

/** An expected failure. Where the next step is a button, no sentence repeats it. */
export function failureBody(failure: Failure, context: ErrorContext): MessageBody {
  const said = saidOf(failure, context);
  const next = md`${failure.code === "denied" && context.manages === true ? DENIED_MANAGER : textOf(failure).next}`;
  const isRun = (context.runs === true && !failure.isRead) || failure.ran !== "no";
  if (!isRun || failure.code === "not-linked") {
    // The check of commands has nothing to say of what is only read or configured.
    const plain = failure.code === "denied" ? md`Ask a manager of this Discord server.` : next;
    return plainBody(failure, { ...said, next: plain }, context);
  }
  const { command, retryAtMs: again } = failure;
  const lines: Escaped[] = [
    ...(command === undefined ? [] : [commandLine(command.text, command.serverName), md``]),
    joined([md`${RAN_WORDS[failure.ran]}`, ...said.why], " "),
  ];
  // What was written wrong says itself how to mend it. Where it may have happened, "try again" would be wrong advice.
  const saysIt =
    failure.ran === "unknown" ||
    failure.code === "bad-command" ||
    context.next !== undefined ||
    isFinal(failure) ||
    isAdvised(failure, said);
  if (!saysIt) lines.push(md`**Next:** ${again === undefined ? next : tryAfter(again)}`);
  if ((failure.code === "not-authorised" || failure.code === "key-rejected") && context.next !== undefined)
    lines.push(md`**Next:** Press **${escapeMarkdown(context.next.label)}**.`);
  if (saysIt && again !== undefined)
    lines.push(failure.ran === "unknown" ? noneBefore(again) : tryAfter(again));
  lines.push(...said.below, ...referenceLines(failure, context));
  return body(
    {
      title: md`${failure.ran === "unknown" ? "❔" : "⛔"} ${said.what}`,
      description: joined(lines, "\n"),
      color: failure.ran === "unknown" ? UNKNOWN_COLOR : FAILED_COLOR,
    },
    context.next,
  );
}

/** The same in a line or two, where the message beside it goes on. */
export function failureNote(failure: Failure): Escaped {
  const { what, why } = saidOf(failure, {});
  const again = failure.retryAtMs;
  const when = again === undefined ? [] : [tryAfter(again)];
  // What is wrong with a key that was typed is said by its own words.
  const said =
    failure.wants === "key" ? [escapeMarkdown(cut(failure.message, 800))] : [md`**${what}.**`, ...why];
  return md`⛔ ${joined([...said, ...when], " ")}`;
}

/** Nothing of it could have run, so it says in one sentence what is the matter, and in one what to do. */
function plainBody(
  failure: Failure,
  { next, ...said }: Said & { readonly next: Escaped },
  context: ErrorContext,
): MessageBody {
  if (failure.wants === "server") return nothingLinked(failure, next, context);
  const lines: Escaped[] = [...said.why];
  const again = failure.retryAtMs;
  if (again !== undefined) lines.push(tryAfter(again));
  // A button says it as well, and what is not linked or was written wrong says it itself.
  else if (context.next === undefined && !SAY_IT_THEMSELVES.has(failure.code) && !isAdvised(failure, said))
    lines.push(next);
  lines.push(...said.below, ...referenceLines(failure, context));
  const description = lines.length === 0 ? {} : { description: joined(lines, "\n") };
  return body({ title: md`⛔ ${said.what}`, ...description, color: FAILED_COLOR }, context.next);
}

interface Said {
  readonly what: Escaped;
  readonly why: readonly Escaped[];
  /** Small, below what to do. */
  readonly below: readonly Escaped[];
  /** The failure's own first sentence is the title, and it has another. */
  readonly hasMore: boolean;
}

/** What is over says in a second sentence what to do now, where starting again is not it. */
function isAdvised({ code }: Failure, { hasMore }: Said): boolean {
  return code === "expired" && hasMore;
}

/** Only where a role with a tier would change it is there anything to do: what else forbids a command says so itself. */
function isFinal({ code, wants }: Failure): boolean {
  return code === "denied" && wants !== "tier";
}

/** These read best with their own first sentence; the others are the service's, whose code says what they mean. */
const OWN_WORDS: ReadonlySet<FailureCode> = new Set([
  "not-linked",
  "queue-full",
  "expired",
  "denied",
  "bad-command",
]);
/** Their titles say what the service says of them. */
const HALTS: ReadonlySet<FailureCode> = new Set(["blocked", "rate-limited"]);
const LONGEST_TITLE = 110;

/** What happened, for the title, and what more there is to say of it. */
function saidOf(failure: Failure, { roleIds = [] }: Partial<ErrorContext>): Said {
  const { code, message, knownSinceMs } = failure;
  const said = cut(message, 800);
  const head = OWN_WORDS.has(code) ? firstSentence(said) : "";
  // A title shows no mention of a role.
  if (head === "" || head.length > LONGEST_TITLE || /<@&\d/.test(head)) {
    // The title says already that a key is wrong or expired.
    const more = escapeButRoles(code === "key-rejected" ? beyondWrongKey(said) : said, roleIds);
    const words = knownSinceMs === undefined ? more : notAskedAgain(knownSinceMs);
    const isOfOwner = code === "not-authorised" && knownSinceMs === undefined;
    const isBelow = isOfOwner || (HALTS.has(code) && isToProgrammer(said));
    // One that somebody has just pasted says nothing of the key that is stored.
    const isTyped = code === "key-rejected" && failure.wants === "key";
    return {
      what: isTyped ? md`That key is wrong or expired` : md`${textOf(failure).what}`,
      why: words === "" || isBelow ? [] : [words],
      below: isBelow ? serviceSays(said) : [],
      hasMore: false,
    };
  }
  const rest = said.slice(head.length).trim();
  return {
    what: escapeMarkdown(head.replace(/\.$/, "")),
    why: rest === "" ? [] : [escapeButRoles(rest, roleIds)],
    below: [],
    hasMore: rest !== "",
  };
}

/** Up to a full stop outside quotation marks: quoted are names and texts of people. */
function firstSentence(text: string): string {
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '"') isQuoted = !isQuoted;
    const isEnd = /[.?!]/.test(sign) && /^\s?$/.test(text.charAt(at + 1));
    if (isEnd && !isQuoted) return text.slice(0, at + 1);
  }
  return text;
}

/** One sentence, and one button; for those who have none, whom to ask. */
function nothingLinked({ message }: Failure, next: Escaped, context: ErrorContext): MessageBody {
  const lines = [...(context.next === undefined ? [next] : []), referenceLine(context.reference)];
  const card = {
    title: md`⛔ ${escapeMarkdown(message)}`,
    description: joined(lines, "\n"),
    color: FAILED_COLOR,
  };
  return body(card, context.next);
}

const SAY_IT_THEMSELVES: ReadonlySet<FailureCode> = new Set(["not-linked", "bad-command"]);

/** A defect of ours: no details for people, the log has them under the same reference. */
export function defectBody({ reference, runs }: Pick<ErrorContext, "reference" | "runs">): MessageBody {
  const words =
    runs === true
      ? [
          "**It may have run.** Check in the game before you run it again.",
          "Give Marshal's host the reference.",
        ]
      : ["Try again. If it keeps happening, give Marshal's host the reference."];
  return body({
    title: md`⛔ Something went wrong inside Marshal`,
    description: joined(
      [...words.map((line) => md`${markdownOfOurs(line)}`), referenceLine(reference)],
      "\n",
    ),
    color: FAILED_COLOR,
  });
}

/** What was written wrong is the person's to mend, where Marshal saw it itself; what the service refused is looked up. */
function referenceLines(failure: Failure, { reference }: ErrorContext): Escaped[] {
  const { code, ran, serviceCode, commandId } = failure;
  const isOwnSlip =
    code === "bad-command" && ran === "no" && serviceCode === undefined && commandId === undefined;
  return isOwnSlip ? [] : [referenceLine(reference, commandId)];
}

function body(card: Card, next?: Button): MessageBody {
  return next === undefined ? { cards: [card] } : { cards: [card], rows: [[next]] };
}
