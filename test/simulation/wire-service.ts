import { createServiceClient, type Service } from "../../src/api/client.ts";
import {
  parseCommandPermission,
  parseHalt,
  parseKeyBudget,
  parseOpenRequests,
  parseRefusedRead,
  parseRejected,
  parseTakenKey,
} from "../../src/api/stored-records.ts";
import type { ListName, LogEntry, PlayerRef, Snapshot, SourceId } from "../../src/domain/model.ts";
import type { Clock, Random } from "../../src/domain/ports/clock.ts";
import type { Documents } from "../../src/domain/ports/documents.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import type { VirtualTransport } from "../support/network.ts";
import type { Life } from "./life.ts";
import type { SimService } from "./service.ts";
import { snapshotOf } from "./world.ts";

const FIELDS = {
  Players: "players",
  JoinLogs: "joinLogs",
  KillLogs: "killLogs",
  CommandLogs: "commandLogs",
  ModCalls: "modCalls",
  EmergencyCalls: "emergencyCalls",
} as const satisfies Record<string, ListName>;
const WINDOW_MS = 10_000;
const FAR_FUTURE_S = 4_000_000_000;

export interface WireParts {
  readonly service: SimService;
  readonly life: Life;
  readonly clock: Clock;
  readonly random: Random;
  readonly pollsPerS: number;
  /** Every server that some guild has linked. */
  sources(): Iterable<SourceId>;
  /** Each answer shows a row of the far future too. */
  readonly absurdTimes: boolean;
  documents<T>(name: string, parse: (value: unknown) => T): Documents<T>;
}

/** The real client with its gate before the simulated service: what lies between them is JSON and headers. */
export function wireClient(parts: WireParts): Service {
  const { clock, random, documents } = parts;
  return createServiceClient({
    serviceUrl: "http://service.invalid",
    keys: {
      sources: parts.sources,
      keyOf: async (source) => new ServerKey(keyOf(source)),
      sourceOf: (key) => sourceOfKey(key.reveal()),
    },
    halts: documents("halts", parseHalt),
    rejected: documents("rejected", parseRejected),
    keyBudget: documents("key-budget", parseKeyBudget),
    openRequests: documents("key-flights", parseOpenRequests),
    takenKeys: documents("taken-keys", parseTakenKey),
    refusedReads: documents("refused-reads", parseRefusedRead),
    commandPermissions: documents("command-permissions", parseCommandPermission),
    clock,
    random,
    metrics: { count: () => undefined, observe: () => undefined },
    onEvent: () => undefined,
    transport: wire(parts),
  });
}

function wire({ service, life, clock, pollsPerS, absurdTimes }: WireParts): VirtualTransport {
  const limit = pollsPerS * (WINDOW_MS / 1_000);
  let [windowEndMs, spent] = [0, 0];
  return async ({ path, headers, onStart }, cancel) => {
    await clock.sleep(0);
    if (cancel.isCalled) throw cancel.reason;
    onStart();
    if (clock.nowMs() >= windowEndMs) {
      // Windows begin with whole seconds, as they are told.
      windowEndMs = Math.floor(clock.nowMs() / 1_000) * 1_000 + WINDOW_MS;
      spent = 0;
    }
    spent += 1;
    const told = {
      date: new Date(clock.nowMs()).toUTCString(),
      "x-ratelimit-bucket": "global",
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(Math.max(0, limit - spent)),
      "x-ratelimit-reset": String(windowEndMs / 1_000),
    };
    if (spent > limit) {
      const waitS = (windowEndMs - clock.nowMs()) / 1_000;
      const body = JSON.stringify({ message: "too many", retry_after: waitS });
      return { status: 429, headers: { ...told, "retry-after": String(Math.ceil(waitS)) }, body };
    }

    const source = sourceOfKey(headers["server-key"] ?? "");
    const url = new URL(path, "http://service.invalid");
    const wanted = Object.entries(FIELDS).filter(([field]) => url.searchParams.get(field) === "true");
    const answer = await life.call(`GET ${source} ${url.search}`, () => service.answer(source));
    if (answer === "silence") throw new Error("read ECONNRESET");
    if (answer === "refused") {
      return { status: 403, headers: told, body: JSON.stringify({ code: 2002, message: "invalid key" }) };
    }
    const { server, shown } = answer;
    const lists = wanted.map(([, list]) => list);
    const snapshot = snapshotOf(server, source, lists, shown, { askedAtMs: 0, takenAtMs: 0 });
    return { status: 200, headers: told, body: JSON.stringify(bodyOf(snapshot, wanted, absurdTimes)) };
  };
}

/** As the service spells it. */
function bodyOf(
  { status, lists }: Snapshot,
  wanted: readonly (readonly [field: string, list: (typeof FIELDS)[keyof typeof FIELDS]])[],
  absurdTimes: boolean,
) {
  const body: Record<string, unknown> = {
    Name: status.name,
    OwnerId: status.ownerId,
    CoOwnerIds: status.coOwnerIds,
    CurrentPlayers: status.currentPlayers,
    MaxPlayers: status.maxPlayers,
    JoinKey: status.joinKey,
    AccVerifiedReq: status.accVerifiedReq,
    TeamBalance: status.teamBalance,
  };
  for (const [field, list] of wanted) {
    if (list === "players") {
      body[field] = (lists.players ?? []).map(({ player, team, permission }) => ({
        Player: refText(player),
        Team: team,
        Permission: permission,
        WantedStars: 0,
      }));
    } else if (list === "emergencyCalls") {
      body[field] = (lists.emergencyCalls ?? []).map((call) => ({
        Team: call.team,
        Caller: call.callerId,
        Players: call.unitIds,
        StartedAt: call.startedAtS,
        CallNumber: call.callNumber,
        Description: call.description,
        Position: [0, 0],
        PositionDescriptor: null,
      }));
    } else {
      const rows: readonly LogEntry[] = lists[list] ?? [];
      const first = rows[0];
      const absurd = absurdTimes && first !== undefined ? [{ ...first, atS: FAR_FUTURE_S }] : [];
      body[field] = [...rows, ...absurd].map(rowOf);
    }
  }
  return body;
}

function rowOf(entry: LogEntry) {
  const Timestamp = entry.atS;
  switch (entry.kind) {
    case "join":
      return { Join: entry.joined, Timestamp, Player: refText(entry.player) };
    case "kill":
      return { Killer: refText(entry.killer), Killed: refText(entry.killed), Timestamp };
    case "command":
      return { Player: refText(entry.player), Timestamp, Command: entry.text };
    case "modCall":
      return {
        Caller: refText(entry.caller),
        Timestamp,
        ...(entry.moderator === undefined ? {} : { Moderator: refText(entry.moderator) }),
      };
  }
}

function refText({ name, id }: PlayerRef): string {
  return id === undefined ? name : `${name}:${id}`;
}

function keyOf(source: SourceId): string {
  return `key-${source}`;
}

function sourceOfKey(key: string): SourceId {
  return key.replace(/^key-/, "") as SourceId;
}
