/** The shapes of Discord's API v10 that this emulator stores and sends, as far as it uses them. */

export interface EmbedField {
  readonly name: string;
  readonly value: string;
  readonly inline: boolean;
}

/** The picture of an embed. The kind is known of files that came with the message. */
export interface EmbedImage {
  readonly url: string;
  /** For those who cannot see it. */
  readonly description?: string;
  readonly content_type?: string;
}

/** An embed as Discord returns it: trimmed, without nulls, `type` filled in. */
export interface Embed {
  readonly type: "rich";
  readonly title?: string;
  readonly description?: string;
  readonly url?: string;
  readonly color?: number;
  readonly timestamp?: string;
  readonly fields?: readonly EmbedField[];
  readonly author?: { readonly name: string; readonly url?: string; readonly icon_url?: string };
  readonly footer?: { readonly text: string; readonly icon_url?: string };
  readonly image?: EmbedImage;
  readonly thumbnail?: EmbedImage;
}

export interface Emoji {
  readonly id?: string;
  readonly name: string;
  readonly animated?: boolean;
}

export interface SelectOption {
  readonly label: string;
  readonly value: string;
  readonly description?: string;
  readonly emoji?: Emoji;
  readonly default?: boolean;
}

/**
 * Any component: action row 1, button 2, selects 3 (string) 5 (user) 6 (role) 7 (mentionable) 8 (channel),
 * text input 4, text display 10 and label 18 in modals.
 */
export interface Component {
  readonly type: number;
  readonly id: number;
  readonly custom_id?: string;
  readonly style?: number;
  readonly label?: string;
  readonly description?: string;
  readonly emoji?: Emoji;
  readonly url?: string;
  readonly disabled?: boolean;
  readonly placeholder?: string;
  readonly min_values?: number;
  readonly max_values?: number;
  readonly options?: readonly SelectOption[];
  readonly channel_types?: readonly number[];
  readonly default_values?: readonly { readonly id: string; readonly type: string }[];
  readonly required?: boolean;
  readonly value?: string;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly content?: string;
  /** Children of an action row. */
  readonly components?: readonly Component[];
  /** The one child of a label. */
  readonly component?: Component;
}

export interface Choice {
  readonly name: string;
  readonly value: string | number;
}

/** An option of a slash command; types: 1 sub-command, 2 group, 3 string, 4 integer, 5 boolean, 6 user, 7 channel, 8 role, 9 mentionable, 10 number. */
export interface CommandOption {
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  readonly autocomplete?: boolean;
  readonly choices?: readonly Choice[];
  readonly options?: readonly CommandOption[];
  readonly channel_types?: readonly number[];
  readonly min_value?: number;
  readonly max_value?: number;
  readonly min_length?: number;
  readonly max_length?: number;
}

/** A registered application command, as Discord returns it. */
export interface Command {
  readonly id: string;
  readonly application_id: string;
  readonly version: string;
  readonly guild_id?: string;
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly options?: readonly CommandOption[];
  readonly default_member_permissions: string | null;
  readonly dm_permission?: boolean;
  readonly nsfw: boolean;
  readonly contexts?: readonly number[] | null;
  readonly integration_types?: readonly number[];
}

export const ChannelKind = {
  text: 0,
  dm: 1,
  voice: 2,
  category: 4,
  announcement: 5,
  thread: 11,
  "private-thread": 12,
} as const;

export type ChannelType = keyof typeof ChannelKind;

export const MessageFlag = {
  published: 1 << 0,
  suppressEmbeds: 1 << 2,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  silent: 1 << 12,
  componentsV2: 1 << 15,
};
