import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type { FailureCode } from "../../domain/failure.ts";
import type { Button, Card, MessageBody, Row } from "../../domain/message.ts";
import { HALTED } from "../../domain/ports/service-health.ts";
import { type DeferredRun, type RunProgress, type RunRecord, surelyRan } from "../../domain/run.ts";
import { refusalWords } from "./audit-rows.ts";
import { AUTOMATIC_PAUSED } from "./automatic-cards.ts";
import { cut, escapeMarkdown, plainText } from "./escape.ts";
import { isToProgrammer, noneBefore, referenceLine, serviceSays, tryAfter } from "./fine-print.ts";
import { alikeLines, commandLine, hitOf, plainWithHits } from "./hit-words.ts";
import { beyondWrongKey } from "./key-refusal.ts";
import { notAskedAgain } from "./known-refusal.ts";
import { RUN_COLORS as colors } from "./plan-cards.ts";
import { TELL_AGAIN, wordsFor } from "./run-outcome-words.ts";
import { notReadWords } from "./server/not-read.ts";
import { PASTE_NEW_KEY } from "./setup-cards.ts";
import { letCommandsRun } from "./setup-guide-allow.ts";

/** How a run reads from the queue to what the log says of it: what happened, and what to press. Pure. */

/** While it waits: its place, and the time before which it is not sent: a later one is no broken promise. */
export function progressCard({ record, place, expectedAtMs, heldBy }: RunProgress): MessageBody {
  const sending = record.status === "sending";
  const atS = Math.ceil(expectedAtMs / 1000);
  const where = place === 1 ? md`It is next.` : md`Place **${place}** in the queue.`;
  const card: Card = {
    title: sending ? md`📨 Being sent` : md`⏳ Waiting, not sent yet`,
    description: joined(
      [
        commandLine(record.text, record.serverName, hitOf(record)),
        "",
        sending
          ? "The game has not answered yet."
          : md`${heldBy === undefined ? "" : md`${HALTED[heldBy]}. `}${where} It will be sent at <t:${atS}:T> or a little later.`,
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
  /** Why the log could not be read for it. */
  readonly logTrouble?: FailureCode | undefined;
  /** It became a case that has no reason yet. */
  readonly wantsReason?: boolean;
  /** It is a punishment that becomes a case. */
  readonly isCase?: boolean;
  /** The case that it became. */
  readonly caseNumber?: number | undefined;
  /** All that would undo it ran. */
  readonly isUndone?: boolean;
  /** Who reads it manages the Discord server, so they get the button that mends it. */
  readonly manages?: boolean;
  /** Automatic commands are paused: no ban ends by itself. */
  readonly isPaused?: boolean;
}

/**
 * What happened; whether it ran and why; what the log says; the next step; when; and last, unless it ran, the
 * reference. From the audit row alone, so that it can be shown again later.
 */
export function outcomeCard(record: RunRecord, options: OutcomeOptions = {}): MessageBody {
  const { title, color, next: advice } = wordsFor(record);
  const mend = options.manages === true ? mendsOf(record) : [];
  const said: Escaped[] = [...whyLines(record)];
  const proof = proofLine(record, options);
  if (proof !== undefined) said.push(proof);
  said.push(...alikeLines(record), ...endLines(record, options));
  said.push(...nextLines(record, { advice, mend, retryAtMs: options.retryAtMs }));
  if (isToProgrammers(record)) said.push(...serviceSays(record.message ?? ""));
  if (!surelyRan(record)) said.push(referenceLine(record.id, record.commandId));
  const lines = [
    commandLine(record.text, record.serverName, hitOf(record)),
    ...(said.length === 0 ? [] : [md``, ...said]),
  ];
  const why = options.wantsReason === true ? [reasonButton(record)] : [];
  const buttons = [...why, ...caseButtons(record, options), ...mend, ...outcomeButtons(record, options)];
  const rows: readonly Row[] = buttons.length === 0 ? [] : [buttons];
  return { cards: [{ title, description: joined(lines, "\n"), color }], rows };
}

/** The next step, with its time where it has one; where there is nothing to repeat, when a command can be sent again. */
function nextLines(
  { status, failureCode = "" }: RunRecord,
  {
    advice,
    mend: [button],
    retryAtMs,
  }: {
    readonly advice: Escaped | undefined;
    readonly mend: readonly Button[];
    readonly retryAtMs: number | undefined;
  },
): Escaped[] {
  const isLater = retryAtMs !== undefined && status === "failed" && !NEEDS_MENDING.has(failureCode);
  if (isLater) {
    const known = failureCode === "blocked" ? md` Marshal's host knows.` : md``;
    return [md`**Next:** ${tryAfter(retryAtMs, "Run it")}${known}`];
  }
  const next = button === undefined ? advice : md`Press **${escapeMarkdown(button.label)}**.`;
  return [
    ...(next === undefined ? [] : [md`**Next:** ${next}`]),
    ...(retryAtMs === undefined ? [] : [noneBefore(retryAtMs)]),
  ];
}

/** Of a ban that is to end. */
function endLines({ ends, status }: RunRecord, { isPaused = false }: OutcomeOptions): Escaped[] {
  if (ends?.atMs === undefined) return [];
  if (status === "unknown") return [md`**Its end is not set.** A Manager decides in \`/run bans\`.`];
  if (status !== "done") return [];
  const end = md`**Ends:** <t:${Math.floor(ends.atMs / 1_000)}:f>. See \`/run bans\`.`;
  return isPaused ? [end, AUTOMATIC_PAUSED] : [end];
}

/** What would mend it, for those who manage the server. */
function mendsOf({ status, failureCode, bindingId }: RunRecord): readonly Button[] {
  if (status !== "failed") return [];
  if (failureCode === "not-authorised") return [letCommandsRun(bindingId)];
  return failureCode === "key-rejected" ? [PASTE_NEW_KEY] : [];
}

/** Of the case that it became, or of the warning that it tells of. */
function caseButtons({ id, tells }: RunRecord, { caseNumber = tells }: OutcomeOptions): Button[] {
  return caseNumber === undefined ? [] : [button(`Case ${caseNumber}`, `case-of:${caseNumber}/${id}`)];
}

/** Carries the command, for the title of its form. */
function reasonButton(record: RunRecord): Button {
  const title = plainWithHits(record.text, hitOf(record));
  return button("Give the reason", `case-why:${record.id}/${cut(plainText(title), 40)}`);
}

/** The card of an outcome has one of these: its reference, or a button of what ran, which has none. */
export function outcomeMarks({ id }: Pick<RunRecord, "id">): readonly string[] {
  return [referenceLine(id), againId(id), `case-why:${id}/`, `/${id}`];
}

function againId(id: string): string {
  return `run-again:${id}`;
}

const LOOKING = md`Checking the game's log …`;
/** Of what may have run, as long as nothing shows whether it did. */
export const DO_NOT_REPEAT = md`**Do not repeat it** before you have looked in the game.`;
const NOT_SEEN = md`The game's log does not show it.`;
const SEEN_TWICE = md`The game's log shows this text more than once. Another program may have sent it.`;

const UNKNOWN_PROOFS = {
  unchecked: md`The game's log has not shown it yet. ${DO_NOT_REPEAT}`,
  seen: md`The game's log shows it.`,
  "seen-twice": md`${SEEN_TWICE} **Do not repeat it.**`,
  "not-seen": md`${NOT_SEEN} Run it again if nothing happened in the game.`,
} as const satisfies Readonly<Record<RunRecord["proof"], Escaped>>;

/** What the log says of it, and what that means for the next step. */
function proofLine(
  { status, proof, tells }: RunRecord,
  { isSought, logTrouble }: OutcomeOptions,
): Escaped | undefined {
  if (status === "unknown") {
    if (proof === "not-seen" && tells !== undefined) return md`${NOT_SEEN} ${TELL_AGAIN}`;
    if (proof !== "unchecked") return UNKNOWN_PROOFS[proof];
    if (isSought === true) return LOOKING;
    if (logTrouble === undefined) return UNKNOWN_PROOFS.unchecked;
    return md`The game's log can't be read: ${notReadWords(logTrouble)} ${DO_NOT_REPEAT}`;
  }
  if (proof === "seen-twice") return md`⚠ ${SEEN_TWICE}`;
  return proof === "not-seen" ? md`⚠ ${NOT_SEEN}` : undefined;
}

/** The service speaks to whoever programmed Marshal: small, below what to do. */
function isToProgrammers({ failureCode, message = "", knownSinceMs }: RunRecord): boolean {
  if (knownSinceMs !== undefined) return false;
  return failureCode === "not-authorised" || (SERVICE_SAYS.has(failureCode ?? "") && isToProgrammer(message));
}

/** Failures of which a run has the service's own words, after a title that says the same in ours. */
const SERVICE_SAYS: ReadonlySet<string> = new Set(["bad-command", "server-empty", "module-outdated"]);

/** Whether it ran, unless the title has said so, and why not. The game's usual answer is the bare word "Success". */
function whyLines(record: RunRecord): Escaped[] {
  const { status, ran, actorRoleIds, interrupted, proof, failureCode, knownSinceMs } = record;
  // The title says already that a key is wrong or expired.
  const message =
    failureCode === "key-rejected" ? beyondWrongKey(record.message ?? "") : (record.message ?? "");
  if (status === "done") {
    const said = /^success\W*$/i.test(message) ? "" : message;
    return said === "" ? [] : [md`**The game says:** ${escapeMarkdown(cut(said, 800))}`];
  }
  const isBelow = message === "" || isToProgrammers(record);
  const words =
    knownSinceMs === undefined ? refusalWords(message, status, actorRoleIds) : notAskedAgain(knownSinceMs);
  const why = isBelow
    ? []
    : [SERVICE_SAYS.has(failureCode ?? "") ? md`The game service said: ${words}` : words];
  if (ran === "yes") return [joined([md`**It ran.**`, ...why], " ")];
  if (status === "unknown") {
    if (interrupted === true) return [md`Marshal stopped while sending it.`];
    // Once it is known that it ran, the service's own words of failure only confuse.
    if (proof === "seen") return [md`The game service gave no clear answer.`];
    // That nothing came back says why already.
    const isSaid = failureCode === "unreachable" && why.length > 0;
    return [joined([...(isSaid ? [] : [md`The game service gave no clear answer.`]), ...why], " ")];
  }
  // The title of these says that it was not sent.
  if (status === "cancelled" || status === "expired" || failureCode === "target-changed") return why;
  return [joined([status === "denied" ? md`**It was never sent.**` : md`**It did not run.**`, ...why], " ")];
}

/** Whoever was hit is gone. */
const REMOVES: ReadonlySet<string> = new Set(["kick", "ban"]);

/** Pressing again would meet the same refusal: something must be put right before. */
const NEEDS_MENDING: ReadonlySet<string> = new Set([
  "not-linked",
  "target-changed",
  "bad-command",
  "key-rejected",
  "not-authorised",
]);

function outcomeButtons(record: RunRecord, options: OutcomeOptions): Button[] {
  const { mayDefer, isSought, isUndone = false } = options;
  const { id, status, failureCode, inverse, proof, origin } = record;
  const buttons: Button[] = [];
  const ran = surelyRan(record);
  const isUnseen = status === "unknown" && proof === "not-seen";
  // Where the card says "do not repeat it", or is about to say more, no button repeats it.
  const isOpen = status === "unknown" && isSought !== true && (isUnseen || proof === "unchecked");
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
  // To undo an undo would punish again by one press.
  if (ran && inverse !== undefined && origin !== "undo" && !isUndone)
    buttons.push(button("Undo", `run-undo:${id}`));
  // To tell a warned player again is for *Tell* on their case, which knows whether they were told.
  const again =
    record.tells === undefined &&
    (mayRepeat(record, options) || isUnseen || status === "expired" || status === "failed");
  if (again && !(status === "failed" && NEEDS_MENDING.has(failureCode ?? "")))
    buttons.push(button("Run again", againId(id)));
  return buttons;
}

/** Of what ran: it is still of use. */
function mayRepeat(record: RunRecord, { isCase = false, isUndone = false }: OutcomeOptions): boolean {
  const isGone = isCase && REMOVES.has(record.verb ?? "") && record.proof !== "not-seen";
  return surelyRan(record) && !isUndone && !isGone;
}

function button(label: string, id: string): Button {
  return { kind: "button", style: "secondary", label, id };
}

/** Nobody joined within the time. */
export function deferredExpiredCard({ request, id, byId }: DeferredRun): MessageBody {
  const card: Card = {
    title: md`⌛ Not sent: nobody joined`,
    description: joined(
      [
        commandLine(request.text, request.binding.name, byId),
        "",
        "**It was never sent.** It waited an hour for someone to join.",
        "**Next:** Run it again if it still matters.",
        referenceLine(id),
      ],
      "\n",
    ),
    color: colors.quiet,
  };
  return { cards: [card] };
}
