import type { Reply } from "../src/discord/command.ts";
import { channelsShown, type LinkedServer, setupCard } from "../src/discord/render/setup-show.ts";
import type { Services } from "../src/discord/services.ts";
import type { Actor } from "../src/domain/guild.ts";
import { typesOrNone } from "./duty-rights.ts";
import { positionDaysOf } from "./history-positions.ts";
import { channelAccessOf, postsOf, weeklyChannelOf } from "./setup-guide.ts";

/** `/setup show` */
export async function showSetup(services: Services, { guildId }: Actor): Promise<Reply> {
  const { bindings, settings, health, ranks, rules, sessions } = services;
  const schedules = await services.schedules.list(guildId);
  const servers: LinkedServer[] = [];
  for (const binding of await bindings.list(guildId)) {
    const { feeds, alerts, panelChannelIds } = await postsOf(services, binding);
    servers.push({
      binding,
      parkedWhy: health.parked(binding.source)?.why,
      feeds,
      alerts,
      panelChannelIds,
      schedules: schedules.filter(({ schedule }) => schedule.bindingId === binding.id).length,
      sessionChannelId: (await sessions.setupOf(guildId, binding.id))?.channelId,
      permission: health.commandPermission(binding.source),
    });
  }
  const ranked = ranks.list(guildId).filter(({ mappings }) => mappings.length > 0);
  const ruled = rules.list(guildId);
  const view = {
    settings: await settings.of(guildId),
    servers,
    weeklyChannelId: await weeklyChannelOf(services, guildId),
    positionDays: await positionDaysOf(services, guildId),
    cases: services.cases,
    rankRoles: {
      count: ranked.reduce((sum, { mappings }) => sum + mappings.length, 0),
      isPaused: ranked.every(({ pause }) => pause !== undefined),
    },
    rules: { count: ruled.rules.length, isPaused: ruled.pause !== undefined },
    dutyTypes: await typesOrNone(services, guildId),
  };
  const accesses = await channelAccessOf(services, guildId, channelsShown(view));
  const accessOf = (channelId: string) => accesses.get(channelId) ?? { kind: "unknown" as const };
  return { cards: [setupCard({ ...view, accessOf })] };
}
