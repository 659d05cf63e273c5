import type { TurnClass } from "../../domain/ports/turns.ts";

/** In the order in which they go. */
export const CLASSES: readonly TurnClass[] = ["run", "round", "first", "batch", "change", "refresh"];

/** What these keep of the turns while others wait too: batches, and edits of both kinds together. */
const KEPT = [
  { classes: ["batch"], keeps: 0.4 },
  { classes: ["change", "refresh"], keeps: 0.1 },
] as const;

/** What was earned and could not be used, such as where channels had no room. */
const MOST_EARNED = 2;

/** Whose turn it is among the classes. What is kept for one it earns only while it waits. */
export class ClassShares {
  readonly #earned = KEPT.map(() => 0);
  /** Edits that say something new and those that keep something current take turns in what is kept for them. */
  #isRefreshNext = false;

  /** The classes in the order in which the next turn is offered to them. */
  order(): readonly TurnClass[] {
    const owed: TurnClass[] = [];
    for (const [at, { classes }] of KEPT.entries()) {
      if ((this.#earned[at] ?? 0) >= 1) owed.unshift(...classes);
    }
    if (this.#isRefreshNext && owed[0] === "change") owed.splice(0, 2, "refresh", "change");
    return [...owed, ...CLASSES.filter((name) => !owed.includes(name))];
  }

  /** A turn was given to `to` while these waited. */
  given(to: TurnClass, waits: (name: TurnClass) => boolean): void {
    for (const [at, { classes, keeps }] of KEPT.entries()) {
      const isTheirs = classes.some((name) => name === to);
      const earned = classes.some(waits) ? (this.#earned[at] ?? 0) + keeps : 0;
      this.#earned[at] = Math.min(MOST_EARNED, Math.max(0, earned - (isTheirs ? 1 : 0)));
    }
    if (to === "change") this.#isRefreshNext = true;
    if (to === "refresh") this.#isRefreshNext = false;
  }
}
