import type { CommandAnswer, ListName, ServerStatus, Snapshot, SourceId } from "../domain/model.ts";
import type { CommandPermission, OwnerPage, PermissionCheck } from "../domain/ports/command-permission.ts";
import type {
  CommandOptions,
  KeyVerifier,
  ReadOptions,
  ServiceClient,
  TypedBy,
  TypedTries,
} from "../domain/ports/service-client.ts";
import type { BadKeys, ServiceHealth } from "../domain/ports/service-health.ts";
import type { SharedLimits } from "../domain/ports/shared-limits.ts";
import type { ServerKey } from "../domain/server-key.ts";
import type { ServiceClientOptions } from "./client-options.ts";
import { CommandCalls } from "./command-calls.ts";
import { Gate } from "./gate.ts";
import { unlinked } from "./gate-failures.ts";
import { permittedTransport } from "./http/permitted-transport.ts";
import { createTransport } from "./http/transport.ts";
import type { KeyBudget } from "./keys/budget.ts";
import type { StoredCommandPermission } from "./keys/command-permissions.ts";
import type { KeyDesk } from "./keys/key-desk.ts";
import { takenEarlier } from "./keys/key-errands.ts";
import type { KeyGuard } from "./keys/key-guard.ts";
import type { KeyRecords } from "./keys/key-records.ts";
import { openDesk } from "./keys/open-desk.ts";
import { verifyKey, wasRefused } from "./keys/verify-key.ts";
import { ONE_PROBE_FIRST } from "./limits/announced-halt.ts";
import type { StoredRefusedRead } from "./limits/refused-reads.ts";
import { loggedSend } from "./logged-send.ts";
import { StatusReads } from "./status-reads.ts";

/** What the gate and the key guard know, for /state. No secrets, no bucket names. */
export interface ServiceClientState extends ReturnType<Gate["state"]> {
  readonly halt: ReturnType<ServiceHealth["halt"]> | null;
  readonly parkedKeys: number;
  readonly badKeys: BadKeys;
}

export interface Service extends ServiceClient, KeyVerifier, ServiceHealth, CommandPermission {
  /** The stored halt and the parked keys; to be awaited before the first request. */
  restore(): Promise<void>;
  state(): ServiceClientState;
  /** How much this process would like to ask, in a measure that is the same for all that share the limit. */
  shareBy(demand: () => number): void;
  badKeys(): BadKeys;
  /** A parked key was linked again. */
  unpark(source: SourceId): Promise<void>;
  /** The last guild unlinked this server: what was learned of its key is forgotten, requests that wait with it fail. */
  forget(source: SourceId): void;
  close(): Promise<void>;
}

const DEADLINE_MS = 10_000;
const CONNECTIONS = 32;

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
  readonly #send: Gate["send"];
  readonly #reads: StatusReads;
  readonly #commands: CommandCalls;
  readonly #closeTransport: () => Promise<void>;
  /** With another global key the service counts another identity: its halt is not ours. */
  readonly #identity: string;
  readonly #limits: SharedLimits | undefined;
  #demand = () => 1;
  /** Writes in the order in which they were asked for. */
  #writes: Promise<void> = Promise.resolve();

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    const connections = options.connections ?? CONNECTIONS;
    const { serviceUrl, family, globalKey, keys, clock, metrics, onEvent, log } = options;
    const { rejected, openRequests, takenKeys: taken, keyBudget: budget, badKeyBudget } = options;
    this.#identity = globalKey === undefined ? "address" : `application-${keys.sourceOf(globalKey)}`;
    const limits = options.shared?.limitsOf(this.#identity);
    this.#limits = limits;
    const keyDesk = openDesk({
      documents: { rejected, openRequests, taken, budget },
      clock,
      log,
      badKeyBudget,
      shared: limits,
      isOurs: (source) => new Set(keys.sources()).has(source),
      onEvent,
    });
    const { guard } = keyDesk;
    this.#guard = guard;
    this.#budget = keyDesk.budget;
    this.#records = keyDesk.records;
    this.#desk = keyDesk.desk;
    const http =
      options.transport === undefined ? createTransport({ serviceUrl, family, connections }) : undefined;
    const send = options.transport ?? http?.send;
    if (send === undefined) throw new TypeError("a service client needs a transport");
    const { permit } = options;
    const transport = permit === undefined ? send : permittedTransport(send, permit);
    this.#closeTransport = async () => http?.close();
    this.#gate = new Gate({
      transport,
      clock,
      metrics,
      guard,
      desk: this.#desk,
      permit,
      globalKey,
      salt: options.shared?.salt ?? options.random.id() + options.random.id(),
      sharing: limits && {
        limits,
        log,
        budget: this.#budget,
        wave: keyDesk.wave,
        records: this.#records,
        demand: () => this.#demand(),
      },
      deadlineMs: options.deadlineMs ?? DEADLINE_MS,
      connections,
      keyOf: (source) => keys.keyOf(source),
      sources: () => keys.sources(),
      usesEarlierKeys: () => this.#records.mayLackHalt,
      onEvent,
      onHaltChanged: () => this.#keepHalt(),
      onRejectedChanged: (source) => this.#records.keepRejected(source),
      onTakenAgain: (source) => {
        this.#desk.unpark(source);
        onEvent({ kind: "key-taken-again", source });
      },
    });
    this.#send = loggedSend(this.#gate, { clock, log });
    this.#reads = new StatusReads({
      ...options,
      gate: { send: this.#send },
      keepRefused: (source, record) => this.#keepRefusedRead(source, record),
    });
    this.#commands = new CommandCalls({
      ...options,
      gate: { send: this.#send },
      keep: (source, record) => this.#keepPermission(source, record),
    });
  }

  async restore(): Promise<void> {
    await this.#records.restore();
    const halt = await this.#options.halts.get(this.#identity);
    if (halt !== undefined) this.#gate.halt.restore(halt);
    else if (
      this.#records.mayLackHalt &&
      takenEarlier(this.#guard, this.#options.keys.sources()) !== undefined
    )
      this.#gate.halt.restore(ONE_PROBE_FIRST);
    for await (const [source, record] of this.#options.refusedReads.entries())
      this.#reads.restoreRefused(source as SourceId, record);
    await this.#commands.restore();
    await this.#gate.resumeWork();
  }

  read(source: SourceId, lists: readonly ListName[], options: ReadOptions): Promise<Snapshot> {
    return this.#reads.read(source, lists, options);
  }

  command(source: SourceId, text: string, options: CommandOptions = {}): Promise<CommandAnswer> {
    return this.#commands.command(source, text, options);
  }

  check(source: SourceId, guildId: string): Promise<PermissionCheck> {
    return this.#commands.check(source, guildId);
  }

  ownerPage(source: SourceId): Promise<OwnerPage> {
    return this.#commands.ownerPage(source);
  }

  typedTries(by: TypedBy): TypedTries {
    return this.#desk.typedTries(by);
  }

  wasRefused(key: ServerKey): boolean {
    return wasRefused(this.#options, this.#guard, key);
  }

  verifyKey(key: ServerKey, by: TypedBy): Promise<ServerStatus> {
    const { keys, clock } = this.#options;
    const parts = { keys, clock, guard: this.#guard, desk: this.#desk, send: this.#send };
    return verifyKey(parts, { key, by });
  }

  halt(): ReturnType<ServiceHealth["halt"]> {
    const halt = this.#gate.halt.current;
    return halt && { ...halt };
  }

  parked(source: SourceId): ReturnType<ServiceHealth["parked"]> {
    const parked = this.#guard.parked(source);
    return parked && { sinceMs: Math.min(parked.atMs, this.#options.clock.nowMs()), why: parked.why };
  }

  held(source: SourceId): ReturnType<ServiceHealth["held"]> {
    const untilMs = this.#desk.heldUntilMs(source);
    return untilMs === undefined ? undefined : { untilMs: this.#wallMs(untilMs) };
  }

  readRefused(source: SourceId): ReturnType<ServiceHealth["readRefused"]> {
    return this.#reads.refused(source);
  }

  badKeys(): BadKeys {
    const nowMs = this.#options.clock.monotonicMs();
    const spentMs = this.#budget.spentUntilMs(nowMs);
    return {
      refusedLastHour: this.#budget.refusals(nowMs),
      most: this.#budget.most,
      waitingKeys: this.#desk.waitingKeys,
      spentUntilMs: spentMs === undefined ? undefined : this.#wallMs(spentMs),
      waitShare: this.#desk.waits.share(nowMs),
    };
  }

  commandPermission(source: SourceId): ReturnType<ServiceHealth["commandPermission"]> {
    return this.#commands.known(source);
  }

  commandReadyAtMs(source: SourceId): number {
    return this.#gate.commandReadyAtMs(source);
  }

  state(): ServiceClientState {
    const parkedKeys = this.#guard.rejectedKeys.parkedCount;
    return { ...this.#gate.state(), halt: this.halt() ?? null, parkedKeys, badKeys: this.badKeys() };
  }

  shareBy(demand: () => number): void {
    this.#demand = demand;
  }

  async unpark(source: SourceId): Promise<void> {
    this.#reads.unpark(source);
    this.#desk.unpark(source);
    await this.#records.settled();
  }

  forget(source: SourceId): void {
    this.#gate.dropKey(source, unlinked());
    this.#desk.forget(source);
    this.#reads.forget(source);
    this.#commands.forget(source);
  }

  async close(): Promise<void> {
    await this.#gate.close();
    await this.#writes;
    await this.#records.close();
    await this.#closeTransport();
  }

  #wallMs(monotonicMs: number): number {
    const { clock } = this.#options;
    return Math.ceil(clock.nowMs() + monotonicMs - clock.monotonicMs());
  }

  #keepHalt(): void {
    const { halts } = this.#options;
    // A halt that began in another process in between must stay.
    const clear = () =>
      this.#limits === undefined ? halts.delete(this.#identity) : this.#limits.clearHalt();
    this.#write("halt", () =>
      this.#gate.halt.current === undefined ? clear() : halts.set(this.#identity, this.#gate.halt.stored),
    );
  }

  #keepPermission(source: SourceId, record: StoredCommandPermission | undefined): void {
    const { commandPermissions } = this.#options;
    this.#write("permission to run commands", () =>
      record === undefined ? commandPermissions.delete(source) : commandPermissions.set(source, record),
    );
  }

  #keepRefusedRead(source: SourceId, record: StoredRefusedRead | undefined): void {
    const { refusedReads } = this.#options;
    this.#write("refused read", () =>
      record === undefined ? refusedReads.delete(source) : refusedReads.set(source, record),
    );
  }

  /** A store that fails must not stop the gate: what it knows still holds in this process. */
  #write(what: string, work: () => Promise<void>): void {
    this.#writes = this.#writes.then(work).catch((error: unknown) => {
      this.#options.log?.error({ err: error, what }, "the state of the gate could not be kept");
    });
  }
}
