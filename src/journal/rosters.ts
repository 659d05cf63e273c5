import type { PlayerRef, Snapshot, SourceId } from "../domain/model.ts";

interface Roster {
  readonly ids: ReadonlySet<number>;
  readonly takenAtMs: number;
  readonly arrived: readonly Required<PlayerRef>[];
}

/**
 * Whom the list of players of each server showed last. In memory alone: nobody is new in the first list of a process,
 * since the log tells who joined before it.
 */
export class Rosters {
  readonly #last = new Map<SourceId, Roster>();

  take({ source, lists, takenAtMs, skippedRows }: Snapshot): void {
    if (lists.players === undefined) return;
    const before = this.#last.get(source)?.ids;
    const players = lists.players.flatMap(({ player: { name, id } }) =>
      id === undefined ? [] : [{ name, id }],
    );
    const arrived = before === undefined ? [] : players.filter(({ id }) => !before.has(id));
    // A row that could not be read may be anybody's who was there.
    const hidden = (skippedRows.players ?? 0) > 0 ? (before ?? []) : [];
    const ids = new Set([...hidden, ...players.map(({ id }) => id)]);
    this.#last.set(source, { ids, takenAtMs, arrived });
  }

  /** Whom this look shows and the list before it did not. */
  arrived({ source, takenAtMs }: Snapshot): readonly Required<PlayerRef>[] {
    const last = this.#last.get(source);
    return last?.takenAtMs === takenAtMs ? last.arrived : [];
  }

  forget(source: SourceId): void {
    this.#last.delete(source);
  }
}
