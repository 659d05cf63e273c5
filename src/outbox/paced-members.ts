import { Failure } from "../domain/failure.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Members } from "../domain/ports/members.ts";
import type { Turn, TurnClass, Turns } from "../domain/ports/turns.ts";

/** Who wants a command run waits so long for a turn; while Discord is away there is none. */
const TURN_WITHIN_MS = 10_000;

/** Who reads: for somebody who wants a command run, so that it goes first; or members that are looked through. */
export type MembersClass = Extract<TurnClass, "run" | "round">;

/** The same reads of members, each of which waits for its turn. */
export function pacedMembers(
  members: Members,
  turns: Turns,
  { clock, as }: { readonly clock: Clock; readonly as: MembersClass },
): Members {
  return {
    async now(guildId, userId) {
      const turn = await turnFor({ guildId, userId, as }, turns, clock);
      try {
        const found = await members.now(guildId, userId);
        turn.done("taken");
        return found;
      } catch (error) {
        // Denied without a request: the bot is not in that guild any more.
        const isAsked = !(error instanceof Failure && error.code === "denied");
        turn.done(isAsked ? "unanswered" : "unused");
        throw error;
      }
    },
  };
}

async function turnFor(
  { guildId, userId, as }: { readonly guildId: string; readonly userId: string; readonly as: MembersClass },
  turns: Turns,
  clock: Clock,
): Promise<Turn> {
  const tooLate = new AbortController();
  const cancel = clock.after(TURN_WITHIN_MS, () => tooLate.abort());
  try {
    // To read puts nothing in doubt, so a read may find out whether Discord is there again.
    const channelId = `member ${guildId} ${userId}`;
    const wanted = { class: as, guildId, channelId, request: "read", isInDoubt: true } as const;
    return await turns.take(wanted, tooLate.signal);
  } catch (cause) {
    throw new Failure("paused", "Marshal can't read your roles right now.", { cause });
  } finally {
    cancel();
  }
}
