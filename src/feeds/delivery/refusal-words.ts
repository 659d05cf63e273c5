import type { SinkRefusal } from "../../domain/failure.ts";

/** Why Discord does not take a feed's messages. */
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

/** What is missing there is looked up when somebody asks: it may have changed since. */
const NO_ACCESS = "Marshal can't post there";
const CLOSED = "the thread is archived or locked";

/** Whether a change of permissions, or of a thread, can put it right: then a feed goes on by itself. */
export function mayPass(why: string): boolean {
  // Stored by an earlier release, the words go on with every permission that it could lack.
  return why.startsWith(NO_ACCESS) || why === CLOSED;
}
