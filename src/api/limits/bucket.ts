import type { RateHeaders } from "../http/headers.ts";
import { type Eagerness, KeptTokens } from "./kept-tokens.ts";
import { LimitShare } from "./limit-share.ts";
import { LongWindow, type WindowLeft } from "./long-window.ts";
import { ResetTracker } from "./reset-tracker.ts";
import { type Observation, type ServerClock, WOBBLE_MS } from "./server-clock.ts";
import { Spending } from "./spending.ts";
import { WindowEdge } from "./window-edge.ts";
import { WindowLengths } from "./window-lengths.ts";

/** A cautious start while answers have shown no limits: one in flight, one a second. */
const CAUTIOUS_MS = 1_000;
/** The service states resets in whole seconds. */
const ROUNDING_MS = 1_000;

/** How an answer that names the bucket came about. */
export interface Telling {
  /** Its request was started here. */
  readonly counted: boolean;
  /** It was refused with a 429, so that it spent nothing. */
  readonly refused: boolean;
}

/** What an answer showed of the bucket: nothing new, or that another program spends from it too. */
export interface Learned {
  readonly shared: boolean;
}

/**
 * One counter of the service as its answers show it (spec: Limits 4). A request *starts* (it may spend from the window
 * it was sent in or from the next), and *settles* when its answer, or the lack of one, is known. Within a window the
 * smallest remaining counts and late answers never raise it; a window is over when an answer shows the next one, or
 * when its reset has passed whatever the rounding was.
 */
export class Bucket {
  readonly #clock: ServerClock;
  #edge: WindowEdge;
  #limit: number | undefined;
  readonly #spending = new Spending();
  readonly #longWindow = new LongWindow();
  /** Reset of the present window; undefined while no answer has named one since the last window ended. */
  #resetMs: number | undefined;
  /** The window before: answers that show it, or an older one, are late. */
  #pastResetMs = Number.NEGATIVE_INFINITY;
  #rolledMs = Number.NEGATIVE_INFINITY;
  #lastStartMs = Number.NEGATIVE_INFINITY;
  readonly #lengths = new WindowLengths(CAUTIOUS_MS);
  /** Requests of ours that the present window may hold, answered ones included. */
  #ours = 0;
  /** Requests since the last new window whose end showed nothing of the bucket: they may count in it. */
  #unseen = 0;
  #resets = new ResetTracker();
  #keptTokens: KeptTokens;
  /** When the one request was written that tries whether the next window has begun. */
  #scoutMs: number | undefined;
  #timesSet = 0;
  /** This process's share, where other processes of ours spend from the bucket too. */
  #share: LimitShare | undefined;

  constructor(clock: ServerClock) {
    this.#clock = clock;
    this.#timesSet = clock.timesSet;
    this.#edge = new WindowEdge(clock, this.#resets);
    this.#keptTokens = new KeptTokens(clock, this.#edge);
  }

  get limit(): number | undefined {
    return this.#limit;
  }

  get inFlight(): number {
    return this.#spending.inFlight;
  }

  /** Whether its resets are known to differ between answers about one window. */
  get wobbles(): boolean {
    return this.#resets.wobbles;
  }

  get resetMs(): number | undefined {
    return this.#resetMs;
  }

  get remaining(): number {
    return this.#spending.remaining;
  }

  /** Other processes of ours spend from it too: nothing may be started beyond a share that was granted. */
  get share(): LimitShare | undefined {
    return this.#share;
  }

  beShared(): void {
    this.#share ??= new LimitShare();
    this.#edge.beShared();
  }

  /** When a request may start if no answer comes before; `nowMs` or earlier: at once; Infinity: only after an answer. */
  readyAtMs(nowMs: number, eagerness: Eagerness): number {
    this.#roll(nowMs);
    if (this.#limit === undefined) return this.#cautiousMs();
    if (this.#share?.isNothing(nowMs) === true) return Number.POSITIVE_INFINITY;
    const free = this.#free(nowMs);
    const limit = Math.min(this.#limit, this.#share?.present ?? this.#limit);
    if (free > 0 && this.#longWindow.isLong)
      return this.#longWindow.readyAtMs(this.#left(limit, free), nowMs, eagerness);
    if (this.#resetMs === undefined) {
      if (free > (this.#edge.isReliable ? 0 : this.#keptTokens.mostOf(limit))) return nowMs;
      if (free > 0 && this.inFlight > 0) return Number.POSITIVE_INFINITY;
      if (free > 0) return nowMs;
      // The window's tokens went, and no answer said when it ends.
      return this.inFlight > 0 ? Number.POSITIVE_INFINITY : this.#lastStartMs + this.#lengths.longestMs;
    }
    if (free <= 0) {
      this.#keptTokens.onNothingLeft();
      return this.#scoutMs === undefined && !this.#longWindow.isLong
        ? this.#edge.releaseMs(this.#resetMs, limit, nowMs)
        : this.#edge.latestMs(this.#resetMs);
    }
    const tokens = {
      limit,
      free,
      resetMs: this.#resetMs,
      lastStartMs: this.#lastStartMs,
      wobbles: this.#resets.wobbles,
    };
    return this.#keptTokens.readyAtMs(tokens, nowMs, eagerness);
  }

  #left(limit: number, free: number): WindowLeft {
    const left = { limit, free, inFlight: this.inFlight, longestMs: this.#lengths.longestMs };
    if (this.#resetMs === undefined) return { ...left, end: undefined };
    const statedMs = this.#clock.earliest(this.#resetMs);
    return { ...left, end: { soonestMs: statedMs - this.#offMs, statedMs } };
  }

  /** A request was written. */
  started(nowMs: number, eagerness: Eagerness): void {
    this.#roll(nowMs);
    // The one that asks again when nothing is known of the present window.
    if (this.#limit !== undefined && this.#resetMs === undefined) this.#spending.allowOne();
    if (this.#limit !== undefined && this.#free(nowMs) <= 0) {
      this.#scoutMs = nowMs;
      this.#edge.onReleased(this.#resetMs, this.#limit, nowMs);
    }
    this.#share?.spend(1);
    this.#spending.onStarted();
    this.#longWindow.onStarted(nowMs, eagerness);
    this.#ours += 1;
    this.#lastStartMs = nowMs;
  }

  /** A request that was counted as started never left. */
  notWritten(): void {
    if (this.#scoutMs !== undefined) this.#edge.onNotWritten();
    this.#scoutMs = undefined;
    this.#share?.spend(-1);
    this.#spending.onSettled();
    this.#ours -= 1;
  }

  /** A request ended without an answer about this bucket: it may have spent from it. */
  spentUnseen(request: Observation): void {
    this.#spending.onEndedBlind(request);
    this.#unseen += 1;
  }

  /** A request ended and turned out to belong to another bucket. */
  spentElsewhere(): void {
    this.#share?.spend(-1);
    this.#spending.onSettled();
    this.#ours -= 1;
  }

  /**
   * Whether an answer names a reset that no window of this bucket can have: many times as far away as those that were seen
   * to their end, or another than that of the window which its request surely reached.
   */
  isFar(quota: RateHeaders, observation: Observation): boolean {
    const aheadMs = this.#clock.earliest(quota.resetMs) - observation.readMs;
    if (aheadMs > this.usualMs) return true;
    if (this.#resetMs === undefined || quota.resetMs <= this.#resetMs + 2 * WOBBLE_MS) return false;
    const surelyUntilMs = this.#clock.earliest(this.#resetMs - this.#offMs);
    return observation.readMs < surelyUntilMs && !this.#resets.hasRisen(quota.remaining, observation.sentMs);
  }

  /** How much sooner than stated a window may end. */
  get #offMs(): number {
    return ROUNDING_MS + (this.#resets.wobbles ? WOBBLE_MS : 0);
  }

  /** How far ahead a reset may lie and be believed at once. */
  get usualMs(): number {
    return this.#lengths.usualMs;
  }

  /** An answer named this bucket. */
  learn(quota: RateHeaders, observation: Observation, telling: Telling): Learned {
    this.#roll(observation.readMs);
    if (telling.counted) this.#spending.onSettled();
    else this.#ours += 1;
    if (this.#timesSet !== this.#clock.timesSet) this.#beginAnew();
    const window = this.#resets.windowOf(quota, observation, telling.refused);
    if (this.#resets.wobbles) this.#edge.wobbles();
    if (window === "past") {
      if (observation.sentMs >= this.#rolledMs) this.#spending.addBlind(observation);
      return { shared: false };
    }
    if (window === "present") return this.#sameWindow(quota, observation);
    return this.#newWindow(quota, observation, telling.refused);
  }

  /** The service's clock was set: its resets before and after are no measure of each other. */
  #beginAnew(): void {
    this.#timesSet = this.#clock.timesSet;
    this.#limit = undefined;
    this.#resetMs = undefined;
    this.#pastResetMs = Number.NEGATIVE_INFINITY;
    this.#scoutMs = undefined;
    this.#resets = new ResetTracker();
    this.#edge = new WindowEdge(this.#clock, this.#resets);
    if (this.#share !== undefined) this.#edge.beShared();
    this.#keptTokens = new KeptTokens(this.#clock, this.#edge);
  }

  #sameWindow(quota: RateHeaders, observation: Observation): Learned {
    // An answer from before the roll is late; one from after it means that the window is not over after all.
    if (this.#resetMs === undefined && observation.sentMs < this.#rolledMs) return { shared: false };
    const early =
      this.#resetMs === undefined || (this.#scoutMs !== undefined && observation.sentMs >= this.#scoutMs);
    this.#resetMs = this.#resets.likeliestMs;
    if (early) this.#edge.wasWrong(this.#resetMs, observation.sentMs);
    this.#edge.inside(this.#resetMs, observation, quota.remaining === quota.limit - 1);
    this.#limit = quota.limit;
    this.#spending.state(quota.remaining, observation, false);
    return { shared: this.#compare(quota) && !early };
  }

  #newWindow(quota: RateHeaders, observation: Observation, refused: boolean): Learned {
    const opened = !refused && quota.remaining === quota.limit - 1;
    const openedReset = opened ? quota.resetMs : undefined;
    const last = this.#resetMs ?? this.#pastResetMs;
    const first = !Number.isFinite(last);
    if (!first) this.#edge.renewed(last, observation, openedReset);
    else this.#edge.begin(observation, openedReset);
    const rolled = this.#limit !== undefined && this.#resetMs === undefined;
    this.#spending.state(quota.remaining, observation, true);
    this.#limit = quota.limit;
    this.#resetMs = quota.resetMs;
    this.#pastResetMs = quota.resetMs;
    if (!rolled) {
      this.#ours = this.inFlight + 1 + this.#unseen;
      this.#share?.onWindow(this.#ours);
    }
    this.#unseen = 0;
    this.#scoutMs = undefined;
    if (!rolled) this.#keptTokens.onWindowOver(true);
    this.#lengths.onWindow(opened ? this.#edge.latestMs(quota.resetMs) - observation.sentMs : 0);
    const leastMs = this.#clock.earliest(quota.resetMs - this.#offMs) - observation.readMs;
    this.#longWindow.onWindow(observation.sentMs, leastMs, opened);
    const shared = this.#compare(quota);
    // What an earlier process of ours spent looks like somebody else's in the first window.
    return { shared: shared && !first };
  }

  /** Whether more was spent than we can have sent, because another program shares this address or key. */
  #compare(quota: RateHeaders): boolean {
    const used = quota.limit - quota.remaining;
    const shared = used > this.#ours;
    this.#ours = Math.max(this.#ours, used);
    // What the other processes of ours spend looks like another program.
    return shared && this.#share === undefined;
  }

  #roll(nowMs: number): void {
    if (this.#resetMs === undefined || this.#limit === undefined) return;
    if (nowMs < this.#edge.latestMs(this.#resetMs)) return;
    this.#spending.onOver(this.#limit, this.#clock.earliest(this.#resetMs - this.#offMs));
    this.#pastResetMs = this.#resetMs;
    this.#resetMs = undefined;
    this.#rolledMs = nowMs;
    this.#scoutMs = undefined;
    this.#longWindow.onOver(nowMs);
    this.#ours = this.inFlight;
    this.#share?.onWindow(this.inFlight);
    this.#keptTokens.onWindowOver(false);
  }

  /** How many may start now: what answers show to be left, within this process's share. */
  #free(nowMs: number): number {
    const { free: told } = this.#spending;
    return this.#share === undefined ? told : Math.min(told, this.#share.left(nowMs));
  }

  #cautiousMs(): number {
    return this.inFlight > 0 ? Number.POSITIVE_INFINITY : this.#lastStartMs + CAUTIOUS_MS;
  }
}
