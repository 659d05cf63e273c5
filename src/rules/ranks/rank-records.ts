import { z } from "zod";
import {
  RAISED_STATES,
  RANKS,
  type Raised,
  type Rank,
  type RankEvent,
  type RankKeeper,
  type RankMapping,
  type RankPause,
  type TakenBack,
} from "../../domain/rank.ts";

/** What is kept of ranks: one document for each server with any, and one for each server that a community keeps. */

export interface ServerRanks {
  readonly guildId: string;
  readonly bindingId: string;
  readonly mappings: readonly RankMapping[];
  /** Absent: nobody confirmed a plan, and nothing is sent. */
  readonly keeper?: RankKeeper | undefined;
  readonly pause?: RankPause | undefined;
  readonly raised: readonly Raised[];
  /** Whose rank somebody else took away in the game: they are not put back. */
  readonly left: readonly { readonly playerId: number; readonly name: string; readonly rank: Rank }[];
  /** Of the last day. */
  readonly taken: readonly TakenBack[];
  /** The latest, oldest first. */
  readonly events: readonly RankEvent[];
}

/** The one community that keeps the ranks of a server. */
export interface RankKeeping {
  readonly guildId: string;
  readonly bindingId: string;
}

const rank = z.enum(RANKS);
const serverRanks = z.object({
  guildId: z.string(),
  bindingId: z.string(),
  mappings: z.array(z.object({ roleId: z.string(), rank, isOn: z.boolean() })),
  keeper: z.object({ byId: z.string(), byName: z.string(), channelId: z.string() }).optional(),
  pause: z
    .object({ byId: z.string().exactOptional(), atMs: z.number(), why: z.string().exactOptional() })
    .optional(),
  raised: z.array(
    z.object({
      playerId: z.number(),
      name: z.string(),
      rank,
      state: z.enum(RAISED_STATES),
      runId: z.string().exactOptional(),
      isSure: z.literal(true).exactOptional(),
      isSeen: z.literal(true).exactOptional(),
      isConfirmed: z.literal(true).exactOptional(),
    }),
  ),
  left: z.array(z.object({ playerId: z.number(), name: z.string(), rank })),
  taken: z.array(
    z.object({ runId: z.string(), playerId: z.number(), rank, atMs: z.number(), isCounted: z.boolean() }),
  ),
  events: z.array(
    z.object({
      atMs: z.number(),
      player: z.object({ name: z.string(), id: z.number() }),
      rank,
      what: z.enum(["raised", "taken", "left", "dropped"]),
      why: z.string().exactOptional(),
    }),
  ),
});
const rankKeeping = z.object({ guildId: z.string(), bindingId: z.string() });

/** For the store: checks on reading. */
export function parseServerRanks(value: unknown): ServerRanks {
  return serverRanks.parse(value);
}

/** For the store: checks on reading. */
export function parseRankKeeping(value: unknown): RankKeeping {
  return rankKeeping.parse(value);
}
