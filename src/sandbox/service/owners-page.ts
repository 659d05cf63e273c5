import type { ServerResponse } from "node:http";
import type { Service } from "./service.ts";
import type { ServiceRequest } from "./wire.ts";

/** The page of the game service on which owners let a bot run commands, as far as this machine needs it. */

const PATH = "/server-owners";

export function isOwnersPage({ path }: Pick<ServiceRequest, "path">): boolean {
  return path === PATH || path.startsWith(`${PATH}/`);
}

/** Shows whether commands are allowed; a press, which comes as a POST, allows them. No limit counts it. */
export function answerOwner(
  service: Pick<Service, "keys" | "keyBook">,
  { method }: ServiceRequest,
  outgoing: ServerResponse,
): void {
  const { keys, keyBook } = service;
  if (method === "POST") for (const key of keys) keyBook.setCommandsAllowed(key, true);
  const isAllowed = keys.every((key) => keyBook.commandsAllowed(key));
  const words = isAllowed
    ? "<p>✅ Marshal may run commands on your server. Go back to Discord and press <b>Check again</b>.</p>"
    : '<p>Marshal may only read your server.</p><form method="post"><button>Let Marshal run commands</button></form>';
  outgoing.setHeader("Content-Type", "text/html; charset=utf-8");
  outgoing.end(
    `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Server owners</title>
<body style="font:16px sans-serif;max-width:32em;margin:3em auto;padding:0 1em"><h1>Server owners</h1>
<p>On the real game service you sign in here, as the owner, and trust Marshal's address or authorise its application.
Here one press does it.</p>${words}</body></html>`,
  );
}
