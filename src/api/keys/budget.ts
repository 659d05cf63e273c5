// Over 200 lines: one budget, whose refusals, held units and units on their way are counted together.
import type { SourceId } from "../../domain/model.ts";
import type { SharedUnits } from "../../domain/ports/shared-limits.ts";
import { OthersUnits } from "./others-units.ts";
import { UnansweredRequests } from "./unanswered.ts";
import type { BudgetDecision, KeyEvidence, Risk, StoredUnits, Unit } from "./unit.ts";

interface Refusal {
  readonly atMs: number;
  readonly guildId: string | undefined;
}

const HOUR_MS = 60 * 60_000;
/** Units that only keys which are known to be good may use. */
const RESERVE = 2;
/** This process gets no notice when requests of other processes end: it looks again after this time. */
const OTHERS_AGAIN_MS = 25;
/** After a kill the last unit waits until the process has stood this long: a crash loop must not use it up. */
const STEADY_AFTER_MS = 30_000;

/**
 * How many requests may still turn out to be refusals. The service bans an address by their number in an hour, whatever
 * caused them, so each request holds a unit while it is on its way, and units and refusals of the last hour together
 * never exceed `most`. Pure; times are monotonic.
 */
export class KeyBudget {
  readonly most: number;
  /** Of the processes that ask from the same address. */
  readonly others = new OthersUnits();
  #refusals: Refusal[] = [];
  readonly #units = new Set<Unit>();
  readonly #unanswered = new UnansweredRequests();
  /** Until when the last unit waits, monotonic. */
  #steadyAtMs = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.most = most;
  }

  /** What typed keys may hold: over all guilds, and of one guild. */
  get typedShare(): { readonly ofAll: number; readonly ofGuild: number } {
    return {
      ofAll: Math.max(1, Math.floor(this.most / 2)),
      ofGuild: Math.max(1, Math.floor(this.most / 4)),
    };
  }

  /** Refusals of the last hour. */
  refusals(nowMs: number): number {
    while (this.#refusals[0] !== undefined && nowMs - this.#refusals[0].atMs >= HOUR_MS)
      this.#refusals.shift();
    return this.#refusals.length + this.others.refusals(nowMs);
  }

  /** Refusals of the last hour and requests that may have been some: no answer makes this smaller soon. */
  bound(nowMs: number): number {
    return this.refusals(nowMs) + this.#unanswered.held(nowMs) + this.others.held(nowMs);
  }

  /** How many refusals and units all processes together may have once a request of this risk has started. */
  mostTogether(risk: Risk): number {
    if (risk === "again") return Math.floor(this.most / 2);
    return risk === "unknown" || risk === "typed" ? this.most - RESERVE : this.most;
  }

  /** What of all that is this process's own. */
  own(nowMs: number): Pick<SharedUnits, "refusals" | "open"> {
    this.refusals(nowMs);
    const refusals = this.#refusals.map(({ atMs, guildId }) => ({ ageMs: nowMs - atMs, guildId }));
    const open: SharedUnits["open"][number][] = [];
    for (const { source, guildId, startedMs } of this.#units)
      open.push({ source, guildId, ageMs: nowMs - startedMs, isHeld: false });
    for (const { source, guildId, sentMs } of this.#unanswered.heldUnits(nowMs))
      open.push({ source, guildId, ageMs: nowMs - sentMs, isHeld: true });
    return { refusals, open };
  }

  /** Whether a request with this key went unanswered and holds its unit still. */
  isHeld(source: SourceId, nowMs: number): boolean {
    return this.#unanswered.isHeld(source, nowMs);
  }

  /** Keys whose unanswered requests hold units; those whose answer frees most come first. */
  heldSources(nowMs: number): readonly SourceId[] {
    return this.#unanswered.heldSources(nowMs);
  }

  /** How many requests are on their way with this key that started as fresh. */
  freshInFlight(source: SourceId): number {
    let count = 0;
    for (const unit of this.#units) if (unit.source === source && unit.risk === "fresh") count += 1;
    return count;
  }

  /** How many requests are on their way with keys of which nothing is known. */
  get unknownInFlight(): number {
    let count = 0;
    for (const { risk } of this.#units) if (risk !== "fresh" && risk !== "probe") count += 1;
    return count;
  }

  /** Whether such a request may start. `inWave`: keys that are not fresh are asked one at a time. */
  decide(
    ask: { readonly risk: Risk; readonly guildId?: string | undefined; readonly inWave: boolean },
    nowMs: number,
  ): BudgetDecision {
    const { risk } = ask;
    const isAlone = ask.inWave && (risk === "settling" || risk === "typed" || risk === "unknown");
    if (isAlone && this.unknownInFlight > 0) return { kind: "when-one-ends" };
    if (risk === "fresh" || risk === "settling" || risk === "probe") return this.#inReserve(nowMs);
    if (risk === "again") return this.below(this.most / 2, nowMs);
    const share = risk === "typed" ? this.typed(ask.guildId, nowMs) : undefined;
    if (share !== undefined && share.kind !== "go") return share;
    return this.below(this.most - RESERVE, nowMs);
  }

  /** Whether typed keys have their share left, that guild's and everybody's; the later of both times where both wait. */
  typed(guildId: string | undefined, nowMs: number): BudgetDecision {
    const { ofAll, ofGuild } = this.typedShare;
    const all = this.#typedBelow(ofAll, () => true, nowMs);
    const own = this.#typedBelow(ofGuild, (typedBy) => typedBy === guildId, nowMs);
    if (all.kind === "later" && own.kind === "later")
      return { kind: "later", atMs: Math.max(all.atMs, own.atMs) };
    if (all.kind === "later" || own.kind === "go") return all;
    return own;
  }

  /** How many wrong keys this guild may type from now on, if nobody else types one. */
  typedLeft(guildId: string, nowMs: number): number {
    const { ofAll, ofGuild } = this.typedShare;
    const held = (of: (typedBy: string) => boolean) => {
      const { free, flying } = this.#typedBy(of, nowMs);
      return free.length + flying;
    };
    const all = this.bound(nowMs) + this.#units.size + this.others.flying(nowMs);
    return Math.max(
      0,
      Math.min(
        ofGuild - held((typedBy) => typedBy === guildId),
        ofAll - held(() => true),
        this.most - RESERVE - all,
      ),
    );
  }

  /** Whether refusals and units are fewer than `limit`. */
  below(limit: number, nowMs: number): BudgetDecision {
    const bound = this.bound(nowMs);
    const flying = this.others.flying(nowMs);
    if (bound + this.#units.size + flying < limit) return { kind: "go" };
    if (bound < limit && flying > 0) return { kind: "later", atMs: nowMs + OTHERS_AGAIN_MS };
    return bound < limit ? { kind: "when-one-ends" } : { kind: "later", atMs: this.#freeAtMs(limit, nowMs) };
  }

  /** Until when all wait although a unit is left, since the process was killed over and over; monotonic. */
  steadyUntilMs(nowMs: number): number | undefined {
    const isLast = nowMs < this.#steadyAtMs && this.bound(nowMs) >= this.most - 1;
    return isLast ? this.#steadyAtMs : undefined;
  }

  /** Until when even fresh keys wait, monotonic; undefined while they need not. */
  spentUntilMs(nowMs: number): number | undefined {
    return this.bound(nowMs) < this.most ? undefined : this.#freeAtMs(this.most, nowMs);
  }

  /** Until when keys that are not fresh wait, monotonic; undefined while they need not. */
  closedUntilMs(nowMs: number): number | undefined {
    const limit = this.most - RESERVE;
    return this.bound(nowMs) < limit ? undefined : this.#freeAtMs(limit, nowMs);
  }

  /** A request starts. */
  take({ source, risk, guildId }: Pick<Unit, "source" | "risk" | "guildId">, nowMs: number): Unit {
    const inReserve = this.bound(nowMs) + this.#units.size >= this.most - RESERVE;
    const unit: Unit = { source, risk, guildId, startedMs: nowMs, inReserve };
    this.#units.add(unit);
    return unit;
  }

  /** A request ended: its unit is free, or spent for an hour, or held because nobody knows. */
  release(unit: Unit, evidence: KeyEvidence, nowMs: number): void {
    if (!this.#units.delete(unit)) return;
    const { source, guildId } = unit;
    if (evidence === "taken") this.#unanswered.settle(source, nowMs);
    if (evidence === "refused") {
      this.#refusals.push({ atMs: nowMs, guildId });
      this.settleRefused(source, nowMs);
    }
    if (evidence === "silent") this.#unanswered.add(unit, nowMs);
  }

  /** What is to be kept: refusals, and what is on its way or unanswered with keys that are not fresh. */
  stored(nowMs: number): StoredUnits {
    const refusals = this.#refusals.map(({ atMs, guildId }) => ({ ageMs: nowMs - atMs, guildId }));
    const open: StoredUnits["open"][number][] = [];
    for (const { source, risk, guildId, startedMs } of this.#units)
      if (risk !== "fresh") open.push({ source, guildId, ageMs: nowMs - startedMs });
    for (const { source, guildId, sentMs } of this.#unanswered.heldUnits(nowMs))
      open.push({ source, guildId, ageMs: nowMs - sentMs });
    return { refusals, open };
  }

  /** Requests with fresh keys that are on their way: not worth a wait for the disk, but a killed process knows them. */
  storedFresh(nowMs: number): StoredUnits {
    const open: StoredUnits["open"][number][] = [];
    for (const { source, risk, startedMs } of this.#units)
      if (risk === "fresh") open.push({ source, ageMs: nowMs - startedMs });
    return { refusals: [], open };
  }

  /**
   * What an earlier process knew. The time between its end and now counts for nothing, since the wall clock may have
   * been set in between. Its unanswered requests hold until their keys answer, an hour at most: whether they were
   * refused is not known. Their keys are asked one at a time, and with the last unit only by a process that has run for
   * a while: each kill within a round trip costs a unit, and with none left nothing could be asked for an hour. No rule
   * frees such a unit sooner without exceeding `most`: only asking again shows whether it was refused, which may be a
   * refusal too, and a kill in that round trip would leave one more of which nothing is known.
   */
  restore(stored: StoredUnits, nowMs: number): void {
    for (const { ageMs, guildId } of stored.refusals)
      this.#refusals.push({ atMs: nowMs - Math.max(0, ageMs), guildId });
    this.#refusals.sort((a, b) => a.atMs - b.atMs);
    if (stored.open.length > 0) this.#steadyAtMs = nowMs + STEADY_AFTER_MS;
    for (const { source, ageMs, guildId } of stored.open)
      this.#unanswered.restore({ source, guildId, sentMs: nowMs - Math.max(0, ageMs) }, nowMs);
  }

  /** The key is bad, so its unanswered requests of the last hour were refusals too. */
  settleRefused(source: SourceId, nowMs: number): void {
    const silent = this.#unanswered.settle(source, nowMs);
    for (const { sentMs, guildId } of silent) this.#refusals.push({ atMs: sentMs, guildId });
    this.#refusals.sort((a, b) => a.atMs - b.atMs);
  }

  #inReserve(nowMs: number): BudgetDecision {
    const ordinary = this.below(this.most - RESERVE, nowMs);
    if (ordinary.kind === "go") return ordinary;
    let fresh = 0;
    for (const unit of this.#units) {
      if (unit.inReserve) return { kind: "when-one-ends" };
      if (unit.risk === "fresh") fresh += 1;
    }
    // What is left to ask after a kill is what is not on its way now: fresh keys wait for each other.
    if (fresh >= this.most - RESERVE) return { kind: "when-one-ends" };
    const steadyMs = this.steadyUntilMs(nowMs);
    return steadyMs === undefined ? this.below(this.most, nowMs) : { kind: "later", atMs: steadyMs };
  }

  #typedBelow(limit: number, of: (guildId: string) => boolean, nowMs: number): BudgetDecision {
    const { free, flying } = this.#typedBy(of, nowMs);
    if (free.length + flying < limit) return { kind: "go" };
    if (free.length < limit) return { kind: "when-one-ends" };
    return { kind: "later", atMs: nth(free, free.length - limit) };
  }

  /** What typed keys hold: when each refusal, known or possible, counts no more, and how many are on their way. */
  #typedBy(of: (guildId: string) => boolean, nowMs: number) {
    const isOf = ({ guildId }: { readonly guildId: string | undefined }) =>
      guildId !== undefined && of(guildId);
    this.refusals(nowMs);
    const spent = this.#refusals.filter(isOf).map(({ atMs }) => atMs + HOUR_MS);
    const silent = this.#unanswered.typedFreeTimes(of, nowMs);
    const flying = [...this.#units].filter(isOf).length;
    return { free: [...this.others.freeTimes(nowMs, of), ...spent, ...silent], flying };
  }

  /** When refusals and held units will be fewer than `limit`, if nothing more happens. */
  #freeAtMs(limit: number, nowMs: number): number {
    const free = [
      ...this.#refusals.map(({ atMs }) => atMs + HOUR_MS),
      ...this.#unanswered.freeTimes(nowMs),
      ...this.others.freeTimes(nowMs),
    ];
    return nth(free, Math.floor(free.length - limit));
  }
}

/** The n-th smallest, from 0. */
function nth(times: number[], n: number): number {
  return times.sort((a, b) => a - b)[Math.max(0, n)] ?? 0;
}
