/** Discord's Markdown as a tree. Pure, and made so that no text can become anything but what is named here. */

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "bold" | "italic" | "underline" | "strike" | "spoiler";
      readonly children: readonly Inline[];
    }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[] }
  | { readonly kind: "time"; readonly atMs: number; readonly style: string }
  | { readonly kind: "user" | "role" | "channel"; readonly id: string }
  | { readonly kind: "command"; readonly name: string }
  | { readonly kind: "everyone"; readonly name: string }
  | { readonly kind: "emoji"; readonly name: string };

export type Block =
  | { readonly kind: "paragraph"; readonly children: readonly Inline[] }
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: "subtext"; readonly children: readonly Inline[] }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly kind: "list";
      readonly ordered: boolean;
      readonly start: number;
      readonly items: readonly ListItem[];
    }
  | { readonly kind: "code"; readonly language: string; readonly text: string };

export interface ListItem {
  readonly indent: number;
  readonly children: readonly Inline[];
}

/** Deeper nesting than anyone writes is read as plain text: a hostile text must not blow the stack. */
const deepest = 12;

type Rule = readonly [RegExp, (match: RegExpExecArray, depth: number) => Inline | undefined];

const inner =
  (kind: "bold" | "italic" | "underline" | "strike" | "spoiler") =>
  (match: RegExpExecArray, depth: number) => ({
    kind,
    children: parseInline(match[1] ?? "", depth + 1),
  });

/** Each is tried at the present place only (sticky), in this order. */
const rules: readonly Rule[] = [
  [/\\([^A-Za-z0-9\s])/y, ([, mark]) => ({ kind: "text", text: mark ?? "" })],
  [
    /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/y,
    ([, , code]) => ({ kind: "code", text: (code ?? "").replace(/^ (.*) $/s, "$1") }),
  ],
  [/<t:(-?\d{1,13})(?::([tTdDfFR]))?>/y, ([, seconds, style]) => timeOf(seconds ?? "", style)],
  [/<@!?(\d{15,21})>/y, ([, id]) => ({ kind: "user", id: id ?? "" })],
  [/<@&(\d{15,21})>/y, ([, id]) => ({ kind: "role", id: id ?? "" })],
  [/<#(\d{15,21})>/y, ([, id]) => ({ kind: "channel", id: id ?? "" })],
  [/<\/([-_\p{L}\d ]{1,100}):\d{15,21}>/uy, ([, name]) => ({ kind: "command", name: name ?? "" })],
  [/<a?:(\w{2,32}):\d{15,21}>/y, ([, name]) => ({ kind: "emoji", name: `:${name}:` })],
  [/@(everyone|here)\b/y, ([, name]) => ({ kind: "everyone", name: name ?? "" })],
  [
    /\[((?:\\.|[^\][\\\n]|\[[^\][\n]*\])+)\]\(<?(https?:\/\/[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+"[^"\n]*")?\)/y,
    linkOf,
  ],
  [/<(https?:\/\/[^\s<>]+)>/y, ([, href]) => plainLink(href ?? "")],
  [/https?:\/\/[^\s<>]*[^\s<>.,:;"')\]!?*_|~]/y, ([href]) => plainLink(href)],
  [/\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/y, inner("bold")],
  [/__((?:\\[\s\S]|[^\\])+?)__(?!_)/y, inner("underline")],
  [/~~((?:\\[\s\S]|[^\\])+?)~~/y, inner("strike")],
  [/\|\|((?:\\[\s\S]|[^\\])+?)\|\|/y, inner("spoiler")],
  [/\*(?![\s*])((?:\\[\s\S]|\*\*(?:\\[\s\S]|[^\\])+?\*\*|[^\\*])+?)(?<!\s)\*(?!\*)/y, inner("italic")],
  [/_((?:\\[\s\S]|__|[^\\_])+?)_(?![\w_])/y, inner("italic")],
];

function timeOf(seconds: string, style: string | undefined): Inline | undefined {
  const atMs = Number(seconds) * 1_000;
  // Beyond what a Date can hold Discord shows the text as it is.
  return Math.abs(atMs) > 8.64e15 ? undefined : { kind: "time", atMs, style: style ?? "f" };
}

function linkOf(match: RegExpExecArray, depth: number): Inline | undefined {
  const href = safeUrl(match[2] ?? "");
  if (href === undefined) return undefined;
  return { kind: "link", href, children: parseInline(match[1] ?? "", depth + 1) };
}

function plainLink(text: string): Inline | undefined {
  const href = safeUrl(text);
  return href === undefined ? undefined : { kind: "link", href, children: [{ kind: "text", text }] };
}

/** Only http and https lead anywhere. */
export function safeUrl(text: string): string | undefined {
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Characters that can begin something; all others are skipped quickly. */
const marks = /[\\`<@[h*_~|]/g;

export function parseInline(text: string, depth = 0): readonly Inline[] {
  if (depth >= deepest) return [{ kind: "text", text }];
  const out: Inline[] = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    marks.lastIndex = at;
    const next = marks.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    at = next;
    if (at >= text.length) break;
    const found = tryRules(text, at, depth);
    if (found === undefined) {
      plain += text[at];
      at += 1;
      continue;
    }
    if (found.node.kind === "text") plain += found.node.text;
    else {
      if (plain !== "") out.push({ kind: "text", text: plain });
      plain = "";
      out.push(found.node);
    }
    at = found.end;
  }
  if (plain !== "") out.push({ kind: "text", text: plain });
  return out;
}

function tryRules(text: string, at: number, depth: number): { node: Inline; end: number } | undefined {
  // Within a word an underscore is a letter: names like some_one_here stay whole.
  const inWord = text[at] === "_" && /\w/.test(text[at - 1] ?? "");
  for (const [pattern, make] of rules) {
    if (inWord && pattern.source.startsWith("_")) continue;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    const end = pattern.lastIndex;
    const node = make(match, depth);
    if (node !== undefined) return { node, end };
  }
  return undefined;
}

const fence = /```(?:([\w+#.-]+)\n)?\n*([\s\S]*?)\n*```/g;

/** A whole text: blocks of lines, code blocks anywhere. */
export function parseMarkdown(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  for (const match of text.matchAll(fence)) {
    if ((match[2] ?? "").trim() === "") continue;
    blocks.push(...parseLines(text.slice(at, match.index).replace(/\n$/, "")));
    blocks.push({ kind: "code", language: match[1] ?? "", text: match[2] ?? "" });
    at = match.index + match[0].length;
    if (text[at] === "\n") at += 1;
  }
  blocks.push(...parseLines(text.slice(at)));
  return blocks;
}

function parseLines(text: string): readonly Block[] {
  if (text === "") return [];
  const blocks: Block[] = [];
  let open: string[] = [];
  const flush = () => {
    if (open.length > 0) blocks.push({ kind: "paragraph", children: parseInline(open.join("\n")) });
    open = [];
  };
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; ) {
    const taken = blockAt(lines, index);
    if (taken === undefined) {
      open.push(lines[index] ?? "");
      index += 1;
      continue;
    }
    flush();
    blocks.push(taken.block);
    index = taken.next;
  }
  flush();
  return blocks;
}

function blockAt(lines: readonly string[], index: number): { block: Block; next: number } | undefined {
  const line = lines[index] ?? "";
  const one = (block: Block) => ({ block, next: index + 1 });
  const heading = /^(#{1,3})\s+(\S.*)$/.exec(line);
  if (heading !== null)
    return one({ kind: "heading", level: heading[1]?.length ?? 1, children: parseInline(heading[2] ?? "") });
  const subtext = /^-#\s+(\S.*)$/.exec(line);
  if (subtext !== null) return one({ kind: "subtext", children: parseInline(subtext[1] ?? "") });
  if (line.startsWith(">>> "))
    return {
      block: { kind: "quote", blocks: parseLines(lines.slice(index).join("\n").slice(4)) },
      next: lines.length,
    };
  if (/^> /.test(line)) return quoteAt(lines, index);
  if (listMark.test(line)) return listAt(lines, index);
  return undefined;
}

function quoteAt(lines: readonly string[], index: number): { block: Block; next: number } {
  let next = index;
  while (next < lines.length && /^> /.test(lines[next] ?? "")) next += 1;
  const text = lines
    .slice(index, next)
    .map((line) => line.slice(2))
    .join("\n");
  // A quote in a quote is shown as it stands, as Discord does.
  return { block: { kind: "quote", blocks: [{ kind: "paragraph", children: parseInline(text) }] }, next };
}

const listMark = /^(\s*)([-*]|\d{1,9}\.)\s+(\S.*)$/;

function listAt(lines: readonly string[], index: number): { block: Block; next: number } {
  const items: ListItem[] = [];
  const first = listMark.exec(lines[index] ?? "");
  const ordered = /\d/.test(first?.[2] ?? "");
  let next = index;
  for (; next < lines.length; next += 1) {
    const match = listMark.exec(lines[next] ?? "");
    if (match === null || /\d/.test(match[2] ?? "") !== ordered) break;
    items.push({
      indent: Math.min(5, Math.floor((match[1] ?? "").length / 2)),
      children: parseInline(match[3] ?? ""),
    });
  }
  return {
    block: { kind: "list", ordered, start: Number.parseInt(first?.[2] ?? "1", 10) || 1, items },
    next,
  };
}
