import type { Documents } from "../../domain/ports/documents.ts";
import type { DayList } from "./row-lists.ts";

/** The ids of one day, in the order of writing. */
export interface DayIndex {
  readonly ids: readonly string[];
}

/**
 * The index of version 0.1: one document with all ids of a day, rewritten with each row. Nothing is added to it any
 * more. Its days are read beside the lists until retention has removed them.
 */
export class OldDayIndex {
  readonly #days: Documents<DayList>;
  readonly #index: Documents<DayIndex>;

  constructor(days: Documents<DayList>, index: Documents<DayIndex>) {
    this.#days = days;
    this.#index = index;
  }

  /** Ascending. `list` is `GUILD/runs` or `GUILD/events`. */
  async days(list: string): Promise<readonly string[]> {
    return (await this.#days.get(list))?.days ?? [];
  }

  async ids(list: string, day: string): Promise<readonly string[]> {
    return (await this.#index.get(`${list}/${day}`))?.ids ?? [];
  }

  async removeDay(list: string, day: string): Promise<void> {
    await this.#index.delete(`${list}/${day}`);
    const left = (await this.days(list)).filter((one) => one !== day);
    if (left.length === 0) await this.#days.delete(list);
    else await this.#days.set(list, { days: left });
  }
}
