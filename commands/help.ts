import { defineCommand, defineEntry } from "../src/discord/command.ts";
import { helpMessage } from "../src/discord/render/help.ts";
import type { Services } from "../src/discord/services.ts";
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
      return helpMessage({
        linked,
        staff: await holdsTier(actor, services),
        manageGuild: actor.manageGuild,
        commandId: services.commandId,
        docsUrl: services.docsUrl,
      });
    },
  }),
});

async function holdsTier(actor: Actor, { bindings, permissions }: Services): Promise<boolean> {
  for (const binding of await bindings.list(actor.guildId)) {
    if (await permissions.isStaff(actor, binding)) return true;
  }
  return false;
}
