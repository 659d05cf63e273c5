import { z } from "zod";
import type { GameSession, PastSession, SessionSetup } from "../domain/session.ts";

/** What is kept of sessions: one document for each that is not done with, and one for each server. */

/** A message of a session. Written before it is sent. */
export interface SessionPost {
  /** vote, card, summary, a call with its number, or one of these that another message replaces. */
  readonly name: string;
  readonly nonce: string;
  /** Where it stands. @default the channel of its session */
  readonly channelId?: string | undefined;
  /** When it was wanted first. */
  readonly atMs: number;
  readonly messageId?: string | undefined;
  /** Its message says that it may stand there twice. */
  readonly isMarked?: boolean | undefined;
  /** Somebody deleted it and it was made again: once is enough. */
  readonly isRemade?: boolean | undefined;
  /** The name under which another message takes its place: then this one is to go. */
  readonly formerOf?: string | undefined;
  /** It says its last, can't be posted, or is gone. */
  readonly isDone?: boolean | undefined;
}

export interface KeptSession extends GameSession {
  readonly posts: readonly SessionPost[];
}

/** What is kept of the sessions of one server. */
export interface SessionPage {
  readonly guildId: string;
  readonly setup?: SessionSetup | undefined;
  /** When the last vote ended without a session. */
  readonly voteEndedMs?: number | undefined;
  /** Oldest first. */
  readonly past: readonly PastSession[];
}

const setup = z.object({
  channelId: z.string(),
  roleId: z.string().optional(),
  hostRoleId: z.string().optional(),
  needed: z.number(),
  cooldownMinutes: z.number(),
  text: z.string().optional(),
  pictureUrl: z.string().optional(),
});
const figures = z.object({
  calls: z.number(),
  answered: z.number(),
  timed: z.number(),
  medianAnswerS: z.number().optional(),
  staff: z.number().optional(),
  knownS: z.number(),
});
const past = z.object({
  id: z.string(),
  fromMs: z.number(),
  untilMs: z.number(),
  peak: z.number().optional(),
  staffSeen: z.number(),
  figures: z.union([figures, z.enum(["off", "unknown"])]),
});
const vote = z.object({
  byId: z.string(),
  fromMs: z.number(),
  untilMs: z.number(),
  needed: z.number(),
  voterIds: z.array(z.string()),
  end: z.enum(["started", "missed", "cancelled", "unlinked", "restored"]).optional(),
});
const start = z.object({
  byId: z.string(),
  atMs: z.number(),
  text: z.string().optional(),
  pictureUrl: z.string().optional(),
  mentionIds: z.array(z.string()),
});
const call = z.object({
  kind: z.enum(["full", "low"]),
  byId: z.string(),
  atMs: z.number(),
  isPinging: z.boolean(),
});
const end = z.object({
  byId: z.string().optional(),
  atMs: z.number(),
  why: z.enum(["ended", "cancelled", "unlinked", "limit", "restored"]),
});
const post = z.object({
  name: z.string(),
  nonce: z.string(),
  channelId: z.string().optional(),
  atMs: z.number(),
  messageId: z.string().optional(),
  isMarked: z.boolean().optional(),
  isRemade: z.boolean().optional(),
  formerOf: z.string().optional(),
  isDone: z.boolean().optional(),
});
const session = z.object({
  id: z.string(),
  guildId: z.string(),
  bindingId: z.string(),
  serverName: z.string(),
  channelId: z.string(),
  roleId: z.string().optional(),
  vote: vote.optional(),
  start: start.optional(),
  calls: z.array(call),
  end: end.optional(),
  seen: z.object({ peak: z.number().optional(), staffIds: z.array(z.number()) }),
  past: past.optional(),
  posts: z.array(post),
});
const page = z.object({
  guildId: z.string(),
  setup: setup.optional(),
  voteEndedMs: z.number().optional(),
  past: z.array(past),
});

/** For `Documents<KeptSession>`. Throws on any other shape. */
export function parseSession(value: unknown): KeptSession {
  return session.parse(value);
}

/** For `Documents<SessionPage>`. Throws on any other shape. */
export function parseSessionPage(value: unknown): SessionPage {
  return page.parse(value);
}
