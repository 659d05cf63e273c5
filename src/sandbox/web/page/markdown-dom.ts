import { custom, h } from "./dom.ts";
import { type Block, type Inline, type ListItem, parseInline, parseMarkdown } from "./markdown.ts";
import { cssColor, type Store } from "./store.ts";
import { formatTime, relativeTime, type TimeStyle } from "./time.ts";

/** Markdown's tree as elements; names of people, roles and channels come from the store. */

export function markdown(text: string, store: Store): DocumentFragment {
  return fragment(parseMarkdown(text).map((block) => blockNode(block, store)));
}

/** One line: titles and names of fields. */
export function markdownLine(text: string, store: Store): DocumentFragment {
  return fragment(inlineNodes(parseInline(text), store));
}

function fragment(nodes: readonly Node[]): DocumentFragment {
  const made = document.createDocumentFragment();
  made.append(...nodes);
  return made;
}

function blockNode(block: Block, store: Store): Node {
  switch (block.kind) {
    case "paragraph":
      return h("span", { class: "md-paragraph" }, fragment(inlineNodes(block.children, store)));
    case "heading":
      return h(
        "div",
        { class: `md-h${block.level}`, role: "heading", "aria-level": String(block.level + 2) },
        fragment(inlineNodes(block.children, store)),
      );
    case "subtext":
      return h("div", { class: "md-subtext" }, fragment(inlineNodes(block.children, store)));
    case "quote":
      return h(
        "blockquote",
        { class: "md-quote" },
        fragment(block.blocks.map((one) => blockNode(one, store))),
      );
    case "code":
      return h("pre", { class: "md-pre" }, h("code", {}, block.text));
    case "list":
      return listNode(block, store);
  }
}

function listNode(block: Extract<Block, { kind: "list" }>, store: Store): Node {
  const items = block.items.map((item: ListItem) =>
    h(
      "li",
      { style: item.indent === 0 ? undefined : `margin-left: ${item.indent}em` },
      fragment(inlineNodes(item.children, store)),
    ),
  );
  if (!block.ordered) return h("ul", { class: "md-list" }, ...items);
  const list = h("ol", { class: "md-list" }, ...items);
  list.start = block.start;
  return list;
}

function inlineNodes(nodes: readonly Inline[], store: Store): readonly Node[] {
  return nodes.map((node) => inlineNode(node, store));
}

const tags = { bold: "strong", italic: "em", underline: "u", strike: "s" } as const;

function inlineNode(node: Inline, store: Store): Node {
  switch (node.kind) {
    case "text":
      return document.createTextNode(node.text);
    case "bold":
    case "italic":
    case "underline":
    case "strike":
      return h(tags[node.kind], {}, fragment(inlineNodes(node.children, store)));
    case "spoiler":
      return spoiler(fragment(inlineNodes(node.children, store)));
    case "code":
      return h("code", { class: "md-code" }, node.text);
    case "link":
      return h(
        "a",
        { href: node.href, target: "_blank", rel: "noopener noreferrer", title: node.href },
        fragment(inlineNodes(node.children, store)),
      );
    case "time":
      return timeNode(node.atMs, node.style);
    case "command":
      return mention("slash", node.name);
    case "everyone":
      return h("span", { class: "md-everyone" }, `@${node.name}`);
    case "emoji":
      return document.createTextNode(node.name);
    case "user":
      return mention("user", store.person(node.id)?.name ?? "unknown-user");
    case "role":
      return mention(
        "role",
        store.role(node.id)?.name ?? "deleted-role",
        cssColor(store.role(node.id)?.color),
      );
    case "channel": {
      const channel = store.channel(node.id);
      return mention(
        channel !== undefined && channel.type > 10 ? "thread" : "channel",
        channel?.name ?? "unknown",
      );
    }
  }
}

function mention(
  type: "user" | "role" | "channel" | "thread" | "slash",
  name: string,
  color?: string,
): HTMLElement {
  return custom("discord-mention", { type, color }, name);
}

function spoiler(content: DocumentFragment): HTMLElement {
  const box = h(
    "span",
    { class: "md-spoiler", role: "button", tabindex: "0", "aria-label": "Spoiler" },
    content,
  );
  const show = () => box.classList.add("is-shown");
  box.addEventListener("click", show);
  box.addEventListener("keydown", ({ key }) => key === "Enter" && show());
  return box;
}

function timeNode(atMs: number, style: string): HTMLElement {
  const nowMs = Date.now();
  const date = new Date(atMs);
  return h(
    "time",
    {
      class: "md-time",
      datetime: date.toISOString(),
      title: formatTime(atMs, "F", nowMs),
      ...(style === "R" ? { "data-relative": String(atMs) } : {}),
    },
    formatTime(atMs, style as TimeStyle, nowMs),
  );
}

/** Brings "3 seconds ago" up to date, wherever it stands. */
export function tickRelativeTimes(root: ParentNode): void {
  const nowMs = Date.now();
  for (const element of root.querySelectorAll<HTMLElement>("[data-relative]")) {
    const text = relativeTime(Number(element.dataset.relative), nowMs);
    if (element.textContent !== text) element.textContent = text;
  }
}
