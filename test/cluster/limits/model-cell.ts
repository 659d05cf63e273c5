import type { RejectedKey } from "../../../src/api/keys/rejected-keys.ts";
import type { StoredHalt } from "../../../src/api/limits/halt.ts";
import type { Cell, CellRead } from "../../../src/cluster/limits/cell.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import type { Clock, Random } from "../../../src/domain/ports/clock.ts";
import type { Documents } from "../../../src/domain/ports/documents.ts";

interface Kept<T> {
  readonly document: T;
  readonly rank: number;
}

/** What Redis keeps of the limits that processes share, on a virtual clock; `redis-limits.test.ts` holds it against the real one. */
export class ModelCell {
  readonly #clock: Clock;
  readonly #random: Random;
  #text = "";
  readonly #halts = new Map<string, Kept<StoredHalt>>();
  readonly #rejected = new Map<string, Kept<RejectedKey>>();
  /** A Redis that nobody reaches. */
  isGone = false;
  /** How far its clock was set. */
  aheadMs = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get text(): string {
    return this.#text;
  }

  get haltEndsMs(): number | undefined {
    return [...this.#halts.values()][0]?.rank;
  }

  cell(identity: string): Cell {
    return {
      exchange: (write, source) =>
        this.#answered(() => {
          const before = this.#read(identity, source);
          const isWritten =
            write !== undefined &&
            write.from.text === before.text &&
            write.from.halt?.ends === before.halt?.ends;
          if (isWritten) this.#text = write.text;
          return { ...before, text: this.#text, isWritten };
        }),
      notRejected: (sources) => this.#answered(() => sources.filter((source) => !this.#rejected.has(source))),
      clearHalt: (ends) =>
        this.#answered(() => {
          if (String(this.#halts.get(identity)?.rank) === ends) this.#halts.delete(identity);
        }),
    };
  }

  /** As a process of the release before reads and writes it, which knows nothing of silent keys and of answers. */
  olderCell(identity: string): Cell {
    const cell = this.cell(identity);
    let text = "";
    return {
      ...cell,
      exchange: async (write, source) => {
        const given = write && { from: { ...write.from, text }, text: withoutSilences(write.text) };
        const answer = await cell.exchange(given, source);
        text = answer.text;
        return { ...answer, text: withoutSilences(text) };
      },
    };
  }

  /** As the store keeps them: whichever ends later stays. */
  documents(): { readonly halts: Documents<StoredHalt>; readonly rejected: Documents<RejectedKey> } {
    const later = ({ leftMs = 0 }: StoredHalt) => this.#clock.monotonicMs() + leftMs;
    return {
      halts: this.#kept(this.#halts, later),
      rejected: this.#kept(this.#rejected, ({ atMs }) => atMs),
    };
  }

  #kept<T>(map: Map<string, Kept<T>>, rankOf: (document: T) => number): Documents<T> {
    return {
      get: (key) => this.#answered(() => map.get(key)?.document),
      set: (key, document) =>
        this.#answered(() => {
          const rank = rankOf(document);
          if ((map.get(key)?.rank ?? -1) <= rank) map.set(key, { document, rank });
        }),
      delete: (key) =>
        this.#answered(() => {
          map.delete(key);
        }),
      async *entries() {
        for (const [key, { document }] of map) yield [key, document];
      },
    };
  }

  #read(identity: string, source?: SourceId): CellRead {
    const halt = this.#halts.get(identity);
    return {
      nowMs: this.#clock.monotonicMs() + this.aheadMs,
      text: this.#text,
      halt: halt && { document: halt.document, ends: String(halt.rank), endsMs: halt.rank },
      rejected: source === undefined ? undefined : this.#rejected.get(source)?.document,
    };
  }

  /** There and back; what is asked happens in between, in one step. */
  async #answered<T>(work: () => T): Promise<T> {
    await this.#clock.sleep(this.#random.next() * 2);
    if (this.isGone) throw new Error("Redis is gone");
    const answer = work();
    await this.#clock.sleep(this.#random.next() * 2);
    return answer;
  }
}

function withoutSilences(text: string): string {
  const isNew = (name: string) => name === "answers" || name === "isSoft" || name === "isLone";
  return text === ""
    ? ""
    : JSON.stringify(JSON.parse(text, (name, value) => (isNew(name) ? undefined : value)));
}
