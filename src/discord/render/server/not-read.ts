import { type Escaped, md } from "../../../domain/escaped.ts";
import type { FailureCode } from "../../../domain/failure.ts";

/**
 * Why nothing newer can be read of a server, in sentences of which the first goes on after "Not up to date:". One wording
 * for the panel, `/server status` and `/diagnose`. Where nobody can mend it, it passes by itself. Pure.
 */
export function notReadWords(code: FailureCode): Escaped {
  switch (code) {
    case "module-outdated":
      return md`the game server runs an old version. Everyone has to leave it once: a Manager shuts it down from inside the game (Marshal can't).`;
    case "moved":
      return md`the game service has moved. Marshal's host has to set its new address.`;
    case "unreachable":
      return md`the game service is not answering.`;
    case "platform":
      return md`the game service has a problem.`;
    case "bad-response":
      return md`Marshal can't read the game service's answer.`;
    case "rate-limited":
      return md`the game service asked Marshal to wait.`;
    case "blocked":
      return md`the game service is blocking Marshal.`;
    case "key-rejected":
      return md`the server key is wrong or expired. Someone with Manage Server can replace it with \`/setup link\`.`;
    case "read-refused":
      return md`the game service does not let Marshal read this server.`;
    case "not-linked":
      return md`the server is no longer linked.`;
    case "queue-full":
    case "busy":
      return md`Marshal is busy.`;
    case "expired":
      return md`no answer came in time.`;
    default:
      return md`nothing newer can be read right now.`;
  }
}
