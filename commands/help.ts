import { defineCommand, defineEntry, type Services } from "../src/discord/command.ts";
import { helpCard } from "../src/discord/render/help.ts";
import type { Actor } from "../src/domain/guild.ts";

export const help = defineCommand({
  name: "help",
  description: "What you can do with Marshal here",
  entry: defineEntry<undefined>({
    description: "What you can do with Marshal here",
    first: "ephemeral",
    parse: () => undefined,
    async execute({ actor }, services) {
      const linked = (await services.bindings.list(actor.guildId)).length > 0;
      const staff = await holdsTier(actor, services);
      return {
        cards: [helpCard({ commands: services.overview, linked, staff, manageGuild: actor.manageGuild })],
      };
    },
  }),
});

async function holdsTier(actor: Actor, { bindings, permissions }: Services): Promise<boolean> {
  for (const binding of await bindings.list(actor.guildId)) {
    if (await permissions.isStaff(actor, binding)) return true;
  }
  return false;
}
