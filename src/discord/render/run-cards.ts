import type { FailureCode } from "../../domain/failure.ts";
import type { Button, Card, CardField, MessageBody, Row } from "../../domain/message.ts";
import type { DeferredRun, RunPlan, RunProgress, RunRecord } from "../../domain/run.ts";
import { tierLabels } from "./audit-rows.ts";
import { referenceLine } from "./errors.ts";
import { cut, inlineCode, inlineName } from "./escape.ts";
import { escapeButMentions, escapeButTimes } from "./own-markup.ts";

/** How `/run` reads: what will happen, whether it happened, and what to press (design 7). Pure. */

const colors = { ask: 0xe0a100, wait: 0x3b6fd4, done: 0x2d7d46, failed: 0xd83c3e, quiet: 0x80848e };

/** The exact text, alone on its line, and where it goes. */
function commandLine(text: string, serverName: string): string {
  return `${inlineCode(text, 1_000)}\non **${inlineName(serverName)}**`;
}

/** `dry`: everything that is known beforehand, and that nothing was sent. */
export function dryCard(plan: RunPlan): MessageBody {
  const { request, command, decision } = plan;
  const may = decision.allowed ? "✅ You may run this." : "⛔ You may not run this.";
  const card: Card = {
    title: "🔎 Dry run: nothing was sent",
    description: [
      commandLine(request.text, request.binding.name),
      "",
      may,
      `-# ${escapeButMentions(decision.why)}`,
    ].join("\n"),
    color: decision.allowed ? colors.wait : colors.failed,
    fields: [
      { name: "Command", value: verbLine(plan), inline: true },
      { name: "Needs", value: tierLabels[command.tier], inline: true },
      { name: "Wait", value: waitWords(plan.expectedWaitMs), inline: true },
      ...targetFields(plan),
      ...(plan.confirm === "none" ? [] : [{ name: "Asks first", value: bullets(plan.confirmReasons) }]),
      { name: "Undo", value: plan.inverse === undefined ? "None" : inlineCode(plan.inverse, 900) },
      ...warningFields(plan),
    ],
  };
  return { cards: [card] };
}

/** Nothing is sent before the press. */
export function confirmCard(plan: RunPlan): MessageBody {
  const { request, command } = plan;
  const card: Card = {
    title: `⚠ Send ${command.mass ? "to EVERYONE" : "this"}?`,
    description: [
      commandLine(request.text, request.binding.name),
      "",
      bullets(plan.confirmReasons),
      "",
      `**Nothing is sent yet.** This question ends <t:${Math.floor(plan.expiresAtMs / 1000)}:R>.`,
    ].join("\n"),
    color: colors.ask,
    fields: [...targetFields(plan), ...warningFields(plan)],
  };
  const go: Button =
    plan.confirm === "name"
      ? { kind: "button", style: "danger", label: "Type the server's name", id: `run-name:${plan.id}` }
      : { kind: "button", style: "danger", label: "Send it", id: `run-confirm:${plan.id}` };
  return { cards: [card], rows: [[go, button("Do not send", `run-drop:${plan.id}`)]] };
}

export function droppedCard(dropped: boolean): MessageBody {
  return dropped
    ? { cards: [{ title: "⚪ Not sent", description: "Nothing was sent.", color: colors.quiet }] }
    : {
        cards: [
          {
            title: "⚪ Too late to drop",
            description:
              "It was answered already, or its time was over. `/run queue` and `/run history` tell which.",
            color: colors.quiet,
          },
        ],
      };
}

/** While it waits: its place and when it is sent, if all goes well. */
export function progressCard({ record, place, expectedAtMs }: RunProgress): MessageBody {
  const sending = record.status === "sending";
  const atS = Math.ceil(expectedAtMs / 1000);
  const where = place === 1 ? "It is next" : `Place **${place}** in the queue`;
  const card: Card = {
    title: sending ? "📨 Being sent" : "⏳ Waiting, not sent yet",
    description: [
      commandLine(record.text, record.serverName),
      "",
      sending ? "The game has not answered yet." : `${where}, to be sent <t:${atS}:R>.`,
    ].join("\n"),
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
}

/** What came of it, in the order of design 7; from the audit row alone, so that it can be shown again later. */
export function outcomeCard(record: RunRecord, options: OutcomeOptions = {}): MessageBody {
  const { title, color, next } = wordsFor(record);
  const lines = [commandLine(record.text, record.serverName), "", ranLine(record)];
  if (record.message !== undefined && record.message !== "") {
    const name = record.status === "done" ? "The game says" : "Why";
    lines.push(`**${name}:** ${cut(escapeButMentions(record.message), 1_000)}`);
  }
  const proof = proofWords(record);
  if (proof !== undefined) lines.push(`**In the log:** ${proof}`);
  if (next !== undefined) lines.push(`**Next:** ${next}`);
  if (options.retryAtMs !== undefined) lines.push(`**When:** <t:${Math.ceil(options.retryAtMs / 1000)}:R>`);
  lines.push(referenceLine(record.id, record.commandId));
  const buttons = outcomeButtons(record, options);
  const rows: Row[] = buttons.length === 0 ? [] : [buttons];
  return { cards: [{ title, description: lines.join("\n"), color }], rows };
}

interface Words {
  readonly title: string;
  readonly color: number;
  readonly next?: string;
}

const failures: Readonly<Partial<Record<FailureCode, readonly [what: string, next: string]>>> = {
  "not-linked": ["The server was unlinked", "Someone with Manage Server links it again with `/setup link`."],
  "queue-full": ["The queue is full", "Wait until some have run; `/run queue` shows them."],
  denied: ["You may not run this", "`/staff check` tells whoever manages the Discord server more."],
  "bad-command": ["The game refused the command", "Correct it and ask again."],
  "key-rejected": [
    "The game service no longer accepts the server key",
    "The owner copies the current key, and someone links it with `/setup link`.",
  ],
  "not-authorised": [
    "The owner has not allowed this bot to run commands",
    "The owner authorises it in the game's API settings. Reading the server still works.",
  ],
  "server-empty": ["Nobody is in the server", "Run it when someone has joined."],
  "rate-limited": ["The game service asks us to wait", "Run it again then."],
  blocked: ["The game service blocks this bot for a while", "Run it again then; the operator was told."],
  platform: ["The game platform did not answer", "Try again in a minute."],
  unreachable: ["The game service could not be reached", "Try again in a minute."],
  "bad-response": ["The answer could not be read", "Tell the operator of this bot the reference."],
};

function wordsFor({ status, failureCode, proof }: RunRecord): Words {
  if (status === "done") return { title: "✅ It ran", color: colors.done };
  if (status === "unknown") {
    const next =
      proof === "seen" || proof === "seen-twice"
        ? "Do not repeat it: the log speaks for it having run."
        : "**Do not repeat it yet.** Look in the game, or check the log here in a moment.";
    return { title: "❔ It may have run", color: colors.ask, next };
  }
  if (status === "waiting") return { title: "⏳ Waiting, not sent yet", color: colors.wait };
  if (status === "sending") return { title: "📨 Being sent", color: colors.wait };
  if (status === "cancelled") return { title: "⚪ Cancelled, not sent", color: colors.quiet };
  if (status === "expired") {
    return {
      title: "⌛ Not sent: it waited too long",
      color: colors.quiet,
      next: "Ask again if it still matters.",
    };
  }
  const [what, next] = (isCode(failureCode) ? failures[failureCode] : undefined) ?? [
    "It did not run",
    "Ask again.",
  ];
  return { title: `⛔ ${what}`, color: colors.failed, next };
}

function isCode(code: string | undefined): code is FailureCode {
  return code !== undefined && Object.hasOwn(failures, code);
}

function ranLine({ ran, status }: RunRecord): string {
  if (ran === "yes") return "**Did it run?** Yes.";
  if (ran === "unknown")
    return "**Did it run?** Unknown: it was sent, and no clear answer came. It is not repeated.";
  return `**Did it run?** No${status === "failed" ? "." : ", it was never sent."}`;
}

/** Another program may have sent the same text: a match is consistent with the log, no proof of more (design 6). */
function proofWords({ proof, ran, status }: RunRecord): string | undefined {
  if (proof === "seen") return "consistent with it: the command stands there once, at that time.";
  if (proof === "seen-twice") return "⚠ it stands there **twice**; another program may have sent it too.";
  if (proof === "not-seen") return "⚠ **not there**, although the log covers that time.";
  return status === "unknown" || ran === "unknown" ? "not looked up yet." : undefined;
}

function outcomeButtons(record: RunRecord, { mayDefer }: OutcomeOptions): Button[] {
  const { id, status, failureCode, inverse } = record;
  const buttons: Button[] = [];
  if (failureCode === "server-empty" && mayDefer === true) {
    buttons.push({
      kind: "button",
      style: "primary",
      label: "Run when someone joins",
      id: `run-defer:${id}`,
    });
  }
  if (status === "unknown") {
    buttons.push({ kind: "button", style: "primary", label: "Check the log", id: `run-check:${id}` });
  }
  if (status === "done" && inverse !== undefined) buttons.push(button("Undo", `run-undo:${id}`));
  const again = status === "done" || status === "unknown" || status === "expired" || status === "failed";
  if (again) buttons.push(button("Run again", `run-again:${id}`));
  if (status === "done") buttons.push(button("Check the log", `run-check:${id}`));
  return buttons;
}

function button(label: string, id: string): Button {
  return { kind: "button", style: "secondary", label, id };
}

/** Nobody joined within the time. */
export function deferredExpiredCard({ request, id }: DeferredRun): MessageBody {
  const card: Card = {
    title: "⌛ Not sent: nobody joined",
    description: [
      commandLine(request.text, request.binding.name),
      "",
      "**Did it run?** No, it was never sent.",
      "**Why:** It waited an hour for someone to join.",
      "**Next:** Ask again if it still matters.",
      referenceLine(id),
    ].join("\n"),
    color: colors.quiet,
  };
  return { cards: [card] };
}

function verbLine({ command }: RunPlan): string {
  const kind = { read: "reads only", mild: "harmless", serious: "hits people", severe: "severe" }[
    command.danger
  ];
  return command.known
    ? `${inlineCode(`:${command.verb ?? ""}`)} · ${kind}`
    : `${inlineCode(`:${command.verb ?? ""}`)} · unknown`;
}

/** Who is hit, by name and id, and how fresh that knowledge is. */
function targetFields({ targets, command, playersAgeMs }: RunPlan): CardField[] {
  if (command.targetTexts.length === 0) return [];
  const hit = new Map(
    targets.flatMap(({ players }) => players.map((player) => [`${player.name}:${player.id ?? ""}`, player])),
  );
  const shown = [...hit.values()].slice(0, 15).map(({ name, id }) => {
    const number = id === undefined ? "" : ` ${inlineCode(String(id))}`;
    return `**${inlineName(name)}**${number}`;
  });
  const more = hit.size > shown.length ? [`and ${hit.size - shown.length} more`] : [];
  const staff = targets.some((target) => target.staff) ? ["🛡 Staff of the server among them"] : [];
  const lines = hit.size === 0 ? ["Nobody who is known to be there"] : [...shown, ...more, ...staff];
  const age = playersAgeMs === undefined ? "" : ` · seen ${Math.round(playersAgeMs / 1000)} s ago`;
  return [{ name: `Hits ${hit.size}${age}`, value: cut(lines.join("\n"), 1_024) }];
}

function warningFields({ warnings }: RunPlan): CardField[] {
  return warnings.length === 0 ? [] : [{ name: "⚠ Mind", value: bullets(warnings) }];
}

function bullets(lines: readonly string[]): string {
  return cut(lines.map((line) => `• ${escapeButTimes(line)}`).join("\n"), 1_024) || "-";
}

function waitWords(waitMs: number): string {
  return waitMs < 1_000 ? "None" : `About ${Math.ceil(waitMs / 1000)} s`;
}
