import type { Reply } from "../src/discord/command.ts";
import { channelsShown, type LinkedServer, setupCard } from "../src/discord/render/setup-show.ts";
import type { Services } from "../src/discord/services.ts";
import type { Actor } from "../src/domain/guild.ts";
import { positionDaysOf } from "./history-positions.ts";
import { channelAccessOf, postsOf, weeklyChannelOf } from "./setup-guide.ts";

/** `/setup show` */
export async function showSetup(services: Services, { guildId }: Actor): Promise<Reply> {
  const { bindings, settings, health, ranks, rules } = services;
  const servers: LinkedServer[] = [];
  for (const binding of await bindings.list(guildId)) {
    const { feeds, alerts, panelChannelIds } = await postsOf(services, binding);
    servers.push({
      binding,
      parkedWhy: health.parked(binding.source)?.why,
      feeds,
      alerts,
      panelChannelIds,
      permission: health.commandPermission(binding.source),
    });
  }
  const view = {
    settings: await settings.of(guildId),
    servers,
    weeklyChannelId: await weeklyChannelOf(services, guildId),
    positionDays: await positionDaysOf(services, guildId),
    rankRoles: ranks.list(guildId).reduce((sum, { mappings }) => sum + mappings.length, 0),
    rules: rules.list(guildId).rules.length,
  };
  const accesses = await channelAccessOf(services, guildId, channelsShown(view));
  const accessOf = (channelId: string) => accesses.get(channelId) ?? { kind: "unknown" as const };
  return { cards: [setupCard({ ...view, accessOf })] };
}
