import { type Escaped, md } from "../../domain/escaped.ts";
import type { SinkRefusalReason } from "../../domain/failure.ts";

export const BY_ALERT_EDIT = md`\`/alert edit\``;
export const BY_FEED_EDIT = md`\`/feed edit\``;

/**
 * Why Discord takes no message in a channel that was just named, and what to do: what follows "I can't post in #logs: ".
 * `chooseWith`: the command that sets another channel.
 */
export function refusedText(reason: SinkRefusalReason, chooseWith: Escaped): Escaped {
  switch (reason) {
    case "gone":
      return md`it no longer exists. Choose another one with ${chooseWith}.`;
    case "no-access":
    case "no-history":
      return md`give Marshal View Channel, Send Messages, Embed Links, Attach Files and Read Message History (in a thread also Send Messages in Threads), or choose another one with ${chooseWith}.`;
    case "closed":
      return md`the thread is archived or locked. Open it, or choose another one with ${chooseWith}.`;
    case "form":
      return md`Discord refuses what the message says.`;
    case "unknown":
      return md`Discord did not answer. The message may still appear. Try again in a minute.`;
    default:
      return md`Discord refuses messages there. Choose another one with ${chooseWith}.`;
  }
}
