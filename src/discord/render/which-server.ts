import { md } from "../../domain/escaped.ts";
import type { Binding } from "../../domain/guild.ts";
import type { Button, MessageBody, Row } from "../../domain/message.ts";
import { cut, plainText } from "./escape.ts";

const BUTTONS_IN_ROW = 5;
/** Four rows of servers; the fifth turns the page. */
const SERVERS_ON_PAGE = 20;

export interface ServerQuestion {
  /** Names the waiting command in the buttons: `which:ID:BINDING`. */
  readonly id: string;
  readonly servers: readonly Binding[];
  /** From 0. */
  readonly page: number;
  /** The person may save the answer for the next time. */
  readonly manages: boolean;
}

/** "Which server?": a button for each, in the order in which they were linked. */
export function whichServer({ id, servers, page, manages }: ServerQuestion): MessageBody {
  const pages = Math.max(1, Math.ceil(servers.length / SERVERS_ON_PAGE));
  const at = Math.min(Math.max(0, page), pages - 1);
  const shown = servers.slice(at * SERVERS_ON_PAGE, (at + 1) * SERVERS_ON_PAGE);
  const buttons = shown.map(
    (server): Button => ({
      kind: "button",
      style: "primary",
      label: cut(plainText(server.name), 80) || "Server",
      id: `which:${id}:${server.id}`,
    }),
  );
  const rows: Row[] = [];
  for (let start = 0; start < buttons.length; start += BUTTONS_IN_ROW) {
    rows.push(buttons.slice(start, start + BUTTONS_IN_ROW));
  }
  if (pages > 1) {
    rows.push([
      turn("◀", `which-page:${id}:${at - 1}`, at === 0),
      turn("▶", `which-page:${id}:${at + 1}`, at === pages - 1),
    ]);
  }
  const save = manages ? md`\n-# Set a default with \`/setup default\`.` : "";
  return { content: md`**Which server?** Press one to continue.${save}`, rows };
}

function turn(label: string, id: string, disabled: boolean): Button {
  return { kind: "button", style: "secondary", label, id, disabled };
}
