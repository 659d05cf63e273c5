import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type { PostedMessage } from "../../domain/message.ts";
import type { WantedPost } from "../../domain/ports/posts.ts";

/** Rows that may wait for a guild's channel; beyond it rows are only counted there, but always in the audit. */
const MOST_WAITING_ROWS = 200;
/** Of one message; a row is shorter, and a message has 2,000 characters. */
const MOST_TEXT = 1_800;

interface WaitingRow {
  readonly text: Escaped;
  readonly atMs: number;
  /** It stands for so many rows. */
  readonly leftOut?: number;
}

type Message = Pick<WantedPost, "messageId" | "nonce" | "isMarked" | "sinceMs"> & {
  readonly content: Escaped;
};

/** The rows of one guild that wait for its audit channel: what has waited longer comes in one message. */
export class MirroredRows {
  readonly #newNonce: () => string;
  #waiting: WaitingRow[] = [];
  /** Of the next message. */
  #nonce: string | undefined;
  /** An earlier attempt of the next message stands there, perhaps with fewer rows. */
  #found: { readonly messageId: string; readonly isMarked: boolean } | undefined;
  /** How many rows the message holds that was last asked for. */
  #shown = 0;
  /** The latest message that is known to stand: the next one stands after it. */
  #latestId = 0n;

  constructor(newNonce: () => string) {
    this.#newNonce = newNonce;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(text: Escaped, atMs: number): void {
    const last = this.#waiting.at(-1);
    if (this.#waiting.length < MOST_WAITING_ROWS) this.#waiting.push({ text, atMs });
    else if (last?.leftOut === undefined) this.#waiting.push(leftOutRow(1, atMs));
    else this.#waiting.splice(-1, 1, leftOutRow(last.leftOut + 1, last.atMs));
  }

  /** The next message as it is now; undefined: nothing waits. */
  next(): Message | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const rows: Escaped[] = [];
    let length = 0;
    for (const { text } of this.#waiting) {
      length += text.length + 1;
      if (rows.length > 0 && length > MOST_TEXT) break;
      rows.push(text);
    }
    this.#shown = rows.length;
    this.#nonce ??= this.#newNonce();
    return { ...this.#found, nonce: this.#nonce, sinceMs: first.atMs, content: joined(rows, "\n") };
  }

  /** Rows have no mark: the same first rows that stand there after the message before are an attempt of this one. */
  isIt({ messageId, content }: PostedMessage): boolean {
    const own = this.next()?.content ?? "";
    const said = content.trim();
    return said !== "" && BigInt(messageId) > this.#latestId && own.startsWith(said);
  }

  onFound(messageId: string, isMarked: boolean): void {
    this.#found = { messageId, isMarked };
  }

  onStands(messageId: string): void {
    this.#latestId = BigInt(messageId);
    this.#end();
  }

  /** Discord takes no such message: its rows are only counted. */
  leaveOut(atMs: number): void {
    const count = this.#waiting.slice(0, this.#shown).reduce((sum, { leftOut = 1 }) => sum + leftOut, 0);
    this.#end();
    this.#waiting.unshift(leftOutRow(count, atMs));
  }

  #end(): void {
    this.#waiting = this.#waiting.slice(this.#shown);
    this.#shown = 0;
    this.#nonce = undefined;
    this.#found = undefined;
  }
}

function leftOutRow(leftOut: number, atMs: number): WaitingRow {
  const rows = leftOut === 1 ? md`1 row is` : md`${leftOut} rows are`;
  return { text: md`-# ${rows} not posted here. \`/audit search\` has all of them.`, atMs, leftOut };
}
