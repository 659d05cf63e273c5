import { Failure } from "../domain/failure.ts";
import { withoutFutureRows } from "../domain/future-rows.ts";
import type { CommandAnswer, ListName, ServerStatus, Snapshot, SourceId } from "../domain/model.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { KeyRing } from "../domain/ports/key-ring.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { KeyProver, ReadOptions, ServiceClient } from "../domain/ports/service-client.ts";
import type { ServiceEvent, ServiceHealth } from "../domain/ports/service-health.ts";
import type { ServerKey } from "../domain/secret.ts";
import type { Log } from "../log.ts";
import { Gate } from "./gate.ts";
import { GenerationalCache } from "./generational-cache.ts";
import type { RepeatingJson } from "./http/repeating-json.ts";
import { createTransport, type Transport } from "./http/transport.ts";
import { BAD_KEY_BUDGET, type BadKeyBudget, KeyGuard, type RejectedKey } from "./keys/key-guard.ts";
import type { StoredHalt } from "./limits/halt.ts";
import { RowNotes } from "./row-notes.ts";
import { createLogMemory, LIST_FIELDS, readCommandAnswer, readLists, readStatus } from "./schema.ts";

export interface ServiceClientOptions {
  readonly serviceUrl: string;
  readonly globalKey?: ServerKey;
  readonly keys: KeyRing;
  /** One document: the halt of this identity. */
  readonly halts: Documents<StoredHalt>;
  /** Parked and refused keys by their HMAC. */
  readonly rejected: Documents<RejectedKey>;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly log?: Log;
  readonly onEvent: (event: ServiceEvent) => void;
  /** For tests and simulations; else undici. */
  readonly transport?: Transport;
  /** For the whole exchange. Default 10 s. */
  readonly deadlineMs?: number;
  readonly budget?: BadKeyBudget;
  /** Requests at once. Default 32. */
  readonly connections?: number;
  /** Of how many servers the rows of the latest answer are remembered; 0: of none. @default 500 */
  readonly logsRemembered?: number;
}

/** What the gate and the key guard know, for /state. No secrets, no bucket names. */
export interface ServiceClientState extends ReturnType<Gate["state"]> {
  readonly halt: ReturnType<ServiceHealth["halt"]> | null;
  readonly parkedKeys: number;
}

export interface Service extends ServiceClient, KeyProver, ServiceHealth {
  /** The stored halt and the parked keys; to be awaited before the first request. */
  restore(): Promise<void>;
  state(): ServiceClientState;
  /** A parked key was linked again. */
  unpark(source: SourceId): Promise<void>;
  close(): Promise<void>;
}

const DEADLINE_MS = 10_000;
const CONNECTIONS = 32;
/** How wrong our own clock may be where an answer does not tell the service's time. */
const DATELESS_SLACK_MS = 24 * 3_600_000;
/**
 * Of a server that is polled less often than this, hardly a row is known again; full logs take about 50 KB. Those of a
 * host with thousands of servers are not worth that: their turn comes too seldom.
 */
const LOGS_REMEMBERED = 500;
const LOGS_REMEMBERED_FOR_MS = 15 * 60_000;
/** What a header can carry: anything else cannot be a key and is not worth a part of the budget. */
const KEY_SHAPE = /^[\x21-\x7e]{1,512}$/;

/** The client of the service: every call passes the gate and rejects with a Failure (design 4). */
export function createServiceClient(options: ServiceClientOptions): Service {
  return new GatedClient(options);
}

class GatedClient implements Service {
  readonly #options: ServiceClientOptions;
  readonly #guard: KeyGuard;
  readonly #gate: Gate;
  readonly #rowNotes: RowNotes;
  readonly #closeTransport: () => Promise<void>;
  /** With another global key the service counts another identity: its halt is not ours. */
  readonly #identity: string;
  /** What the logs of each source that is polled showed last. */
  readonly #logs: GenerationalCache<SourceId, RepeatingJson> | undefined;
  /** Writes in the order in which they were asked for. */
  #writes: Promise<void> = Promise.resolve();

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#rowNotes = new RowNotes(options);
    const most = options.logsRemembered ?? LOGS_REMEMBERED;
    const kept = { forMs: LOGS_REMEMBERED_FOR_MS, most };
    this.#logs = most > 0 ? new GenerationalCache(kept, createLogMemory) : undefined;
    this.#guard = new KeyGuard(options.budget ?? BAD_KEY_BUDGET);
    const connections = options.connections ?? CONNECTIONS;
    const { globalKey, keys, clock, metrics, onEvent } = options;
    this.#identity = globalKey === undefined ? "address" : `application-${keys.sourceOf(globalKey)}`;
    const http =
      options.transport === undefined ? createTransport(options.serviceUrl, connections) : undefined;
    const transport = options.transport ?? http?.send;
    if (transport === undefined) throw new TypeError("a service client needs a transport");
    this.#closeTransport = async () => http?.close();
    this.#gate = new Gate({
      transport,
      clock,
      metrics,
      guard: this.#guard,
      globalKey,
      salt: options.random.id() + options.random.id(),
      deadlineMs: options.deadlineMs ?? DEADLINE_MS,
      connections,
      keyOf: (source) => keys.keyOf(source),
      onEvent,
      onHaltChanged: () => this.#keepHalt(),
      onRejectedChanged: (source) => this.#keepRejected(source),
    });
  }

  async restore(): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    for await (const [source, rejected] of this.#options.rejected.entries())
      this.#guard.restore(source as SourceId, rejected);
    for (const source of this.#guard.forgotten(nowMs)) this.#keepRejected(source);
    const halt = await this.#options.halts.get(this.#identity);
    if (halt === undefined) return;
    this.#gate.halt.restore(halt);
    this.#gate.wake();
  }

  async read(source: SourceId, lists: readonly ListName[], options: ReadOptions): Promise<Snapshot> {
    const key = linked(await this.#options.keys.keyOf(source));
    const memory = this.#logs?.of(source, this.#options.clock.monotonicMs());
    const answered = await this.#gate.send({
      source,
      key,
      route: "read",
      parse: memory === undefined ? JSON.parse : (body) => memory.parse(body),
      waitingClass: options.priority,
      path: readPath(lists),
      signal: options.signal,
      onSent: options.onSent,
    });
    const { lists: read, skippedRows } = readLists(answered.json, lists);
    // Without a Date only our own clock is left, which a host may have set wrong by hours: no row is lost for that.
    const presentMs = answered.dateMs ?? answered.readAtMs + DATELESS_SLACK_MS;
    const { lists: present, setAside } = withoutFutureRows(read, presentMs);
    this.#rowNotes.note(source, "unreadable", skippedRows);
    this.#rowNotes.note(source, "future", setAside);
    return {
      source,
      askedAtMs: answered.sentAtMs,
      takenAtMs: answered.readAtMs,
      status: readStatus(answered.json),
      lists: present,
      skippedRows,
      ...(present === read ? {} : { setAsideRows: setAside }),
    };
  }

  async command(
    source: SourceId,
    text: string,
    signal?: AbortSignal,
    mayStart?: () => boolean,
  ): Promise<CommandAnswer> {
    const key = linked(await this.#options.keys.keyOf(source));
    const answered = await this.#gate.send({
      source,
      key,
      route: "command",
      waitingClass: "person",
      path: "/v2/server/command",
      body: JSON.stringify({ command: text }),
      signal,
      mayStart,
    });
    const answer = readCommandAnswer(answered.json);
    return { ...answer, sentAtMs: answered.sentAtMs, answeredAtMs: answered.readAtMs };
  }

  async prove(key: ServerKey, guildId: string): Promise<ServerStatus> {
    const { keys, clock } = this.#options;
    if (!KEY_SHAPE.test(key.reveal()))
      throw new Failure("key-rejected", "A server key has no spaces, line breaks or special letters.");
    const source = keys.sourceOf(key);
    const may = this.#guard.mayProve(source, guildId, clock.nowMs());
    if (!may.go) throw proveRefusal(may.why, may.retryAtMs);
    this.#guard.proveStarted(source, guildId);
    let rejection: Failure | undefined;
    try {
      const answered = await this.#gate.send({
        source,
        key,
        route: "read",
        waitingClass: "person",
        path: "/v1/server",
        proving: true,
      });
      this.#forgetRejection(source);
      return readStatus(answered.json);
    } catch (error) {
      if (error instanceof Failure && error.code === "key-rejected") rejection = error;
      throw error;
    } finally {
      const why =
        rejection === undefined ? undefined : { why: rejection.message, serviceCode: rejection.serviceCode };
      this.#guard.proveEnded(source, guildId, why, clock.nowMs());
      if (rejection !== undefined) this.#keepRejected(source);
    }
  }

  halt(): ReturnType<ServiceHealth["halt"]> {
    const halt = this.#gate.halt.current;
    return halt === undefined ? undefined : { untilMs: halt.untilMs, why: halt.why };
  }

  parked(source: SourceId): ReturnType<ServiceHealth["parked"]> {
    const parked = this.#guard.parked(source);
    return parked === undefined ? undefined : { sinceMs: parked.atMs, why: parked.why };
  }

  commandReadyAtMs(source: SourceId): number {
    return this.#gate.commandReadyAtMs(source);
  }

  state(): ServiceClientState {
    return { ...this.#gate.state(), halt: this.halt() ?? null, parkedKeys: this.#guard.parkedCount };
  }

  async unpark(source: SourceId): Promise<void> {
    this.#forgetRejection(source);
    await this.#writes;
  }

  async close(): Promise<void> {
    await this.#gate.close();
    await this.#writes;
    await this.#closeTransport();
  }

  #forgetRejection(source: SourceId): void {
    if (this.#guard.rejected(source) === undefined) return;
    this.#guard.unpark(source);
    this.#keepRejected(source);
  }

  #keepHalt(): void {
    const { halts } = this.#options;
    this.#write("halt", () =>
      this.#gate.halt.current === undefined
        ? halts.delete(this.#identity)
        : halts.set(this.#identity, this.#gate.halt.stored),
    );
  }

  #keepRejected(source: SourceId): void {
    const { rejected } = this.#options;
    this.#write("rejected key", () => {
      const known = this.#guard.record(source);
      return known === undefined ? rejected.delete(source) : rejected.set(source, known);
    });
  }

  /** A store that fails must not stop the gate: what it knows still holds in this process. */
  #write(what: string, work: () => Promise<void>): void {
    this.#writes = this.#writes.then(work).catch((error: unknown) => {
      this.#options.log?.error({ err: error, what }, "the state of the gate could not be kept");
    });
  }
}

function linked(key: ServerKey | undefined): ServerKey {
  if (key === undefined) throw new Failure("not-linked", "No guild has this server linked any more.");
  return key;
}

function readPath(lists: readonly ListName[]): string {
  if (lists.length === 0) return "/v1/server";
  let query = "";
  for (const name of lists) query += `&${LIST_FIELDS[name]}=true`;
  return `/v2/server?${query.slice(1)}`;
}

function proveRefusal(why: "remembered" | "guild" | "host", retryAtMs: number): Failure {
  if (why === "remembered")
    return new Failure(
      "key-rejected",
      "The service refused this key a while ago; it is not asked again so soon.",
      {
        retryAtMs,
      },
    );
  const whose = why === "guild" ? "in this community" : "on this host";
  return new Failure(
    "denied",
    `Too many wrong keys were tried ${whose}; linking waits so that nobody is banned.`,
    {
      retryAtMs,
    },
  );
}
