import type { SourceId } from "../../domain/model.ts";
import type { Unit } from "./unit.ts";

/** Requests with one key that were never answered: refusals, if it turns out bad. */
interface Silence {
  readonly atMs: number[];
  readonly guildId: string | undefined;
  /** How many of them hold a unit, and until when. */
  readonly held: number;
  readonly heldUntilMs: number;
}

/** A unit that an unanswered request holds. */
interface HeldUnit {
  readonly source: SourceId;
  readonly guildId: string | undefined;
  readonly sentMs: number;
}

const HOUR_MS = 60 * 60_000;
const SILENCE_HOLDS_MS = 10 * 60_000;
const MOST_SILENCES = 8;

/** Requests that went unanswered, by their keys: each may have been a refusal. Pure; times are monotonic. */
export class UnansweredRequests {
  readonly #silences = new Map<SourceId, Silence>();

  /** How many units they hold. */
  held(nowMs: number): number {
    let held = 0;
    for (const silence of this.#silences.values()) if (nowMs < silence.heldUntilMs) held += silence.held;
    return held;
  }

  isHeld(source: SourceId, nowMs: number): boolean {
    return nowMs < (this.#silences.get(source)?.heldUntilMs ?? 0);
  }

  /** Keys that hold units; those whose answer frees most come first. */
  heldSources(nowMs: number): readonly SourceId[] {
    const held = [...this.#silences].filter(([, { heldUntilMs }]) => nowMs < heldUntilMs);
    return held.sort(([, a], [, b]) => b.held - a.held).map(([source]) => source);
  }

  heldUnits(nowMs: number): readonly HeldUnit[] {
    return [...this.#silences].flatMap(([source, { atMs, guildId, held, heldUntilMs }]) =>
      nowMs < heldUntilMs ? atMs.slice(-held).map((sentMs) => ({ source, guildId, sentMs })) : [],
    );
  }

  /** When each held unit is free again. */
  freeTimes(nowMs: number): readonly number[] {
    const free: number[] = [];
    for (const { held, heldUntilMs } of this.#silences.values())
      if (nowMs < heldUntilMs) for (let n = 0; n < held; n++) free.push(heldUntilMs);
    return free;
  }

  /** When each key that a guild typed which `of` names holds nothing any more. */
  typedFreeTimes(of: (guildId: string) => boolean, nowMs: number): readonly number[] {
    return [...this.#silences.values()].flatMap(({ guildId, heldUntilMs }) =>
      guildId !== undefined && of(guildId) && nowMs < heldUntilMs ? [heldUntilMs] : [],
    );
  }

  /** A request of this process went unanswered. */
  add({ source, risk, guildId }: Unit, nowMs: number): void {
    const known = this.#silences.get(source);
    const atMs = [...(known?.atMs ?? []), nowMs].filter((silentMs) => nowMs - silentMs < HOUR_MS);
    const isHeld = known !== undefined && nowMs < known.heldUntilMs;
    const holds = risk !== "fresh" && risk !== "probe";
    // One unit a key however often it is asked: a server that never answers must not use up what all share.
    const heldUntilMs = isHeld ? known.heldUntilMs : holds ? nowMs + SILENCE_HOLDS_MS : nowMs;
    const held = isHeld ? known.held : 1;
    this.#silences.set(source, { atMs: atMs.slice(-MOST_SILENCES), guildId, held, heldUntilMs });
  }

  /** A request of an earlier process: it holds its unit until its key answers, an hour at most. */
  restore({ source, guildId, sentMs }: HeldUnit, nowMs: number): void {
    const known = this.#silences.get(source);
    const atMs = [...(known?.atMs ?? []), sentMs];
    this.#silences.set(source, {
      atMs,
      guildId: guildId ?? known?.guildId,
      held: atMs.length,
      heldUntilMs: nowMs + HOUR_MS,
    });
  }

  /** The key was answered, so they hold nothing any more. Returns those of the last hour: refusals, if it is bad. */
  settle(source: SourceId, nowMs: number): readonly Omit<HeldUnit, "source">[] {
    const silence = this.#silences.get(source);
    this.#silences.delete(source);
    if (silence === undefined) return [];
    const { atMs, guildId } = silence;
    return atMs.filter((sentMs) => nowMs - sentMs < HOUR_MS).map((sentMs) => ({ guildId, sentMs }));
  }
}
