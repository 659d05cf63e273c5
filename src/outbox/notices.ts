import type { MessageBody, PostedMessage } from "../domain/message.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type {
  DirectMessages,
  NoticeWay,
  Notifier,
  OwedMessage,
  OwedMessages,
} from "../domain/ports/notifier.ts";
import type { PostLine, Posts, WantedPost } from "../domain/ports/posts.ts";
import { asStored, type OwedNotice } from "./owed-notice.ts";
import type { DiscordTime } from "./posts/discord-time.ts";

/** Notices that one guild is owed at a time; beyond it the newest are lost, and reported. */
const MOST_OWED = 100;
/** Longer than two clocks lie apart: so old a message is not looked at for a new notice. */
const REMEMBERED_MS = 20 * 60_000;
/** A notice that comes this long after it was given says so. */
const LATE_AFTER_MS = 600_000;

export interface NoticesPorts {
  readonly posts: Posts;
  readonly owed: Documents<OwedNotice>;
  readonly direct: Pick<DirectMessages, "bodyFrom">;
  readonly clock: Clock;
  readonly discordTime: Pick<DiscordTime, "nowMs">;
  readonly random: Random;
  /** Where a guild wants notices; undefined: it has said nothing. */
  noticeChannelOf(guildId: string): Promise<string | undefined>;
  /** Who linked a server of the guild. */
  linkerOf(guildId: string): Promise<string | undefined>;
  late(body: MessageBody, sinceMs: number): MessageBody;
  report(what: string, error: unknown): void;
}

/** Each notice stands once, by the first way that is open, however long Discord is away and whatever ends the process. */
export class Notices implements Notifier, OwedMessages {
  readonly #ports: NoticesPorts;
  readonly #line: PostLine<string>;
  readonly #owed = new Map<string, OwedNotice>();
  readonly #owedBy = new Map<string, number>();
  /** By message, oldest first: the notices that stand there, each of which may be given in the same words again. */
  readonly #standing = new Map<
    string,
    { readonly id: string; readonly words: string; readonly atMs: number }
  >();
  /** By message: the notice that was found there. Others in the same words may look through the same read, before that is noted. */
  readonly #found = new Map<string, string>();
  /** Those that the store could not take. */
  readonly #unstored = new Set<string>();
  /** Those of an earlier process, which may have posted them; or whose sender has lost whether they stand. */
  readonly #doubtful = new Map<string, WantedPost["isDoubtful"]>();

  constructor(ports: NoticesPorts) {
    this.#ports = ports;
    this.#line = ports.posts.line<string>({
      name: "a notice",
      classes: { post: "first", edit: "change" },
      isBounded: true,
      keyOf: (id) => id,
      guildOf: (id) => this.#owed.get(id)?.guildId ?? id,
      wanted: (id) => this.#wanted(id),
      isIt: (id, posted) => this.#isFound(id, posted),
      // Found may be one that says less, or more: it is the same message.
      onStands: (id, { messageId }) => this.#onStands(id, messageId),
      onRefused: async (id, refusal) => {
        if (refusal.reason === "message-gone") await this.#end(id);
        else await this.#onClosed(id, refusal);
        return "over";
      },
    });
  }

  person(guildId: string, userId: string, body: MessageBody): Promise<void> {
    return this.#give(guildId, body, [{ to: "person", userId }, { to: "notice-channel" }]);
  }

  guild(guildId: string, body: MessageBody, userId?: string): Promise<void> {
    const other: NoticeWay = userId === undefined ? { to: "linker" } : { to: "person", userId };
    return this.#give(guildId, body, [{ to: "notice-channel" }, other]);
  }

  async owe(message: OwedMessage): Promise<boolean> {
    const { guildId, id, ways, body, marks, isDoubtful = false } = message;
    const readFromMs = message.sinceMs ?? this.#ports.discordTime.nowMs();
    // Who asks again has lost that it was owed; it is on its way.
    if (this.#owed.has(id)) return true;
    if (isDoubtful) this.#doubtful.set(id, "whatever-the-end");
    const sinceMs = this.#ports.clock.nowMs();
    const nonce = this.#ports.random.id().slice(0, 25);
    return await this.#owe({ id, guildId, ways: [...ways], body, marks, readFromMs, nonce, sinceMs });
  }

  /** After a start: what an earlier process owed. Rejects when the store does. */
  async recover(): Promise<void> {
    for await (const [id, notice] of this.#ports.owed.entries()) {
      if (this.#owed.has(id)) continue;
      this.#doubtful.set(id, true);
      this.#keep(notice);
      this.#line.show(id);
    }
  }

  async #give(guildId: string, body: MessageBody, ways: readonly NoticeWay[]): Promise<void> {
    const { clock, random, report, discordTime } = this.#ports;
    if ((this.#owedBy.get(guildId) ?? 0) >= MOST_OWED) {
      report("a notice is lost: too many of this community wait for Discord", new Error(guildId));
      return;
    }
    const id = random.id();
    const sinceMs = clock.nowMs();
    const readFromMs = discordTime.nowMs();
    await this.#owe({ id, guildId, ways: [...ways], body, nonce: id.slice(0, 25), sinceMs, readFromMs });
  }

  async #owe(given: OwedNotice): Promise<boolean> {
    const { owed, report } = this.#ports;
    const { id } = given;
    const words = JSON.stringify(given.body);
    const same = [...this.#standing].filter(([, standing]) => standing.words === words);
    const notice = same.length === 0 ? given : { ...given, others: same.map(([messageId]) => messageId) };
    let isStored = true;
    this.#keep(notice);
    try {
      await owed.set(id, asStored(notice));
    } catch (error) {
      isStored = false;
      this.#unstored.add(id);
      report("a notice could not be stored; it is given up if the process ends before it is posted", error);
    }
    this.#line.show(id);
    return isStored;
  }

  /** Takes out the ways that lead nowhere, so that it never goes by two of them. */
  async #wanted(id: string): Promise<WantedPost | undefined> {
    for (;;) {
      const notice = this.#owed.get(id);
      if (notice === undefined) return undefined;
      const said = await this.#saidBy(notice.ways[0], notice);
      if (said !== undefined) return said;
      await this.#closeFirst(notice, new Error("no such way"));
    }
  }

  /** Undefined: there is no such way. */
  async #saidBy(way: NoticeWay | undefined, notice: OwedNotice): Promise<WantedPost | undefined> {
    const { noticeChannelOf, linkerOf } = this.#ports;
    const { guildId, nonce } = notice;
    switch (way?.to) {
      case undefined:
        return undefined;
      case "edit":
        return { channelId: way.channelId, messageId: way.messageId, nonce, body: way.body };
      case "channel":
        return this.#saidIn(way.channelId, notice);
      case "person":
        return this.#saidTo(way.userId, notice);
      case "notice-channel": {
        const channelId = await noticeChannelOf(guildId);
        return channelId === undefined ? undefined : this.#saidIn(channelId, notice);
      }
      case "linker": {
        const linker = await linkerOf(guildId);
        return linker === undefined ? undefined : this.#saidTo(linker, notice);
      }
    }
  }

  #saidIn(channelId: string, notice: OwedNotice): WantedPost {
    return { channelId, ...this.#words(notice, this.#dated(notice)) };
  }

  #saidTo(directTo: string, notice: OwedNotice): WantedPost {
    const body = this.#ports.direct.bodyFrom(notice.guildId, this.#dated(notice));
    return { directTo, ...this.#words(notice, body) };
  }

  #dated({ sinceMs, body }: OwedNotice): MessageBody {
    const { clock, late } = this.#ports;
    return clock.nowMs() - sinceMs > LATE_AFTER_MS ? late(body, sinceMs) : body;
  }

  #words({ id, nonce, sinceMs, readFromMs = sinceMs }: OwedNotice, body: MessageBody) {
    return { nonce, body, isDoubtful: this.#doubtful.get(id), sinceMs: readFromMs };
  }

  async #onClosed(id: string, why: unknown): Promise<void> {
    const notice = this.#owed.get(id);
    if (notice === undefined) return;
    await this.#closeFirst(notice, why);
    this.#line.show(id);
  }

  async #closeFirst(notice: OwedNotice, why: unknown): Promise<void> {
    const { owed, report } = this.#ports;
    const { id, guildId } = notice;
    const rest = { ...notice, ways: notice.ways.slice(1) };
    this.#owed.set(id, rest);
    if (rest.ways.length > 0) {
      await owed.set(id, asStored(rest)).then(
        () => void this.#unstored.delete(id),
        (error: unknown) => report("a notice could not be stored", error),
      );
      return;
    }
    report(`a notice could not be delivered in ${guildId}: no way is open`, why);
    // Of a store that fails the next process hears of it again; this one asked every way.
    await this.#remove(id).catch((error: unknown) => report("a notice could not be removed", error));
    this.#forget(id);
  }

  #keep(notice: OwedNotice): void {
    this.#owed.set(notice.id, notice);
    this.#owedBy.set(notice.guildId, (this.#owedBy.get(notice.guildId) ?? 0) + 1);
  }

  async #onStands(id: string, messageId: string): Promise<void> {
    const atMs = this.#ports.clock.monotonicMs();
    for (const [old, standing] of this.#standing) {
      if (atMs - standing.atMs < REMEMBERED_MS) break;
      this.#standing.delete(old);
    }
    const words = JSON.stringify(this.#owed.get(id)?.body);
    this.#standing.set(messageId, { id, words, atMs });
    await this.#end(id);
  }

  #isFound(id: string, posted: PostedMessage): boolean {
    if (this.#isOther(id, posted) || !isIt(posted, this.#owed.get(id))) return false;
    this.#found.set(posted.messageId, id);
    return true;
  }

  /** Another notice is known to stand there. */
  #isOther(id: string, { messageId }: PostedMessage): boolean {
    const foundId = this.#found.get(messageId);
    if (foundId !== undefined && foundId !== id) return true;
    const standing = this.#standing.get(messageId);
    if (standing !== undefined && standing.id !== id) return true;
    return this.#owed.get(id)?.others?.includes(messageId) === true;
  }

  async #end(id: string): Promise<void> {
    if (!this.#owed.has(id)) return;
    await this.#remove(id);
    this.#forget(id);
  }

  /** Of one that the store could not take there is nothing that has to go. */
  async #remove(id: string): Promise<void> {
    await this.#ports.owed.delete(id).catch((error: unknown) => {
      if (!this.#unstored.has(id)) throw error;
    });
  }

  #forget(id: string): void {
    const notice = this.#owed.get(id);
    if (notice === undefined) return;
    this.#owed.delete(id);
    this.#doubtful.delete(id);
    this.#unstored.delete(id);
    for (const [messageId, foundId] of this.#found) if (foundId === id) this.#found.delete(messageId);
    const left = (this.#owedBy.get(notice.guildId) ?? 1) - 1;
    if (left > 0) this.#owedBy.set(notice.guildId, left);
    else this.#owedBy.delete(notice.guildId);
  }
}

/** Without a mark the same words that stand there since it is owed are this notice. */
function isIt(posted: PostedMessage, notice: OwedNotice | undefined): boolean {
  if (notice === undefined) return false;
  const { body, marks = [] } = notice;
  const text = textOf(posted);
  if (marks.some((mark) => text.includes(mark))) return true;
  if (!posted.content.includes(body.content?.trim() ?? "")) return false;
  const cards = body.cards ?? [];
  return cards.every(
    ({ title, description }, at) =>
      posted.cards[at]?.title === title &&
      (posted.cards[at]?.description ?? "").startsWith(description?.trim() ?? ""),
  );
}

function textOf({ content, cards, componentIds }: PostedMessage): string {
  const texts = cards.flatMap(({ title, description, footer }) => [title, description, footer]);
  return [content, ...texts, ...componentIds].join("\n");
}
