import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type { Binding } from "../../domain/guild.ts";
import { TOO_MANY_KEYS } from "../../domain/key-lock.ts";
import type { Card, MessageBody, Row } from "../../domain/message.ts";
import type { ServerStatus } from "../../domain/model.ts";
import type { TypedTries } from "../../domain/ports/service-client.ts";
import { inlineName } from "./escape.ts";
import { profile } from "./server/view.ts";
import { ASK_COLOR, roleList } from "./setup-cards.ts";

/** What is asked about a pasted key before anything is saved. Pure. */

export interface LinkQuestion {
  readonly status: ServerStatus;
  readonly roleIds: readonly string[];
  /** The server is linked already; this key takes the place of its key. */
  readonly replaces: Binding | undefined;
  /** Of the buttons. */
  readonly ids: { readonly yes: string; readonly no: string };
}

/** Shown before anything is saved: a person who pasted another server's key sees it by the name. */
export function isThisYours({ status, roleIds, replaces, ids }: LinkQuestion): MessageBody {
  const isRenamed = replaces !== undefined && replaces.name !== status.name;
  const as = isRenamed ? md` It is linked here as **${inlineName(replaces.name)}**.` : md``;
  const staff = { name: md`Staff, can run commands`, value: roleList(roleIds) };
  const card: Card = {
    title: replaces === undefined ? md`❓ Is this your server?` : md`❓ Replace the key of this server?`,
    description: joined(
      [
        md`**${inlineName(status.name)}**`,
        replaces === undefined
          ? "Not saved yet."
          : md`Not saved yet.${as} Its key will be replaced. Feeds and records continue.`,
      ],
      "\n",
    ),
    color: ASK_COLOR,
    fields: [
      { name: md`Owner`, value: profile(status.ownerId, "their Roblox profile"), inline: true },
      { name: md`Players`, value: md`${status.currentPlayers} of ${status.maxPlayers}`, inline: true },
      ...(roleIds.length === 0 ? [] : [staff]),
    ],
    footer: "The key is forgotten after 5 minutes without an answer.",
  };
  const row: Row = [
    {
      kind: "button",
      style: "success",
      label: replaces === undefined ? "Yes, link it" : "Yes, replace it",
      id: ids.yes,
    },
    { kind: "button", style: "secondary", label: "No", id: ids.no },
  ];
  return { cards: [card], rows: [row] };
}

/** No other key may be tried for now: in the guide, in the form for a key and above the question about one. */
export function keyLock({ fromMs, hasUnanswered }: Omit<TypedTries, "left">): Escaped {
  const when = fromMs === undefined ? md`later` : md`after <t:${Math.ceil(fromMs / 1_000)}:T>`;
  const again = hasUnanswered === true ? md` A key that got no answer can be pasted again now.` : md``;
  return md`🔒 ${TOO_MANY_KEYS} Try again ${when}.${again}`;
}

/** Asked before a request is spent on what somebody pasted. */
export function isThisAKey({
  tries,
  ids,
}: {
  readonly tries: TypedTries;
  readonly ids: { readonly yes: string; readonly again: string; readonly no: string };
}): MessageBody {
  const { left } = tries;
  const cost = left === 1 ? md`your last try for now` : md`1 of your ${left} tries`;
  return {
    cards: [
      {
        title: md`❓ Is this really the server key?`,
        description: joined(
          [
            md`It doesn't look like one. A server key is letters and digits with a hyphen, such as \`AbCdEfGh-IjKlMnOp\`.`,
            left === 0
              ? md`Not sent yet.\n${keyLock(tries)}`
              : md`Not sent yet. If it is wrong, it costs ${cost} (too many wrong keys get Marshal banned).`,
          ],
          "\n",
        ),
        color: ASK_COLOR,
        footer: "It is forgotten after 5 minutes without an answer.",
      },
    ],
    rows: [
      [
        { kind: "button", style: "primary", label: "Paste again", id: ids.again },
        { kind: "button", style: "secondary", label: "It is the key", id: ids.yes },
        { kind: "button", style: "secondary", label: "No", id: ids.no },
      ],
    ],
  };
}
