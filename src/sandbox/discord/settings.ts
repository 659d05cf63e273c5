/** What can be set on the emulated Discord, its thresholds and faults, and what it recorded. */

/** One request and its answer. The token is left out. */
export interface TrafficEntry {
  readonly atMs: number;
  readonly method: string;
  /** Without /api/v10 and query. */
  readonly path: string;
  readonly query: string;
  readonly contentType: string | undefined;
  readonly body: unknown;
  readonly status: number;
  readonly answer: unknown;
  readonly answerHeaders: Readonly<Record<string, string>>;
}

export interface RouteLimit {
  readonly limit: number;
  readonly windowMs: number;
}

/** Every threshold; all may be changed while it runs. */
export interface DiscordLimits {
  /** An interaction must be answered within this (3,000): else 10062. */
  answerWithinMs: number;
  /** Life of an interaction token (900,000): then 50027. */
  tokenLivesMs: number;
  /** How long a nonce is remembered (300,000). */
  nonceWindowMs: number;
  /** Edits of messages older than `olderThanMs` that fit into a window, for each channel: beyond, 30046. */
  oldEdits: { olderThanMs: number; limit: number; windowMs: number };
  /** Edits of a published message that fit into a window: beyond, 20022. */
  publishedEdits: RouteLimit;
  /** 25 MiB less a little: beyond, 40005. */
  maxUploadBytes: number;
  /** 10 MiB, of one file: beyond, 40005. */
  maxFileBytes: number;
  /** For any route without its own entry; the window of each bucket. */
  perRoute: RouteLimit;
  /** By "METHOD /route", ids as `:id`, such as "POST /channels/:id/messages"; those of a channel: 5 in 5 s each. */
  routes: Record<string, RouteLimit>;
  /** Requests a second over all routes but interactions (50); 0 for no limit. */
  globalPerSecond: number;
  /** Threads of a guild that are not archived (1,000): beyond, 160006. */
  activeThreads: number;
  /** How many shards are recommended (1). */
  shards: number;
  /**
   * Sessions: `total` identifies in 24 hours, beyond which the token is worth nothing; one identify for each
   * `shard % maxConcurrency` in `everyMs` (5,000), beyond which a session is invalid.
   */
  identify: { total: number; maxConcurrency: number; everyMs: number };
}

export interface FaultSettings {
  /** `down`: connections are cut, the gateway too. `5xx`: every request is answered 503. */
  outage?: "down" | "5xx" | undefined;
  /** How long an outage lasts by the clock of this Discord; without it, until it is cleared. */
  outageMs?: number | undefined;
  /** For the next n messages that the bot sends: stored, then answered 500. */
  sendThen500?: number;
  /** For the next n messages that the bot sends: stored, then the connection is cut. */
  sendThenReset?: number;
  /** For the next n messages that the bot sends: answered 500, nothing stored. */
  failSends?: number;
  /** The next n messages that the bot sends are answered 401 though its token is good; nothing is stored. */
  unauthorizedSends?: number;
  /** The next n threads that the bot opens are answered 500 and not opened. */
  failThreads?: number;
  /** The bot's token was reset in the portal: requests with it get 401, an identify is closed with 4004. */
  tokenRevoked?: boolean;
  /** Members are asked for over the gateway too often: each such request is told to wait for so long. */
  membersRefusedForMs?: number | undefined;
  /** For the next n answers to interactions: carried out, then answered 500. */
  callbackThen500?: number;
  /** For the next n answers to interactions: carried out, then the connection is cut. */
  callbackThenReset?: number;
  /** The next n answers to interactions, after those that are carried out and lost, get 500 and are not carried out. */
  failCallbacks?: number;
  /** For the next n answers that the bot deletes: deleted, then answered 500. */
  deleteThen500?: number;
  /** The gateway tells of the next n interactions twice, as it may after a connection was lost. */
  tellTwice?: number;
  /** Shards whose connections are cut and not taken up again until they are left out of this list. */
  shardsAway?: readonly number[];
  /** Real milliseconds before a request is looked at. */
  latencyMs?: number;
  /** The next n requests are answered 429. */
  rateLimitNext?: number;
  /** What such a 429 says to wait (1,000). */
  rateLimitRetryAfterMs?: number;
  /** Such a 429 holds for all requests of the bot: until then each is answered so. */
  rateLimitIsGlobal?: boolean;
  /** A 429 comes from the network in front of Discord: a page, without a word of Discord's own. */
  rateLimitIsPage?: boolean;
}

/** Closes after which a client must not connect again: bad token, bad shard, too few shards, version, intents. */
export type FatalClose = 4004 | 4010 | 4011 | 4012 | 4013 | 4014;

export interface Faults {
  readonly current: Readonly<FaultSettings>;
  set(settings: FaultSettings): void;
  clear(): void;
  /** Cuts the gateway's connections. The sessions can be resumed unless `resumable` is false. */
  dropGateway(options?: { readonly resumable?: boolean }): void;
  /** Closes every connection of the gateway for good, with a code that forbids to come back: 4004, 4010 to 4014. */
  endGateway(code: FatalClose): void;
}

export interface DiscordOptions {
  /** Clock of every threshold and timestamp; default the machine's. */
  readonly nowMs?: () => number;
  /**
   * `wide`: requests are not limited. For clocks that the client does not follow: it waits by the machine's, and would
   * wait for ever where this one stands still. @default "real"
   */
  readonly pace?: "real" | "wide";
  readonly token?: string;
  readonly applicationId?: string;
  readonly applicationName?: string;
  /** Keeps `traffic`; default off. */
  readonly record?: boolean;
  /** Interaction tokens and session ids come from this. */
  readonly seed?: string;
}
