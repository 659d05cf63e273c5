import { defineAction, defineCommand, defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import { alertsWords } from "../src/discord/render/alert-cards.ts";
import { commandMention } from "../src/discord/render/command-mention.ts";
import { channelsOf, diagnosisMessage, type ServerFacts } from "../src/discord/render/diagnosis.ts";
import type { Place } from "../src/discord/render/diagnosis-places.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import { feedText } from "../src/discord/render/feed-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding, GuildSettings } from "../src/domain/guild.ts";
import { isStill } from "../src/domain/ports/service-health.ts";
import { recordEvent } from "./audit-event.ts";
import { automaticOf } from "./automatic.ts";
import { typesOrNone } from "./duty-rights.ts";
import { channelAccessOf, feedsOf, weeklyChannelOf } from "./setup-guide.ts";

/** Collects what is known already, without a request to the game service. */
async function diagnosis({ guildId }: Actor, services: Services): Promise<Reply> {
  const { bindings, settings, health, host, clock } = services;
  const own = await settings.of(guildId);
  const linked = await bindings.list(guildId);
  const servers = await Promise.all(linked.map((binding) => factsOf(binding, own, services)));
  const { noticeChannelId } = own;
  const places = await placesOf({ guildId, bindings: linked, settings: own }, services);
  const channels = channelsOf({ servers, places, noticeChannelId });
  const accesses = await channelAccessOf(services, guildId, channels);
  return diagnosisMessage({
    servers,
    places,
    automatic: await automaticOf(services, guildId),
    accessOf: (channelId) => accesses.get(channelId) ?? { kind: "unknown" },
    commandId: services.commandId,
    noticeChannelId,
    halt: health.halt(),
    storeWorks: host.storeWorks(),
    posts: host.waitingPosts(guildId),
    nowMs: clock.nowMs(),
  });
}

/** Where alerts, cases and the like are posted. */
async function placesOf(
  {
    guildId,
    bindings,
    settings,
  }: {
    readonly guildId: string;
    readonly bindings: readonly Binding[];
    readonly settings: GuildSettings;
  },
  services: Services,
): Promise<readonly Place[]> {
  const { alerts, panels, sessions, commandId } = services;
  const { caseChannelId, watchChannelId, auditChannelId, appealChannelId } = settings;
  const typed = (path: string) => commandMention(path, commandId);
  const set = (what: Escaped, path: string, channelId: string | undefined) =>
    channelId === undefined ? [] : [{ what, channelId, elsewhere: md`pick another with ${typed(path)}` }];
  const byChannel = Map.groupBy(await alerts.list(guildId), ({ channelId }) => channelId);
  const alertPlaces = [...byChannel].map(([channelId, rules]) => ({
    what: alertsWords(rules),
    channelId,
    elsewhere: md`${typed("alert remove")}, then ${typed("alert add")} in another`,
    refused: rules.map((rule) => alerts.status(rule).refused).find((reason) => reason !== undefined),
  }));
  const shiftPlaces = (await typesOrNone(services, guildId)).flatMap(({ name, channelId }) =>
    channelId === undefined
      ? []
      : [
          {
            what: md`Shifts (${inlineName(name)})`,
            channelId,
            elsewhere: md`${typed("duty type remove")}, then ${typed("duty type add")} with another`,
          },
        ],
  );
  const setups = await Promise.all(bindings.map(({ id }) => sessions.setupOf(guildId, id)));
  return [
    ...alertPlaces,
    ...set(md`Cases`, "setup cases", caseChannelId),
    ...set(md`Watched players`, "setup watches", watchChannelId),
    ...set(md`Appeals`, "setup appeals", appealChannelId),
    ...(await appealTalks(guildId, settings, services)),
    ...set(md`The audit`, "audit channel", auditChannelId),
    ...set(md`The weekly summary`, "stats weekly", await weeklyChannelOf(services, guildId)),
    ...panels.list(guildId).flatMap(({ channelId }) => set(md`A server panel`, "server panel", channelId)),
    ...setups.flatMap((setup) => set(md`Sessions`, "session setup", setup?.channelId)),
    ...shiftPlaces,
  ];
}

/** Staff talk about appeals in private threads, which need more than posts do. */
async function appealTalks(
  guildId: string,
  { appealChannelId, appealButtonChannelId: channelId }: GuildSettings,
  { guilds, commandId }: Services,
): Promise<readonly Place[]> {
  if (appealChannelId === undefined || channelId === undefined) return [];
  return [
    {
      what: md`Talks about appeals`,
      channelId,
      elsewhere: md`pick another with ${commandMention("setup appeals", commandId)}`,
      access: await guilds.channelAccess(guildId, channelId, "talks"),
    },
  ];
}

async function factsOf(binding: Binding, settings: GuildSettings, services: Services): Promise<ServerFacts> {
  const { health, snapshots, feeds } = services;
  const latest = snapshots.latest(binding.source);
  return {
    binding,
    parked: health.parked(binding.source),
    held: health.held(binding.source),
    readRefused: health.readRefused(binding.source),
    isStill: isStill(health, binding.source),
    permission: health.commandPermission(binding.source),
    failing: snapshots.failing(binding.source),
    readAtMs: latest?.statusAtMs,
    players: latest?.status.currentPlayers,
    hasStaff: Object.keys(settings.policies[binding.id]?.roleTiers ?? {}).length > 0,
    feeds: (await feedsOf(services, binding)).map((feed) => ({ feed, status: feeds.status(feed.id) })),
  };
}

/** `diagnose-resume:FEED`: a log that stopped or is paused posts again, from now on. */
async function resume({ actor, argument }: Press, services: Services): Promise<Reply> {
  const feed = await services.feeds.resume(actor.guildId, argument);
  if (feed === undefined) throw new Failure("bad-command", "That feed no longer exists.");
  await recordEvent(services, actor, {
    action: "feed-resume",
    text: feedText(feed, await services.bindings.list(actor.guildId)),
  });
  return await diagnosis(actor, services);
}

export const diagnose = defineCommand({
  name: "diagnose",
  description: "Check what works, what doesn't, and how to fix it",
  manageGuild: true,
  entry: defineEntry<undefined>({
    description: "Check what works, what doesn't, and how to fix it",
    first: "ephemeral",
    parse: () => undefined,
    execute: ({ actor }, services) => diagnosis(actor, services),
  }),
  actions: {
    "diagnose-again": defineAction({
      first: "update",
      manageGuild: true,
      execute: ({ actor }, services) => diagnosis(actor, services),
    }),
    "diagnose-resume": defineAction({ first: "update", manageGuild: true, execute: resume }),
  },
});
