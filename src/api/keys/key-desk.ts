// Over 200 lines: the questions that a request asks about its key, over one set of records.
import type { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import * as refusals from "../gate-failures.ts";
import type { Exchange } from "../limits/in-flight.ts";
import type { AskedAgain } from "./asked-again.ts";
import type { KeyBudget } from "./budget.ts";
import { HeldKeys } from "./held-keys.ts";
import type { KeyGuard } from "./key-guard.ts";
import type { KeyRecords } from "./key-records.ts";
import type { KeyEvidence, Risk, Unit } from "./unit.ts";
import type { Wave } from "./wave.ts";

export interface KeyDeskParts {
  readonly clock: Clock;
  readonly guard: KeyGuard;
  readonly budget: KeyBudget;
  readonly wave: Wave;
  readonly again: AskedAgain;
  readonly records: KeyRecords;
}

/** A request of our own that shows what a key is worth. */
export interface KeyCheck {
  readonly source: SourceId;
  readonly risk: Extract<Risk, "settling" | "unknown" | "again">;
}

/** Requests that would wait longer than this for the budget are refused at once, with the time. */
const PATIENCE_MS = 2_000;

/**
 * Says of each request whether its key may be risked now. The gate asks here before anything leaves; what stands behind
 * the answer is the standing of the key, the budget of bad keys, and whether a wave is open.
 */
export class KeyDesk {
  readonly #parts: KeyDeskParts;
  readonly #held = new HeldKeys();
  readonly #units = new Map<object, Unit>();
  /** Keys that a killed process had on their way: asking them frees what they hold. */
  readonly #unsettled = new Set<SourceId>();
  #checking: KeyCheck | undefined;
  #refusals = 0;

  constructor(parts: KeyDeskParts) {
    this.#parts = parts;
  }

  /** Counts refusals, so that requests which wait are looked at anew after each. */
  get refusals(): number {
    return this.#refusals;
  }

  /** How many keys wait because others were refused. */
  get waitingKeys(): number {
    return this.#held.size;
  }

  /** Takes up what an earlier process knew. */
  async restore(): Promise<void> {
    const { clock, budget, records } = this.#parts;
    await records.restore();
    for (const source of budget.heldSources(clock.monotonicMs())) this.#unsettled.add(source);
  }

  /** Why a request cannot be accepted now; undefined: it may wait for its turn. Polls do not wait for others' keys. */
  refusal(exchange: Exchange): Failure | undefined {
    const { budget, wave, clock } = this.#parts;
    const { source, waitingClass } = exchange;
    const nowMs = clock.monotonicMs();
    const spentMs = budget.spentUntilMs(nowMs);
    if (spentMs !== undefined && spentMs > nowMs + PATIENCE_MS)
      return refusals.keysSpent(this.#wallMs(spentMs));

    const steadyMs = budget.steadyUntilMs(nowMs);
    if (waitingClass === "person" && steadyMs !== undefined && steadyMs > nowMs + PATIENCE_MS)
      return refusals.killedOften(this.#wallMs(steadyMs));

    const risk = this.#risk(exchange, false, nowMs);
    if (risk === "typed") return this.#typedRefusal(exchange.guildId, nowMs);
    if (risk !== "unknown") {
      this.#held.drop(source);
      return undefined;
    }
    const closedMs = budget.closedUntilMs(nowMs);
    const isClosed = closedMs !== undefined && closedMs > nowMs + PATIENCE_MS;
    if (!isClosed && wave.current(nowMs) === undefined) {
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
    // In a wave a key that is not fresh is asked by a check of our own, in the order that finds most good ones.
    if (inWave && risk === "unknown" && !isOwn) return Number.POSITIVE_INFINITY;
    if (risk === "again" && inWave) return Number.POSITIVE_INFINITY;
    // A parked key is asked only while little is on its way: polls make room for that one request.
    const makesRoom = exchange.waitingClass === "poll" && this.#checking?.risk === "again";
    if (makesRoom && budget.bound(nowMs) < budget.most / 2) return Number.POSITIVE_INFINITY;
    const decision = budget.decide({ risk, guildId: exchange.guildId, inWave }, nowMs);
    if (decision.kind === "go") return 0;
    return decision.kind === "later" ? Math.max(1, decision.atMs - nowMs) : Number.POSITIVE_INFINITY;
  }

  /** A request starts; `request` names it until it lands. Resolves when it may be written; undefined: at once. */
  start(request: object, exchange: Exchange, isProbe: boolean): Promise<void> | undefined {
    const { budget, clock, records } = this.#parts;
    const nowMs = clock.monotonicMs();
    const risk = this.#risk(exchange, isProbe, nowMs);
    const unit = budget.take({ source: exchange.source, risk, guildId: exchange.guildId }, nowMs);
    this.#units.set(request, unit);
    return records.beforeLeaving(unit);
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
    if (evidence === "refused") this.#refusals += 1;
    if (unit.risk !== "fresh" || wasHeld) records.keepBudget();
    if (unit.risk === "fresh" && evidence === "refused") records.keepRefusedFresh();
  }

  /** The service worked with this key. */
  onTaken(exchange: Exchange, sentMs: number): void {
    const { guard, wave, clock, records } = this.#parts;
    const { source } = exchange;
    const nowMs = clock.monotonicMs();
    const open = wave.current(nowMs)?.id;
    guard.taken(source, { sentMs, nowMs, wave: open });
    this.#held.drop(source);
    this.#unsettled.delete(source);
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
    this.#drop(source);
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
    this.#drop(source);
    again.forget(source);
    guard.forget(source);
    records.forgetTaken(source);
    if (guard.rejectedKeys.get(source) !== undefined) records.keepRejected(source);
  }

  /** How many wrong keys this guild may still type, and from when on where it may not now, epoch milliseconds. */
  typedTries(guildId: string): { readonly left: number; readonly fromMs: number | undefined } {
    const nowMs = this.#parts.clock.monotonicMs();
    const fromMs = this.#typedFromMs(guildId, nowMs);
    const left = this.#parts.budget.typedLeft(guildId, nowMs);
    return { left, fromMs: fromMs === undefined ? undefined : this.#wallMs(fromMs) };
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
    // Asked after each request, when mostly there is nothing: no iterator then, and no function.
    const [unsettled] = this.#unsettled.size === 0 ? [] : this.#unsettled;
    const held =
      isClosed || this.#held.isEmpty ? undefined : this.#held.next(nowMs, (source) => guard.takenMs(source));
    const isAgainAllowed = again.size > 0 && !inWave && budget.bound(nowMs) < budget.most / 2;
    const parked = isAgainAllowed ? again.due(nowMs) : undefined;
    if (unsettled !== undefined) this.#checking = { source: unsettled, risk: "settling" };
    else if (held !== undefined) this.#checking = { source: held, risk: "unknown" };
    else if (parked !== undefined) this.#checking = { source: parked, risk: "again" };
    return this.#checking;
  }

  /** The check was answered, or was not, or could not be made since nobody has the key linked. */
  checkEnded({ source, risk }: KeyCheck): void {
    this.#checking = undefined;
    const nowMs = this.#parts.clock.monotonicMs();
    if (risk === "settling") this.#unsettled.delete(source);
    if (risk === "unknown") this.#held.postpone(source, nowMs);
    if (risk === "again") this.#parts.again.onUnanswered(source, nowMs);
  }

  /** When there may be something to check, monotonic; undefined until something happens. */
  wakeAtMs(): number | undefined {
    if (this.#checking !== undefined) return undefined;
    const { budget, wave, again, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    const waveEndsMs = wave.endsAtMs(nowMs);
    const times: number[] = [];
    if (!this.#held.isEmpty)
      times.push(Math.min(budget.closedUntilMs(nowMs) ?? this.#held.nextAtMs, waveEndsMs ?? Infinity));
    if (again.size > 0) {
      const halfFreeMs = budget.below(budget.most / 2, nowMs);
      const roomMs = halfFreeMs.kind === "later" ? halfFreeMs.atMs : nowMs;
      times.push(Math.max(again.firstMs, waveEndsMs ?? 0, roomMs));
    }
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #risk(exchange: Exchange, isProbe: boolean, nowMs: number): Risk {
    const { guard, budget, wave } = this.#parts;
    const { source } = exchange;
    if (isProbe) return "probe";
    if (exchange.isAskedAgain === true) return "again";
    if (guard.isFresh(source, nowMs, wave.current(nowMs)?.id)) return "fresh";
    if (budget.isHeld(source, nowMs)) return "settling";
    return exchange.proving === true ? "typed" : "unknown";
  }

  #typedRefusal(guildId: string | undefined, nowMs: number): Failure | undefined {
    const { budget } = this.#parts;
    const untilMs = this.#typedFromMs(guildId, nowMs);
    if (untilMs === undefined) return undefined;
    const isGuilds =
      budget.closedUntilMs(nowMs) === undefined && budget.typed(undefined, nowMs).kind !== "later";
    return refusals.linkingWaits(isGuilds ? "in this community" : "on this host", this.#wallMs(untilMs));
  }

  /** From when on this guild may type a key, monotonic; undefined: now. */
  #typedFromMs(guildId: string | undefined, nowMs: number): number | undefined {
    const share = this.#parts.budget.typed(guildId, nowMs);
    const closedMs = this.#parts.budget.closedUntilMs(nowMs) ?? 0;
    const untilMs = Math.max(share.kind === "later" ? share.atMs : 0, closedMs);
    return untilMs <= nowMs ? undefined : untilMs;
  }

  #drop(source: SourceId): void {
    this.#held.drop(source);
    this.#unsettled.delete(source);
  }

  #wallMs(monotonicMs: number): number {
    const { clock } = this.#parts;
    return Math.ceil(clock.nowMs() + monotonicMs - clock.monotonicMs());
  }
}
