import type { Actor, Binding } from "../guild.ts";
import type { GameSession, PastSession, SessionCall, SessionSetup } from "../session.ts";

/** What was done, and whether its message stands; follows: as soon as Discord answers. */
export interface Announced {
  readonly session: GameSession;
  readonly message: "posted" | "follows";
}

export interface VoteWish {
  /** @default as it is set up */
  readonly needed?: number | undefined;
  readonly minutes: number;
}

/** @default as it is set up */
export interface StartWish {
  readonly text?: string | undefined;
  readonly pictureUrl?: string | undefined;
}

/** Nothing was announced: it was said already. */
export interface Called {
  readonly announced: Announced | undefined;
  readonly call?: SessionCall | undefined;
}

/** counted: their vote is new. already: it counted before. taken-back: it counts no more. none: there was none. */
export interface VotePress {
  readonly session: GameSession;
  readonly kind: "counted" | "already" | "taken-back" | "none";
}

/**
 * Sessions: announcements that know the game. One at a time on each linked server. Who may is the caller's to ask; all of it
 * throws Failure "bad-command" for what does not fit what goes on, and SinkRefusal where Discord does not take the
 * message of a vote, a start or a call, of which then nothing is kept.
 */
export interface Sessions {
  setupOf(guildId: string, bindingId: string): Promise<SessionSetup | undefined>;
  /** Two who change it at once both count. */
  setUp(
    guildId: string,
    bindingId: string,
    edit: (before: SessionSetup | undefined) => SessionSetup,
  ): Promise<SessionSetup>;
  /** What is voted about, or is on. */
  current(guildId: string, bindingId: string): GameSession | undefined;
  vote(actor: Actor, server: Binding, wish: VoteWish): Promise<Announced>;
  /** Ends the vote, where there is one. */
  start(actor: Actor, server: Binding, wish: StartWish): Promise<Announced>;
  call(actor: Actor, server: Binding, kind: SessionCall["kind"]): Promise<Called>;
  end(actor: Actor, server: Binding): Promise<GameSession>;
  /** A vote that shall not go on, or a session that was started by mistake: it is not counted among the past ones. */
  cancel(actor: Actor, server: Binding): Promise<GameSession>;
  press(actor: Actor, sessionId: string, wants: "in" | "out"): Promise<VotePress>;
  /** Oldest first. */
  past(guildId: string, bindingId: string): Promise<readonly PastSession[]>;
}
