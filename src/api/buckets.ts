import type { SourceId } from "../domain/model.ts";
import { Bucket } from "./bucket.ts";
import type { RateHeaders } from "./headers.ts";
import type { ServerClock, Sighting } from "./server-clock.ts";

export type Route = "read" | "command";

/** A bucket under its hashed name, for /state and the log. */
export interface NamedBucket {
  readonly hash: string;
  readonly bucket: Bucket;
}

interface Told {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
  readonly sentMs: number;
  readonly readMs: number;
  readonly source: SourceId;
}

/** One name of the service's. Usually one counter; where two keys show what one counter cannot, several (design 4). */
interface Name {
  readonly hash: string;
  readonly groups: Group[];
  readonly groupOf: Map<SourceId, Group>;
  /** Contradictions that a key has shown. */
  readonly charges: Map<SourceId, number>;
}

interface Group {
  readonly named: NamedBucket;
  /** Keys known to be counted here. */
  members: number;
  last: Told | undefined;
}

/** So many contradictions make a key a counter of its own: one alone may be a service that just restarted. */
const CHARGES_TO_SPLIT = 2;

/** The learned buckets: by hashed name, and which of them a route with a key spends from. */
export class Buckets {
  readonly #clock: ServerClock;
  readonly #salt: string;
  /** By their mark. */
  readonly #names = new Map<number, Name>();
  readonly #reads = new Map<SourceId, NamedBucket>();
  readonly #commands = new Map<SourceId, NamedBucket>();
  /** What a key that was never read with spends from: the app-wide bucket of the others. */
  #common: NamedBucket;
  #uniform = true;

  /** `salt`: anything unguessable; a bucket's name can hold a server key, so its hash is salted. */
  constructor(clock: ServerClock, salt: string) {
    this.#clock = clock;
    this.#salt = salt;
    this.#common = { hash: "unknown", bucket: new Bucket(clock) };
  }

  /** The app-wide bucket that a request with this key spends from, whatever its route. */
  general(source: SourceId): NamedBucket {
    return this.#reads.get(source) ?? this.#common;
  }

  /** The command route's own bucket for this key; undefined until its first answer named one. */
  command(source: SourceId): NamedBucket | undefined {
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
    for (const [mark, name] of this.#names) {
      if (name.hash === command?.hash) this.#names.delete(mark);
      const group = name.groupOf.get(source);
      if (group !== undefined) group.members -= 1;
      name.groupOf.delete(source);
      name.charges.delete(source);
    }
  }

  all(): readonly NamedBucket[] {
    const named = [...this.#names.values()].flatMap((name) => name.groups.map((group) => group.named));
    return this.#common.hash === "unknown" ? [this.#common, ...named] : named;
  }

  /**
   * An answer named a bucket. `started`: the buckets that this request was counted in; each of them is settled here.
   * `mapped`: false for answers that say nothing about where this key's good requests go (a refused key).
   */
  told(
    answer: { readonly source: SourceId; readonly route: Route; readonly mapped: boolean },
    started: readonly NamedBucket[],
    told: RateHeaders,
    sighting: Sighting,
  ): { readonly named: NamedBucket; readonly shared: boolean } {
    const name = this.#name(told.bucket);
    const { group, odd } = this.#groupFor(name, answer.source, told, sighting);
    const { named } = group;
    const counted = started.includes(named);
    for (const other of started) {
      if (other === named) continue;
      // A read spends from one bucket, so a wrong guess spent nothing; a command spends from the app-wide one unseen.
      if (answer.route === "read") other.bucket.spentElsewhere();
      else other.bucket.spentUnseen();
    }
    if (odd) {
      // One counter cannot have said this. Until it is known whose it is, it counts against this one and tells nothing.
      if (counted) named.bucket.spentUnseen();
      return { named, shared: false };
    }
    const { shared } = named.bucket.told(told, sighting, counted);
    const { limit, remaining, resetMs } = told;
    const { sentMs, readMs } = sighting;
    group.last = { limit, remaining, resetMs, sentMs, readMs, source: answer.source };
    if (answer.mapped) this.#map(answer.source, answer.route, name, named, started);
    return { named, shared };
  }

  #map(
    source: SourceId,
    route: Route,
    name: Name,
    named: NamedBucket,
    started: readonly NamedBucket[],
  ): void {
    if (route === "read") {
      this.#reads.set(source, named);
      // A key that was never read with is taken to be counted where most of them are.
      this.#common = largest(name).named;
      for (const other of started) if (other !== named && other.hash !== "unknown") this.#uniform = false;
      if (named !== this.#common) this.#uniform = false;
    } else if (named !== this.general(source)) {
      this.#commands.set(source, named);
    } else if (started.length > 0) {
      // The command route has no bucket of its own here.
      this.#commands.delete(source);
    }
  }

  #name(text: string): Name {
    const marked = mark(this.#salt, text);
    let name = this.#names.get(marked);
    if (name === undefined) {
      const hash = marked.toString(16).padStart(14, "0");
      const first = { named: { hash, bucket: new Bucket(this.#clock) }, members: 0, last: undefined };
      name = { hash, groups: [first], groupOf: new Map(), charges: new Map() };
      this.#names.set(marked, name);
    }
    return name;
  }

  #groupFor(
    name: Name,
    source: SourceId,
    told: RateHeaders,
    sighting: Sighting,
  ): { readonly group: Group; readonly odd: boolean } {
    const own = name.groupOf.get(source) ?? largest(name);
    if (!contradicts(own.last, source, told, sighting)) {
      if (!name.groupOf.has(source)) this.#move(name, source, own);
      return { group: own, odd: false };
    }
    const other = name.groups.find((group) => group !== own && agrees(group.last, told));
    const charges = (name.charges.get(source) ?? 0) + 1;
    name.charges.set(source, charges);
    if (other === undefined && charges < CHARGES_TO_SPLIT) return { group: own, odd: true };
    name.charges.delete(source);
    const group = other ?? this.#split(name);
    this.#move(name, source, group);
    this.#uniform = false;
    return { group, odd: false };
  }

  #move(name: Name, source: SourceId, group: Group): void {
    const before = name.groupOf.get(source);
    if (before !== undefined) before.members -= 1;
    group.members += 1;
    name.groupOf.set(source, group);
  }

  #split(name: Name): Group {
    const hash = `${name.hash}.${name.groups.length}`;
    const group = { named: { hash, bucket: new Bucket(this.#clock) }, members: 0, last: undefined };
    name.groups.push(group);
    return group;
  }
}

/**
 * Whether one counter cannot have answered both: the later request (sent after the other's answer was read) came from
 * another key and shows an earlier reset, more left of the same window, or another limit for it.
 */
function contradicts(
  last: Told | undefined,
  source: SourceId,
  told: RateHeaders,
  sighting: Sighting,
): boolean {
  if (last === undefined || last.source === source || sighting.sentMs < last.readMs) return false;
  if (told.resetMs < last.resetMs) return true;
  return told.resetMs === last.resetMs && (told.remaining > last.remaining || told.limit !== last.limit);
}

/**
 * 53 bits of a salted hash (cyrb53): enough to tell names apart, far too few to give back a key that a name
 * may hold, and cheap, since each answer names a bucket.
 */
function mark(salt: string, text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (const part of [salt, text])
    for (let at = 0; at < part.length; at++) {
      const code = part.charCodeAt(at);
      a = Math.imul(a ^ code, 2_654_435_761);
      b = Math.imul(b ^ code, 1_597_334_677);
    }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0);
}

function largest(name: Name): Group {
  let found = name.groups[0];
  for (const group of name.groups) if (found === undefined || group.members > found.members) found = group;
  if (found === undefined) throw new Error("a bucket's name always has a group");
  return found;
}

function agrees(last: Told | undefined, told: RateHeaders): boolean {
  return last !== undefined && last.limit === told.limit && told.resetMs >= last.resetMs;
}
