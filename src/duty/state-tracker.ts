import type { DutyState } from "../domain/duty.ts";
import { LATEST_ROW_AHEAD_MS } from "../domain/future-rows.ts";
import type { Player } from "../domain/model.ts";

/** Looks further apart than this say nothing of the time between them. */
const LONGEST_GAP_S = 600;
/** A look that is this much older than the last is no answer that came late. */
const SET_BACK_S = LATEST_ROW_AHEAD_MS / 1_000;

interface Tracked {
  readonly state: DutyState;
  lastSeenS: number;
}

/** What looks at one server showed of the staff of one guild: team, callsign and rank, and from when to when. */
export class StateTracker {
  readonly #bindingId: string;
  readonly #open = new Map<number, Tracked>();
  #lookedS: number | undefined;
  /** The last look, where it was far behind the one that counts as the last. */
  #behindS: number | undefined;
  #changes = new Map<string, DutyState>();

  /** `open` are the states that were open when the process before ended, seen last at `lookedS`. */
  constructor(bindingId: string, open: readonly DutyState[], lookedS: number | undefined) {
    this.#bindingId = bindingId;
    this.#lookedS = lookedS;
    for (const state of open) {
      this.#open.set(state.playerId, { state, lastSeenS: Math.max(state.fromS, lookedS ?? state.fromS) });
    }
  }

  /** Takes a look in. Answers whether anybody of them came, went or changed. */
  see(players: readonly Player[], staff: ReadonlySet<number>, atS: number): boolean {
    if (this.#isOld(atS)) return false;
    const before = this.#changes.size;
    const shown = new Map(
      players.flatMap((one) => (one.player.id === undefined ? [] : [[one.player.id, one]])),
    );
    for (const [playerId, { state, lastSeenS }] of this.#open) {
      if (state.fromS > atS) {
        // Seen while the time that the service states was wrong.
        this.#note({ ...state, untilS: state.fromS, mightUntilS: state.fromS });
        this.#open.delete(playerId);
        continue;
      }
      const now = shown.get(playerId);
      const goesOn = now !== undefined && isSame(state, now) && atS - lastSeenS <= LONGEST_GAP_S;
      if (goesOn && staff.has(playerId)) continue;
      // Who was unlinked is looked at once more: until then they were there.
      this.#note({ ...state, untilS: goesOn ? atS : Math.min(lastSeenS, atS), mightUntilS: atS });
      this.#open.delete(playerId);
    }
    for (const [playerId, player] of shown) {
      if (!staff.has(playerId)) continue;
      const known = this.#open.get(playerId);
      if (known !== undefined) known.lastSeenS = atS;
      else this.#begin(playerId, player, atS);
    }
    this.#lookedS = atS;
    return this.#changes.size > before;
  }

  /** Whether a look says nothing of the present. Of two in a row that are far behind, the time before was the wrong one. */
  #isOld(atS: number): boolean {
    const lookedS = this.#lookedS ?? atS;
    const behindS = this.#behindS;
    this.#behindS = atS < lookedS - SET_BACK_S ? atS : undefined;
    const isSetBack = this.#behindS !== undefined && behindS !== undefined && atS > behindS;
    return atS < lookedS && !isSetBack;
  }

  /** Who is there now, with what the last look showed. */
  get present(): readonly DutyState[] {
    return [...this.#open.values()].map(({ state }) => state);
  }

  /** What is to be written since the last time that this was asked. */
  takeChanges(): readonly DutyState[] {
    const changes = [...this.#changes.values()];
    this.#changes = new Map();
    return changes;
  }

  /** They were not written: they come again. */
  giveBack(changes: readonly DutyState[]): void {
    const later = this.#changes;
    this.#changes = new Map([...changes.map((state) => [keyOf(state), state] as const), ...later]);
  }

  /** Nothing is known of what was seen of them: the next look sees them as new. */
  forget(playerId: number): void {
    this.#open.delete(playerId);
    for (const [key, state] of this.#changes) if (state.playerId === playerId) this.#changes.delete(key);
  }

  #begin(playerId: number, { team, callsign = "", permission: rank }: Player, atS: number): void {
    const mightFromS = this.#lookedS ?? atS;
    const state = { playerId, bindingId: this.#bindingId, fromS: atS, mightFromS, team, callsign, rank };
    this.#open.set(playerId, { state, lastSeenS: atS });
    this.#note(state);
  }

  #note(state: DutyState): void {
    this.#changes.set(keyOf(state), state);
  }
}

function keyOf({ playerId, fromS }: DutyState): string {
  return `${playerId} ${fromS}`;
}

/** Where an answer does not tell a team or a rank, nobody has another one. */
function isSame(state: DutyState, { team, callsign = "", permission }: Player): boolean {
  const isSameTeam = team === "" || state.team === team;
  return isSameTeam && state.callsign === callsign && (permission === "" || state.rank === permission);
}
