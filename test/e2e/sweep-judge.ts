import { isDeepStrictEqual } from "node:util";
import { CALLBACK_MS } from "../../src/discord/interactions/answer-rests.ts";
import type { TrafficEntry } from "../../src/sandbox/discord/settings.ts";
import { type Block, type Inline, parseInline, parseMarkdown } from "../../src/sandbox/web/page/markdown.ts";

/** What the bot may name: everything else that reads like a mention came from others' words. */
export interface Nameable {
  /** Ids of roles, channels and people that the bot has a reason to name. */
  readonly ids: ReadonlySet<string>;
  /** Ids of registered commands, for `</help:1>`. */
  readonly commandIds: ReadonlySet<string>;
  /** Ids within hostile names: they may be read as words, never be mentions. */
  readonly decoyIds: readonly string[];
}

type Raw = Readonly<Record<string, unknown>>;
type Text = { readonly kind: "markdown" | "line" | "plain"; readonly text: string };

function isRecord(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function records(value: unknown): readonly Raw[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Every text of a message, form or list of choices, by how Discord shows it. */
function* textsIn(payload: Raw): Generator<Text> {
  const one = function* (kind: Text["kind"], ...values: readonly unknown[]): Generator<Text> {
    for (const text of values) if (typeof text === "string") yield { kind, text };
  };
  yield* one("markdown", payload.content);
  yield* one("plain", payload.title, payload.label, payload.placeholder, payload.name);
  for (const embed of records(payload.embeds)) {
    yield* one("line", embed.title);
    yield* one("markdown", embed.description);
    if (isRecord(embed.footer)) yield* one("plain", embed.footer.text);
    if (isRecord(embed.author)) yield* one("plain", embed.author.name);
    for (const field of records(embed.fields)) {
      yield* one("line", field.name);
      yield* one("markdown", field.value);
    }
  }
  for (const part of records(payload.components)) yield* textsIn(part);
  if (isRecord(payload.component)) yield* textsIn(payload.component);
  for (const option of records(payload.options)) yield* one("plain", option.label, option.description);
  for (const choice of records(payload.choices)) yield* one("plain", choice.name);
}

/** What is wrong with one text, if anything is. */
function wrongWith({ kind, text }: Text, nameable: Nameable): string | undefined {
  const read: string[] = [];
  const seen = kind === "plain" ? undefined : readAs(kind, text, nameable, read);
  if (seen !== undefined) return seen;
  if (kind === "plain") read.push(text);
  const words = read.join("");
  const gap = /\b(?:undefined|null|NaN)\b|\[object |Invalid Date|Infinity/.exec(words);
  if (gap !== null) return `"${gap[0]}"`;
  // A ban that ends goes by id, and an answer shows the exact text that is sent.
  // Of who waits in the queue the service tells the id only.
  const others = words.replace(/:(?:un)?ban \d{1,15}\b/g, "").replace(/🎫 \d{1,15} joined the queue/g, "");
  for (const [id] of others.matchAll(/\b\d{10,}\b/g))
    if (!nameable.decoyIds.some((decoy) => decoy.startsWith(id))) return `the id ${id}`;
  if (/[\u202a-\u202e]/.test(text)) return "a mark that turns the line around";
  if (/^\s*SPOOFED/m.test(words)) return "a line that someone else's words began";
  return undefined;
}

/** Discord's own reading; puts what a person reads into `read`. */
function readAs(
  kind: "markdown" | "line",
  text: string,
  nameable: Nameable,
  read: string[],
): string | undefined {
  // Discord finds pings in the raw text, behind a backslash and in code too.
  for (const [mention, id] of text.matchAll(/<@[!&]?(\d+)>/g))
    if (!nameable.ids.has(id ?? "")) return `the mention ${mention}`;
  for (const [mention, id] of text.matchAll(/(?<!\\)<\/[-_\p{L}\d ]{1,100}:(\d+)>/gu))
    if (!nameable.commandIds.has(id ?? "")) return `the command ${mention}`;
  if (/@(?:everyone|here)/.test(text)) return "@everyone";
  const nodes = kind === "line" ? parseInline(text) : parseMarkdown(text).flatMap(inlines);
  return visit(nodes, nameable, read);
}

function inlines(block: Block): readonly Inline[] {
  const end: Inline = { kind: "text", text: "\n" };
  switch (block.kind) {
    case "code":
      return [{ kind: "code", text: block.text }, end];
    case "quote":
      return block.blocks.flatMap(inlines);
    case "list":
      return block.items.flatMap(({ children }) => [...children, end]);
    default:
      return [...block.children, end];
  }
}

const OWN_HOSTS = new Set(["www.roblox.com", "github.com", "discord.com"]);

function visit(nodes: readonly Inline[], nameable: Nameable, read: string[]): string | undefined {
  for (const node of nodes) {
    if (node.kind === "text" || node.kind === "code") read.push(node.text);
    if (node.kind === "link" && !OWN_HOSTS.has(new URL(node.href).hostname)) return `the link ${node.href}`;
    if ("id" in node && !nameable.ids.has(node.id)) return `the mention of ${node.kind} ${node.id}`;
    if (node.kind === "emoji") return `the emoji ${node.name}`;
    const inner = "children" in node ? visit(node.children, nameable, read) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const ANSWERED_ALREADY = 40_060;
/** A little less than the time-out: it begins to count before the request is made. */
const TIMED_OUT_MS = CALLBACK_MS - 100;

/** When the bot sent a request, by the clock of the machine, which its time-outs go by. */
export interface Sent {
  readonly path: string;
  readonly machineMs: number;
}

/**
 * Whether this is a first answer sent once more, word for word, because the first try was not confirmed within its
 * time-out, as on a busy machine: Discord says then that it stands already, which the bot expects. One that was sent
 * again sooner than that is a defect.
 */
export function isRepeatedAnswer(
  entry: TrafficEntry,
  traffic: readonly TrafficEntry[],
  sent: readonly Sent[],
): boolean {
  const { path, body, answer } = entry;
  if (!path.endsWith("/callback") || !isRecord(answer) || answer.code !== ANSWERED_ALREADY) return false;
  const tries = traffic.filter((one) => one.path === path);
  if (tries.length < 2 || !tries.every((one) => isDeepStrictEqual(one.body, body))) return false;

  const times = sent.filter((one) => one.path === path).map(({ machineMs }) => machineMs);
  const waits = times.slice(1).map((machineMs, index) => machineMs - (times[index] ?? 0));
  return waits.length > 0 && waits.every((waitedMs) => waitedMs >= TIMED_OUT_MS);
}

/** What is wrong with one thing that the bot sent: refused by Discord, or something that no reader may meet. */
export function problemsOf(entry: TrafficEntry, nameable: Nameable): readonly string[] {
  const { method, path, status, body } = entry;
  const problems: string[] = [];
  if (status >= 400 && status < 500 && status !== 429)
    problems.push(
      `${method} ${path.replace(/\/[\w=-]{40,}/, "/TOKEN")}: ${status} ${JSON.stringify(entry.answer).slice(0, 400)}`,
    );
  const isMessage =
    /\/messages|\/callback$|^\/webhooks\//.test(path) && method !== "GET" && method !== "DELETE";
  if (!isMessage || !isRecord(body)) return problems;
  const payload = isRecord(body.data) ? body.data : body;
  for (const text of textsIn(payload)) {
    const wrong = wrongWith(text, nameable);
    if (wrong !== undefined) problems.push(`${wrong} in: ${text.text.slice(0, 300)}`);
  }
  const isShown = typeof payload.content === "string" || records(payload.embeds).length > 0;
  const mentions = payload.allowed_mentions;
  if (isShown && (!isRecord(mentions) || JSON.stringify(mentions.parse) !== "[]"))
    problems.push("mentions were not turned off");
  return problems;
}
