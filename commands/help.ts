import { defineCommand, defineEntry } from "../src/discord/command.ts";
import { type HelpView, helpMessage } from "../src/discord/render/help.ts";
import type { Services } from "../src/discord/services.ts";
import type { Actor } from "../src/domain/guild.ts";
import { typesOrNone } from "./duty-rights.ts";

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
        ...(await rightsOf(actor, services)),
        manageGuild: actor.manageGuild,
        hasDuty: (await typesOrNone(services, actor.guildId)).length > 0,
        commandId: services.commandId,
        docsUrl: services.docsUrl,
      });
    },
  }),
});

/** On any of the linked servers. */
async function rightsOf(
  actor: Actor,
  { bindings, permissions }: Services,
): Promise<Pick<HelpView, "staff" | "takesCalls" | "moderator">> {
  const rights = await Promise.all(
    (await bindings.list(actor.guildId)).map(async (binding) => ({
      staff: await permissions.isStaff(actor, binding),
      takesCalls: (await permissions.decideCalls(actor, binding)).allowed,
      moderator: (await permissions.decideModerator(actor, binding)).allowed,
    })),
  );
  return {
    staff: rights.some(({ staff }) => staff),
    takesCalls: rights.some(({ takesCalls }) => takesCalls),
    moderator: rights.some(({ moderator }) => moderator),
  };
}
