import type { Feed } from "../../src/domain/guild.ts";
import type { Random } from "../../src/domain/ports/clock.ts";
import type {
  Change as DocumentChange,
  Documents,
  Rows,
  RowsChange,
} from "../../src/domain/ports/documents.ts";
import type { FeedStore } from "../../src/domain/ports/feed-store.ts";
import { Injected, type Life } from "./life.ts";

/** The system writes what it holds to the disk by itself after this long. */
const LONGEST_UNWRITTEN_MS = 30_000;

interface Change {
  readonly atMs: number;
  undo(): void;
}

/**
 * What the disk holds; outlives every process, and most of it a power cut: changes are kept in one log, so what a cut
 * takes is the end of it.
 */
export class Disk {
  readonly texts = new Map<string, Map<string, string>>();
  readonly #random: Random;
  readonly #nowMs: () => number;
  /** Changes that a power cut could take, oldest first. */
  #unwritten: Change[] = [];
  #cuts = 0;
  /** Share of calls that fail now. */
  failing = 0;

  constructor(random: Random, nowMs: () => number) {
    this.#random = random;
    this.#nowMs = nowMs;
  }

  /** Sets a text, or deletes it. */
  change(texts: Map<string, string>, key: string, text: string | undefined): void {
    const [before, atMs] = [texts.get(key), this.#nowMs()];
    put(texts, key, text);
    this.#unwritten.push({ atMs, undo: () => put(texts, key, before) });
    while ((this.#unwritten[0]?.atMs ?? atMs) < atMs - LONGEST_UNWRITTEN_MS) this.#unwritten.shift();
  }

  /** A write that waits for the disk takes all earlier ones of the log along. */
  flush(): void {
    this.#unwritten = [];
  }

  /** The power goes: what was changed after `toMs` and has not reached the disk is as it was before. */
  setBack(toMs: number): void {
    this.#cuts += 1;
    while ((this.#unwritten.at(-1)?.atMs ?? toMs) > toMs) this.#unwritten.pop()?.undo();
    this.#unwritten = [];
  }

  namespace(name: string): Map<string, string> {
    const known = this.texts.get(name) ?? new Map<string, string>();
    this.texts.set(name, known);
    return known;
  }

  /** A failing disk mostly does nothing; sometimes it does its work and says that it failed. */
  async use<T>(effect: () => T): Promise<T> {
    const cuts = this.#cuts;
    await Promise.resolve();
    // What was on its way when the power went never gets here.
    if (cuts !== this.#cuts) throw new Injected("the power is gone");
    if (this.failing > 0 && this.#random.next() < this.failing) {
      if (this.#random.next() < 0.2) effect();
      throw new Injected("the disk fails");
    }
    return effect();
  }
}

function put(texts: Map<string, string>, key: string, text: string | undefined): void {
  if (text === undefined) texts.delete(key);
  else texts.set(key, text);
}

export class DiskDocuments<T> implements Documents<T> {
  readonly #disk: Disk;
  readonly #life: Life;
  readonly #name: string;
  readonly #texts: Map<string, string>;
  readonly #parse: (value: unknown) => T;
  readonly #durability: "full" | "normal";

  /** `full`: what was acknowledged survives a power cut. */
  constructor(
    disk: Disk,
    life: Life,
    name: string,
    { parse, durability }: { readonly parse: (value: unknown) => T; readonly durability: "full" | "normal" },
  ) {
    this.#durability = durability;
    this.#disk = disk;
    this.#life = life;
    this.#name = name;
    this.#texts = disk.namespace(name);
    this.#parse = parse;
  }

  async get(key: string): Promise<T | undefined> {
    const text = await this.#call(`get ${key}`, () => this.#texts.get(key));
    return text === undefined ? undefined : this.#parse(JSON.parse(text));
  }

  async set(key: string, value: T): Promise<void> {
    const text = JSON.stringify(value);
    await this.#call(`set ${key} ${text.length}`, () => this.#change(key, text));
  }

  async delete(key: string): Promise<void> {
    await this.#call(`delete ${key}`, () => this.#change(key, undefined));
  }

  async *entries(): AsyncIterable<readonly [key: string, value: T]> {
    const all = await this.#call("entries", () => [...this.#texts]);
    for (const [key, text] of all) yield [key, this.#parse(JSON.parse(text))];
  }

  #change(key: string, text: string | undefined): void {
    this.#disk.change(this.#texts, key, text);
    if (this.#durability === "full") this.#disk.flush();
  }

  #call<R>(what: string, effect: () => R): Promise<R> {
    return this.#life.call(`${this.#name} ${what}`, () => this.#disk.use(effect));
  }
}

/** Rows on the same disk, each list in a namespace of its own. */
export class DiskRows<T> implements Rows<T> {
  readonly #disk: Disk;
  readonly #life: Life;
  readonly #name: string;
  readonly #parse: (value: unknown) => T;

  constructor(disk: Disk, life: Life, name: string, parse: (value: unknown) => T) {
    this.#disk = disk;
    this.#life = life;
    this.#name = name;
    this.#parse = parse;
  }

  async read(list: string, from: number, limit: number): Promise<readonly (readonly [number, T])[]> {
    const found = () => {
      const texts = rowsOf(this.#disk, this.#name, list);
      const numbers = numbersIn(texts).filter((seq) => seq >= from);
      return numbers.slice(0, limit).map((seq) => [seq, this.#row(texts, seq)] as const);
    };
    return await this.#life.call(`${this.#name} read ${list}`, () => this.#disk.use(found));
  }

  // biome-ignore lint/correctness/useYield: no process of the simulation lists rows
  async *entries(): AsyncIterable<readonly [list: string, seq: number, row: T]> {
    throw new Error("nobody lists rows here");
  }

  #row(texts: ReadonlyMap<string, string>, seq: number): T {
    return this.#parse(JSON.parse(texts.get(String(seq)) ?? "null"));
  }
}

/** Several changes, all or none: a cut takes all that were made at one time. */
export function changeTogether(disk: Disk, changes: readonly (DocumentChange | RowsChange)[]): void {
  for (const change of changes) {
    if ("namespace" in change) {
      const text = "deleted" in change ? undefined : JSON.stringify(change.value);
      disk.change(disk.namespace(change.namespace), change.key, text);
      continue;
    }
    const texts = rowsOf(disk, change.table, change.list);
    const isBelow = "below" in change;
    for (const seq of numbersIn(texts))
      if (isBelow ? seq < change.below : seq >= change.from) disk.change(texts, String(seq), undefined);
    if (!isBelow) disk.change(texts, String(change.seq), JSON.stringify(change.row));
  }
}

/** The rows of one list, by their numbers. */
function rowsOf(disk: Disk, table: string, list: string): Map<string, string> {
  return disk.namespace(`${table} ${list}`);
}

function numbersIn(texts: ReadonlyMap<string, string>): readonly number[] {
  return [...texts.keys()].map(Number).sort((a, b) => a - b);
}

/** Feeds by guild, on the same disk; a change of one guild's feeds is one write. */
export class DiskFeeds implements FeedStore {
  readonly #disk: Disk;
  readonly #life: Life;
  readonly #texts: Map<string, string>;

  constructor(disk: Disk, life: Life) {
    this.#disk = disk;
    this.#life = life;
    this.#texts = disk.namespace("feeds");
  }

  list(guildId: string): Promise<readonly Feed[]> {
    return this.#call(`list ${guildId}`, () => this.#of(guildId));
  }

  async *all(): AsyncIterable<Feed> {
    const guilds = await this.#call("all", () => [...this.#texts.keys()].map((guildId) => this.#of(guildId)));
    for (const feeds of guilds) yield* feeds;
  }

  save(feed: Feed): Promise<void> {
    return this.#call(`save ${feed.id} ${feed.state}`, () => {
      const others = this.#of(feed.guildId).filter((other) => other.id !== feed.id);
      this.#change(feed.guildId, [...others, feed]);
    });
  }

  remove(guildId: string, feedId: string): Promise<void> {
    return this.#call(`remove ${feedId}`, () => {
      const left = this.#of(guildId).filter((other) => other.id !== feedId);
      this.#change(guildId, left);
    });
  }

  #change(guildId: string, feeds: readonly Feed[]): void {
    this.#disk.change(this.#texts, guildId, JSON.stringify(feeds));
    this.#disk.flush();
  }

  #of(guildId: string): readonly Feed[] {
    // Written by this class alone.
    return JSON.parse(this.#texts.get(guildId) ?? "[]") as readonly Feed[];
  }

  #call<R>(what: string, effect: () => R): Promise<R> {
    return this.#life.call(`feeds ${what}`, () => this.#disk.use(effect));
  }
}
