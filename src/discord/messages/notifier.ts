import { SinkRefusal } from "../../domain/failure.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { DirectMessages } from "../../domain/ports/notifier.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import type { Log } from "../../log.ts";

export interface NotifierPorts {
  readonly sink: Sink;
  readonly direct: DirectMessages;
  readonly settings: Settings;
  readonly random: Random;
  readonly log: Log;
}

/** Tells people who wait for an answer what became of it, in one try and past the turns. */
export interface AskerNotifier {
  /** By direct message, else in the notice channel. Never rejects. */
  person(guildId: string, userId: string, body: MessageBody): Promise<"told" | "refused">;
}

/** Notifies people by the first way that works. Never rejects, because its callers could do nothing about it. */
export function createNotifier(ports: NotifierPorts): AskerNotifier {
  const { sink, direct: messages, settings, random, log } = ports;

  const send = (channelId: string, body: MessageBody) =>
    sink.send(channelId, { ...body, nonce: random.id().slice(0, 25) });

  async function direct(guildId: string, userId: string, body: MessageBody): Promise<void> {
    await send(await messages.open(userId), messages.bodyFrom(guildId, body));
  }

  async function inGuild(guildId: string, body: MessageBody): Promise<void> {
    const { noticeChannelId } = await settings.of(guildId);
    if (noticeChannelId === undefined) throw new SinkRefusal("gone", "no notice channel is set");
    await send(noticeChannelId, body);
  }

  /** Takes the first way that works. */
  async function tell(guildId: string, ways: readonly (() => Promise<void>)[]): Promise<"told" | "refused"> {
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
    return "refused";
  }

  return {
    person: (guildId, userId, body) =>
      tell(guildId, [() => direct(guildId, userId, body), () => inGuild(guildId, body)]),
  };
}
