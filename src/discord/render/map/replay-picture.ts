import type { HistoryRow } from "../../../domain/history.ts";
import { isRemote } from "../../../domain/history.ts";
import type { ReplayEvent, ReplayPicture } from "../../../domain/map.ts";
import type { PlayerRef } from "../../../domain/model.ts";
import type { PictureLook } from "../../../domain/picture-look.ts";
import { clockIn } from "../../../domain/time-zones.ts";
import type { Track } from "../../../domain/track.ts";

/** What a replay shows of what was recorded: who it is about, and what happened. Pure. */

/** Seconds before and after the moment: two minutes, most of them of what led to it. */
export const REPLAY_BEFORE_S = 90;
export const REPLAY_AFTER_S = 30;
/** A kill that is no farther from the moment than this is what the replay is about, where nobody was named. */
const NEAR_KILL_S = 45;
const MOST_FOCUS = 6;

/** What no look shows. */
export const NOT_SHOWN = "The game shows where players are, not who fired.";

export interface Scene {
  readonly track: Track;
  /** Of those two minutes. */
  readonly rows: readonly HistoryRow[];
  readonly atS: number;
  /** Whom it is about; empty: whoever the nearest kill names. */
  readonly playerIds: readonly number[];
  readonly zone: string;
  readonly look: PictureLook;
}

type Kill = Extract<HistoryRow, { readonly kind: "kill" }>;

/** By id: the ones it is about, and those whom they killed, or who killed them, in these minutes. */
export function focusOf({
  rows,
  atS,
  playerIds,
}: Pick<Scene, "rows" | "atS" | "playerIds">): readonly number[] {
  const kills = rows.filter((row): row is Kill => row.kind === "kill");
  const named = new Set(playerIds);
  const away = ({ atS: at }: Kill) => Math.abs(at - atS);
  const about = kills
    .filter((kill) =>
      named.size === 0
        ? away(kill) <= NEAR_KILL_S
        : [kill.killer, kill.killed].some(({ id }) => id !== undefined && named.has(id)),
    )
    .sort((a, b) => away(a) - away(b));
  const meant = named.size === 0 ? about.slice(0, 1) : about;
  const ids = [...named, ...meant.flatMap(({ killer, killed }) => [killer.id, killed.id])];
  return [...new Set(ids.filter((id) => id !== undefined))].slice(0, MOST_FOCUS);
}

export function replayPicture(scene: Scene): ReplayPicture {
  const { track, zone, look } = scene;
  const focus = new Set(focusOf(scene));
  const { looksS } = track;
  const people = track.players.map(({ player, permission, spots }) => ({
    name: player.name,
    isStaff: permission !== undefined && permission !== "" && permission !== "Normal",
    isMeant: player.id !== undefined && focus.has(player.id),
    spots,
  }));
  return {
    kind: "replay",
    look,
    title: titleOf(scene, focus),
    times: looksS.map((atS) => clockIn(zone, atS * 1_000).slice(-5) + secondOf(atS)),
    looksS,
    people,
    events: eventsOf(scene, focus),
    caption: [`Times in ${zone}. ${pace(looksS)}`, NOT_SHOWN],
  };
}

function secondOf(atS: number): string {
  return `:${String(atS % 60).padStart(2, "0")}`;
}

/** "Positions every 5 s." by the middle gap; where gaps differ much, from and to. */
export function pace(looksS: readonly number[]): string {
  const gaps = looksS
    .slice(1)
    .map((atS, at) => atS - (looksS[at] ?? atS))
    .sort((a, b) => a - b);
  const [least = 0, most = 0] = [gaps[0], gaps.at(-1)];
  if (gaps.length === 0) return "One look only.";
  return most - least <= 2
    ? `Positions every ${gaps[Math.floor(gaps.length / 2)]} s.`
    : `Positions every ${least} to ${most} s.`;
}

function titleOf({ rows, atS, track, playerIds }: Scene, focus: ReadonlySet<number>): string {
  const kill = killsOf(rows, focus).sort((a, b) => Math.abs(a.atS - atS) - Math.abs(b.atS - atS))[0];
  if (kill !== undefined) return `${kill.killer.name} killed ${kill.killed.name}`;
  const [first] = playerIds;
  const name = track.players.find(({ player }) => player.id === first)?.player.name;
  return name === undefined ? "Two minutes on the map" : `${name}, two minutes`;
}

function killsOf(rows: readonly HistoryRow[], focus: ReadonlySet<number>): readonly Kill[] & Kill[] {
  const isMeant = ({ id }: PlayerRef) => id !== undefined && focus.has(id);
  return rows.filter(
    (row): row is Kill =>
      row.kind === "kill" && (focus.size === 0 || isMeant(row.killer) || isMeant(row.killed)),
  );
}

function eventsOf({ rows, track, atS }: Scene, focus: ReadonlySet<number>): readonly ReplayEvent[] {
  const indexOf = ({ id }: PlayerRef) => {
    const at = track.players.findIndex(({ player }) => player.id !== undefined && player.id === id);
    return at < 0 ? undefined : at;
  };
  const kills = killsOf(rows, focus).map((kill): ReplayEvent => {
    const words = `${kill.killer.name} killed ${kill.killed.name}`;
    return { atS: kill.atS, kind: "kill", words, person: indexOf(kill.killed) };
  });
  const calls = rows.flatMap((row): readonly ReplayEvent[] => {
    if (row.kind !== "modCall" || isRemote(row.caller)) return [];
    if (focus.size > 0 && !focus.has(row.caller.id ?? -1)) return [];
    return [{ atS: row.atS, kind: "call", words: `${row.caller.name} called`, person: indexOf(row.caller) }];
  });
  // The one that the replay is about comes first: the picture is laid around it.
  return [...kills, ...calls].sort((a, b) => Math.abs(a.atS - atS) - Math.abs(b.atS - atS));
}
