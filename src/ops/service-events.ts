import type { MessageBody } from "../domain/message.ts";
import type { SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { ServiceEvent } from "../domain/ports/service-health.ts";
import type { Log } from "../log.ts";

export interface ServiceEventParts {
  readonly bindings: Pick<Bindings, "all" | "bySource">;
  readonly notifier: Pick<Notifier, "guild">;
  readonly log: Log;
  /** Words for a guild; pure, from discord/render. */
  readonly words: {
    keyParked(serverName: string, why: string): MessageBody;
    keyTakenAgain(serverName: string): MessageBody;
    readRefused(serverName: string, why: string): MessageBody;
    blocked(untilMs: number): MessageBody;
    resumed(): MessageBody;
  };
  /** Runs that wait for this key must not wait for ever. */
  onKeyParked(source: SourceId): void;
}

/**
 * Tells the operator (log) and the guilds what the service says of us: a parked key to its guilds, a block to all
 *. An ordinary 429 is the operator's to know: it passes in seconds and people see it in their answers.
 * Notifications follow each other, so that ten thousand guilds are not a burst at Discord.
 */
export function createServiceEvents(parts: ServiceEventParts): (event: ServiceEvent) => void {
  const { bindings, notifier, log, words } = parts;
  let toldOfBlock = false;

  async function tellAll(body: MessageBody): Promise<void> {
    const told = new Set<string>();
    for await (const { guildId } of bindings.all()) {
      if (told.has(guildId)) continue;
      told.add(guildId);
      await notifier.guild(guildId, body);
    }
  }

  async function tellGuildsOf(source: SourceId, body: (serverName: string) => MessageBody): Promise<void> {
    for (const binding of await bindings.bySource(source)) {
      await notifier.guild(binding.guildId, body(binding.name));
    }
  }

  const inBackground = (work: Promise<void>): void => {
    work.catch((err: unknown) => log.error({ err }, "guilds could not be told of a change at the service"));
  };

  return (event) => {
    switch (event.kind) {
      case "halted":
        log.warn(
          { why: event.why, until: new Date(event.untilMs).toISOString() },
          `asking has stopped: ${event.message}`,
        );
        // Told once a block, however often a probe finds it still there.
        if (event.why === "blocked" && !toldOfBlock) {
          toldOfBlock = true;
          inBackground(tellAll(words.blocked(event.untilMs)));
        }
        break;
      case "resumed":
        log.info({}, "the service answers again; asking goes on");
        if (toldOfBlock) inBackground(tellAll(words.resumed()));
        toldOfBlock = false;
        break;
      case "key-parked":
        log.warn(
          { source: event.source, why: event.failure.message },
          "a server key is parked until it is linked again",
        );
        parts.onKeyParked(event.source);
        inBackground(tellGuildsOf(event.source, (name) => words.keyParked(name, event.failure.message)));
        break;
      case "key-taken-again":
        log.info({ source: event.source }, "a parked server key is taken again");
        inBackground(tellGuildsOf(event.source, words.keyTakenAgain));
        break;
      case "read-refused":
        log.warn(
          { source: event.source, why: event.failure.message },
          "the service does not let us read a server; it is asked again rarely",
        );
        inBackground(tellGuildsOf(event.source, (name) => words.readRefused(name, event.failure.message)));
        break;
      case "global-key-rejected":
        log.error({}, "the service rejects SERVICE_GLOBAL_KEY; asking has stopped until it is put right");
        break;
      case "shared-limits":
        log.warn(
          { bucket: event.bucketHash },
          "requests of another program spend from our limits: the same address or key is in use elsewhere",
        );
        break;
    }
  };
}
