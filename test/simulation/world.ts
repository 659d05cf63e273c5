import type {
  EmergencyCall,
  Lists,
  LogEntry,
  LogList,
  Player,
  Snapshot,
  SourceId,
} from "../../src/domain/model.ts";
import type { Random } from "../../src/domain/ports/clock.ts";

export const lists: readonly LogList[] = ["joinLogs", "killLogs", "commandLogs", "modCalls"];
const shares: readonly number[] = [0.45, 0.8, 0.97, 1];

/** One log of one server as it truly happens: columns by true index, in order of arrival. */
export interface TrueLog {
  readonly arrivedMs: number[];
  readonly atS: number[];
  /** The index whose token this row wears: its own, or an earlier one's where two rows are equal in one second. */
  readonly token: number[];
  /** modCalls: the index whose name this row wears, since people call again; else as `token`. */
  readonly who: number[];
  /** modCalls: when it was answered; 0 for never. */
  readonly answeredMs: number[];
}

export interface SimServer {
  readonly index: number;
  readonly logs: Readonly<Record<LogList, TrueLog>>;
  /** With players, [from, to). */
  readonly sessions: { readonly fromMs: number; readonly toMs: number }[];
  /** Calls for help, [from, to): state, of which an answer shows what lasts at that moment. */
  readonly emergencies: Emergency[];
  /** When the logs began anew, sorted: with a session, or in the middle of everything. */
  readonly clearsMs: number[];
  readonly order: "oldest first" | "newest first" | "any";
  /** The key is replaced now and then: an old one is refused. */
  keys: number;
  /** Moments of the latest answers, for serving an old one again. */
  readonly servedMs: number[];
}

export interface Emergency {
  readonly number: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What an answer truly showed, by index: [start, end) of each log. */
export interface Shown {
  readonly builtMs: number;
  readonly ranges: Readonly<Record<LogList, readonly [start: number, end: number]>>;
}

export interface WorldOptions {
  readonly servers: number;
  readonly hours: number;
  /** Over all servers and the whole time, about. */
  readonly entries: number;
  /** Some rows are dated minutes ahead, and each answer shows one of the year 2096. */
  readonly absurdTimes?: boolean;
}

/** Rows come at most so long after their own second. */
export const LATEST_ROW_S = 20;

/** How many rows a log shows. */
export const CAPACITY = 60;

/** Servers with rates by Zipf's law, players that come and go, logs that restart, rows that come late or twice. */
export function makeServers(options: WorldOptions, startMs: number, random: Random): SimServer[] {
  const endMs = startMs + options.hours * 3_600_000;
  const servers = Array.from({ length: options.servers }, (_, index) => emptyServer(index, random));
  const weights: number[] = [];
  for (const server of servers) {
    sessionsOf(server, startMs, endMs, random);
    const occupiedMs = server.sessions.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    weights.push(occupiedMs / (server.index + 1));
  }
  const perMs = options.entries / weights.reduce((sum, weight) => sum + weight, 0);
  for (const server of servers) {
    happen(
      server,
      { perMs: perMs / (server.index + 1), aheadShare: options.absurdTimes ? 0.002 : 0 },
      random,
    );
    callForHelp(server, random);
  }
  return servers;
}

/** Names carry the server, the log and the true index, so that what stands in a channel can be counted. */
export function tokenOf(server: SimServer, list: LogList, index: number): string {
  return `x${server.index.toString(36)}y${lists.indexOf(list)}z${index.toString(36)}w`;
}

export function tokensIn(
  text: string,
): { readonly server: number; readonly list: LogList; readonly index: number }[] {
  return [...text.matchAll(/x([0-9a-z]+)y(\d)z([0-9a-z]+)w/g)].map(([, server, list, index]) => ({
    server: Number.parseInt(server ?? "", 36),
    list: lists[Number(list)] ?? "joinLogs",
    index: Number.parseInt(index ?? "", 36),
  }));
}

export function sourceOf(server: SimServer, key = server.keys): SourceId {
  return `s${server.index}.${key}` as SourceId;
}

/** The server that a key is, or was, of. */
export function serverOf(servers: readonly SimServer[], source: SourceId): SimServer | undefined {
  return servers[Number(/^s(\d+)\./.exec(source)?.[1])];
}

/** Which rows the logs of a server show at that moment. */
export function shownAt(server: SimServer, atMs: number): Shown {
  const range = (list: LogList) => rangeAt(server, list, atMs);
  const [joinLogs, killLogs] = [range("joinLogs"), range("killLogs")];
  const [commandLogs, modCalls] = [range("commandLogs"), range("modCalls")];
  return { builtMs: atMs, ranges: { joinLogs, killLogs, commandLogs, modCalls } };
}

/** The true indexes that one log shows at that moment. */
export function rangeAt(
  server: SimServer,
  list: LogList,
  atMs: number,
): readonly [start: number, end: number] {
  const { arrivedMs } = server.logs[list];
  const end = upTo(arrivedMs, atMs);
  return [Math.max(upTo(arrivedMs, clearedBefore(server, atMs)), end - CAPACITY), end];
}

/** The latest restart of the log at or before that moment; 0 for none. */
export function clearedBefore(server: SimServer, atMs: number): number {
  return server.clearsMs[upTo(server.clearsMs, atMs) - 1] ?? 0;
}

/** The answer of the service. */
export function snapshotOf(
  server: SimServer,
  source: SourceId,
  wanted: readonly string[],
  shown: Shown,
  times: { readonly askedAtMs: number; readonly takenAtMs: number },
): Snapshot {
  const occupied = server.sessions.some((one) => one.fromMs <= shown.builtMs && shown.builtMs < one.toMs);
  const answer: Record<string, readonly unknown[]> = {};
  for (const list of lists) if (wanted.includes(list)) answer[list] = rowsOf(server, list, shown);
  if (wanted.includes("players")) answer.players = playersOf(server, shown);
  if (wanted.includes("emergencyCalls")) answer.emergencyCalls = emergenciesOf(server, shown);
  return {
    source,
    ...times,
    serviceAtMs: times.takenAtMs,
    status: {
      name: nameOf(server, shown),
      ownerId: server.index,
      coOwnerIds: [],
      currentPlayers: occupied ? 12 : 0,
      maxPlayers: 40,
      joinKey: "join",
      accVerifiedReq: "Disabled",
      teamBalance: false,
    },
    // Each list holds rows of its own kind: rowsOf makes them so.
    lists: answer as Partial<Lists>,
    skippedRows: {},
  };
}

/** Tells when the answer was made: of what it then showed everything follows. */
function nameOf(server: SimServer, { builtMs }: Shown): string {
  return `Server ${server.index} at ${builtMs}`;
}

/** What an answer truly showed, by the name in it. */
export function shownBy(server: SimServer, { status }: Snapshot): Shown {
  return shownAt(server, Number(/ at (.+)$/.exec(status.name)?.[1]));
}

/** Those whom the log of joins names, as far as it goes: teams of others are not known. */
function playersOf(server: SimServer, shown: Shown): readonly Player[] {
  const [start, end] = shown.ranges.joinLogs;
  const tokens = new Set(server.logs.joinLogs.token.slice(start, end));
  const joined = [...tokens].map((token) => ({
    player: { name: tokenOf(server, "joinLogs", token), id: token + 1 },
    team: isPolice(token) ? "Police" : "Civilian",
    permission: token % 5 === 0 ? "Server Moderator" : "Normal",
    wantedStars: 0,
  }));
  return [...joined, ...callersOf(server, shown)];
}

/** Those who call moderators stay for a while; some leave soon. */
function callersOf(server: SimServer, { builtMs, ranges }: Shown): readonly Player[] {
  const { who, arrivedMs } = server.logs.modCalls;
  const [start, end] = ranges.modCalls;
  const here = [...new Set(who.slice(start, end))].filter((one) => {
    const staysMs = one % 4 === 0 ? 40_000 : 900_000;
    return builtMs < (arrivedMs[one] ?? 0) + staysMs;
  });
  return here.map((one) => ({
    player: { name: tokenOf(server, "modCalls", one), id: one + 1 },
    team: builtMs % 7 < 3 ? "Jail" : "Civilian",
    permission: "Normal",
    wantedStars: 0,
  }));
}

function emergenciesOf(server: SimServer, { builtMs }: Shown): readonly EmergencyCall[] {
  return lastingAt(server, builtMs).map((call) => ({
    team: "Police",
    // Nobody of the log of joins: a card names its caller.
    callerId: 9_000_007,
    unitIds: [],
    startedAtS: startedAtS(call),
    callNumber: call.number,
    description: emergencyTokenOf(server, call),
  }));
}

function rowsOf(server: SimServer, list: LogList, shown: Shown): readonly LogEntry[] {
  const [start, end] = shown.ranges[list];
  const rows: LogEntry[] = [];
  for (let index = start; index < end; index++) rows.push(rowOf(server, list, index, shown.builtMs));
  if (server.order === "newest first") return rows.reverse();
  if (server.order === "oldest first") return rows;
  // Any order, another one with each answer.
  const turn = Math.floor(shown.builtMs / 1_000) % Math.max(1, rows.length);
  return [...rows.slice(turn).reverse(), ...rows.slice(0, turn)];
}

function rowOf(server: SimServer, list: LogList, index: number, nowMs: number): LogEntry {
  const log = server.logs[list];
  const atS = log.atS[index] ?? 0;
  const token = log.token[index] ?? 0;
  const player = { name: tokenOf(server, list, token), id: token + 1 };
  if (list === "joinLogs") return { kind: "join", atS, player, joined: token % 3 !== 0 };
  if (list === "killLogs") return { kind: "kill", atS, killer: player, killed: victimOf(token) };
  if (list === "commandLogs")
    return { kind: "command", atS, player, text: isPolice(token) ? ":wanted someone" : ":pm someone hello" };
  const answeredMs = log.answeredMs[index] ?? 0;
  const moderator = answeredMs > 0 && answeredMs <= nowMs ? { moderator: { name: "marshal", id: 9 } } : {};
  const who = log.who[index] ?? 0;
  const caller = { name: tokenOf(server, list, who), id: who + 1 };
  return { kind: "modCall", atS, caller, ...moderator };
}

function victimOf(token: number) {
  return isPolice(token) ? { name: "victim", id: 7 } : { name: "bystander", id: 8 };
}

function emptyServer(index: number, random: Random): SimServer {
  const log = (): TrueLog => ({ arrivedMs: [], atS: [], token: [], who: [], answeredMs: [] });
  const order = (["oldest first", "newest first", "newest first", "any"] as const)[
    Math.floor(random.next() * 4)
  ];
  return {
    index,
    logs: { joinLogs: log(), killLogs: log(), commandLogs: log(), modCalls: log() },
    sessions: [],
    emergencies: [],
    clearsMs: [],
    order: order ?? "newest first",
    keys: 0,
    servedMs: [],
  };
}

function sessionsOf(server: SimServer, startMs: number, endMs: number, random: Random): void {
  const { clearsMs } = server;
  const pauseMs = (server.index < 20 ? 0.7 : 5.5) * 3_600_000;
  let atMs = startMs + (random.next() < 0.4 ? 0 : exponential(pauseMs, random));
  while (atMs < endMs) {
    const toMs = Math.min(endMs, atMs + 600_000 + exponential(2.8 * 3_600_000, random));
    server.sessions.push({ fromMs: atMs, toMs });
    // Mostly the game server starts anew with its players; now and then under them.
    if (random.next() < 0.7) clearsMs.push(atMs - 1);
    if (random.next() < 0.15) clearsMs.push(atMs + random.next() * (toMs - atMs));
    atMs = toMs + 60_000 + exponential(pauseMs, random);
  }
}

interface Happening {
  readonly arrivedMs: number;
  readonly atS: number;
  readonly answeredMs: number;
  /** The row that this one cannot be told from. */
  readonly twinOf: Happening | undefined;
  /** modCalls: the call before by the same person. */
  readonly again: Happening | undefined;
}

/** A call every ten minutes or so while people play; some last for seconds only. */
function callForHelp(server: SimServer, random: Random): void {
  for (const session of server.sessions) {
    let fromMs = session.fromMs + exponential(600_000, random);
    for (; fromMs < session.toMs; fromMs += exponential(600_000, random)) {
      const toMs = Math.min(session.toMs, fromMs + exponential(150_000, random));
      server.emergencies.push({ number: server.emergencies.length + 1, fromMs, toMs });
    }
  }
}

/** The second in which a call began, as the service tells it. */
export function startedAtS({ fromMs }: Emergency): number {
  return Math.floor(fromMs / 1_000);
}

/** The calls that last at that moment. */
export function lastingAt(server: SimServer, atMs: number): readonly Emergency[] {
  return server.emergencies.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
}

/** Stands in the description of a call; tokens of rows have no capitals. */
export function emergencyTokenOf(server: SimServer, { number }: Emergency): string {
  return `E${server.index}N${number}W`;
}

/** By the true index of a row: half of all, so that a filter leaves something out. */
export function isPolice(token: number): boolean {
  return token % 2 === 0;
}

function happen(
  server: SimServer,
  { perMs, aheadShare }: { readonly perMs: number; readonly aheadShare: number },
  random: Random,
): void {
  const happened: Record<LogList, Happening[]> = {
    joinLogs: [],
    killLogs: [],
    commandLogs: [],
    modCalls: [],
  };
  for (const { fromMs, toMs } of server.sessions) {
    // Players are there because somebody has joined.
    for (let atMs = fromMs; atMs < toMs; atMs += exponential(1 / perMs, random)) {
      const draw = atMs === fromMs ? 0 : random.next();
      const list = lists[shares.findIndex((share) => draw < share)] ?? "joinLogs";
      const late = random.next() < 0.02 ? 1 + Math.floor(random.next() * LATEST_ROW_S) : 0;
      const ahead = aheadShare > 0 && random.next() < aheadShare ? 60 + Math.floor(random.next() * 480) : 0;
      const answered = list === "modCalls" && random.next() < 0.7;
      const answeredMs = answered ? atMs + 5_000 + exponential(90_000, random) : 0;
      // Every other call is one more by the person who called last.
      const isAgain = list === "modCalls" && happened.modCalls.length % 2 === 1;
      const again = isAgain ? happened.modCalls.at(-1) : undefined;
      const one: Happening = {
        again,
        arrivedMs: atMs,
        atS: Math.floor(atMs / 1_000) - late + ahead,
        answeredMs,
        twinOf: undefined,
      };
      happened[list].push(one);
      if (random.next() >= 0.03) continue;
      // The same thing twice in one second, perhaps with an answer of the service in between.
      const restMs = Math.min(toMs, (Math.floor(atMs / 1_000) + 1) * 1_000) - atMs;
      happened[list].push({ ...one, arrivedMs: atMs + random.next() * restMs, twinOf: one, again: one });
    }
  }
  for (const list of lists) {
    const log = server.logs[list];
    const rows = happened[list].sort((a, b) => a.arrivedMs - b.arrivedMs);
    const indexes = new Map(rows.map((row, index) => [row, index]));
    // Two calls by one person in one second cannot be told apart, by chance or as twins.
    const firstAt = new Map<string, number>();
    for (const [index, row] of rows.entries()) {
      const who = (row.again && log.who[indexes.get(row.again) ?? -1]) ?? index;
      const moment = `${who} ${row.atS}`;
      if (!firstAt.has(moment)) firstAt.set(moment, index);
      const twin = row.twinOf === undefined ? index : (indexes.get(row.twinOf) ?? index);
      log.arrivedMs.push(row.arrivedMs);
      log.atS.push(row.atS);
      log.who.push(list === "modCalls" ? who : twin);
      log.token.push(list === "modCalls" ? (firstAt.get(moment) ?? index) : twin);
      log.answeredMs.push(row.answeredMs);
    }
  }
}

export function exponential(mean: number, random: Random): number {
  return -Math.log(1 - random.next()) * mean;
}

/** How many of the sorted times are at or before that one. */
function upTo(times: readonly number[], atMs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
