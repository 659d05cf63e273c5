import type { SourceId } from "../../src/domain/model.ts";
import type { Clock, Random } from "../../src/domain/ports/clock.ts";
import type { KeyRing } from "../../src/domain/ports/key-ring.ts";
import type { Metrics } from "../../src/domain/ports/metrics.ts";
import type { ServiceEvent } from "../../src/domain/ports/service-health.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import type { Service } from "../../src/sandbox/service/service.ts";

/** The same shape as the api's transport; declared here so that supports do not hang on one wing. */
export type VirtualTransport = (
  request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
    readonly onStart: () => void;
  },
  cancel: { readonly isCalled: boolean; readonly reason: unknown; listen(work: () => void): void },
) => Promise<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

export interface NetworkOptions {
  readonly service: Service;
  readonly clock: Clock;
  readonly random: Random;
  /** One way, milliseconds, and what may be added to it. */
  readonly latencyMs: number;
  readonly jitterMs: number;
  readonly address?: string;
  /** What becomes of an answer's headers on their way; `n` counts answers from 1. @default nothing */
  readonly alter?: HeaderChange | undefined;
  /** Each answer as the client reads it. */
  readonly onRead?: (key: string, status: number) => void;
}

type Headers = Readonly<Record<string, string>>;
export type HeaderChange = (headers: Headers, n: number) => Headers;

/**
 * A network in virtual time between a client and the emulated service: latency both ways, connections that break before
 * or after the effect, answers that come late, silence. What happens to a request is drawn from the service's faults.
 */
export function virtualNetwork(options: NetworkOptions): VirtualTransport {
  const { service, clock, random, alter = (headers: Headers) => headers } = options;
  let answers = 0;
  // Whole milliseconds, as real clocks have them.
  const oneWay = () => Math.round(options.latencyMs + random.next() * options.jitterMs);
  return async (request, cancel) => {
    const controller = new AbortController();
    const { signal } = controller;
    cancel.listen(() => controller.abort(cancel.reason));
    // As the real transport does by setImmediate: what can be read at this moment is read before anything is written.
    await clock.sleep(0, signal);
    signal.throwIfAborted();
    request.onStart();
    const sentAtMs = service.nowMs();
    const there = oneWay();
    const back = oneWay();
    const { method, path, headers, body } = request;
    const address = options.address ?? "127.0.0.1";
    const bare = { method, path, headers, body, address, sentAtMs };
    const fate = service.drawFate(bare);
    // The request is on its way whatever becomes of who waits for it: an abort does not call it back.
    const arrived = clock.sleep(there + fate.delayMs).then(() => {
      if (fate.reset === "before") throw new Error("read ECONNRESET");
      if (fate.silent) return clock.sleep(3_600_000, signal).then(() => Promise.reject(new Error("silence")));
      const lateMs = fate.lateMs;
      // What a broken connection swallows was never told.
      const readableAtMs = fate.reset === "after" ? Number.POSITIVE_INFINITY : service.nowMs() + back;
      const answer = service.handle({ ...bare, readableAtMs }, fate);
      if (fate.reset === "after") throw new Error("read ECONNRESET");
      const cut = fate.truncate ? answer.body.slice(0, answer.body.length >> 1) : answer.body;
      return clock.sleep(back + (answer.status < 300 ? lateMs : 0) + fate.slowBodyMs).then(() => {
        options.onRead?.(headers["server-key"] ?? "", answer.status);
        answers += 1;
        return { status: answer.status, headers: alter(answer.headers, answers), body: cut };
      });
    });
    return arrived;
  };
}

/** A ring of keys in the open, for tests: the source is the key's own text behind a mark. */
export class FakeKeyRing implements KeyRing {
  readonly #keys = new Map<SourceId, ServerKey>();

  /** Links a key and gives its source. */
  add(key: string): SourceId {
    const open = new ServerKey(key);
    const source = this.sourceOf(open);
    this.#keys.set(source, open);
    return source;
  }

  sources(): Iterable<SourceId> {
    return this.#keys.keys();
  }

  remove(source: SourceId): void {
    this.#keys.delete(source);
  }

  async keyOf(source: SourceId): Promise<ServerKey | undefined> {
    return this.#keys.get(source);
  }

  sourceOf(key: ServerKey): SourceId {
    // Reversed, so that a test which sweeps output for the key itself is not misled by the source.
    return `source-${[...key.reveal()].reverse().join("")}` as SourceId;
  }
}

/** Metrics that keep sums by name and labels. */
export class FakeMetrics implements Metrics {
  readonly sums = new Map<string, number>();

  count(name: string, labels: Readonly<Record<string, string>> = {}, by = 1): void {
    const key = [name, ...Object.entries(labels).map(([label, value]) => `${label}=${value}`)].join(" ");
    this.sums.set(key, (this.sums.get(key) ?? 0) + by);
  }

  readonly observed: string[] = [];

  observe(name: string, value: number, labels: Readonly<Record<string, string>> = {}): void {
    this.observed.push([name, ...Object.values(labels), value].join(" "));
  }
}

/** Events as they came. */
export function eventList(): {
  readonly events: ServiceEvent[];
  readonly take: (event: ServiceEvent) => void;
} {
  const events: ServiceEvent[] = [];
  return { events, take: (event) => events.push(event) };
}
