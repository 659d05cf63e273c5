import type { PlayerRef } from "./model.ts";

/**
 * Whom a command hits. The only answer to it: the confirmation, the dry run, the rights, the case, the card of a player,
 * the undo and the alerts all ask here. Pure.
 */

/** How the game reads the names behind a verb. */
export interface Aim {
  /** As typed, split at commas. */
  readonly targetTexts: readonly string[];
  /**
   * `present`: people in the server, by name. `anyone`: they, and by id or whole name people who are not there.
   * `banned`: by id or whole name, nobody who is there.
   */
  readonly finds: "present" | "anyone" | "banned";
  /** Only the first name counts. */
  readonly takesOne: boolean;
  /** Without a name it is for its author. */
  readonly authorIfNone: boolean;
}

/** Who can be hit. */
export interface Around {
  readonly present: readonly PlayerRef[];
  /** Others of whom name and id are known. */
  readonly absent: readonly PlayerRef[];
  /** Who typed it in the game; undefined: it is run by Remote Server, who has no body. */
  readonly author?: PlayerRef | undefined;
}

/** Whom one text names. */
export interface Hit {
  readonly text: string;
  readonly players: readonly PlayerRef[];
}

const SELF = "me";
const ID = /^\d{1,15}$/;

/** The targets that hit everybody, or everybody else. */
export function isMassWord(text: string): boolean {
  return /^(?:all|others)$/i.test(text.trim());
}

/** Of each text whom it hits: by the whole name, else by the id where the verb takes ids, else by the beginning of names. */
export function whomItHits(aim: Aim, around: Around): readonly Hit[] {
  const people = { ...around, present: distinct(around.present) };
  const { targetTexts, takesOne, authorIfNone } = aim;
  if (targetTexts.length === 0) {
    const { author } = around;
    return authorIfNone && author !== undefined ? [{ text: "", players: [author] }] : [];
  }
  const texts = takesOne ? targetTexts.slice(0, 1) : targetTexts;
  return texts.map((text) => ({ text, players: matching(text.trim().toLowerCase(), aim.finds, people) }));
}

/** Those of a hit whose names only begin with its text: another player may have been meant. */
export function hitByBeginning({ text, players }: Hit): readonly PlayerRef[] {
  const wanted = text.trim().toLowerCase();
  if (isMassWord(wanted) || isSelf(wanted)) return [];
  return players.filter(({ name, id }) => name.toLowerCase() !== wanted && String(id) !== wanted);
}

/**
 * Others who are there and whose names begin with a whole name in the text: nobody says that the game never takes it for
 * them. An id is of one player.
 */
export function alsoBegun(
  aim: Aim,
  hits: readonly Hit[],
  present: readonly PlayerRef[],
): readonly PlayerRef[] {
  const named = hits.filter(({ text }) => aim.finds === "present" || !ID.test(text.trim()));
  const whole = named.filter((hit) => hit.players.length > 0 && hitByBeginning(hit).length === 0);
  const texts = whole
    .map(({ text }) => text.trim().toLowerCase())
    .filter((text) => !isMassWord(text) && !isSelf(text));
  const isHit = (player: PlayerRef) =>
    hits.some(({ players }) => players.some((one) => isSamePlayer(one, player)));
  return distinct(present).filter(
    (player) => texts.some((text) => player.name.toLowerCase().startsWith(text)) && !isHit(player),
  );
}

/** Of those whom a command hit, who does not stand in its text by their whole name: only its author saw whom it meant. */
export function unnamedIn(text: string, players: readonly PlayerRef[]): readonly PlayerRef[] {
  const words = new Set(text.toLowerCase().split(/[\s,]+/));
  return players.filter(({ name }) => !words.has(name.toLowerCase()));
}

/** Whom a command punishes. */
export interface Punished {
  /** Each once. */
  readonly players: readonly PlayerRef[];
  /** Names that nobody who is known has. */
  readonly unknown: readonly string[];
}

/** A command on oneself punishes nobody. `self`: the account of who ran it, where that is not the author in the game. */
export function whomItPunishes(aim: Aim, around: Around, self?: PlayerRef): Punished {
  const hits = whomItHits(aim, around);
  const players = distinct(hits.flatMap((hit) => hit.players)).filter(
    (player) => !isSamePlayer(player, around.author) && !isSamePlayer(player, self),
  );
  const unknown = hits.filter(({ text, players: found }) => found.length === 0 && !isSelf(text));
  return { players, unknown: [...new Set(unknown.map(({ text }) => text))] };
}

/** By id, or by the name where one of them has none. */
export function isSamePlayer(one: PlayerRef, other: PlayerRef | undefined): boolean {
  if (other === undefined) return false;
  return one.id === undefined || other.id === undefined ? one.name === other.name : one.id === other.id;
}

/** The word for whoever typed the command in the game. */
export function isSelf(text: string): boolean {
  return text.trim().toLowerCase() === SELF;
}

function matching(
  wanted: string,
  finds: Aim["finds"],
  { present, absent, author }: Around,
): readonly PlayerRef[] {
  if (wanted === "") return [];
  if (isMassWord(wanted)) {
    if (finds === "banned") return [];
    return wanted === "all" ? present : present.filter((player) => !isSamePlayer(player, author));
  }
  if (isSelf(wanted)) return author === undefined ? [] : [author];
  const isNamed = ({ name }: PlayerRef) => name.toLowerCase() === wanted;
  const here = finds === "banned" ? [] : present;
  const whole = here.filter(isNamed);
  if (whole.length > 0) return whole;
  if (finds !== "present") {
    const known = [
      ...here,
      ...distinct(absent).filter((one) => !here.some((other) => isSamePlayer(one, other))),
    ];
    const byId = ID.test(wanted) ? known.filter(({ id }) => id === Number(wanted)) : [];
    if (byId.length > 0) return byId;
    // An id reaches people whom nobody here has seen.
    if (ID.test(wanted)) return [{ name: wanted, id: Number(wanted) }];
    const away = known.filter(isNamed);
    if (away.length > 0) return away;
  }
  return here.filter(({ name }) => name.toLowerCase().startsWith(wanted));
}

/** One player may stand in several lists, now and then without an id. */
function distinct(players: readonly PlayerRef[]): readonly PlayerRef[] {
  const byId = new Map<number, PlayerRef>();
  for (const player of players) if (player.id !== undefined) byId.set(player.id, player);
  const names = new Set([...byId.values()].map(({ name }) => name));
  const bare = new Map<string, PlayerRef>();
  for (const player of players) {
    if (player.id === undefined && !names.has(player.name)) bare.set(player.name, player);
  }
  return [...byId.values(), ...bare.values()];
}
