import type { SinkRefusal } from "../../domain/failure.ts";

/** Why Discord does not take a feed's messages and, in the same breath, what would put it right. */
export function reasonInWords(refusal: SinkRefusal): string {
  switch (refusal.reason) {
    case "gone":
    case "message-gone":
      return "the channel was deleted";
    case "no-access":
    case "no-history":
      return "Marshal may not post there: it needs View Channel, Send Messages, Embed Links, Attach Files and Read Message History (in a thread also Send Messages in Threads)";
    case "closed":
      return "the thread is archived or locked";
    default:
      return `Discord refuses Marshal's messages there (${refusal.message})`;
  }
}
