import { ApplicationCommandOptionType } from "discord.js";
import { defineEntry } from "../src/discord/command.ts";
import {
  announcedReply,
  calledReply,
  cancelledReply,
  endedReply,
} from "../src/discord/render/sessions/session-answers.ts";
import { pastCard, staffingWords } from "../src/discord/render/sessions/session-summary.ts";
import type { SessionCall } from "../src/domain/session.ts";
import { staffingSeen } from "../src/domain/session-staffing.ts";
import { recordEvent } from "./audit-event.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { hostedServer } from "./session-rights.ts";
import { LONGEST_TEXT, pictureUrl } from "./session-setup.ts";
import { unlessRefused } from "./session-vote.ts";

/** `/session start`, `full`, `low`, `end`, `cancel` and `past`. */

const text = ApplicationCommandOptionType.String;

interface StartArgs {
  readonly server: string | undefined;
  readonly text: string | undefined;
  readonly pictureUrl: string | undefined;
}

export const startEntry = defineEntry<StartArgs>({
  description: "Start a session: a message with live numbers (Managers and hosts)",
  first: "ephemeral",
  options: [
    { type: text, name: "text", description: "Instead of the usual text", max_length: LONGEST_TEXT },
    {
      type: text,
      name: "picture",
      description: "Instead of the usual picture: the address of one",
      max_length: 500,
    },
    serverOption,
  ],
  parse(options) {
    const picture = options.string("picture")?.trim();
    return {
      server: options.string("server"),
      text: options.string("text")?.trim() || undefined,
      pictureUrl: picture === undefined || picture === "" ? undefined : pictureUrl(picture),
    };
  },
  autocomplete: completeServer,
  async execute({ actor, args: { server, ...wish } }, services) {
    const binding = await hostedServer(services, actor, server);
    const place = { guildId: actor.guildId, bindingId: binding.id };
    try {
      const announced = await services.sessions.start(actor, binding, wish);
      await recordEvent(services, actor, { action: "session-start", text: binding.name });
      const past = await services.sessions.past(place.guildId, place.bindingId);
      return announcedReply(announced, "start", staffingWords(staffingSeen(past)));
    } catch (error) {
      return await unlessRefused(services, place, error);
    }
  },
});

interface ServerArgs {
  readonly server: string | undefined;
}

const onServer = {
  first: "ephemeral",
  options: [serverOption],
  parse: (options: { string(name: string): string | undefined }): ServerArgs => ({
    server: options.string("server"),
  }),
  autocomplete: completeServer,
} as const;

function callEntry(kind: SessionCall["kind"], description: string) {
  return defineEntry<ServerArgs>({
    ...onServer,
    description,
    async execute({ actor, args }, services) {
      const binding = await hostedServer(services, actor, args.server);
      try {
        const called = await services.sessions.call(actor, binding, kind);
        if (called.call !== undefined)
          await recordEvent(services, actor, { action: `session-${kind}`, text: binding.name });
        return calledReply(called, services.snapshots.latest(binding.source)?.status);
      } catch (error) {
        return await unlessRefused(services, { guildId: actor.guildId, bindingId: binding.id }, error);
      }
    },
  });
}

export const fullEntry = callEntry("full", "Say that the server is full (Managers and hosts)");
export const lowEntry = callEntry("low", "Call for players (Managers and hosts)");

export const endEntry = defineEntry<ServerArgs>({
  ...onServer,
  description: "End the session; a summary follows (Managers and hosts)",
  async execute({ actor, args }, services) {
    const binding = await hostedServer(services, actor, args.server);
    const session = await services.sessions.end(actor, binding);
    await recordEvent(services, actor, { action: "session-end", text: binding.name });
    return endedReply(session);
  },
});

export const cancelEntry = defineEntry<ServerArgs>({
  ...onServer,
  description: "Cancel a vote, or a session started by mistake (Managers and hosts)",
  async execute({ actor, args }, services) {
    const binding = await hostedServer(services, actor, args.server);
    const session = await services.sessions.cancel(actor, binding);
    await recordEvent(services, actor, { action: "session-cancel", text: binding.name });
    return cancelledReply(session);
  },
});

export const pastEntry = defineEntry<ServerArgs>({
  ...onServer,
  description: "Past sessions, and how they went with how many staff (Managers and hosts)",
  async execute({ actor, args }, services) {
    const { id, name } = await hostedServer(services, actor, args.server);
    const past = await services.sessions.past(actor.guildId, id);
    return pastCard(past, staffingSeen(past), name);
  },
});
