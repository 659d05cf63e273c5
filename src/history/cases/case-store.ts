import type { Case, CaseCard, CaseDraft, CaseKind, Watch } from "../../domain/case.ts";
import type { CaseFilter } from "../../domain/ports/cases.ts";

/** Cases that one guild may have; at ten a day that is 27 years. */
export const MOST_CASES = 100_000;

export interface AddedCase {
  readonly one: Case;
  readonly isNew: boolean;
  /** The guild has as many as it may: nothing was stored. */
  readonly isFull?: true;
}

/** Where a case stands among those of all guilds. */
export type CasePlace = Pick<Case, "atMs" | "guildId" | "number">;

/** Where cases are kept. Each call rejects with Failure "store" while the history cannot be written or read. */
export interface CaseStore {
  /** Gives it the next number of its guild; where one of the same origin stands, that one is the answer; where one was erased, one with number 0. */
  add(draft: CaseDraft, card: CaseCard | undefined): Promise<AddedCase>;
  get(guildId: string, number: number): Promise<Case | undefined>;
  byOrigin(guildId: string, origin: string): Promise<Case | undefined>;
  /** In the place of the one with its number. */
  put(one: Case): Promise<void>;
  search(guildId: string, filter: CaseFilter): Promise<readonly Case[]>;
  /** How many of each kind count against a player, those at or after `sinceMs`; revoked ones never do. */
  counts(
    guildId: string,
    playerId: number,
    of: Pick<CaseFilter, "bindingIds"> & { readonly sinceMs: number },
  ): Promise<Readonly<Partial<Record<CaseKind, number>>>>;
  /** Takes the player out of a case; the case goes where it names nobody else. Undefined: it did not name them. */
  erasePlayer(guildId: string, number: number, playerId: number): Promise<"erased" | "changed" | undefined>;
  /**
   * Of all guilds, those that a restart has to look at: since then, and where their card is behind, however old. The newest
   * first, at most `limit`, those after that one.
   */
  open(
    sinceMs: number,
    page: { readonly limit: number; readonly after?: CasePlace | undefined },
  ): Promise<readonly Case[]>;
}

/** An alert that was decided on, and may or may not stand in its channel. */
export interface PendingAlert {
  /** Stands in the footer of the message. */
  readonly key: string;
  readonly nonce: string;
  readonly channelId: string;
  readonly bindingId: string;
  readonly joinedAtS: number;
  /** The name under which they joined. */
  readonly name: string;
  /** When the join was seen, by our clock. */
  readonly sinceMs: number;
  /** Joins before this one that have no message of their own, because too many waited. */
  readonly earlierJoins?: number;
}

/** A watch with the joins that were posted of it. */
export interface WatchRow {
  readonly watch: Watch;
  /** By binding: the newest join that was posted, epoch seconds. */
  readonly toldS: Readonly<Record<string, number>>;
  /** When that was decided, by our clock. Rows of earlier versions lack it. */
  readonly toldAtMs?: Readonly<Record<string, number>>;
  /** Oldest first. */
  readonly alerts?: readonly PendingAlert[];
}

export interface StoredWatches {
  readonly rows: readonly WatchRow[];
  /** How many more stand there and cannot be read. */
  readonly unreadable: number;
}

export interface WatchStore {
  put(row: WatchRow): Promise<void>;
  remove(guildId: string, playerId: number): Promise<void>;
  /** Of all guilds. */
  all(): Promise<StoredWatches>;
}
