import { CHANGES, type ChangeKind } from "../../domain/changes.ts";
import { FEED_KINDS, type FeedKind, feedKind } from "../../domain/feed-kinds.ts";
import { PERSON } from "./call-lines.ts";
import { callText, changeText, commandText, joinText, killText, token } from "./entry-texts.ts";

/**
 * Reads the lines of log entries back, single ones and folded bursts. What changes in `entry-line.ts` or `folded-burst.ts` is
 * taught here. Pure.
 */

/** What a line says of one entry, and the kind of feed that says so. */
export interface ShownEntry {
  readonly kind: FeedKind;
  readonly text: string;
}

const SPAN = String.raw`[\d\u00a0smhdin]+`;
const AT = String.raw`<t:(\d+):T>`;
const SYMBOL = `(?:🟢|🚪|💀|⌨|🔔|${Object.values(CHANGES)
  .map(({ symbol }) => symbol)
  .join("|")})\ufe0f?`;
/** ` · 3rd in 40 s` */
const STREAK = String.raw`(?: · \d+(?:st|nd|rd|th) in ${SPAN})?`;

const LINE = new RegExp(String.raw`^(?:> )?${AT} ${SYMBOL}\s+(.+)$`, "su");
const JOIN = new RegExp(`^(${PERSON}) (joined|left)(?: after ${SPAN})?$`, "su");
const KILL = new RegExp(`^(${PERSON}) killed (${PERSON})${STREAK}$`, "su");
const COMMAND = new RegExp(`^(${PERSON}) ran ${"`(.+)`"}$`, "su");
const MOD_CALL = new RegExp(`^(${PERSON}) called a moderator(?:, answered by ${PERSON})?$`, "su");

const CHANGE_KINDS = Object.keys(CHANGES) as ChangeKind[];
const CHANGE_WORDS = CHANGE_KINDS.map((what) => CHANGES[what].words).join("|");
const CHANGE = new RegExp(`^(${PERSON}) (${CHANGE_WORDS})(?: ${"`([^`]*)`"}(?: → ${"`([^`]*)`"})?)?$`, "su");

/** What follows the time and the symbol of a heading. */
const JOINS = new RegExp(String.raw`^\*\*\d+ (joined|left)\*\* in ${SPAN}$`, "su");
const KILLS = new RegExp(String.raw`^(${PERSON}) killed \*\*\d+\*\* in ${SPAN}${STREAK}$`, "su");
const COMMANDS = new RegExp(String.raw`^(${PERSON}) ran \*\*\d+ commands\*\* in ${SPAN}$`, "su");
/** One entry of a quoted line: its second, unless it is that of the entry before it, and who. */
const PART = new RegExp(String.raw`(?:${AT} )?(${PERSON})(?: \(${SPAN}\))?(?:, |$)`, "suy");
const QUOTED_COMMAND = new RegExp(`^${AT} ${"`(.+)`"}$`, "su");

const NAME = /\*\*((?:\\.|[^\\*])+)\*\*/su;
const PROFILE = /\]\(https:\/\/www\.roblox\.com\/users\/(\d+)\/profile\)$/u;

/** Every entry that these lines of a message show, in their order. */
export function entriesIn(lines: readonly string[]): readonly ShownEntry[] {
  const entries: ShownEntry[] = [];
  let fold: ((quoted: string) => readonly ShownEntry[]) | undefined;
  for (const line of lines) {
    const single = entryOfLine(line);
    if (single !== undefined) entries.push(single);
    else if (fold !== undefined && line.startsWith("> ")) entries.push(...fold(line.slice(2).trim()));
    // A heading counts for the lines that are quoted right below it.
    if (!line.startsWith("> ")) fold = foldOf(line);
  }
  return entries;
}

/** The name as a reader sees it, out of a person in bold. */
export function nameIn(person: string): string {
  return unescaped(NAME.exec(person)?.[1] ?? "");
}

/** What `escapeMarkdown` and `inlineName` were given: marks of direction and zero-width spaces are theirs. */
export function unescaped(markdown: string): string {
  return markdown.replace(/[\u200b\u2068\u2069]/gu, "").replace(/\\(.)/gsu, "$1");
}

function entryOfLine(line: string): ShownEntry | undefined {
  const [, second, said = ""] = LINE.exec(line) ?? [];
  if (second === undefined) return undefined;
  const [atS, rest] = [Number(second), said.trim()];

  const [, joiner, what] = JOIN.exec(rest) ?? [];
  if (joiner !== undefined && what !== undefined) {
    return { kind: "joins", text: joinText(atS, what, whoIs(joiner)) };
  }
  const [, killer, killed] = KILL.exec(rest) ?? [];
  if (killer !== undefined && killed !== undefined) {
    return { kind: "kills", text: killText(atS, whoIs(killer), whoIs(killed)) };
  }
  const [, runner, code] = COMMAND.exec(rest) ?? [];
  if (runner !== undefined && code !== undefined) return commandOf(atS, runner, code);
  const change = changeIn(atS, rest);
  if (change !== undefined) return change;
  const [, caller] = MOD_CALL.exec(rest) ?? [];
  return caller === undefined ? undefined : { kind: "modCalls", text: callText(atS, whoIs(caller)) };
}

function changeIn(atS: number, rest: string): ShownEntry | undefined {
  const [, person, words, before, now] = CHANGE.exec(rest) ?? [];
  const what = CHANGE_KINDS.find((one) => CHANGES[one].words === words);
  const kind = FEED_KINDS.find((one) => what !== undefined && feedKind(one).list === CHANGES[what].list);
  if (person === undefined || words === undefined || kind === undefined) return undefined;
  const values = [before, now].flatMap((value) => (value === undefined ? [] : [valueIn(value)]));
  return { kind, text: changeText(atS, whoIs(person), [words, ...values]) };
}

/** What `inlineCode` was given, as a reader sees it. */
function valueIn(code: string): string {
  return code === " " ? "" : code.replaceAll("\u200b", "");
}

/** How the lines below a heading are to be read; undefined: it is none. */
function foldOf(line: string): ((quoted: string) => readonly ShownEntry[]) | undefined {
  const [, , rest = ""] = LINE.exec(line) ?? [];
  const [, what] = JOINS.exec(rest) ?? [];
  if (what !== undefined) {
    return (quoted) =>
      partsIn(quoted).map(({ atS, who }) => ({ kind: "joins", text: joinText(atS, what, who) }));
  }
  const [, killer] = KILLS.exec(rest) ?? [];
  if (killer !== undefined) {
    const by = whoIs(killer);
    return (quoted) =>
      partsIn(quoted).map(({ atS, who }) => ({ kind: "kills", text: killText(atS, by, who) }));
  }
  const [, runner] = COMMANDS.exec(rest) ?? [];
  if (runner === undefined) return undefined;
  return (quoted) => {
    const [, second, code] = QUOTED_COMMAND.exec(quoted) ?? [];
    return code === undefined ? [] : [commandOf(Number(second), runner, code)];
  };
}

function partsIn(quoted: string): readonly { readonly atS: number; readonly who: string }[] {
  const parts: { readonly atS: number; readonly who: string }[] = [];
  let atS: number | undefined;
  PART.lastIndex = 0;
  for (let at = 0; at < quoted.length; at = PART.lastIndex) {
    const [, second, person] = PART.exec(quoted) ?? [];
    if (person === undefined) break;
    atS = second === undefined ? atS : Number(second);
    if (atS === undefined) break;
    parts.push({ atS, who: whoIs(person) });
  }
  return parts;
}

function commandOf(atS: number, runner: string, code: string): ShownEntry {
  const text = code.replaceAll("\u200b", "").trim();
  return { kind: "commands", text: commandText(atS, whoIs(runner), text) };
}

function whoIs(person: string): string {
  const id = PROFILE.exec(person)?.[1];
  return id === undefined ? nameIn(person) : token(nameIn(person), id);
}
