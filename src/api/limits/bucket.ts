// Over 200 lines: one bucket, whose windows, counts and resets are private to it and change together.
import type { RateHeaders } from "../http/headers.ts";
import { type Eagerness, KeptTokens } from "./kept-tokens.ts";
import { LimitShare } from "./limit-share.ts";
import { ResetTracker } from "./reset-tracker.ts";
import type { Observation, ServerClock } from "./server-clock.ts";
import { WindowEdge } from "./window-edge.ts";

/** A cautious start while answers have shown no limits: one in flight, one a second. */
const CAUTIOUS_MS = 1_000;
/** A reset further away than this is a mistake of the service. */
const LONGEST_WINDOW_MS = 24 * 3_600_000;

/** A window that is longer than this, and than so many of the longest one seen, is believed when it is named twice. */
const LONGEST_USUAL_WINDOW_MS = 60_000;
const FAR_WINDOWS = 5;

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
  readonly #edge: WindowEdge;
  #limit: number | undefined;
  #remaining = 0;
  /** Reset of the present window; undefined while no answer has named one since the last window ended. */
  #resetMs: number | undefined;
  /** The window before: answers that show it, or an older one, are late. */
  #pastResetMs = Number.NEGATIVE_INFINITY;
  #rolledMs = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  #lastStartMs = Number.NEGATIVE_INFINITY;
  /** The longest that a window can have been, as far as seen: what to wait when headers stop coming. */
  #longestMs = CAUTIOUS_MS;
  /** Requests of ours that the present window may hold, answered ones included. */
  #ours = 0;
  /** Requests since the last new window whose end showed nothing of the bucket: they may count in it. */
  #unseen = 0;
  readonly #resets = new ResetTracker();
  readonly #keptTokens: KeptTokens;
  /** When the one request was written that tries whether the next window has begun. */
  #scoutMs: number | undefined;
  /** A reset that one answer named alone, far beyond all windows before. */
  #farReset: { readonly resetMs: number; readonly readMs: number } | undefined;
  /** This process's share, where other processes of ours spend from the bucket too. */
  #share: LimitShare | undefined;

  constructor(clock: ServerClock) {
    this.#clock = clock;
    this.#edge = new WindowEdge(clock, this.#resets);
    this.#keptTokens = new KeptTokens(clock, this.#edge);
  }

  get limit(): number | undefined {
    return this.#limit;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether its resets are known to differ between answers about one window. */
  get wobbles(): boolean {
    return this.#resets.wobbles;
  }

  get resetMs(): number | undefined {
    return this.#resetMs;
  }

  get remaining(): number {
    return this.#remaining;
  }

  /** Other processes of ours spend from it too: nothing may be started beyond a share that was granted. */
  get share(): LimitShare | undefined {
    return this.#share;
  }

  beShared(): void {
    this.#share ??= new LimitShare();
    this.#edge.beShared();
  }

  /** When the window with the stated reset is over, however that was rounded; Infinity while no reset is known. */
  get windowOverMs(): number {
    return this.#resetMs === undefined ? Number.POSITIVE_INFINITY : this.#edge.latestMs(this.#resetMs);
  }

  /** When a request may start if no answer comes before; `nowMs` or earlier: at once; Infinity: only after an answer. */
  readyAtMs(nowMs: number, eagerness: Eagerness): number {
    this.#roll(nowMs);
    if (this.#limit === undefined) return this.#cautiousMs();
    if (this.#share?.isNothing(nowMs) === true) return Number.POSITIVE_INFINITY;
    const free = this.#free(nowMs);
    const limit = Math.min(this.#limit, this.#share?.present ?? this.#limit);
    if (this.#resetMs === undefined) {
      if (free > (this.#edge.isReliable ? 0 : this.#keptTokens.mostOf(limit))) return nowMs;
      if (free > 0 && this.#inFlight > 0) return Number.POSITIVE_INFINITY;
      if (free > 0) return nowMs;
      // The window's tokens went, and no answer said when it ends.
      return this.#inFlight > 0 ? Number.POSITIVE_INFINITY : this.#lastStartMs + this.#longestMs;
    }
    if (free <= 0) {
      this.#keptTokens.onNothingLeft();
      return this.#scoutMs === undefined
        ? this.#edge.releaseMs(this.#resetMs)
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

  /** A request was written. */
  started(nowMs: number): void {
    this.#roll(nowMs);
    if (this.#limit !== undefined && this.#resetMs === undefined && this.#remaining - this.#inFlight <= 0)
      this.#remaining = this.#inFlight + 1;
    if (this.#limit !== undefined && this.#free(nowMs) <= 0) this.#scoutMs = nowMs;
    this.#share?.spend(1);
    this.#inFlight += 1;
    this.#ours += 1;
    this.#lastStartMs = nowMs;
  }

  /** A request that was counted as started never left. */
  notWritten(): void {
    this.#scoutMs = undefined;
    this.#share?.spend(-1);
    this.#inFlight -= 1;
    this.#ours -= 1;
  }

  /** A request ended without an answer about this bucket: it may have spent from it. */
  spentUnseen(): void {
    this.#inFlight -= 1;
    this.#unseen += 1;
    this.#remaining = Math.max(0, this.#remaining - 1);
  }

  /** A request ended and turned out to belong to another bucket. */
  spentElsewhere(): void {
    this.#share?.spend(-1);
    this.#inFlight -= 1;
    this.#ours -= 1;
  }

  /**
   * Whether an answer is not believed yet: one alone makes no window many times as long as all before, which would stop
   * everything for hours. A second one that was asked for after it and says the same is believed.
   */
  doubts({ resetMs }: RateHeaders, { sentMs, readMs }: Observation): boolean {
    if (this.#limit === undefined) return false;
    const usualMs = Math.max(LONGEST_USUAL_WINDOW_MS, FAR_WINDOWS * this.#longestMs);
    if (this.#clock.earliest(resetMs) <= readMs + usualMs) return false;
    const far = this.#farReset;
    if (far !== undefined && sentMs >= far.readMs && Math.abs(resetMs - far.resetMs) <= usualMs) return false;
    this.#farReset = { resetMs, readMs };
    return true;
  }

  /** An answer named this bucket. */
  learn(quota: RateHeaders, observation: Observation, telling: Telling): Learned {
    this.#roll(observation.readMs);
    if (telling.counted) this.#inFlight -= 1;
    else this.#ours += 1;
    if (this.#clock.middle(quota.resetMs) > observation.readMs + LONGEST_WINDOW_MS) {
      this.#remaining = Math.max(0, this.#remaining - 1);
      return { shared: false };
    }
    const window = this.#resets.windowOf(quota, observation, telling.refused);
    if (this.#resets.wobbles) this.#edge.wobbles();
    if (window === "past") return { shared: false };
    if (window === "present") return this.#sameWindow(quota, observation);
    return this.#newWindow(quota, observation);
  }

  #sameWindow(quota: RateHeaders, observation: Observation): Learned {
    // An answer from before the roll is late; one from after it means that the window is not over after all.
    if (this.#resetMs === undefined && observation.sentMs < this.#rolledMs) return { shared: false };
    const early =
      this.#resetMs === undefined || (this.#scoutMs !== undefined && observation.sentMs >= this.#scoutMs);
    if (early) this.#edge.wasWrong();
    this.#resetMs = this.#resets.likeliestMs;
    this.#edge.inside(this.#resetMs, observation, quota.remaining === quota.limit - 1);
    this.#limit = quota.limit;
    this.#remaining = Math.min(this.#remaining, quota.remaining);
    return { shared: this.#compare(quota) && !early };
  }

  #newWindow(quota: RateHeaders, observation: Observation): Learned {
    const opened = quota.remaining === quota.limit - 1;
    const last = this.#resetMs ?? this.#pastResetMs;
    const first = !Number.isFinite(last);
    if (!first) this.#edge.renewed(last, observation, opened);
    else this.#edge.begin(observation, opened);
    const rolled = this.#limit !== undefined && this.#resetMs === undefined;
    this.#remaining = rolled ? Math.min(this.#remaining, quota.remaining) : quota.remaining;
    this.#limit = quota.limit;
    this.#resetMs = quota.resetMs;
    this.#pastResetMs = quota.resetMs;
    if (!rolled) {
      this.#ours = this.#inFlight + 1 + this.#unseen;
      this.#share?.onWindow(this.#ours);
    }
    this.#unseen = 0;
    this.#scoutMs = undefined;
    if (!rolled) this.#keptTokens.onWindowOver(true);
    const spanMs = this.#edge.latestMs(quota.resetMs) - observation.sentMs;
    if (opened) this.#longestMs = Math.max(this.#longestMs, spanMs);
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
    this.#pastResetMs = this.#resetMs;
    this.#resetMs = undefined;
    this.#rolledMs = nowMs;
    this.#scoutMs = undefined;
    this.#remaining = this.#limit;
    this.#ours = this.#inFlight;
    this.#share?.onWindow(this.#inFlight);
    this.#keptTokens.onWindowOver(false);
  }

  /** How many may start now: what answers show to be left, within this process's share. */
  #free(nowMs: number): number {
    const told = this.#remaining - this.#inFlight;
    return this.#share === undefined ? told : Math.min(told, this.#share.left(nowMs));
  }

  #cautiousMs(): number {
    return this.#inFlight > 0 ? Number.POSITIVE_INFINITY : this.#lastStartMs + CAUTIOUS_MS;
  }
}
