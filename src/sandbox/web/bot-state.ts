import type { BotView, BucketView } from "./panel-view.ts";

/**
 * Reads the bot's `/state` into what the panel shows. The sandbox shares no types with the bot, so nothing is taken
 * for granted: a part that is missing or looks different is left out, and the panel shows the others.
 */
export function botView(state: unknown): BotView | undefined {
  if (!isRecord(state)) return undefined;
  const service = part(state, "service");
  const watch = part(state, "watch");
  const feeds = part(state, "feeds");
  const runs = part(state, "runs");
  const lanes = list(runs, "lanes");
  const halt = haltOf(service);
  return {
    ...(halt === undefined ? {} : { halt }),
    ...optional("parkedKeys", number(service, "parkedKeys")),
    ...optional("inFlight", number(service, "inFlight")),
    waiting: Object.entries(part(service, "waiting")).flatMap(([name, count]) =>
      typeof count === "number" ? [{ name, count }] : [],
    ),
    buckets: list(service, "buckets").map(bucketOf),
    ...optional("undelivered", number(feeds, "undelivered")),
    ...optional("liveFeeds", number(feeds, "live")),
    lateFeeds: list(feeds, "waiting").map((one) => ({
      kind: text(one, "kind") ?? "feed",
      channelId: text(one, "channelId") ?? "",
      undelivered: number(one, "undelivered") ?? 0,
      ...optional("lateSinceMs", number(one, "lateSinceMs")),
    })),
    ...optional("cardsToShow", number(part(feeds, "cards"), "unshown")),
    ...optional("runsWaiting", lanes.length === 0 ? undefined : sum(lanes, "waiting")),
    ...optional("runsRunning", lanes.filter((lane) => lane.running === true).length),
    polls: list(watch, "lastPolls").flatMap((poll) => {
      const atMs = number(poll, "atMs");
      const outcome = text(poll, "outcome");
      if (atMs === undefined || outcome === undefined) return [];
      return [{ atMs, outcome, ...optional("players", number(poll, "players")) }];
    }),
    ...optional("discordReady", boolean(part(state, "discord"), "ready")),
  };
}

/** What a process says of its part among several. */
export function partOf(state: unknown): string {
  if (!isRecord(state)) return "starting…";
  const cluster = part(state, "cluster");
  const holds = text(cluster, "holds");
  // "standing by: ..." says the rest to its operator.
  const standing = text(cluster, "standing")?.split(":")[0];
  return holds === undefined ? (standing ?? "running") : `serves shards ${holds}`;
}

type Loose = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function part(of: Loose, name: string): Loose {
  const value = of[name];
  return isRecord(value) ? value : {};
}

function list(of: Loose, name: string): readonly Loose[] {
  const value = of[name];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function number(of: Loose, name: string): number | undefined {
  const value = of[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function text(of: Loose, name: string): string | undefined {
  const value = of[name];
  return typeof value === "string" ? value : undefined;
}

function boolean(of: Loose, name: string): boolean | undefined {
  const value = of[name];
  return typeof value === "boolean" ? value : undefined;
}

function sum(rows: readonly Loose[], name: string): number {
  return rows.reduce((total, row) => total + (number(row, name) ?? 0), 0);
}

function optional<K extends string, V>(name: K, value: V | undefined): { readonly [name in K]?: V } {
  if (value === undefined) return {};
  const made: { [name in K]?: V } = {};
  made[name] = value;
  return made;
}

function haltOf(service: Loose): BotView["halt"] {
  const halt = service.halt;
  if (!isRecord(halt)) return undefined;
  const untilMs = number(halt, "untilMs");
  const reason = text(halt, "why") ?? text(halt, "reason") ?? "halted";
  return { reason, ...optional("untilMs", untilMs) };
}

function bucketOf(bucket: Loose): BucketView {
  return {
    name: shortName(text(bucket, "hash") ?? text(bucket, "name") ?? "?"),
    ...optional("limit", number(bucket, "limit")),
    ...optional("remaining", number(bucket, "remaining")),
    ...optional("resetAtMs", number(bucket, "resetAtMs")),
    inFlight: number(bucket, "inFlight") ?? 0,
  };
}

/** A hash by its beginning; a word stays whole. */
function shortName(name: string): string {
  return /^[0-9a-f]{8,}$/.test(name) ? name.slice(0, 6) : name;
}
