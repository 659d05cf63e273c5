import type { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";
import type { TypedBy, TypedTries } from "../../domain/ports/service-client.ts";
import * as refusals from "../gate-failures.ts";
import type { Exchange } from "../limits/in-flight.ts";
import type { BudgetWaits } from "./budget-waits.ts";
import { HeldKeys } from "./held-keys.ts";
import type { KeyDeskParts } from "./key-desk-parts.ts";
import { SecondAsks } from "./second-asks.ts";
import type { KeyCheck, KeyEvidence, Risk, Unit } from "./unit.ts";

/** Requests that would wait longer than this for the budget are refused at once, with the time. */
const PATIENCE_MS = 2_000;

/**
 * Says of each request whether its key may be risked now. The gate asks here before anything leaves; what stands behind
 * the answer is the standing of the key, the budget of bad keys, and whether a wave is open.
 */
export class KeyDesk {
  readonly #parts: KeyDeskParts;
  readonly waits: BudgetWaits;
  readonly #held = new HeldKeys();
  readonly #secondAsks: SecondAsks;
  readonly #units = new Map<object, Unit>();
  #checking: KeyCheck | undefined;
  #setbacks = 0;

  constructor(parts: KeyDeskParts) {
    this.#parts = parts;
    this.waits = parts.waits;
    this.#secondAsks = new SecondAsks(parts.guard, parts.budget);
  }

  /** Counts refusals and silences, of any process, so that requests which wait are looked at anew after each. */
  get setbacks(): number {
    return this.#setbacks + this.#parts.budget.others.setbacks;
  }

  /** How many keys wait because others were refused. */
  get waitingKeys(): number {
    return this.#held.size;
  }

  /** Nothing is answered at all. */
  get isOutage(): boolean {
    return this.#secondAsks.isOutage(this.#parts.clock.monotonicMs());
  }

  /** Why a request cannot be accepted now; undefined: it may wait for its turn. Polls do not wait for others' keys. */
  refusal(exchange: Exchange): Failure | undefined {
    const { budget, wave, clock } = this.#parts;
    const { source, waitingClass } = exchange;
    const nowMs = clock.monotonicMs();
    const risk = this.#risk(exchange, false, nowMs);
    if (this.#secondAsks.isAwaited(exchange, risk, nowMs)) {
      const againMs = this.#secondAsks.onAwaited(exchange, nowMs);
      return againMs <= nowMs + PATIENCE_MS ? undefined : refusals.unanswered(this.#wallMs(againMs));
    }

    const spentMs = budget.spentUntilMs(nowMs);
    if (spentMs !== undefined && spentMs > nowMs + PATIENCE_MS)
      return refusals.keysSpent(this.#wallMs(spentMs));

    const steadyMs = budget.steadyUntilMs(nowMs);
    if (waitingClass === "person" && steadyMs !== undefined && steadyMs > nowMs + PATIENCE_MS)
      return refusals.killedOften(this.#wallMs(steadyMs));

    if (risk === "typed") return this.#typedRefusal(exchange.typedBy, nowMs);
    const closedMs = budget.closedUntilMs(nowMs);
    const isClosed = closedMs !== undefined && closedMs > nowMs + PATIENCE_MS;
    if (risk !== "unknown" || (!isClosed && wave.current(nowMs) === undefined)) {
      this.#held.drop(source);
      return undefined;
    }
    if (waitingClass === "internal")
      return isClosed ? refusals.keyWaits("rate-limited", this.#wallMs(closedMs)) : undefined;
    this.#held.note(source, waitingClass === "person", nowMs);
    if (waitingClass === "person" && !isClosed) return undefined;
    const code = waitingClass === "person" ? "rate-limited" : "denied";
    return refusals.keyWaits(code, this.#wallMs(closedMs ?? wave.endsAtMs(nowMs) ?? nowMs));
  }

  /** How long until the budget lets this request start: 0 now, infinitely long until an answer comes. */
  readyInMs(exchange: Exchange, isProbe: boolean): number {
    const { budget, wave, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    const risk = this.#risk(exchange, isProbe, nowMs);
    const inWave = wave.current(nowMs) !== undefined;
    const isOwn = exchange.waitingClass === "internal";
    if (!isProbe && this.#secondAsks.isAwaited(exchange, risk, nowMs)) return Number.POSITIVE_INFINITY;
    // In a wave a key that is not fresh is asked by a check of our own, in the order that finds most good ones.
    if (inWave && risk === "unknown" && !isOwn) return Number.POSITIVE_INFINITY;
    if (risk === "again" && inWave) return Number.POSITIVE_INFINITY;
    // A parked key is asked only while little is on its way: polls make room for that one request.
    const makesRoom = exchange.waitingClass === "poll" && this.#checking?.risk === "again";
    if (makesRoom && budget.bound(nowMs) < Math.floor(budget.most / 2)) return Number.POSITIVE_INFINITY;
    const isSettling = this.#checking?.risk === "settling";
    const waitMs = this.#secondAsks.pollsFromMs(isSettling, nowMs) - nowMs;
    if (waitMs > 0 && exchange.waitingClass === "poll") return waitMs;
    const isCovered = this.#secondAsks.isCovered(exchange, isProbe, nowMs);
    const decision = budget.decide({ risk, typedBy: exchange.typedBy, inWave, isCovered }, nowMs);
    if (decision.kind === "go") return 0;
    if (risk === "fresh" || risk === "unknown") this.waits.onWait(nowMs);
    return decision.kind === "later" ? Math.max(1, decision.atMs - nowMs) : Number.POSITIVE_INFINITY;
  }

  /** A request starts; `request` names it until it lands. Resolves when it may be written; undefined: at once. */
  start(request: object, exchange: Exchange, isProbe: boolean): Promise<void> | undefined {
    const { budget, clock, records } = this.#parts;
    const nowMs = clock.monotonicMs();
    const risk = this.#risk(exchange, isProbe, nowMs);
    const { source, typedBy } = exchange;
    const isCovered = this.#secondAsks.isCovered(exchange, isProbe, nowMs);
    const unit = budget.take({ source, risk, guildId: typedBy?.guildId, isCovered }, nowMs);
    this.#units.set(request, unit);
    return records.beforeLeaving(unit);
  }

  /** Whether it may still be written: one that an outage covered when it started may be heard of as over by now. */
  mayStillLeave(request: object): boolean {
    const unit = this.#units.get(request);
    if (unit === undefined || !this.isCovered(request)) return true;
    return this.#secondAsks.isCovering(unit.source, this.#parts.clock.monotonicMs());
  }

  /** Whether an outage covered it when it started. */
  isCovered(request: object): boolean {
    const unit = this.#units.get(request);
    return unit?.isCovered === true && unit.risk !== "probe";
  }

  /** What a request that started risks. */
  riskOf(flight: object): Risk {
    return this.#units.get(flight)?.risk ?? "unknown";
  }

  /** A request ended. */
  onEnded(request: object, evidence: KeyEvidence): void {
    const unit = this.#units.get(request);
    if (unit === undefined) return;
    this.#units.delete(request);
    const { budget, clock, records } = this.#parts;
    const nowMs = clock.monotonicMs();
    const wasHeld = budget.isHeld(unit.source, nowMs);
    budget.release(unit, evidence, nowMs);
    // Others used up the budget while it was about to leave: where it waits again it is told so.
    const isTurnedAway = evidence === "unsent" && budget.closedUntilMs(nowMs) !== undefined;
    if (evidence === "refused" || evidence === "silent" || isTurnedAway) this.#setbacks += 1;
    if (unit.risk === "fresh" && (evidence === "refused" || evidence === "silent")) records.keepEndedFresh();
    else if (unit.risk !== "fresh" || wasHeld) records.keepBudget();
  }

  /** The service worked with this key. */
  onTaken(exchange: Exchange, sentMs: number): void {
    const { guard, wave, clock, records } = this.#parts;
    const { source } = exchange;
    const nowMs = clock.monotonicMs();
    const open = wave.current(nowMs)?.id;
    guard.taken(source, { sentMs, nowMs, wave: open });
    this.#held.drop(source);
    if (exchange.proving !== true) records.keepTaken(source, open);
  }

  /** A linked key was refused for the first time. */
  noteFirstRefusal(): void {
    const { wave, clock, records } = this.#parts;
    wave.note(clock.monotonicMs(), String(clock.nowMs()));
    records.keepBudget();
  }

  /** A key was parked: where one refusal was enough for that, it is asked once more in an hour. */
  onParked(source: SourceId): void {
    const { clock, guard, again, records } = this.#parts;
    this.#held.drop(source);
    if (guard.rejectedKeys.isToBeAskedAgain(source)) again.onParked(source, clock.monotonicMs());
    records.forgetTaken(source);
    records.keepRejected(source);
    records.keepBudget();
  }

  /** A parked key was asked once more and refused: from now on only a new link helps. */
  onConfirmed(source: SourceId): void {
    this.#parts.again.forget(source);
    this.#parts.guard.rejectedKeys.confirm(source);
    this.#parts.records.keepRejected(source);
  }

  /** A key that was parked or refused is used as if it were new. */
  unpark(source: SourceId): void {
    const { guard, again, records } = this.#parts;
    again.forget(source);
    if (guard.rejectedKeys.get(source) === undefined) return;
    guard.unpark(source);
    records.keepRejected(source);
  }

  /** Nobody has this key linked any more. */
  forget(source: SourceId): void {
    const { guard, again, records } = this.#parts;
    this.#held.drop(source);
    again.forget(source);
    guard.forget(source);
    records.forgetTaken(source);
    if (guard.rejectedKeys.get(source) !== undefined) records.keepRejected(source);
  }

  /** How many wrong keys this guild may still type, and from when on where it may not now, epoch milliseconds. */
  typedTries(by: TypedBy): TypedTries {
    const { clock, budget } = this.#parts;
    const nowMs = clock.monotonicMs();
    const fromMs = budget.typedFromMs(by, nowMs);
    const wallMs = fromMs === undefined ? undefined : this.#wallMs(fromMs);
    const hasUnanswered = budget.unanswered.typed(nowMs).some(({ guildId }) => guildId === by.guildId);
    return { left: budget.typedLeft(by, nowMs), fromMs: wallMs, hasUnanswered };
  }

  /** Until when this server's key waits because others were refused, monotonic; undefined when it does not. */
  heldUntilMs(source: SourceId): number | undefined {
    if (!this.#held.has(source)) return undefined;
    const { budget, wave, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    return budget.closedUntilMs(nowMs) ?? wave.endsAtMs(nowMs);
  }

  /** What to ask of our own accord now, if anything; one at a time, until `checkEnded`. */
  nextCheck(): KeyCheck | undefined {
    if (this.#checking !== undefined) return undefined;
    const { again, budget, wave, guard, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    const inWave = wave.current(nowMs) !== undefined;
    const isClosed = budget.closedUntilMs(nowMs) !== undefined;
    if (!inWave && !isClosed) this.#held.clear();
    const second = this.#secondAsks.next(nowMs);
    const held =
      isClosed || this.#held.isEmpty ? undefined : this.#held.next(nowMs, (source) => guard.takenMs(source));
    const isAgainAllowed = again.size > 0 && !inWave && budget.bound(nowMs) < Math.floor(budget.most / 2);
    const parked = isAgainAllowed ? again.due(nowMs) : undefined;
    if (second !== undefined) this.#checking = second;
    else if (held !== undefined) this.#checking = { source: held, risk: "unknown" };
    else if (parked !== undefined) this.#checking = { source: parked, risk: "again" };
    return this.#checking;
  }

  /** The check was answered, or was not, or could not be made since nobody has the key linked. */
  checkEnded({ source, risk }: KeyCheck): void {
    this.#checking = undefined;
    const nowMs = this.#parts.clock.monotonicMs();
    if (risk === "settling") this.#parts.budget.unanswered.onAsked(source, nowMs);
    if (risk === "unknown") this.#held.postpone(source, nowMs);
    if (risk === "again") this.#parts.again.onUnanswered(source, nowMs);
  }

  /** When there may be something to check, monotonic; infinitely late until something happens. */
  wakeAtMs(): number {
    if (this.#checking !== undefined) return Number.POSITIVE_INFINITY;
    const { budget, wave, again, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    const waveEndsMs = wave.endsAtMs(nowMs);
    const times = [this.#secondAsks.wakeAtMs(nowMs)];
    if (!this.#held.isEmpty)
      times.push(Math.min(budget.closedUntilMs(nowMs) ?? this.#held.nextAtMs, waveEndsMs ?? Infinity));
    if (again.size > 0) {
      const room = budget.below(Math.floor(budget.most / 2), nowMs);
      times.push(Math.max(again.firstMs, waveEndsMs ?? 0, room.kind === "later" ? room.atMs : nowMs));
    }
    return Math.min(...times);
  }

  #risk(exchange: Exchange, isProbe: boolean, nowMs: number): Risk {
    const { guard, budget, wave } = this.#parts;
    const { source } = exchange;
    if (isProbe) return "probe";
    if (exchange.isAskedAgain === true) return "again";
    const isTyped = exchange.proving === true;
    const { unanswered } = budget;
    const isHeld = unanswered.isHeld(source, nowMs);
    if (isHeld && isTyped && budget.isTypedFull(nowMs)) return "typed";
    if (isHeld && (unanswered.isSoft(source) || unanswered.mayHaveDied(source))) return "settling";
    // Where a key alone is silent, it and others may have died before that: only what was taken since is good.
    const loneMs = unanswered.loneSinceMs(nowMs);
    const isDoubted = loneMs !== undefined && guard.takenMs(source) <= loneMs;
    if (guard.isFresh(source, nowMs, wave.current(nowMs)?.id) && !isDoubted) return "fresh";
    return isHeld ? "settling" : isTyped ? "typed" : "unknown";
  }

  /** A guild that has to wait for others keeps the place that it is told. */
  #typedRefusal(by: TypedBy | undefined, nowMs: number): Failure | undefined {
    const { budget } = this.#parts;
    const untilMs = budget.typedFromMs(by, nowMs);
    if (untilMs === undefined || by === undefined) return undefined;
    const isOwn = budget.isOwnTyping(by, nowMs);
    if (!isOwn) budget.typed.onTold(by, untilMs, nowMs);
    return refusals.linkingWaits(this.#wallMs(untilMs));
  }

  #wallMs(monotonicMs: number): number {
    const { clock } = this.#parts;
    return Math.ceil(clock.nowMs() + monotonicMs - clock.monotonicMs());
  }
}
