import type { Lists, Snapshot, SourceId } from "../../src/domain/model.ts";
import type { Random } from "../../src/domain/ports/clock.ts";

/** A thing that happened on a server, at an exact moment; the service shows only its second. */
interface Event {
  readonly atMs: number;
  readonly list: "joinLogs" | "killLogs" | "commandLogs" | "modCalls";
}

export interface WorldServer {
  readonly source: SourceId;
  readonly events: Event[];
  /** [from, to) with players, milliseconds. */
  readonly open: { fromMs: number; toMs: number }[];
  /** Entries a second while it is full, where that never changes. */
  readonly ratePerS: number;
}

export interface World {
  readonly servers: readonly WorldServer[];
  readonly endMs: number;
  /** sum of sqrt(rate) and sum of rate, integrated over time: what the optimum is made of. */
  readonly roots: (fromMs: number) => { readonly rootSquaredS: number; readonly entries: number };
}

const STEP_MS = 60_000;
const RAMP_MS = 15 * 60_000;
const WINDOW = 100;
/** Of 1,000 servers: 10^6 entries a day. */
const ENTRIES_PER_S = 1_000_000 / 86_400;
const CYCLE_MS = 120 * 60_000;
const BURST_MS = 18 * 60_000;
/** How often a server that is empty fills in the world of bursts: once in the rest of its cycle. */
export const BURSTS_PER_S = 1_000 / (CYCLE_MS - BURST_MS);
const kinds = [
  ["joinLogs", 0.5],
  ["killLogs", 0.8],
  ["commandLogs", 0.97],
  ["modCalls", 1],
] as const;

/**
 * 35 % of the servers are open, their rates follow Zipf's law (10^6 entries a day for each 1,000 servers). Every minute
 * one of 1,000 closes and another opens and fills up over a quarter of an hour, so that rates have to be learned.
 */
export function makeWorld(random: Random, count: number, endMs: number): World {
  const servers = Array.from({ length: count }, (_, index) => serverOf(index, 0));
  const shares = zipf(Math.round(count * 0.35), (ENTRIES_PER_S * count) / 1_000);
  const closed = shuffled(servers, random);
  const seats = shares.map((rate) => ({ rate, server: opened(closed, 0), sinceMs: -RAMP_MS }));
  const integrals: { atMs: number; rootSquaredS: number; entries: number }[] = [];
  for (let atMs = 0; atMs < endMs; atMs += STEP_MS) {
    let roots = 0;
    let rates = 0;
    for (const seat of seats) {
      const rate = seat.rate * Math.min(1, 0.1 + (0.9 * (atMs - seat.sinceMs)) / RAMP_MS);
      roots += Math.sqrt(rate);
      rates += rate;
      happen(seat.server, rate, atMs, random);
    }
    integrals.push({
      atMs,
      rootSquaredS: (roots * roots * STEP_MS) / 1_000,
      entries: (rates * STEP_MS) / 1_000,
    });
    for (let moves = 0; moves < count / 1_000; moves++) {
      const seat = seats[Math.floor(random.next() * seats.length)];
      if (seat === undefined) continue;
      close(seat.server, atMs + STEP_MS);
      closed.unshift(seat.server);
      seat.server = opened(closed, atMs + STEP_MS);
      seat.sinceMs = atMs + STEP_MS;
    }
  }
  for (const seat of seats) close(seat.server, endMs);
  const roots = (fromMs: number) => {
    const sum = { rootSquaredS: 0, entries: 0 };
    for (const part of integrals) {
      if (part.atMs < fromMs) continue;
      sum.rootSquaredS += part.rootSquaredS;
      sum.entries += part.entries;
    }
    return sum;
  };
  return { servers, endMs, roots };
}

/**
 * 1,000 servers that each fill for 18 of every 120 minutes, at once and at a moment of the cycle that is their own, so
 * that whoever finds out late loses the most. `zipfian`: rates by Zipf's law; else all have the same.
 */
export function makeBursts(
  random: Random,
  count: number,
  endMs: number,
  zipfian: boolean,
): Omit<World, "roots"> {
  const whilePresent = CYCLE_MS / BURST_MS;
  const rates = zipfian
    ? zipf(count, ENTRIES_PER_S * whilePresent)
    : Array.from({ length: count }, () => (ENTRIES_PER_S * whilePresent) / count);
  const servers = shuffled(rates, random).map((rate, index) => serverOf(index, rate));
  for (const server of servers) {
    const phaseMs = Math.floor((random.next() * CYCLE_MS) / STEP_MS) * STEP_MS - CYCLE_MS;
    for (let fromMs = phaseMs; fromMs < endMs; fromMs += CYCLE_MS) {
      const toMs = fromMs + BURST_MS;
      server.open.push({ fromMs, toMs });
      for (let atMs = fromMs; atMs < toMs; atMs += STEP_MS) {
        if (atMs >= 0) happen(server, server.ratePerS, atMs, random);
      }
    }
  }
  return { servers, endMs };
}

/** What `GET /v2/server` would answer at that moment. */
export function snapshotOf(server: WorldServer, nowMs: number): Snapshot {
  const lists = { joinLogs: [], killLogs: [], commandLogs: [], modCalls: [] } as {
    joinLogs: Lists["joinLogs"][number][];
    killLogs: Lists["killLogs"][number][];
    commandLogs: Lists["commandLogs"][number][];
    modCalls: Lists["modCalls"][number][];
  };
  const player = { name: "player", id: 1 };
  for (let index = upTo(server.events, nowMs) - 1, left = WINDOW; index >= 0 && left > 0; index--, left--) {
    const event = server.events[index];
    if (event === undefined) break;
    const atS = Math.floor(event.atMs / 1_000);
    if (event.list === "joinLogs") lists.joinLogs.push({ kind: "join", atS, player, joined: true });
    if (event.list === "killLogs") lists.killLogs.push({ kind: "kill", atS, killer: player, killed: player });
    if (event.list === "commandLogs") lists.commandLogs.push({ kind: "command", atS, player, text: ":h" });
    if (event.list === "modCalls") lists.modCalls.push({ kind: "modCall", atS, caller: player });
  }
  return {
    source: server.source,
    askedAtMs: nowMs,
    takenAtMs: nowMs,
    status: {
      name: server.source,
      ownerId: 1,
      coOwnerIds: [],
      currentPlayers: isOpen(server, nowMs) ? 12 : 0,
      maxPlayers: 40,
      joinKey: "key",
      accVerifiedReq: "Disabled",
      teamBalance: false,
    },
    lists,
    skippedRows: {},
  };
}

/** Whether anybody is there. */
export function isOpen(server: WorldServer, nowMs: number): boolean {
  return server.open.some(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
}

/** How many of the events happened by then. */
export function upTo(events: readonly { readonly atMs: number }[], nowMs: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.atMs ?? 0) <= nowMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

function serverOf(index: number, ratePerS: number): WorldServer {
  return { source: `source-${index}` as SourceId, events: [], open: [], ratePerS };
}

/** Rates that go with 1 / rank and come to `sumPerS`. */
function zipf(count: number, sumPerS: number): readonly number[] {
  const shares = Array.from({ length: count }, (_, rank) => 1 / (rank + 1));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => (share * sumPerS) / sum);
}

function happen(server: WorldServer, rate: number, fromMs: number, random: Random): void {
  for (let atMs = fromMs; ; ) {
    atMs += (-Math.log(1 - random.next()) / rate) * 1_000;
    if (atMs >= fromMs + STEP_MS) return;
    const draw = random.next();
    const [list] = kinds.find(([, share]) => draw < share) ?? kinds[3];
    server.events.push({ atMs, list });
  }
}

function opened(closed: WorldServer[], atMs: number): WorldServer {
  const server = closed.pop();
  if (server === undefined) throw new Error("no closed server is left");
  server.open.push({ fromMs: atMs, toMs: Number.POSITIVE_INFINITY });
  return server;
}

function close(server: WorldServer, atMs: number): void {
  const last = server.open.at(-1);
  if (last !== undefined) last.toMs = atMs;
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const left = [...values];
  for (let index = left.length - 1; index > 0; index--) {
    const other = Math.floor(random.next() * (index + 1));
    const [a, b] = [left[index], left[other]];
    if (a === undefined || b === undefined) continue;
    left[index] = b;
    left[other] = a;
  }
  return left;
}
