import {
  type APIActionRowComponent,
  type APIAllowedMentions,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  type APIEmbed,
  type APIModalInteractionResponseCallbackComponent,
  type APIModalInteractionResponseCallbackData,
  type APISelectMenuComponent,
  type APISelectMenuOption,
  ButtonStyle,
  ChannelType,
  ComponentType,
  MessageFlags,
  type RawFile,
  SelectMenuDefaultValueType,
  type Snowflake,
  TextInputStyle,
} from "discord.js";
import type {
  Attachment,
  Button,
  Card,
  MessageBody,
  OutgoingMessage,
  Row,
  Select,
  SelectOption,
} from "../../domain/message.ts";
import type { Form, FormField } from "../command.ts";

/** Turns our words for a message into Discord's JSON. Pure. */

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

/** Where links and buttons may be: Discord refuses an edit without these keys as "unchanged", so each is always said. */
function parts(body: MessageBody): Required<Pick<MessagePayload, "content" | "embeds" | "components">> {
  return {
    content: body.content ?? "",
    embeds: (body.cards ?? []).map(embed),
    components: (body.rows ?? []).filter((row) => row.length > 0).map(actionRow),
  };
}

/** A message on the bot's own account. The nonce makes @discordjs/rest's repeats after a 5xx harmless. */
export function composeMessage(message: OutgoingMessage): Payload {
  const pings = message.pingRoleIds ?? [];
  const { content, ...rest } = parts(message);
  return {
    body: {
      ...rest,
      content: withPings(content, pings),
      attachments: attachments(message.files),
      allowed_mentions: pings.length > 0 ? { parse: [], roles: [...pings] } : noMentions(),
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

/** A whole new state of a message: what is not in `body` goes, older files too. */
export function composeEdit(body: MessageBody): Payload {
  return {
    body: { ...parts(body), attachments: attachments(body.files), allowed_mentions: noMentions() },
    files: files(body.files),
  };
}

/** An answer to an interaction or its follow-up. Discord takes no nonce there. */
export function composeAnswer(body: MessageBody, ephemeral: boolean): Payload {
  const payload = composeEdit(body);
  if (ephemeral) payload.body.flags = MessageFlags.Ephemeral;
  return payload;
}

function noMentions(): APIAllowedMentions {
  return { parse: [] };
}

/** A role is only notified when its mention stands in the content. */
function withPings(content: string, roleIds: readonly string[]): string {
  const missing = roleIds.map((id) => `<@&${id}>`).filter((mention) => !content.includes(mention));
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

function embed(card: Card): APIEmbed {
  return {
    ...(card.title === undefined ? {} : { title: card.title }),
    ...(card.url === undefined ? {} : { url: card.url }),
    ...(card.description === undefined ? {} : { description: card.description }),
    ...(card.color === undefined ? {} : { color: card.color }),
    ...(card.footer === undefined ? {} : { footer: { text: card.footer } }),
    ...(card.author === undefined ? {} : { author: { name: card.author } }),
    ...(card.imageName === undefined ? {} : { image: { url: `attachment://${card.imageName}` } }),
    ...(card.fields === undefined
      ? {}
      : { fields: card.fields.map(({ name, value, inline }) => ({ name, value, inline: inline === true })) }),
  };
}

function actionRow(row: Row): APIActionRowComponent<APIComponentInMessageActionRow> {
  return {
    type: ComponentType.ActionRow,
    components: row.map((part) => (part.kind === "button" ? button(part) : select(part))),
  };
}

const BUTTON_STYLES = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  success: ButtonStyle.Success,
  danger: ButtonStyle.Danger,
} as const;

function button(part: Button): APIButtonComponent {
  const shared = {
    type: ComponentType.Button as const,
    label: part.label,
    ...(part.emoji === undefined ? {} : { emoji: { name: part.emoji } }),
    ...(part.disabled ? { disabled: true } : {}),
  };
  return part.style === "link"
    ? { ...shared, style: ButtonStyle.Link, url: part.id }
    : { ...shared, style: BUTTON_STYLES[part.style], custom_id: part.id };
}

function select(part: Select): APISelectMenuComponent {
  return picker(part.of, part.id, part);
}

interface PickerParts {
  readonly placeholder?: string | undefined;
  readonly options?: readonly SelectOption[];
  readonly defaultIds?: readonly string[];
  readonly minValues?: number;
  readonly maxValues?: number;
}

function picker(of: Select["of"], customId: string, parts: PickerParts): APISelectMenuComponent {
  const shared = {
    custom_id: customId,
    ...(parts.placeholder === undefined ? {} : { placeholder: parts.placeholder }),
    ...(parts.minValues === undefined ? {} : { min_values: parts.minValues }),
    ...(parts.maxValues === undefined ? {} : { max_values: parts.maxValues }),
  };
  const ids = parts.defaultIds ?? [];
  switch (of) {
    case "string":
      return {
        ...shared,
        type: ComponentType.StringSelect,
        options: (parts.options ?? []).map(selectOption),
      };
    case "role":
      return {
        ...shared,
        type: ComponentType.RoleSelect,
        default_values: ids.map((id) => ({ id, type: SelectMenuDefaultValueType.Role })),
      };
    case "user":
      return {
        ...shared,
        type: ComponentType.UserSelect,
        default_values: ids.map((id) => ({ id, type: SelectMenuDefaultValueType.User })),
      };
    case "channel":
      return {
        ...shared,
        type: ComponentType.ChannelSelect,
        channel_types: [...POSTABLE_CHANNELS],
        default_values: ids.map((id) => ({ id, type: SelectMenuDefaultValueType.Channel })),
      };
  }
}

/** Where the bot can post: text and announcement channels, and threads. */
const POSTABLE_CHANNELS = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
] as const;

function selectOption(option: SelectOption): APISelectMenuOption {
  return {
    label: option.label,
    value: option.value,
    ...(option.description === undefined ? {} : { description: option.description }),
    ...(option.default ? { default: true } : {}),
  };
}

/** A modal: an introduction, then each field under its label (type 18), the only form that takes selects. */
export function composeForm(form: Form): APIModalInteractionResponseCallbackData {
  const intro: APIModalInteractionResponseCallbackComponent[] =
    form.intro === undefined ? [] : [{ type: ComponentType.TextDisplay, content: form.intro }];
  return { custom_id: form.id, title: form.title, components: [...intro, ...form.fields.map(label)] };
}

function label(field: FormField): APIModalInteractionResponseCallbackComponent {
  return {
    type: ComponentType.Label,
    label: field.label,
    ...(field.description === undefined ? {} : { description: field.description }),
    component:
      field.kind === "text" ? textInput(field) : { ...pickField(field), required: field.required !== false },
  };
}

function pickField(field: Exclude<FormField, { kind: "text" }>): APISelectMenuComponent {
  return picker(field.kind, field.id, field);
}

function textInput(field: Extract<FormField, { kind: "text" }>) {
  return {
    type: ComponentType.TextInput as const,
    custom_id: field.id,
    style: field.long ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required: field.required !== false,
    ...(field.minLength === undefined ? {} : { min_length: field.minLength }),
    ...(field.maxLength === undefined ? {} : { max_length: field.maxLength }),
    ...(field.placeholder === undefined ? {} : { placeholder: field.placeholder }),
    ...(field.value === undefined ? {} : { value: field.value }),
  };
}
