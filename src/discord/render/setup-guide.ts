import {
  channelMention,
  type Escaped,
  joined,
  markdownOfOurs,
  md,
  roleMention,
} from "../../domain/escaped.ts";
import { GUIDE_STEPS, type GuideStep } from "../../domain/guild.ts";
import type { Button, MessageBody, Row } from "../../domain/message.ts";
import { POSITION_DAYS } from "../../domain/track.ts";
import { alertLine } from "./alert-cards.ts";
import { HOW_TO_MEND, isShut } from "./channel-access.ts";
import { cut, plainText } from "./escape.ts";
import { ABOUT_POSITIONS, positionsSaid } from "./position-words.ts";
import { allowRows, allowText } from "./setup-guide-allow.ts";
import { LINK, linkedLine } from "./setup-guide-link.ts";
import { feedLine, logRows, logText, moreLogRows } from "./setup-guide-logs.ts";
import { button, type GuidePart, type GuideView, type Walk } from "./setup-guide-parts.ts";
import { ALERTS, CASES, NOTICES, PANEL, WEEKLY } from "./setup-guide-posts.ts";
import { staffRows, staffText } from "./setup-guide-staff.ts";
import { zoneRow, zoneText } from "./setup-guide-zone.ts";
import { HAD_COMMANDS } from "./setup-lines.ts";

/** The guided set-up: one message that shows what is done, and one step at a time. Pure. */

const STEP_COLOR = 0x3b6fd4;
const DONE_COLOR = 0x2d7d46;

const PARTS: Readonly<Record<Exclude<GuideStep, "done">, GuidePart>> = {
  link: LINK,
  staff: {
    title: md`Who may run commands`,
    short: "Roles",
    isDone: (view) => staffRoles(view).length > 0,
    text: staffText,
    rows: staffRows,
  },
  logs: {
    title: md`Which logs go where`,
    short: "Logs",
    isDone: ({ feeds }) => feeds.length > 0,
    channelIds: ({ feeds }) => feeds.map(({ channelId }) => channelId),
    text: logText,
    rows: (view, walk) => (view.more === true ? moreLogRows(view, walk) : logRows(view, walk)),
  },
  notices: NOTICES,
  allow: {
    title: md`Let Marshal run commands`,
    short: "Commands",
    isDone: ({ permission }) => permission.kind === "allowed",
    // A new key, and nothing was sent with it yet.
    isHalfDone: ({ permission, settings }) =>
      permission.kind === "unknown" && settings.guide?.hadCommands === true,
    isBroken: ({ permission }) => permission.kind === "refused",
    text: allowText,
    rows: allowRows,
  },
  zone: {
    title: md`Time zone`,
    short: "Time zone",
    isDone: ({ settings }) => settings.timeZone !== undefined,
    text: zoneText,
    rows: (view, walk) => [
      zoneRow(view),
      walk(button("Another zone", `guide-zone-form:${view.binding?.id ?? ""}`)),
    ],
  },
  cases: CASES,
  alerts: ALERTS,
  panel: PANEL,
  weekly: WEEKLY,
  positions: {
    title: md`Where players are`,
    short: "Positions",
    isDone: ({ positionDays }) => positionDays !== undefined && positionDays > 0,
    text: ({ positionDays }) => [positionsSaid(positionDays), ...ABOUT_POSITIONS],
    rows: ({ positionDays, binding }, walk) => {
      if (positionDays === undefined) return [walk()];
      const isOn = positionDays > 0;
      const press = button(
        isOn ? "Turn off and erase" : "Turn on",
        `guide-positions:${isOn ? 0 : POSITION_DAYS}:${binding?.id ?? ""}`,
      );
      return [walk(press)];
    },
  },
  test: {
    title: md`A test post`,
    short: "Test",
    isDone: ({ settings }) => settings.guide?.isTested === true,
    isHalfDone: ({ settings }) => settings.guide?.isTested === false,
    text: testText,
    rows: (view, walk) => {
      const label = view.settings.guide?.isTested === undefined ? "Post a test" : "Test again";
      const post = button(label, `guide-test:${view.binding?.id ?? ""}`, "primary");
      return [walk(...(isSilent(view) ? [] : [post]))];
    },
  },
};

/** The message of a step. Its buttons and selects carry the server's id. */
export function guideMessage(view: GuideView): MessageBody {
  const { step, note } = view;
  const number = GUIDE_STEPS.indexOf(step) + 1;
  const heading =
    step === "done" ? doneHeading(view) : md`Set up Marshal · ${number} of ${GUIDE_STEPS.length - 1}`;
  const said = step === "done" ? doneText(view) : [md`**${PARTS[step].title}**`, ...PARTS[step].text(view)];
  const parts: Escaped[] = [progress(view), md``, ...said];
  return {
    ...(note === undefined ? {} : { content: note }),
    cards: [
      {
        ...authorOf(view),
        title: heading,
        description: joined(parts, "\n"),
        color: step === "done" ? DONE_COLOR : STEP_COLOR,
      },
    ],
    rows: step === "done" ? doneRows(view) : [...PARTS[step].rows(view, walkOf(step, view))],
  };
}

function authorOf({ binding, isOneOfSeveral }: GuideView): { readonly author?: string } {
  return binding === undefined || !isOneOfSeveral ? {} : { author: cut(plainText(binding.name), 200) };
}

const STEPS_TO_DO = GUIDE_STEPS.filter((step) => step !== "done");

/** Done, done in part, skipped, here, still to come: by sign and place, never by colour alone. */
function progress(view: GuideView): Escaped {
  const marks = STEPS_TO_DO.map((step) => {
    // Kept together with its sign where a phone breaks the line.
    const name = markdownOfOurs(PARTS[step].short.replace(" ", "\u00a0"));
    if (step === view.step) return md`▶\u00a0**${name}**`;
    if (PARTS[step].isDone(view)) return md`${isShutOut(step, view) ? "⚠" : "✅"}\u00a0${name}`;
    if (PARTS[step].isHalfDone?.(view) === true) return md`⚠\u00a0${name}`;
    if (isSkipped(step, view)) return md`⏭\u00a0${name}`;
    return PARTS[step].isBroken?.(view) === true ? md`⚠\u00a0${name}` : md`▫\u00a0${name}`;
  });
  return joined(marks, " · ");
}

/** What the step set can't be posted, as Marshal lacks a permission there or the channel is gone. */
function isShutOut(step: Exclude<GuideStep, "done">, view: GuideView): boolean {
  return PARTS[step].channelIds?.(view).some((id) => isShut(view.accessOf(id))) ?? false;
}

/** Somebody pressed Skip there. What was set and is gone again, or was jumped over, was not skipped. */
function isSkipped(step: Exclude<GuideStep, "done">, { settings }: GuideView): boolean {
  return settings.guide?.skipped?.includes(step) === true;
}

/** What was skipped first and done since: it does not count as skipped if it is undone later. */
export function doneSince(view: GuideView): readonly GuideStep[] {
  return STEPS_TO_DO.filter((step) => isSkipped(step, view) && PARTS[step].isDone(view));
}

/** Back, what the step offers, and on: "Skip" where nothing was done here. */
function walkOf(step: Exclude<GuideStep, "done">, view: GuideView): Walk {
  const id = view.binding?.id ?? "";
  const at = GUIDE_STEPS.indexOf(step);
  const before = GUIDE_STEPS[at - 1];
  const after = GUIDE_STEPS[at + 1] ?? "done";
  const isDone = PARTS[step].isDone(view);
  const isOpen = !isDone && PARTS[step].isHalfDone?.(view) !== true;
  const label = isOpen ? "Skip" : after === "done" ? "Finish" : "Next";
  const onId = isOpen ? `guide-skip:${step}:${id}` : `guide:${after}:${id}`;
  const back: readonly Button[] = before === undefined ? [] : [button("Back", `guide:${before}:${id}`)];
  return (...between) => [...back, ...between, button(label, onId, isDone ? "primary" : "secondary")];
}

/** Nothing posts anything yet. */
function isSilent({ feeds, alerts }: GuideView): boolean {
  return feeds.length === 0 && alerts.length === 0;
}

function testText(view: GuideView): readonly Escaped[] {
  const { feeds, alerts, binding, accessOf } = view;
  const isMending = [...feeds, ...alerts].some(({ channelId }) => accessOf(channelId).kind === "missing");
  if (isSilent(view)) return [md`No log and no alert has a channel yet, so there is nothing to test.`];
  return [
    md`Marshal posts one test per log and alert, so you can see that they work.`,
    ...feeds.slice(0, 10).map((feed) => feedLine(feed, accessOf(feed.channelId))),
    ...alerts.slice(0, 5).map((alert) => {
      const sign = isShut(accessOf(alert.channelId)) ? "⚠" : "✅";
      return md`${sign} ${alertLine(alert, binding === undefined ? [] : [binding])}`;
    }),
    ...(isMending ? [HOW_TO_MEND] : []),
  ];
}

function staffRoles({ binding, settings }: GuideView): readonly string[] {
  return Object.keys(settings.policies[binding?.id ?? ""]?.roleTiers ?? {});
}

/** Nothing is left to do. */
function isAllDone(view: GuideView): boolean {
  return STEPS_TO_DO.every((step) => PARTS[step].isDone(view) || PARTS[step].isHalfDone?.(view) === true);
}

/** Commands are refused, and nobody chose to do without them. */
function isAllowMissing(view: GuideView): boolean {
  return PARTS.allow.isBroken?.(view) === true && !isSkipped("allow", view);
}

/** What this person can do now, not what somebody could. */
function doneHeading(view: GuideView): Escaped {
  if (view.isKeyRefused === true) return md`⚠ Set up, but the server key is wrong or expired`;
  if (isAllowMissing(view)) return md`⚠ Set up, but Marshal can't run commands`;
  return STEPS_TO_DO.some((step) => isShutOut(step, view))
    ? md`⚠ Set up, but not everything can be posted`
    : isAllDone(view)
      ? md`🎉 All set`
      : md`✅ Done for now`;
}

/** What can't be posted, and where to mend it. */
function shutOutLines(view: GuideView): readonly Escaped[] {
  const steps = STEPS_TO_DO.filter((step) => isShutOut(step, view));
  if (steps.length === 0) return [];
  const ids = new Set(steps.flatMap((step) => PARTS[step].channelIds?.(view) ?? []));
  const shut = [...ids].filter((id) => isShut(view.accessOf(id)));
  const names = steps.map((step) => md`**${markdownOfOurs(PARTS[step].short)}**`);
  return [
    md`⚠ I can't post in ${joined(shut.slice(0, 10).map(channelMention), " ")}: press ${joined(names, ", ")}.`,
  ];
}

function doneText(view: GuideView): readonly Escaped[] {
  const { binding, feeds, mayRun, permission, isKeyRefused } = view;
  const isSure = isKeyRefused !== true;
  const roles = staffRoles(view);
  const open = feeds.filter(({ channelId }) => !isShut(view.accessOf(channelId))).length;
  return [
    ...(isSure ? [] : [md`⛔ The server key is wrong or expired: press **Server**.`]),
    ...(binding === undefined || !isSure ? [] : [linkedLine(binding)]),
    roles.length === 0
      ? md`⚠ No role can run commands yet: press **Roles**.`
      : md`Staff: ${joined(roles.slice(0, 10).map(roleMention), " ")}`,
    ...(feeds.length === 0 ? [md`No logs are posted yet: press **Logs**.`] : []),
    ...(open === 0
      ? []
      : [open === 1 ? md`1 log is posted from now on.` : md`${open} logs are posted from now on.`]),
    ...shutOutLines(view),
    ...(isSure ? ownersLines(view) : []),
    ...(view.settings.guide?.isTested === false
      ? [md`⚠ The test did not arrive everywhere: press **Test** to post it again.`]
      : []),
    ...legend(view),
    md``,
    md`**What you can do now**`,
    md`• \`/server status\` shows the server`,
    ...(isSure && mayRun && permission.kind !== "refused"
      ? [md`• \`/run command\` runs a command in the game`]
      : []),
    md`• \`/diagnose\` says what is wrong if a log stops`,
    md`• \`/help\` lists the rest`,
  ];
}

/** What the signs of undone steps mean. */
function legend(view: GuideView): readonly Escaped[] {
  const open = STEPS_TO_DO.filter(
    (step) => !PARTS[step].isDone(view) && PARTS[step].isHalfDone?.(view) !== true,
  );
  const isAnySkipped = open.some((step) => isSkipped(step, view));
  const isAnyLeft = open.some((step) => !isSkipped(step, view) && PARTS[step].isBroken?.(view) !== true);
  if (isAnySkipped && isAnyLeft) {
    return [md`⏭ marks what you skipped, ▫ what is still to do. Press a button to do it now.`];
  }
  if (isAnySkipped) return [md`⏭ marks what you skipped. Press a button to do it now.`];
  return isAnyLeft ? [md`▫ marks what is still to do. Press a button to do it now.`] : [];
}

/** What is missing for commands; nothing where Marshal has run one. */
function ownersLines({ permission, settings }: GuideView): readonly Escaped[] {
  switch (permission.kind) {
    case "allowed":
      return [];
    case "refused":
      return [md`⛔ The owner does not let Marshal run commands: press **Commands**.`];
    case "unknown":
      if (settings.guide?.hadCommands === true) return [HAD_COMMANDS];
      return [md`❔ Not known yet whether the owner lets Marshal run commands: press **Commands**.`];
  }
}

/** A button for each step. */
function doneRows({ binding }: GuideView): readonly Row[] {
  const buttons = STEPS_TO_DO.map((step) => button(PARTS[step].short, `guide:${step}:${binding?.id ?? ""}`));
  // So many that no row of a phone breaks.
  return [buttons.slice(0, 4), buttons.slice(4, 8), buttons.slice(8)];
}
