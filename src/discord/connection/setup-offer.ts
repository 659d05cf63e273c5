import type { Guild } from "discord.js";
import { md } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Guilds } from "../../domain/ports/guilds.ts";
import type { Posts } from "../../domain/ports/posts.ts";
import type { Settings } from "../../domain/ports/settings.ts";

/** After this time nobody connects the message with their invitation. */
const OFFERED_WITHIN_MS = 60 * 60_000;

export interface SetupOfferPorts {
  readonly settings: Settings;
  readonly bindings: Pick<Bindings, "list">;
  readonly guilds: Pick<Guilds, "channelAccess">;
  readonly posts: Posts;
  readonly clock: Clock;
  readonly random: Random;
  report(what: string, error: unknown): void;
}

/** A guild as the gateway describes it. */
export interface JoinedGuild {
  readonly id: string;
  /** When the bot joined, epoch milliseconds. */
  readonly joinedAtMs: number;
  readonly systemChannelId: string | null;
}

export function joinedGuild({ id, joinedTimestamp, systemChannelId }: Guild): JoinedGuild {
  return { id, joinedAtMs: joinedTimestamp, systemChannelId };
}

/**
 * Offers the guided set-up in the system channel, once for each time that the bot is added: within the hour, where it
 * may write, and only while nothing is linked. Never throws; what goes wrong leaves `/setup start` as the way.
 */
export function createSetupOffer(ports: SetupOfferPorts): (guild: JoinedGuild) => void {
  const { settings, bindings, guilds, posts, clock, random, report } = ports;
  /** By guild: the nonces of those that do not stand yet. */
  const open = new Map<string, string>();

  const isOfUse = async ({ id, joinedAtMs }: JoinedGuild): Promise<boolean> =>
    clock.nowMs() - joinedAtMs <= OFFERED_WITHIN_MS && (await bindings.list(id)).length === 0;

  const line = posts.line<JoinedGuild>({
    name: "the offer of the set-up",
    classes: { post: "first", edit: "change" },
    keyOf: ({ id }) => id,
    guildOf: ({ id }) => id,
    async wanted(guild) {
      const nonce = open.get(guild.id);
      const { systemChannelId: channelId } = guild;
      if (nonce === undefined || channelId === null || !(await isOfUse(guild))) return undefined;
      return { channelId, nonce, body: OFFER_MESSAGE, sinceMs: guild.joinedAtMs };
    },
    isIt: (_, { content }) => content === OFFER_MESSAGE.content,
    onStands: async ({ id }) => void open.delete(id),
    async onRefused({ id }, refusal) {
      open.delete(id);
      report(`the set-up was not offered in ${id}`, refusal);
      return "over";
    },
  });

  async function offer(guild: JoinedGuild): Promise<void> {
    const { id, joinedAtMs, systemChannelId } = guild;
    if (systemChannelId === null || clock.nowMs() - joinedAtMs > OFFERED_WITHIN_MS) return;
    if ((await settings.of(id)).guideOfferedForJoinMs === joinedAtMs) return;
    if (!(await isOfUse(guild))) return;
    const access = await guilds.channelAccess(id, systemChannelId);
    const mayWrite =
      access.kind === "open" ||
      (access.kind === "missing" && !access.permissions.some((name) => NEEDED.has(name)));
    if (!mayWrite) return;
    // Recorded before it is sent, because a missing message is better than one at every start.
    await settings.change(id, (before) => ({ ...before, guideOfferedForJoinMs: joinedAtMs }));
    open.set(id, random.id().slice(0, 25));
    line.show(guild);
  }

  return (guild) => {
    offer(guild).catch((error: unknown) => report(`the set-up was not offered in ${guild.id}`, error));
  };
}

const NEEDED: ReadonlySet<string> = new Set(["View Channel", "Send Messages"]);

const OFFER_MESSAGE: MessageBody = {
  content: md`👋 **Marshal is here.** Someone with the Manage Server permission can set it up: the game server, who can run commands, where the logs go, and more. After the server's key every step can be skipped. Only they see the steps; \`/setup start\` opens them too.`,
  rows: [[{ kind: "button", style: "primary", label: "Set it up", id: "guide-open" }]],
};
