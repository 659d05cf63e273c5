import type { TypedBy } from "../../domain/ports/service-client.ts";
import type { BudgetDecision } from "./unit.ts";

/** What typed keys have cost in the last hour, or may have, and when that counts no more; and what is on its way. */
export interface TypedUnits {
  readonly spent: readonly { readonly guildId: string; readonly freeMs: number }[];
  /** The guilds whose typed keys are being asked. */
  readonly flying: readonly string[];
}

/** A wrong key that a guild typed, as kept over a restart. */
export interface StoredTyped {
  readonly guildId: string;
  readonly ageMs: number;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const OF_GUILD_AN_HOUR = 2;
const OF_GUILD_A_DAY = 4;
/** A guild that was told when to try again has its place kept for this time. */
const PLACE_KEPT_MS = 10 * 60_000;

interface Place {
  readonly guildId: string;
  readonly atMs: number;
}

/**
 * The part of the budget that typed keys may use, so that strangers take nothing from the others: how much of it one
 * guild may use, what is kept for guilds that are known, and whose turn is next. Pure; times are monotonic.
 */
export class TypedShare {
  readonly most: number;
  /** Wrong keys that each guild typed in the last day. */
  readonly #wrong = new Map<string, readonly number[]>();
  /** Guilds that were known when they typed. */
  readonly #known = new Set<string>();
  /** Guilds that wait for a unit, in the order in which they came. */
  #line: readonly Place[] = [];

  constructor(most: number) {
    this.most = Math.max(1, most);
  }

  /** Whether this guild may type a key now. `undefined` for one of whom nothing is known. */
  decide(by: TypedBy | undefined, units: TypedUnits, nowMs: number): BudgetDecision {
    const own = by === undefined ? ({ kind: "go" } as const) : this.#own(by.guildId, units, nowMs);
    const all = this.#all(by, units, nowMs);
    if (own.kind === "later" && all.kind === "later")
      return { kind: "later", atMs: Math.max(own.atMs, all.atMs) };
    return own.kind === "go" || all.kind === "later" ? all : own;
  }

  /** Whether it is this guild's own typing that makes it wait. */
  isOwn(by: TypedBy, units: TypedUnits, nowMs: number): boolean {
    return (
      this.#own(by.guildId, units, nowMs).kind === "later" && this.#all(by, units, nowMs).kind !== "later"
    );
  }

  /** How many wrong keys this guild may type from now on, if nobody else types one. */
  left(by: TypedBy, units: TypedUnits, nowMs: number): number {
    const { ofHour, ofDay } = this.#ownUse(by.guildId, units, nowMs);
    const room =
      this.#limit(by, units) - units.spent.length - units.flying.length - this.#ahead(by, units, nowMs);
    return Math.max(0, Math.min(OF_GUILD_AN_HOUR - ofHour, OF_GUILD_A_DAY - ofDay, room));
  }

  /** The share made it wait until then: its place is kept, in front of those who are refused later. */
  onTold({ guildId }: TypedBy, atMs: number, nowMs: number): void {
    const place = { guildId, atMs };
    const kept = this.#line.filter((one) => nowMs < one.atMs + PLACE_KEPT_MS);
    const isThere = kept.some((one) => one.guildId === guildId);
    this.#line = isThere ? kept.map((one) => (one.guildId === guildId ? place : one)) : [...kept, place];
  }

  /** Its key is being asked. */
  onStarted(guildId: string): void {
    this.#line = this.#line.filter((one) => one.guildId !== guildId);
  }

  onRefused(guildId: string, nowMs: number): void {
    this.#wrong.set(guildId, [...this.#wrongOf(guildId, nowMs), nowMs]);
  }

  /** Wrong keys of the last day, to be kept over a restart. */
  stored(nowMs: number): readonly StoredTyped[] {
    return [...this.#wrong.keys()].flatMap((guildId) => {
      const times = this.#wrongOf(guildId, nowMs);
      if (times.length === 0) this.#wrong.delete(guildId);
      return times.map((atMs) => ({ guildId, ageMs: nowMs - atMs }));
    });
  }

  restore(stored: readonly StoredTyped[], nowMs: number): void {
    for (const { guildId, ageMs } of stored)
      this.#wrong.set(guildId, [...this.#wrongOf(guildId, nowMs), nowMs - Math.max(0, ageMs)]);
  }

  #own(guildId: string, units: TypedUnits, nowMs: number): BudgetDecision {
    const { ofHour, ofDay } = this.#ownUse(guildId, units, nowMs);
    const spent = units.spent.filter((one) => one.guildId === guildId).map(({ freeMs }) => freeMs);
    const wrong = this.#wrongOf(guildId, nowMs).map((atMs) => atMs + DAY_MS);
    const hourMs = laterMs(spent, spent.length - OF_GUILD_AN_HOUR);
    const dayMs = laterMs(wrong, wrong.length - OF_GUILD_A_DAY);
    if (hourMs !== undefined || dayMs !== undefined)
      return { kind: "later", atMs: Math.max(hourMs ?? 0, dayMs ?? 0) };
    return ofHour < OF_GUILD_AN_HOUR && ofDay < OF_GUILD_A_DAY ? { kind: "go" } : { kind: "when-one-ends" };
  }

  #all(by: TypedBy | undefined, units: TypedUnits, nowMs: number): BudgetDecision {
    const { spent, flying } = units;
    const limit = this.#limit(by, units);
    const ahead = this.#ahead(by, units, nowMs);
    if (spent.length + flying.length + ahead < limit) return { kind: "go" };
    const times = spent.map(({ freeMs }) => freeMs);
    const atMs = laterMs(times, spent.length + ahead - limit);
    return atMs === undefined ? { kind: "when-one-ends" } : { kind: "later", atMs };
  }

  /** One unit is kept for guilds that are known, while none of them has one. */
  #limit(by: TypedBy | undefined, units: TypedUnits): number {
    if (by?.isKnown) this.#known.add(by.guildId);
    return by?.isKnown || this.#isKeptUsed(units) ? this.most : Math.max(1, this.most - 1);
  }

  /**
   * How many places of the line are in front of this guild: of those that typed fewer wrong keys today, or as many and
   * came before it. The unit that is kept for it has no line.
   */
  #ahead(by: TypedBy | undefined, units: TypedUnits, nowMs: number): number {
    if (by?.isKnown && !this.#isKeptUsed(units)) return 0;
    const kept = this.#line.filter((one) => nowMs < one.atMs + PLACE_KEPT_MS);
    const found = kept.findIndex(({ guildId }) => guildId === by?.guildId);
    const at = found < 0 ? kept.length : found;
    const wrong = by === undefined ? 0 : this.#wrongOf(by.guildId, nowMs).length;
    return kept.filter((one, n) => {
      const theirs = this.#wrongOf(one.guildId, nowMs).length;
      return n !== at && (theirs < wrong || (theirs === wrong && n < at));
    }).length;
  }

  #isKeptUsed({ spent, flying }: TypedUnits): boolean {
    return (
      spent.some(({ guildId }) => this.#known.has(guildId)) || flying.some((one) => this.#known.has(one))
    );
  }

  #ownUse(guildId: string, { spent, flying }: TypedUnits, nowMs: number) {
    const ofFlying = flying.filter((one) => one === guildId).length;
    return {
      ofHour: spent.filter((one) => one.guildId === guildId).length + ofFlying,
      ofDay: this.#wrongOf(guildId, nowMs).length + ofFlying,
    };
  }

  #wrongOf(guildId: string, nowMs: number): readonly number[] {
    return (this.#wrong.get(guildId) ?? []).filter((atMs) => nowMs - atMs < DAY_MS);
  }
}

/** When the n-th of these, from 0, comes; those that are used up again are free again an hour later. */
function laterMs(timesMs: readonly number[], n: number): number | undefined {
  const sorted = timesMs.toSorted((a, b) => a - b);
  if (n < 0) return undefined;
  const laps = Math.floor(n / sorted.length);
  return (sorted[n % sorted.length] ?? 0) + laps * HOUR_MS;
}
