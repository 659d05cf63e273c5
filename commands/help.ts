import { defineCommand, defineEntry } from "../src/discord/command.ts";
import { helpMessage } from "../src/discord/render/help.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
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
        hasDuty: await hasDuty(actor, services),
        commandId: services.commandId,
        docsUrl: services.docsUrl,
      });
    },
  }),
});

/** Where it cannot be read, it is not named. */
async function hasDuty({ guildId }: Actor, { duty }: Services): Promise<boolean> {
  try {
    return (await duty.types(guildId)).length > 0;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

async function holdsTier(actor: Actor, { bindings, permissions }: Services): Promise<boolean> {
  for (const binding of await bindings.list(actor.guildId)) {
    if (await permissions.isStaff(actor, binding)) return true;
  }
  return false;
}
