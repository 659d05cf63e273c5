import { SinkRefusal } from "../../domain/failure.ts";
import type { PostedMessage } from "../../domain/message.ts";
import type { StandingPost } from "../../domain/ports/posts.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import type { TurnClass, Turns } from "../../domain/ports/turns.ts";
import { readInTurns } from "../in-turn.ts";

/** Our latest messages of a channel, among which one is looked for whose post went unanswered. */
const LOOK_BACK = 100;
/** The same in one read where it is known since when it can stand there: the next read goes on behind them. */
const MOST_READ = 1_000;
/** How far Discord's clock and ours may lie apart. */
const CLOCK_SLACK_MS = 600_000;
const DISCORD_EPOCH_MS = 1_420_070_400_000;

export type Found =
  | { readonly kind: "found"; readonly messageId: string; readonly isMarked: boolean }
  | { readonly kind: "nowhere" }
  /** Its history may not be read. */
  | { readonly kind: "unreadable" };

export interface Looked {
  readonly channelId: string;
  readonly guildId: string;
  /** It cannot stand there from before; undefined: it is among our latest. */
  readonly sinceMs: number | undefined;
  readonly class: TurnClass;
  /** An attempt of this process had no answer. */
  readonly isInDoubt: boolean;
  isIt(posted: PostedMessage): boolean;
  /** Told what each read shows. */
  onRead?(standing: readonly StandingPost[]): Promise<void> | undefined;
}

export interface LookBackPorts {
  readonly sink: Pick<Sink, "readBack">;
  readonly turns: Turns;
  /** It says that it may stand there twice. */
  isPossiblyRepeated(posted: PostedMessage): boolean;
}

/** Who looks for something in a channel behind this message; undefined: among our latest. */
interface Reader {
  readonly looked: Looked;
  readonly afterId: string | undefined;
}

/** What is looked for in a channel until its next read begins. */
interface Read {
  readonly all: Reader[];
  readonly posted: Promise<readonly PostedMessage[]>;
}

/**
 * Looks for messages where they may stand. All that are looked for in a channel share one read: after a kill hundreds may
 * be in doubt there, and each page of a read takes a turn.
 */
export class LookBack {
  readonly #ports: LookBackPorts;
  /** Of each channel the read that waits for its turn. */
  readonly #waiting = new Map<string, Read>();

  constructor(ports: LookBackPorts) {
    this.#ports = ports;
  }

  /** Rejects with SinkRefusal. */
  async find(looked: Looked): Promise<Found> {
    let afterId = looked.sinceMs === undefined ? undefined : before(looked.sinceMs);
    try {
      for (;;) {
        const messages = await this.#join({ looked, afterId }).posted;
        const standing = messages.map((posted) => ({
          posted,
          isMarked: this.#ports.isPossiblyRepeated(posted),
        }));
        await looked.onRead?.(standing);
        const found = standing.findLast(({ posted }) => looked.isIt(posted));
        if (found !== undefined)
          return { kind: "found", messageId: found.posted.messageId, isMarked: found.isMarked };
        const last = messages.at(-1)?.messageId;
        if (afterId === undefined || last === undefined || messages.length < MOST_READ)
          return { kind: "nowhere" };
        // More of ours may follow than one read gives, and it began where the first of all looks.
        afterId = later(afterId, last);
      }
    } catch (error) {
      if (error instanceof SinkRefusal && error.reason === "no-history") return { kind: "unreadable" };
      throw error;
    }
  }

  #join(reader: Reader): Read {
    const { looked, afterId } = reader;
    const key = `${looked.channelId} ${afterId === undefined ? "latest" : "since"}`;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) {
      waiting.all.push(reader);
      return waiting;
    }
    const all = [reader];
    const read = { all, posted: this.#read(key, looked, all) };
    this.#waiting.set(key, read);
    return read;
  }

  async #read(key: string, first: Looked, all: readonly Reader[]): Promise<readonly PostedMessage[]> {
    const { sink, turns } = this.#ports;
    const { channelId, guildId, isInDoubt } = first;
    const wanted = { class: first.class, channelId, guildId, request: "read", isInDoubt } as const;
    try {
      return await readInTurns(turns, wanted, (nextPage) => {
        // Who comes from now on may look for what this read does not show any more.
        this.#waiting.delete(key);
        const afterId = earliestOf(all);
        const most = afterId === undefined ? LOOK_BACK : MOST_READ;
        return sink.readBack(channelId, afterId, most, nextPage);
      });
    } finally {
      if (this.#waiting.get(key)?.all === all) this.#waiting.delete(key);
    }
  }
}

/** Of reads that are shared either all begin at a message or none does. */
function earliestOf(all: readonly Reader[]): string | undefined {
  return all
    .map(({ afterId }) => afterId)
    .reduce((a, b) => (a === undefined || b === undefined || BigInt(a) < BigInt(b) ? a : b));
}

function later(a: string, b: string): string {
  return BigInt(a) < BigInt(b) ? b : a;
}

/** A snowflake below that of every message that was posted at or after `atMs`. */
function before(atMs: number): string {
  const ms = Math.max(0, Math.floor(atMs - CLOCK_SLACK_MS - DISCORD_EPOCH_MS));
  return (BigInt(ms) << 22n).toString();
}
