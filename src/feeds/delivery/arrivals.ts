const MOST_MARKS = 100;
/** Entries that weigh for the turn of a feed. */
const MOST_WEIGHED = 30;

/**
 * When entries of a journal were first noticed, by the monotonic clock: waits and lateness are counted from it, so that
 * a step of the wall clock neither stops nor hastens a post. Entries from before the process have no such moment.
 */
export class Arrivals {
  readonly #opened: { readonly head: number; readonly wallMs: number; readonly monotonicMs: number };
  #marks: { readonly below: number; readonly atMs: number }[] = [];

  /** `head`: the sequence number after the last entry that was there already. */
  constructor(opened: { readonly head: number; readonly wallMs: number; readonly monotonicMs: number }) {
    this.#opened = opened;
  }

  /** Everything below `head` is there now. */
  note(head: number, monotonicMs: number): void {
    const last = this.#marks.at(-1)?.below ?? this.#opened.head;
    if (head <= last) return;
    this.#marks.push({ below: head, atMs: monotonicMs });
    // Only the oldest and the newest matter much: those between may count as newer than they are.
    if (this.#marks.length > MOST_MARKS) this.#marks.splice(1, 1);
  }

  /** Everything below `seq` is dealt with. */
  forget(seq: number): void {
    if ((this.#marks[0]?.below ?? Number.POSITIVE_INFINITY) <= seq) {
      this.#marks = this.#marks.filter((mark) => mark.below > seq);
    }
  }

  /** How long this entry has waited here; Infinity where an earlier process had noticed it already. */
  waitedMs(seq: number, monotonicMs: number): number {
    if (seq < this.#opened.head) return Number.POSITIVE_INFINITY;
    const mark = this.#marks.find(({ below }) => below > seq);
    return mark === undefined ? 0 : monotonicMs - mark.atMs;
  }

  /** How long this process has known this entry; one of an earlier process since this one began. */
  sinceNoticedMs(seq: number, monotonicMs: number): number {
    return seq < this.#opened.head ? monotonicMs - this.#opened.monotonicMs : this.waitedMs(seq, monotonicMs);
  }

  /** When the entries from `seq` to `head` were noticed, oldest first; of many only the first. */
  oldest(seq: number, head: number): readonly number[] {
    const atMs: number[] = [];
    let from = seq;
    const upTo = (below: number, noticedMs: number): void => {
      for (; from < Math.min(below, head) && atMs.length < MOST_WEIGHED; from++) atMs.push(noticedMs);
    };
    upTo(this.#opened.head, this.#opened.monotonicMs);
    for (const mark of this.#marks) upTo(mark.below, mark.atMs);
    return atMs;
  }

  /** How old this entry is, `seenAtMs` being the wall time at which it was seen. */
  ageMs(seq: number, seenAtMs: number, monotonicMs: number): number {
    if (seq >= this.#opened.head) return this.waitedMs(seq, monotonicMs);
    const before = Math.max(0, this.#opened.wallMs - seenAtMs);
    return before + monotonicMs - this.#opened.monotonicMs;
  }
}
