import { ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineEntry, type Reply } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { Button } from "../src/domain/message.ts";

/** `/me mentions`: whether Marshal may mention somebody in what it posts. Nobody is mentioned who did not allow it. */

const OFF_BUTTON: Button = {
  kind: "button",
  style: "secondary",
  label: "Don't mention me",
  id: "me-mentions:off",
};
const ON_BUTTON: Button = {
  kind: "button",
  style: "primary",
  label: "Mention me",
  id: "me-mentions:on",
};

function shown(isAllowed: boolean): Reply {
  return isAllowed
    ? {
        content: md`🔔 Marshal may mention you here, such as when a session starts that you voted for.`,
        rows: [[OFF_BUTTON]],
      }
    : { content: md`🔕 Marshal never mentions you here.`, rows: [[ON_BUTTON]] };
}

async function change(services: Services, actor: Actor, isAllowed: boolean): Promise<Reply> {
  const { guildId, userId } = actor;
  await (isAllowed ? services.mentions.allow(guildId, userId) : services.mentions.forbid(guildId, userId));
  return shown(isAllowed);
}

export const mentionsEntry = defineEntry<{ readonly isAllowed: boolean | undefined }>({
  description: "Whether Marshal may mention you",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.Boolean,
      name: "allow",
      description: "Allow it or not; leave empty to see the setting",
    },
  ],
  parse: (options) => ({ isAllowed: options.boolean("allow") }),
  async execute({ actor, args: { isAllowed } }, services) {
    if (isAllowed !== undefined) return await change(services, actor, isAllowed);
    return shown(await services.mentions.isAllowed(actor.guildId, actor.userId));
  },
});

export const mentionActions = {
  "me-mentions": defineAction({
    first: "update",
    execute: ({ actor, argument }, services) => change(services, actor, argument === "on"),
  }),
} as const;
