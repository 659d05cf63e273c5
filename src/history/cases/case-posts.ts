import type { Case, CaseCard } from "../../domain/case.ts";
import type { SinkRefusalReason } from "../../domain/failure.ts";
import type { CasePostView, CaseRenderer } from "../../domain/ports/case-renderer.ts";
import type { Notifier, OwedMessages } from "../../domain/ports/notifier.ts";
import type { PostLine, Posts, Stands, WantedPost } from "../../domain/ports/posts.ts";

export interface CasePostsPorts {
  readonly posts: Posts;
  readonly owed: OwedMessages;
  readonly renderer: CaseRenderer;
  readonly notifier: Pick<Notifier, "guild">;
  /** The case as it is now, and what its card says beside. */
  current(guildId: string, number: number): Promise<CasePostView | undefined>;
  /** Its card shows all that it owed when it was edited; or never will, since Discord refuses that. */
  onShown(one: CaseRef, owed: number): Promise<void>;
  /** What a case says, or what its card says beside, may have changed. */
  onChanged(guildId: string, number: number): void;
  /** Notes this with its card. False: the case was erased meanwhile. */
  note(one: CaseRef, card: Partial<CaseCard>): Promise<boolean>;
}

type CaseRef = Pick<Case, "guildId" | "number">;

/** The cards in the case channels: each stands there once and says what its case says. */
export class CasePosts {
  readonly #ports: CasePostsPorts;
  readonly #line: PostLine<CaseRef>;
  /** Cards that an earlier process may have posted. */
  readonly #doubtful = new Set<string>();
  readonly #notified = new Set<string>();
  /** What the edit that was asked for last pays. */
  readonly #paying = new Map<string, number>();
  /** Cards on their way into a channel, also where their case is erased meanwhile. */
  readonly #posting = new Map<string, CaseCard>();

  constructor(ports: CasePostsPorts) {
    this.#ports = ports;
    this.#line = ports.posts.line<CaseRef>({
      name: "the card of a case",
      classes: { post: "first", edit: "change" },
      keyOf,
      guildOf: ({ guildId }) => guildId,
      wanted: (ref) => this.#wanted(ref),
      isIt: ({ number }, posted) => ports.renderer.numberOf(posted) === number,
      onStands: (ref, stands) => this.#onStands(ref, stands),
      onRefused: async (ref, { reason }) => {
        // Discord archives a quiet thread by itself: no edit is taken there, but the next new message revives it.
        if (reason === "closed" && (await this.#isPosted(ref))) return "closed";
        if (reason === "form" && (await this.#leaveWordsOut(ref))) {
          this.#line.show(ref);
          return "over";
        }
        this.#posting.delete(keyOf(ref));
        await this.#pay(ref);
        // Somebody deleted the card: the case itself stays.
        if (reason !== "message-gone") await this.#tell(ref, reason);
        return "over";
      },
    });
  }

  /** Its card is to show what the case says now. */
  show(guildId: string, number: number): void {
    this.#line.show({ guildId, number });
    this.#ports.onChanged(guildId, number);
  }

  /** After a start: its card may stand there or not. */
  recover(one: Case): void {
    if (one.card === undefined) return;
    if (one.card.messageId === undefined) this.#doubtful.add(keyOf(one));
    this.#line.show({ guildId: one.guildId, number: one.number });
  }

  /**
   * The case is about to go: its card says no more than that. Where Discord refuses that, the guild is told. A card that may
   * be on its way is shown once the case is gone. Never rejects.
   */
  async erase({ guildId, number, card }: Case): Promise<void> {
    if (card?.messageId === undefined) return;
    const { channelId, messageId } = card;
    const { renderer, owed } = this.#ports;
    await owed.owe({
      id: `erased case ${guildId} ${number}`,
      guildId,
      ways: [
        { to: "edit", channelId, messageId, body: renderer.erased(number) },
        { to: "notice-channel" },
        { to: "linker" },
      ],
      body: renderer.notErased({ guildId, channelId, messageId }, number),
    });
  }

  async #wanted(ref: CaseRef): Promise<WantedPost | undefined> {
    const current = await this.#ports.current(ref.guildId, ref.number);
    const isDoubtful = this.#doubtful.has(keyOf(ref));
    if (current === undefined) return this.#wantedOfErased(ref);
    if (current.one.card === undefined) return undefined;
    const { channelId, nonce, messageId, isMarked, owed, sinceMs } = current.one.card;
    if (messageId === undefined) this.#posting.set(keyOf(ref), current.one.card);
    if (owed === undefined) this.#paying.delete(keyOf(ref));
    else this.#paying.set(keyOf(ref), owed);
    const body = this.#ports.renderer.card(current);
    return { channelId, nonce, messageId, isMarked, body, isDoubtful, sinceMs };
  }

  /** An attempt to post its card may have arrived: what stands there says no more than that it was erased. */
  #wantedOfErased(ref: CaseRef): WantedPost | undefined {
    const card = this.#posting.get(keyOf(ref));
    return card === undefined ? undefined : { ...card, body: this.#ports.renderer.erased(ref.number) };
  }

  async #onStands(ref: CaseRef, { kind, messageId, isMarked }: Stands): Promise<void> {
    const card = this.#posting.get(keyOf(ref));
    const isKept = kind === "edited" || (await this.#ports.note(ref, posted(messageId, isMarked)));
    if (!isKept && card !== undefined) {
      this.#posting.set(keyOf(ref), { ...card, messageId });
      this.#line.show(ref);
      return;
    }
    this.#posting.delete(keyOf(ref));
    if (kind === "edited") return await this.#pay(ref);
    this.#doubtful.delete(keyOf(ref));
    this.#notified.delete(await this.#channelOf(ref));
  }

  async #pay(ref: CaseRef): Promise<void> {
    const owed = this.#paying.get(keyOf(ref));
    this.#paying.delete(keyOf(ref));
    if (owed !== undefined) await this.#ports.onShown(ref, owed);
  }

  /** Sends one notice, and none again until the channel takes messages. */
  async #tell(ref: CaseRef, reason: SinkRefusalReason): Promise<void> {
    const channelId = await this.#channelOf(ref);
    if (channelId === "" || this.#notified.has(channelId)) return;
    this.#notified.add(channelId);
    await this.#ports.notifier.guild(ref.guildId, this.#ports.renderer.closed("cases", channelId, reason));
  }

  /** What one player or member wrote must not keep the case from its channel. False: it is left out already. */
  async #leaveWordsOut(ref: CaseRef): Promise<boolean> {
    const card = (await this.#ports.current(ref.guildId, ref.number))?.one.card;
    if (card === undefined || card.isWithoutWords === true) return false;
    return await this.#ports.note(ref, { isWithoutWords: true });
  }

  async #isPosted({ guildId, number }: CaseRef): Promise<boolean> {
    return (await this.#ports.current(guildId, number))?.one.card?.messageId !== undefined;
  }

  async #channelOf({ guildId, number }: CaseRef): Promise<string> {
    const current = await this.#ports.current(guildId, number).catch(() => undefined);
    return current?.one.card?.channelId ?? "";
  }
}

function keyOf({ guildId, number }: CaseRef): string {
  return `${guildId} ${number}`;
}

function posted(messageId: string, isMarked: boolean): Pick<CaseCard, "messageId" | "isMarked"> {
  return { messageId, ...(isMarked ? { isMarked } : {}) };
}
