import { Failure } from "../../src/domain/failure.ts";
import type { ListName, Snapshot, SourceId } from "../../src/domain/model.ts";
import type { Random } from "../../src/domain/ports/clock.ts";
import type { ReadOptions, ServiceClient } from "../../src/domain/ports/service-client.ts";
import type { ServiceHealth } from "../../src/domain/ports/service-health.ts";
import type { VirtualClock } from "../support/clock.ts";
import { type Shown, type SimServer, serverOf, shownAt, snapshotOf, sourceOf } from "./world.ts";

export interface ServiceParts {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly servers: readonly SimServer[];
  readonly pollsPerS: number;
}

/** The service and the client's gate before it: answers late, old, or not at all, and refuses keys that were replaced. */
export class SimService implements ServiceClient, ServiceHealth {
  readonly #parts: ServiceParts;
  readonly #parked = new Map<SourceId, { readonly sinceMs: number; readonly why: string }>();
  readonly #rejected = new Map<SourceId, number>();
  #freeAtMs = 0;
  answers = 0;
  outageUntilMs = 0;
  /** Share of answers that were served before. */
  stale = 0.02;
  /** Share of reads that fail though nothing is wrong. */
  failing = 0.01;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async read(source: SourceId, lists: readonly ListName[], options: ReadOptions): Promise<Snapshot> {
    const { clock, pollsPerS } = this.#parts;
    this.#freeAtMs = Math.max(this.#freeAtMs, clock.nowMs());
    const waitMs = this.#freeAtMs - clock.nowMs();
    this.#freeAtMs += 1_000 / pollsPerS;
    if (waitMs > 0) await clock.sleep(waitMs, options.signal);
    options.onSent?.();
    const askedAtMs = clock.nowMs();
    const answer = await this.answer(source);
    if (answer === "silence") throw new Failure("unreachable", "no answer");
    if (answer === "refused") throw this.#refuse(source);
    const times = { askedAtMs, takenAtMs: clock.nowMs() };
    return snapshotOf(answer.server, source, lists, answer.shown, times);
  }

  /** What comes of a request, after the time that it takes: what is shown, nothing at all, or that the key is void. */
  async answer(
    source: SourceId,
  ): Promise<{ readonly server: SimServer; readonly shown: Shown } | "silence" | "refused"> {
    const { clock, random } = this.#parts;
    await clock.sleep(20 + random.next() * 100);
    const server = this.#serverOf(source);
    if (clock.nowMs() < this.outageUntilMs || random.next() < this.failing) {
      await clock.sleep(random.next() * 5_000);
      return "silence";
    }
    if (server === undefined) return "refused";
    const nowMs = clock.nowMs();
    const old = server.servedMs[Math.floor(random.next() * server.servedMs.length)];
    const isOld = old !== undefined && random.next() < this.stale;
    const shown = shownAt(server, isOld ? old : nowMs);
    if (!isOld) {
      server.servedMs.push(nowMs);
      if (server.servedMs.length > 5) server.servedMs.shift();
    }
    await clock.sleep(20 + random.next() * 200);
    this.answers += 1;
    return { server, shown };
  }

  command(): never {
    throw new Error("nothing here sends commands");
  }

  async restore(): Promise<void> {}

  halt(): undefined {
    return undefined;
  }

  parked(source: SourceId): { readonly sinceMs: number; readonly why: string } | undefined {
    return this.#parked.get(source);
  }

  held(): undefined {}
  readRefused(): undefined {}

  commandPermission(): { readonly kind: "unknown" } {
    return { kind: "unknown" };
  }

  commandReadyAtMs(): number {
    return 0;
  }

  #serverOf(source: SourceId): SimServer | undefined {
    const server = serverOf(this.#parts.servers, source);
    return server !== undefined && sourceOf(server) === source ? server : undefined;
  }

  #refuse(source: SourceId): Failure {
    const times = (this.#rejected.get(source) ?? 0) + 1;
    this.#rejected.set(source, times);
    if (times >= 2) this.#parked.set(source, { sinceMs: this.#parts.clock.nowMs(), why: "rejected" });
    return new Failure("key-rejected", "the key was replaced");
  }
}
