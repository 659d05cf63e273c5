import type { MessageBody } from "../domain/message.ts";
import type { SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { BadKeys, ServiceHealth } from "../domain/ports/service-health.ts";
import type { Log } from "../log.ts";

export interface HeldKeysParts {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "error">;
  readonly bindings: Pick<Bindings, "all">;
  readonly notifier: Pick<Notifier, "guild">;
  readonly service: Pick<ServiceHealth, "held"> & { badKeys(): Pick<BadKeys, "waitingKeys"> };
  /** Words for a guild; pure, from discord/render. */
  readonly words: {
    keyWaits(serverName: string, untilMs: number): MessageBody;
    keyGoesOn(serverName: string): MessageBody;
  };
}

const CHECK_EVERY_MS = 60_000;
/** Most keys wait for minutes only, and a notice of that would be outdated before it is read. */
const ANNOUNCED_AFTER_MS = 5 * 60_000;

interface Wait {
  readonly sinceMs: number;
  readonly isAnnounced: boolean;
}

/**
 * Logs, and notifies guilds once, when their server has to wait because too many keys of others were refused: for up to
 * an hour nothing is posted although nothing is wrong with it. Checks each minute until it is stopped.
 */
export function watchHeldKeys(parts: HeldKeysParts): { stop(): void } {
  const { clock, log } = parts;
  let waits: ReadonlyMap<SourceId, Wait> = new Map();
  let isStopped = false;
  let cancel: () => void = () => {};
  const check = async () => {
    try {
      if (waits.size > 0 || parts.service.badKeys().waitingKeys > 0) waits = await announce(parts, waits);
    } catch (err) {
      log.error({ err }, "could not tell communities that their servers wait");
    }
    if (!isStopped) cancel = clock.after(CHECK_EVERY_MS, () => void check());
  };
  cancel = clock.after(CHECK_EVERY_MS, () => void check());
  return {
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

async function announce(
  { clock, log, bindings, notifier, service, words }: HeldKeysParts,
  before: ReadonlyMap<SourceId, Wait>,
): Promise<ReadonlyMap<SourceId, Wait>> {
  const now = new Map<SourceId, Wait>();
  let begun = 0;
  const nowMs = clock.monotonicMs();
  for await (const { guildId, source, name } of bindings.all()) {
    const known = before.get(source);
    const held = service.held(source);
    if (held === undefined) {
      if (known?.isAnnounced) await notifier.guild(guildId, words.keyGoesOn(name));
      continue;
    }
    const sinceMs = known?.sinceMs ?? nowMs;
    const isLong = nowMs - sinceMs >= ANNOUNCED_AFTER_MS;
    now.set(source, { sinceMs, isAnnounced: isLong });
    if (!isLong || known?.isAnnounced) continue;
    begun += 1;
    await notifier.guild(guildId, words.keyWaits(name, held.untilMs));
  }
  if (begun > 0)
    log.warn(
      { servers: begun },
      "servers are paused because too many keys were refused (BAD_KEY_BUDGET); their communities were told",
    );
  return now;
}
