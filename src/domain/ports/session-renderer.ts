import type { SinkRefusalReason } from "../failure.ts";
import type { MessageBody, PostedMessage } from "../message.ts";
import type { ServerState } from "../model.ts";
import type { GameSession, SessionCall } from "../session.ts";

/** How what sessions post of themselves reads. Pure. `name` tells the messages of one session apart. */
export interface SessionRenderer {
  vote(session: GameSession, nowMs: number): MessageBody;
  /** `state`: what the last look showed; undefined: nothing was seen yet. */
  card(session: GameSession, state: ServerState | undefined, nowMs: number): MessageBody;
  call(session: GameSession, call: SessionCall, name: string): MessageBody;
  /** Undefined: it is not known yet. */
  summary(session: GameSession): MessageBody | undefined;
  isPost(sessionId: string, name: string, posted: PostedMessage): boolean;
  /** For who made it: its messages no longer get there. */
  closed(session: GameSession, why: SinkRefusalReason): MessageBody;
}
