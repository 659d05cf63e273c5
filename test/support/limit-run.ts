import { type Service as Client, createServiceClient } from "../../src/api/client.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { SourceId } from "../../src/domain/model.ts";
import type { TypedBy } from "../../src/domain/ports/service-client.ts";
import type { ServiceEvent } from "../../src/domain/ports/service-health.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import type { Log } from "../../src/log.ts";
import { Service, type ServiceOptions } from "../../src/sandbox/service/service.ts";
import { type ClientDocuments, ClientTexts, clientDocuments } from "./client-documents.ts";
import { seededRandom, VirtualClock } from "./clock.ts";
import {
  eventList,
  FakeKeyRing,
  FakeMetrics,
  type HeaderChange,
  type VirtualTransport,
  virtualNetwork,
} from "./network.ts";
import { StallingClock } from "./stalling-clock.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly keys: number;
  readonly latencyMs?: number;
  readonly jitterMs?: number;
  readonly globalKey?: string;
  readonly badKeyBudget?: number;
  readonly service?: Partial<ServiceOptions>;
  /** How far the service's clock is ahead of ours. */
  readonly skewMs?: number;
  /** Some three times a second the process does nothing for up to so long, as on a machine under load. @default 0 */
  readonly stallMs?: number;
  readonly alter?: HeaderChange;
}

function unwritten(cancel: Parameters<VirtualTransport>[1]): Promise<never> {
  return new Promise((_, reject) => cancel.listen(() => reject(cancel.reason)));
}

/** The emulated service, the client and a network between them, on a clock that a test moves. */
export class World {
  readonly clock: VirtualClock;
  readonly service: Service;
  readonly ring = new FakeKeyRing();
  readonly metrics = new FakeMetrics();
  /** Warnings and errors that the client logged, as one text each. */
  readonly logged: string[] = [];
  /** What it logged below that, by its fields. */
  readonly noted: { readonly message: string; readonly fields: object }[] = [];
  readonly keyTexts: readonly string[];
  readonly sources: SourceId[];
  readonly events: ServiceEvent[];
  /** InteractionResponder of 403 that the client read, by key. */
  readonly refusalsRead = new Map<string, number>();
  readonly texts = new ClientTexts();
  client: Client;
  /** No connection takes a byte of what is sent from now on. */
  isUnwritable = false;
  /** Of the process that runs now. */
  documents: ClientDocuments = clientDocuments();
  readonly #make: () => Client;
  /** How far the service's clock is ahead of our monotonic one. */
  #aheadMs: number;
  #process: { isDead: boolean } = { isDead: false };

  constructor(options: WorldOptions) {
    const startMs = Date.UTC(2026, 0, 1) + (options.seed % 1_000);
    this.clock = new VirtualClock(startMs);
    // The service has a clock of its own: a step of ours does not move it.
    this.#aheadMs = startMs + (options.skewMs ?? 0) - this.clock.monotonicMs();
    this.keyTexts = Array.from({ length: options.keys }, (_, n) => `key${n}Seed${options.seed}-server${n}`);
    this.service = new Service({
      nowMs: () => this.clock.monotonicMs() + this.#aheadMs,
      seed: options.seed,
      keys: this.keyTexts,
      town: { intensity: "quiet" },
      ...options.service,
    });
    this.sources = this.keyTexts.map((key) => this.ring.add(key));
    const { events, take } = eventList();
    this.events = events;
    const random = seededRandom(options.seed);
    const transport = virtualNetwork({
      service: this.service,
      clock: this.clock,
      random,
      latencyMs: options.latencyMs ?? 40,
      jitterMs: options.jitterMs ?? 10,
      alter: options.alter,
      onRead: (key, status) => {
        if (status === 403) this.refusalsRead.set(key, (this.refusalsRead.get(key) ?? 0) + 1);
      },
    });
    const stalls = seededRandom(options.seed);
    this.#make = () => {
      const process = new StallingClock(this.clock, stalls, options.stallMs ?? 0);
      this.#process = process;
      this.documents = clientDocuments(this.texts);
      return createServiceClient({
        serviceUrl: "http://service.invalid",
        ...(options.globalKey === undefined ? {} : { globalKey: new ServerKey(options.globalKey) }),
        keys: this.ring,
        ...this.documents,
        badKeyBudget: options.badKeyBudget,
        clock: process,
        random,
        metrics: this.metrics,
        log: logInto(this.logged, (fields, message) => this.noted.push({ message, fields })),
        onEvent: take,
        // What was handed over before the kill is on its way; afterwards nothing leaves and nobody hears an answer.
        transport: (request, cancel) =>
          process.isDead
            ? new Promise(() => {})
            : (this.isUnwritable ? unwritten(cancel) : transport(request, cancel))
                .finally(() => process.awake())
                .finally(() => process.isDead && new Promise(() => {})),
      });
    };
    this.client = this.#make();
  }

  source(n: number): SourceId {
    const source = this.sources[n];
    if (source === undefined) throw new RangeError(`no key ${n}`);
    return source;
  }

  /** The service's clock is set: `ms` forward, or back where negative. */
  stepService(ms: number): void {
    this.#aheadMs += ms;
  }

  key(n: number): string {
    const key = this.keyTexts[n];
    if (key === undefined) throw new RangeError(`no key ${n}`);
    return key;
  }

  /** The process ends as it should: what is in flight is still listened to. */
  async close(): Promise<void> {
    let closed = false;
    const closing = this.client.close().then(() => {
      closed = true;
    });
    await this.clock.until(() => closed);
    await closing;
  }

  /** kill -9: what was on its way is not heard any more, what was not written is lost; another process starts. */
  async kill(): Promise<void> {
    this.#process.isDead = true;
    for (const documents of Object.values(this.documents)) documents.isDead = true;
    this.client = this.#make();
    let isRestored = false;
    const restored = this.client.restore().then(() => {
      isRestored = true;
    });
    await this.clock.until(() => isRestored);
    await restored;
  }

  /** The process ends and another one starts on the same store. */
  async restart(): Promise<void> {
    await this.close();
    this.client = this.#make();
    await this.client.restore();
  }
}

/** A guild that came today and has linked nothing. */
export function stranger(guildId: string): TypedBy {
  return { guildId, isKnown: false };
}

export interface Load {
  /** Requests per second of virtual time. */
  readonly perSecond: number;
  readonly forMs: number;
  /** Asks beyond so many waiting are not made: a poller does not pile up either. */
  readonly mostWaiting: number;
}

/** What came of a load: by outcome, "ok" or the failure's code. */
export async function runLoad(
  clock: VirtualClock,
  load: Load,
  ask: (n: number) => Promise<unknown>,
): Promise<Map<string, number>> {
  const outcomes = new Map<string, number>();
  const note = (outcome: string) => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    waiting -= 1;
  };
  let waiting = 0;
  const endMs = clock.monotonicMs() + load.forMs;
  const gapMs = 1_000 / load.perSecond;
  for (let n = 0; clock.monotonicMs() < endMs; n++) {
    if (waiting < load.mostWaiting) {
      waiting += 1;
      ask(n).then(
        () => note("ok"),
        (error: unknown) => note(error instanceof Failure ? error.code : String(error)),
      );
    }
    await clock.advance(gapMs);
  }
  return outcomes;
}

function logInto(lines: string[], info: Log["info"]): Log {
  const note = (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: () => {}, info, warn: note, error: note, child: () => log };
  return log;
}

/** Turns the clock until `work` has settled, at most `ms`. */
export async function within<T>(world: World, work: Promise<T>, ms = 60_000): Promise<T> {
  let done = false;
  const settled = work.finally(() => {
    done = true;
  });
  settled.catch(() => {});
  await world.clock.until(() => done, ms);
  return settled;
}
