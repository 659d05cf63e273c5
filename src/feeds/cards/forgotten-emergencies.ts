import { SinkRefusal } from "../../domain/failure.ts";
import type { Feed } from "../../domain/guild.ts";
import type { MessageBody, PostedMessage } from "../../domain/message.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { PostLine, Posts } from "../../domain/ports/posts.ts";
import { snowflakeBefore } from "../delivery/read-back.ts";
import { emergencyCardId } from "./card-identity.ts";

/** A call that is not shown by the first answers after the start has ended; one of them may be an old one. */
const ANSWERS_TO_WAIT = 2;
/** Older calls are never begun: their record may have been let go, and an old answer may still show them. */
export const OLDEST_BEGUN_MS = 6 * 3_600_000;

export interface ForgottenEmergenciesPorts {
  readonly posts: Posts;
  readonly clock: Clock;
  readonly renderer: Pick<FeedRenderer, "openEmergencyOf" | "endedEmergency">;
  readonly nonceKey: Uint8Array | string;
  /** How the process before ended. */
  readonly lastEnd: { isDoubtful(feedId: string): boolean };
  warn(message: string, error: unknown): void;
}

interface EndedCard {
  readonly feed: Feed;
  readonly messageId: string;
  readonly body: MessageBody;
}

/**
 * Cards of emergency calls that a power cut made the store forget. Where the call goes on, the next answer makes its
 * record anew and finds the card; where it ended meanwhile nobody would ever end its card, so it is ended from what the
 * channel shows.
 */
export class ForgottenEmergencies {
  readonly #ports: ForgottenEmergenciesPorts;
  readonly #answers = new Map<string, number>();
  /** Feeds whose channels were looked through, or are being so. */
  readonly #looked = new Set<string>();

  readonly #line: PostLine<EndedCard>;

  constructor(ports: ForgottenEmergenciesPorts) {
    this.#ports = ports;
    const ended = new WeakSet<EndedCard>();
    this.#line = ports.posts.line<EndedCard>({
      name: "the end of a card that nobody looks after",
      classes: { post: "first", edit: "change" },
      keyOf: ({ messageId }) => messageId,
      guildOf: ({ feed }) => feed.guildId,
      wanted: async (card) => {
        const { feed, messageId, body } = card;
        return ended.has(card) ? undefined : { channelId: feed.channelId, messageId, body, nonce: messageId };
      },
      isIt: () => false,
      onStands: async (card) => void ended.add(card),
      onRefused: async ({ feed }, refusal) => {
        ports.warn(`a card of feed ${feed.id} that nobody looks after could not be ended`, refusal);
        return "over";
      },
    });
  }

  /** The service gave an answer for these feeds at `atMs`; returns at once. `isKnown`: somebody looks after the card with that id. */
  onAnswer(feeds: readonly Feed[], atMs: number, isKnown: (cardId: string) => boolean): void {
    for (const feed of feeds) {
      if (this.#looked.has(feed.id) || !this.#ports.lastEnd.isDoubtful(feed.id)) continue;
      const answers = (this.#answers.get(feed.id) ?? 0) + 1;
      this.#answers.set(feed.id, answers);
      if (answers < ANSWERS_TO_WAIT) continue;
      this.#looked.add(feed.id);
      this.#endForgotten(feed, atMs, isKnown).catch((error: unknown) => {
        // The next answer tries again.
        if (!(error instanceof SinkRefusal)) this.#looked.delete(feed.id);
        this.#ports.warn(`cards of feed ${feed.id} that nobody looks after could not be ended`, error);
      });
    }
  }

  async #endForgotten(feed: Feed, endedAtMs: number, isKnown: (cardId: string) => boolean): Promise<void> {
    const { posts, clock, renderer } = this.#ports;
    const after = snowflakeBefore(clock.nowMs() - OLDEST_BEGUN_MS);
    for (const message of (await posts.readAfter(feed.channelId, after)) ?? []) {
      if (!this.#isForgotten(feed, message, isKnown)) continue;
      const body = renderer.endedEmergency(message, endedAtMs);
      this.#line.show({ feed, messageId: message.messageId, body });
    }
  }

  /** A card of this feed's server, and of no other's in the same channel. */
  #isForgotten({ bindingId }: Feed, message: PostedMessage, isKnown: (cardId: string) => boolean): boolean {
    const { renderer, nonceKey } = this.#ports;
    const open = renderer.openEmergencyOf(message);
    return (
      open !== undefined &&
      open.cardId === emergencyCardId(nonceKey, bindingId, open) &&
      !isKnown(open.cardId)
    );
  }
}
