import type { Attachment, Channel, Guild, Member, Message, Modal, User } from "../discord/types.ts";
import {
  ChannelKind,
  type Command,
  type CommandOption,
  type Component,
  type Embed,
  type EmbedImage,
} from "../discord/wire.ts";
import type {
  AttachmentView,
  ChannelView,
  CommandView,
  ComponentView,
  EmbedView,
  MessageView,
  ModalView,
  OptionView,
  PersonView,
  PictureView,
  RoleView,
} from "./protocol.ts";

/** The emulated Discord's world as plain JSON, the way one person sees it. Pure; the world's objects are live. */

const pictureTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Only these are shown inside the page: anything else (SVG may hold scripts) is a download. */
function isPicture(contentType: string): boolean {
  return pictureTypes.has(contentType.split(";")[0] ?? "");
}

function attachmentView(attachment: Attachment): AttachmentView {
  return {
    id: attachment.id,
    name: attachment.filename,
    size: attachment.size,
    // Where the page's server hands it out: at the path that the emulated Discord has it at.
    url: new URL(attachment.url).pathname,
    words: attachment.description ?? "",
    isPicture: isPicture(attachment.contentType),
  };
}

/** Pictures that came with the message are shown; others would be fetched from outside the machine. */
function picture(image: EmbedImage | undefined): PictureView | undefined {
  if (image?.content_type === undefined || !isPicture(image.content_type)) return undefined;
  return { url: new URL(image.url).pathname, words: image.description ?? "" };
}

function embedView(embed: Embed): EmbedView {
  const image = picture(embed.image);
  const thumbnail = picture(embed.thumbnail);
  const timestampMs = embed.timestamp === undefined ? Number.NaN : Date.parse(embed.timestamp);
  return {
    ...(embed.title === undefined ? {} : { title: embed.title }),
    ...(embed.description === undefined ? {} : { description: embed.description }),
    ...(embed.url === undefined ? {} : { url: embed.url }),
    ...(embed.color === undefined ? {} : { color: embed.color }),
    ...(Number.isNaN(timestampMs) ? {} : { timestampMs }),
    fields: embed.fields ?? [],
    ...(embed.author === undefined ? {} : { author: embed.author.name }),
    ...(embed.footer === undefined ? {} : { footer: embed.footer.text }),
    ...(image === undefined ? {} : { image }),
    ...(thumbnail === undefined ? {} : { thumbnail }),
  };
}

function componentView(component: Component): ComponentView {
  return {
    type: component.type,
    ...(component.custom_id === undefined ? {} : { customId: component.custom_id }),
    ...(component.style === undefined ? {} : { style: component.style }),
    ...(component.label === undefined ? {} : { label: component.label }),
    // Custom emoji have an id and would be fetched from Discord: their name stands for them.
    ...(component.emoji === undefined
      ? {}
      : { emoji: component.emoji.id === undefined ? component.emoji.name : `:${component.emoji.name}:` }),
    ...(component.url === undefined ? {} : { url: component.url }),
    disabled: component.disabled === true,
    ...(component.placeholder === undefined ? {} : { placeholder: component.placeholder }),
    minValues: component.min_values ?? 1,
    maxValues: component.max_values ?? 1,
    options: (component.options ?? []).map((option) => ({
      label: option.label,
      value: option.value,
      ...(option.description === undefined ? {} : { description: option.description }),
      isDefault: option.default === true,
    })),
    channelTypes: component.channel_types ?? [],
    defaultIds: (component.default_values ?? []).map(({ id }) => id),
    ...(component.value === undefined ? {} : { value: component.value }),
    ...(component.min_length === undefined ? {} : { minLength: component.min_length }),
    ...(component.max_length === undefined ? {} : { maxLength: component.max_length }),
  };
}

const silentFlag = 1 << 12;

function pings(message: Message, reader: Member): boolean {
  const { users, roles, everyone } = message.pings;
  return (
    everyone ||
    users.includes(reader.id) ||
    roles.some((roleId) => reader.roles.some((role) => role.id === roleId))
  );
}

/** A message as `reader` sees it. */
export function messageView(message: Message, reader: Member): MessageView {
  const { author, attachments, interaction } = message;
  return {
    id: message.id,
    channelId: message.channel.id,
    authorId: author.id,
    authorName: nameOf(author),
    isBot: author.bot,
    content: message.content,
    embeds: message.embeds.map(embedView),
    rows: message.components.map((row) => (row.components ?? []).map(componentView)),
    attachments: attachments.map(attachmentView),
    createdAtMs: message.createdAtMs,
    isEdited: message.edits > 0,
    isThinking: message.thinking,
    isEphemeral: message.ephemeralFor !== undefined,
    isSilent: (message.flags & silentFlag) !== 0,
    pingsMe: pings(message, reader),
    ...(interaction === undefined
      ? {}
      : {
          usedBy: {
            userId: interaction.userId,
            ...(interaction.commandName === undefined ? {} : { commandName: interaction.commandName }),
          },
        }),
  };
}

function nameOf(user: User): string {
  return user.globalName ?? user.username;
}

export function modalView(id: string, modal: Modal): ModalView {
  const parts = modal.components.flatMap((outer): ModalView["parts"] => {
    const inner = outer.component ?? outer.components?.[0];
    const field = modal.fields.find(({ customId }) => customId === inner?.custom_id);
    if (inner !== undefined && field !== undefined)
      return [
        {
          field: {
            label: field.label,
            ...(field.description === undefined ? {} : { description: field.description }),
            required: field.required,
            component: componentView(inner),
          },
        },
      ];
    return outer.content === undefined ? [] : [{ text: outer.content }];
  });
  return { id, title: modal.title, parts };
}

function optionView(option: CommandOption): OptionView {
  return {
    name: option.name,
    description: option.description,
    type: option.type,
    required: option.required === true,
    autocomplete: option.autocomplete === true,
    choices: option.choices ?? [],
    channelTypes: option.channel_types ?? [],
  };
}

interface Node {
  readonly name: string;
  readonly description: string;
  readonly options?: readonly CommandOption[];
}

function linesOf(node: Node, before: string): readonly CommandView[] {
  const line = before === "" ? node.name : `${before} ${node.name}`;
  const children = (node.options ?? []).filter(({ type }) => type <= 2);
  if (children.length > 0) return children.flatMap((child) => linesOf(child, line));
  return [{ line, description: node.description, options: (node.options ?? []).map(optionView) }];
}

/** Each line that can be sent, sub-commands spelled out. */
export function commandViews(commands: readonly Command[]): readonly CommandView[] {
  return commands.flatMap((command) => linesOf(command, ""));
}

function channelView(channel: Channel, reader: Member): ChannelView {
  return {
    id: channel.id,
    name: channel.guild === undefined ? "Marshal" : channel.name,
    type: ChannelKind[channel.type],
    ...(channel.parent === undefined ? {} : { parentId: channel.parent.id }),
    archived: channel.archived,
    mayWrite: channel.guild === undefined || reader.may("SendMessages", channel),
  };
}

/** The channels that a member sees: those of the guild, threads after their channel, then their direct message. */
export function channelViews(guild: Guild, reader: Member): readonly ChannelView[] {
  const seen = guild.channels.filter((channel) => reader.may("ViewChannel", channel));
  const isThread = (channel: Channel) => ChannelKind[channel.type] >= 10;
  const ordered = seen
    .filter((channel) => !isThread(channel))
    .toSorted((a, b) => a.position - b.position)
    .flatMap((channel) => [channel, ...seen.filter((one) => isThread(one) && one.parent === channel)]);
  return [...ordered, ...(reader.dm === undefined ? [] : [reader.dm])].map((one) => channelView(one, reader));
}

export function roleViews(guild: Guild): readonly RoleView[] {
  return guild.roles.map(({ id, name, color }) => ({ id, name, color }));
}

export function personViews(guild: Guild): readonly PersonView[] {
  return guild.members.map((member) => ({
    id: member.id,
    name: member.displayName,
    bot: member.user.bot,
    color:
      member.roles.toSorted((a, b) => b.position - a.position).find(({ color }) => color !== 0)?.color ?? 0,
    roleIds: member.roles.map(({ id }) => id),
  }));
}
