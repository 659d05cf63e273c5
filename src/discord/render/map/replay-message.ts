import { type Escaped, joined, markdownOfOurs, md } from "../../../domain/escaped.ts";
import type { HistoryRow } from "../../../domain/history.ts";
import { type Distance, distanceWord, isJump, isMoving } from "../../../domain/map.ts";
import type { MessageBody } from "../../../domain/message.ts";
import type { Spot, TrackedPlayer } from "../../../domain/track.ts";
import { cut, escapeMarkdown, inlineName, plainText } from "../escape.ts";
import { historyLine } from "../players/history-line.ts";
import { altText } from "./alt-text.ts";
import { focusOf, NOT_SHOWN, pace, type Scene } from "./replay-picture.ts";

/** Two minutes on the map: the picture, and the same in words, look by look. Pure. */

const COLOR = 0x5b4b8a;
const ROOM = 3_400;
const MOST_ROWS = 12;
const APART_WORDS: Readonly<Record<Distance, Escaped>> = {
  together: md`, **together**`,
  close: md`, **close together**`,
  near: md`, near each other`,
  far: md`, far apart`,
};

export interface ReplayMessage {
  readonly scene: Scene;
  readonly serverName: string;
  /** For how many days positions are kept; 0 or undefined: they are not. */
  readonly positionDays?: number | undefined;
  /** Whether the person who reads it may turn that on. @default false */
  readonly manages?: boolean;
  readonly nowS: number;
}

export function replayMessage(
  message: ReplayMessage,
  drawn: { readonly image: Uint8Array | undefined; readonly pictureWords?: Escaped | undefined },
): MessageBody {
  const { scene, serverName } = message;
  const { track, atS } = scene;
  const lines = [
    md`**<t:${atS}:f>** (<t:${atS}:R>)`,
    ...saidOf(message),
    ...(drawn.pictureWords === undefined ? [] : [drawn.pictureWords]),
    ...(track.looksS.length === 0 ? [] : [md`-# ${markdownOfOurs(`${pace(track.looksS)} ${NOT_SHOWN}`)}`]),
  ];
  const card = {
    author: cut(plainText(serverName), 200),
    title: md`🎞️ Replay`,
    description: joined(lines, "\n"),
    color: COLOR,
  };
  if (drawn.image === undefined) return { cards: [card] };
  const name = isMoving(track) ? "replay.gif" : "replay.png";
  const description = altText(lines, scene.zone);
  return { cards: [{ ...card, imageName: name }], files: [{ name, data: drawn.image, description }] };
}

function saidOf(message: ReplayMessage): readonly Escaped[] {
  const { scene } = message;
  const { track } = scene;
  const { looksS, players } = track;
  const happened = rowsOf(scene).map((row) => historyLine(row, {}));
  if (looksS.length === 0) return [whyNone(message), ...happened.slice(0, MOST_ROWS)];
  const focus = new Set(focusOf(scene));
  const meant = players.filter(({ player }) => player.id !== undefined && focus.has(player.id));
  const still = isMoving(track) ? [] : [md`⚠️ Too few looks for a replay. The picture numbers them instead.`];
  const looks = meant.length === 0 ? [crowdLine(players)] : lookLines(scene, meant);
  // Of one second the kill goes first: the look in it shows where the killed starts again.
  return [...still, ...merged([...happened.slice(0, MOST_ROWS), ...looks])];
}

function whyNone({ scene: { atS }, positionDays = 0, manages = false, nowS }: ReplayMessage): Escaped {
  if (positionDays === 0) {
    return md`No positions were saved then. ${manages ? md`Turn that on with \`/history retention positions:\`.` : md`Someone with Manage Server can turn that on.`}`;
  }
  // Within the kept days nothing was erased: it was off then, or nothing could be read.
  if (atS >= nowS - positionDays * 86_400) return md`No positions were saved then.`;
  return md`No positions are saved from then: they are kept for ${positionDays === 1 ? "1 day" : md`${positionDays} days`}.`;
}

/** What happened to those it is about; of all where it is about nobody. */
function rowsOf(scene: Scene): readonly HistoryRow[] {
  const focus = new Set(focusOf(scene));
  return scene.rows.filter((row) => {
    if (row.kind === "kill")
      return focus.size === 0 || [row.killer, row.killed].some(({ id }) => focus.has(id ?? -1));
    if (row.kind === "modCall") return focus.size === 0 || focus.has(row.caller.id ?? -1);
    return false;
  });
}

/** In the order of their times, while there is room. */
function merged(lines: readonly Escaped[]): readonly Escaped[] {
  const timeOf = (line: Escaped) => Number(/<t:(\d+):T>/.exec(line)?.[1] ?? 0);
  const all = lines.toSorted((a, b) => timeOf(a) - timeOf(b));
  let left = ROOM;
  return all.filter((line) => {
    left -= line.length + 1;
    return left > 0;
  });
}

function crowdLine(players: readonly TrackedPlayer[]): Escaped {
  return md`${players.length} players were seen. Add \`player:\` to follow one of them.`;
}

interface Said {
  readonly atS: number;
  readonly line: Escaped;
  readonly same: string;
}

/** A line for each look, without those between two that read the same. */
function lookLines({ track, rows }: Scene, meant: readonly TrackedPlayer[]): readonly Escaped[] {
  const said = track.looksS.map((atS, look): Said => {
    const seen = meant.map((person) => ({ person, spot: person.spots[look] ?? null }));
    const isBack = seen.map(({ person, spot }) =>
      isRespawn({ looksS: track.looksS, rows }, person, { look, spot }),
    );
    const parts = seen.map(({ person, spot }, at) =>
      personAt(track.looksS, person, { look, spot, isBack: isBack[at] === true }),
    );
    const apart = isBack.some(Boolean) ? md`` : apartWords(seen.map(({ spot }) => spot));
    const line = md`<t:${atS}:T> ${joined(parts, " · ")}${apart}`;
    return { atS, line, same: joined([...parts, apart], "") };
  });
  // The first and the last of those that read the same.
  const shown = said.filter(({ same }, at) => same !== said[at - 1]?.same || same !== said[at + 1]?.same);
  return shown.map(({ line }) => line);
}

/** `**Ann** Main Street`, with what is odd about how they got there. */
function personAt(
  looksS: readonly number[],
  { player, spots }: TrackedPlayer,
  { look, spot, isBack }: { readonly look: number; readonly spot: Spot | null; readonly isBack: boolean },
): Escaped {
  const name = md`**${inlineName(player.name)}**`;
  if (spot === null) return md`${name} not seen`;
  const street =
    spot.street === undefined || spot.street.trim() === ""
      ? md`no street`
      : escapeMarkdown(cut(spot.street, 30));
  const before = look === 0 ? null : (spots[look - 1] ?? null);
  const seconds = (looksS[look] ?? 0) - (looksS[look - 1] ?? 0);
  if (isBack) return md`${name} ${street} (respawned)`;
  return md`${name} ${street}${before === null ? md`` : moveWords(before, spot, seconds)}`;
}

/** Killed since the look before, and somewhere else now. */
function isRespawn(
  { looksS, rows }: { readonly looksS: readonly number[]; readonly rows: Scene["rows"] },
  { player, spots }: TrackedPlayer,
  { look, spot }: { readonly look: number; readonly spot: Spot | null },
): boolean {
  const before = look === 0 ? null : (spots[look - 1] ?? null);
  if (spot === null || before === null || distanceWord(before, spot) === "together") return false;
  const [fromS, toS] = [looksS[look - 1] ?? 0, looksS[look] ?? 0];
  return rows.some(
    (row) => row.kind === "kill" && row.killed.id === player.id && fromS <= row.atS && row.atS <= toS,
  );
}

/** Units within which somebody counts as standing still. */
const STILL_UNITS = 12;

function moveWords(before: Spot, now: Spot, seconds: number): Escaped {
  if (isJump(before, now, seconds)) return md` (jumped here)`;
  return Math.hypot(now.x - before.x, now.z - before.z) <= STILL_UNITS ? md` (still)` : md` (moving)`;
}

/** How far apart the first two are. */
function apartWords([a, b]: readonly (Spot | null)[]): Escaped {
  if (a == null || b == null) return md``;
  const word = distanceWord(a, b);
  return APART_WORDS[word];
}
