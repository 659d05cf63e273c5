import { DefaultRestOptions, type RESTOptions } from "@discordjs/rest";
import { Routes } from "discord.js";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Log } from "../../log.ts";
import { TOKEN_REFUSED } from "./log-in.ts";
import { makeRequest } from "./make-request.ts";
import { patientLogin } from "./patient-login.ts";
import { withTokenGuard } from "./token-guard.ts";

export interface GuardedRequestsOptions {
  /** Such as `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the client is closed, which ends a login that waits for Discord. */
  readonly closed: AbortSignal;
  /** A login found Discord away, and waits for it. */
  onAway(): void;
  /** Discord refuses this bot until its operator acts; `reason` says what happened, in words. */
  onEnded(reason: string): void;
}

/** How one request is sent: a login waits for Discord, and one 401 alone is not believed. */
export function guardedRequests(options: GuardedRequestsOptions): RESTOptions["makeRequest"] {
  const { apiUrl, clock, log, closed, ...on } = options;
  const restUrl = `${apiUrl}/v${DefaultRestOptions.version}`;
  return patientLogin({
    send: withTokenGuard({
      send: makeRequest,
      whoAmIUrl: `${restUrl}${Routes.user()}`,
      onRefused: () => on.onEnded(TOKEN_REFUSED),
      onWronglyRefused: () =>
        log.warn({}, "Discord answered 401 although the token is good; the request was sent again"),
    }),
    gatewayUrl: `${restUrl}${Routes.gatewayBot()}`,
    clock,
    log,
    signal: closed,
    onAway: () => on.onAway(),
  });
}
