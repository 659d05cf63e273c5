import type { Still } from "../domain/duty.ts";
import type { Player } from "../domain/model.ts";

/** From here on it is told apart. */
const TOLD_FROM_S = 15 * 60;
/** Looks further apart than this say nothing of the time between them. */
const LONGEST_GAP_S = 600;

interface Standing {
  readonly x: number;
  readonly z: number;
  readonly fromS: number;
  lastS: number;
  writtenS: number;
}

/** How long staff on one server stood where they stood. Where they were is not kept: a restart begins anew. */
export class StillTracker {
  readonly #bindingId: string;
  readonly #standing = new Map<number, Standing>();
  #over: Still[] = [];
  #lookedS = 0;

  constructor(bindingId: string) {
    this.#bindingId = bindingId;
  }

  see(players: readonly Player[], staff: ReadonlySet<number>, atS: number): void {
    // A clock that was set back says nothing of how long somebody stood.
    if (atS < this.#lookedS) this.#standing.clear();
    this.#lookedS = atS;
    const shown = new Map(players.map(({ player: { id }, location }) => [id, location]));
    for (const [playerId, known] of this.#standing) {
      const now = shown.get(playerId);
      const isStill = now?.x === known.x && now.z === known.z && atS - known.lastS <= LONGEST_GAP_S;
      if (isStill && staff.has(playerId)) known.lastS = atS;
      else {
        this.#over.push(...this.#told(playerId, known));
        this.#standing.delete(playerId);
      }
    }
    for (const [playerId, now] of shown) {
      if (playerId === undefined || now === undefined || !staff.has(playerId)) continue;
      if (this.#standing.has(playerId)) continue;
      this.#standing.set(playerId, { x: now.x, z: now.z, fromS: atS, lastS: atS, writtenS: atS });
    }
  }

  /** What is to be written since the last time that this was asked; what lasts comes again, longer. */
  takeChanges(): readonly Still[] {
    const changes = [
      ...this.#over,
      ...[...this.#standing].flatMap(([playerId, standing]) => this.#told(playerId, standing)),
    ];
    this.#over = [];
    for (const standing of this.#standing.values()) standing.writtenS = standing.lastS;
    return changes;
  }

  /** They were not written: they come again. */
  giveBack(changes: readonly Still[]): void {
    this.#over.unshift(...changes);
  }

  /** Where they stand is looked at anew. */
  forget(playerId: number): void {
    this.#standing.delete(playerId);
    this.#over = this.#over.filter((still) => still.playerId !== playerId);
  }

  #told(playerId: number, { fromS, lastS, writtenS }: Standing): readonly Still[] {
    if (lastS - fromS < TOLD_FROM_S || lastS === writtenS) return [];
    return [{ bindingId: this.#bindingId, playerId, fromS, untilS: lastS }];
  }
}
