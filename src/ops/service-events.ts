import type { MessageBody } from "../domain/message.ts";
import type { SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { ServiceEvent } from "../domain/ports/service-health.ts";
import type { Log } from "../log.ts";
import { notifyGuilds } from "./notify-guilds.ts";

export interface ServiceEventParts {
  readonly bindings: Pick<Bindings, "linked" | "bySource">;
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
}

export interface ServiceEvents {
  /** For the client of the service. */
  readonly onEvent: (event: ServiceEvent) => void;
  /** Calls `listener` for each key that is parked. */
  onKeyParked(listener: (source: SourceId) => void): void;
}

/**
 * Logs what happens to the service or to a key, and notifies guilds: of a parked key those that link it, of a block all
 * of them. An ordinary 429 is only logged, because it passes in seconds and people see it in their answers.
 */
export function createServiceEvents(parts: ServiceEventParts): ServiceEvents {
  const { bindings, notifier, log, words } = parts;
  const keyListeners: ((source: SourceId) => void)[] = [];
  let blockAnnounced = false;

  const notifyAll = (body: MessageBody) => notifyGuilds({ bindings, notifier, body });

  async function notifyGuildsOf(source: SourceId, body: (serverName: string) => MessageBody): Promise<void> {
    for (const binding of await bindings.bySource(source)) {
      await notifier.guild(binding.guildId, body(binding.name));
    }
  }

  const inBackground = (work: Promise<void>): void => {
    work.catch((err: unknown) =>
      log.error({ err }, "could not tell communities of a change at the game service"),
    );
  };

  const onEvent = (event: ServiceEvent): void => {
    switch (event.kind) {
      case "halted":
        log.warn(
          { why: event.why, until: new Date(event.untilMs).toISOString() },
          `Marshal stopped asking the game service: ${event.message}`,
        );
        // Announced once for each block, however often a probe finds it still there.
        if (event.why === "blocked" && !blockAnnounced) {
          blockAnnounced = true;
          inBackground(notifyAll(words.blocked(event.untilMs)));
        }
        break;
      case "resumed":
        // Also after a start that asked once before all else, when the service was never away.
        log.info({}, "the service answered: Marshal goes on asking it");
        if (blockAnnounced) inBackground(notifyAll(words.resumed()));
        blockAnnounced = false;
        break;
      case "key-parked":
        log.warn(
          { source: event.source, why: event.failure.message },
          "a server key was refused and is paused",
        );
        for (const listener of keyListeners) listener(event.source);
        inBackground(notifyGuildsOf(event.source, (name) => words.keyParked(name, event.failure.message)));
        break;
      case "key-taken-again":
        log.info({ source: event.source }, "a paused server key works again");
        inBackground(notifyGuildsOf(event.source, words.keyTakenAgain));
        break;
      case "read-refused":
        log.warn(
          { source: event.source, why: event.failure.message },
          "the game service does not let Marshal read a server; it is asked rarely from now on",
        );
        inBackground(notifyGuildsOf(event.source, (name) => words.readRefused(name, event.failure.message)));
        break;
      case "global-key-rejected":
        log.error({}, "the service refuses SERVICE_GLOBAL_KEY; Marshal stops asking until it is fixed");
        break;
      case "shared-limits":
        log.warn(
          { bucket: event.bucketHash },
          "another program uses up our limits: the same address or key is in use elsewhere",
        );
        break;
      case "budget-holds":
        log.warn(
          { budget: event.most },
          "requests wait for BAD_KEY_BUDGET and not for the service's limit; docs/hosting.md says when to raise it",
        );
        break;
    }
  };

  return { onEvent, onKeyParked: (listener) => void keyListeners.push(listener) };
}
