import type { SourceId } from "../../domain/model.ts";
import type { TypedBy } from "../../domain/ports/service-client.ts";
import type { SharedUnits } from "../../domain/ports/shared-limits.ts";
import { OthersUnits, type Spent } from "./others-units.ts";
import { TypedShare, type TypedUnits } from "./typed-share.ts";
import { UnansweredRequests } from "./unanswered.ts";
import type { BudgetDecision, KeyEvidence, Risk, StoredUnits, Unit } from "./unit.ts";

const HOUR_MS = 60 * 60_000;
/** Only keys that are known to be good may use it, one at a time: after a kill it is what can still be asked. */
const RESERVE = 1;
/** No notice comes when requests of other processes end: it looks again after this time. */
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
  #refusals: Spent[] = [];
  readonly #units = new Set<Unit>();
  /** When the latest request of this process started. */
  lastStartedMs = Number.NEGATIVE_INFINITY;
  readonly unanswered = new UnansweredRequests();
  /** Of the processes that ask from the same address. */
  readonly others = new OthersUnits(this.unanswered);
  readonly typed: TypedShare;
  /** Keys that a killed process had on their way. */
  readonly #restored = new Set<SourceId>();
  /** Until when the last unit waits, monotonic. */
  #steadyAtMs = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.most = most;
    this.typed = new TypedShare(Math.floor(most / 3));
  }

  /** Refusals of the last hour. */
  refusals(nowMs: number): number {
    while (this.#refusals[0] !== undefined && nowMs - this.#refusals[0].atMs >= HOUR_MS)
      this.#refusals.shift();
    return this.#refusals.length + this.others.refusals(nowMs);
  }

  /** Refusals of the last hour and requests that may have been some: no answer makes this smaller soon. */
  bound(nowMs: number): number {
    return this.refusals(nowMs) + this.unanswered.held(nowMs) + this.others.held(nowMs);
  }

  /** How many refusals and units all processes together may have once a request of this risk has started. */
  mostTogether(risk: Risk): number {
    if (risk === "again") return Math.floor(this.most / 2);
    return risk === "unknown" || risk === "typed" ? this.most - RESERVE : this.most;
  }

  /** What of all that is this process's own. */
  own(nowMs: number): Omit<SharedUnits, "firstsAgeMs" | "wave"> {
    this.refusals(nowMs);
    const refusals = this.#refusals.map(({ atMs, guildId }) => ({ ageMs: nowMs - atMs, guildId }));
    const open: SharedUnits["open"][number][] = [];
    for (const { source, guildId, startedMs, isCovered } of this.#units)
      if (isCovered !== true) open.push({ source, guildId, ageMs: nowMs - startedMs, isHeld: false });
    for (const unit of this.unanswered.heldUnits(nowMs)) open.push({ ...unit, isHeld: true });
    const answers = this.unanswered.answers(nowMs);
    return { refusals, open, answers, isAskingCovered: this.#isAskingCovered };
  }

  /** Whether a request with this key went unanswered and holds its unit still. */
  isHeld(source: SourceId, nowMs: number): boolean {
    return this.unanswered.isHeld(source, nowMs);
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
    ask: {
      readonly risk: Risk;
      readonly typedBy?: TypedBy | undefined;
      readonly inWave: boolean;
      /** The unit that its key holds already is the one that it risks. */
      readonly isCovered?: boolean | undefined;
    },
    nowMs: number,
  ): BudgetDecision {
    const { risk, inWave, typedBy } = ask;
    if (ask.isCovered) return this.#isAskingCovered ? { kind: "when-one-ends" } : this.others.covered(nowMs);
    if (risk === "typed") {
      const share = this.typed.decide(typedBy, this.#typedUnits(nowMs), nowMs);
      return share.kind === "go" ? this.below(this.most - RESERVE, nowMs) : share;
    }
    if (inWave && (risk === "settling" || risk === "unknown") && this.unknownInFlight > 0)
      return { kind: "when-one-ends" };
    const most = this.#isAfterKill(nowMs) || this.unanswered.isLossy ? 1 : this.mostLinkedInFlight(nowMs);
    if (this.#linkedInFlight >= most) return { kind: "when-one-ends" };
    if (risk === "again") return this.below(Math.floor(this.most / 2), nowMs);
    const ordinary = this.below(this.most - RESERVE, nowMs);
    return risk === "unknown" || ordinary.kind === "go" ? ordinary : this.#inReserve(nowMs);
  }

  /** What linked keys may have on their way: what typing takes is never theirs, what was refused of them is gone. */
  mostLinkedInFlight(nowMs: number): number {
    const refused = this.#refusals.filter(({ guildId }) => guildId === undefined).length;
    return Math.max(1, this.most - this.typed.most - refused - this.others.linkedRefusals(nowMs));
  }

  /** Whether typed keys have used up their share. */
  isTypedFull(nowMs: number): boolean {
    return this.#typedUnits(nowMs).spent.length >= this.typed.most;
  }

  /** How many wrong keys this guild may type from now on, if nobody else types one. */
  typedLeft(by: TypedBy, nowMs: number): number {
    const all = this.bound(nowMs) + this.#flying + this.others.flying(nowMs);
    const left = Math.min(this.typed.left(by, this.#typedUnits(nowMs), nowMs), this.most - RESERVE - all);
    return Math.max(0, left);
  }

  /** From when on this guild may type a key, monotonic; undefined: now, or when one that is on its way has ended. */
  typedFromMs(by: TypedBy | undefined, nowMs: number): number | undefined {
    const share = this.typed.decide(by, this.#typedUnits(nowMs), nowMs);
    const atMs = Math.max(share.kind === "later" ? share.atMs : 0, this.closedUntilMs(nowMs) ?? 0);
    return atMs <= nowMs ? undefined : atMs;
  }

  /** Whether it is this guild's own typing that makes it wait, and nobody else's. */
  isOwnTyping(by: TypedBy, nowMs: number): boolean {
    return this.closedUntilMs(nowMs) === undefined && this.typed.isOwn(by, this.#typedUnits(nowMs), nowMs);
  }

  /** Whether refusals and units are fewer than `limit`. */
  below(limit: number, nowMs: number): BudgetDecision {
    const bound = this.bound(nowMs);
    const flying = this.others.flying(nowMs);
    if (bound + this.#flying + flying < limit) return { kind: "go" };
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
  take(request: Omit<Unit, "startedMs">, nowMs: number): Unit {
    if (request.guildId !== undefined) this.typed.onStarted(request.guildId);
    const unit: Unit = { ...request, startedMs: nowMs };
    this.#units.add(unit);
    this.lastStartedMs = nowMs;
    return unit;
  }

  /** A request ended: its unit is free, or spent for an hour, or held because nobody knows. */
  release(unit: Unit, evidence: KeyEvidence, nowMs: number): void {
    if (!this.#units.delete(unit)) return;
    const { source, guildId } = unit;
    if (evidence !== "silent" && evidence !== "unsent")
      this.unanswered.onAnswered(unit.startedMs, this.others.soft(nowMs));
    if (evidence === "taken") this.unanswered.settleTaken(source, nowMs);
    if (evidence === "refused") {
      if (guildId !== undefined) this.typed.onRefused(guildId, nowMs);
      this.#refusals.push({ atMs: nowMs, guildId });
      this.settleRefused(source, nowMs);
    }
    const room = this.most - RESERVE - this.bound(nowMs) - 1;
    if (evidence === "silent") this.unanswered.add(unit, nowMs, Math.max(0, room));
  }

  /** What is to be kept: refusals, and what is on its way or unanswered with keys that are not fresh. */
  stored(nowMs: number): StoredUnits {
    const refusals = this.#refusals.map(({ atMs, guildId }) => ({ ageMs: nowMs - atMs, guildId }));
    const open: StoredUnits["open"][number][] = [];
    for (const { source, risk, guildId, startedMs, isCovered } of this.#units)
      if (risk !== "fresh" && isCovered !== true) open.push({ source, guildId, ageMs: nowMs - startedMs });
    open.push(...this.unanswered.heldUnits(nowMs));
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
    for (const { source } of stored.open) this.#restored.add(source);
    for (const unit of stored.open) this.unanswered.restore(unit, nowMs);
  }

  /** The key is bad, so its unanswered requests of the last hour were refusals too. */
  settleRefused(source: SourceId, nowMs: number): void {
    // What was asked in an outage leaves the unit with which keys are asked that were taken since.
    for (const { atMs, guildId, holds } of this.unanswered.settleRefused(source, nowMs))
      if (holds || this.bound(nowMs) < this.most - RESERVE) this.#refusals.push({ atMs, guildId });
    this.#refusals.sort((a, b) => a.atMs - b.atMs);
  }

  /** Until what a killed process had on its way is settled, a kill in each round trip must cost one unit and not many. */
  #isAfterKill(nowMs: number): boolean {
    // A server that never answers must not slow the others for longer.
    if (nowMs >= this.#steadyAtMs) return false;
    for (const source of this.#restored) {
      if (this.unanswered.isHeld(source, nowMs)) return true;
      this.#restored.delete(source);
    }
    return false;
  }

  get #isAskingCovered(): boolean {
    return this.#units.size > this.#flying;
  }

  get #linkedInFlight(): number {
    let count = 0;
    for (const { risk } of this.#units) if (risk !== "typed") count += 1;
    return count;
  }

  /** Requests on their way that hold a unit of their own. */
  get #flying(): number {
    let count = 0;
    for (const { isCovered } of this.#units) if (isCovered !== true) count += 1;
    return count;
  }

  /** The last unit: alone, and by a process that has stood for a while. */
  #inReserve(nowMs: number): BudgetDecision {
    if (this.#flying > 0) return { kind: "when-one-ends" };
    const steadyMs = this.steadyUntilMs(nowMs);
    return steadyMs === undefined ? this.below(this.most, nowMs) : { kind: "later", atMs: steadyMs };
  }

  /** What typed keys have cost, may have cost, and may cost. */
  #typedUnits(nowMs: number): TypedUnits {
    this.refusals(nowMs);
    const spent: { guildId: string; freeMs: number }[] = [];
    for (const { guildId, atMs } of this.#refusals)
      if (guildId !== undefined) spent.push({ guildId, freeMs: atMs + HOUR_MS });
    spent.push(...this.unanswered.typed(nowMs), ...this.others.typed(nowMs));
    const flying = [...this.#units].flatMap(({ guildId }) => (guildId === undefined ? [] : [guildId]));
    return { spent, flying };
  }

  /** When refusals and held units will be fewer than `limit`, if nothing more happens. */
  #freeAtMs(limit: number, nowMs: number): number {
    const free = [
      ...this.#refusals.map(({ atMs }) => atMs + HOUR_MS),
      ...this.unanswered.freeTimes(nowMs),
      ...this.others.freeTimes(nowMs),
    ].sort((a, b) => a - b);
    return free[Math.max(0, free.length - limit)] ?? 0;
  }
}
