import type { SourceId } from "../../domain/model.ts";
import { Bucket } from "./bucket.ts";
import { BucketNames } from "./bucket-names.ts";
import type { CounterAnswer, CounterGroup, CounterState } from "./counter-group.ts";
import type { ServerClock } from "./server-clock.ts";

export type Route = "read" | "command";

/** An answer that named a bucket, and what it was asked for. */
interface RouteAnswer extends CounterAnswer {
  readonly route: Route;
  /** False for an answer that shows nothing of where this key's good requests are counted (a refused key). */
  readonly mapped: boolean;
}

/** The learned buckets: by hashed name, and which of them a route with a key spends from. */
export class Buckets {
  readonly #clock: ServerClock;
  /** Other processes of ours spend from the same app-wide buckets. */
  readonly #isShared: boolean;
  readonly #names: BucketNames;
  readonly #reads = new Map<SourceId, CounterState>();
  readonly #commands = new Map<SourceId, CounterState>();
  /** The app-wide bucket of the other keys: a key without a read so far is taken to spend from it. */
  #common: CounterState;
  #uniform = true;

  /** `salt`: anything unguessable, since a bucket's name can hold a server key; the same in processes that share. */
  constructor(clock: ServerClock, { salt, isShared }: { readonly salt: string; readonly isShared: boolean }) {
    this.#clock = clock;
    this.#names = new BucketNames(clock, salt);
    this.#isShared = isShared;
    this.#common = { hash: "unknown", bucket: new Bucket(clock) };
  }

  /** The app-wide bucket that a request with this key spends from, whatever its route. */
  general(source: SourceId): CounterState {
    return this.#reads.get(source) ?? this.#common;
  }

  /** The command route's own bucket for this key; undefined until its first answer named one. */
  command(source: SourceId): CounterState | undefined {
    return this.#commands.get(source);
  }

  /** Whether every key met so far spends from the same app-wide bucket: then one look at it answers for all. */
  get uniform(): boolean {
    return this.#uniform;
  }

  /** The app-wide bucket of every key that has none of its own. */
  get common(): Bucket {
    return this.#common.bucket;
  }

  /** A key that will not be used again. */
  forget(source: SourceId): void {
    const command = this.#commands.get(source);
    this.#commands.delete(source);
    this.#reads.delete(source);
    this.#names.forget(source, command?.hash);
  }

  /** App-wide buckets that are spent from by shares. */
  shared(): readonly CounterState[] {
    return this.#isShared ? this.all().filter(({ bucket }) => bucket.share !== undefined) : [];
  }

  all(): readonly CounterState[] {
    const named = this.#names.groups.flatMap((group) => group.buckets);
    return this.#common.hash === "unknown" ? [this.#common, ...named] : named;
  }

  /**
   * An answer named a bucket. `started`: the buckets that this request was counted in; each of them is settled here.
   */
  learn(
    answer: RouteAnswer,
    started: readonly CounterState[],
  ): { readonly named: CounterState; readonly shared: boolean } {
    const { quota, refused } = answer;
    // A refusal, or a command, may name a bucket that reads do not spend from.
    const isOfReads = answer.route === "read" && answer.mapped && !refused;
    const name = this.#names.find(answer, isOfReads ? this.#reads.get(answer.source) : undefined);
    const { named, odd, regrouped } = name.assign(answer);
    if (regrouped) {
      this.#clock.forgetRounding();
      this.#follow(name);
    }
    if (name.isSplit) this.#uniform = false;
    const counted = started.includes(named);
    for (const other of started) {
      if (other === named) continue;
      // A read spends from one bucket, so a wrong guess spent nothing. A command also spends from the app-wide one, unseen.
      if (answer.route === "read") other.bucket.spentElsewhere();
      else other.bucket.spentUnseen(answer);
    }
    if (odd) {
      // One counter cannot have given this answer. Until its own is known, it counts against this one and teaches nothing.
      if (counted) named.bucket.spentUnseen(answer);
      return { named, shared: false };
    }
    const { shared } = named.bucket.learn(quota, answer, { counted, refused });
    if (answer.mapped) this.#map(answer, { name, named, started });
    if (!shared || !name.join(answer.source)) return { named, shared };
    this.#follow(name);
    return { named, shared: false };
  }

  #map(
    { source, route }: RouteAnswer,
    {
      name,
      named,
      started,
    }: {
      readonly name: CounterGroup;
      readonly named: CounterState;
      readonly started: readonly CounterState[];
    },
  ): void {
    if (route === "read") {
      this.#reads.set(source, named);
      // Counters that a name was split into are one server's each, and its guilds are mostly one process's.
      if (this.#isShared && named.hash === name.hash) named.bucket.beShared();
      // A key that was never read with is taken to be counted where most of them are.
      this.#common = name.largest;
      for (const other of started) if (other !== named && other.hash !== "unknown") this.#uniform = false;
      if (named !== this.#common) this.#uniform = false;
    } else if (named !== this.general(source)) {
      this.#commands.set(source, named);
    } else if (started.length > 0) {
      // The command route has no bucket of its own here.
      this.#commands.delete(source);
    }
  }

  /** The keys of this name turned out to be counted by other counters. */
  #follow(name: CounterGroup): void {
    for (const routes of [this.#reads, this.#commands])
      for (const [source, named] of routes)
        if (isOf(name, named)) routes.set(source, name.of(source) ?? name.largest);
    if (isOf(name, this.#common)) this.#common = name.largest;
  }
}

function isOf(name: CounterGroup, { hash }: CounterState): boolean {
  return hash === name.hash || hash.startsWith(`${name.hash}.`);
}
