import type { Snapshot } from "../domain/model.ts";
import { type GameSession, isOn, isOver, voteState } from "../domain/session.ts";
import type { KeptSession, SessionPost } from "./session-records.ts";

/** What a session needs next when nobody asks. Pure. */

/** nothing: only its messages. miss: its vote is closed. end: by itself. sum-up: what was seen is said. forget: it is done with. */
export type SessionStep = "nothing" | "miss" | "end" | "sum-up" | "forget";

/** A vote that has enough waits so long after its deadline for somebody to start. */
const START_WITHIN_MS = 2 * 3_600_000;
/** Nobody plays longer; somebody has forgotten to end it. */
const LONGEST_MS = 12 * 3_600_000;
/** Past sessions of a server that are kept. */
export const MOST_PAST = 200;
/** Staff that are counted in one session. */
const MOST_STAFF = 500;

export function stepOf(session: KeptSession, nowMs: number): SessionStep {
  const { vote, start } = session;
  if (isOver(session)) {
    if (isToBeSummedUp(session) && session.past === undefined) return "sum-up";
    return isFinished(session) ? "forget" : "nothing";
  }
  if (start !== undefined) return nowMs - start.atMs >= LONGEST_MS ? "end" : "nothing";
  if (vote === undefined || nowMs < vote.untilMs) return "nothing";
  const isWaiting = voteState(vote, nowMs) === "enough" && nowMs < vote.untilMs + START_WITHIN_MS;
  return isWaiting ? "nothing" : "miss";
}

/** When a session that nobody has ended was over by itself, whenever that is noticed. */
export function overByItselfMs({ start }: GameSession, nowMs: number): number {
  return start === undefined ? nowMs : Math.min(nowMs, start.atMs + LONGEST_MS);
}

/** How long it has been over, whichever way the clock was set since; 0 while it is not. */
export function overForMs(session: GameSession, nowMs: number): number {
  if (!isOver(session)) return 0;
  const overMs = session.end?.atMs ?? session.vote?.untilMs ?? nowMs;
  return Math.abs(nowMs - overMs);
}

/** What is posted from now on is posted there; what stands already, or is on its way, stays where it is. */
export function inChannel(session: KeptSession, channelId: string): KeptSession {
  if (session.channelId === channelId) return session;
  const posts = session.posts.map((post) => ({ ...post, channelId: channelOf(session, post) }));
  return { ...session, channelId, posts };
}

export function channelOf(session: KeptSession, post: SessionPost): string {
  return post.channelId ?? session.channelId;
}

/** All its messages say their last. */
export function isFinished(session: KeptSession): boolean {
  if (!isOver(session) || session.posts.some(({ isDone }) => isDone !== true)) return false;
  return !isToBeSummedUp(session) || session.past !== undefined;
}

/** What was cancelled is no evening, and of an unlinked server nothing more is read. */
function isToBeSummedUp({ start, end }: GameSession): boolean {
  return start !== undefined && (end?.why === "ended" || end?.why === "limit");
}

/** With what a look shows; the same object where it shows nothing new, or is not of the time of the session. */
export function seenWith(
  session: KeptSession,
  { takenAtMs, status, lists }: Snapshot,
  nowMs: number,
): KeptSession {
  const { start, seen } = session;
  if (!isOn(session) || start === undefined) return session;
  // Where it is not even that late yet, the clock was set back since, and the look came after the start all the same.
  if (takenAtMs < start.atMs && nowMs >= start.atMs) return session;
  const peak = Math.max(seen.peak ?? 0, status.currentPlayers);
  const known = new Set(seen.staffIds);
  const others = (lists.players ?? [])
    .filter(({ permission }) => permission !== "" && permission !== NO_RANK)
    .flatMap(({ player: { id } }) => (id === undefined || known.has(id) ? [] : [id]));
  if (peak === seen.peak && others.length === 0) return session;
  return {
    ...session,
    seen: { peak, staffIds: [...seen.staffIds, ...new Set(others)].slice(0, MOST_STAFF) },
  };
}

const NO_RANK = "Normal";
