import type { KeyEcho } from "./key-echo.ts";
import { Prng } from "./prng.ts";

/** How an error's body looks; the public service shows all of these. */
export type Envelope =
  | "standard"
  | "code-message"
  | "message"
  | "message-commandid"
  | "error-code"
  | "error-only"
  | "html"
  | "empty";

/** How a 429 tells its wait. The specification says both (Errors 1). */
export type RetryAfterStyle = "both" | "header" | "twice" | "body" | "none" | "zero" | "garbage";

/** What the network in front of the service shows to whom it blocks: a page, or JSON to those who ask for JSON. */
export type BlockPage = "html" | "json";

/** How a log list is ordered, and where shuffled the units of a call; the specification does not say. */
type LogOrder = "newest" | "oldest" | "shuffled";

/** What can be wrong. Numbers named without a unit are probabilities from 0 to 1. */
export interface FaultSettings {
  /** Before the request is looked at. */
  delayMs: number;
  jitterMs: number;
  /** The connection is reset before, or after, the request had its effect. */
  resetBefore: number;
  resetAfter: number;
  /** Never answered, the connection stays open; the request has no effect. */
  silent: number;
  /** The declared length is the whole body's, half of it comes, the connection closes. */
  truncate: number;
  slowBody: number;
  slowBodyMs: number;
  /** The effect is at once, the answer of a 2xx comes `lateMs` later, so a 200 can follow a newer 429. */
  late: number;
  lateMs: number;
  /** A page instead of the answer, without effect. */
  html: number;
  htmlStatus: number;
  blockPage: BlockPage;
  noRateLimitHeaders: number;
  /** An answer of 429 out of nowhere. */
  tooMany: number;
  tooManyRetryAfterMs: number;
  retryAfter: RetryAfterStyle;
  /** An older snapshot, served before for the same path, instead of the present. */
  stale: number;
  logOrder: LogOrder;
  /** Timestamps in milliseconds. */
  milliseconds: boolean;
  /** An empty map of `Staff` as `[]`. */
  emptyMapAsArray: boolean;
  /** A mod call that nobody answered yet: without `Moderator`, with null, or not listed at all. */
  moderator: "absent" | "null" | "hidden";
  unknownFields: boolean;
  unknownValues: boolean;
  /** Per row. */
  missingField: number;
  /** Share of rows whose second lies in the far future; at each look the same ones. */
  farFuture: number;
  envelope: Envelope;
  /** 500 and 503 as JSON name this wait in `Retry-After`; 0: none. */
  errorRetryAfterMs: number;
  /** How far the answer's `Date` is off, as from a node with a clock of its own, or out of a cache. */
  dateOffMs: number;
  /** An error with this code of the public list instead of the answer. */
  code: number;
  codeChance: number;
  /** The status that this error comes with; 0: the one that the public list has for it. */
  codeStatus: number;
  /** A good key is refused, and counted as a bad one; without a code as an address is that was banned. */
  refuseKey: number;
  refusal: "coded" | "bare";
  /** 500 on a command, and in which share of those it ran nevertheless. */
  command500: number;
  command500Executed: number;
  /** Something on the way gives a command up that was executed all the same, and answers with this status. */
  commandGivenUp: number;
  commandGivenUpStatus: number;
  /** The answer of a read is padded to this many bytes. */
  oversize: number;
  oversizeBytes: number;
  /** Answers repeat the key that they were asked with, written so. */
  echoKey: KeyEcho;
  /** Which requests the faults touch. Lists of keys: empty means all. */
  only: "all" | "reads" | "commands";
  onlyKeys: readonly string[];
}

/** What a fault plan needs to know about a request. */
export interface FaultScope {
  readonly command: boolean;
  readonly key: string | undefined;
}

/** What will happen to one request: the settings with the dice thrown. */
export interface Fate {
  readonly delayMs: number;
  readonly reset: "none" | "before" | "after";
  readonly silent: boolean;
  readonly truncate: boolean;
  /** 0: at once. */
  readonly slowBodyMs: number;
  /** How long a 2xx is held back after its effect. */
  readonly lateMs: number;
  readonly html: boolean;
  readonly tooMany: boolean;
  readonly noRateLimitHeaders: boolean;
  readonly stale: boolean;
  readonly code: number | undefined;
  readonly refuseKey: boolean;
  readonly command500: "no" | "executed" | "unexecuted";
  readonly commandGivenUp: boolean;
  /** 0: as long as it is. */
  readonly padToBytes: number;
  /** The settings that need no dice, or dice per row. */
  readonly settings: Readonly<FaultSettings>;
  /** For the dice per row. */
  readonly random: Prng;
}

/** No faults; the shape of the facts, or of the bare specification. */
export function defaultFaults(strictSpec: boolean): FaultSettings {
  return {
    delayMs: 0,
    jitterMs: 0,
    resetBefore: 0,
    resetAfter: 0,
    silent: 0,
    truncate: 0,
    slowBody: 0,
    slowBodyMs: 2_000,
    late: 0,
    lateMs: 3_000,
    html: 0,
    htmlStatus: 502,
    blockPage: "html",
    noRateLimitHeaders: 0,
    tooMany: 0,
    tooManyRetryAfterMs: 5_000,
    retryAfter: "both",
    stale: 0,
    logOrder: "newest",
    milliseconds: false,
    emptyMapAsArray: !strictSpec,
    moderator: strictSpec ? "hidden" : "absent",
    unknownFields: false,
    unknownValues: false,
    missingField: 0,
    farFuture: 0,
    envelope: "standard",
    errorRetryAfterMs: 0,
    dateOffMs: 0,
    code: 0,
    codeChance: 0,
    codeStatus: 0,
    refuseKey: 0,
    refusal: "coded",
    command500: 0,
    command500Executed: 0,
    commandGivenUp: 0,
    commandGivenUpStatus: 408,
    oversize: 0,
    oversizeBytes: 9 * 1024 * 1024,
    echoKey: "none",
    only: "all",
    onlyKeys: [],
  };
}

interface Once {
  readonly faults: Partial<FaultSettings>;
  left: number;
}

/** What is wrong with the service at present. Seeded: the same requests meet the same faults. */
export class FaultPlan {
  readonly #defaults: FaultSettings;
  readonly #random: Prng;
  #settings: FaultSettings;
  #once: Once[] = [];

  constructor(defaults: FaultSettings, initial: Partial<FaultSettings>, seed: number) {
    this.#defaults = defaults;
    this.#settings = { ...defaults, ...initial };
    this.#random = new Prng(seed);
  }

  /** The settings in force. */
  get settings(): Readonly<FaultSettings> {
    return this.#settings;
  }

  /** Changes some settings; the others stay. */
  set(faults: Partial<FaultSettings>): void {
    this.#settings = { ...this.#settings, ...faults };
  }

  /** Faults for the next `count` requests only (those in `faults.only` and `faults.onlyKeys`), in order of calls. */
  next(faults: Partial<FaultSettings>, count = 1): void {
    this.#once.push({ faults, left: count });
  }

  /** Back to no faults. */
  clear(): void {
    this.#settings = { ...this.#defaults };
    this.#once = [];
  }

  /** Throws the dice for one request. */
  draw(scope: FaultScope): Fate {
    const once = this.#once.find((entry) => inScope({ ...this.#defaults, ...entry.faults }, scope));
    if (once) {
      once.left -= 1;
      if (once.left <= 0) this.#once = this.#once.filter((entry) => entry !== once);
    }
    const base = inScope(this.#settings, scope) ? this.#settings : this.#defaults;
    return this.#throw(once ? { ...base, ...once.faults } : base, scope);
  }

  #throw(settings: FaultSettings, scope: FaultScope): Fate {
    const random = this.#random;
    const before = random.chance(settings.resetBefore);
    const after = random.chance(settings.resetAfter);
    const failed = scope.command && random.chance(settings.command500);
    const ran = failed && random.chance(settings.command500Executed);
    return {
      delayMs: settings.delayMs + (settings.jitterMs > 0 ? random.int(0, settings.jitterMs) : 0),
      reset: before ? "before" : after ? "after" : "none",
      silent: random.chance(settings.silent),
      truncate: random.chance(settings.truncate),
      slowBodyMs: random.chance(settings.slowBody) ? settings.slowBodyMs : 0,
      lateMs: random.chance(settings.late) ? settings.lateMs : 0,
      html: random.chance(settings.html),
      tooMany: random.chance(settings.tooMany),
      noRateLimitHeaders: random.chance(settings.noRateLimitHeaders),
      stale: random.chance(settings.stale),
      code: random.chance(settings.codeChance) ? settings.code : undefined,
      refuseKey: settings.refuseKey > 0 && random.chance(settings.refuseKey),
      command500: failed ? (ran ? "executed" : "unexecuted") : "no",
      commandGivenUp: scope.command && random.chance(settings.commandGivenUp),
      padToBytes: random.chance(settings.oversize) ? settings.oversizeBytes : 0,
      settings,
      random,
    };
  }
}

function inScope(settings: FaultSettings, scope: FaultScope): boolean {
  if (settings.only === "commands" && !scope.command) return false;
  if (settings.only === "reads" && scope.command) return false;
  return settings.onlyKeys.length === 0 || (scope.key !== undefined && settings.onlyKeys.includes(scope.key));
}

/** The status that an error was told to come with, where it was told one. */
export function forcedStatus({ settings }: Fate): { readonly status?: number } {
  return settings.codeStatus === 0 ? {} : { status: settings.codeStatus };
}

/** The `Date` of an answer. */
export function dateAt({ settings }: Fate, nowMs: number): string {
  return new Date(nowMs + settings.dateOffMs).toUTCString();
}
