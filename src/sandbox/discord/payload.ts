import type { InteractionState } from "./interactions.ts";
import { channelJson, memberJson, messageJson } from "./serialize.ts";
import type { World } from "./world.ts";

/** INTERACTION_CREATE as the gateway sends it; `data` depends on the kind. */
export function interactionPayload(world: World, interaction: InteractionState, data: unknown): unknown {
  const { person, channel, source } = interaction;
  const guild = person.guild;
  const permissions = String(person.permissionsIn(channel));
  return {
    id: interaction.id,
    application_id: world.bot.id,
    type: interaction.type,
    token: interaction.token,
    version: 1,
    data,
    guild_id: guild.id,
    guild: { id: guild.id, locale: "en-US", features: [] },
    channel_id: channel.id,
    channel: { ...channelJson(channel, world.lastMessageId(channel), world.bot), permissions },
    member: { ...memberJson(person), permissions },
    locale: "en-US",
    guild_locale: "en-US",
    app_permissions: String(guild.bot.permissionsIn(channel)),
    entitlements: [],
    authorizing_integration_owners: { 0: guild.id },
    context: 0,
    attachment_size_limit: 10 * 1024 * 1024,
    ...(source === undefined ? {} : { message: messageJson(source, (id) => world.users.get(id)) }),
  };
}
