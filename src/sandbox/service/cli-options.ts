import { COMMAND_CHECKS, type CommandCheck } from "./command-route.ts";
import type { FaultSettings } from "./faults.ts";
import type { LimitSettings } from "./limits.ts";
import type { Intensity } from "./town/traffic.ts";

/** A bad option: one line that says which and what was expected. */
export class UsageError extends Error {}

/** The options as they are gathered. */
export interface Draft {
  port: number;
  host: string;
  trustForwarded: boolean;
  strictSpec: boolean;
  commands: "allowed" | "refused";
  commandChecks: readonly CommandCheck[];
  seed: number;
  keys: string[];
  globalKeys: string[];
  limits: LimitSettings;
  faults: FaultSettings;
  name: string | undefined;
  intensity: Intensity;
  maxPlayers: number;
  logWindow: number;
}

/** One option: how it reads and what it sets. */
export interface Option {
  readonly flag: string;
  /** What the value looks like; none for a switch. */
  readonly value?: string;
  readonly help: string;
  readonly apply: (draft: Draft, value: string) => void;
}

function text(flag: string, value: string, help: string, set: (draft: Draft, value: string) => void): Option {
  return { flag, value, help, apply: set };
}

function toggle(flag: string, help: string, set: (draft: Draft) => void): Option {
  return { flag, help, apply: (draft) => set(draft) };
}

function count(flag: string, help: string, set: (draft: Draft, value: number) => void, low = 0): Option {
  return {
    flag,
    value: "N",
    help,
    apply: (draft, value) => {
      const number = Number(value);
      if (value.trim() === "" || !Number.isInteger(number) || number < low)
        throw new UsageError(`--${flag} must be a whole number of at least ${low}, not "${value}"`);
      set(draft, number);
    },
  };
}

function share(flag: string, help: string, set: (draft: Draft, value: number) => void): Option {
  return {
    flag,
    value: "P",
    help: `${help} (probability 0..1)`,
    apply: (draft, value) => {
      const number = Number(value);
      if (value.trim() === "" || !(number >= 0 && number <= 1))
        throw new UsageError(`--${flag} must be a probability from 0 to 1, not "${value}"`);
      set(draft, number);
    },
  };
}

function choice<T extends string>(
  flag: string,
  choices: readonly T[],
  help: string,
  set: (draft: Draft, value: T) => void,
): Option {
  return {
    flag,
    value: choices.join("|"),
    help,
    apply: (draft, value) => {
      const chosen = choices.find((known) => known === value);
      if (chosen === undefined)
        throw new UsageError(`--${flag} must be one of ${choices.join(", ")}, not "${value}"`);
      set(draft, chosen);
    },
  };
}

const CHECK_ORDERS = [
  "permission,body,players",
  "permission,players,body",
  "body,permission,players",
  "body,players,permission",
  "players,permission,body",
  "players,body,permission",
] as const;

const GENERAL: readonly Option[] = [
  count("port", "where to listen; 0 takes a free port (default 0)", (d, n) => {
    if (n > 65_535) throw new UsageError(`--port must be at most 65535, not "${n}"`);
    d.port = n;
  }),
  text("host", "ADDRESS", "default 127.0.0.1", (d, v) => (d.host = v)),
  text("key", "KEY", "a server key that works; repeatable (default demo-key)", (d, v) => {
    if (d.keys.includes(v)) throw new UsageError("--key names one key twice");
    d.keys.push(v);
  }),
  text("global-key", "KEY", "a global API key that was issued; repeatable", (d, v) => d.globalKeys.push(v)),
  toggle(
    "strict-spec",
    "the bare specification, without the public service's facts",
    (d) => (d.strictSpec = true),
  ),
  choice("commands", ["allowed", "refused"], "whether the owners let callers run commands", (d, v) => {
    d.commands = v;
  }),
  choice(
    "command-checks",
    CHECK_ORDERS,
    "the order in which a command is refused (default: the first)",
    (d, v) => {
      d.commandChecks = COMMAND_CHECKS.toSorted((a, b) => v.indexOf(a) - v.indexOf(b));
    },
  ),
  count("seed", "the same seed gives the same towns (default 1)", (d, n) => (d.seed = n)),
  toggle("trust-forwarded", "take client addresses from X-Forwarded-For", (d) => (d.trustForwarded = true)),
];

const TOWN: readonly Option[] = [
  text("name", "NAME", "the servers' name", (d, v) => (d.name = v)),
  text("intensity", "quiet|normal|busy|frenzy|N", "how busy; a number is log entries per minute", (d, v) => {
    d.intensity = intensityOf(v);
  }),
  count("max-players", "places in each server (default 40)", (d, n) => (d.maxPlayers = n), 1),
  count("log-window", "rows of each log that are served (default 100)", (d, n) => (d.logWindow = n)),
];

const LIMITS: readonly Option[] = [
  count("limit", "requests in a window, of an address", (d, n) => (d.limits.global.limit = n)),
  count("window-ms", "that window", (d, n) => (d.limits.global.windowMs = n), 1),
  count("app-limit", "requests in a window, with a global key", (d, n) => (d.limits.application.limit = n)),
  count("app-window-ms", "that window", (d, n) => (d.limits.application.windowMs = n), 1),
  count("command-limit", "commands in a window, of a server", (d, n) => (d.limits.command.limit = n)),
  count("command-window-ms", "that window", (d, n) => (d.limits.command.windowMs = n), 1),
  choice("align", ["first-request", "clock"], "when windows open", (d, v) => (d.limits.align = v)),
  choice("reset-rounding", ["ceil", "floor"], "X-RateLimit-Reset", (d, v) => (d.limits.resetRounding = v)),
  share("reset-wobble", "a reset told a second off", (d, p) => (d.limits.resetWobble = p)),
  choice("fractions", ["none", "body", "both"], "waits with fractions", (d, v) => (d.limits.fractions = v)),
  count(
    "block-after",
    "requests inside told waits that bring the block",
    (d, n) => (d.limits.blockAfter = n),
    1,
  ),
  count("strike-window-ms", "counted over", (d, n) => (d.limits.strikeWindowMs = n), 1),
  count("block-ms", "how long the invalid-request block lasts", (d, n) => (d.limits.blockMs = n)),
  count("page-after", "requests inside the block that bring the page", (d, n) => (d.limits.pageAfter = n), 1),
  count("page-ms", "how long the block page lasts", (d, n) => (d.limits.pageMs = n)),
  count("ban-after", "requests with invalid keys that ban an address", (d, n) => (d.limits.banAfter = n), 1),
  count("bad-key-window-ms", "counted over", (d, n) => (d.limits.badKeyWindowMs = n), 1),
  count("ban-ms", "how long that ban lasts", (d, n) => (d.limits.banMs = n)),
];

const FAULTS: readonly Option[] = [
  count("delay-ms", "before each answer", (d, n) => (d.faults.delayMs = n)),
  count("jitter-ms", "and up to so much more", (d, n) => (d.faults.jitterMs = n)),
  share("reset-before", "reset the connection, without effect", (d, n) => (d.faults.resetBefore = n)),
  share("reset-after", "reset the connection, after the effect", (d, n) => (d.faults.resetAfter = n)),
  share("silent", "never answer, without effect", (d, n) => (d.faults.silent = n)),
  share("truncate", "half of the body", (d, n) => (d.faults.truncate = n)),
  share("slow-body", "the body comes in pieces", (d, n) => (d.faults.slowBody = n)),
  count("slow-body-ms", "over so long (default 2000)", (d, n) => (d.faults.slowBodyMs = n)),
  share("late", "hold a 200 back after its effect", (d, n) => (d.faults.late = n)),
  count("late-ms", "for so long (default 3000)", (d, n) => (d.faults.lateMs = n)),
  share("html", "a page in HTML, without effect", (d, n) => (d.faults.html = n)),
  count("html-status", "its status (default 502)", (d, n) => (d.faults.htmlStatus = httpStatus(n)), 200),
  choice("block-page", ["html", "json"], "what a blocked address is shown", (d, v) => {
    d.faults.blockPage = v;
  }),
  share("no-limit-headers", "no X-RateLimit headers", (d, n) => (d.faults.noRateLimitHeaders = n)),
  share("too-many", "429 out of nowhere", (d, n) => (d.faults.tooMany = n)),
  count("too-many-ms", "its wait (default 5000)", (d, n) => (d.faults.tooManyRetryAfterMs = n)),
  choice(
    "retry-after",
    ["both", "header", "twice", "body", "none", "zero", "garbage"],
    "where a 429 tells its wait",
    (d, v) => {
      d.faults.retryAfter = v;
    },
  ),
  share("stale", "an old snapshot again", (d, n) => (d.faults.stale = n)),
  choice(
    "log-order",
    ["newest", "oldest", "shuffled"],
    "what comes first",
    (d, v) => (d.faults.logOrder = v),
  ),
  toggle("milliseconds", "timestamps in milliseconds", (d) => (d.faults.milliseconds = true)),
  choice("empty-map", ["array", "object"], "an empty map of Staff", (d, v) => {
    d.faults.emptyMapAsArray = v === "array";
  }),
  choice("moderator", ["absent", "null", "hidden"], "a mod call that nobody answered", (d, v) => {
    d.faults.moderator = v;
  }),
  toggle("unknown-fields", "fields that nobody knows", (d) => (d.faults.unknownFields = true)),
  toggle("unknown-values", "teams and permissions that nobody knows", (d) => (d.faults.unknownValues = true)),
  share("missing-field", "a row without one of its fields", (d, n) => (d.faults.missingField = n)),
  share("far-future", "a row with a second of the year 2096", (d, n) => (d.faults.farFuture = n)),
  choice(
    "envelope",
    ["standard", "code-message", "message", "message-commandid", "error-code", "error-only", "html", "empty"],
    "the body of errors",
    (d, v) => (d.faults.envelope = v),
  ),
  count("code", "answer with this error code", (d, n) => {
    d.faults.code = n;
    if (d.faults.codeChance === 0) d.faults.codeChance = 1;
  }),
  share("code-chance", "how often (default 1 when --code is given)", (d, n) => (d.faults.codeChance = n)),
  count(
    "code-status",
    "its status, if not the usual one",
    (d, n) => (d.faults.codeStatus = httpStatus(n)),
    200,
  ),
  share("refuse-key", "refuse good keys, and count them as bad ones", (d, n) => (d.faults.refuseKey = n)),
  choice("refusal", ["coded", "bare"], "with code 2002, or as to a banned address", (d, v) => {
    d.faults.refusal = v;
  }),
  share("command-500", "500 on commands", (d, n) => (d.faults.command500 = n)),
  share("command-500-executed", "which share of those ran", (d, n) => (d.faults.command500Executed = n)),
  choice(
    "echo-key",
    ["none", "plain", "halves", "base64", "url", "hex", "escaped"],
    "answers repeat the key in their words",
    (d, v) => (d.faults.echoKey = v),
  ),
  share("command-given-up", "a command that ran is given up on the way", (d, n) => {
    d.faults.commandGivenUp = n;
  }),
  count(
    "command-given-up-status",
    "with this status (default 408)",
    (d, n) => (d.faults.commandGivenUpStatus = httpStatus(n)),
    200,
  ),
  count("date-off-ms", "how far the Date of each answer is off", (d, n) => (d.faults.dateOffMs = n)),
  count("error-retry-after-ms", "Retry-After on 500 and 503", (d, n) => (d.faults.errorRetryAfterMs = n)),
  share("oversize", "answers of reads padded to a great length", (d, n) => (d.faults.oversize = n)),
  count("oversize-bytes", "that length (default 9 MiB)", (d, n) => (d.faults.oversizeBytes = n)),
  choice(
    "only",
    ["all", "reads", "commands"],
    "which requests the faults touch",
    (d, v) => (d.faults.only = v),
  ),
];

/** Every option of `npm run service`. */
export const GROUPS: readonly (readonly [string, readonly Option[]])[] = [
  ["General", GENERAL],
  ["The towns", TOWN],
  ["Limits", LIMITS],
  ["Faults", FAULTS],
];

function intensityOf(value: string): Intensity {
  if (value === "quiet" || value === "normal" || value === "busy" || value === "frenzy") return value;
  const rate = Number(value);
  if (value.trim() === "" || !Number.isFinite(rate) || rate < 0)
    throw new UsageError(
      `--intensity must be quiet, normal, busy, frenzy or entries per minute, not "${value}"`,
    );
  return rate;
}

function httpStatus(value: number): number {
  if (value > 599) throw new UsageError(`a status must be at most 599, not "${value}"`);
  return value;
}
