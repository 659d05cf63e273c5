import {
  defineAction,
  defineCommand,
  defineEntry,
  defineFormAction,
  defineFormEntry,
} from "../src/discord/command.ts";
import { setupCard } from "../src/discord/render/setup-cards.ts";
import { md } from "../src/domain/escaped.ts";
import { casesEntry, watchesEntry } from "./setup-case-channels.ts";
import { goTo, guideAt, onKeyTyped, onLinkConfirmed, onLinkDeclined, resumeGuide } from "./setup-guide.ts";
import {
  chooseLog,
  chooseNotices,
  chooseTier,
  chooseZone,
  makeMine,
  postTests,
} from "./setup-guide-steps.ts";
import { confirmLink, KEY_FIELD, KEY_FORM, KEY_INTRO, onKeySubmitted } from "./setup-link.ts";
import { defaultEntry, renameEntry, unlink, unlinkEntry } from "./setup-servers.ts";
import { noticesEntry, timezoneEntry } from "./setup-settings.ts";

/** A press that changes the guided message; for holders of Manage Guild, as all of them are. */
const guided = (execute: Parameters<typeof defineAction>[0]["execute"]) =>
  defineAction({ first: "update", manageGuild: true, execute });

export const setup = defineCommand({
  name: "setup",
  description: "Link your game server and choose who runs commands and where logs go",
  manageGuild: true,
  subcommands: {
    start: defineEntry<undefined>({
      description: "Set everything up, step by step; goes on where you left it",
      first: "ephemeral",
      parse: () => undefined,
      execute: ({ actor }, services) => resumeGuide(services, actor),
    }),
    link: defineFormEntry<undefined>({
      description: "Link a game server by its key, or give a linked one its new key",
      first: "modal",
      parse: () => undefined,
      form: () => KEY_FORM,
    }),
    unlink: unlinkEntry,
    rename: renameEntry,
    default: defaultEntry,
    show: defineEntry<undefined>({
      description: "What is linked, by whom, and who may run commands",
      first: "ephemeral",
      parse: () => undefined,
      async execute({ actor }, { bindings, settings, health }) {
        const servers = (await bindings.list(actor.guildId)).map((binding) => ({
          binding,
          parkedWhy: health.parked(binding.source)?.why,
        }));
        return { cards: [setupCard(servers, await settings.of(actor.guildId))] };
      },
    }),
    notices: noticesEntry,
    timezone: timezoneEntry,
    cases: casesEntry,
    watches: watchesEntry,
  },
  actions: {
    /** The button under errors that a new key would mend. */
    "setup-link": defineFormAction({ first: "modal", manageGuild: true, form: () => KEY_FORM }),
    "setup-key": defineAction({ first: "ephemeral", manageGuild: true, execute: onKeySubmitted }),
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
    "guide-more": guided(({ actor, argument }, services) =>
      guideAt(services, actor, { step: "logs", bindingId: argument, more: true }),
    ),
    "guide-key": defineFormAction({
      first: "modal",
      manageGuild: true,
      form: () => ({
        id: "guide-typed",
        title: "Link your game server",
        intro: KEY_INTRO,
        fields: [KEY_FIELD],
      }),
    }),
    "guide-typed": guided(onKeyTyped),
    "guide-yes": guided(onLinkConfirmed),
    "guide-no": guided(onLinkDeclined),
    "guide-tier": guided(chooseTier),
    "guide-mine": guided(makeMine),
    "guide-log": guided(chooseLog),
    "guide-notices": guided(chooseNotices),
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
  },
});
