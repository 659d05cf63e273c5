import type { PlayerRef, Snapshot, SourceId } from "../domain/model.ts";

/** For how long the team of a player who is no longer listed stays known. */
const KNOWN_MS = 120_000;

/** Which team each player of a server was in lately; after a start no team is known. */
export class PlayerTeams {
  readonly #teams = new Map<SourceId, Map<number, { readonly team: string; readonly atMs: number }>>();

  note({ source, lists, takenAtMs }: Snapshot): void {
    if (lists.players === undefined) return;
    const teams = this.#teams.get(source) ?? new Map();
    for (const [id, { atMs }] of teams) if (takenAtMs - atMs > KNOWN_MS) teams.delete(id);
    for (const { player, team } of lists.players) {
      // Where an answer does not tell a team, nobody has left theirs.
      if (player.id !== undefined && team !== "")
        teams.set(player.id, { team: team.toLowerCase(), atMs: takenAtMs });
    }
    this.#teams.set(source, teams);
  }

  /** In lower case; undefined: not known. */
  of(source: SourceId, { id }: PlayerRef): string | undefined {
    return id === undefined ? undefined : this.#teams.get(source)?.get(id)?.team;
  }
}
