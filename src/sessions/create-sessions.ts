import type { Snapshot } from "../domain/model.ts";
import type { Random } from "../domain/ports/clock.ts";
import type { Mentions } from "../domain/ports/mentions.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Posts } from "../domain/ports/posts.ts";
import type { SessionRenderer } from "../domain/ports/session-renderer.ts";
import type { Sessions } from "../domain/ports/sessions.ts";
import { type ServerKey, SessionBook, type SessionBookPorts } from "./session-book.ts";
import { SessionDesk } from "./session-desk.ts";
import { SessionPosts } from "./session-posts.ts";
import { SessionWatch, type SessionWatchPorts } from "./session-watch.ts";

export interface SessionsPorts extends SessionBookPorts, Omit<SessionWatchPorts, "book" | "posts"> {
  readonly messages: Posts;
  readonly renderer: SessionRenderer;
  readonly notifier: Pick<Notifier, "person">;
  readonly mentions: Pick<Mentions, "whoAllowed">;
  readonly random: Random;
  /** The store was put back from a copy. */
  readonly isOlderCopy: boolean;
}

export interface SessionsWing {
  readonly sessions: Sessions;
  /** Takes up what an earlier process left. Rejects when the store fails. */
  start(): Promise<void>;
  /** An answer of a server. Waits for nothing. */
  take(look: Snapshot): void;
  onUnlinked(server: ServerKey): Promise<void>;
  onGuildRemoved(guildId: string): Promise<void>;
  /** Begins nothing more, and waits for what is being written. */
  stop(): Promise<void>;
}

/** Sessions: announcements that know the game. Starts nothing. */
export function createSessions(ports: SessionsPorts): SessionsWing {
  const book = new SessionBook(ports);
  const posts: SessionPosts = new SessionPosts({
    ...ports,
    book,
    posts: ports.messages,
    stateOf: (session) => watch.stateOf(session),
  });
  const watch = new SessionWatch({ ...ports, book, posts });
  const sessions = new SessionDesk({
    ...ports,
    book,
    posts,
    onChanged: (session) => watch.onChanged(session),
  });
  return {
    sessions,
    async start() {
      await book.load();
      if (ports.isOlderCopy) await watch.onRestored();
      watch.start();
    },
    take: (look) => watch.take(look),
    onUnlinked: (server) => watch.onUnlinked(server),
    onGuildRemoved: (guildId) => watch.onGuildRemoved(guildId),
    stop: () => watch.stop(),
  };
}
