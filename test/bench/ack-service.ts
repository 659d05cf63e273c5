import { serve } from "../../src/sandbox/service/http.ts";
import { Service } from "../../src/sandbox/service/service.ts";
import { keyOf } from "./communities.ts";

/**
 * The emulated service of the benches `ack`, `tenants` and `disk` in a process of its own: on the event loop of the emulated
 * Discord it would spoil the measure. Arguments: number of servers, how many of them are counted, requests a second,
 * the window in which they are counted (ms), the share of servers that have players. Tells the parent its address, and what it has counted whenever asked.
 */
const [servers, counted, perS, windowMs = 1_000, openShare = 0.35] = process.argv.slice(2).map(Number);
if (servers === undefined || counted === undefined || perS === undefined)
  throw new Error("the number of servers, how many are counted, and a limit are needed");

/** The logs of servers that have players are as long as after a while. */
const LIVED_MS = 10 * 60_000;
const open = { intensity: "busy" as const };
const closed = { intensity: 0, initialPlayers: 0, range: { min: 0, max: 0 } };

let startedAgoMs = LIVED_MS;
const keys = Array.from({ length: servers }, (_, index) => keyOf(index));
const service = new Service({
  nowMs: () => Date.now() - startedAgoMs,
  keys,
  towns: Object.fromEntries(keys.map((key, index) => [key, index % 100 < openShare * 100 ? open : closed])),
  limits: { global: { limit: (perS * windowMs) / 1_000, windowMs } },
});
startedAgoMs = 0;
service.advance();
for (const key of keys) if (service.town(key).players.length > 0) service.town(key).setIntensity("normal");

/** Polls of each server that is counted. */
const pollsOf = new Map(keys.slice(0, counted).map((key) => [key, 0]));
let polls = 0;
let readTwice = 0;
/** All requests that were not answered with a 429: whose, and for what. */
const taken: Record<string, number> = {};
const handle = service.handle.bind(service);
service.handle = (request, fate) => {
  const answer = handle(request, fate);
  // Only feeds read the logs of joins: what people ask for here is the status, the players or the vehicles.
  const isPoll = answer.status === 200 && request.path.includes("JoinLogs=true");
  const key = request.headers["server-key"] ?? "";
  const before = pollsOf.get(key);
  if (answer.status !== 429) {
    const whose = before === undefined ? "others'" : "quiet";
    const what =
      request.method === "POST" ? "commands" : /Logs=|Calls=/.test(request.path) ? "polls" : "reads";
    taken[`${whose} ${what}`] = (taken[`${whose} ${what}`] ?? 0) + 1;
  }
  if (isPoll && before !== undefined) {
    pollsOf.set(key, before + 1);
    polls += 1;
    if (before === 1) readTwice += 1;
  }
  return answer;
};

const { url } = await serve(service);
process.on("message", () => {
  const { answers429, avoidable, commands, requests } = service.counts;
  process.send?.({ polls, readTwice, answers429, avoidable, commands, requests, taken });
});
process.on("disconnect", () => process.exit());
const staff = keys.map((key) =>
  service
    .town(key)
    .world.staffHere()
    .map(({ ref: { id, name } }) => ({ id, name })),
);
process.send?.({ url, staff });
