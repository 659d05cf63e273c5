import { type Arrivals, type CountedAges, countedOfGuild, sumOfAges } from "./sum-of-ages.ts";

/** New entries of a feed that waits already count after this time at the latest, */
const COUNT_EVERY_MS = 1_000;
/**
 * or, where thousands wait, after so long for each guild: to count all of them at once would hold up who asks something. With
 * two milliseconds ten guilds with fifty fast feeds each made the others wait 1.6 times as long (bench `posting`).
 */
const COUNT_GUILD_MS = 1;
/** While others wait a guild gets so many batches a second (a log of 24 entries a second needs them), */
const GUILD_PER_S = 0.8;
/** and so many at once after a quiet while, such as an outage: two minutes of its part. */
const GUILD_BURST = 90;

/** So many are weighed at a turn, those that weighed most when last counted and those that came since, before all others. */
const WEIGHED_FIRST = 200;

/** One feed that waits. */
export interface WaitingBatch {
  readonly guild: string;
  /** How many times the ages of its entries count. */
  readonly weight: number;
  waiting(): Arrivals;
}

/** Feeds that wait for a turn, of which the one with the greatest sum of ages goes first, within its guild's bounds. */
export class BatchQueue<T extends WaitingBatch> {
  readonly #guilds = new Map<string, Map<T, CountedAges>>();
  /** Those to be weighed first. */
  #heaviest = new Set<T>();
  #size = 0;
  #countedAtMs = Number.NEGATIVE_INFINITY;
  /** What is left to count of a round. */
  #round: Iterator<Map<T, CountedAges>, undefined> = [][Symbol.iterator]();
  #oldestOfRoundMs = Number.POSITIVE_INFINITY;
  #oldestMs = Number.POSITIVE_INFINITY;
  /** By guild: when its allowance is whole again. */
  readonly #wholeAtMs = new Map<string, number>();

  get size(): number {
    return this.#size;
  }

  add(feed: T): void {
    const feeds = this.#guilds.get(feed.guild) ?? new Map<T, CountedAges>();
    feeds.set(feed, NOTHING);
    this.#guilds.set(feed.guild, feeds);
    this.#heaviest.add(feed);
    this.#size += 1;
    count(feeds);
  }

  remove(feed: T): void {
    const feeds = this.#guilds.get(feed.guild);
    if (feeds?.delete(feed) !== true) return;
    this.#heaviest.delete(feed);
    this.#size -= 1;
    if (feeds.size === 0) this.#guilds.delete(feed.guild);
    // What it had counted of its guild counts of the others now.
    else count(feeds);
  }

  /** Of those that may go the heaviest; of guilds that had their part, if nobody else may. */
  find(mayGo: (feed: T) => boolean, nowMs: number): T | undefined {
    this.#countSome(nowMs);
    const may = (feed: T) => this.#isWithin(feed.guild, nowMs) && mayGo(feed);
    return (
      this.#heaviestOf(this.#heaviest, may, nowMs) ??
      this.#heaviestOf(this, may, nowMs) ??
      this.#heaviestOf(this, mayGo, nowMs)
    );
  }

  /** When the oldest of all entries arrived, as of the last count; Infinity: none waits. */
  get oldestMs(): number {
    return this.#oldestMs;
  }

  /** It had its turn. */
  onTurn(feed: T, nowMs: number): void {
    this.remove(feed);
    const wholeMs = Math.max(nowMs, this.#wholeAtMs.get(feed.guild) ?? nowMs) + 1_000 / GUILD_PER_S;
    this.#wholeAtMs.set(feed.guild, wholeMs);
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (const feeds of this.#guilds.values()) yield* feeds.keys();
  }

  #heaviestOf(feeds: Iterable<T>, may: (feed: T) => boolean, nowMs: number): T | undefined {
    let best: T | undefined;
    let most = -1;
    for (const feed of feeds) {
      const weight = this.#ageOf(feed, nowMs);
      if (weight <= most || !may(feed)) continue;
      best = feed;
      most = weight;
    }
    return best;
  }

  #ageOf(feed: T, nowMs: number): number {
    return sumOfAges(this.#guilds.get(feed.guild)?.get(feed) ?? NOTHING, nowMs) * feed.weight;
  }

  /** As many guilds as the time since the last count asks for; at the end of a round all are weighed. */
  #countSome(nowMs: number): void {
    const { size } = this.#guilds;
    const roundMs = Math.max(COUNT_EVERY_MS, size * COUNT_GUILD_MS);
    const part = Math.min(1, (nowMs - this.#countedAtMs) / roundMs);
    if (part === 1) this.#beginRound();
    const due = part === 1 ? size + 1 : Math.floor(size * part);
    if (due === 0) return;
    this.#countedAtMs = nowMs;
    for (let counted = 0; counted < due; counted += 1) {
      const { value: feeds } = this.#round.next();
      if (feeds === undefined) {
        this.#endRound(nowMs);
        return;
      }
      this.#oldestOfRoundMs = Math.min(this.#oldestOfRoundMs, count(feeds));
    }
  }

  #beginRound(): void {
    this.#round = this.#guilds.values();
    this.#oldestOfRoundMs = Number.POSITIVE_INFINITY;
  }

  #endRound(nowMs: number): void {
    this.#oldestMs = this.#oldestOfRoundMs;
    this.#beginRound();
    for (const [guild, wholeMs] of this.#wholeAtMs) if (wholeMs <= nowMs) this.#wholeAtMs.delete(guild);
    const weighed = [...this].map((feed) => ({ feed, weight: this.#ageOf(feed, nowMs) }));
    weighed.sort((a, b) => b.weight - a.weight);
    this.#heaviest = new Set(weighed.slice(0, WEIGHED_FIRST).map(({ feed }) => feed));
  }

  #isWithin(guild: string, nowMs: number): boolean {
    const usedMs = (this.#wholeAtMs.get(guild) ?? nowMs) - nowMs;
    return usedMs <= (1_000 / GUILD_PER_S) * (GUILD_BURST - 1);
  }
}

const NOTHING: CountedAges = { count: 0, sumMs: 0 };

/** Counts what waits of one guild; when the first of it arrived. */
function count<T extends WaitingBatch>(feeds: Map<T, CountedAges>): number {
  const all = [...feeds.keys()];
  const waiting = all.map((feed) => feed.waiting());
  const counted = countedOfGuild(waiting);
  for (const [at, feed] of all.entries()) feeds.set(feed, counted[at] ?? NOTHING);
  return waiting.reduce(
    (oldestMs, [first = oldestMs]) => Math.min(oldestMs, first),
    Number.POSITIVE_INFINITY,
  );
}
