import type { SinkRefusal } from "../domain/failure.ts";
import type { MessageBody } from "../domain/message.ts";
import type { ServerState } from "../domain/model.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Mentions } from "../domain/ports/mentions.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { PostLine, Posts, Stands, WantedPost } from "../domain/ports/posts.ts";
import type { SessionRenderer } from "../domain/ports/session-renderer.ts";
import { type GameSession, isOver } from "../domain/session.ts";
import type { SessionBook } from "./session-book.ts";
import type { KeptSession, SessionPost } from "./session-records.ts";
import { channelOf, overForMs } from "./session-steps.ts";

export interface SessionPostsPorts {
  readonly book: SessionBook;
  readonly posts: Posts;
  readonly renderer: SessionRenderer;
  readonly notifier: Pick<Notifier, "person">;
  readonly mentions: Pick<Mentions, "whoAllowed">;
  readonly clock: Clock;
  readonly random: Random;
  /** What the last look at the server of a session showed. */
  stateOf(session: GameSession): ServerState | undefined;
}

interface PostRef {
  readonly sessionId: string;
  readonly name: string;
}

type Pings = Pick<WantedPost, "silent" | "pingRoleIds" | "pingUserIds">;

/** What a message is to say. */
interface Said {
  readonly body: MessageBody;
  /** Nothing else will be said in it. */
  readonly isLast: boolean;
}

/** Edits of one card: at most one in this time. */
const CARD_EVERY_MS = 60_000;
/** Votes come close together. */
const STEP_EVERY_MS = 5_000;
/** Nobody is pinged for what is older than this. */
const PING_WITHIN_MS = 15 * 60_000;
/** Who asked for a vote or a start waits so long for its message. */
const FIRST_POST_WITHIN_MS = 10_000;

/** Its summary revives an archived thread within minutes; one that stays closed is not waited for any longer. */
const REVIVED_WITHIN_MS = 24 * 60 * 60_000;

/** The messages of sessions: each stands once, and says what is so. */
export class SessionPosts {
  readonly #ports: SessionPostsPorts;
  readonly #line: PostLine<PostRef>;
  /** Messages that this process wanted first. */
  readonly #own = new Set<string>();
  /** As they were asked for last, and as they stand. */
  readonly #wanted = new Map<string, Said>();
  readonly #shown = new Map<string, string>();
  /** By the monotonic clock. */
  readonly #notBeforeMs = new Map<string, number>();
  readonly #awaited = new Map<string, PromiseWithResolvers<void>>();

  constructor(ports: SessionPostsPorts) {
    this.#ports = ports;
    this.#line = ports.posts.line<PostRef>({
      name: "a message of a session",
      classes: { post: "first", edit: "refresh" },
      everyMs: STEP_EVERY_MS,
      keyOf,
      guildOf: ({ sessionId }) => ports.book.of(sessionId)?.guildId ?? sessionId,
      wanted: (ref) => this.#wantedOf(ref),
      isIt: ({ sessionId, name }, posted) => ports.renderer.isPost(sessionId, name, posted),
      onStands: (ref, stands) => this.#onStands(ref, stands),
      onRefused: (ref, refusal) => this.#onRefused(ref, refusal),
      replace: (ref) => this.#postAnew(ref, former),
    });
  }

  /** A message that is to be written with its session, and then shown. */
  begin(name: string): SessionPost {
    const { random, clock } = this.#ports;
    return { name, nonce: random.id().slice(0, 25), atMs: clock.nowMs() };
  }

  /** This process wanted it first; before the session with it is written. */
  own(sessionId: string, name: string): void {
    this.#own.add(keyOf({ sessionId, name }));
  }

  /** Somebody is going to wait for it. */
  expect(sessionId: string, name: string): void {
    this.#awaited.set(keyOf({ sessionId, name }), Promise.withResolvers<void>());
  }

  /** All that is not done with. */
  show({ id: sessionId, posts }: KeptSession): void {
    for (const { name, isDone } of posts) if (isDone !== true) this.#line.show({ sessionId, name });
  }

  /** Shows a message that is expected for the first time. Rejects with a SinkRefusal where Discord does not take it. */
  async first(session: KeptSession, name: string): Promise<"posted" | "follows"> {
    const key = keyOf({ sessionId: session.id, name });
    const first = this.#awaited.get(key)?.promise ?? Promise.resolve();
    this.show(session);
    const inTime = new AbortController();
    const late = this.#ports.clock.sleep(FIRST_POST_WITHIN_MS, inTime.signal).then(() => "follows" as const);
    late.catch(() => undefined);
    return await Promise.race([first.then(() => "posted" as const), late]).finally(() => {
      this.#awaited.delete(key);
      inTime.abort();
    });
  }

  async #wantedOf(ref: PostRef): Promise<WantedPost | undefined> {
    const { book, clock } = this.#ports;
    const session = book.of(ref.sessionId);
    const post = session?.posts.find(({ name }) => name === ref.name);
    if (session === undefined || post === undefined || post.isDone === true) return undefined;
    if (post.formerOf !== undefined) return formerWanted(session, post);
    const said = this.#saidBy(session, ref.name);
    if (said === undefined) return undefined;

    const key = keyOf(ref);
    const { messageId, nonce, isMarked, atMs } = post;
    const isSaid = this.#shown.get(key) === JSON.stringify(said.body);
    const isTooSoon = clock.monotonicMs() < (this.#notBeforeMs.get(key) ?? 0);
    if (messageId !== undefined && (isSaid || (isTooSoon && !said.isLast))) return undefined;
    this.#wanted.set(key, said);
    const isDoubtful = !this.#own.has(key);
    const where = {
      channelId: channelOf(session, post),
      messageId,
      nonce,
      isMarked,
      isDoubtful,
      sinceMs: atMs,
    };
    return {
      ...where,
      body: said.body,
      ...(messageId === undefined ? await this.#pingsOf(session, post) : {}),
    };
  }

  #saidBy(session: KeptSession, name: string): Said | undefined {
    const { renderer, clock, stateOf } = this.#ports;
    if (name === VOTE) {
      return { body: renderer.vote(session, clock.nowMs()), isLast: session.vote?.end !== undefined };
    }
    if (name === CARD) {
      return { body: renderer.card(session, stateOf(session), clock.nowMs()), isLast: isOver(session) };
    }
    if (name === SUMMARY) {
      const body = renderer.summary(session);
      return body && { body, isLast: true };
    }
    const call = session.calls[callNumber(name)];
    return call && { body: renderer.call(session, call, name), isLast: true };
  }

  /** Whom it notifies when it is new. What stands again in place of a deleted one notifies nobody. */
  async #pingsOf(session: KeptSession, { name, atMs, isRemade }: SessionPost): Promise<Pings> {
    const { clock, mentions } = this.#ports;
    const isPinging = isPing(session, name);
    const isLate = Math.abs(clock.nowMs() - atMs) > PING_WITHIN_MS;
    if (!isPinging || isLate || isRemade === true) return { silent: !isPinging };
    const { roleId, start, guildId } = session;
    const ids = name === CARD ? (start?.mentionIds ?? []) : [];
    return {
      ...(roleId === undefined ? {} : { pingRoleIds: [roleId] }),
      // Who no longer allows it is not mentioned, however long the message has waited.
      ...(ids.length === 0 ? {} : { pingUserIds: await mentions.whoAllowed(guildId, ids, ids.length) }),
    };
  }

  async #onStands(ref: PostRef, { kind, messageId, isMarked }: Stands): Promise<void> {
    if (kind === "removed") return await this.#change(ref, (post) => ({ ...post, isDone: true }));
    const key = keyOf(ref);
    const said = this.#wanted.get(key);
    // What was found may say something older, and is then edited at once.
    const isCurrent = kind !== "found" && said !== undefined;
    await this.#change(ref, (post) => ({
      ...post,
      messageId,
      ...(isMarked ? { isMarked } : {}),
      ...(isCurrent && said.isLast ? { isDone: true } : {}),
    }));
    this.#own.add(key);
    if (isCurrent) this.#shown.set(key, JSON.stringify(said.body));
    const everyMs = ref.name === CARD ? CARD_EVERY_MS : 0;
    this.#notBeforeMs.set(key, isCurrent ? this.#ports.clock.monotonicMs() + everyMs : 0);
    this.#awaited.get(key)?.resolve();
  }

  async #onRefused(ref: PostRef, refusal: SinkRefusal): Promise<"over" | "closed"> {
    const { book, notifier, renderer, clock } = this.#ports;
    const session = book.of(ref.sessionId);
    const post = session?.posts.find(({ name }) => name === ref.name);
    if (session === undefined || post === undefined) return "over";
    // Who asked for it and still waits reads the refusal there, and nothing of it is kept.
    const awaited = this.#awaited.get(keyOf(ref));
    if (awaited !== undefined) {
      awaited.reject(refusal);
      return "over";
    }
    // Discord archives a quiet thread by itself: no edit is taken there, but the next new message revives it.
    const isArchived = refusal.reason === "closed" && post.messageId !== undefined;
    if (isArchived && overForMs(session, clock.nowMs()) < REVIVED_WITHIN_MS) return "closed";
    const isDeleted = refusal.reason === "message-gone";
    if (isDeleted && ref.name === CARD && post.isRemade !== true && !isOver(session)) {
      await this.#postAnew(ref);
      return "over";
    }
    await this.#change(ref, (one) => ({ ...one, isDone: true }));
    // Somebody who deletes it twice does not want it.
    if (isDeleted || post.formerOf !== undefined) return "over";
    const hostId = session.start?.byId ?? session.vote?.byId ?? "";
    await notifier.person(
      session.guildId,
      hostId,
      renderer.closed({ ...session, channelId: channelOf(session, post) }, refusal.reason),
    );
    return "over";
  }

  /** The next message is another one; its nonce is written before it is used. `more`: posts that are written with it. */
  async #postAnew(
    ref: PostRef,
    more: (old: SessionPost) => readonly SessionPost[] = () => [],
  ): Promise<void> {
    const { name, nonce, atMs } = this.begin(ref.name);
    const key = keyOf(ref);
    this.#shown.delete(key);
    this.#notBeforeMs.delete(key);
    const anew = { name, nonce, atMs, isRemade: true };
    await this.#ports.book.change(ref.sessionId, (session) => ({
      ...session,
      posts: session.posts.flatMap((post) => (post.name === name ? [anew, ...more(post)] : [post])),
    }));
    this.#line.show(ref);
  }

  async #change({ sessionId, name }: PostRef, edit: (post: SessionPost) => SessionPost): Promise<void> {
    await this.#ports.book.change(sessionId, (session) => ({
      ...session,
      posts: session.posts.map((post) => (post.name === name ? edit(post) : post)),
    }));
  }
}

/** A message that takes no edits for long would say the same for ever: it goes when the next one stands. */
function former(old: SessionPost): readonly SessionPost[] {
  const { name, messageId } = old;
  return messageId === undefined ? [] : [{ ...old, name: `former-${messageId}`, formerOf: name }];
}

/** It is to go once another message stands in its place, or never will. */
function formerWanted(session: KeptSession, post: SessionPost): WantedPost | undefined {
  const next = session.posts.find(({ name }) => name === post.formerOf);
  if (next !== undefined && next.messageId === undefined && next.isDone !== true) return undefined;
  const { messageId, nonce } = post;
  return { channelId: channelOf(session, post), messageId, nonce, body: {}, isToGo: true };
}

export const VOTE = "vote";
export const CARD = "card";
export const SUMMARY = "summary";

/** The name of the message of a call, by its place among the calls of the session. */
export function callName(nth: number): string {
  return `call-${nth}`;
}

function callNumber(name: string): number {
  return name.startsWith("call-") ? Number(name.slice("call-".length)) : -1;
}

/** Whether a new message of this name notifies: not once what it calls for is over. */
function isPing(session: KeptSession, name: string): boolean {
  if (isOver(session)) return false;
  if (name === VOTE) return session.vote?.end === undefined;
  return name === CARD || session.calls[callNumber(name)]?.isPinging === true;
}

function keyOf({ sessionId, name }: PostRef): string {
  return `${sessionId} ${name}`;
}
