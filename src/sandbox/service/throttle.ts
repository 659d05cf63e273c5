import { type ErrorStyle, failure } from "./answers.ts";
import { type Identity, identityName } from "./blocks.ts";
import type { RetryAfterStyle } from "./faults.ts";
import { Limiter, type LimitSettings, type Spent } from "./limits.ts";
import type { Prng } from "./prng.ts";
import type { ServiceResponse } from "./wire.ts";

/** A bucket as a caller sees it after a request. */
export interface Bucket {
  readonly name: string;
  readonly spent: Spent;
}

/** Which counters a request spends from, under which names, and how limits are told. */
export class Throttle {
  readonly #limits: LimitSettings;
  readonly #strictSpec: boolean;
  readonly #limiter = new Limiter();
  readonly #dice: Prng;

  /** `dice`: for what is told wrong now and then. */
  constructor(limits: LimitSettings, strictSpec: boolean, dice: Prng) {
    this.#limits = limits;
    this.#strictSpec = strictSpec;
    this.#dice = dice;
  }

  /** The app-wide counter: of the address, of the application at it, or of one server with a number of its own. */
  general(identity: Identity, key: string | undefined, isRead: boolean, nowMs: number): Bucket {
    const limits = this.#limits;
    const own = key !== undefined && Object.hasOwn(limits.perServer, key) ? limits.perServer[key] : undefined;
    const rate = own ?? (identity.application === undefined ? limits.global : limits.application);
    const counter = own ? `server|${identityName(identity)}|${key}` : `all|${identityName(identity)}`;
    return {
      name: this.#generalName(identity, isRead) + limits.nameSuffix,
      spent: this.#limiter.spend(counter, rate, limits.align, nowMs),
    };
  }

  /** The command counter of a server, whoever spends from it (spec: Limits 3). */
  command(identity: Identity, key: string, nowMs: number): Bucket {
    const app = this.#strictSpec || identity.application === undefined ? "" : `${identity.application}-`;
    const name = `command-${app}${key}`;
    return { name, spent: this.#limiter.spend(name, this.#limits.command, this.#limits.align, nowMs) };
  }

  /** Forgets what was spent. */
  clear(): void {
    this.#limiter.clear();
  }

  /** The four headers (spec: Limits 4). */
  headers(bucket: Bucket): Record<string, string> {
    const { limit, remaining, resetMs } = bucket.spent;
    const seconds = resetMs / 1_000;
    const rounded = this.#limits.resetRounding === "ceil" ? Math.ceil(seconds) : Math.floor(seconds);
    const { resetWobble, farReset, farResetMs } = this.#limits;
    const near = this.#dice.chance(resetWobble) ? rounded + this.#dice.pick([-1, 1]) : rounded;
    const reset = this.#dice.chance(farReset) ? near + Math.round(farResetMs / 1_000) : near;
    return {
      "x-ratelimit-bucket": bucket.name,
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-reset": String(reset),
    };
  }

  /** A 429 that tells a wait in `Retry-After` and `retry_after` (spec: Errors 1), and how long that binds. */
  tooMany(
    waitMs: number,
    style: ErrorStyle,
    told: RetryAfterStyle,
    message?: string,
  ): { readonly response: ServiceResponse; readonly boundMs: number } {
    const exact = Math.max(0.001, Math.ceil(waitMs) / 1_000);
    const { fractions } = this.#limits;
    const header = fractions === "both" ? exact : Math.ceil(exact);
    const body = fractions === "none" ? Math.ceil(exact) : exact;
    const inBody = told === "both" || told === "body";
    const inHeader = told === "both" || told === "header" || told === "twice";
    const extra = inBody
      ? { retry_after: body }
      : told === "garbage"
        ? { retry_after: "soon" }
        : told === "zero"
          ? { retry_after: 0 }
          : {};
    const response = failure(4001, style, { extra, ...(message === undefined ? {} : { message }) });
    const once = told === "garbage" ? "a while" : told === "zero" ? "0" : undefined;
    const retryAfter = told === "twice" ? `${header}, 1` : inHeader ? String(header) : once;
    return {
      response: {
        ...response,
        headers: { ...response.headers, ...(retryAfter && { "retry-after": retryAfter }) },
      },
      boundMs: 1_000 * Math.max(exact, inBody ? body : 0, inHeader ? header : 0),
    };
  }

  #generalName(identity: Identity, isRead: boolean): string {
    if (this.#strictSpec) return "global";
    if (identity.application === undefined) return "unauthenticated-global";
    return isRead ? "public-app-get" : "global";
  }
}
