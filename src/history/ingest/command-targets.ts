import type { Book, Sighting } from "./people.ts";

/** Somebody who was kicked is gone from the list when the command is read, so that people are remembered for a while. */
const REMEMBERED_S = 900;

interface Seen {
  readonly name: string;
  readonly id: number;
  readonly person: number | "forgotten";
  readonly firstS: number;
  readonly lastS: number;
}

/** Finds the player that a name in a command aims at: the game takes the beginning of a name of those in the server. */
export class CommandTargets {
  readonly #seen = new Map<number, Seen>();
  #newestS = 0;

  note(sightings: readonly Sighting[], book: Book): void {
    for (const { ref, atS } of sightings) {
      if (ref.id === undefined || ref.name === "") continue;
      const known = this.#seen.get(ref.id);
      const firstS = Math.min(atS, known?.firstS ?? atS);
      const lastS = Math.max(atS, known?.lastS ?? atS);
      const isNewest = known === undefined || atS === lastS;
      const person = isNewest ? (book.numberOf(ref, atS) ?? "forgotten") : known.person;
      const name = isNewest ? ref.name.toLowerCase() : known.name;
      this.#seen.set(ref.id, { name, id: ref.id, person, firstS, lastS });
      this.#newestS = Math.max(this.#newestS, atS);
    }
    for (const [id, { lastS }] of this.#seen) {
      if (lastS < this.#newestS - REMEMBERED_S) this.#seen.delete(id);
    }
  }

  /** The one player whom this name meant at that time; undefined: nobody, or several. */
  at(name: string, atS: number): number | "forgotten" | undefined {
    const wanted = name.toLowerCase();
    const near = [...this.#seen.values()].filter(
      ({ firstS, lastS }) => firstS - REMEMBERED_S <= atS && atS <= lastS + REMEMBERED_S,
    );
    const whole = near.find((one) => one.name === wanted || String(one.id) === wanted);
    if (whole !== undefined) return whole.person;
    const [first, second] = near.filter((one) => one.name.startsWith(wanted));
    return second === undefined ? first?.person : undefined;
  }
}
