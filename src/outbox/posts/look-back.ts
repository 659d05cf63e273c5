import { SinkRefusal } from "../../domain/failure.ts";
import type { PostedMessage } from "../../domain/message.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import type { TurnClass, Turns } from "../../domain/ports/turns.ts";
import { readInTurns } from "../in-turn.ts";

/** Our latest messages of a channel, among which one is looked for whose post went unanswered. */
const LOOK_BACK = 100;
/** The same where it is known since when it can stand there. */
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
}

export interface LookBackPorts {
  readonly sink: Pick<Sink, "readBack">;
  readonly turns: Turns;
  /** It says that it may stand there twice. */
  isPossiblyRepeated(posted: PostedMessage): boolean;
}

/** What is looked for in a channel until its next read begins. */
interface Read {
  readonly all: Looked[];
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
    const { all, posted } = this.#join(looked);
    try {
      const messages = await posted;
      const found = messages.findLast((message) => looked.isIt(message));
      if (found !== undefined) {
        const isMarked = this.#ports.isPossiblyRepeated(found);
        return { kind: "found", messageId: found.messageId, isMarked };
      }
      // The read ended before what can stand there from a later time: that is looked for without the older ones.
      const isCutOff = messages.length >= MOST_READ && (looked.sinceMs ?? 0) > earliestOf(all);
      return isCutOff ? await this.find(looked) : { kind: "nowhere" };
    } catch (error) {
      if (error instanceof SinkRefusal && error.reason === "no-history") return { kind: "unreadable" };
      throw error;
    }
  }

  #join(looked: Looked): Read {
    const key = `${looked.channelId} ${looked.sinceMs === undefined ? "latest" : "since"}`;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) {
      waiting.all.push(looked);
      return waiting;
    }
    const all = [looked];
    const read = { all, posted: this.#read(key, looked, all) };
    this.#waiting.set(key, read);
    return read;
  }

  async #read(key: string, first: Looked, all: readonly Looked[]): Promise<readonly PostedMessage[]> {
    const { sink, turns } = this.#ports;
    const { channelId, guildId, sinceMs, isInDoubt } = first;
    const wanted = { class: first.class, channelId, guildId, request: "read", isInDoubt } as const;
    try {
      return await readInTurns(turns, wanted, (nextPage) => {
        // Who comes from now on may look for what this read does not show any more.
        this.#waiting.delete(key);
        return sinceMs === undefined
          ? sink.readBack(channelId, undefined, LOOK_BACK, nextPage)
          : sink.readBack(channelId, before(earliestOf(all)), MOST_READ, nextPage);
      });
    } finally {
      if (this.#waiting.get(key)?.all === all) this.#waiting.delete(key);
    }
  }
}

function earliestOf(all: readonly Looked[]): number {
  return Math.min(...all.map(({ sinceMs = 0 }) => sinceMs));
}

/** A snowflake below that of every message that was posted at or after `atMs`. */
function before(atMs: number): string {
  const ms = Math.max(0, Math.floor(atMs - CLOCK_SLACK_MS - DISCORD_EPOCH_MS));
  return (BigInt(ms) << 22n).toString();
}
