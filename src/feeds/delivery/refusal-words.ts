import type { SinkRefusal } from "../../domain/failure.ts";

/** Why Discord does not take a feed's messages and, in the same breath, what would put it right. */
export function reasonInWords(refusal: SinkRefusal): string {
  switch (refusal.reason) {
    case "gone":
    case "message-gone":
      return "the channel was deleted";
    case "no-access":
    case "no-history":
      return NO_ACCESS;
    case "closed":
      return CLOSED;
    default:
      return `Discord refuses Marshal's messages there (${refusal.message})`;
  }
}

const NO_ACCESS =
  "Marshal may not post there: it needs View Channel, Send Messages, Embed Links, Attach Files and Read Message History (in a thread also Send Messages in Threads)";
const CLOSED = "the thread is archived or locked";

/** Whether a change of permissions, or of a thread, can put it right: then a feed goes on by itself. */
export function mayPass(why: string): boolean {
  return why === NO_ACCESS || why === CLOSED;
}
