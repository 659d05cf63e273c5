import type { Feed } from "../../domain/guild.ts";
import type { OffsetRecord } from "../positions/offsets.ts";

/** A feed of calls, and since when: calls from before are not its business. */
export interface CallFeed {
  readonly feed: Feed;
  readonly sinceMs: number;
}

/** Where a delivery begins. */
export interface DeliveryStart {
  readonly feed: Feed;
  readonly record: OffsetRecord;
  /** The record is an earlier life's, which may have posted more than it wrote. */
  readonly doubtful: boolean;
}
