import { createHash } from "node:crypto";
import { CHANGES, type FeedEntry } from "../../domain/changes.ts";
import { FEED_KINDS, FEED_TABLE, type FeedKind } from "../../domain/feed-kinds.ts";
import type { PostedMessage } from "../../domain/message.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { DigestMark, ShownEntries } from "../../domain/ports/feed-renderer.ts";
import { callsIn } from "./call-lines.ts";
import { LONGEST_VALUE } from "./entry-line.ts";
import {
  CHANGE_KNOWN_S,
  callText,
  changeText,
  commandText,
  joinText,
  killText,
  token,
} from "./entry-texts.ts";
import { cut, plainText, shownCode, shownName } from "./escape.ts";
import { entriesIn, nameIn, unescaped } from "./posted-lines.ts";

/**
 * Reads our own messages back, entry by entry: what stands in a channel must be known again after a power cut has set
 * the store back, whatever batches it was posted in. Pure. Whoever changes how an entry is shown teaches it here, and
 * keeps what the release before has posted.
 */

const GAP = /^⚠ Gap: (.+?) (?:before|between) <t:(\d+):T>(?: and <t:(\d+):T>)?/u;
/** The second wording is that of the release before. */
const LATE = /^⏳ Late: (.+?) (?:fell behind|are behind|have not been up to date)/u;
/** Names the server where a guild has several. */
const HEADING = /^-# (?!Possibly repeated)([^\n]+)\n?/u;
/** `joins-FROM-TO-COUNT-HASH.txt` */
const DIGEST = /^([a-zA-Z]+)-(\d+)-(\d+)-(\d+)-([0-9a-f]{16})\.txt$/u;

/**
 * What a message of ours shows. Several feeds may share a channel: with `of` only what is of that kind counts, and
 * nothing where the message says that it is about another server.
 */
export function keysOf(
  posted: Pick<PostedMessage, "content" | "cards" | "attachmentNames" | "componentIds">,
  of: {
    readonly kind?: FeedKind;
    readonly serverName?: string;
    readonly formerNames?: readonly string[];
  } = {},
): ShownEntries {
  const { content, cards, attachmentNames } = posted;
  if (isOfOtherServer(posted, of)) return { keys: [], calls: [], notices: [], digests: [] };
  const texts = [content, ...cards.map((card) => card.description ?? "")];
  const lines = texts.flatMap((text) => text.split("\n"));
  const isAsked = (kind: FeedKind) => of.kind === undefined || of.kind === kind;
  const notice = content.replace(HEADING, "");
  return {
    keys: entriesIn(lines).flatMap(({ kind, text }) => (isAsked(kind) ? hashed(text) : [])),
    calls: cards.flatMap((card) => callKeysIn(card.description ?? "")),
    notices: FEED_KINDS.filter(isAsked).flatMap((kind) => noticesOf(notice, FEED_TABLE[kind].name)),
    digests: attachmentNames.flatMap((name) => digestOf(name) ?? []).filter(({ kind }) => isAsked(kind)),
  };
}

/** The keys under which a line may show this entry: without the ids of its people, and with them. */
export function entryKeys(entry: FeedEntry, isFirst = true): readonly string[] {
  const bare = textOf(entry, (player) => shownName(player.name));
  const full = textOf(entry, ({ name, id }) =>
    id === undefined ? shownName(name) : token(shownName(name), id),
  );
  const own = bare === full ? [hashed(bare)] : [hashed(bare), hashed(full)];
  if (entry.kind !== "change" || !isFirst) return own;
  return [...own, ...entryKeys({ ...entry, atS: entry.atS - CHANGE_KNOWN_S }, false)];
}

/** The key of a call by its caller and second, as `keysOf` reads it from a card. */
export function callKey(caller: string, atS: number): string {
  return hashed(callIdText(shownName(caller), atS));
}

/** The keys of a notice that entries may be missing: of exactly this one, and of all with the same beginning. */
export function gapKeys(
  feedName: string,
  fromS: number | undefined,
  toS: number,
): readonly [exact: string, beginning: string] {
  const beginning = `gap|${feedName}|${fromS ?? ""}`;
  return [hashed(`${beginning}|${toS}`), hashed(beginning)];
}

/** The key of a notice that a feed runs late: one at a time, so its time is no part of it. */
export function lateKey(feedName: string): string {
  return hashed(`late|${feedName}`);
}

/** The same for the same entries in any order, 16 hex digits: the sum over the entries, so that some can be left out. */
export function digestHash(entries: readonly FeedEntry[]): string {
  let sum = 0n;
  for (const entry of entries) {
    const [bare = ""] = entryKeys(entry);
    sum += createHash("sha256").update(bare).digest().readBigUInt64BE();
  }
  return BigInt.asUintN(64, sum).toString(16).padStart(16, "0");
}

/** The name of a digest's file, from which its entries can be found again. */
export function digestName(
  kind: FeedKind,
  entries: readonly FeedEntry[],
  { fromS, toS }: { readonly fromS: number; readonly toS: number },
): string {
  return `${kind}-${fromS}-${toS}-${entries.length}-${digestHash(entries)}.txt`;
}

function textOf(entry: FeedEntry, who: (player: PlayerRef) => string): string {
  switch (entry.kind) {
    case "join":
      return joinText(entry.atS, entry.joined ? "joined" : "left", who(entry.player));
    case "kill":
      return killText(entry.atS, who(entry.killer), who(entry.killed));
    case "command":
      return commandText(entry.atS, who(entry.player), shownCode(entry.text));
    case "modCall":
      return callText(entry.atS, who(entry.caller));
    case "change": {
      const values = entry.values.map((value) => shownCode(value, LONGEST_VALUE));
      return changeText(entry.atS, who(entry.player), [CHANGES[entry.what].words, ...values]);
    }
  }
}

function callIdText(shownCaller: string, atS: number): string {
  return `call|${atS}|${shownCaller}`;
}

function callKeysIn(description: string): readonly string[] {
  const calls = callsIn(description);
  if (calls === undefined) return [];
  const name = nameIn(calls.caller);
  return calls.calledAtS.map((atS) => hashed(callIdText(name, atS)));
}

function noticesOf(content: string, feedName: string): readonly string[] {
  const [, gapOf, first, second] = GAP.exec(content) ?? [];
  if (gapOf === feedName && first !== undefined) {
    const [fromS, toS] = second === undefined ? [undefined, first] : [Number(first), second];
    return gapKeys(feedName, fromS, Number(toS));
  }
  return LATE.exec(content)?.[1] === feedName ? [lateKey(feedName)] : [];
}

function digestOf(fileName: string): DigestMark | undefined {
  const [, name, fromS, toS, count, hash] = DIGEST.exec(fileName) ?? [];
  const kind = FEED_KINDS.find((one) => one === name);
  if (kind === undefined || hash === undefined) return undefined;
  return { kind, fromS: Number(fromS), toS: Number(toS), entries: Number(count), hash };
}

/** The heading of lines, or the author of a card, names the server where a guild has several. */
function isOfOtherServer(
  { content, cards }: Pick<PostedMessage, "content" | "cards">,
  {
    serverName,
    formerNames = [],
  }: { readonly serverName?: string; readonly formerNames?: readonly string[] },
): boolean {
  if (serverName === undefined) return false;
  // A message that was posted before the server was renamed is its own all the same.
  const names = [serverName, ...formerNames];
  const heading = HEADING.exec(content)?.[1];
  if (heading !== undefined && !names.map(shownName).includes(unescaped(heading))) return true;
  const author = cards[0]?.author;
  return author !== undefined && !names.map((name) => cut(plainText(name), 200)).includes(author);
}

/** Short enough to be stored by the hundred. */
function hashed(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
