import type { PlayerRef, Snapshot, Staff } from "../../domain/model.ts";
import { RANKS, type Rank } from "../../domain/rank.ts";
import type { LookTimes } from "../sightings.ts";

/** The list of staff comes empty now and then, or is missing: it is believed when so many answers agree for so long. */
const AGREE_MS = 30_000;
const MOST_TIMES = 200;
/** So long after a command of ours its effect may show. */
const OWN_MS = 3 * 60_000;

/** Who is staff of the game by one answer. */
export interface StaffList {
  /** The same for lists that say the same. */
  readonly key: string;
  readonly ranks: ReadonlyMap<number, ReadonlySet<Rank>>;
  readonly names: readonly Required<PlayerRef>[];
  readonly sizes: Readonly<Record<Rank, number>>;
}

/** By the three maps of an answer. */
export function staffListOf({ admins, mods, helpers }: Staff): StaffList {
  const lists = { helper: helpers, mod: mods, admin: admins } as const;
  const ranks = new Map<number, Set<Rank>>();
  const names: Required<PlayerRef>[] = [];
  for (const rank of RANKS) {
    for (const [id, name] of lists[rank]) {
      ranks.set(id, (ranks.get(id) ?? new Set()).add(rank));
      names.push({ id, name });
    }
  }
  const sorted = [...ranks].sort(([a], [b]) => a - b).map(([id, held]) => [id, ...held]);
  return {
    key: JSON.stringify(sorted),
    ranks,
    names,
    sizes: { helper: helpers.size, mod: mods.size, admin: admins.size },
  };
}

interface Times {
  readonly askedAtMs: number;
  readonly takenAtMs: number;
}

/** The latest answer that showed who is there. */
export interface LatestLook extends Times {
  readonly players: Snapshot["lists"]["players"] & {};
  readonly ownerIds: readonly number[];
  /** Undefined: the answer had no list of staff, or a damaged one. */
  readonly staff: StaffList | undefined;
}

/** What the answers of one server have shown of its staff. Times are of the monotonic clock. */
export class StaffSightings {
  #latest: LatestLook | undefined;
  /** Of the answers that agree with the latest, oldest first; empty: the latest is not to be believed. */
  #agree: Times[] = [];
  /** Whom a command of ours changes: their own entry speaks against nobody else's. */
  readonly #own = new Map<number, { readonly untilMs: number; changedMs: number }>();

  get latest(): LatestLook | undefined {
    return this.#latest;
  }

  /** An answer with a list of players. One that was asked for before an earlier one says nothing. */
  take(look: Pick<Snapshot, "lists" | "status" | "skippedRows">, { askedAtMs, takenAtMs }: LookTimes): void {
    const { players, staff } = look.lists;
    const before = this.#latest;
    if (players === undefined || (before !== undefined && askedAtMs < before.askedAtMs)) return;
    const isWhole = staff !== undefined && (look.skippedRows.staff ?? 0) === 0;
    const list = isWhole ? staffListOf(staff) : undefined;
    const { ownerId, coOwnerIds } = look.status;
    this.#latest = { askedAtMs, takenAtMs, players, ownerIds: [ownerId, ...coOwnerIds], staff: list };
    for (const [id, { untilMs }] of this.#own) if (untilMs < askedAtMs) this.#own.delete(id);
    const isGood = list !== undefined && list.ranks.size > 0 && players.length > 0;
    const goesOn = isGood && this.#agree.length > 0 && this.#isSame(before?.staff, list);
    if (!goesOn) this.#agree = [];
    if (isGood) this.#agree.push({ askedAtMs, takenAtMs });
    if (this.#agree.length > MOST_TIMES) this.#agree.splice(1, 1);
    for (const [id, own] of this.#own) if (!isSameEntry(before?.staff, list, id)) own.changedMs = askedAtMs;
  }

  /**
   * Two answers at least have agreed for so long, with none between them that did not. Only those asked for since count,
   * and of somebody whom we change those since their entry changed.
   */
  believed({ sinceMs = Number.NEGATIVE_INFINITY, forMs = AGREE_MS, of = 0 } = {}): StaffList | undefined {
    const fromMs = Math.max(sinceMs, this.#own.get(of)?.changedMs ?? sinceMs);
    const first = this.#agree.find(({ askedAtMs }) => askedAtMs >= fromMs);
    const last = this.#agree.at(-1);
    if (first === undefined || last === undefined || first === last) return undefined;
    return last.askedAtMs - first.takenAtMs >= forMs ? this.#latest?.staff : undefined;
  }

  /** Whether a list says what the latest answer said: of this player, and of all but those whom we change. */
  agrees(list: StaffList, playerId: number): boolean {
    const latest = this.#latest?.staff;
    return this.#isSame(latest, list) && isSameEntry(latest, list, playerId);
  }

  /** A command about this player is on its way or was answered just now. */
  onOwnStep(playerId: number, nowMs: number): void {
    const changedMs = this.#own.get(playerId)?.changedMs ?? Number.NEGATIVE_INFINITY;
    this.#own.set(playerId, { untilMs: nowMs + OWN_MS, changedMs });
  }

  #isSame(one: StaffList | undefined, other: StaffList): boolean {
    if (one === undefined || one.key === other.key) return one !== undefined;
    const ids = new Set([...one.ranks.keys(), ...other.ranks.keys()].filter((id) => !this.#own.has(id)));
    return [...ids].every((id) => isSameEntry(one, other, id));
  }
}

function isSameEntry(one: StaffList | undefined, other: StaffList | undefined, id: number): boolean {
  const ranks = (list: StaffList | undefined) => [...(list?.ranks.get(id) ?? [])].join();
  return ranks(one) === ranks(other);
}
