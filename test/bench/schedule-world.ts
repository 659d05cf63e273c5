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
const kinds = [
  ["joinLogs", 0.5],
  ["killLogs", 0.8],
  ["commandLogs", 0.97],
  ["modCalls", 1],
] as const;

/**
 * 1,000 servers, 35 % of them open, rates by Zipf's law (11.6 entries a second in all: 10^6 a day). Every minute
 * one server closes and another opens and fills up over a quarter of an hour, so that rates have to be learned.
 */
export function makeWorld(random: Random, hours: number): World {
  const endMs = hours * 3_600_000;
  const servers: WorldServer[] = Array.from({ length: 1_000 }, (_, index) => ({
    source: `source-${index}` as SourceId,
    events: [],
    open: [],
  }));
  const ranks = Array.from({ length: 350 }, (_, rank) => 1 / (rank + 1));
  const scale = 1_000_000 / 86_400 / ranks.reduce((sum, share) => sum + share, 0);
  const closed = shuffled(servers, random);
  const seats = ranks.map((share) => ({ rate: share * scale, server: opened(closed, 0), sinceMs: -RAMP_MS }));
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
    const seat = seats[Math.floor(random.next() * seats.length)];
    if (seat === undefined) continue;
    close(seat.server, atMs + STEP_MS);
    closed.unshift(seat.server);
    seat.server = opened(closed, atMs + STEP_MS);
    seat.sinceMs = atMs + STEP_MS;
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
  const isOpen = server.open.some(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
  return {
    source: server.source,
    askedAtMs: nowMs,
    takenAtMs: nowMs,
    status: {
      name: server.source,
      ownerId: 1,
      coOwnerIds: [],
      currentPlayers: isOpen ? 12 : 0,
      maxPlayers: 40,
      joinKey: "key",
      accVerifiedReq: "Disabled",
      teamBalance: false,
    },
    lists,
    skippedRows: {},
  };
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
