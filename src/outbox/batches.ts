import type { Batches, WaitingEntries } from "../domain/ports/batches.ts";
import type { Sink } from "../domain/ports/sink.ts";
import type { Turns, TurnWanted } from "../domain/ports/turns.ts";
import { inTurn, readInTurns } from "./in-turn.ts";

/** Batches go in turns, of which the feed gets the next whose entries have waited the most together. */
export function createBatches(sink: Sink, turns: Turns): Batches {
  const wanted = (entries: WaitingEntries, request: TurnWanted["request"]): TurnWanted => ({
    class: "batch",
    channelId: entries.channelId,
    request,
    isInDoubt: entries.isInDoubt,
    waiting: () => entries.waiting(),
  });
  return {
    async turn(entries, signal) {
      const turn = await turns.take(wanted(entries, "send"), signal);
      return {
        send: (message) => inTurn(turn, () => sink.send(entries.channelId, message)),
        giveBack: () => turn.done("unused"),
      };
    },
    readBack: (entries, afterMessageId, limit) =>
      // To read puts nothing in doubt, so a read may find out whether Discord is there again.
      readInTurns(turns, { ...wanted(entries, "read"), isInDoubt: true }, (nextPage) =>
        sink.readBack(entries.channelId, afterMessageId, limit, nextPage),
      ),
  };
}
