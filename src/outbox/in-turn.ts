import { SinkRefusal } from "../domain/failure.ts";
import type { PostedMessage } from "../domain/message.ts";
import type { Sink } from "../domain/ports/sink.ts";
import type { Turn, TurnOutcome, Turns, TurnWanted } from "../domain/ports/turns.ts";

/** Makes a request and ends its turn with what became of it. */
export async function inTurn<T>(turn: Turn, request: () => Promise<T>): Promise<T> {
  try {
    const result = await request();
    turn.done("taken");
    return result;
  } catch (error) {
    turn.done(outcomeOf(error));
    throw error;
  }
}

/** A read of several pages, each of which waits for a turn. */
export async function readInTurns<T>(
  turns: Turns,
  wanted: TurnWanted,
  read: (nextPage: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let turn = await turnOf(turns, wanted);
  const nextPage = async (): Promise<void> => {
    turn.done("taken");
    turn = await turnOf(turns, wanted);
  };
  try {
    const result = await read(nextPage);
    turn.done("taken");
    return result;
  } catch (error) {
    turn.done(outcomeOf(error));
    throw error;
  }
}

/** All our messages after one, oldest first; undefined: the channel's history may not be read. Rejects with SinkRefusal. */
export async function readAllAfter(
  { sink, turns }: { readonly sink: Pick<Sink, "readBack">; readonly turns: Turns },
  wanted: Omit<TurnWanted, "request" | "isInDoubt">,
  afterMessageId: string,
): Promise<readonly PostedMessage[] | undefined> {
  // To read puts nothing in doubt, so a read may find out whether Discord is there again.
  const read: TurnWanted = { ...wanted, request: "read", isInDoubt: true };
  try {
    return await readInTurns(turns, read, (nextPage) =>
      sink.readBack(wanted.channelId, afterMessageId, Number.POSITIVE_INFINITY, nextPage),
    );
  } catch (error) {
    if (error instanceof SinkRefusal && error.reason === "no-history") return undefined;
    throw error;
  }
}

/** A turn that the stop withdraws is a request that was never made. Rejects with SinkRefusal. */
export async function turnOf(turns: Turns, wanted: TurnWanted): Promise<Turn> {
  try {
    return await turns.take(wanted);
  } catch (cause) {
    throw new SinkRefusal("unknown", "no turn is given any more", { request: "none", cause });
  }
}

/** A refusal is an answer, and so is a wait that Discord asks for; what was not asked used nothing of the limit. */
function outcomeOf(error: unknown): TurnOutcome {
  const request = error instanceof SinkRefusal ? error.request : "unanswered";
  const outcomes = { answered: "taken", unanswered: "unanswered", none: "unused" } as const;
  return outcomes[request];
}
