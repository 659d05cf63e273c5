import { z } from "zod";
import { EXPECTED, LOG_LEVELS } from "./expected-values.ts";
import { defaultHistory, isSameFile } from "./history-address.ts";
import { type MapSetting, readMapSetting } from "./map-setting.ts";
import { passwordsIn, signsByNumber } from "./password-signs.ts";
import { readAddresses } from "./public-addresses.ts";
import { badShards, readShards, type ShardsWanted } from "./shards-wanted.ts";
import { holdsSecret, withoutPassword } from "./shown-value.ts";

/** The settings of the operator, checked and in their final form. */
export interface Config {
  readonly discordToken: string;
  /** Without a slash at its end, such as `https://discord.com/api`. */
  readonly discordApiUrl: string;
  /** Without a slash at its end. */
  readonly serviceUrl: string;
  readonly serviceGlobalKey?: string;
  /** `sqlite:PATH`, `redis://...` or `rediss://...` */
  readonly storeUrl: string;
  /** 32 bytes; absent: the store's folder keeps one. */
  readonly secretKey?: Uint8Array;
  /** `sqlite:PATH` or `postgres://...`; absent: the history is off. */
  readonly historyUrl?: string;
  /** What sealed the store before `secretKey` did. */
  readonly secretKeyOld?: Uint8Array;
  /** Absent: no ops address. */
  readonly opsAddress?: { readonly host: string; readonly port: number };
  readonly shards: ShardsWanted;
  /** Game servers that one Discord server may link. */
  readonly serversPerGuild: number;
  /** The id of a public application that is registered at the service: owners allow it by one press. */
  readonly serviceAppId?: string;
  /** This host's addresses as the service sees them, which owners add to the trusted ones. */
  readonly publicAddresses: readonly string[];
  /** The only family of addresses that is used to reach the service; absent: both. */
  readonly serviceFamily?: 4 | 6;
  /** Requests with refused keys that this address risks in an hour; also how many may be in flight, less two. */
  readonly badKeyBudget: number;
  /** The operator's picture of the map, with the units of its corners; absent: maps have plain ground. */
  readonly mapImage?: MapSetting;
  /** Where the communities read the documentation; absent: /help has no link. */
  readonly docsUrl?: string;
  readonly logLevel: "debug" | "info" | "warn" | "error";
}

/** The environment makes no Config. `lines` has one line for each bad variable, without secrets. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(`The environment has errors:\n${lines.map((line) => `  ${line}`).join("\n")}`);
    this.lines = lines;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables whose values are never shown, wherever they stand. */
const SECRET_NAMES = new Set(["DISCORD_TOKEN", "SERVICE_GLOBAL_KEY", "SECRET_KEY", "SECRET_KEY_OLD"]);

const RETIRED_HOST = "api.policeroleplay.community";
type Name = keyof typeof EXPECTED;

/** Refuses a value; `why` is given where it says more than the line of `EXPECTED`. */
function refuse(context: z.RefinementCtx, why?: string): never {
  context.addIssue({ code: "custom", message: why ?? "" });
  return z.NEVER;
}

/** It becomes a header: a quote of a word processor, or a sign that nobody sees, would fail at each request. */
const opaque = z.string().refine((value) => /^[!-~]+$/.test(value) && !/^(["'`]).*\1$/.test(value), {
  message: "it has spaces, quotes or signs that belong to no key",
});

const address = z.string().transform((value, context) => {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return refuse(context);
  if (url.username !== "" || url.password !== "")
    return refuse(context, "an address has no user or password in it");
  if (url.search !== "" || url.hash !== "") return refuse(context, "an address ends with its path");
  return url.href.replace(/\/+$/, "");
});

const linkAddress = address.refine(({ length }) => length <= 512, "a button takes at most 512 characters");

const serviceAddress = address.superRefine((value, context) => {
  // A name that ends with the dot of the DNS root is the same host.
  if (URL.parse(value)?.hostname.replace(/\.+$/, "") === RETIRED_HOST) {
    refuse(context, `${RETIRED_HOST} is retired; use the service's new address`);
  }
});

const storeAddress = z.string().superRefine((value, context) => {
  if (/^sqlite:./.test(value)) return;
  const url = URL.parse(value);
  const signs = signsByNumber(value);
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === "" || signs !== undefined)
    refuse(context, signs);
});

const historyAddress = z.string().transform((value, context) => {
  // null means off, because zod replaces undefined by the default.
  if (value === "") return null;
  if (/^sqlite:./.test(value)) return value;
  const url = URL.parse(value);
  const isPostgres = url !== null && /^postgres(ql)?:$/.test(url.protocol);
  const signs = signsByNumber(value);
  return isPostgres && /^\/./.test(url.pathname) && signs === undefined ? value : refuse(context, signs);
});

const secretKey = z.string().transform((value, context) => {
  const bytes = Buffer.from(value, "base64");
  // Buffer skips characters that are not base64, so the text is compared with its own encoding.
  const plain = value.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  const same = bytes.toString("base64").replace(/=+$/, "") === plain;
  if (!same) return refuse(context, "it is not base64");
  return bytes.length === 32 ? new Uint8Array(bytes) : refuse(context, `it has ${bytes.length} bytes`);
});

const opsAddress = z.string().transform((value, context) => {
  // null means off, because zod replaces undefined by the default.
  if (value === "") return null;
  const parts = /^(\[[\da-fA-F:.]+\]|[^\s:[\]]+):(\d{1,5})$/.exec(value);
  const port = Number(parts?.[2]);
  if (parts?.[1] === undefined || port > 65_535) return refuse(context);
  return { host: parts[1].replace(/^\[|\]$/g, ""), port };
});

const shards = z.string().transform((value, context): ShardsWanted => {
  const read = readShards(value);
  return read !== "auto" && "why" in read ? refuse(context, read.why) : read;
});

const wholeNumber = z.string().transform((value, context) => {
  const number = Number(value);
  return /^[1-9]\d{0,5}$/.test(value) ? number : refuse(context);
});

/** At least four, because two units are kept for keys that are known to be good. */
const badKeyBudget = z.string().transform((value, context) => {
  const number = Number(value);
  return /^\d{1,4}$/.test(value) && number >= 4 && number <= 1_000 ? number : refuse(context);
});

const mapImage = z.string().transform((value, context) => {
  const read = readMapSetting(value);
  return "why" in read ? refuse(context, read.why) : read;
});

const publicAddresses = z.string().transform((value, context) => {
  const read = readAddresses(value);
  return "why" in read ? refuse(context, read.why) : read;
});

const schema = z.object({
  DISCORD_TOKEN: opaque,
  DISCORD_API_URL: address.default("https://discord.com/api"),
  SERVICE_URL: serviceAddress.default("https://api.erlc.gg"),
  SERVICE_GLOBAL_KEY: opaque.optional(),
  STORE_URL: storeAddress.default("sqlite:data/marshal.sqlite"),
  SECRET_KEY: secretKey.optional(),
  SECRET_KEY_OLD: secretKey.optional(),
  HISTORY_URL: historyAddress.optional(),
  OPS_ADDRESS: opsAddress.default({ host: "127.0.0.1", port: 9464 }),
  SHARDS: shards.default("auto"),
  SERVICE_APP_ID: opaque.optional(),
  PUBLIC_ADDRESS: publicAddresses.default([]),
  SERVICE_FAMILY: z
    .enum(["4", "6"])
    .transform((value) => (value === "4" ? 4 : 6))
    .optional(),
  BAD_KEY_BUDGET: badKeyBudget.default(9),
  SERVERS_PER_GUILD: wholeNumber.default(10),
  MAP_IMAGE: mapImage.optional(),
  DOCS_URL: linkAddress.optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS).default("info"),
} satisfies Record<Name, z.ZodType>);

/**
 * The environment as a Config. Unknown variables are left alone, spaces around a value are dropped, and an empty
 * value counts as none (but for OPS_ADDRESS and HISTORY_URL, where it means off). Throws a ConfigError that lists all that is bad.
 */
export function readConfig(environment: Environment): Config {
  const given = readNames(environment);
  const result = schema.safeParse(given);
  const lines = result.success ? [] : badLines(given, result.error.issues);
  const needsKey = isShared(given.STORE_URL ?? "") && given.SECRET_KEY === undefined;
  if (needsKey) {
    lines.push(
      `SECRET_KEY: nothing was set; expected ${EXPECTED.SECRET_KEY}: all processes that share a Redis need it`,
    );
  }
  if (isShared(given.STORE_URL ?? "") && /^sqlite:./.test(given.HISTORY_URL ?? "")) {
    const why =
      "several processes can't share a file; use PostgreSQL, or leave it empty to turn the history off";
    lines.push(`HISTORY_URL: sqlite was found beside a STORE_URL of Redis; ${why}`);
  }
  if (given.SECRET_KEY_OLD !== undefined && given.SECRET_KEY === undefined && !needsKey) {
    lines.push(
      "SECRET_KEY: nothing was set; expected the new secret, since SECRET_KEY_OLD is the one before",
    );
  }
  const why =
    result.data === undefined ? undefined : badShards(result.data.SHARDS, isShared(given.STORE_URL ?? ""));
  if (why !== undefined)
    lines.push(`SHARDS: "${given.SHARDS}" was found; expected ${EXPECTED.SHARDS}: ${why}`);
  const historyUrl = result.data === undefined ? null : historyOf(result.data);
  if (historyUrl !== null && isSameFile(historyUrl, result.data?.STORE_URL))
    lines.push(
      "HISTORY_URL: the file of STORE_URL was found; expected another file, such as sqlite:data/players.sqlite",
    );
  if (!result.success || lines.length > 0) throw new ConfigError(lines);
  const { data } = result;
  return {
    discordToken: data.DISCORD_TOKEN,
    discordApiUrl: data.DISCORD_API_URL,
    serviceUrl: data.SERVICE_URL,
    storeUrl: data.STORE_URL,
    shards: data.SHARDS,
    publicAddresses: data.PUBLIC_ADDRESS,
    badKeyBudget: data.BAD_KEY_BUDGET,
    serversPerGuild: data.SERVERS_PER_GUILD,
    logLevel: data.LOG_LEVEL,
    ...(data.SERVICE_GLOBAL_KEY === undefined ? {} : { serviceGlobalKey: data.SERVICE_GLOBAL_KEY }),
    ...(data.SERVICE_APP_ID === undefined ? {} : { serviceAppId: data.SERVICE_APP_ID }),
    ...(data.SERVICE_FAMILY === undefined ? {} : { serviceFamily: data.SERVICE_FAMILY }),
    ...(data.MAP_IMAGE === undefined ? {} : { mapImage: data.MAP_IMAGE }),
    ...(data.DOCS_URL === undefined ? {} : { docsUrl: data.DOCS_URL }),
    ...(data.SECRET_KEY === undefined ? {} : { secretKey: data.SECRET_KEY }),
    ...(historyUrl === null ? {} : { historyUrl }),
    ...(data.SECRET_KEY_OLD === undefined ? {} : { secretKeyOld: data.SECRET_KEY_OLD }),
    ...(data.OPS_ADDRESS === null ? {} : { opsAddress: data.OPS_ADDRESS }),
  };
}

function historyOf(data: z.infer<typeof schema>): string | null {
  return data.HISTORY_URL === undefined ? defaultHistory(data.STORE_URL) : data.HISTORY_URL;
}

/** What the tools of the store need of the environment; nothing else is looked at. Throws as `readConfig` does. */
export function readStoreConfig(environment: Environment): Config {
  const { STORE_URL, HISTORY_URL, SECRET_KEY, SECRET_KEY_OLD } = environment;
  return readConfig({ STORE_URL, HISTORY_URL, SECRET_KEY, SECRET_KEY_OLD, DISCORD_TOKEN: "none" });
}

/** Whether several processes may use this store at the same time. */
export function isShared(storeUrl: string): boolean {
  return /^rediss?:/.test(storeUrl);
}

/** The environment of this process. */
export function environment(): Environment {
  return process.env;
}

/** The secrets that no log may show; for createLog. */
export function secretsOf(config: Config, environment: Environment): readonly string[] {
  const passwords = [config.storeUrl, config.historyUrl ?? ""].flatMap(passwordsIn);
  const keys = [environment.SECRET_KEY?.trim() ?? "", environment.SECRET_KEY_OLD?.trim() ?? ""];
  const secrets = [config.discordToken, config.serviceGlobalKey ?? "", ...keys, ...passwords];
  return secrets.filter((secret) => secret !== "");
}

/** Empty means off. */
const MAY_BE_EMPTY: ReadonlySet<Name> = new Set(["OPS_ADDRESS", "HISTORY_URL"]);

function readNames(environment: Environment): Partial<Record<Name, string>> {
  const given: Partial<Record<Name, string>> = {};
  for (const name of Object.keys(EXPECTED) as Name[]) {
    const value = environment[name]?.trim();
    if (value !== undefined && (value !== "" || MAY_BE_EMPTY.has(name))) given[name] = value;
  }
  return given;
}

function badLines(given: Partial<Record<Name, string>>, issues: readonly z.core.$ZodIssue[]): string[] {
  const lines = new Map<Name, string>();
  for (const issue of issues) {
    const name = (Object.keys(EXPECTED) as Name[]).find((known) => known === issue.path[0]);
    if (name === undefined || lines.has(name)) continue;
    // zod replaces an empty message by "Invalid input".
    const why = issue.code === "custom" && issue.message !== "Invalid input" ? ` (${issue.message})` : "";
    const shown = found(name, given);
    // Where the value is not shown, no part of it is either.
    const safeWhy = shown.startsWith('"') ? why : why.replace(/".*"/s, "it");
    lines.set(name, `${name}: ${shown}${safeWhy}; expected ${EXPECTED[name]}`);
  }
  return [...lines.values()];
}

function found(name: Name, given: Partial<Record<Name, string>>): string {
  const value = given[name];
  if (value === undefined) return "nothing was set";
  const length = `a text of ${value.length} characters was found`;
  const secrets = [...SECRET_NAMES].flatMap((secret) => given[secret as Name] ?? []);
  if (SECRET_NAMES.has(name) || holdsSecret(value, secrets)) return length;
  return `"${withoutPassword(value)}" was found`;
}
