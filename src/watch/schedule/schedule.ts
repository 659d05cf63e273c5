import type { SourceId } from "../../domain/model.ts";
import { EmptyServerStats, QUIET_ENTRIES_PER_S } from "./empty-server-stats.ts";
import { FinerLooks } from "./finer-looks.ts";
import { GuildRotation } from "./guild-rotation.ts";
import { Heap } from "./heap.ts";
import { type Load, PollShares, type Why } from "./poll-shares.ts";
import { RateClasses } from "./rate-classes.ts";
import { type Candidate, Entry, Guild } from "./schedule-entry.ts";

export type Choice =
  | { readonly kind: "poll"; readonly source: SourceId; readonly why: Why }
  /** Nothing may be polled before that; undefined: no source waits for a time. */
  | { readonly kind: "wait"; readonly untilMs: number | undefined };

/** The service counts in seconds: asking one server more often than this shows nothing sooner. */
const MIN_INTERVAL_MS = 1_000;
const MIN_EMPTY_INTERVAL_MS = 5_000;
/** A server with a parked key is considered again after this time, because it may be linked anew. */
const PARKED_AGAIN_MS = 15_000;
/** Each source is polled within ten minutes or, where there are too many for that, one and a half rounds. */
const BOUND_MS = 600_000;
const BOUND_ROUNDS = 1.5;
/** A server goes first from this part of its bound on, so that it is polled before the bound is reached. */
const BOUND_NEAR = 0.9;
/** Faster logs count as this fast, so that filling a log gains no more polls. */
const MOST_ENTRIES_PER_S = 4;

/**
 * Chooses the source to poll next. Time is an argument, so the same calls give the same choices. Nothing is scanned:
 * each reason to poll has a queue, and classes of rate are compared by their oldest source.
 *
 * The order is: servers near their bound, logs about to lose rows, demands past their age, guilds that got less than
 * their even share, then the greatest rate x age^2, which gives the least mean delay for any budget. Guilds take turns.
 * Of the last kind some go to a server that is to be looked at more finely, see `FinerLooks`.
 */
export class Schedule {
  readonly #isParked: (source: SourceId) => boolean;
  readonly #entries = new Map<SourceId, Entry>();
  readonly #guilds = new Map<string, Guild>();
  readonly #emptyServers = new EmptyServerStats();
  readonly #sleeping = new Heap<Entry>();
  readonly #fresh = new GuildRotation<Entry>();
  readonly #bound = new GuildRotation<Entry>();
  readonly #loss = new GuildRotation<Entry>();
  readonly #overdue = new GuildRotation<Entry>();
  readonly #finer = new FinerLooks();
  /** Guilds that have a server with players to be chosen, by when any server of theirs was polled last. */
  readonly #guildsByPoll = new Heap<Guild>();
  /** Guilds with players and without a log that is too fast: among them polls are shared evenly. */
  readonly #evenGuilds = new Set<Guild>();
  readonly #busy = new RateClasses<Entry>();
  readonly #empty = new RateClasses<Entry>();
  readonly #shares = new PollShares();

  /** `isParked`: a source that may not be asked at present. */
  constructor(isParked: (source: SourceId) => boolean = () => false) {
    this.#isParked = isParked;
  }

  /** Number of sources, including those that are being polled. */
  get size(): number {
    return this.#entries.size;
  }

  /** Takes a source in, or takes it back after its poll; it may be chosen from now on. */
  put(candidate: Candidate): void {
    const { source, stats } = candidate;
    const guild = this.#guildOf(candidate);
    const known = this.#entries.get(source);
    const entry = known ?? new Entry(candidate, guild);
    if (known !== undefined) {
      const before = known.candidate.stats;
      const sinceMs = stats.polledAtMs - before.polledAtMs;
      if (before.polled && sinceMs > 0) this.#emptyServers.learn(before, stats, sinceMs / 1_000);
      this.#leaveQueues(known);
    }
    this.#entries.set(source, entry);
    this.#regroup(entry, candidate, guild);
    this.#sleeping.set(entry, readyAtMs(candidate));
  }

  remove(source: SourceId): void {
    const entry = this.#entries.get(source);
    if (entry === undefined) return;
    this.#leaveQueues(entry);
    this.#finer.settle(entry.guild);
    this.#entries.delete(source);
    entry.peers.delete(entry);
    this.#dropIfBare(entry);
    this.#reclass(entry.peers);
  }

  /** The source to poll now; it is not chosen again before it is put back. */
  next(load: Load): Choice {
    this.#wake(load.nowMs);
    const chosen = this.#choose(load);
    if (chosen === undefined) return { kind: "wait", untilMs: this.#sleeping.first()?.key };
    const { entry, why } = chosen;
    const { occupied } = entry.candidate.stats;
    const guilds = this.#evenGuilds.size;
    this.#shares.spend({ guild: entry.guild, guilds, why, occupied, load });
    if (occupied) this.#finer.count(entry.guild, guilds);
    entry.polledWhy = why;
    this.#leaveQueues(entry);
    return { kind: "poll", source: entry.candidate.source, why };
  }

  #choose(load: Load): { readonly entry: Entry; readonly why: Why } | undefined {
    const { nowMs, pollsPerS } = load;
    if (this.#busy.size + this.#empty.size === 0) return undefined;

    if (this.#shares.bound.isOwed && pollsPerS > 0) {
      const roundMs = (1_000 * this.#entries.size) / pollsPerS;
      const boundMs = Math.max(BOUND_MS, BOUND_ROUNDS * roundMs);
      const entry = this.#fresh.first(nowMs) ?? this.#bound.first(nowMs - BOUND_NEAR * boundMs);
      if (entry !== undefined) return { entry, why: "bound" };
    }
    const losing = this.#shares.loss.isOwed
      ? this.#loss.first(nowMs, (guild) => this.#shares.hasLossLeft(guild, this.#guilds.size))
      : undefined;
    if (losing !== undefined) return { entry: losing, why: "loss" };
    const overdue = this.#shares.overdue.isOwed ? this.#overdue.first(nowMs) : undefined;
    if (overdue !== undefined) return { entry: overdue, why: "overdue" };
    const neglected = this.#mostNeglected(load);
    if (neglected !== undefined) return { entry: neglected, why: "fair" };

    const byRate = this.#byRate(nowMs);
    if (byRate?.why !== "busy" || !this.#shares.finer.isOwed) return byRate;
    const finer = this.#finer.before(byRate.entry, nowMs);
    return finer === undefined ? byRate : { entry: finer, why: "finer" };
  }

  /** The oldest server of the guild that waits longest, when that is longer than an even share of the polls allows. */
  #mostNeglected({ nowMs, pollsPerS }: Load): Entry | undefined {
    const longest = this.#guildsByPoll.first();
    if (longest === undefined || pollsPerS <= 0) return undefined;
    const mayWaitMs = this.#shares.fairWaitMs(this.#evenGuilds.size, pollsPerS);
    return nowMs - longest.key < mayWaitMs ? undefined : longest.item.awake.first()?.item;
  }

  #byRate(nowMs: number): { readonly entry: Entry; readonly why: Why } | undefined {
    const ageS = ({ polledAtMs }: Entry) => (nowMs - polledAtMs) / 1_000;
    const busy = this.#busy.best((entry) => entry.perS * ageS(entry) ** 2);
    // An empty server brings nothing until it has filled, which becomes likelier with its age.
    const fillsPerS = this.#emptyServers.fillsPerS;
    const empty = this.#empty.best((entry) => {
      const age = ageS(entry);
      return entry.perS * age ** 2 * Math.min(1, (2 / 3) * fillsPerS * age);
    });
    if (empty === undefined) return busy && { entry: busy.item, why: "busy" };
    const isEmptysTurn =
      busy === undefined ||
      this.#shares.leastEmpty.isOwed ||
      (empty.score > busy.score && this.#shares.mostEmpty.isOwed);
    return isEmptysTurn ? { entry: empty.item, why: "empty" } : { entry: busy.item, why: "busy" };
  }

  #wake(nowMs: number): void {
    for (let next = this.#sleeping.first(); next !== undefined && next.key <= nowMs; ) {
      const entry = next.item;
      if (this.#isParked(entry.candidate.source)) this.#sleeping.set(entry, nowMs + PARKED_AGAIN_MS);
      else this.#enterQueues(entry);
      next = this.#sleeping.first();
    }
  }

  #enterQueues(entry: Entry): void {
    const { stats, maxAgeMs } = entry.candidate;
    this.#sleeping.delete(entry);
    entry.isAwake = true;
    (stats.polled ? this.#bound : this.#fresh).set(entry, stats.polledAtMs);
    if (stats.occupied && stats.lossPerS > 0) {
      this.#loss.set(entry, stats.polledAtMs + 1_000 / stats.lossPerS);
    }
    if (maxAgeMs !== undefined && stats.polled) this.#overdue.set(entry, stats.polledAtMs + maxAgeMs);
    this.#finer.set(entry);
    this.#enterClass(entry);
    if (!stats.occupied) return;
    entry.guild.awake.set(entry, stats.polledAtMs);
    this.#guildsByPoll.set(entry.guild, entry.guild.polledAtMs);
  }

  /** Divides the rate by the square of its guild's servers, so that they together get what one would get. */
  #enterClass(entry: Entry): void {
    const { stats } = entry.candidate;
    const rate = stats.occupied
      ? Math.min(MOST_ENTRIES_PER_S, Math.max(stats.weighedPerS, QUIET_ENTRIES_PER_S))
      : Math.min(MOST_ENTRIES_PER_S, this.#emptyServers.rateOf(stats));
    entry.perS = rate / Math.max(1, entry.peers.size) ** 2;
    (stats.occupied ? this.#busy : this.#empty).add(entry);
  }

  #leaveQueues(entry: Entry): void {
    entry.isAwake = false;
    this.#sleeping.delete(entry);
    for (const rotation of [this.#fresh, this.#bound, this.#loss, this.#overdue]) rotation.delete(entry);
    this.#finer.delete(entry);
    this.#busy.delete(entry);
    this.#empty.delete(entry);
    entry.guild.awake.delete(entry);
    if (entry.guild.awake.size === 0) this.#guildsByPoll.delete(entry.guild);
  }

  #regroup(entry: Entry, candidate: Candidate, guild: Guild): void {
    const before = entry.peers;
    this.#finer.settle(entry.guild);
    this.#finer.settle(guild);
    before.delete(entry);
    if (entry.guild !== guild) this.#dropIfBare(entry);
    entry.candidate = candidate;
    entry.guild = guild;
    entry.peers.add(entry);
    // A finer look is none of the guild's turns where it has other servers, so that these get theirs.
    if (entry.polledWhy !== "finer" || guild.occupied.size === 1)
      guild.polledAtMs = Math.max(guild.polledAtMs, candidate.stats.polledAtMs);
    if (guild.awake.size > 0) this.#guildsByPoll.set(guild, guild.polledAtMs);
    this.#noteWhetherEven(guild);
    if (entry.peers === before) return;
    this.#reclass(before);
    this.#reclass(entry.peers);
  }

  /** For when the number of a guild's servers changed, by which each one's rate is divided. */
  #reclass(peers: ReadonlySet<Entry>): void {
    for (const entry of peers) {
      if (!entry.isAwake) continue;
      this.#busy.delete(entry);
      this.#empty.delete(entry);
      this.#enterClass(entry);
    }
  }

  #guildOf({ guildId, source }: Candidate): Guild {
    const id = guildId ?? `source/${source}`;
    const guild = this.#guilds.get(id) ?? new Guild();
    this.#guilds.set(id, guild);
    return guild;
  }

  #noteWhetherEven(guild: Guild): void {
    if (guild.occupied.size > 0 && !guild.hasTooFastLog) this.#evenGuilds.add(guild);
    else this.#evenGuilds.delete(guild);
  }

  #dropIfBare({ guild, candidate }: Entry): void {
    this.#noteWhetherEven(guild);
    if (guild.occupied.size + guild.empty.size > 0) return;
    this.#guilds.delete(candidate.guildId ?? `source/${candidate.source}`);
  }
}

function readyAtMs({ stats, maxAgeMs, notBeforeMs }: Candidate): number {
  if (!stats.polled) return notBeforeMs;
  const intervalMs = stats.occupied ? MIN_INTERVAL_MS : MIN_EMPTY_INTERVAL_MS;
  return Math.max(notBeforeMs, stats.polledAtMs + Math.min(intervalMs, maxAgeMs ?? intervalMs));
}
