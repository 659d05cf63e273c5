import { Failure, SinkRefusal } from "../domain/failure.ts";
import type { Actor, Binding } from "../domain/guild.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Mentions } from "../domain/ports/mentions.ts";
import type {
  Announced,
  Called,
  Sessions,
  StartWish,
  VotePress,
  VoteWish,
} from "../domain/ports/sessions.ts";
import {
  type GameSession,
  isOn,
  isOver,
  isVotable,
  type PastSession,
  type SessionCall,
  type SessionSetup,
} from "../domain/session.ts";
import type { SessionBook } from "./session-book.ts";
import { CARD, callName, type SessionPosts, VOTE } from "./session-posts.ts";
import type { KeptSession } from "./session-records.ts";
import { alreadyOne, refuseEarly, voteIsOver } from "./session-refusals.ts";
import { inChannel } from "./session-steps.ts";

export interface SessionDeskPorts {
  readonly book: SessionBook;
  readonly posts: SessionPosts;
  readonly mentions: Pick<Mentions, "whoAllowed">;
  readonly clock: Clock;
  readonly random: Random;
  /** Has its looks asked for, its deadlines kept, and its end written down. */
  readonly onChanged: (session: KeptSession) => void;
}

const MOST_VOTERS = 500;
/** Whom one message may notify by name. */
const MOST_MENTIONED = 25;
const MOST_CALLS = 40;
/** Between two calls for players that ping. */
const PING_AGAIN_MS = 15 * 60_000;

/** What people ask of sessions. Two who press at once come one after the other, and the second sees what the first did. */
export class SessionDesk implements Sessions {
  readonly #ports: SessionDeskPorts;

  constructor(ports: SessionDeskPorts) {
    this.#ports = ports;
  }

  async setupOf(guildId: string, bindingId: string): Promise<SessionSetup | undefined> {
    return (await this.#ports.book.page({ guildId, bindingId })).setup;
  }

  async setUp(
    guildId: string,
    bindingId: string,
    edit: (before: SessionSetup | undefined) => SessionSetup,
  ): Promise<SessionSetup> {
    const server = { guildId, bindingId };
    const { book } = this.#ports;
    return await book.take(server, async () => {
      const page = await book.page(server);
      const setup = edit(page.setup);
      await book.keepPage(server, { ...page, setup });
      for (const session of book.ofServer(server)) {
        const here = inChannel(session, setup.channelId);
        if (here !== session) await book.keep(here);
      }
      return setup;
    });
  }

  current(guildId: string, bindingId: string): GameSession | undefined {
    return this.#ports.book.current({ guildId, bindingId });
  }

  async past(guildId: string, bindingId: string): Promise<readonly PastSession[]> {
    return (await this.#ports.book.page({ guildId, bindingId })).past;
  }

  async vote(actor: Actor, server: Binding, { needed, minutes }: VoteWish): Promise<Announced> {
    const { book, clock } = this.#ports;
    const made = await book.take(keyOf(server), async () => {
      const { setup, page, current } = await this.#standing(server);
      if (current !== undefined) throw alreadyOne(current);
      const nowMs = clock.nowMs();
      refuseEarly(page, setup, nowMs);
      const session = this.#made(server, setup);
      const vote = {
        byId: actor.userId,
        fromMs: nowMs,
        untilMs: nowMs + minutes * 60_000,
        needed: needed ?? setup.needed,
        voterIds: [],
      };
      return await this.#begun({ ...session, vote }, VOTE);
    });
    return await this.#announced(made, VOTE, undefined);
  }

  async start(actor: Actor, server: Binding, wish: StartWish): Promise<Announced> {
    const { book, clock, mentions } = this.#ports;
    let before: KeptSession | undefined;
    const made = await book.take(keyOf(server), async () => {
      const { setup, current } = await this.#standing(server);
      if (current !== undefined && isOn(current)) throw alreadyOne(current);
      before = current;
      const session = current ?? this.#made(server, setup);
      const { vote } = session;
      const voterIds = vote?.voterIds ?? [];
      const start = {
        byId: actor.userId,
        atMs: clock.nowMs(),
        text: wish.text ?? setup.text,
        pictureUrl: wish.pictureUrl ?? setup.pictureUrl,
        mentionIds: await mentions.whoAllowed(server.guildId, voterIds, MOST_MENTIONED),
      };
      const ended = vote === undefined ? {} : { vote: { ...vote, end: "started" as const } };
      return await this.#begun({ ...session, ...ended, start }, CARD);
    });
    return await this.#announced(made, CARD, before);
  }

  async call({ userId: byId }: Actor, server: Binding, kind: SessionCall["kind"]): Promise<Called> {
    const { book, clock } = this.#ports;
    const made = await book.take(keyOf(server), async () => {
      const session = this.#on(server);
      const { calls } = session;
      if (calls.at(-1)?.kind === kind && kind === "full") return undefined;
      if (calls.length >= MOST_CALLS) {
        throw new Failure("bad-command", `${MOST_CALLS} calls in one session are the maximum.`);
      }
      const atMs = clock.nowMs();
      const pinged = calls.findLast(({ isPinging }) => isPinging)?.atMs ?? session.start?.atMs ?? 0;
      // A clock that was set back since makes nobody wait for its time of before.
      const isRecent = atMs >= pinged && atMs - pinged < PING_AGAIN_MS;
      const isPinging = kind === "low" && !isRecent;
      const call = { kind, byId, atMs, isPinging };
      return await this.#begun({ ...session, calls: [...calls, call] }, callName(calls.length));
    });
    if (made === undefined) return { announced: undefined };
    const nth = made.calls.length - 1;
    const announced = await this.#announced(made, callName(nth), undefined);
    return { announced, call: made.calls[nth] };
  }

  end({ userId: byId }: Actor, server: Binding): Promise<GameSession> {
    const { book } = this.#ports;
    return book.take(keyOf(server), () => this.#ended(this.#on(server), { byId, why: "ended" }));
  }

  async cancel({ userId: byId }: Actor, server: Binding): Promise<GameSession> {
    const { book, clock, posts, onChanged } = this.#ports;
    return await book.take(keyOf(server), async () => {
      const current = book.current(keyOf(server));
      if (current === undefined)
        throw new Failure("bad-command", "There is no vote and no session to cancel.");
      if (isOn(current)) return await this.#ended(current, { byId, why: "cancelled" });
      await book.pauseVotes(current, clock.nowMs());
      const kept = await book.keep({
        ...current,
        vote: current.vote && { ...current.vote, end: "cancelled" },
      });
      posts.show(kept);
      onChanged(kept);
      return kept;
    });
  }

  async press({ guildId, userId }: Actor, sessionId: string, wants: "in" | "out"): Promise<VotePress> {
    const { book, clock, posts } = this.#ports;
    const known = book.of(sessionId);
    if (known === undefined || known.guildId !== guildId) throw voteIsOver();
    return await book.take(known, async () => {
      const session = book.of(sessionId);
      const vote = session?.vote;
      if (session === undefined || vote === undefined || !isVotable(vote, clock.nowMs())) {
        throw voteIsOver();
      }
      const isIn = vote.voterIds.includes(userId);
      if (isIn === (wants === "in")) return { session, kind: isIn ? "already" : "none" };
      if (vote.voterIds.length >= MOST_VOTERS && wants === "in") {
        throw new Failure("bad-command", `This vote has its ${MOST_VOTERS} votes, the maximum.`);
      }
      const voterIds =
        wants === "in" ? [...vote.voterIds, userId] : vote.voterIds.filter((one) => one !== userId);
      const kept = await book.keep({ ...session, vote: { ...vote, voterIds } });
      posts.show(kept);
      return { session: kept, kind: wants === "in" ? "counted" : "taken-back" };
    });
  }

  /** What a question needs to know. @throws Failure "bad-command" where nothing is set up. */
  async #standing(server: Binding) {
    const { book } = this.#ports;
    const page = await book.page(keyOf(server));
    if (page.setup === undefined) {
      throw new Failure(
        "bad-command",
        "Sessions are not set up yet. Managers can do it with /session setup.",
      );
    }
    return { page, setup: page.setup, current: book.current(keyOf(server)) };
  }

  #on(server: Binding): KeptSession {
    const current = this.#ports.book.current(keyOf(server));
    if (current === undefined || !isOn(current)) {
      throw new Failure("bad-command", "No session is on. Start one with /session start.");
    }
    return current;
  }

  #made(
    { guildId, id: bindingId, name: serverName }: Binding,
    { channelId, roleId }: SessionSetup,
  ): KeptSession {
    const id = this.#ports.random.id();
    return {
      ...{ id, guildId, bindingId, serverName, channelId, roleId },
      calls: [],
      seen: { staffIds: [] },
      posts: [],
    };
  }

  async #ended(
    session: KeptSession,
    end: { readonly byId: string; readonly why: "ended" | "cancelled" },
  ): Promise<KeptSession> {
    const { book, clock, posts, onChanged } = this.#ports;
    const kept = await book.keep({ ...session, end: { ...end, atMs: clock.nowMs() } });
    posts.show(kept);
    onChanged(kept);
    return kept;
  }

  /** With its first message, for which somebody waits. */
  async #begun(session: KeptSession, name: string): Promise<KeptSession> {
    const { book, posts } = this.#ports;
    posts.own(session.id, name);
    const kept = await book.keep({ ...session, posts: [...session.posts, posts.begin(name)] });
    posts.expect(kept.id, name);
    return kept;
  }

  /** As if it had never been asked for: a vote goes on. What is over meanwhile stays over, and is tried once more. */
  async #withdrawn(id: string, name: string, before: KeptSession | undefined): Promise<void> {
    const { book, posts, onChanged } = this.#ports;
    const now = book.of(id);
    if (now === undefined || isOver(now)) return;
    const left = now.posts.filter((post) => post.name !== name);
    const isStarted = now.start !== undefined && name !== CARD;
    if (before === undefined && !isStarted) {
      await book.forget(id);
      onChanged({ ...now, start: undefined });
      return;
    }
    const isLast = name === callName(now.calls.length - 1);
    const rest: KeptSession = isStarted
      ? { ...now, posts: left, calls: isLast ? now.calls.slice(0, -1) : now.calls }
      : {
          ...now,
          start: undefined,
          vote: before?.vote,
          calls: [],
          posts: left.flatMap((post) => (post.name === VOTE ? [{ ...post, isDone: false }] : [])),
        };
    const kept = await book.keep(rest);
    onChanged(kept);
    posts.show(kept);
  }

  /** Waits for the first message. Where Discord does not take it, all is as it was before. */
  async #announced(made: KeptSession, name: string, before: KeptSession | undefined): Promise<Announced> {
    const { book, posts, onChanged } = this.#ports;
    onChanged(made);
    try {
      return { session: made, message: await posts.first(made, name) };
    } catch (error) {
      if (!(error instanceof SinkRefusal)) throw error;
      await book.take(made, async () => this.#withdrawn(made.id, name, before));
      throw error;
    }
  }
}

function keyOf({ guildId, id: bindingId }: Binding) {
  return { guildId, bindingId };
}
