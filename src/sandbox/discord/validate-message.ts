import { type Path, Problems, refuse } from "./errors.ts";
import { boolean, integer, isRecord, list, object, text } from "./form.ts";
import { readMessageComponents } from "./validate-components.ts";
import { readEmbeds } from "./validate-embeds.ts";
import { type Component, type Embed, MessageFlag } from "./wire.ts";

/** A file that came with a request, by the number n of its part `files[n]`. */
export interface UploadedFile {
  readonly index: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface AllowedMentions {
  readonly parse: readonly string[];
  readonly users: readonly string[];
  readonly roles: readonly string[];
}

/** A message as a request asks for it; undefined where the request says nothing. */
export interface MessageForm {
  readonly content: string | undefined;
  readonly embeds: readonly Embed[] | undefined;
  readonly components: readonly Component[] | undefined;
  /** Files to keep (an edit) or to describe (new ones, by the number of their part). */
  readonly attachments:
    | readonly { readonly id: string; readonly description: string | undefined }[]
    | undefined;
  readonly flags: number | undefined;
  readonly nonce: string | undefined;
  readonly enforceNonce: boolean;
  readonly allowedMentions: AllowedMentions | undefined;
  readonly repliesTo: { readonly messageId: string; readonly mustExist: boolean } | undefined;
  readonly files: readonly UploadedFile[];
}

/** Which flags a message may carry: ephemeral only as the answer of an interaction. */
export type MessagePlace = "channel" | "interaction";

/** Reads the form of a message; everything Discord would object to comes back as one 50035. */
export function readMessageForm(
  raw: unknown,
  files: readonly UploadedFile[],
  place: MessagePlace,
): MessageForm {
  const problems = new Problems();
  const source = isRecord(raw) ? raw : {};
  const content = text(problems, source.content, ["content"], { max: 2000, trim: true });
  const form = {
    content: source.content === null ? "" : content,
    embeds: source.embeds === null ? [] : readEmbeds(problems, source.embeds),
    components: source.components === null ? [] : readMessageComponents(problems, source.components),
    attachments: source.attachments === null ? [] : readAttachments(problems, source.attachments),
    flags: readFlags(problems, source.flags, place),
    nonce: readNonce(problems, source.nonce),
    enforceNonce: boolean(problems, source.enforce_nonce, ["enforce_nonce"]) ?? false,
    allowedMentions: readAllowedMentions(problems, source.allowed_mentions),
    repliesTo: readReference(problems, source.message_reference),
    files,
  };
  if (files.length > 10)
    problems.add(["attachments"], "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.");
  problems.throwIfAny();
  return form;
}

/** A new message must show something: text, an embed or a file; components alone do not count. */
export function refuseEmpty(form: MessageForm): void {
  const nothing = (form.content ?? "") === "" && (form.embeds ?? []).length === 0 && form.files.length === 0;
  if (nothing) throw refuse("emptyMessage");
}

function readAttachments(problems: Problems, raw: unknown): MessageForm["attachments"] {
  return list(problems, raw, ["attachments"], { max: 10 })?.map((item, index) => {
    const source = isRecord(item) ? item : {};
    const at = (name: string): Path => ["attachments", index, name];
    if (source.id === undefined || source.id === null)
      problems.add(at("id"), "BASE_TYPE_REQUIRED", "This field is required");
    return {
      id: String(source.id),
      description: text(problems, source.description, at("description"), { max: 1024 }),
    };
  });
}

function readFlags(problems: Problems, raw: unknown, place: MessagePlace): number | undefined {
  const flags = integer(problems, raw, ["flags"], { min: 0, max: 2 ** 31 - 1 });
  if (flags === undefined) return undefined;
  if ((flags & MessageFlag.componentsV2) !== 0)
    problems.add(
      ["flags"],
      "EMULATOR_UNSUPPORTED",
      "Components V2 are not part of this emulator: use embeds and action rows.",
    );
  const own = MessageFlag.suppressEmbeds | MessageFlag.silent;
  return flags & (place === "interaction" ? own | MessageFlag.ephemeral : own);
}

function readNonce(problems: Problems, raw: unknown): string | undefined {
  if (typeof raw === "number" && Number.isInteger(raw)) return String(raw);
  return text(problems, raw, ["nonce"], { max: 25 });
}

function readReference(problems: Problems, raw: unknown): MessageForm["repliesTo"] {
  const source = object(problems, raw, ["message_reference"]);
  if (source === undefined) return undefined;
  const messageId = text(problems, source.message_id, ["message_reference", "message_id"], {
    max: 20,
    required: true,
  });
  return messageId === undefined ? undefined : { messageId, mustExist: source.fail_if_not_exists !== false };
}

function readAllowedMentions(problems: Problems, raw: unknown): AllowedMentions | undefined {
  const source = object(problems, raw, ["allowed_mentions"]);
  if (source === undefined) return undefined;
  const names = (name: string, max: number): readonly string[] =>
    (list(problems, source[name], ["allowed_mentions", name], { max }) ?? []).map(String);
  const mentions = { parse: names("parse", 3), users: names("users", 100), roles: names("roles", 100) };
  for (const kind of ["users", "roles"] as const) {
    if (mentions.parse.includes(kind) && mentions[kind].length > 0)
      problems.add(
        ["allowed_mentions"],
        "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      );
  }
  mentions.parse.forEach((one, index) => {
    if (!["users", "roles", "everyone"].includes(one))
      problems.add(
        ["allowed_mentions", "parse", index],
        "BASE_TYPE_CHOICES",
        "Value must be one of ('users', 'roles', 'everyone').",
      );
  });
  return mentions;
}
