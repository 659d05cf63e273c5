import {
  channelMention,
  type Escaped,
  joined,
  markdownOfOurs,
  md,
  roleMention,
  userMention,
} from "../../domain/escaped.ts";
import type { Button, MessageBody, Row } from "../../domain/message.ts";
import type { RuleRenderer } from "../../domain/ports/rule-renderer.ts";
import type { RulesView, RuleTest, RuleView } from "../../domain/ports/rules.ts";
import {
  RECORD_NEEDED_MS,
  RULE_STEPS,
  type Rule,
  type RuleEvent,
  type RulePause,
  recordedMs,
} from "../../domain/rule.ts";
import { cutLines, escapeMarkdown, inlineName, plainText } from "./escape.ts";
import { lasting } from "./stats/stats-words.ts";

/** How rules read. Pure. */

const COLOR = 0x3b6fd4;
const BROKEN_COLOR = 0xd9822b;
const LONGEST_LIST = 4_000;
const MOST_SHOWN = 15;

/** "Team Police", "A callsign beginning with 1A". Plain text. */
export function ruleAbout({ kind, what }: Pick<Rule, "kind" | "what">): string {
  switch (kind) {
    case "team":
      return `Team ${what}`;
    case "vehicle":
      return `Vehicle ${what}`;
    case "callsign":
      return `Callsign ${what}…`;
    case "name":
      return "Names that a command would read as all, others, me or a number";
    default:
      return kind satisfies never;
  }
}

/** In one line of plain text, for choices and the audit. */
export function ruleText(rule: Rule): string {
  return plainText(`${rule.number}. ${ruleAbout(rule)}`);
}

function orOf(roleIds: readonly string[]): Escaped {
  const [first = md``, ...others] = roleIds.map((id) => roleMention(id));
  return others.reduce((all, one) => md`${all} or ${one}`, first);
}

function needs({ kind, roleIds }: Rule): Escaped {
  return kind === "name" ? md`` : md` needs ${orOf(roleIds)}`;
}

const pauseButton: Button = {
  kind: "button",
  style: "secondary",
  label: "Pause all rules",
  id: "rule-pause",
};
const resumeButton: Button = { kind: "button", style: "primary", label: "Resume rules", id: "rule-resume" };

const confirmButton = (link: string): Button => {
  return { kind: "button", style: "primary", label: "Confirm the link", id: `me-confirm:${link}` };
};

function unconfirmed({ step }: Rule, by: string | undefined): Escaped {
  return by === undefined || step === undefined
    ? md``
    : md`\n**No :${step.kind} yet:** ${userMention(by)} linked them. Another Manager has to confirm that it is them.`;
}

export const ruleRenderer: RuleRenderer = {
  breach({ rule, serverName, player, userId, lastsMs, breachId, unconfirmedBy }) {
    const who =
      userId === undefined
        ? md`**${inlineName(player.name)}**`
        : md`**${inlineName(player.name)}** (${userMention(userId)})`;
    return {
      cards: [
        {
          title: md`${inlineName(player.name)}: ${breachWords(rule)}`,
          description: md`${who} on ${inlineName(serverName)}, for at least ${atLeast(lastsMs)}.\nRule ${rule.number}: ${escapeMarkdown(ruleAbout(rule))}${needs(rule)}.${unconfirmed(rule, unconfirmedBy)}`,
          color: BROKEN_COLOR,
        },
      ],
      rows: [
        [
          ...(unconfirmedBy === undefined ? [] : [confirmButton(`${userId ?? ""}/${player.id}`)]),
          { ...pauseButton, id: `${pauseButton.id}:${breachId}` },
        ],
      ],
    };
  },
  held: (rule, why) => ({
    content: md`⏸ Rule ${rule.number} (${escapeMarkdown(ruleAbout(rule))}) only tells staff from now on. ${markdownOfOurs(why)}`,
    rows: [[pauseButton]],
  }),
  toPlayer: ({ kind, what }) => {
    const about = {
      team: `team ${what}`,
      vehicle: `the ${what}`,
      callsign: `callsigns like ${what}`,
      name: "that name",
    };
    return `You need a role in our Discord for ${about[kind]}. Please change it. Staff can help.`;
  },
};

/** Cut to whole minutes from a minute on: more was not seen. */
function atLeast(ms: number): Escaped {
  const seconds = Math.floor(ms / 1_000);
  return lasting(seconds < 60 ? seconds : seconds - (seconds % 60));
}

function breachWords({ kind, what }: Rule): Escaped {
  switch (kind) {
    case "team":
      return md`on team ${escapeMarkdown(what)} without the role`;
    case "vehicle":
      return md`spawned a ${escapeMarkdown(what)} without the role`;
    case "callsign":
      return md`callsign ${escapeMarkdown(what)}… without the role`;
    case "name":
      return md`a name that commands read as something else`;
    default:
      return kind satisfies never;
  }
}

const STEP_WORDS = { pm: "sends one :pm", load: "runs :load once", kick: "runs :kick once" } as const;

function stepWords({ step, heldWhy }: Rule): Escaped {
  if (step !== undefined)
    return md`Tells staff and ${STEP_WORDS[step.kind]}, turned on by ${userMention(step.byId)}`;
  return heldWhy === undefined ? md`Only tells staff` : md`Only tells staff: ${markdownOfOurs(heldWhy)}`;
}

function pauseLine({ byId, atMs }: RulePause): Escaped {
  return md`⏸ **All rules are paused.** ${userMention(byId)} paused them <t:${Math.floor(atMs / 1_000)}:R>. Staff are not told, and nothing is done.`;
}

function viewLines({ rule, record, onlyTells }: RuleView): Escaped {
  const counts = countWords(record);
  const warning = onlyTells === undefined ? md`` : md`\n⚠ ${escapeMarkdown(onlyTells)}`;
  return md`**${rule.number}.** ${escapeMarkdown(ruleAbout(rule))}${needs(rule)} → ${channelMention(rule.channelId)}\n${stepWords(rule)}\n-# ${counts}${warning}`;
}

/** How often it said or did something; what never happened goes without saying. */
function countWords({ told, would, sent, unsure = 0, dropped }: RuleView["record"]): Escaped {
  const times = (count: number) => (count === 1 ? md`once` : md`${count} times`);
  const parts = [
    ...(told === 0 ? [] : [md`Staff told ${times(told)}`]),
    ...(would === 0 ? [] : [md`would have acted ${times(would)}`]),
    ...(sent === unsure ? [] : [md`acted ${times(sent - unsure)}`]),
    ...(unsure === 0 ? [] : [md`may have acted ${times(unsure)}`]),
    ...(dropped === 0 ? [] : [md`held back ${times(dropped)}`]),
  ];
  return parts.length === 0 ? md`Nobody has broken it yet` : joined(parts, " · ");
}

export function ruleList(
  { rules, pause }: RulesView,
  serverNameOf: (bindingId: string) => string,
): MessageBody {
  if (rules.length === 0) return { content: md`There are no rules. Add one with /rule add.` };
  const servers = new Set(rules.map(({ rule }) => rule.bindingId));
  const lines = rules.map((view) =>
    servers.size === 1
      ? viewLines(view)
      : md`${viewLines(view)}\n-# ${inlineName(serverNameOf(view.rule.bindingId))}`,
  );
  const all = pause === undefined ? lines : [pauseLine(pause), ...lines];
  return {
    cards: [{ title: md`Rules`, description: cutLines(all, LONGEST_LIST), color: COLOR }],
    rows: [[pause === undefined ? pauseButton : resumeButton]],
  };
}

export function rulePaused({ pause }: RulesView): MessageBody {
  return {
    content: pause === undefined ? md`▶ Rules are running again.` : pauseLine(pause),
    rows: [[pause === undefined ? pauseButton : resumeButton]],
  };
}

/** `hints`: what to look at, such as a team that is not usual. */
export function ruleAdded(view: RuleView, hints: readonly Escaped[]): MessageBody {
  const more = view.rule.kind === "name" ? md`` : md`, and can turn on more`;
  return {
    content: md`✅ ${viewLines(view)}\n/rule test shows who breaks it now${more}.${hints.length === 0 ? "" : md`\n${joined(hints, "\n")}`}`,
  };
}

export function ruleTest(test: RuleTest, nowMs: number): MessageBody {
  const { rule, known, breakers, record, pause } = test;
  const lines: Escaped[] = [viewLines(test)];
  const ago = (ageMs: number) => md`<t:${Math.floor((nowMs - ageMs) / 1_000)}:R>`;
  if (pause !== undefined) lines.unshift(pauseLine(pause));
  lines.push(
    known === undefined
      ? md`Marshal has not read this server for this rule yet. Try again in a minute.`
      : md`${checkedWords(rule, known)} Seen ${ago(known.ageMs)}.`,
  );
  const now = breakers.filter(({ lacksRole }) => lacksRole);
  lines.push(now.length === 0 ? md`**Nobody breaks it right now.**` : md`**Breaking it right now:**`);
  for (const { player, userId, rolesAgeMs, unconfirmedBy, waitsMs } of now.slice(0, MOST_SHOWN)) {
    const age = rolesAgeMs === undefined ? md`` : md`, roles read ${ago(rolesAgeMs)}`;
    const who = userId === undefined ? md`` : md` (${userMention(userId)})`;
    const word = unconfirmedBy === undefined ? md`` : md`, linked only by ${userMention(unconfirmedBy)}`;
    const wait = waitsMs === undefined ? md`` : waitWords(rule, Math.ceil((nowMs + waitsMs) / 1_000));
    lines.push(md`- ${inlineName(player.name)}${who}${age}${word}${wait}`);
  }
  if (now.length > MOST_SHOWN) lines.push(md`- and ${now.length - MOST_SHOWN} more`);
  const unread = breakers.filter(
    ({ rolesAgeMs, userId }) => userId !== undefined && rolesAgeMs === undefined,
  );
  if (unread.length > 0) lines.push(md`Marshal could not read the roles of ${unread.length} more.`);
  const events = record.events.filter(({ what }) => what !== "told").toReversed();
  if (events.length > 0)
    lines.push(md`**What it did, or would have done:**`, ...events.slice(0, MOST_SHOWN).map(eventLine));
  return {
    cards: [{ title: md`Rule ${rule.number}`, description: cutLines(lines, LONGEST_LIST), color: COLOR }],
    rows: [
      stepButtons(rule, recordedMs(rule, pause, nowMs)),
      [pause === undefined ? pauseButton : resumeButton],
    ].filter((row): row is Row & readonly Button[] => row.length > 0),
  };
}

function checkedWords({ kind }: Rule, { linked, present }: NonNullable<RuleTest["known"]>): Escaped {
  return kind === "name"
    ? md`All ${present} players are checked.`
    : md`${linked} of ${present} players have linked their account: only they are checked.`;
}

function waitWords({ step }: Rule, untilS: number): Escaped {
  const acts = step === undefined ? md`` : md` and :${step.kind} runs`;
  return md`, broke it again: staff are told${acts} <t:${untilS}:R>`;
}

function eventLine({ atMs, player, what, why, isUnsure }: RuleEvent): Escaped {
  const acted = isUnsure === true ? md`may have acted, no answer came` : md`acted`;
  const words = { told: md`told`, would: md`would have acted`, sent: acted, dropped: md`held back` }[what];
  const because = why === undefined ? md`` : md`: ${escapeMarkdown(why)}`;
  return md`- <t:${Math.floor(atMs / 1_000)}:R> ${inlineName(player.name)}: ${words}${because}`;
}

/** One press each turns on what is done beyond telling; what is on can be turned off. */
function stepButtons({ kind, number, step }: Rule, watchedMs: number): readonly Button[] {
  if (kind === "name") return [];
  const hasRecord = watchedMs >= RECORD_NEEDED_MS;
  const labels = { pm: "Also send one :pm", load: "Also run :load", kick: "Also run :kick" };
  const on = RULE_STEPS.filter((one) => one !== step?.kind).map(
    (one): Button => ({
      kind: "button",
      style: one === "pm" ? "secondary" : "danger",
      label: one === "pm" || hasRecord ? labels[one] : `${labels[one]} (after a week)`,
      id: `rule-step:${number}:${one}`,
      disabled: one !== "pm" && !hasRecord,
    }),
  );
  const off: Button = {
    kind: "button",
    style: "success",
    label: "Only tell staff",
    id: `rule-step:${number}:off`,
  };
  return step === undefined ? on : [...on, off];
}
