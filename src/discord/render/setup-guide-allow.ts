import { type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { Button, MessageBody, Row } from "../../domain/message.ts";
import type { OwnerPage } from "../../domain/ports/command-permission.ts";
import { cut, escapeMarkdown, inlineCode, plainText } from "./escape.ts";
import { PASTE_NEW_KEY } from "./setup-cards.ts";
import { button, type GuideView, type Walk } from "./setup-guide-parts.ts";

/** The step of the owner's permission to run commands. Pure. */

/** Opens the step from elsewhere, as a message of its own. */
export function letCommandsRun(bindingId: string): Button {
  return {
    kind: "button",
    style: "primary",
    label: "Let Marshal run commands",
    id: `guide-allow:${bindingId}`,
  };
}

export function allowText({
  permission,
  ownerPage,
  isAsked,
  isChecking = false,
  isKeyRefused,
  note,
  nowMs,
}: GuideView): readonly Escaped[] {
  if (isKeyRefused === true) {
    return [md`⛔ The server key is wrong or expired, so nothing runs. First replace it: \`/setup link\`.`];
  }
  if (permission.kind === "allowed") return [md`✅ Marshal can run commands on this server.`];
  if (isAsked === true) {
    return [
      md`Marshal can't tell whether it can run commands before it runs one. A test: \`:log Marshal check\` writes one line to the game's log and affects nobody.`,
      md`Run it?`,
    ];
  }
  return [
    md`The key only lets Marshal read. To run commands it also needs the permission of the **server's owner**, once.`,
    ...howTo(ownerPage),
    ...(permission.kind === "refused" && !isChecking
      ? [
          md``,
          md`${note === undefined ? md`⛔ Not allowed when it was last checked. ` : md``}${nowMs < permission.untilMs ? md`Press **Check again** once the owner has done it.` : md`The next command will be tried.`}`,
          md`-# The game service said: ${escapeMarkdown(cut(permission.why, 300))}`,
        ]
      : []),
  ];
}

function howTo(page: OwnerPage | undefined): readonly Escaped[] {
  if (page === undefined) return [];
  if (page.kind === "authorise") {
    return [md`The owner presses **Owner's page**, signs in and presses Authorize.`];
  }
  const { addresses } = page;
  if (addresses.length === 0) {
    return [
      md`The owner adds this bot's address at **Owner's page** (server, Settings). Ask Marshal's host for the address: \`PUBLIC_ADDRESS\` is not set.`,
    ];
  }
  const what = addresses.length === 1 ? "this address" : "these addresses";
  return [
    md`The owner presses **Owner's page**, signs in, chooses the server and opens Settings. There they add ${what} to the trusted ones:`,
    joined(
      addresses.slice(0, 20).map((address) => inlineCode(address)),
      " ",
    ),
  ];
}

export function allowRows(
  { permission, ownerPage, isAsked, isChecking = false, isChecked, isKeyRefused, binding }: GuideView,
  walk: Walk,
): readonly Row[] {
  const id = binding?.id ?? "";
  if (isKeyRefused === true) return [walk(PASTE_NEW_KEY)];
  if (permission.kind === "allowed") return [walk()];
  if (isAsked === true) {
    return [[button("Yes, run it", `guide-prove:${id}`, "primary")], walk()];
  }
  const page: readonly Button[] =
    ownerPage === undefined
      ? []
      : [{ kind: "button", style: "link", label: "Owner's page", id: ownerPage.url }];
  const check = button(
    permission.kind === "refused" || isChecked === true ? "Check again" : "Check",
    `guide-check:${id}`,
    "primary",
  );
  const copy = button("Copy for the owner", `guide-copy:${id}`);
  return [[...page, copy, ...(isChecking ? [] : [check])], walk()];
}

/** Three lines and the link, in a block that one press copies: who sets up is often not the owner. */
export function forTheOwner(serverName: string, page: OwnerPage): MessageBody {
  // It is pasted and sent by a person, whose message may ping.
  const name = plainText(serverName).replaceAll("`", "'").replaceAll("@", "@\u200b");
  const how =
    page.kind === "authorise"
      ? "Please open the link, sign in as the owner and press Authorize."
      : `Please open the link, sign in, choose the server, open Settings and add ${page.addresses.length === 0 ? "the trusted address that Marshal's host gives you." : `this trusted address: ${page.addresses.slice(0, 20).join(", ")}`}`;
  const lines = [
    `Our Discord bot Marshal can read "${name}", but needs your permission to run commands.`,
    how,
    "You can take it back on the same page at any time.",
    page.url,
  ];
  // Inside of a block nothing is Markdown but its end.
  const text = markdownOfOurs(lines.join("\n"));
  return { content: md`\`\`\`\n${text}\n\`\`\`` };
}
