import type { AttachmentView, EmbedView, MessageView } from "../protocol.ts";
import { avatarOf } from "./avatar.ts";
import { componentRows, type Pressed } from "./components.ts";
import { custom, h, icon, icons } from "./dom.ts";
import { markdown, markdownLine } from "./markdown-dom.ts";
import { cssColor, type Store } from "./store.ts";
import { formatTime, messageTime } from "./time.ts";

export interface MessageActions {
  press(message: MessageView, pressed: Pressed): Promise<void>;
  dismiss(message: MessageView): void;
}

export interface MessageOptions {
  readonly store: Store;
  readonly actions: MessageActions;
  /** Follows another of the same author at once: without picture and name. */
  readonly grouped: boolean;
}

/** One message as Discord shows it. */
export function messageNode(message: MessageView, { store, actions, grouped }: MessageOptions): HTMLElement {
  const author = store.person(message.authorId);
  const embedNodes = message.embeds.map((embed) => embedNode(embed, store));
  const editedHere = message.isEdited && message.content === "" && embedNodes.length > 0;
  const element = custom(
    "discord-message",
    {
      author: author?.name ?? message.authorName,
      avatar: avatarOf(message.authorName, message.authorId, message.isBot),
      bot: message.isBot,
      edited: message.isEdited && !editedHere,
      highlight: message.pingsMe,
      "role-color": cssColor(author?.color),
      timestamp: grouped
        ? formatTime(message.createdAtMs, "t", Date.now())
        : messageTime(message.createdAtMs, Date.now()),
      "message-body-only": grouped,
      class: message.isEphemeral ? "is-ephemeral" : undefined,
      "data-id": message.id,
    },
    usedLine(message, store),
    message.isThinking ? thinking(message) : markdown(message.content, store),
    ...message.attachments.map((one) => attachmentNode(one)),
    ...embedNodes,
    editedHere && h("span", { slot: "embeds", class: "edited" }, "(edited)"),
    ...componentRows(message, store, (pressed) => actions.press(message, pressed)),
    message.isEphemeral && ephemeralLine(message, actions),
  );
  return element;
}

/** "Olivia used /server status": of messages that answer a command. */
function usedLine(message: MessageView, store: Store): HTMLElement | undefined {
  const { usedBy } = message;
  if (usedBy?.commandName === undefined) return undefined;
  const name = store.person(usedBy.userId)?.name ?? "Someone";
  return h(
    "div",
    { slot: "reply", class: "used" },
    h("span", { class: "used-spine", "aria-hidden": "true" }),
    h("img", { src: avatarOf(name, usedBy.userId, false), alt: "" }),
    h("span", { class: "used-name", style: colorStyle(store.person(usedBy.userId)?.color) }, name),
    " used ",
    h("span", { class: "used-command" }, `/${usedBy.commandName}`),
  );
}

function colorStyle(color: number | undefined): string | undefined {
  const css = cssColor(color);
  return css === undefined ? undefined : `color: ${css}`;
}

function thinking(message: MessageView): HTMLElement {
  return h(
    "span",
    { class: "thinking" },
    h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
    ` ${message.authorName} is thinking…`,
  );
}

function ephemeralLine(message: MessageView, actions: MessageActions): HTMLElement {
  return h(
    "div",
    { slot: "components", class: "ephemeral-line" },
    "Only you can see this • ",
    h(
      "button",
      { type: "button", class: "link", onclick: () => actions.dismiss(message) },
      "Dismiss message",
    ),
  );
}

const kib = 1_024;

function sizeText(bytes: number): string {
  if (bytes < kib) return `${bytes} bytes`;
  return bytes < kib * kib ? `${(bytes / kib).toFixed(1)} KB` : `${(bytes / kib / kib).toFixed(1)} MB`;
}

function attachmentNode({ name, size, url, words, isPicture }: AttachmentView): HTMLElement {
  if (isPicture)
    return h(
      "a",
      { slot: "attachments", class: "picture", href: url, target: "_blank", rel: "noopener" },
      h("img", { src: url, alt: words === "" ? name : words }),
    );
  return h(
    "div",
    { slot: "attachments", class: "file" },
    icon(icons.file),
    h(
      "div",
      { class: "file-words" },
      h("a", { href: url, download: name }, name),
      h("small", {}, sizeText(size)),
    ),
  );
}

/**
 * Title, author and names of fields stand in slots as nodes of ours: given as properties, the component would take
 * any long number in them for an emoji of Discord's servers.
 */
function embedNode(embed: EmbedView, store: Store): HTMLElement {
  const title = embed.title === undefined ? undefined : markdownLine(embed.title, store);
  return custom(
    "discord-embed",
    { slot: "embeds", color: cssColor(embed.color) ?? "var(--embed-spine)" },
    embed.author !== undefined && h("div", { slot: "description", class: "embed-author" }, embed.author),
    title !== undefined &&
      h(
        "div",
        { slot: "description", class: "embed-title" },
        embed.url === undefined
          ? title
          : h("a", { href: embed.url, target: "_blank", rel: "noopener noreferrer" }, title),
      ),
    embed.description !== undefined &&
      custom(
        "discord-embed-description",
        { slot: "description", class: "embed-text" },
        markdown(embed.description, store),
      ),
    embed.fields.length > 0 && fieldsNode(embed, store),
    embed.image !== undefined &&
      h("img", { slot: "footer", class: "embed-image", src: embed.image.url, alt: embed.image.words }),
    footerNode(embed),
    embed.thumbnail !== undefined &&
      h("img", {
        slot: "footer",
        class: "embed-thumbnail",
        src: embed.thumbnail.url,
        alt: embed.thumbnail.words,
      }),
  );
}

function fieldsNode(embed: EmbedView, store: Store): HTMLElement {
  let inRow = 0;
  const fields = embed.fields.map(({ name, value, inline }) => {
    inRow = inline ? (inRow % 3) + 1 : 0;
    return custom(
      "discord-embed-field",
      { inline: inline, ...(inline ? { "inline-index": String(inRow) } : {}) },
      h("div", { class: "field-name" }, markdownLine(name, store)),
      markdown(value, store),
    );
  });
  return custom("discord-embed-fields", { slot: "fields" }, ...fields);
}

function footerNode({ footer, timestampMs }: EmbedView): HTMLElement | undefined {
  const words = [footer, timestampMs === undefined ? undefined : messageTime(timestampMs, Date.now())];
  const text = words.filter((word) => word !== undefined).join(" • ");
  return text === "" ? undefined : custom("discord-embed-footer", { slot: "footer" }, text);
}
