import {
  type APIActionRowComponent,
  type APIAllowedMentions,
  type APIComponentInMessageActionRow,
  type APIEmbed,
  MessageFlags,
  type RawFile,
  type Snowflake,
} from "discord.js";
import type { Attachment, Card, MessageBody, OutgoingMessage } from "../../domain/message.ts";
import { actionRow } from "./compose-components.ts";

/** Turns a message of ours into Discord's JSON. Pure. */

/** A message's JSON and its files, as rest takes them (`files` become parts of a multipart form). */
export interface Payload {
  readonly body: MessagePayload;
  readonly files: RawFile[];
}

interface MessagePayload {
  content?: string;
  embeds?: APIEmbed[];
  components?: APIActionRowComponent<APIComponentInMessageActionRow>[];
  attachments?: { id: string; filename: string; description?: string }[];
  allowed_mentions: APIAllowedMentions;
  flags?: number;
  nonce?: string;
  enforce_nonce?: true;
  message_reference?: { message_id: Snowflake; fail_if_not_exists: false };
}

/** Content, embeds and components. Each key is always given, because in an edit a missing one means "unchanged". */
function parts(body: MessageBody): Required<Pick<MessagePayload, "content" | "embeds" | "components">> {
  return {
    content: body.content ?? "",
    embeds: (body.cards ?? []).map((card) => embed(card, body.files)),
    components: (body.rows ?? []).filter((row) => row.length > 0).map(actionRow),
  };
}

/** A message on the bot's own account. The nonce makes @discordjs/rest's repeats after a 5xx harmless. */
export function composeMessage(message: OutgoingMessage): Payload {
  const { pingRoleIds: roles = [], pingUserIds: users = [] } = message;
  const { content, ...rest } = parts(message);
  return {
    body: {
      ...rest,
      content: withPings(content, [...roles.map((id) => `<@&${id}>`), ...users.map((id) => `<@${id}>`)]),
      attachments: attachments(message.files),
      allowed_mentions: {
        parse: [],
        ...(roles.length === 0 ? {} : { roles: [...roles] }),
        ...(users.length === 0 ? {} : { users: [...users] }),
      },
      nonce: message.nonce,
      enforce_nonce: true,
      ...(message.silent ? { flags: MessageFlags.SuppressNotifications } : {}),
      ...(message.replyToMessageId === undefined
        ? {}
        : { message_reference: { message_id: message.replyToMessageId, fail_if_not_exists: false } }),
    },
    files: files(message.files),
  };
}

/** The whole new state of a message: what `body` lacks is removed, older files too. */
export function composeEdit(body: MessageBody): Payload {
  return {
    body: { ...parts(body), attachments: attachments(body.files), allowed_mentions: noMentions() },
    files: files(body.files),
  };
}

/** An answer to an interaction, or its follow-up, that only the person who asked sees. Discord takes no nonce there. */
export function composePrivateAnswer(body: MessageBody): Payload {
  const payload = composeEdit(body);
  payload.body.flags = MessageFlags.Ephemeral;
  return payload;
}

function noMentions(): APIAllowedMentions {
  return { parse: [] };
}

/** Roles and people are only notified when their mentions stand in the content. */
function withPings(content: string, mentions: readonly string[]): string {
  const missing = mentions.filter((mention) => !content.includes(mention));
  return [...missing, content].filter((part) => part !== "").join(" ");
}

function attachments(list: readonly Attachment[] = []): NonNullable<MessagePayload["attachments"]> {
  return list.map((file, at) => ({
    id: String(at),
    filename: file.name,
    ...(file.description === undefined ? {} : { description: file.description }),
  }));
}

function files(list: readonly Attachment[] = []): RawFile[] {
  return list.map((file, at) => ({
    name: file.name,
    key: `files[${at}]`,
    data: typeof file.data === "string" ? Buffer.from(file.data) : Buffer.from(file.data),
  }));
}

/** A picture in an embed has words of its own, because Discord takes the file out of the list of attachments. */
function image(name: string, list: readonly Attachment[]): APIEmbed["image"] & { description?: string } {
  const words = list.find((file) => file.name === name)?.description;
  return { url: `attachment://${name}`, ...(words === undefined ? {} : { description: words }) };
}

function embed(card: Card, list: readonly Attachment[] = []): APIEmbed {
  return {
    ...(card.title === undefined ? {} : { title: card.title }),
    ...(card.url === undefined ? {} : { url: card.url }),
    ...(card.description === undefined ? {} : { description: card.description }),
    ...(card.color === undefined ? {} : { color: card.color }),
    ...(card.footer === undefined ? {} : { footer: { text: card.footer } }),
    ...(card.author === undefined ? {} : { author: { name: card.author } }),
    ...(card.imageName === undefined ? {} : { image: image(card.imageName, list) }),
    ...(card.imageUrl === undefined ? {} : { image: { url: card.imageUrl } }),
    ...(card.fields === undefined
      ? {}
      : { fields: card.fields.map(({ name, value, inline }) => ({ name, value, inline: inline === true })) }),
  };
}
