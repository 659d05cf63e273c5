import { Failure } from "../domain/failure.ts";
import { withoutFutureRows } from "../domain/future-rows.ts";
import type { CommandAnswer, ListName, ServerStatus, Snapshot, SourceId } from "../domain/model.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { KeyRing } from "../domain/ports/key-ring.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type {
  CommandOptions,
  KeyProver,
  ReadOptions,
  ServiceClient,
} from "../domain/ports/service-client.ts";
import type { BadKeys, ServiceEvent, ServiceHealth } from "../domain/ports/service-health.ts";
import type { ServerKey } from "../domain/secret.ts";
import type { Log } from "../log.ts";
import { Gate } from "./gate.ts";
import { unlinked } from "./gate-failures.ts";
import { GenerationalCache } from "./generational-cache.ts";
import type { RepeatingJson } from "./http/repeating-json.ts";
import { createTransport, type Transport } from "./http/transport.ts";
import type { KeyBudget, StoredUnits } from "./keys/budget.ts";
import type { KeyDesk } from "./keys/key-desk.ts";
import type { KeyGuard, TakenKey } from "./keys/key-guard.ts";
import type { KeyRecords, StoredBudget } from "./keys/key-records.ts";
import { openDesk } from "./keys/open-desk.ts";
import type { RejectedKey } from "./keys/rejected-keys.ts";
import type { StoredHalt } from "./limits/halt.ts";
import { RefusedReads } from "./limits/refused-reads.ts";
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
  /** One document: what is spent of the budget of bad keys. Written before a request leaves that may spend of it. */
  readonly keyBudget: Documents<StoredBudget>;
  /** One document: requests on their way with keys that are known to be good. */
  readonly keyFlights: Documents<StoredUnits>;
  /** When each key was last taken, by its HMAC. */
  readonly takenKeys: Documents<TakenKey>;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly log?: Log;
  readonly onEvent: (event: ServiceEvent) => void;
  /** For tests and simulations; else undici. */
  readonly transport?: Transport;
  /** For the whole exchange. Default 10 s. */
  readonly deadlineMs?: number;
  /** Requests with refused keys that this address risks in an hour. @default 8 */
  readonly badKeyBudget?: number | undefined;
  /** Requests at once. Default 32. */
  readonly connections?: number;
  /** Of how many servers the rows of the latest answer are remembered; 0: of none. @default 500 */
  readonly logsRemembered?: number;
}

/** What the gate and the key guard know, for /state. No secrets, no bucket names. */
export interface ServiceClientState extends ReturnType<Gate["state"]> {
  readonly halt: ReturnType<ServiceHealth["halt"]> | null;
  readonly parkedKeys: number;
  readonly badKeys: BadKeys;
}

export interface Service extends ServiceClient, KeyProver, ServiceHealth {
  /** The stored halt and the parked keys; to be awaited before the first request. */
  restore(): Promise<void>;
  state(): ServiceClientState;
  badKeys(): BadKeys;
  /** A parked key was linked again. */
  unpark(source: SourceId): Promise<void>;
  /** The last guild unlinked this server: what was learned of its key is forgotten, those who wait with it are told. */
  forget(source: SourceId): void;
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

/** The client of the service: every call passes the gate and rejects with a Failure. */
export function createServiceClient(options: ServiceClientOptions): Service {
  return new GatedClient(options);
}

class GatedClient implements Service {
  readonly #options: ServiceClientOptions;
  readonly #guard: KeyGuard;
  readonly #budget: KeyBudget;
  readonly #records: KeyRecords;
  readonly #desk: KeyDesk;
  readonly #gate: Gate;
  readonly #rowNotes: RowNotes;
  readonly #closeTransport: () => Promise<void>;
  /** With another global key the service counts another identity: its halt is not ours. */
  readonly #identity: string;
  /** What the logs of each source that is polled showed last. */
  readonly #logs: GenerationalCache<SourceId, RepeatingJson> | undefined;
  readonly #refusedReads = new RefusedReads();
  /** Writes in the order in which they were asked for. */
  #writes: Promise<void> = Promise.resolve();

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#rowNotes = new RowNotes(options);
    const most = options.logsRemembered ?? LOGS_REMEMBERED;
    const kept = { forMs: LOGS_REMEMBERED_FOR_MS, most };
    this.#logs = most > 0 ? new GenerationalCache(kept, createLogMemory) : undefined;
    const connections = options.connections ?? CONNECTIONS;
    const { globalKey, keys, clock, metrics, onEvent, log } = options;
    const { rejected, keyFlights: flights, takenKeys: taken, keyBudget: budget, badKeyBudget } = options;
    const keyDesk = openDesk({ documents: { rejected, flights, taken, budget }, clock, log, badKeyBudget });
    const { guard } = keyDesk;
    this.#guard = guard;
    this.#budget = keyDesk.budget;
    this.#records = keyDesk.records;
    this.#desk = keyDesk.desk;
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
      guard,
      desk: this.#desk,
      globalKey,
      salt: options.random.id() + options.random.id(),
      deadlineMs: options.deadlineMs ?? DEADLINE_MS,
      connections,
      keyOf: (source) => keys.keyOf(source),
      sources: () => keys.sources(),
      onEvent,
      onHaltChanged: () => this.#keepHalt(),
      onRejectedChanged: (source) => this.#records.keepRejected(source),
      onTakenAgain: (source) => {
        this.#desk.unpark(source);
        onEvent({ kind: "key-taken-again", source });
      },
    });
  }

  async restore(): Promise<void> {
    await this.#desk.restore();
    const halt = await this.#options.halts.get(this.#identity);
    if (halt !== undefined) this.#gate.halt.restore(halt);
    this.#gate.wake();
  }

  async read(source: SourceId, lists: readonly ListName[], options: ReadOptions): Promise<Snapshot> {
    try {
      return await this.#read(source, lists, options);
    } catch (error) {
      throw error instanceof Failure ? this.#readFailed(source, error) : error;
    }
  }

  async #read(source: SourceId, lists: readonly ListName[], options: ReadOptions): Promise<Snapshot> {
    const key = linked(await this.#options.keys.keyOf(source));
    this.#refuseUnreadable(source);
    const memory = this.#logs?.of(source, this.#options.clock.monotonicMs());
    const answered = await this.#gate.send({
      source,
      key,
      route: "read",
      parse: memory === undefined ? JSON.parse : (body) => memory.parse(body),
      waitingClass: options.priority,
      turn: options.guildId,
      path: readPath(lists),
      signal: options.signal,
      onSent: options.onSent,
    });
    this.#refusedReads.forget(source);
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

  /** A server that the service does not let us read is asked again rarely, whoever asks. */
  #refuseUnreadable(source: SourceId): void {
    const { clock } = this.#options;
    const refused = this.#refusedReads.standing(source, clock.monotonicMs());
    if (refused === undefined) return;
    const { code, message, serviceCode } = refused.failure;
    const retryAtMs = Math.ceil(clock.nowMs() + refused.leftMs);
    throw new Failure(code, message, { retryAtMs, ...(serviceCode === undefined ? {} : { serviceCode }) });
  }

  /** The same failure as one of reading; the service's refusal to show a server is noted and told once. */
  #readFailed(source: SourceId, error: Failure): Failure {
    const { code, message, retryAtMs, serviceCode, commandId, cause } = error;
    const failure = new Failure(code, message, {
      isRead: true,
      cause,
      ...(retryAtMs === undefined ? {} : { retryAtMs }),
      ...(serviceCode === undefined ? {} : { serviceCode }),
      ...(commandId === undefined ? {} : { commandId }),
    });
    const { clock, onEvent } = this.#options;
    const isAnswer = code === "read-refused" && retryAtMs === undefined;
    if (isAnswer && this.#refusedReads.onRefused(source, failure, clock.monotonicMs()))
      onEvent({ kind: "read-refused", source, failure });
    return failure;
  }

  async command(
    source: SourceId,
    text: string,
    { signal, mayStart, guildId }: CommandOptions = {},
  ): Promise<CommandAnswer> {
    const key = linked(await this.#options.keys.keyOf(source));
    const answered = await this.#gate.send({
      source,
      key,
      route: "command",
      waitingClass: "person",
      turn: guildId,
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
    const rememberedUntilMs = this.#guard.rejectedKeys.rememberedUntilMs(source, clock.nowMs());
    if (rememberedUntilMs !== undefined) throw remembered(rememberedUntilMs);
    // A key that another guild uses is judged as that guild's: if it is bad, both are to know.
    const isUsed = this.#guard.parked(source) === undefined && (await keys.keyOf(source)) !== undefined;
    const answered = await this.#gate.send({
      source,
      key,
      route: "read",
      waitingClass: "person",
      path: "/v1/server",
      proving: !isUsed,
      guildId,
      turn: guildId,
    });
    this.#desk.unpark(source);
    return readStatus(answered.json);
  }

  halt(): ReturnType<ServiceHealth["halt"]> {
    const halt = this.#gate.halt.current;
    return halt === undefined ? undefined : { untilMs: halt.untilMs, why: halt.why, message: halt.message };
  }

  parked(source: SourceId): ReturnType<ServiceHealth["parked"]> {
    const parked = this.#guard.parked(source);
    return parked === undefined ? undefined : { sinceMs: parked.atMs, why: parked.why };
  }

  held(source: SourceId): ReturnType<ServiceHealth["held"]> {
    const untilMs = this.#desk.heldUntilMs(source);
    return untilMs === undefined ? undefined : { untilMs: this.#wallMs(untilMs) };
  }

  badKeys(): BadKeys {
    const nowMs = this.#options.clock.monotonicMs();
    const spentMs = this.#budget.spentUntilMs(nowMs);
    return {
      refusedLastHour: this.#budget.refusals(nowMs),
      most: this.#budget.most,
      spentUntilMs: spentMs === undefined ? undefined : this.#wallMs(spentMs),
    };
  }

  commandReadyAtMs(source: SourceId): number {
    return this.#gate.commandReadyAtMs(source);
  }

  state(): ServiceClientState {
    const parkedKeys = this.#guard.rejectedKeys.parkedCount;
    return { ...this.#gate.state(), halt: this.halt() ?? null, parkedKeys, badKeys: this.badKeys() };
  }

  async unpark(source: SourceId): Promise<void> {
    this.#refusedReads.forget(source);
    this.#desk.unpark(source);
    await this.#records.settled();
  }

  forget(source: SourceId): void {
    this.#gate.dropKey(source, unlinked());
    this.#desk.forget(source);
    this.#refusedReads.forget(source);
    this.#logs?.delete(source);
  }

  async close(): Promise<void> {
    await this.#gate.close();
    await this.#records.close();
    await this.#writes;
    await this.#closeTransport();
  }

  #wallMs(monotonicMs: number): number {
    const { clock } = this.#options;
    return Math.ceil(clock.nowMs() + monotonicMs - clock.monotonicMs());
  }

  #keepHalt(): void {
    const { halts } = this.#options;
    this.#write("halt", () =>
      this.#gate.halt.current === undefined
        ? halts.delete(this.#identity)
        : halts.set(this.#identity, this.#gate.halt.stored),
    );
  }

  /** A store that fails must not stop the gate: what it knows still holds in this process. */
  #write(what: string, work: () => Promise<void>): void {
    this.#writes = this.#writes.then(work).catch((error: unknown) => {
      this.#options.log?.error({ err: error, what }, "the state of the gate could not be kept");
    });
  }
}

function linked(key: ServerKey | undefined): ServerKey {
  if (key === undefined) throw unlinked();
  return key;
}

function readPath(lists: readonly ListName[]): string {
  if (lists.length === 0) return "/v1/server";
  let query = "";
  for (const name of lists) query += `&${LIST_FIELDS[name]}=true`;
  return `/v2/server?${query.slice(1)}`;
}

function remembered(untilMs: number): Failure {
  const words = "The service refused this key a while ago; it is not asked again so soon.";
  return new Failure("key-rejected", words, { retryAtMs: untilMs });
}
