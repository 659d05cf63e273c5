import { type REST, Routes } from "discord.js";
import { joined, md } from "../../domain/escaped.ts";
import { SinkRefusal } from "../../domain/failure.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { Notifier, Reach } from "../../domain/ports/notifier.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import type { Log } from "../../log.ts";
import { escapeMarkdown } from "../render/escape.ts";
import { asSinkRefusal } from "./sink.ts";

export interface NotifierPorts {
  readonly rest: REST;
  readonly sink: Sink;
  readonly settings: Settings;
  readonly bindings: Bindings;
  readonly random: Random;
  readonly log: Log;
  /** The guild's name, which a direct message shows as its origin. */
  guildName(guildId: string): string | undefined;
}

export interface AskerNotifier extends Notifier {
  /** By direct message, else where it was asked, else in the notice channel. Never rejects. */
  tellAsker(
    asker: { readonly guildId: string; readonly userId: string; readonly channelId: string },
    body: MessageBody,
    nonce: string,
  ): Promise<Reach>;
}

/** Notifies people by the first way that works. Never rejects, because its callers could do nothing about it. */
export function createNotifier(ports: NotifierPorts): AskerNotifier {
  const { rest, sink, settings, bindings, random, log } = ports;

  const send = (channelId: string, body: MessageBody, nonce = random.id().slice(0, 25)) =>
    sink.send(channelId, { ...body, nonce });

  async function direct(
    { guildId, userId }: { readonly guildId: string; readonly userId: string },
    body: MessageBody,
    nonce?: string,
  ): Promise<void> {
    const channel = await asSinkRefusal(() =>
      rest.post(Routes.userChannels(), { body: { recipient_id: userId } }),
    );
    if (
      typeof channel !== "object" ||
      channel === null ||
      !("id" in channel) ||
      typeof channel.id !== "string"
    ) {
      throw new SinkRefusal("unknown", "Discord opened no direct-message channel");
    }
    const from = ports.guildName(guildId);
    const heading = from === undefined ? [] : [md`-# From **${escapeMarkdown(from)}**`];
    // Buttons work within a guild only.
    const { rows: _, ...withoutRows } = body;
    const content = joined([...heading, ...(body.content === undefined ? [] : [body.content])], "\n");
    await send(channel.id, { ...withoutRows, content }, nonce);
  }

  async function inGuild(guildId: string, body: MessageBody, nonce?: string): Promise<void> {
    const { noticeChannelId } = await settings.of(guildId);
    if (noticeChannelId === undefined) throw new SinkRefusal("gone", "no notice channel is set");
    await send(noticeChannelId, body, nonce);
  }

  /** Takes the first way that works. */
  async function tell(guildId: string, ways: readonly (() => Promise<void>)[]): Promise<Reach> {
    const failures: unknown[] = [];
    for (const way of ways) {
      try {
        await way();
        return "told";
      } catch (error) {
        failures.push(error);
      }
    }
    log.warn({ guildId, err: new AggregateError(failures, "no way is open") }, "a notice reached nobody");
    return failures.some(isAway) ? "away" : "refused";
  }

  return {
    person: (guildId, userId, body) =>
      tell(guildId, [() => direct({ guildId, userId }, body), () => inGuild(guildId, body)]),
    tellAsker: ({ guildId, userId, channelId }, body, nonce) =>
      tell(guildId, [
        () => direct({ guildId, userId }, body, nonce),
        async () => void (await send(channelId, body, nonce)),
        () => inGuild(guildId, body, nonce),
      ]),
    async guild(guildId, body, userId) {
      await tell(guildId, [
        () => inGuild(guildId, body),
        async () => {
          const recipient = userId ?? (await bindings.list(guildId))[0]?.linkedBy;
          if (recipient === undefined) throw new SinkRefusal("gone", "nobody has linked a server");
          await direct({ guildId, userId: recipient }, body);
        },
      ]);
    },
  };
}

function isAway(error: unknown): boolean {
  return error instanceof SinkRefusal && error.reason === "unknown";
}
