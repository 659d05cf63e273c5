import type { Appeal } from "../domain/appeal.ts";
import type { PostedMessage } from "../domain/message.ts";
import type { AppealRenderer } from "../domain/ports/appeals.ts";
import type { Cases } from "../domain/ports/cases.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { HistoryPositions } from "../domain/ports/history.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { PostLine, Posts } from "../domain/ports/posts.ts";
import type { Settings } from "../domain/ports/settings.ts";
import type { AppealBook } from "./appeal-book.ts";
import { caseNow } from "./appealed-case.ts";

export interface AppealPostsPorts {
  readonly book: AppealBook;
  readonly posts: Posts;
  readonly cases: Pick<Cases, "get" | "search" | "liftOf">;
  readonly positions: Pick<HistoryPositions, "ofCase">;
  readonly renderer: AppealRenderer;
  readonly notifier: Pick<Notifier, "guild">;
  readonly settings: Pick<Settings, "of">;
  readonly random: Random;
  readonly clock: Clock;
  /** After a restore: what was decided before may be missing in the store, epoch milliseconds. */
  readonly wholeSinceMs: number | undefined;
  /** Its card was read. */
  onRead(appeal: Appeal): void;
}

type Ref = Pick<Appeal, "guildId" | "id">;
const MOST_EARLIER = 5;

/** The message of each appeal in the channel for staff: what is known of its case, and what became of it. */
export class AppealPosts {
  readonly #ports: AppealPostsPorts;
  readonly #line: PostLine<Ref>;
  readonly #doubtful = new Set<string>();
  /** Cards that their channel has refused: nothing of them stands there. */
  readonly #refused = new Set<string>();
  /** Cards that may say what was decided, and could not be read. */
  readonly #unread = new Set<string>();
  /** The channel of each guild that was told to be closed: each card tries again every few minutes. */
  readonly #notified = new Map<string, string>();

  constructor(ports: AppealPostsPorts) {
    this.#ports = ports;
    const { book, renderer, notifier } = ports;
    this.#line = ports.posts.line<Ref>({
      name: "the card of an appeal",
      classes: { post: "first", edit: "change" },
      keyOf: ({ id }) => id,
      guildOf: ({ guildId }) => guildId,
      wanted: async ({ id }) => {
        const appeal = await this.#moved(book.find(id));
        // What a card says that the store does not know is the only record of it.
        if (appeal === undefined || this.#unread.has(id) || appeal.decision?.isFromCard === true)
          return undefined;
        const isToBeRead = this.mayBeDecided(appeal);
        const isDoubtful = isToBeRead ? "whatever-the-end" : this.#doubtful.has(id);
        return { ...appeal.card, body: await this.#body(appeal), isDoubtful, isToBeRead };
      },
      isIt: ({ id }, posted) => renderer.isCard(id, posted),
      onSeen: (ref, posted) => this.#onSeen(ref, posted),
      onStands: async ({ guildId, id }, { kind, messageId, isMarked }) => {
        await book.take(guildId, async () => {
          const appeal = book.find(id);
          if (appeal === undefined || appeal.card.messageId === messageId) return;
          await book.keep({
            ...appeal,
            card: {
              ...appeal.card,
              messageId,
              ...(isMarked ? { isMarked } : {}),
              ...(kind === "posted" && !isMarked ? { openAtMs: ports.clock.nowMs() } : {}),
            },
          });
        });
        this.#doubtful.delete(id);
        this.#notified.delete(guildId);
      },
      onRefused: async ({ guildId, id }, { reason }) => {
        const channelId = book.find(id)?.card.channelId ?? "";
        // Deleted by somebody: the appeal itself stays until it is too old.
        if (reason === "message-gone") return "over";
        if (reason === "form" && (await this.#leaveWordsOut({ guildId, id }))) {
          this.#line.show({ guildId, id });
          return "over";
        }
        if (book.find(id)?.card.messageId === undefined) this.#refused.add(id);
        if (this.#notified.get(guildId) !== channelId) {
          this.#notified.set(guildId, channelId);
          await notifier.guild(guildId, renderer.closed(channelId, reason));
        }
        return "closed";
      },
    });
  }

  show(appeal: Ref): void {
    this.#unread.delete(appeal.id);
    this.#line.show(appeal);
  }

  /** The store is a copy from before, and its card has not been read yet: nobody may decide it again. */
  mayBeDecided({ decision, atMs, card }: Appeal): boolean {
    const { wholeSinceMs } = this.#ports;
    if (decision !== undefined || wholeSinceMs === undefined) return false;
    return Math.max(atMs, card.openAtMs ?? 0) < wholeSinceMs;
  }

  /** After a start: it may stand there or not, and may say less than is known. */
  recover({ guildId, id, card }: Appeal): void {
    if (card.messageId === undefined) this.#doubtful.add(id);
    this.#line.show({ guildId, id });
  }

  async #onSeen({ guildId, id }: Ref, posted: PostedMessage | undefined): Promise<void> {
    const { book, renderer, clock, onRead } = this.#ports;
    if (posted === undefined) {
      this.#unread.add(id);
      return;
    }
    const decision = renderer.decisionOn(posted);
    await book.take(guildId, async () => {
      const appeal = book.find(id);
      if (appeal === undefined || appeal.decision !== undefined) return;
      const openAtMs = clock.nowMs();
      if (decision === undefined) await book.keep({ ...appeal, card: { ...appeal.card, openAtMs } });
      else await book.keep({ ...appeal, decision: { ...decision, isFromCard: true } });
    });
    const appeal = book.find(id);
    if (appeal !== undefined) onRead(appeal);
  }

  /** What one person writes must not keep the appeal from staff. False: it is left out already. */
  async #leaveWordsOut({ guildId, id }: Ref): Promise<boolean> {
    const { book } = this.#ports;
    return await book.take(guildId, async () => {
      const appeal = book.find(id);
      if (appeal === undefined || appeal.card.isWithoutWords === true) return false;
      await book.keep({ ...appeal, card: { ...appeal.card, isWithoutWords: true } });
      return true;
    });
  }

  /** What could not be posted follows to the channel that was chosen since. */
  async #moved(appeal: Appeal | undefined): Promise<Appeal | undefined> {
    const { book, settings, random, posts } = this.#ports;
    if (appeal === undefined || !this.#refused.delete(appeal.id)) return appeal;
    const { appealChannelId: channelId } = await settings.of(appeal.guildId);
    if (channelId === undefined || channelId === appeal.card.channelId) return appeal;
    return await book.take(appeal.guildId, async () => {
      const now = book.find(appeal.id);
      const card = { channelId, nonce: random.id().slice(0, 25), sinceMs: posts.nowMs() };
      return now && (await book.keep({ ...now, card }));
    });
  }

  async #body(appeal: Appeal) {
    const { cases, positions, renderer } = this.#ports;
    const { guildId, player } = appeal;
    const one = await caseNow(cases, appeal);
    const lift = one === undefined ? undefined : await cases.liftOf(one);
    const evidence = one === undefined ? undefined : await positions.ofCase(guildId, one.number);
    const found =
      player === undefined
        ? []
        : await cases.search(guildId, { playerId: player.id, limit: MOST_EARLIER + 1 });
    const earlier = found.filter((other) => other.number !== one?.number && other.revoked === undefined);
    return renderer.card({ appeal, one, lift, evidence, earlier: earlier.slice(0, MOST_EARLIER) });
  }
}
