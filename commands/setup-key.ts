import type { Form } from "../src/discord/command.ts";
import { plainText } from "../src/discord/render/escape.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";

/** What people paste as a server key, and the forms that ask for one. */

const LONGEST_KEY = 200;

const KEY_INTRO = md`The server's owner finds the key in the game: private server settings, API. It is stored encrypted, and only its last four characters are ever shown. Nothing is saved before you have seen whose server it is.`;

const KEY_FIELD: Form["fields"][number] = {
  kind: "text",
  id: "key",
  label: "Server key",
  placeholder: "Paste it here",
  maxLength: 400,
};

const FIRST_FORM: Form = {
  id: "setup-key",
  title: "Link your game server",
  intro: KEY_INTRO,
  fields: [
    KEY_FIELD,
    {
      kind: "role",
      id: "staff",
      label: "Staff role",
      description: "May run in-game commands as moderators",
      required: false,
      maxValues: 5,
    },
  ],
};

/** Where a server is linked already, it may be about its new key, which needs nothing else: roles are asked for after it. */
export function linkForm(isFirst: boolean): Form {
  return isFirst
    ? FIRST_FORM
    : { ...FIRST_FORM, title: "Link a server or replace its key", fields: [KEY_FIELD] };
}

/**
 * Removes what pasting adds to a key: spaces, line breaks, quotes, invisible characters. Keys have no known shape, so
 * only characters that cannot stand in a header are refused.
 */
export function cleanKey(pasted: string): string {
  const bare = plainText(pasted)
    .replace(/\s+/g, "")
    .replace(/^["'`“”‘’«»<]+|["'`“”‘’«»>]+$/g, "")
    .replace(/^(server[-_]?)?key[:=]["'`]?/i, "");
  if (bare === "") throw new Failure("bad-command", "No key was given.");
  if (bare.length > LONGEST_KEY) throw new Failure("bad-command", "This is too long to be a server key.");
  if (/^https?:/i.test(bare)) throw new Failure("bad-command", "This is a link, not a server key.");
  if (!/^[\x21-\x7e]+$/.test(bare)) {
    throw new Failure("bad-command", "This has characters that a server key never has. Copy only the key.");
  }
  return bare;
}

/** The new key of a server that is linked: its staff and all else stay as they are. */
export const NEW_KEY_FORM: Form = { ...FIRST_FORM, title: "The new server key", fields: [KEY_FIELD] };

/** The guide asks for roles in its next step. */
export const GUIDE_KEY_FORM: Form = { ...FIRST_FORM, id: "guide-typed", fields: [KEY_FIELD] };

const KEY_SHAPE = /^[a-z0-9]+(-[a-z0-9]+)+$/i;
/** What people copy next to a key: ids of applications and commands. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a request may be spent on it without asking. Nobody outside the service knows the shape for sure. */
export function looksLikeKey(text: string): boolean {
  return KEY_SHAPE.test(text) && !UUID.test(text);
}
