import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  type APISelectMenuComponent,
  type APISelectMenuOption,
  ButtonStyle,
  ChannelType,
  ComponentType,
  SelectMenuDefaultValueType,
} from "discord.js";
import type { Button, Row, Select, SelectOption } from "../../domain/message.ts";

/** Buttons and selects as Discord's JSON. Pure. */

/** A row of buttons, or of one select. */
export function actionRow(row: Row): APIActionRowComponent<APIComponentInMessageActionRow> {
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

/** A select of a message or a form. */
export function picker(of: Select["of"], customId: string, parts: PickerParts): APISelectMenuComponent {
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
