import { Failure } from "../domain/failure.ts";
import { type GameSession, isOn, type SessionSetup } from "../domain/session.ts";
import type { SessionPage } from "./session-records.ts";

/** Why a vote or a session can't be what somebody asks for. Pure. */

export function alreadyOne(session: GameSession): Failure {
  return isOn(session)
    ? new Failure("bad-command", "A session is already on. End it with /session end.")
    : new Failure("bad-command", "A vote is already open. Start the session, or cancel the vote.");
}

export function voteIsOver(): Failure {
  return new Failure("bad-command", "This vote is over.");
}

/** A clock that was set back keeps nobody waiting: what ended later than now does not count. @throws Failure "bad-command" */
export function refuseEarly(
  { voteEndedMs }: SessionPage,
  { cooldownMinutes }: SessionSetup,
  nowMs: number,
): void {
  if (voteEndedMs === undefined || voteEndedMs > nowMs) return;
  const minutes = Math.ceil((voteEndedMs - nowMs) / 60_000) + cooldownMinutes;
  if (minutes <= 0) return;
  throw new Failure(
    "bad-command",
    `The last vote ended without a session. The next one can begin in ${minutes} min.`,
  );
}
