import { z } from "zod";

/** Everything that an operator sets, checked once. The only reader of the environment. */

export interface ShardRange {
  readonly first: number;
  readonly last: number;
  readonly total: number;
}

export interface OpsAddress {
  readonly host: string;
  readonly port: number;
}

export interface Config {
  readonly discordToken: string;
  readonly discordApiUrl: string;
  readonly serviceUrl: string;
  readonly serviceGlobalKey?: string;
  readonly storeUrl: string;
  /** 32 bytes; absent: made once and kept beside the sqlite file. */
  readonly secretKey?: Uint8Array;
  /** Absent: turned off. */
  readonly ops?: OpsAddress;
  readonly shards: "auto" | ShardRange;
  readonly logLevel: LogLevel;
}

export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";
const logLevels: readonly LogLevel[] = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/** One line for each bad variable; no value of a secret in any of them. */
export class ConfigError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "ConfigError";
    this.lines = lines;
  }
}

const retiredHost = "api.policeroleplay.community";

/** A check that gives the value, or says what was found and what is expected. */
interface Check<T> {
  readonly expected: string;
  /** Its value must not be echoed. */
  readonly secret?: boolean;
  /** Undefined: not acceptable; a Refusal says in words what was found. */
  read(text: string): T | Refusal | undefined;
}

/** What was found, in words, where showing it would not explain the trouble. */
class Refusal {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

function urlOf(text: string, protocols: readonly string[]): URL | undefined {
  const parsed = z.url().safeParse(text);
  if (!parsed.success) return undefined;
  const url = new URL(text);
  return protocols.includes(url.protocol) ? url : undefined;
}

/** A header value: printable ASCII without spaces, so that nothing can be smuggled behind it. */
const headerSafe = z.string().regex(/^[\x21-\x7e]+$/);

const token: Check<string> = {
  expected: "the bot's token of Discord's developer page, without spaces",
  secret: true,
  read: (text) => headerSafe.safeParse(text).data,
};

const webAddress: Check<string> = {
  expected: "an http or https address",
  read(text) {
    const url = urlOf(text, ["http:", "https:"]);
    if (url === undefined) return undefined;
    // Credentials in an address end up in logs and errors; both services take theirs in headers.
    if (url.username !== "" || url.password !== "")
      return new Refusal("an address with a user name or password in it");
    return text.replace(/\/+$/, "");
  },
};

const serviceAddress: Check<string> = {
  expected: "an http or https address, such as https://api.erlc.gg",
  read(text) {
    if (urlOf(text, ["http:", "https:"])?.hostname === retiredHost) {
      return new Refusal(`${retiredHost}, the service's old address, which it no longer answers at`);
    }
    return webAddress.read(text);
  },
};

const globalKey: Check<string> = {
  expected: "the global key of your registered application, without spaces",
  secret: true,
  read: (text) => headerSafe.safeParse(text).data,
};

const storeAddress: Check<string> = {
  expected: "sqlite:PATH, redis://HOST or rediss://HOST",
  // A Redis address may hold a password.
  secret: true,
  read(text) {
    if (/^sqlite:.+/.test(text) && !text.startsWith("sqlite://")) return text;
    return urlOf(text, ["redis:", "rediss:"]) === undefined ? undefined : text;
  },
};

const secretBytes: Check<Uint8Array> = {
  expected: "32 bytes in base64, as `openssl rand -base64 32` prints them",
  secret: true,
  read(text) {
    if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) return undefined;
    return new Uint8Array(Buffer.from(text, "base64"));
  },
};

const opsAddress: Check<OpsAddress> = {
  expected: "HOST:PORT, such as 127.0.0.1:9464, or empty to turn it off",
  read(text) {
    const parts = /^(?<host>\[[0-9a-fA-F:]+\]|[^:\s]+):(?<port>\d{1,5})$/.exec(text)?.groups;
    const port = Number(parts?.port);
    if (parts?.host === undefined || port > 65_535) return undefined;
    return { host: parts.host.replace(/^\[|\]$/g, ""), port };
  },
};

const shardRange: Check<"auto" | ShardRange> = {
  expected: "auto, or FIRST-LAST/TOTAL such as 0-3/16",
  read(text) {
    if (text === "auto") return "auto";
    const parts = /^(\d{1,5})(?:-(\d{1,5}))?\/(\d{1,5})$/.exec(text);
    if (parts === null) return undefined;
    const [first, total] = [Number(parts[1]), Number(parts[3])];
    const last = parts[2] === undefined ? first : Number(parts[2]);
    return first <= last && last < total ? { first, last, total } : undefined;
  },
};

const logLevel: Check<LogLevel> = {
  expected: `one of ${logLevels.join(", ")}`,
  read: (text) => logLevels.find((level) => level === text),
};

/** The variables of this process; main.ts hands them to readConfig. */
export function environment(): NodeJS.ProcessEnv {
  return process.env;
}

/**
 * Reads and checks every variable (design 2). Pure. An empty variable counts as unset, except OPS_ADDRESS.
 * Throws ConfigError that lists all bad ones at once.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const bad: string[] = [];

  function read<T>(name: string, check: Check<T>): T | undefined {
    const text = env[name]?.trim();
    if (text === undefined || text === "") return undefined;
    const result = check.read(text);
    let found = check.secret ? `something else (${text.length} characters)` : JSON.stringify(text);
    if (result instanceof Refusal) found = result.why;
    else if (result !== undefined) return result;
    bad.push(`${name}: found ${found}; expected ${check.expected}.`);
    return undefined;
  }

  const discordToken = read("DISCORD_TOKEN", token);
  if (discordToken === undefined && !env.DISCORD_TOKEN?.trim()) bad.push(missingToken);
  const storeUrl = read("STORE_URL", storeAddress) ?? "sqlite:data/marshal.sqlite";
  const secretKey = read("SECRET_KEY", secretBytes);
  if (secretKey === undefined && !env.SECRET_KEY?.trim() && !storeUrl.startsWith("sqlite:")) {
    bad.push(`SECRET_KEY: not set; with a redis STORE_URL it is required: ${secretBytes.expected}.`);
  }
  const serviceGlobalKey = read("SERVICE_GLOBAL_KEY", globalKey);
  const opsText = env.OPS_ADDRESS?.trim();
  const ops =
    opsText === "" ? undefined : (read("OPS_ADDRESS", opsAddress) ?? { host: "127.0.0.1", port: 9464 });
  const config = {
    discordApiUrl: read("DISCORD_API_URL", webAddress) ?? "https://discord.com/api",
    serviceUrl: read("SERVICE_URL", serviceAddress) ?? "https://api.erlc.gg",
    storeUrl,
    shards: read("SHARDS", shardRange) ?? "auto",
    logLevel: read("LOG_LEVEL", logLevel) ?? "info",
  } as const;
  if (bad.length > 0 || discordToken === undefined) throw new ConfigError(bad);
  return {
    ...config,
    discordToken,
    ...(serviceGlobalKey === undefined ? {} : { serviceGlobalKey }),
    ...(secretKey === undefined ? {} : { secretKey }),
    ...(ops === undefined ? {} : { ops }),
  };
}

const missingToken =
  "DISCORD_TOKEN: not set; copy .env.example to .env and fill it in, or run `npm run sandbox` to try Marshal without an account.";
