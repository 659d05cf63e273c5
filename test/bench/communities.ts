import { parseGuildAlerts } from "../../src/alerts/alert-rules.ts";
import { parseTakenKey } from "../../src/api/stored-records.ts";
import type { AlertRule } from "../../src/domain/alert.ts";
import type { FeedKind } from "../../src/domain/feed-kinds.ts";
import { EMPTY_POLICY, type Feed } from "../../src/domain/guild.ts";
import type { Clock, Random } from "../../src/domain/ports/clock.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import { panelKey, parsePanel } from "../../src/feeds/panels/panel-records.ts";
import type { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import type { Channel, Guild, Person, Role } from "../../src/sandbox/discord/types.ts";
import { createBindings } from "../../src/store/bindings.ts";
import { bringDocumentsToForm, FORM_NAMESPACE } from "../../src/store/document-forms.ts";
import {
  parseFeed,
  parseFormMark,
  parseGuildBindings,
  parseSettings,
} from "../../src/store/document-schemas.ts";
import { createFeedStore } from "../../src/store/feed-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { loadSecret } from "../../src/store/secret-file.ts";
import { createSettings } from "../../src/store/settings.ts";
import { createVault } from "../../src/store/vault.ts";

/** How large the communities of a bench are, besides the channels of their feeds. */
export interface Shape {
  readonly textChannels: number;
  readonly voiceChannels: number;
  readonly roles: number;
}

/** One community of the emulated Discord that has linked a server. */
export interface Community {
  readonly guild: Guild;
  readonly general: Channel;
  readonly feeds: readonly { readonly kind: FeedKind; readonly channel: Channel }[];
  readonly staffRole: Role;
  readonly owner: Person;
  readonly moderator: Person;
  readonly member: Person;
}

export const feedKinds = ["joins", "kills", "modCalls"] as const;

/** The key of the server that the community with this index has linked. */
export function keyOf(index: number): string {
  return `bench${index}-${(index * 7_919).toString(36).padStart(8, "x")}`;
}

/** A community: an owner, a moderator, a member, a staff role, a staff category that not everyone sees. */
export function addCommunity(discord: EmulatedDiscord, index: number, shape: Shape): Community {
  const guild = discord.addGuild({ name: `Community ${index}`, ownerName: `Owner ${index}` });
  const staffRole = guild.addRole({ name: "Staff", mentionable: true });
  for (let made = 1; made < shape.roles; made++) guild.addRole({ name: `Role ${made}`, color: made * 1_000 });
  const general = guild.addChannel({ name: "general" });
  const staffOnly = [
    { target: guild.everyone, deny: ["ViewChannel"] as const },
    { target: staffRole, allow: ["ViewChannel"] as const },
  ];
  for (let made = 1; made < shape.textChannels; made++) {
    const overwrites = made % 3 === 0 ? staffOnly : [];
    guild.addChannel({ name: `channel-${made}`, overwrites });
  }
  for (let made = 0; made < shape.voiceChannels; made++)
    guild.addChannel({ name: `voice-${made}`, type: "voice" });
  const feeds = feedKinds.map((kind) => ({ kind, channel: guild.addChannel({ name: `log-${kind}` }) }));
  return {
    guild,
    general,
    feeds,
    staffRole,
    owner: discord.as(guild.owner),
    moderator: discord.as(guild.addMember({ name: `Mo ${index}`, roles: [staffRole] })),
    member: discord.as(guild.addMember({ name: `Jo ${index}` })),
  };
}

interface SettleOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** As a bot leaves them that is updated: the service took each of the keys a moment ago. @default false */
  readonly areKeysTaken?: boolean;
  /** A panel and two alerts each. @default false */
  readonly areWatched?: boolean | undefined;
  /** What seals the keys. @default the one beside a sqlite store */
  readonly secretKey?: Uint8Array;
  /** The key of the server that a community has linked. @default one for each */
  readonly keyAt?: (index: number) => string;
}

/**
 * Writes what these communities would have set up (a linked server each, feeds of three kinds, staff), through the
 * store's own modules: through Discord a thousand of them would take longer than the bench.
 */
export async function settle(
  storeUrl: string,
  communities: readonly Community[],
  { clock, random, areKeysTaken = false, areWatched = false, secretKey, keyAt = keyOf }: SettleOptions,
): Promise<void> {
  const store = await openStore(storeUrl, { runsIn: "caller" });
  try {
    const documents = store.documents("bindings", parseGuildBindings, "normal");
    await bringDocumentsToForm({
      marks: store.documents(FORM_NAMESPACE, parseFormMark, "normal"),
      bindings: documents,
    });
    const { bindings } = createBindings({
      documents,
      vault: createVault({
        secret: secretKey ?? (await loadSecret({ storeUrl, hasSealed: async () => false })),
      }),
      clock,
      random,
      serversPerGuild: 1,
      hideSecret: () => undefined,
    });
    const settings = createSettings(store.documents("settings", parseSettings, "normal"));
    const feedStore = createFeedStore(store.documents("feeds", parseFeed, "normal"));
    const takenKeys = store.documents("taken-keys", parseTakenKey, "normal");
    const panels = store.documents("panels", parsePanel, "normal");
    const alerts = store.documents("alert-rules", parseGuildAlerts, "normal");
    for (const [index, { guild, general, feeds, staffRole, owner }] of communities.entries()) {
      const byUserId = owner.member.id;
      const key = new ServerKey(keyAt(index));
      const { binding } = await bindings.link({ guildId: guild.id, key, status: statusOf(index), byUserId });
      // As the bot does once all wings have gone along: an unfinished link is taken up at the start, one after the other.
      await bindings.onFinished(binding);
      if (areKeysTaken) await takenKeys.set(binding.source, { takenAtMs: clock.nowMs() });
      const policy = { ...EMPTY_POLICY, roleTiers: { [staffRole.id]: "moderator" as const } };
      await settings.change(guild.id, (before) => ({ ...before, policies: { [binding.id]: policy } }));
      for (const { kind, channel } of feeds) {
        const feed: Feed = {
          id: random.id(),
          guildId: guild.id,
          bindingId: binding.id,
          kind,
          channelId: channel.id,
          style: kind === "modCalls" ? "cards" : "lines",
          filter: {},
          silent: false,
          state: "live",
          createdBy: byUserId,
          createdAtMs: clock.nowMs(),
        };
        await feedStore.save(feed);
      }
      if (!areWatched) continue;
      const place = { guildId: guild.id, bindingId: binding.id, channelId: general.id };
      const by = { createdBy: byUserId, createdAtMs: clock.nowMs() };
      const panel = { ...place, createdBy: byUserId, mark: random.id(), nonce: random.id(), goodAtMs: 0 };
      await panels.set(panelKey(place), panel);
      const rules: AlertRule[] = [
        { ...place, ...by, id: random.id(), kind: "kills", count: 5, withinS: 30 },
        { ...place, ...by, id: random.id(), kind: "calls", withinS: 120 },
      ];
      await alerts.set(guild.id, { rules });
    }
  } finally {
    await store.close();
  }
}

function statusOf(index: number) {
  return {
    name: `Town ${index}`,
    ownerId: 1_000_000 + index,
    coOwnerIds: [],
    currentPlayers: 12,
    maxPlayers: 40,
    joinKey: `join${index}`,
    accVerifiedReq: "Disabled",
    teamBalance: true,
  };
}
