import { type AddArgs, type Added, NothingAdded } from "../queries/add-cases.ts";

/** A case that comes sooner after the last group waits for others. */
const PACE_MS = 500;

export interface AddsTogetherParts {
  /** One transaction: all or none. Rejects with NothingAdded where it is sure that none was. */
  readonly addAll: (asked: readonly AddArgs[]) => Promise<readonly Added[]>;
  readonly monotonicMs: () => number;
  readonly after: (delayMs: number, work: () => void) => void;
}

interface Waiting {
  readonly args: AddArgs;
  readonly resolve: (added: Added) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Cases that come quickly one after the other go into the database together: a case alone writes 13 pages of a sqlite file,
 * which are the same pages for the next one. One that comes alone is added at once. Where one of a group is refused, each is
 * added by itself; where it is not known whether the group was added, all fail, as nothing may be added twice.
 */
export class AddsTogether {
  readonly #parts: AddsTogetherParts;
  #waiting: Waiting[] = [];
  #lastMs = Number.NEGATIVE_INFINITY;
  #isDue = false;
  readonly #underWay = new Set<Promise<void>>();

  constructor(parts: AddsTogetherParts) {
    this.#parts = parts;
  }

  /** Rejects with the database's error. */
  add(args: AddArgs): Promise<Added> {
    const { promise, ...end } = Promise.withResolvers<Added>();
    this.#waiting.push({ args, ...end });
    this.#wake();
    return promise;
  }

  /** Adds what waits, and resolves when all of it has ended. */
  async settle(): Promise<void> {
    this.#go();
    await Promise.all(this.#underWay);
  }

  #wake(): void {
    if (this.#isDue) return;
    const waitMs = this.#lastMs + PACE_MS - this.#parts.monotonicMs();
    if (waitMs <= 0) {
      this.#go();
      return;
    }
    this.#isDue = true;
    this.#parts.after(waitMs, () => this.#go());
  }

  #go(): void {
    this.#isDue = false;
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    this.#lastMs = this.#parts.monotonicMs();
    this.#begin(group);
  }

  #begin(group: readonly Waiting[]): void {
    const adding = this.#add(group).finally(() => this.#underWay.delete(adding));
    this.#underWay.add(adding);
  }

  async #add(group: readonly Waiting[]): Promise<void> {
    try {
      const added = await this.#parts.addAll(group.map(({ args }) => args));
      for (const [index, { resolve, reject }] of group.entries()) {
        const one = added[index];
        if (one === undefined) reject(new Error("a case was added and not answered"));
        else resolve(one);
      }
    } catch (error) {
      const isSure = error instanceof NothingAdded;
      if (isSure && group.length > 1) for (const waiting of group) await this.#add([waiting]);
      else for (const { reject } of group) reject(isSure ? error.cause : error);
    }
  }
}
