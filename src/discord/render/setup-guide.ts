import { type Escaped, joined, markdownOfOurs, md, roleMention } from "../../domain/escaped.ts";
import { type Binding, GUIDE_STEPS, type GuideStep } from "../../domain/guild.ts";
import type { Button, MessageBody, Row } from "../../domain/message.ts";
import type { TypedTries } from "../../domain/ports/service-client.ts";
import { channelLine } from "./channel-access.ts";
import { cut, inlineCode, inlineName, plainText } from "./escape.ts";
import { allowRows, allowText } from "./setup-guide-allow.ts";
import { feedLine, logRows, logText, moreLogRows } from "./setup-guide-logs.ts";
import { button, type GuideView } from "./setup-guide-parts.ts";
import { staffRows, staffText } from "./setup-guide-staff.ts";
import { zoneRow, zoneText } from "./setup-guide-zone.ts";

/** The guided set-up: one message that shows what is done, and one step at a time. Pure. */

const STEP_COLOR = 0x3b6fd4;
const DONE_COLOR = 0x2d7d46;

const TITLES = {
  link: "Link your game server",
  staff: "Who may run commands",
  logs: "Which logs go where",
  notices: "Where notices go",
  allow: "Let Marshal run commands",
  zone: "Time zone",
  test: "A test post",
  done: "Done",
} as const satisfies Record<GuideStep, string>;

/** The message of a step. Its buttons and selects carry the server's id. */
export function guideMessage(view: GuideView): MessageBody {
  const { step, note } = view;
  const number = GUIDE_STEPS.indexOf(step) + 1;
  const heading =
    step === "done" ? md`🎉 All set` : md`Set up Marshal · ${number} of ${GUIDE_STEPS.length - 1}`;
  const title = step === "done" ? [] : [md`**${TITLES[step]}**`];
  const parts: Escaped[] = [progress(view), md``, ...title, ...textOf(view)];
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
    rows: [...rowsOf(view)],
  };
}

function authorOf({ binding, isOneOfSeveral }: GuideView): { readonly author?: string } {
  return binding === undefined || !isOneOfSeveral ? {} : { author: cut(plainText(binding.name), 200) };
}

/** Done, skipped, here, still to come: by sign and place, never by colour alone. */
function progress(view: GuideView): Escaped {
  const marks = GUIDE_STEPS.filter((step) => step !== "done").map((step) => {
    // Kept together with its sign where a phone breaks the line.
    const name = markdownOfOurs(SHORT_TITLES[step].replace(" ", "\u00a0"));
    if (step === view.step) return md`▶\u00a0**${name}**`;
    if (isDone(step, view)) return md`✅\u00a0${name}`;
    return isPast(step, view) ? md`⏭\u00a0${name}` : md`▫\u00a0${name}`;
  });
  return joined(marks, " · ");
}

const SHORT_TITLES = {
  link: "Server",
  staff: "Roles",
  logs: "Logs",
  notices: "Notices",
  allow: "Commands",
  zone: "Time zone",
  test: "Test",
} as const;

/** Left behind undone: skipped. */
function isPast(step: GuideStep, view: GuideView): boolean {
  return GUIDE_STEPS.indexOf(view.step) > GUIDE_STEPS.indexOf(step);
}

function isDone(step: Exclude<GuideStep, "done">, view: GuideView): boolean {
  const { binding, settings, feeds } = view;
  switch (step) {
    case "link":
      return binding !== undefined;
    case "staff":
      return Object.keys(settings.policies[binding?.id ?? ""]?.roleTiers ?? {}).length > 0;
    case "logs":
      return feeds.length > 0;
    case "notices":
      return settings.noticeChannelId !== undefined;
    case "allow":
      return view.permission.kind === "allowed";
    case "zone":
      return settings.timeZone !== undefined;
    case "test":
      return view.step === "done";
  }
}

function textOf(view: GuideView): readonly Escaped[] {
  const { step, settings } = view;
  switch (step) {
    case "link":
      return linkText(view);
    case "staff":
      return staffText(view);
    case "logs":
      return logText(view);
    case "notices":
      return [
        md`Marshal tells your staff when a key stops working, the game service blocks it, or a log stops. Without a channel, whoever linked the server gets a direct message.`,
        ...(settings.noticeChannelId === undefined
          ? []
          : [channelLine(md`Notices`, settings.noticeChannelId, view.accessOf(settings.noticeChannelId))]),
      ];
    case "allow":
      return allowText(view);
    case "zone":
      return zoneText(view);
    case "test":
      return testText(view);
    case "done":
      return doneText(view);
  }
}

function linkText({ binding, tries }: GuideView): readonly Escaped[] {
  const how = md`The server's owner finds the key in the game: private server settings, API. Press **Paste the key**. It is stored encrypted, and only its last four characters are ever shown.`;
  const start =
    binding === undefined ? [how] : [linkedLine(binding), md`To set up another server, paste its key.`];
  return [...start, ...(tries?.left === 0 ? [lockedLine(tries)] : [])];
}

function lockedLine({ fromMs }: TypedTries): Escaped {
  const when = fromMs === undefined ? md`Try later` : md`Try again after <t:${Math.ceil(fromMs / 1000)}:t>`;
  return md`🔒 Too many wrong keys were typed. ${when}: more of them would get Marshal banned.`;
}

function linkedLine({ name, keyEnd }: Binding): Escaped {
  const key = keyEnd === undefined ? "" : md` Its key ends in ${inlineCode(keyEnd)}.`;
  return md`✅ **${inlineName(name)}** is linked.${key}`;
}

function testText({ feeds, accessOf }: GuideView): readonly Escaped[] {
  if (feeds.length === 0) return [md`No log has a channel yet, so there is nothing to test.`];
  return [
    md`Marshal posts one test per log, so you can see that it works.`,
    ...feeds.slice(0, 10).map((feed) => feedLine(feed, accessOf(feed.channelId))),
  ];
}

/** What this person can do now, not what somebody could. */
function doneText({ binding, settings, feeds, mayRun, permission }: GuideView): readonly Escaped[] {
  const roles = Object.keys(settings.policies[binding?.id ?? ""]?.roleTiers ?? {});
  const logs = feeds.length === 1 ? md`1 log` : md`${feeds.length} logs`;
  return [
    ...(binding === undefined ? [] : [linkedLine(binding)]),
    roles.length === 0
      ? md`⚠ No role can run commands yet: press **Roles**.`
      : md`Staff: ${joined(roles.slice(0, 10).map(roleMention), " ")}`,
    feeds.length === 0
      ? md`No logs are posted yet: press **Logs**.`
      : md`${logs} ${feeds.length === 1 ? "is" : "are"} posted from now on.`,
    ...(permission.kind === "refused"
      ? [md`⛔ The owner has not let Marshal run commands yet: press **Commands**.`]
      : []),
    md``,
    md`**What you can do now**`,
    md`• \`/server status\` shows the server`,
    ...(mayRun ? [md`• \`/run command\` runs a command in the game`] : []),
    md`• \`/diagnose\` says what is wrong if a log stops`,
  ];
}

function rowsOf(view: GuideView): readonly Row[] {
  const { step, binding, settings } = view;
  const id = binding?.id ?? "";
  const walk = (...between: readonly Button[]): Row => [back(step, id), ...between, next(step, id)];
  switch (step) {
    case "link": {
      const isLocked = view.tries?.left === 0;
      const label = view.isKeyWrong === true ? "Try again" : "Paste the key";
      const paste = isLocked
        ? button("Check again", `guide:link:${id}`)
        : button(label, "guide-key", "primary");
      return [binding === undefined ? [paste] : [paste, next(step, id)]];
    }
    case "staff":
      return staffRows(view, walk);
    case "logs":
      return view.more === true ? moreLogRows(view) : logRows(view, walk);
    case "notices": {
      const chosen = settings.noticeChannelId;
      const again = chosen === undefined ? [] : [button("Check again", `guide:notices:${id}`)];
      const defaults = chosen === undefined ? {} : { defaultIds: [chosen] };
      return [
        [
          {
            kind: "select",
            of: "channel",
            id: `guide-notices:${id}`,
            placeholder: "A channel for notices",
            minValues: 0,
            maxValues: 1,
            ...defaults,
          },
        ],
        walk(...again),
      ];
    }
    case "allow":
      return allowRows(view, walk);
    case "zone":
      return [zoneRow(view), walk(button("Another zone", `guide-zone-form:${id}`))];
    case "test":
      return [
        view.feeds.length === 0
          ? walk()
          : [
              back(step, id),
              button("Post a test", `guide-test:${id}`, "primary"),
              next(step, id, "secondary"),
            ],
      ];
    case "done":
      return [
        [
          button("Server", `guide:link:${id}`),
          button("Roles", `guide:staff:${id}`),
          button("Logs", `guide:logs:${id}`),
          button("Notices", `guide:notices:${id}`),
          button("Commands", `guide:allow:${id}`),
        ],
        [button("Time zone", `guide:zone:${id}`)],
      ];
  }
}

function back(step: GuideStep, bindingId: string): Button {
  const before = GUIDE_STEPS[GUIDE_STEPS.indexOf(step) - 1] ?? "link";
  return button("Back", `guide:${before}:${bindingId}`);
}

function next(step: GuideStep, bindingId: string, style: "primary" | "secondary" = "primary"): Button {
  const after = GUIDE_STEPS[GUIDE_STEPS.indexOf(step) + 1] ?? "done";
  return button(after === "done" ? "Finish" : "Next", `guide:${after}:${bindingId}`, style);
}
