import type {
  CommandEntry,
  EmergencyCall,
  JoinEntry,
  KillEntry,
  ModCallEntry,
  PlayerRef,
} from "../../domain/model.ts";
import type { Spot } from "../../domain/track.ts";
import type { Sighting } from "./people.ts";

/** A guild that has the server linked. */
export interface Link {
  readonly guildId: string;
  readonly bindingId: string;
  /** Epoch seconds; what happened before is none of this guild's. */
  readonly linkedAtS: number;
}

/** A time of which rows may have been missed, as the journal tells it. */
export interface MissedTime {
  /** Absent where nothing is known of when the log was looked at before. */
  readonly fromS?: number;
  readonly toS: number;
}

/** Rows before which others may have been missed. */
export interface AfterGap {
  /** Absent where it is not known what was seen before: whatever the database has tells whether something is missing. */
  readonly missed?: MissedTime;
  readonly oldestS: number;
  readonly newestS: number;
}

/** What is to be stored of one log: of each second in which something is new, all rows of it. */
export interface LogRows<T> {
  readonly rows: readonly T[];
  readonly gaps: readonly AfterGap[];
  /** Rows may have gone with a log that the game server's start has cleared; nothing has come since. */
  readonly cleared: readonly MissedTime[];
  /** Of the whole window; without a row lower than any second. */
  readonly newestS: number;
  readonly length: number;
}

/** A command, and whom it hit. */
export type AimedCommand = CommandEntry & { readonly targets: readonly PlayerRef[] };

/** A call that staff took, or let go, on its card in Discord. */
export interface CardAnswer {
  readonly bindingId: string;
  readonly caller: PlayerRef;
  /** When it was called. */
  readonly atS: number;
  /** The player to whom the member is linked, else the member by name; absent: nobody has the call. */
  readonly by?: PlayerRef;
  readonly answeredS: number;
}

export interface ListedPlayer {
  readonly player: PlayerRef;
  readonly permission: string;
  /** Only where a guild records positions. */
  readonly spot?: Spot;
}

/** What one answer of the service brings, as it crosses to the worker. */
export interface RecordedAnswer {
  readonly links: readonly Link[];
  /** When it was answered, by the service's clock where that is known. */
  readonly atS: number;
  readonly playerCount: number;
  readonly players?: readonly ListedPlayer[];
  readonly queue?: number;
  readonly emergencyCalls?: readonly EmergencyCall[];
  /** The newest row of the join log, whatever of it is new; absent where it is empty or was not asked for. */
  readonly newestJoinS?: number;
  /** It showed the moderator calls, be it that nothing in them is new. */
  readonly hasModCalls: boolean;
  readonly joins?: LogRows<JoinEntry>;
  readonly kills?: LogRows<KillEntry>;
  readonly commands?: LogRows<AimedCommand>;
  readonly modCalls?: LogRows<ModCallEntry>;
  /** What changed on cards since the answer before. */
  readonly cardAnswers?: readonly CardAnswer[];
}

/** What came of storing answers. */
export interface StoredAnswers {
  /** New in the database. */
  readonly rows: number;
  /** Rows that the database does not take. */
  readonly refused: number;
  /** Why, of the first of them; for the operator. */
  readonly why?: string | undefined;
}

export function sumOf(all: readonly StoredAnswers[]): StoredAnswers {
  return all.reduce(
    (sum, { rows, refused, why }) => ({
      rows: sum.rows + rows,
      refused: sum.refused + refused,
      why: sum.why ?? why,
    }),
    { rows: 0, refused: 0 },
  );
}

/** All people whom an answer names, and when. */
export function sightingsOf(answer: RecordedAnswer): readonly Sighting[] {
  const { atS, players = [], joins, kills, commands, modCalls, emergencyCalls = [] } = answer;
  return [
    ...players.map(({ player }) => ({ ref: player, atS })),
    ...(joins?.rows ?? []).map(({ player, atS: at }) => ({ ref: player, atS: at })),
    ...(kills?.rows ?? []).flatMap(({ killer, killed, atS: at }) => [
      { ref: killer, atS: at },
      { ref: killed, atS: at },
    ]),
    ...(commands?.rows ?? []).map(({ player, atS: at }) => ({ ref: player, atS: at })),
    ...(modCalls?.rows ?? []).flatMap(({ caller, moderator, atS: at }) =>
      [caller, ...(moderator === undefined ? [] : [moderator])].map((ref) => ({ ref, atS: at })),
    ),
    ...emergencyCalls.flatMap(({ callerId, startedAtS }) =>
      callerId === undefined ? [] : { ref: { name: "", id: callerId }, atS: startedAtS },
    ),
  ];
}
