import { ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import { announcedReply, pressReply } from "../src/discord/render/sessions/session-answers.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { SinkRefusal } from "../src/domain/failure.ts";
import { recordEvent } from "./audit-event.ts";
import { notPostedText } from "./not-posted.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { hostedServer } from "./session-rights.ts";

/** `/session vote`: who would play? And the presses under it. */

const integer = ApplicationCommandOptionType.Integer;
const MINUTES = { least: 5, usual: 60, most: 720 } as const;

interface VoteArgs {
  readonly server: string | undefined;
  readonly needed: number | undefined;
  readonly minutes: number;
}

export const voteEntry = defineEntry<VoteArgs>({
  description: "Ask who would play (Managers and hosts)",
  first: "ephemeral",
  options: [
    { type: integer, name: "needed", description: "How many votes it needs", min_value: 1, max_value: 200 },
    {
      type: integer,
      name: "minutes",
      description: `How many minutes it stays open (default ${MINUTES.usual})`,
      min_value: MINUTES.least,
      max_value: MINUTES.most,
    },
    serverOption,
  ],
  parse: (options) => ({
    server: options.string("server"),
    needed: options.number("needed"),
    minutes: options.number("minutes") ?? MINUTES.usual,
  }),
  autocomplete: completeServer,
  async execute({ actor, args: { server, needed, minutes } }, services) {
    const binding = await hostedServer(services, actor, server);
    try {
      const announced = await services.sessions.vote(actor, binding, { needed, minutes });
      await recordEvent(services, actor, { action: "session-vote", text: binding.name });
      return announcedReply(announced, "vote");
    } catch (error) {
      return await unlessRefused(services, { guildId: actor.guildId, bindingId: binding.id }, error);
    }
  },
});

/** Discord did not take the first message, of which then nothing is kept. */
export async function unlessRefused(
  services: Services,
  { guildId, bindingId }: { readonly guildId: string; readonly bindingId: string },
  error: unknown,
): Promise<Reply> {
  if (!(error instanceof SinkRefusal)) throw error;
  const { sessions } = services;
  const setup = sessions.current(guildId, bindingId) ?? (await sessions.setupOf(guildId, bindingId));
  const channelId = setup?.channelId ?? "";
  return {
    content: await notPostedText(
      services,
      { guildId, channelId },
      { refusal: error, chooseWith: md`\`/session setup\`` },
    ),
  };
}

async function pressed({ actor, argument }: Press, services: Services, wants: "in" | "out"): Promise<Reply> {
  const press = await services.sessions.press(actor, argument, wants);
  return pressReply(press, await services.mentions.isAllowed(actor.guildId, actor.userId));
}

export const voteActions = {
  "session-in": defineAction({
    first: "ephemeral",
    execute: (press, services) => pressed(press, services, "in"),
  }),
  "session-out": defineAction({
    first: "update",
    execute: (press, services) => pressed(press, services, "out"),
  }),
  "session-mention": defineAction({
    first: "update",
    async execute({ actor, argument }, services) {
      // Whose vote is refused has allowed nothing.
      const press = await services.sessions.press(actor, argument, "in");
      await services.mentions.allow(actor.guildId, actor.userId);
      return pressReply(press, true);
    },
  }),
} as const;
