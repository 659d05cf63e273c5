import type { SourceId } from "../../domain/model.ts";
import type { SharedAnswers } from "../../domain/ports/shared-limits.ts";
import { counted, holdsAt, isTyped, pruned, type Silence } from "./silences.ts";
import type { StoredUnits, Unit } from "./unit.ts";

/** What went unanswered with one key since its last answer. */
interface SilentKey {
  readonly silences: readonly Silence[];
  /** Others were answered though it was not: it is this key, not the service. */
  readonly isLone: boolean;
  /** An outage ended while it was silent, so it is asked again like a good one. */
  readonly isLeftOver: boolean;
  /** How often it was asked again: since it is lone, or as long as it is not. */
  readonly asked: number;
  readonly askAgainMs: number;
  /** Of an earlier process: what was answered meanwhile is not known. */
  readonly isRestored: boolean;
}

interface Holding {
  readonly source: SourceId;
  readonly key: SilentKey;
  readonly silence: Silence;
}

const HOUR_MS = 60 * 60_000;
/** In an outage keys are asked again after a second, and then ever more rarely. */
const SOFT_AGAIN_MS = { firstMs: 1_000, mostMs: 5_000 };
/** A lone key is asked again at once, and then this much later. */
const LONE_AGAIN_MS = 10 * 60_000;
/** The same, until it must be the key itself: doubled each time. */
const LOSSY_AGAIN_MS = 500;
/** The share of lost answers is learned from so many that arrived. */
const LEARNED_FROM = 30;
/** The same, for what is rare: a share of a few in a hundred is seen in this many only. */
const LEARNED_SLOWLY_FROM = 300;
/** From this share on each silence is settled before the next request is risked. */
const LOSSY_SHARE = 0.1;
/** A key that was silent so often that losses alone explain it with no more than this chance is silent itself. */
const CHANCE_OF_LOSSES = 1e-4;
const LEAST_SILENCES = 2;
/** The same, for the last units: one lost answer in a hundred explains one silence, three in a hundred explain two. */
const LIKELY_LOSSES = 3e-4;
/** What another process was answered is known a little later than it says. */
const HEARD_LATE_MS = 1_000;
/** So many keys that were all silent, one after the other, may be an outage. */
export const OUTAGE_KEYS = 3;
/** So many did not all die. */
export const SURE_KEYS = 5;

/**
 * Requests that went unanswered, by their keys. Each holds a unit until its key answers, an hour at most. A key is
 * *soft* while nothing was answered that was asked after its first silence: so an outage looks. It is *lone* when others
 * were answered while it was not. Pure; times are monotonic.
 */
export class UnansweredRequests {
  readonly #keys = new Map<SourceId, SilentKey>();
  #holdingNow: { readonly all: readonly Holding[]; readonly untilMs: number } | undefined;
  /** When the latest request was sent that was answered, whatever its key, also to another process. */
  answeredSentMs = Number.NEGATIVE_INFINITY;
  /** When the request was sent whose answer ended an outage, also of another process. */
  #outageSentMs = Number.NEGATIVE_INFINITY;
  /** Both, of this process alone. */
  readonly #own = { lastMs: Number.NEGATIVE_INFINITY, outageMs: Number.NEGATIVE_INFINITY };
  /** The share of answers that got lost lately whatever the key, as lone keys that turned out good have shown. */
  #lostShare = 0;
  /** The same of many more answers. */
  #lostInLongRun = 0;
  /** When a lone key turned out good last. */
  #recoveredMs = Number.NEGATIVE_INFINITY;

  get lostShare(): number {
    return this.#lostShare;
  }

  /** Whether so many answers get lost that silences have to be settled one by one. */
  get isLossy(): boolean {
    return this.#lostShare > LOSSY_SHARE;
  }

  /** Whether in the last hour a lone key turned out good, so that the next one may be as well. */
  hasRecovered(nowMs: number): boolean {
    return nowMs - this.#recoveredMs < HOUR_MS;
  }

  /** Whether this key was silent once only, or losses alone may explain it. */
  mayBeLost(source: SourceId): boolean {
    const silences = this.#silences(source);
    const share = Math.max(this.#lostShare, this.#lostInLongRun);
    return silences < LEAST_SILENCES || share ** silences > CHANCE_OF_LOSSES;
  }

  /** Whether it is likely enough that losses alone explain it to risk the last units for its answer. */
  isExplained(source: SourceId): boolean {
    if (this.isLossy) return this.mayBeLost(source);
    return this.#lostInLongRun ** this.#silences(source) > LIKELY_LOSSES;
  }

  #silences(source: SourceId): number {
    return this.#keys.get(source)?.silences.length ?? 0;
  }

  wasSilentOnce(source: SourceId): boolean {
    return this.#keys.get(source)?.silences.length === 1;
  }

  /** How many units they hold. */
  held(nowMs: number): number {
    return this.#holding(nowMs).length;
  }

  isHeld(source: SourceId, nowMs: number): boolean {
    return this.#keys.get(source)?.silences.some((silence) => holdsAt(silence, nowMs)) ?? false;
  }

  isSoft(source: SourceId): boolean {
    const key = this.#keys.get(source);
    return key !== undefined && this.#isSoftKey(key);
  }

  /** Whether it is silent alone, or was before this process began. */
  mayHaveDied(source: SourceId): boolean {
    const key = this.#keys.get(source);
    return key !== undefined && (key.isLone || key.isRestored);
  }

  isLone(source: SourceId): boolean {
    return this.#keys.get(source)?.isLone ?? false;
  }

  /** How often a lone key was asked again; undefined: it is not lone. */
  askedLone(source: SourceId): number | undefined {
    const key = this.#keys.get(source);
    return key?.isLone ? key.asked : undefined;
  }

  /** When the oldest silence of a lone key was sent. */
  loneSinceMs(nowMs: number): number | undefined {
    const lone = this.#holding(nowMs).filter(({ key }) => key.isLone);
    return lone.length === 0 ? undefined : Math.min(...lone.map(({ silence }) => silence.sentMs));
  }

  /** Linked keys that hold units; those that are to be asked again first come first. */
  sources(nowMs: number): readonly SourceId[] {
    if (this.#keys.size === 0) return [];
    const linked = [...this.#keys].filter(
      ([source, key]) => !isTyped(key.silences) && this.isHeld(source, nowMs),
    );
    const order = ([, a]: [SourceId, SilentKey], [, b]: [SourceId, SilentKey]) =>
      a.askAgainMs - b.askAgainMs || b.silences.length - a.silences.length;
    return linked.sort(order).map(([source]) => source);
  }

  /** Not to be asked again before. */
  askAgainMs(source: SourceId, nowMs: number): number {
    const key = this.#keys.get(source);
    if (key === undefined) return nowMs;
    if (!key.isLone || key.asked === 0 || !this.mayBeLost(source)) return key.askAgainMs;
    const lastMs = key.silences.at(-1)?.atMs ?? nowMs;
    return Math.min(key.askAgainMs, lastMs + LOSSY_AGAIN_MS * 2 ** Math.min(key.asked, 10));
  }

  heldUnits(nowMs: number): StoredUnits["open"] {
    return this.#holding(nowMs).map(({ source, key, silence: { guildId, sentMs } }) => {
      const standing = key.isLone ? { isLone: true } : this.#isSoftKey(key) ? { isSoft: true } : {};
      return { source, guildId, ageMs: nowMs - sentMs, ...standing };
    });
  }

  /** When each held unit is free again. */
  freeTimes(nowMs: number): readonly number[] {
    return this.#holding(nowMs).map(({ silence }) => silence.untilMs);
  }

  /** Units that typed keys hold, and when each is free again. */
  typed(nowMs: number): readonly { readonly guildId: string; readonly freeMs: number }[] {
    return this.#holding(nowMs).flatMap(({ silence: { guildId, untilMs: freeMs } }) =>
      guildId === undefined ? [] : [{ guildId, freeMs }],
    );
  }

  /**
   * A request of this process went unanswered. Where that shows a key to be lone which was asked in an outage, what it was
   * asked then may have been refused: up to `room` of it hold units from now on.
   */
  add({ source, guildId, startedMs, isCovered }: Unit, nowMs: number, room: number): void {
    const known = this.#keys.get(source);
    const silence = { sentMs: startedMs, atMs: nowMs, untilMs: nowMs + HOUR_MS, guildId, holds: !isCovered };
    // An outage that is over by now was still on when it was asked.
    const isOfOutage = known?.isLeftOver === true && startedMs < this.#outageSentMs;
    const isDoubted = known !== undefined && !known.isRestored && !isOfOutage;
    const isLone = isDoubted && (known.isLone || !this.#isSoftKey(known));
    const before = isLone && !known.isLone ? counted(known.silences, room) : (known?.silences ?? []);
    const silences = pruned([...before, silence], nowMs);
    const asked = known === undefined ? 0 : isLone && !known.isLone ? 1 : known.asked + 1;
    const softMs = Math.min(SOFT_AGAIN_MS.mostMs, SOFT_AGAIN_MS.firstMs * 2 ** Math.min(asked, 10));
    const againMs = isLone ? LONE_AGAIN_MS : softMs;
    const { isRestored = false, isLeftOver = false } = known ?? {};
    this.#set(source, { silences, isLone, isLeftOver, asked, askAgainMs: nowMs + againMs, isRestored });
  }

  /** A request of an earlier process: it holds its unit until its key answers, an hour from now at most. */
  restore(
    { source, guildId, ageMs, isSoft, isLone: wasLone = false }: StoredUnits["open"][number],
    nowMs: number,
  ): void {
    const known = this.#keys.get(source);
    const sentMs = nowMs - Math.max(0, ageMs);
    const silence = { sentMs, atMs: sentMs, untilMs: nowMs + HOUR_MS, guildId, holds: true };
    const isLone = wasLone || (known?.isLone ?? false);
    const isRestored = !isLone && (isSoft !== true || (known?.isRestored ?? false));
    const silences = [...(known?.silences ?? []), silence];
    const again = isLone ? { asked: 1, askAgainMs: nowMs + LONE_AGAIN_MS } : { asked: 0, askAgainMs: nowMs };
    this.#set(source, { silences, isLone, isLeftOver: false, ...again, isRestored });
  }

  /** A person waits for it. */
  hasten(source: SourceId, nowMs: number): void {
    const key = this.#keys.get(source);
    if (key !== undefined && !key.isLone) this.#set(source, { ...key, askAgainMs: nowMs });
  }

  /** It was to be asked; where it could not be, or the answer said nothing of the key, others go first. */
  onAsked(source: SourceId, nowMs: number): void {
    const key = this.#keys.get(source);
    if (key === undefined || key.askAgainMs > nowMs) return;
    this.#set(source, { ...key, askAgainMs: nowMs + SOFT_AGAIN_MS.mostMs });
  }

  /** A request that was sent then was answered, whatever its key. `softElsewhere`: keys of other processes. */
  onAnswered(sentMs: number, softElsewhere: number): void {
    const isOver = this.#end(sentMs, softElsewhere);
    this.#own.lastMs = Math.max(this.#own.lastMs, sentMs);
    if (isOver) this.#own.outageMs = Math.max(this.#own.outageMs, sentMs);
  }

  /** The same of another process. */
  hear({ lastAgeMs, outageAgeMs }: SharedAnswers, softElsewhere: number, nowMs: number): void {
    if (outageAgeMs !== undefined) this.#end(nowMs - outageAgeMs, Number.POSITIVE_INFINITY);
    if (lastAgeMs !== undefined) this.#end(nowMs - lastAgeMs - HEARD_LATE_MS, softElsewhere);
  }

  /** What was answered to this process, for others. */
  answers(nowMs: number): SharedAnswers {
    const ageOf = (atMs: number) => (atMs === Number.NEGATIVE_INFINITY ? undefined : nowMs - atMs);
    return { lastAgeMs: ageOf(this.#own.lastMs), outageAgeMs: ageOf(this.#own.outageMs) };
  }

  /** What was soft until then is so no longer. True: an outage is over. */
  #end(sentMs: number, softElsewhere: number): boolean {
    const soft = this.#keys.size === 0 ? [] : [...this.#keys].filter(([, key]) => this.#isSoftKey(key));
    this.answeredSentMs = Math.max(this.answeredSentMs, sentMs);
    const wasOutage = soft.length + softElsewhere >= SURE_KEYS;
    if (wasOutage) this.#outageSentMs = Math.max(this.#outageSentMs, sentMs);
    for (const [source, key] of soft) {
      if (this.#isSoftKey(key)) continue;
      const askAgainMs = Math.min(key.askAgainMs, key.silences.at(-1)?.atMs ?? 0);
      this.#set(source, { ...key, isLone: !wasOutage, isLeftOver: wasOutage, asked: 0, askAgainMs });
    }
    return wasOutage;
  }

  /** The service took the key: its silences were no refusals. */
  settleTaken(source: SourceId, nowMs: number): void {
    const wasLost = this.#keys.get(source)?.isLone === true;
    if (wasLost) this.#recoveredMs = nowMs;
    this.#lostShare += (Number(wasLost) - this.#lostShare) / LEARNED_FROM;
    this.#lostInLongRun += (Number(wasLost) - this.#lostInLongRun) / LEARNED_SLOWLY_FROM;
    this.#set(source, undefined);
  }

  /** The service refused the key. Returns its silences of the last hour: they may have been refusals as well. */
  settleRefused(source: SourceId, nowMs: number): readonly Silence[] {
    const silences = this.#keys.get(source)?.silences ?? [];
    this.#set(source, undefined);
    return silences.filter(({ atMs }) => nowMs - atMs < HOUR_MS);
  }

  #isSoftKey({ silences: [first], isRestored, isLone, isLeftOver }: SilentKey): boolean {
    return !isRestored && !isLone && !isLeftOver && first !== undefined && first.sentMs > this.answeredSentMs;
  }

  #set(source: SourceId, key: SilentKey | undefined): void {
    this.#holdingNow = undefined;
    if (key === undefined) this.#keys.delete(source);
    else this.#keys.set(source, key);
  }

  /** Asked several times for each request, and seldom another answer. */
  #holding(nowMs: number): readonly Holding[] {
    if (this.#holdingNow !== undefined && nowMs < this.#holdingNow.untilMs) return this.#holdingNow.all;
    const all = [...this.#keys].flatMap(([source, key]) => {
      const holding = key.silences.filter((silence) => holdsAt(silence, nowMs));
      return holding.map((silence) => ({ source, key, silence }));
    });
    this.#holdingNow = { all, untilMs: Math.min(...all.map(({ silence }) => silence.untilMs)) };
    return all;
  }
}
