import type { SourceId } from "../../domain/model.ts";

/** A key that the service refused, as kept over a restart, by the HMAC of the key. */
export interface RejectedKey {
  readonly atMs: number;
  readonly why: string;
  /** Parked: used until it was refused, and not used again until it is linked again. Else: typed and refused. */
  readonly parked: boolean;
  /** Refused once without a code, second opinion outstanding: a restart must not forget the first. */
  readonly doubted?: boolean | undefined;
  /** As `doubted`, with opinions enough to park it: only whether it is us was not known yet. */
  readonly undecided?: boolean | undefined;
  /** Parked by a refusal that was not the first, or asked once more since: the service meant it. */
  readonly confirmed?: boolean | undefined;
  readonly serviceCode?: number | undefined;
}

const REMEMBERED_MS = 24 * 60 * 60_000;

/** Keys that the service refused: parked ones until they are linked again, typed ones for a day. Times are wall time. */
export class RejectedKeys {
  readonly #keys = new Map<SourceId, RejectedKey>();
  #parkedCount = 0;

  get parkedCount(): number {
    return this.#parkedCount;
  }

  *parked(): Iterable<SourceId> {
    for (const [source, { parked }] of this.#keys) if (parked) yield source;
  }

  get(source: SourceId): RejectedKey | undefined {
    return this.#keys.get(source);
  }

  has(source: SourceId): boolean {
    return this.#keys.has(source);
  }

  set(source: SourceId, rejected: RejectedKey | undefined): void {
    if (this.#keys.get(source)?.parked) this.#parkedCount -= 1;
    if (rejected?.parked) this.#parkedCount += 1;
    if (rejected === undefined) this.#keys.delete(source);
    else this.#keys.set(source, rejected);
  }

  /**
   * Whether a parked key is asked once more, in case the service erred: where its one refusal had a code. Without a code
   * it took two to park it, and a third request is what a refused key must not cost.
   */
  isToBeAskedAgain(source: SourceId): boolean {
    const known = this.#keys.get(source);
    return known?.parked === true && known.confirmed !== true && known.serviceCode !== undefined;
  }

  /** A parked key was asked once more and refused again: it is not asked any more. */
  confirm(source: SourceId): void {
    const known = this.#keys.get(source);
    if (known !== undefined) this.#keys.set(source, { ...known, confirmed: true });
  }

  /** Parked keys that are to be asked once more. */
  *unconfirmed(): Iterable<SourceId> {
    for (const source of this.#keys.keys()) if (this.isToBeAskedAgain(source)) yield source;
  }

  /** Dates keys from now on that were refused at a time to come, while the clock was ahead. Answers them. */
  *dated(wallMs: number): Iterable<SourceId> {
    for (const source of this.#keys.keys()) if (this.#date(source, wallMs)) yield source;
  }

  /** A time to come would be remembered until it is there, and for a day more. */
  #date(source: SourceId, wallMs: number): boolean {
    const known = this.#keys.get(source);
    if (known === undefined || known.atMs <= wallMs) return false;
    this.#keys.set(source, { ...known, atMs: wallMs });
    return true;
  }

  /** Until when a wrong key is remembered; undefined when it is not. */
  rememberedUntilMs(source: SourceId, wallMs: number): number | undefined {
    this.#date(source, wallMs);
    const known = this.#keys.get(source);
    if (known === undefined || wallMs >= known.atMs + REMEMBERED_MS) return undefined;
    return known.atMs + REMEMBERED_MS;
  }

  /** Takes out what was kept longer than it is remembered for. */
  *forgotten(wallMs: number): Iterable<SourceId> {
    for (const [source, rejected] of this.#keys) {
      if (rejected.parked || wallMs < rejected.atMs + REMEMBERED_MS) continue;
      this.set(source, undefined);
      yield source;
    }
  }
}
