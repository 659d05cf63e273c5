import { createServiceClient } from "./api/client.ts";
import type { Config } from "./config.ts";
import { serviceWords } from "./discord/render/service-notices.ts";
import type { Clock, Random } from "./domain/ports/clock.ts";
import type { Notifier } from "./domain/ports/notifier.ts";
import { ServerKey } from "./domain/server-key.ts";
import type { LeasedParts } from "./leased-parts.ts";
import type { Log } from "./log.ts";
import type { openDocuments } from "./open-documents.ts";
import type { MetricsRegistry } from "./ops/metrics.ts";
import { createServiceEvents } from "./ops/service-events.ts";

export interface ServiceParts {
  readonly config: Config;
  readonly kept: Awaited<ReturnType<typeof openDocuments>>;
  readonly notifier: Notifier;
  readonly leased: LeasedParts | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: MetricsRegistry;
  readonly log: Log;
}

/** Builds the client of the game service, and what logs its events and tells them to guilds. Starts nothing. */
export function buildService({ config, kept, notifier, leased, clock, random, metrics, log }: ServiceParts) {
  const serviceEvents = createServiceEvents({ bindings: kept.bindings, notifier, log, words: serviceWords });
  const service = createServiceClient({
    serviceUrl: config.serviceUrl,
    ...(config.serviceGlobalKey === undefined ? {} : { globalKey: new ServerKey(config.serviceGlobalKey) }),
    family: config.serviceFamily,
    keys: kept.keys,
    halts: kept.halts,
    rejected: kept.rejected,
    keyBudget: kept.keyBudget,
    openRequests: kept.openRequests,
    takenKeys: kept.takenKeys,
    refusedReads: kept.refusedReads,
    commandPermissions: kept.commandPermissions,
    serviceAppId: config.serviceAppId,
    publicAddresses: config.publicAddresses,
    badKeyBudget: config.badKeyBudget,
    permit: leased?.permit,
    shared: leased && { limitsOf: leased.limitsOf, salt: kept.limitSalt },
    clock: leased?.clock ?? clock,
    random,
    metrics,
    log,
    onEvent: serviceEvents.onEvent,
  });
  const serviceForCommands = { keyVerifier: service, commandPermission: service, health: service };
  return { service, serviceEvents, serviceForCommands };
}
