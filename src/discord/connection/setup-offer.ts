import type { Guild } from "discord.js";
import { md } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Guilds } from "../../domain/ports/guilds.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import type { Log } from "../../log.ts";

/** After this time nobody connects the message with their invitation. */
const OFFERED_WITHIN_MS = 60 * 60_000;

export interface SetupOfferPorts {
  readonly settings: Settings;
  readonly bindings: Pick<Bindings, "list">;
  readonly guilds: Pick<Guilds, "channelAccess">;
  readonly sink: Pick<Sink, "send">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
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
 * may write, and only while nothing is linked. Never rejects; what goes wrong leaves `/setup start` as the way.
 */
export function createSetupOffer(ports: SetupOfferPorts): (guild: JoinedGuild) => Promise<void> {
  const { settings, bindings, guilds, sink, clock, random, log } = ports;

  async function offer({ id, joinedAtMs, systemChannelId }: JoinedGuild): Promise<void> {
    if (systemChannelId === null || clock.nowMs() - joinedAtMs > OFFERED_WITHIN_MS) return;
    if ((await settings.of(id)).guideOfferedForJoinMs === joinedAtMs) return;
    if ((await bindings.list(id)).length > 0) return;
    const access = await guilds.channelAccess(id, systemChannelId);
    const mayWrite =
      access.kind === "open" ||
      (access.kind === "missing" && !access.permissions.some((name) => NEEDED.has(name)));
    if (!mayWrite) return;
    // Recorded before it is sent, because a missing message is better than one at every start.
    await settings.change(id, (before) => ({ ...before, guideOfferedForJoinMs: joinedAtMs }));
    await sink.send(systemChannelId, { ...OFFER_MESSAGE, nonce: random.id().slice(0, 25) });
  }

  return (guild) =>
    offer(guild).catch((err: unknown) => log.warn({ guildId: guild.id, err }, "the set-up was not offered"));
}

const NEEDED: ReadonlySet<string> = new Set(["View Channel", "Send Messages"]);

const OFFER_MESSAGE: MessageBody = {
  content: md`👋 **Marshal is here.** Someone with the Manage Server permission sets it up in about three minutes: the game server, who may run commands, where the logs go. Only they see the steps; \`/setup start\` opens them too.`,
  rows: [[{ kind: "button", style: "primary", label: "Set it up", id: "guide-open" }]],
};
