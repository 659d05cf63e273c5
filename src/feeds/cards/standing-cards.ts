import { JOIN_WITHIN_S } from "../../domain/answered-calls.ts";
import type { Feed } from "../../domain/guild.ts";
import type { PostedMessage } from "../../domain/message.ts";
import type { ModCallEntry } from "../../domain/model.ts";
import type { FeedRenderer, PostedModCall } from "../../domain/ports/feed-renderer.ts";
import type { Posts } from "../../domain/ports/posts.ts";
import { snowflakeBefore } from "../delivery/read-back.ts";

export interface StandingCardsPorts {
  readonly posts: Pick<Posts, "readAfter">;
  readonly renderer: Pick<FeedRenderer, "keysOf" | "callKey" | "modCallOf">;
  /** How the process before ended. */
  readonly lastEnd: { readonly postedUpToS: number | undefined };
}

/** What a channel shows. */
type View =
  | { readonly kind: "read"; readonly fromS: number; readonly cards: readonly StandingCard[] }
  | { readonly kind: "unreadable" };

interface StandingCard extends PostedModCall {
  readonly keys: readonly string[];
}

/** Where a call may stand already. `unknown`: the channel may not be read, and an earlier life may have posted it. */
export type Standing =
  | { readonly kind: "on"; readonly card: PostedModCall }
  | { readonly kind: "nowhere" }
  | { readonly kind: "unknown" };

/**
 * The cards that an earlier life of the process may have posted without the store knowing: a power cut sets the store
 * back, and what then happens to calls (a claim, somebody who left) would put them on other cards than before.
 */
export class StandingCards {
  readonly #ports: StandingCardsPorts;
  /** By feed. */
  readonly #views = new Map<string, View>();

  constructor(ports: StandingCardsPorts) {
    this.#ports = ports;
  }

  /**
   * The card in the feed's channel that shows this call. `heldBy` counts the calls of that second that the record of a
   * card holds; undefined: that card is not of this server. Rejects with Postponed, or with SinkRefusal for good.
   */
  async find(
    feed: Feed,
    { caller, atS }: ModCallEntry,
    heldBy: (cardId: string) => number | undefined,
  ): Promise<Standing> {
    if (atS > (this.#ports.lastEnd.postedUpToS ?? 0)) {
      this.#views.delete(feed.id);
      return { kind: "nowhere" };
    }
    const view = await this.#view(feed, atS - JOIN_WITHIN_S);
    if (view.kind === "unreadable") return { kind: "unknown" };

    const key = this.#ports.renderer.callKey(caller.name, atS);
    const card = view.cards.find(({ cardId, keys }) => {
      const held = heldBy(cardId);
      return held !== undefined && keys.filter((one) => one === key).length > held;
    });
    return card === undefined ? { kind: "nowhere" } : { kind: "on", card };
  }

  async #view(feed: Feed, fromS: number): Promise<View> {
    const known = this.#views.get(feed.id);
    if (known?.kind === "unreadable" || (known !== undefined && known.fromS <= fromS)) return known;
    const posted = await this.#ports.posts.readAfter(feed.channelId, snowflakeBefore(fromS * 1_000));
    const view: View =
      posted === undefined ? { kind: "unreadable" } : { kind: "read", fromS, cards: this.#cardsOf(posted) };
    this.#views.set(feed.id, view);
    return view;
  }

  #cardsOf(posted: readonly PostedMessage[]): readonly StandingCard[] {
    const { renderer } = this.#ports;
    return posted.flatMap((message) => {
      const card = renderer.modCallOf(message);
      return card === undefined ? [] : [{ ...card, keys: renderer.keysOf(message).calls }];
    });
  }
}
