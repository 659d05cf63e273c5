import type { Player } from "./model.ts";
import type { Clock } from "./ports/clock.ts";

/** Somebody on duty, as it was worked out last. */
export interface OnRoster {
  readonly userId: string;
  readonly isOnBreak: boolean;
  /** Where they were seen last in the game; absent: not yet, or their work is outside of it. */
  readonly seen?: { readonly bindingId: string; readonly playerId: number } | undefined;
}

/** Shifts are worked out each half minute while somebody is on duty; what is older than this is of a time that is over. */
const BELIEVED_MS = 15 * 60_000;

/** Who is on duty in each guild, from memory: for what cannot wait for the history. */
export class DutyRoster {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #guilds = new Map<string, { readonly people: readonly OnRoster[]; readonly atMs: number }>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  set(guildId: string, people: readonly OnRoster[]): void {
    if (people.length === 0) this.#guilds.delete(guildId);
    else this.#guilds.set(guildId, { people, atMs: this.#clock.monotonicMs() });
  }

  /** Nobody also where it is not known. */
  of(guildId: string): readonly OnRoster[] {
    const known = this.#guilds.get(guildId);
    return known === undefined || this.#clock.monotonicMs() - known.atMs > BELIEVED_MS ? [] : known.people;
  }

  /** Those whom this look at a server shows. */
  here(guildId: string, bindingId: string, players: readonly Player[] | undefined): readonly OnRoster[] {
    const present = new Set(players?.map(({ player }) => player.id));
    return this.of(guildId).filter(({ seen }) => seen?.bindingId === bindingId && present.has(seen.playerId));
  }
}

/** Whom a ping is for instead of its role; nobody: the role. Rejects when the store fails. */
export type WhoToPing = (guildId: string) => Promise<readonly string[]>;
