import type { SinkRefusalReason } from "../../domain/failure.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { PostLine, Posts, Stands, WantedPost } from "../../domain/ports/posts.ts";
import type { WeeklyRenderer } from "../../domain/ports/weekly.ts";
import { numberOf, type Week } from "./week.ts";
import type { WeeklyRecord } from "./weekly-record.ts";

export type Sending = NonNullable<NonNullable<WeeklyRecord["current"]>["sending"]>;

/** A summary that is made and waits for its turn. Its week is over, so it says the same whenever that comes. */
export interface MadeSummary {
  readonly guildId: string;
  readonly sending: Sending;
  readonly week: Week;
  readonly body: MessageBody;
}

export interface WeeklyPostsPorts {
  readonly posts: Posts;
  readonly renderer: Pick<WeeklyRenderer, "keyOf">;
  readonly random: Pick<Random, "id">;
  readonly wholeSinceMs: number | undefined;
  /** Undefined: nobody wants summaries any more. */
  channelOf(guildId: string): string | undefined;
  /** To be written. Where it rejects, the summary is looked for in its channel. */
  onStands(made: MadeSummary): Promise<void>;
  onRefused(guildId: string, why: SinkRefusalReason): Promise<void>;
}

interface Waiting extends MadeSummary {
  resolve(stands: boolean): void;
  reject(why: unknown): void;
}

/** The summaries on their way into their channels, each of which is to stand there once. */
export class WeeklyPosts {
  readonly #ports: WeeklyPostsPorts;
  readonly #line: PostLine<string>;
  /** By the key of the message. */
  readonly #waiting = new Map<string, Waiting>();
  /** Messages that an earlier process may have posted, by their keys. */
  readonly #doubtful = new Map<string, WantedPost["isDoubtful"]>();

  constructor(ports: WeeklyPostsPorts) {
    this.#ports = ports;
    this.#line = ports.posts.line<string>({
      name: "a weekly summary",
      classes: { post: "refresh", edit: "refresh" },
      keyOf: (key) => key,
      guildOf: (key) => this.#waiting.get(key)?.guildId ?? key,
      wanted: async (key) => this.#wanted(key),
      isIt: (key, posted) => ports.renderer.keyOf(posted) === key,
      onStands: (key, stands) => this.#onStands(key, stands),
      onRefused: async (key, { reason }) => {
        const made = this.#waiting.get(key);
        if (made !== undefined) await ports.onRefused(made.guildId, reason);
        this.#end(key, false);
        return "over";
      },
    });
  }

  /** The process before may have posted it, unless that ended in order. */
  doubt({ key }: Sending): void {
    this.#doubtful.set(key, true);
  }

  /** For the store, before it is sent. The key is the same wherever it is made: the store may be a copy that lacks a claim. */
  claim(bindingId: string, week: Week): Sending {
    const { random, wholeSinceMs = 0 } = this.#ports;
    const key = `${numberOf(week)}-${bindingId}`;
    if (week.postAtMs < wholeSinceMs) this.#doubtful.set(key, "whatever-the-end");
    return { bindingId, key, nonce: random.id().slice(0, 25) };
  }

  /** Resolves when it stands; with false: its channel takes nothing, or nobody wants it. Rejects when stopped. */
  async post(made: MadeSummary): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    this.#waiting.set(made.sending.key, { ...made, resolve, reject });
    this.#line.show(made.sending.key);
    return await promise;
  }

  /** What waits for its turn is posted by the next process. */
  stop(why: unknown): void {
    for (const [key, { reject }] of this.#waiting) {
      this.#waiting.delete(key);
      reject(why);
    }
  }

  #wanted(key: string): WantedPost | undefined {
    const made = this.#waiting.get(key);
    if (made === undefined) return undefined;
    const channelId = this.#ports.channelOf(made.guildId);
    if (channelId === undefined) {
      this.#end(key, false);
      return undefined;
    }
    const { sending, body, week } = made;
    const isDoubtful = this.#doubtful.get(key);
    return { channelId, nonce: sending.nonce, body, isDoubtful, sinceMs: week.postAtMs };
  }

  async #onStands(key: string, { kind }: Stands): Promise<void> {
    const made = this.#waiting.get(key);
    if (made === undefined || kind === "edited") return;
    await this.#ports.onStands(made);
    this.#end(key, true);
  }

  #end(key: string, stands: boolean): void {
    this.#waiting.get(key)?.resolve(stands);
    this.#waiting.delete(key);
    this.#doubtful.delete(key);
  }
}
