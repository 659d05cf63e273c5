import { LATE_S, latest, newestUntil, type Retained } from "./retained.ts";

/** Entries from `fromS` to `toS`, by their own seconds, may be missing. */
export interface Gap {
  /** Absent where nothing is known of when the log was looked at before. */
  readonly fromS?: number;
  readonly toS: number;
  /** The log has begun anew, so the game server has started: what was unseen of the old one is gone. */
  readonly isRestart?: true;
}

/** What else is known about an answer and the one before it. Seconds are the service's. */
export interface Look {
  readonly hasPlayers: boolean;
  /** The answer before it is not old: a server can hardly have started twice in between. */
  readonly recent: boolean;
  /** Some log of the server still shows a row of the answer before it: it has not started anew in between. */
  readonly continuous: boolean;
  /** It shows a row newer than all that were known: it is no old answer that is served again. */
  readonly isNew: boolean;
  /** It shows only older rows where newer ones were known: it is served again, and says nothing of what came since. */
  readonly isOld: boolean;
  /** The last answer that was surely new showed this log empty. */
  readonly wasEmpty: boolean;
  /** Rows of this window: a mod call with its answer is two facts, but one row. */
  readonly rows: number;
  /** The longest that a log of this kind was seen on any server: it drops rows beyond that. 0 before any was seen. */
  readonly fullest: number;
  /** A second that the service's clock has surely reached, where that is known. */
  readonly reachedS: number | undefined;
  /** The oldest and newest second of any row in any log of this answer. */
  readonly oldestS: number | undefined;
  readonly newestS: number | undefined;
  /** A second that had been reached when this log was last seen whole, or its gap was announced; of this run only. */
  readonly wholeS: number | undefined;
  /** When the answer came, by our own clock. */
  readonly takenAtS: number;
  /** The same by the service's clock, where the answer says so. */
  readonly presentS: number | undefined;
}

/** How sure it is that a log which begins anew takes nothing along that we have not seen. Stored: numbers stay. */
export const Calm = {
  none: 0,
  /** One answer without players, with rows that we knew; it may be an old one. */
  once: 1,
  /** Two such answers, or one that is surely new. */
  sure: 2,
  /** The log has begun anew, was seen empty, and what may have gone with the old one is dealt with. */
  anew: 3,
  /** As `anew`, but the server may have started once more since. */
  unsure: 4,
  /** As `anew`, and one answer showed that nobody is there any more; it may be an old one. */
  idleOnce: 5,
  /** As `anew`, and nobody is there any more: two such answers, or one that is surely new. */
  idle: 6,
} as const;

/** A log with fewer rows has not dropped any, as long as nobody has seen how long logs get. */
const SHORTEST_FULL = 20;

/** The calm after this look; `shared`: it shows a row that was known. */
export function calmAfter({ calm }: Retained, shared: boolean, look: Look): number {
  const { rows, hasPlayers, recent, isNew, isOld } = look;
  if (calm >= Calm.anew) {
    // Known rows stand in old answers only; one may as well be from after the start, and empty.
    if (shared || isOld) return calm;
    if (rows > 0) return Calm.none;
    if (!isIntact(calm, look)) return Calm.unsure;
    if (hasPlayers) return Calm.anew;
    return isNew || calm !== Calm.anew ? Calm.idle : Calm.idleOnce;
  }
  const wasIntact = calm > Calm.none && recent;
  if (!hasPlayers) {
    if (shared && isNew) return Calm.sure;
    return shared || wasIntact ? Math.min(Calm.sure, calm + 1) : Calm.none;
  }
  // Players are back; the log may begin anew once more at any time, unless a later answer shows that it has not.
  return rows === 0 && wasIntact && calm === Calm.sure ? Calm.anew : Calm.none;
}

/** Whether all that came since the answer before stands in this one, as far as the log is shorter than logs get. */
function isIntact(calm: number, { recent, continuous }: Look): boolean {
  if (calm === Calm.sure) return recent;
  if (calm === Calm.idle && recent) return true;
  return isBegun(calm) && continuous;
}

/** The log has begun anew, and what went with the old one is dealt with. */
export function isBegun(calm: number): boolean {
  return calm >= Calm.anew && calm !== Calm.unsure;
}

/** A log that is as long as ever may have dropped rows; a shorter one has all that came since it began. */
export function isFull({ longest }: Retained, { rows, fullest }: Look): boolean {
  return rows >= Math.max(longest, fullest > 0 ? fullest : SHORTEST_FULL);
}

/**
 * Nothing in common with what we knew for sure, though newer rows are there: entries may have fallen out in between.
 * Silent where the server was empty and its log is shorter than it has been: that is the log of a server that
 * started again, and nothing has fallen out of it. A log as long as ever may have lost rows even then, and after a
 * long time without an answer a whole evening may have come and gone.
 *
 * `freshSeconds`: of the rows that are new, sorted, at least one.
 */
export function gapBefore(state: Retained, freshSeconds: readonly number[], look: Look): Gap | undefined {
  const { rows, fullest } = look;
  const isRestart = !isFull(state, look);
  const [firstS = 0] = freshSeconds;
  const newestS = freshSeconds.at(-1) ?? firstS;
  if (state.seconds.length === 0) {
    // Nothing to overlap with: only a log as long as logs get may have dropped its beginning. As long as nobody has
    // seen how long that is, any long one may have.
    const isLong = rows >= Math.max(SHORTEST_FULL, fullest);
    return isLong ? between(state, look, { beforeS: firstS, isRestart: false }) : undefined;
  }
  // A row that is minutes ahead of its time must not hide that everything else has moved on.
  const lastS = newestUntil(state, Math.max(newestS, look.takenAtS));
  if (lastS === undefined || newestS < lastS) return undefined;
  if (isIntact(state.calm, look) && isRestart) return undefined;
  return between(state, look, { beforeS: firstS, isRestart });
}

/**
 * The log stood full of rows and is empty, twice in answers that are surely new: the server has started anew, and
 * what this log took in before that and after our last look at it is gone. Said at once: its own next row may be
 * hours away. Silent where nobody was there, or where it has been said.
 */
export function gapOfCleared(state: Retained, look: Look): Gap | undefined {
  const isCleared = look.rows === 0 && state.seconds.length > 0 && look.isNew && look.wasEmpty;
  if (!isCleared || state.calm !== Calm.none || look.oldestS === undefined) return undefined;
  return between(state, look, { beforeS: look.oldestS, isRestart: true });
}

/**
 * Where unseen rows can begin: they came after the log was seen whole, and may be dated a little before that. What is
 * stored knows only when it brought rows last; the process that has looked since then knows better.
 */
function beginning(state: Retained, { wholeS, takenAtS, newestS }: Look): number | undefined {
  const seenS = newestUntil(state, Math.max(takenAtS, newestS ?? takenAtS));
  // Where a log has begun anew its old rows are dealt with; an empty one has none.
  const isAnew = state.calm >= Calm.anew || seenS === undefined;
  const storedS = isAnew ? undefined : Math.min(seenS, state.reachedS ?? seenS);
  const lastS = latest(storedS, wholeS) ?? seenS;
  return lastS === undefined ? state.floorS : Math.max(0, lastS - LATE_S);
}

/** Unseen rows came before the one of `beforeS`, which may itself have come late, and before this look. */
function between(
  state: Retained,
  look: Look,
  { beforeS, isRestart }: { readonly beforeS: number; readonly isRestart: boolean },
): Gap {
  const presentS = Math.max(beforeS, look.presentS ?? Number.POSITIVE_INFINITY);
  const toS = Math.min(beforeS + LATE_S, presentS);
  const fromS = beginning(state, look);
  return {
    ...(fromS === undefined ? {} : { fromS: Math.min(fromS, toS) }),
    toS,
    ...(isRestart ? { isRestart } : {}),
  };
}
