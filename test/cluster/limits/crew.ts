import { type Service as Client, createServiceClient } from "../../../src/api/client.ts";
import type { Cell } from "../../../src/cluster/limits/cell.ts";
import { StoredLimits } from "../../../src/cluster/limits/shared-limits.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import type { Clock } from "../../../src/domain/ports/clock.ts";
import type { ServiceEvent } from "../../../src/domain/ports/service-health.ts";
import { Service, type ServiceOptions } from "../../../src/sandbox/service/service.ts";
import { clientDocuments } from "../../support/client-documents.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { FakeKeyRing, FakeMetrics, virtualNetwork } from "../../support/network.ts";
import { ModelCell } from "./model-cell.ts";

export interface CrewOptions {
  readonly seed: number;
  readonly blocks: number;
  /** Keys that each block has linked. */
  readonly keys: number;
  readonly latencyMs?: number;
  readonly jitterMs?: number;
  readonly skewMs?: number;
  readonly badKeyBudget?: number;
  /** One process that shares nothing, as on sqlite. @default false */
  readonly isAlone?: boolean;
  readonly service?: Partial<ServiceOptions>;
}

/** One process of the crew: the client of the service with the keys of its guilds. */
export interface Member {
  readonly client: Client;
  readonly ring: FakeKeyRing;
  readonly sources: SourceId[];
  readonly events: ServiceEvent[];
  /** How much it says that it wants. */
  demand: number;
  /** kill -9: what is on its way is not heard, nothing leaves any more, nothing is written. */
  kill(): void;
  /** kill -STOP, until what it gives is called: nothing is heard, nothing happens; what is on its way goes on. */
  stop(): () => void;
}

/** Several processes that ask one emulated service from one address, and the Redis that they share, in virtual time. */
export class Crew {
  readonly clock: VirtualClock;
  readonly service: Service;
  readonly redis: ModelCell;
  readonly members: Member[] = [];
  readonly #options: CrewOptions;
  #made = 0;

  constructor(options: CrewOptions) {
    const { seed, blocks, keys } = options;
    this.#options = options;
    const startMs = Date.UTC(2026, 0, 1) + (seed % 1_000);
    this.clock = new VirtualClock(startMs);
    const aheadMs = startMs + (options.skewMs ?? 0) - this.clock.monotonicMs();
    this.service = new Service({
      nowMs: () => this.clock.monotonicMs() + aheadMs,
      seed,
      keys: Array.from({ length: blocks * keys }, (_, n) => keyText(seed, n)),
      town: { intensity: "quiet" },
      ...options.service,
    });
    this.redis = new ModelCell(this.clock, seededRandom(seed + 7));
    for (let block = 0; block < blocks; block++)
      this.join(Array.from({ length: keys }, (_, n) => keyText(seed, block * keys + n)));
  }

  /** One more process, with these keys; it has not begun. */
  join(keys: readonly string[], isOlder = false): Member {
    const { seed, latencyMs = 40, jitterMs = 10, badKeyBudget = 200 } = this.#options;
    const number = ++this.#made;
    const ring = new FakeKeyRing();
    const sources = keys.map((key) => ring.add(key));
    const random = seededRandom(seed * 100 + number);
    const { clock, service, redis } = this;
    const send = virtualNetwork({ service, clock, random, latencyMs, jitterMs });
    const events: ServiceEvent[] = [];
    const killed = new AbortController();
    const never = new Promise<never>(() => {});
    let stopped: Promise<void> | undefined;
    const alive = <T>(work: Promise<T>): Promise<T> =>
      work.finally(async () => {
        await stopped;
        if (killed.signal.aborted) await never;
      });
    const own: Clock = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs, work) => {
        let isOff = false;
        const cancel = clock.after(delayMs, () => {
          const run = () => !killed.signal.aborted && !isOff && work();
          if (stopped === undefined) run();
          else void stopped.then(run);
        });
        return () => {
          isOff = true;
          cancel();
        };
      },
      sleep: (delayMs, signal) => alive(clock.sleep(delayMs, signal)),
    };
    const client = createServiceClient({
      serviceUrl: "http://service.invalid",
      keys: ring,
      ...clientDocuments(),
      ...redis.documents(),
      badKeyBudget,
      shared:
        this.#options.isAlone === true
          ? undefined
          : {
              salt: "shared",
              limitsOf: (identity) => {
                const cell = isOlder ? redis.olderCell(identity) : redis.cell(identity);
                const exchange: Cell["exchange"] = (...given) => alive(cell.exchange(...given));
                return new StoredLimits({ ...cell, exchange }, `process-${number}`);
              },
            },
      clock: own,
      random,
      metrics: new FakeMetrics(),
      onEvent: (event) => events.push(event),
      transport: (request, recall) => (killed.signal.aborted ? never : alive(send(request, recall))),
    });
    const stop = () => {
      let goOn = () => {};
      stopped = new Promise((resolve) => {
        goOn = () => {
          stopped = undefined;
          resolve();
        };
      });
      return () => goOn();
    };
    const member: Member = { client, ring, sources, events, demand: 1, kill: () => killed.abort(), stop };
    client.shareBy(() => member.demand);
    this.members.push(member);
    return member;
  }

  member(n: number): Member {
    const member = this.members[n];
    if (member === undefined) throw new RangeError(`no process ${n}`);
    return member;
  }

  /** All of them begin. */
  async start(): Promise<void> {
    await this.within(Promise.all(this.members.map(({ client }) => client.restore())));
  }

  /** Each member asks as often as it is let, for so long. Resolves with what came of it by outcome. */
  async load(forMs: number, members: readonly Member[] = this.members): Promise<Map<string, number>> {
    const outcomes = new Map<string, number>();
    const endMs = this.clock.monotonicMs() + forMs;
    const lanes = members.flatMap(({ client, sources }) =>
      Array.from({ length: 12 }, async (_, lane) => {
        for (let n = lane; this.clock.monotonicMs() < endMs; n += 12) {
          const source = sources[n % sources.length];
          if (source === undefined) return;
          const outcome = await client.read(source, [], { priority: "poll" }).then(
            () => "ok",
            (error: unknown) => (error instanceof Failure ? error.code : String(error)),
          );
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          if (outcome !== "ok") await this.clock.sleep(400);
        }
      }),
    );
    await this.clock.advance(forMs);
    void Promise.all(lanes);
    return outcomes;
  }

  /** Turns the clock until `work` has settled. */
  async within<T>(work: Promise<T>, ms = 60_000): Promise<T> {
    let isDone = false;
    const settled = work.finally(() => {
      isDone = true;
    });
    settled.catch(() => {});
    await this.clock.until(() => isDone, ms);
    return settled;
  }

  async close(): Promise<void> {
    await this.within(Promise.all(this.members.map(({ client }) => client.close())));
  }
}

/** The key of a server of this world. */
export function keyText(seed: number, n: number): string {
  return `key${n}Seed${seed}-server${n}`;
}
