import type { Transaction } from "kysely";
import type { HistoryTables } from "../database/schema.ts";
import type { StoredCommand, StoredVisit } from "./store-logs.ts";

/** What one answer added to a server's history; nothing of it was stored before, by any process. */
export interface Added {
  readonly guild: number;
  readonly scope: number;
  readonly visits: readonly StoredVisit[];
  readonly commands: readonly StoredCommand[];
}

/**
 * Wants each row that is new, in the transaction that stores it: what it writes is there if and only if the row is, so
 * that a kill at any point neither loses nor repeats it. When it throws, the rows are not stored and come again.
 */
export interface Follower {
  onAdded(db: Transaction<HistoryTables>, added: Added): Promise<void>;
}

/** All followers, in their order. */
export const followers: readonly Follower[] = [];
