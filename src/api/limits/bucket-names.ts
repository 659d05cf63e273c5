import type { SourceId } from "../../domain/model.ts";
import { CounterGroup, type CounterState } from "./counter-group.ts";
import type { KeyedAnswer } from "./separate-counters.ts";
import type { ServerClock } from "./server-clock.ts";

/** What is known under one name. A name that took the place of another shares its counters. */
interface Name {
  readonly hash: string;
  group: CounterGroup;
  /** The name that it took the place of. */
  before: Name | undefined;
  after: Name | undefined;
  /** Whether it is known which name it took the place of, if any: refusals do not tell. */
  isPlaced: boolean;
  /** The latest answer under it. */
  last: KeyedAnswer | undefined;
}

/** The counters by the names that the service gives to their buckets, kept by hash. */
export class BucketNames {
  readonly #clock: ServerClock;
  readonly #salt: string;
  readonly #names = new Map<number, Name>();

  /** `salt`: anything unguessable, since a bucket's name can hold a server key; the same in processes that share. */
  constructor(clock: ServerClock, salt: string) {
    this.#clock = clock;
    this.#salt = salt;
  }

  get groups(): readonly CounterGroup[] {
    return [...new Set([...this.#names.values()].map(({ group }) => group))];
  }

  /**
   * What the answer's name stands for. `before`: where such an answer was counted under another name: a name that was never
   * met takes its place, for all keys at once, until answers show that the two are not one.
   */
  find(answer: KeyedAnswer, before: CounterState | undefined): CounterGroup {
    const marked = mark(this.#salt, answer.quota.bucket);
    const name = this.#names.get(marked) ?? this.#add(marked);
    if (before !== undefined && !name.isPlaced) this.#place(name, this.#renamed(answer, before));
    const other = name.before ?? name.after;
    if (other?.last !== undefined && contradicts(other.last, answer)) this.#part(name, other);
    // What was asked for before the names changed shows nothing of what the older one stands for now.
    if (other?.last === undefined || answer.sentMs >= other.last.readMs) name.last = answer;
    return name.group;
  }

  /** A key that will not be used again; `command`: the hash of its own bucket. */
  forget(source: SourceId, command: string | undefined): void {
    for (const [marked, { group }] of this.#names) {
      if (group.hash === command) this.#names.delete(marked);
      group.forget(source);
    }
  }

  #add(marked: number): Name {
    // Too short to give back a key that the name may hold.
    const hash = marked.toString(16).padStart(14, "0");
    const group = new CounterGroup(hash, this.#clock);
    const unknown = { before: undefined, after: undefined, last: undefined };
    const name: Name = { hash, group, isPlaced: false, ...unknown };
    this.#names.set(marked, name);
    return name;
  }

  #place(name: Name, before: Name | undefined): void {
    name.isPlaced = true;
    if (before === undefined || before.group === name.group) return;
    before.isPlaced = true;
    before.last = undefined;
    name.group = before.group;
    name.before = before;
    before.after = name;
    before.group.rename(name.hash);
  }

  /** The name whose counters those of a new name are. Its limit may have been cut: where it is another's, that draws no refusals. */
  #renamed({ quota }: KeyedAnswer, before: CounterState | undefined): Name | undefined {
    if (before === undefined || (before.bucket.limit ?? 0) < quota.limit) return undefined;
    const names = [...this.#names.values()];
    return names.findLast(({ group, after }) => after === undefined && group.buckets.includes(before));
  }

  /** Both names are in use for counters of their own. */
  #part(name: Name, other: Name): void {
    const older = name.before === other ? other : name;
    const newer = older === other ? name : other;
    newer.group = new CounterGroup(newer.hash, this.#clock);
    older.group.rename(older.hash);
    newer.before = undefined;
    older.after = undefined;
  }
}

/** Whether one counter cannot have given both answers to a key: the later one names another limit, or more of the same window. */
function contradicts(last: KeyedAnswer, { source, quota, sentMs }: KeyedAnswer): boolean {
  if (sentMs < last.readMs) return false;
  if (quota.limit !== last.quota.limit) return true;
  const isOfSameKey = source === last.source;
  return isOfSameKey && quota.resetMs === last.quota.resetMs && quota.remaining >= last.quota.remaining;
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
