import { type Escaped, md } from "../../domain/escaped.ts";
import type { Binding } from "../../domain/guild.ts";
import type { Row } from "../../domain/message.ts";
import { inlineCode, inlineName } from "./escape.ts";
import { button, type GuidePart, type GuideView, type Walk } from "./setup-guide-parts.ts";
import { keyLock } from "./setup-key-cards.ts";

/** The step of the guided set-up that links the game server. Pure. */

export const LINK: GuidePart = {
  title: md`Link your game server`,
  short: "Server",
  isDone: ({ binding, isKeyRefused }) => binding !== undefined && isKeyRefused !== true,
  // A server that is linked with a key that no longer works was not skipped.
  isHalfDone: ({ isKeyRefused }) => isKeyRefused === true,
  text: linkText,
  rows: linkRows,
};

function linkText({ binding, tries, isKeyRefused }: GuideView): readonly Escaped[] {
  const how = md`The server's owner finds the key in the game: private server settings, API. It is stored encrypted, and only its last four characters are ever shown.`;
  const locked = tries?.left === 0 ? [keyLock(tries)] : [];
  if (binding === undefined) return locked.length > 0 ? locked : [how];
  if (isKeyRefused === true) {
    const copy = md` Copy the current one from the game's settings and paste it here.`;
    const refused = md`🔑 The server key of **${inlineName(binding.name)}** is wrong or expired.`;
    return [md`${refused}${locked.length > 0 ? md`` : copy}`, ...locked];
  }
  return [
    linkedLine(binding),
    ...(locked.length > 0 ? locked : [md`To set up another server, paste its key.`]),
  ];
}

export function linkedLine({ name, keyEnd }: Binding): Escaped {
  const key = keyEnd === undefined ? "" : md` Its key ends in ${inlineCode(keyEnd)}.`;
  return md`✅ **${inlineName(name)}** is linked.${key}`;
}

function linkRows({ binding, tries, isKeyWrong }: GuideView, walk: Walk): readonly Row[] {
  const id = binding?.id ?? "";
  const label = isKeyWrong === true ? "Try again" : "Paste the key";
  const paste =
    tries?.left === 0 ? button("Check again", `guide:link:${id}`) : button(label, "guide-key", "primary");
  return [binding === undefined ? [paste] : walk(paste)];
}
