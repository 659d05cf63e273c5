import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type { FailureCode } from "../../domain/failure.ts";
import type { Button, Card, CardField, MessageBody, Row } from "../../domain/message.ts";
import type { DeferredRun, RunPlan, RunProgress, RunRecord } from "../../domain/run.ts";
import { refusalWords, tierLabels } from "./audit-rows.ts";
import { referenceLine } from "./errors.ts";
import { cut, cutLines, escapeMarkdown, inlineCode, inlineName } from "./escape.ts";
import { escapeButRoles, escapeButTimes } from "./own-markup.ts";

/** How `/run` reads: what will happen, whether it happened, and what to press (design 7). Pure. */

const colors = { ask: 0xe0a100, wait: 0x3b6fd4, done: 0x2d7d46, failed: 0xd83c3e, quiet: 0x80848e };

/** The exact text, alone on its line, and where it goes. */
function commandLine(text: string, serverName: string): Escaped {
  return md`${inlineCode(text, 1_000)}\non **${inlineName(serverName)}**`;
}

/** `dry`: everything that is known beforehand, and that nothing was sent. */
export function dryCard(plan: RunPlan): MessageBody {
  const { request, command, decision } = plan;
  const asks =
    plan.confirm === "none" ? [] : [{ name: md`Would ask you first`, value: bullets(plan.confirmReasons) }];
  const undo = plan.inverse === undefined ? md`No command undoes it` : inlineCode(plan.inverse, 900);
  const card: Card = {
    title: md`🔎 Dry run: nothing was sent`,
    description: joined(
      [
        commandLine(request.text, request.binding.name),
        "",
        md`**${decision.allowed ? "✅ You may run this." : "⛔ You may not run this."}**`,
        escapeButRoles(decision.why, request.actor.roleIds),
      ],
      "\n",
    ),
    color: decision.allowed ? colors.wait : colors.failed,
    fields: [
      ...targetFields(plan),
      ...warningFields(plan),
      { name: md`What it does`, value: effectOf(plan), inline: true },
      { name: md`Needs`, value: md`${tierLabels[command.tier]}`, inline: true },
      // Whoever may not run it waits for nothing and is asked nothing.
      ...(decision.allowed ? [{ name: md`Wait`, value: waitWords(plan.expectedWaitMs), inline: true }] : []),
      ...(decision.allowed ? asks : []),
      ...(command.danger === "read" ? [] : [{ name: md`Undo`, value: undo }]),
    ],
  };
  return { cards: [card] };
}

/** Nothing is sent before the press. */
export function confirmCard(plan: RunPlan): MessageBody {
  const { request, command } = plan;
  const hit = playersHit(plan).length;
  const whom = command.mass ? "to EVERYONE" : hit > 1 ? md`to ${hit} players` : "this";
  const card: Card = {
    title: md`⚠ Send ${whom}?`,
    description: joined(
      [
        commandLine(request.text, request.binding.name),
        "",
        bullets(plan.confirmReasons),
        "",
        md`**Nothing is sent yet.** Expires <t:${Math.floor(plan.expiresAtMs / 1000)}:R>.`,
      ],
      "\n",
    ),
    color: colors.ask,
    fields: [...targetFields(plan, "Who"), ...warningFields(plan)],
  };
  const go: Button =
    plan.confirm === "name"
      ? { kind: "button", style: "danger", label: "Type the server's name", id: `run-name:${plan.id}` }
      : { kind: "button", style: "danger", label: "Send it", id: `run-confirm:${plan.id}` };
  return { cards: [card], rows: [[go, button("Do not send", `run-drop:${plan.id}`)]] };
}

export function droppedCard(dropped: boolean): MessageBody {
  return dropped
    ? { cards: [{ title: md`⚪ Not sent`, description: md`Nothing was sent.`, color: colors.quiet }] }
    : {
        cards: [
          {
            title: md`⚪ Too late to drop`,
            description: md`It was answered already, or its time was over. \`/run queue\` and \`/run history\` tell which.`,
            color: colors.quiet,
          },
        ],
      };
}

/** While it waits: its place and when it is sent, if all goes well. */
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
        sending ? "The game has not answered yet." : md`${where}, to be sent <t:${atS}:R>.`,
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
}

/** What came of it, in the order of design 7; from the audit row alone, so that it can be shown again later. */
export function outcomeCard(record: RunRecord, options: OutcomeOptions = {}): MessageBody {
  const { title, color, next } = wordsFor(record);
  const lines: Escaped[] = [
    commandLine(record.text, record.serverName),
    md``,
    ...ranLines(record),
    ...whyLines(record),
  ];
  const proof = proofWords(record);
  if (proof !== undefined) lines.push(md`**In the game's log:** ${proof}`);
  if (next !== undefined) lines.push(md`**Next:** ${next}`);
  if (options.retryAtMs !== undefined) lines.push(md`**When:** <t:${Math.ceil(options.retryAtMs / 1000)}:R>`);
  lines.push(referenceLine(record.id, record.commandId));
  const buttons = outcomeButtons(record, options);
  const rows: Row[] = buttons.length === 0 ? [] : [buttons];
  return { cards: [{ title, description: joined(lines, "\n"), color }], rows };
}

interface Words {
  readonly title: Escaped;
  readonly color: number;
  readonly next?: Escaped;
}

const failures = {
  "not-linked": ["The server was unlinked", "Someone with Manage Server links it again with `/setup link`."],
  "queue-full": ["Too many commands are waiting", "Wait until some have run; `/run queue` shows them."],
  denied: ["You may not run this", "Ask whoever manages this Discord server; `/staff check` shows them why."],
  "bad-command": ["The game refused the command", "Correct it and send it with `/run command`."],
  "key-rejected": [
    "The game service no longer accepts the server key",
    "The owner copies the current key, and someone links it with `/setup link`.",
  ],
  "not-authorised": [
    "The owner has not allowed this bot to run commands",
    "The owner authorises it in the game's API settings. Reading the server still works.",
  ],
  "read-refused": [
    "The game service does not let this bot read the server",
    "The owner looks at the game's API settings.",
  ],
  "server-empty": ["Nobody is in the server", "Run it again when someone has joined."],
  "rate-limited": ["The game service asks us to wait", "Run it again then."],
  blocked: ["The game service blocks this bot for a while", "Run it again then; the operator was told."],
  platform: ["The game platform did not answer", "Try again in a minute."],
  unreachable: ["The game service could not be reached", "Try again in a minute."],
  "bad-response": ["The answer could not be read", "Tell the operator of this bot the reference."],
} as const satisfies Readonly<
  Record<
    FailureCode extends "expired" ? never : Exclude<FailureCode, "expired" | "busy">,
    readonly [what: string, next: string]
  >
>;

function wordsFor({ status, failureCode, proof, interrupted }: RunRecord): Words {
  if (status === "done") return { title: md`✅ It ran`, color: colors.done };
  if (status === "unknown") {
    const why = interrupted === true ? ": Marshal was stopped while it was being sent" : "";
    return { title: md`❔ It may have run${why}`, color: colors.ask, next: nextOfUnknown[proof] };
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
    ? failures[failureCode]
    : (["It did not run", "Ask again."] as const);
  return { title: md`⛔ ${what}`, color: colors.failed, next: md`${next}` };
}

const nextOfUnknown = {
  unchecked: md`**Do not repeat it yet.** Look in the game, or check the log here in a moment.`,
  seen: md`**Do not repeat it:** the log speaks for it having run.`,
  "seen-twice": md`**Do not repeat it:** the log speaks for it having run.`,
  "not-seen": md`Look in the game. Run it again only if nothing has happened there.`,
} as const satisfies Readonly<Record<RunRecord["proof"], Escaped>>;

function isCode(code: string | undefined): code is keyof typeof failures {
  return code !== undefined && Object.hasOwn(failures, code);
}

/** Where the title says that it ran, no line repeats it. */
function ranLines({ ran, status }: RunRecord): Escaped[] {
  if (status === "done") return [];
  if (ran === "yes") return [md`**Did it run?** Yes.`];
  if (ran === "unknown") {
    return [md`**Did it run?** Unknown: it was sent, and no clear answer came. Marshal does not repeat it.`];
  }
  return [md`**Did it run?** No${status === "failed" ? "." : ", it was never sent."}`];
}

/** The game's usual answer to a command is the bare word "Success" (design 3): the title has said so. */
function whyLines({ message, status, actorRoleIds }: RunRecord): Escaped[] {
  if (message === undefined || message === "") return [];
  if (status !== "done") return [md`**Why:** ${refusalWords(message, status, actorRoleIds)}`];
  return /^success\W*$/i.test(message) ? [] : [md`**The game says:** ${escapeMarkdown(cut(message, 800))}`];
}

/** Another program may have sent the same text: a match is consistent with the log, no proof of more (design 6). */
function proofWords({ proof, ran, status }: RunRecord): Escaped | undefined {
  if (proof === "seen") return md`there once, at that time, which is consistent with it having run.`;
  if (proof === "seen-twice") return md`⚠ there **twice**; another program may have sent it too.`;
  if (proof === "not-seen") return md`⚠ **not there**, although the log covers that time.`;
  return status === "unknown" || ran === "unknown" ? md`not looked up yet.` : undefined;
}

/** Pressing again would meet the same refusal: something must be put right before. */
const needsMending: ReadonlySet<string> = new Set([
  "not-linked",
  "bad-command",
  "key-rejected",
  "not-authorised",
]);

function outcomeButtons(record: RunRecord, { mayDefer }: OutcomeOptions): Button[] {
  const { id, status, failureCode, inverse, proof } = record;
  const buttons: Button[] = [];
  if (failureCode === "server-empty" && mayDefer === true) {
    buttons.push({
      kind: "button",
      style: "primary",
      label: "Run when someone joins",
      id: `run-defer:${id}`,
    });
  }
  if (status === "unknown" && proof !== "seen" && proof !== "seen-twice") {
    buttons.push({ kind: "button", style: "primary", label: "Check the log", id: `run-check:${id}` });
  }
  if (status === "done" && inverse !== undefined) buttons.push(button("Undo", `run-undo:${id}`));
  const again = status === "done" || status === "unknown" || status === "expired" || status === "failed";
  if (again && !(status === "failed" && needsMending.has(failureCode ?? "")))
    buttons.push(button("Run again", `run-again:${id}`));
  if (status === "done" && proof === "unchecked") buttons.push(button("Check the log", `run-check:${id}`));
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
        "**Did it run?** No, it was never sent.",
        "**Why:** It waited an hour for someone to join.",
        "**Next:** Ask again if it still matters.",
        referenceLine(id),
      ],
      "\n",
    ),
    color: colors.quiet,
  };
  return { cards: [card] };
}

function effectOf({ command }: RunPlan): Escaped {
  if (!command.known) return md`Unknown to Marshal`;
  return {
    read: md`Shows something only`,
    mild: md`Harmless`,
    serious: md`Hits people`,
    severe: md`Hard to take back`,
  }[command.danger];
}

interface Hit {
  readonly name: string;
  readonly id?: number;
  readonly staff: boolean;
}

/** Each player once, whatever names of theirs were typed. */
function playersHit({ targets }: RunPlan): readonly Hit[] {
  const hit = new Map<string, Hit>();
  for (const { players, staff } of targets) {
    // Of several players it is not known which of them is staff.
    for (const player of players) {
      hit.set(`${player.name}:${player.id ?? ""}`, { ...player, staff: staff && players.length === 1 });
    }
  }
  return [...hit.values()];
}

/** Who is hit, by name and id, and how fresh that knowledge is. `heading`: instead of the number of those. */
function targetFields(plan: RunPlan, heading?: "Who"): CardField[] {
  const { targets, command, playersAgeMs } = plan;
  if (command.targetTexts.length === 0) return [];
  const hit = playersHit(plan);
  const shown = hit.slice(0, 15).map(({ name, id, staff }) => {
    const number = id === undefined ? "" : md` ${inlineCode(String(id))}`;
    return md`**${inlineName(name)}**${number}${staff ? " · 🛡 staff" : ""}`;
  });
  const more = hit.length > shown.length ? [md`and ${hit.length - shown.length} more`] : [];
  const among = targets.some(({ staff, players }) => staff && players.length > 1);
  const staff = among ? [md`🛡 Staff of the server are among them`] : [];
  const lines = hit.length === 0 ? [md`Nobody who is known to be there`] : [...shown, ...more, ...staff];
  const count = hit.length === 1 ? "1 player" : md`${hit.length} players`;
  const age = playersAgeMs === undefined ? "" : md`, as seen ${Math.round(playersAgeMs / 1000)} s ago`;
  return [{ name: md`${heading ?? md`Hits ${count}`}${age}`, value: cutLines(lines, 1_024) }];
}

function warningFields({ warnings }: RunPlan): CardField[] {
  return warnings.length === 0 ? [] : [{ name: md`⚠ Watch out`, value: bullets(warnings) }];
}

function bullets(lines: readonly string[]): Escaped {
  return lines.length === 0
    ? md`-`
    : cutLines(
        lines.map((line) => md`• ${escapeButTimes(line)}`),
        1_024,
      );
}

function waitWords(waitMs: number): Escaped {
  return waitMs < 1_000 ? md`None` : md`About ${Math.ceil(waitMs / 1000)} s`;
}
