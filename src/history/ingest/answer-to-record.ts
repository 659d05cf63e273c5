import type { CommandEntry, LogEntry, LogList, Player, PlayerRef, Snapshot } from "../../domain/model.ts";
import type { Unread } from "../../domain/ports/journal.ts";
import { placeOf, type Spot } from "../../domain/track.ts";
import type { Link, ListedPlayer, RecordedAnswer } from "./recorded-answer.ts";
import { unreadRows } from "./unread-rows.ts";

/** A street or a team has a short name; anything longer is none. */
const LONGEST_WORD = 60;

export type News = Pick<Unread, "log" | "isFirst" | "items">;

export interface Answered {
  readonly snapshot: Snapshot;
  readonly atS: number;
  readonly news: readonly News[];
  readonly links: readonly Link[];
  readonly withSpots: boolean;
  hitBy(row: CommandEntry): readonly PlayerRef[];
}

/** An answer, with what is news in it, as the database takes it. Pure. */
export function recordedAnswerOf({ snapshot, atS, news, links, hitBy, withSpots }: Answered): RecordedAnswer {
  const { lists, status } = snapshot;
  const fresh = <T extends LogEntry>(window: readonly T[] | undefined, list: LogList) => {
    const own = news.find(({ log }) => log.list === list);
    return window === undefined || own === undefined ? undefined : unreadRows(window, own);
  };
  const joins = fresh(lists.joinLogs, "joinLogs");
  const kills = fresh(lists.killLogs, "killLogs");
  const commands = fresh(lists.commandLogs, "commandLogs");
  const modCalls = fresh(lists.modCalls, "modCalls");
  // A log that is empty, because the game server started anew, is not older than anything.
  const newestJoinS = lists.joinLogs?.reduce<number | undefined>(
    (newestS, { atS: at }) => Math.max(newestS ?? at, at),
    undefined,
  );
  const aimed = commands?.rows.map((row) => ({ ...row, targets: hitBy(row) }));
  return {
    links,
    atS,
    playerCount: status.currentPlayers,
    ...(lists.players === undefined
      ? {}
      : { players: lists.players.map((player) => listedPlayer(player, withSpots)) }),
    ...(lists.queue === undefined ? {} : { queue: lists.queue.length }),
    ...(lists.emergencyCalls === undefined ? {} : { emergencyCalls: lists.emergencyCalls }),
    ...(newestJoinS === undefined ? {} : { newestJoinS }),
    hasModCalls: lists.modCalls !== undefined,
    ...(joins === undefined ? {} : { joins }),
    ...(kills === undefined ? {} : { kills }),
    ...(commands === undefined || aimed === undefined ? {} : { commands: { ...commands, rows: aimed } }),
    ...(modCalls === undefined ? {} : { modCalls }),
  };
}

function listedPlayer({ player, permission, team, location }: Player, withSpots: boolean): ListedPlayer {
  const place = withSpots ? placeOf(location) : undefined;
  if (place === undefined) return { player, permission };
  const { streetName, postalCode } = location ?? {};
  const spot: Spot = {
    ...place,
    team: team.slice(0, LONGEST_WORD),
    ...(streetName === undefined ? {} : { street: streetName.slice(0, LONGEST_WORD) }),
    ...(postalCode === undefined ? {} : { postal: postalCode.slice(0, LONGEST_WORD) }),
  };
  return { player, permission, spot };
}
