import {
  defineAction,
  defineCommand,
  defineEntry,
  defineFormAction,
  defineFormEntry,
} from "../src/discord/command.ts";
import { md } from "../src/domain/escaped.ts";
import { appealsEntry, setAppealsAgain } from "./setup-appeals.ts";
import { casesEntry, watchesEntry } from "./setup-case-channels.ts";
import { goTo, guideAt, resumeGuide, skipStep } from "./setup-guide.ts";
import { checkPermission, copyForOwner, proveByCommand } from "./setup-guide-allow.ts";
import { onKeyTyped, onLinkConfirmed, onLinkDeclined, onOddKeyTyped } from "./setup-guide-link.ts";
import {
  chooseAlerts,
  chooseCases,
  chooseNotices,
  choosePanel,
  chooseWeekly,
  postTests,
} from "./setup-guide-posts.ts";
import { chooseLog, choosePositions, chooseTier, chooseZone, makeMine } from "./setup-guide-presses.ts";
import { GUIDE_KEY_FORM, NEW_KEY_FORM } from "./setup-key.ts";
import { confirmLink, keyForm, onKeySubmitted, onOddKey } from "./setup-link.ts";
import { defaultEntry, renameEntry, unlink, unlinkEntry } from "./setup-servers.ts";
import { noticesEntry, tellEntry, timezoneEntry } from "./setup-settings.ts";
import { showSetup } from "./setup-show.ts";

/** A press that changes the message that it is on; for holders of Manage Guild, as all of them are. */
const guided = (execute: Parameters<typeof defineAction>[0]["execute"]) =>
  defineAction({ first: "update", manageGuild: true, execute });

export const setup = defineCommand({
  name: "setup",
  description: "Link your game server and choose who runs commands and where logs go",
  manageGuild: true,
  subcommands: {
    start: defineEntry<undefined>({
      description: "Set everything up step by step. Continues where you left off",
      first: "ephemeral",
      parse: () => undefined,
      execute: ({ actor }, services) => resumeGuide(services, actor),
    }),
    link: defineFormEntry<undefined>({
      description: "Link a game server, or replace its key",
      first: "modal",
      parse: () => undefined,
      form: ({ actor }, services) => keyForm(actor.guildId, services),
    }),
    unlink: unlinkEntry,
    rename: renameEntry,
    default: defaultEntry,
    show: defineEntry<undefined>({
      description: "Show all settings: servers, staff, logs, alerts, channels, positions",
      first: "ephemeral",
      parse: () => undefined,
      execute: ({ actor }, services) => showSetup(services, actor),
    }),
    notices: noticesEntry,
    timezone: timezoneEntry,
    cases: casesEntry,
    tell: tellEntry,
    watches: watchesEntry,
    appeals: appealsEntry,
  },
  actions: {
    /** The button under errors that a new key would mend. */
    "setup-link": defineFormAction({
      first: "modal",
      manageGuild: true,
      form: ({ argument, actor: { guildId } }, services) =>
        argument === "new" ? keyForm(guildId, services, NEW_KEY_FORM) : keyForm(guildId, services),
    }),
    "setup-key": defineAction({ first: "ephemeral", manageGuild: true, execute: onKeySubmitted }),
    "setup-odd": defineAction({ first: "update", manageGuild: true, execute: onOddKey }),
    "setup-yes": defineAction({ first: "update", manageGuild: true, execute: confirmLink }),
    "setup-no": defineAction({
      first: "update",
      execute({ actor, argument }, { pendingLinks }) {
        pendingLinks.take(argument, actor);
        return { content: md`Nothing was saved, and the key is forgotten.` };
      },
    }),
    "setup-unlink": defineAction({ first: "update", manageGuild: true, execute: unlink }),
    "setup-keep": defineAction({ first: "update", execute: () => ({ content: md`Nothing was changed.` }) }),

    /** The button of the message in the system channel: everybody sees that one, so the guided one is a new message. */
    "guide-open": defineAction({
      first: "ephemeral",
      manageGuild: true,
      execute: ({ actor }, services) => resumeGuide(services, actor),
    }),
    "guide-roles": defineAction({
      first: "ephemeral",
      manageGuild: true,
      execute: ({ actor, argument }, services) =>
        guideAt(services, actor, { step: "staff", bindingId: argument }),
    }),
    guide: guided(goTo),
    "guide-skip": guided(skipStep),
    "guide-more": guided(({ actor, argument }, services) =>
      guideAt(services, actor, { step: "logs", bindingId: argument, more: true }),
    ),
    "guide-key": defineFormAction({
      first: "modal",
      manageGuild: true,
      form: ({ actor }, services) => keyForm(actor.guildId, services, GUIDE_KEY_FORM),
    }),
    "guide-typed": guided(onKeyTyped),
    "guide-odd": guided(onOddKeyTyped),
    "guide-yes": guided(onLinkConfirmed),
    "guide-no": guided(onLinkDeclined),
    "guide-tier": guided(chooseTier),
    "guide-mine": guided(makeMine),
    "guide-log": guided(chooseLog),
    "guide-notices": guided(chooseNotices),
    "guide-cases": guided(chooseCases),
    "guide-alerts": guided(chooseAlerts),
    "guide-panel": guided(choosePanel),
    "guide-weekly": guided(chooseWeekly),
    /** The button under commands that the owner has not allowed. */
    "guide-allow": defineAction({
      first: "ephemeral",
      manageGuild: true,
      execute: ({ actor, argument }, services) =>
        guideAt(services, actor, { step: "allow", bindingId: argument }),
    }),
    "guide-check": guided(checkPermission),
    "guide-prove": guided(proveByCommand),
    "guide-copy": defineAction({ first: "ephemeral", manageGuild: true, execute: copyForOwner }),
    "guide-positions": guided(choosePositions),
    "guide-zone": guided(chooseZone),
    "guide-zone-form": defineFormAction({
      first: "modal",
      manageGuild: true,
      form: ({ argument }) => ({
        id: `guide-zone:${argument}`,
        title: "Another time zone",
        fields: [
          { kind: "text", id: "zone", label: "Time zone", placeholder: "Europe/Berlin", maxLength: 60 },
        ],
      }),
    }),
    "guide-test": guided(postTests),
    "appeals-again": guided(setAppealsAgain),
  },
});
