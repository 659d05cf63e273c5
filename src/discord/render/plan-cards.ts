import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type { Button, Card, CardField, MessageBody } from "../../domain/message.ts";
import { forManyReason, type RunPlan } from "../../domain/run.ts";
import { TIER_NAMES } from "../../domain/tiers.ts";
import { BLOCKED_WORDS, type BlockedBy } from "./blocked-words.ts";
import { duration } from "./entry-line.ts";
import { cut, cutLines, escapeMarkdown, inlineCode, inlineName, plainText } from "./escape.ts";
import { planLine, planText } from "./hit-words.ts";
import { escapeButRoles, escapeButTimes } from "./own-markup.ts";
import { ageLine, profile } from "./server/view.ts";

/** How `/run` reads before anything is sent. Pure. */

export const RUN_COLORS = {
  ask: 0xe0a100,
  wait: 0x3b6fd4,
  done: 0x2d7d46,
  failed: 0xd83c3e,
  quiet: 0x80848e,
};

/** Of the players who are meant. */
const MOST_ON_LINES = 6;
/** Younger lists are as good as now. */
const WORTH_AN_AGE_MS = 10_000;

/** `dry`: everything that is known beforehand, and that nothing was sent; `blockedBy`: why no command runs there now. */
export function dryCard(plan: RunPlan, blockedBy?: BlockedBy): MessageBody {
  const { request, command, decision } = plan;
  const why = plan.confirmReasons.length === 0 ? md`Yes` : bullets(plan.confirmReasons);
  const asks = plan.confirm === "none" ? [] : [{ name: md`Asks you first`, value: why }];
  const undo =
    plan.inverse.length === 0
      ? md`Can't be undone`
      : cutLines(
          plan.inverse.map((text) => inlineCode(planText(plan, text), 900)),
          1_024,
        );
  const meant =
    plan.meant === undefined
      ? nearFields(plan.near.map(({ name }) => name))
      : [{ name: md`Did you mean`, value: inlineCode(planText(plan, plan.meant), 900) }];
  const card: Card = {
    title: md`🔎 Dry run: nothing was sent`,
    description: joined(
      [
        planLine(plan),
        "",
        md`**${mayWords(decision.allowed, blockedBy)}**`,
        ...(decision.allowed && blockedBy !== undefined ? [BLOCKED_WORDS[blockedBy]] : []),
        escapeButRoles(decision.why, request.actor.roleIds),
      ],
      "\n",
    ),
    color: decision.allowed ? RUN_COLORS.wait : RUN_COLORS.failed,
    fields: [
      ...meant,
      ...targetFields(plan),
      ...termFields(plan),
      ...warningFields(plan),
      { name: md`What it does`, value: effectOf(plan), inline: true },
      { name: md`Needs`, value: md`${TIER_NAMES[command.tier]}`, inline: true },
      // A person who may not run it is asked nothing.
      ...(decision.allowed ? [{ name: md`Wait`, value: waitWords(plan.expectedWaitMs), inline: true }] : []),
      ...(decision.allowed ? asks : []),
      ...(command.danger === "read" ? [] : [{ name: md`Undo`, value: undo }]),
    ],
  };
  return { cards: [card] };
}

function mayWords(isAllowed: boolean, blockedBy: BlockedBy | undefined): Escaped {
  if (!isAllowed) return md`⛔ You can't run this.`;
  return blockedBy === undefined ? md`✅ You can run this.` : md`⚠ You can run this, but not yet.`;
}

export interface ConfirmOptions {
  /** What was typed, where the plan is what was probably meant by it. */
  readonly typed?: RunPlan;
  /** The colon was left out. */
  readonly isGuess?: boolean;
  /** The same with the nearest names, each to be sent, or asked about, by a press. */
  readonly near?: readonly { readonly name: string; readonly plan: RunPlan }[];
  /** Another name than the server's was typed just now. */
  readonly isWrongName?: boolean;
}

/** Nothing is sent before the press. */
export function confirmCard(
  plan: RunPlan,
  { typed, isGuess, near = [], isWrongName }: ConfirmOptions = {},
): MessageBody {
  const lead =
    isWrongName === true ? [md`⛔ **That is not the server's name.** Type it as shown here.`, md``] : [];
  const isGuessed = typed !== undefined || isGuess === true;
  // Typed right it would have been sent at once, and it hurts nobody.
  const isHarmless = isGuessed && plan.confirm === "none" && isMild(plan);
  // The title says it already.
  const many = isGuessed ? undefined : forManyReason(plan);
  const own = plan.confirmReasons.filter((reason) => reason !== many);
  const reasons = [...(typed?.confirmReasons.slice(0, 1) ?? []), ...own];
  const why = reasons.length === 0 ? [] : [bullets([...new Set(reasons)]), md``];
  const card: Card = {
    title: isGuessed ? md`❔ Did you mean this?` : titleOf(plan),
    description: joined(
      [
        ...lead,
        planLine(plan),
        md``,
        ...why,
        isHarmless
          ? md`**Not sent yet.**`
          : md`**Not sent yet.** Expires <t:${Math.floor(plan.expiresAtMs / 1000)}:R>.`,
      ],
      "\n",
    ),
    color: RUN_COLORS.ask,
    fields: [
      ...nearFields(near.map(({ name }) => name)),
      ...targetFields(plan, "Who"),
      ...termFields(plan),
      ...warningFields(plan),
    ],
  };
  const go: Button = isHarmless ? { ...goButton(plan), style: "primary" } : goButton(plan);
  const nearby = near.map(
    (one): Button => ({
      kind: "button",
      style: "primary",
      label: cut(plainText(one.name), 60),
      id: `run-near:${one.plan.id}`,
    }),
  );
  const anyway =
    typed?.decision.allowed === true
      ? [{ ...goButton(typed), style: "secondary", label: `Send ${verbTyped(typed)} anyway` } as const]
      : [];
  return {
    cards: [card],
    rows: [[...nearby, go, ...anyway, button("Do not send", `run-drop:${plan.id}`)]],
  };
}

function isMild({ command: { danger } }: RunPlan): boolean {
  return danger === "mild" || danger === "read";
}

function nearFields(names: readonly string[]): CardField[] {
  return names.length === 0
    ? []
    : [
        {
          name: md`Did you mean`,
          value: joined(
            names.map((name) => md`**${inlineName(name)}**`),
            ", ",
          ),
        },
      ];
}

/** Words without a verb: each of the plans is one way to say them. */
export function sayCard(plans: readonly RunPlan[]): MessageBody {
  const card: Card = {
    title: md`❔ A command starts with a colon`,
    description: joined(
      [
        md`To say it to everyone:`,
        ...plans.map(({ request }) => inlineCode(request.text, 1_000)),
        md``,
        md`**Not sent yet.**`,
      ],
      "\n",
    ),
    color: RUN_COLORS.ask,
  };
  const ways = plans.map(
    (plan): Button => ({ ...goButton(plan), style: "primary", label: `Send ${verbTyped(plan)}` }),
  );
  const drops = plans.slice(0, 1).map(({ id }) => button("Do not send", `run-drop:${id}`));
  return { cards: [card], rows: [[...ways, ...drops]] };
}

function titleOf(plan: RunPlan): Escaped {
  if (plan.command.mass) return md`⚠ Send to EVERYONE?`;
  const count = playersIn(plan).length;
  if (count > 1) return md`⚠ Send to ${count} players?`;
  return matchesNobody(plan) ? md`⚠ Send it anyway?` : md`⚠ Send this?`;
}

function verbTyped({ command: { text } }: RunPlan): string {
  return cut(plainText(/^\S+/u.exec(text)?.[0] ?? ""), 60);
}

function goButton(plan: RunPlan): Button {
  if (plan.confirm === "name") {
    return { kind: "button", style: "danger", label: "Type the server's name", id: `run-name:${plan.id}` };
  }
  const id = `run-confirm:${plan.id}`;
  // From Marshal it does nothing in the game, so it is neither dangerous nor advised.
  if (plan.command.isInGameOnly === true)
    return { kind: "button", style: "secondary", label: "Send anyway", id };
  const label = matchesNobody(plan) ? "Send anyway" : "Send it";
  return { kind: "button", style: "danger", label, id };
}

function matchesNobody({ targets }: RunPlan): boolean {
  return targets.length > 0 && targets.every(({ players }) => players.length === 0);
}

function button(label: string, id: string): Button {
  return { kind: "button", style: "secondary", label, id };
}

/** "Moves the players to another player." */
function effectOf({ command: { does } }: RunPlan): Escaped {
  if (does === undefined) return md`Unknown to Marshal`;
  return escapeMarkdown(does.charAt(0).toUpperCase() + does.slice(1));
}

interface Named {
  readonly name: string;
  readonly staff: boolean;
}

/** Each player once, whatever names of theirs were typed. */
function playersIn({ targets }: RunPlan): readonly Named[] {
  const named = new Map<string, Named>();
  for (const { players, staff } of targets) {
    for (const player of players) {
      const { name, id } = player;
      named.set(`${name}:${id ?? ""}`, {
        name,
        staff: staff.some((one) => one.name === name && one.id === id),
      });
    }
  }
  return [...named.values()];
}

/** An owner of whom only the id is known stands as a link to their profile. */
function shownPlayer(name: string): Escaped {
  return /^\d{5,}$/.test(name) ? profile(Number(name), name) : inlineName(name);
}

/** Who is meant, by name, and how fresh that knowledge is. `heading`: instead of the number of those. */
function targetFields(plan: RunPlan, heading?: "Who"): CardField[] {
  const { command, playersSeen } = plan;
  if (command.targetTexts.length === 0) return [];
  const named = playersIn(plan);
  const shown = named
    .slice(0, 15)
    .map(({ name, staff }) => md`**${shownPlayer(name)}**${staff ? " · 🛡 staff" : ""}`);
  const more = named.length > shown.length ? [md`and ${named.length - shown.length} more`] : [];
  // One below the other they would fill a phone, and push the buttons out of sight.
  const people = shown.length > MOST_ON_LINES ? [joined([...shown, ...more], ", ")] : [...shown, ...more];
  // The reasons say it already.
  if (heading !== undefined && named.length === 0) return [];
  const lines = named.length === 0 ? [md`Nobody Marshal can see`] : people;
  const count = named.length === 1 ? "1 player" : md`${named.length} players`;
  const age =
    playersSeen === undefined || playersSeen.ageMs < WORTH_AN_AGE_MS
      ? md``
      : md`\n${ageLine(playersSeen.atMs)}`;
  return [
    { name: md`${heading ?? md`Names ${count}`}`, value: md`${cutLines(lines, 1_024 - age.length)}${age}` },
  ];
}

/** When Marshal lifts the ban. */
function termFields({ request: { term } }: RunPlan): CardField[] {
  if (term === undefined) return [];
  const when =
    "untilMs" in term
      ? md`<t:${Math.floor(term.untilMs / 1_000)}:f>`
      : md`${duration(term.lastsMs / 1_000)} after it is sent`;
  return [{ name: md`Ends`, value: md`${when}, by \`:unban\`` }];
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
