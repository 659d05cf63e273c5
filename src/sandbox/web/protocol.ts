/** What the page and its server say to each other over the WebSocket, as JSON. Types only: both sides import it. */
import type { PanelView } from "./panel-view.ts";

/** Whom the page acts as. */
export type Actor = "owner" | "moderator" | "member";

export const ACTORS: readonly Actor[] = ["owner", "moderator", "member"];

export interface PersonView {
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  /** Of the highest role that has one; 0 for none. */
  readonly color: number;
  readonly roleIds: readonly string[];
}

export interface RoleView {
  readonly id: string;
  readonly name: string;
  readonly color: number;
}

export interface ChannelView {
  readonly id: string;
  readonly name: string;
  /** Discord's number: 0 text, 1 direct message, 4 category, 11 and 12 threads. */
  readonly type: number;
  readonly parentId?: string;
  readonly archived: boolean;
  readonly mayWrite: boolean;
}

export interface EmbedView {
  readonly title?: string;
  readonly description?: string;
  readonly url?: string;
  readonly color?: number;
  readonly timestampMs?: number;
  readonly fields: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
  readonly author?: string;
  readonly footer?: string;
  /** Only pictures that this machine serves. */
  readonly image?: PictureView;
  readonly thumbnail?: PictureView;
}

export interface PictureView {
  readonly url: string;
  /** For those who cannot see it; empty where its sender gave none. */
  readonly words: string;
}

export interface AttachmentView {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly url: string;
  /** For those who cannot see it. */
  readonly words: string;
  readonly isPicture: boolean;
}

export interface SelectOptionView {
  readonly label: string;
  readonly value: string;
  readonly description?: string;
  readonly isDefault: boolean;
}

/** A button, a select or a text input; the numbers are Discord's component types and button styles. */
export interface ComponentView {
  readonly type: number;
  readonly customId?: string;
  readonly style?: number;
  readonly label?: string;
  readonly emoji?: string;
  readonly url?: string;
  readonly disabled: boolean;
  readonly placeholder?: string;
  readonly minValues: number;
  readonly maxValues: number;
  readonly options: readonly SelectOptionView[];
  readonly channelTypes: readonly number[];
  /** Ids that a select of people, roles or channels starts with. */
  readonly defaultIds: readonly string[];
  readonly value?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

export interface MessageView {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly authorName: string;
  readonly isBot: boolean;
  readonly content: string;
  readonly embeds: readonly EmbedView[];
  readonly rows: readonly (readonly ComponentView[])[];
  readonly attachments: readonly AttachmentView[];
  readonly createdAtMs: number;
  readonly isEdited: boolean;
  readonly isThinking: boolean;
  readonly isEphemeral: boolean;
  readonly isSilent: boolean;
  /** Notifies whom the page acts as. */
  readonly pingsMe: boolean;
  readonly usedBy?: { readonly userId: string; readonly commandName?: string };
}

export interface ModalFieldView {
  readonly label: string;
  readonly description?: string;
  readonly required: boolean;
  readonly component: ComponentView;
}

export interface ModalView {
  readonly id: string;
  readonly title: string;
  /** Inputs in order, with the texts that stand between them. */
  readonly parts: readonly ({ readonly field: ModalFieldView } | { readonly text: string })[];
}

export interface ChoiceView {
  readonly name: string;
  readonly value: string | number;
}

/** An option of a command; the numbers are Discord's option types. */
export interface OptionView {
  readonly name: string;
  readonly description: string;
  readonly type: number;
  readonly required: boolean;
  readonly autocomplete: boolean;
  readonly choices: readonly ChoiceView[];
  readonly channelTypes: readonly number[];
}

/** One line that can be sent: a command, or a sub-command with its parents. */
export interface CommandView {
  /** "server status". */
  readonly line: string;
  readonly description: string;
  readonly options: readonly OptionView[];
}

export interface WorldView {
  /** Changes with every start of the sandbox: what the page knew of an earlier one is void. */
  readonly bootId: string;
  readonly guildName: string;
  /** Nothing was set up in advance: the person at the page begins with linking a server. */
  readonly isEmpty: boolean;
  readonly meId: string;
  readonly botId: string;
  readonly actor: Actor;
  readonly cast: Readonly<Record<Actor, string>>;
  readonly channels: readonly ChannelView[];
  readonly roles: readonly RoleView[];
  readonly people: readonly PersonView[];
}

/** A value of an option, a select or a field: ids for people, roles and channels. */
export type Given = string | number | boolean | readonly string[];

/** What the page asks; what has a `ticket` is answered by a reply with the same one. */
export type Ask =
  | { readonly type: "hello"; readonly actor: Actor; readonly channel?: string }
  | { readonly type: "act-as"; readonly actor: Actor }
  | { readonly type: "open"; readonly channelId: string }
  | { readonly type: "older"; readonly channelId: string; readonly beforeId: string }
  | { readonly type: "newest"; readonly channelId: string }
  | {
      readonly type: "slash";
      readonly ticket: number;
      readonly channelId: string;
      readonly line: string;
      readonly options: Readonly<Record<string, Given>>;
    }
  | {
      readonly type: "autocomplete";
      readonly ticket: number;
      readonly channelId: string;
      readonly line: string;
      readonly options: Readonly<Record<string, Given>>;
      readonly focused: string;
    }
  | {
      readonly type: "click";
      readonly ticket: number;
      readonly messageId: string;
      readonly channelId: string;
      readonly customId: string;
    }
  | {
      readonly type: "select";
      readonly ticket: number;
      readonly messageId: string;
      readonly channelId: string;
      readonly customId: string;
      readonly values: readonly string[];
    }
  | {
      readonly type: "submit";
      readonly ticket: number;
      readonly modalId: string;
      readonly values: Readonly<Record<string, Given>>;
    }
  | { readonly type: "post"; readonly ticket: number; readonly channelId: string; readonly text: string }
  | { readonly type: "lever"; readonly ticket: number; readonly id: string };

export type Answer =
  | { readonly type: "world"; readonly world: WorldView }
  | {
      readonly type: "channel";
      readonly channelId: string;
      readonly commands: readonly CommandView[];
      readonly messages: readonly MessageView[];
      readonly hasOlder: boolean;
    }
  | {
      readonly type: "older";
      readonly channelId: string;
      readonly messages: readonly MessageView[];
      readonly hasOlder: boolean;
    }
  | { readonly type: "commands"; readonly channelId: string; readonly commands: readonly CommandView[] }
  /** New and changed messages of the open channel, in order; `skipped`: more came than are worth sending. */
  | {
      readonly type: "changes";
      readonly channelId: string;
      readonly added: readonly MessageView[];
      readonly edited: readonly MessageView[];
      readonly deleted: readonly string[];
      readonly skipped: boolean;
    }
  /** Something new stands in a channel that is not open. */
  | { readonly type: "unread"; readonly channelId: string; readonly pings: boolean }
  | {
      readonly type: "reply";
      readonly ticket: number;
      readonly error?: string;
      readonly modal?: ModalView;
      readonly choices?: readonly ChoiceView[];
    }
  | { readonly type: "panel"; readonly panel: PanelView };
