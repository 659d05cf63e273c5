import type { MessageBody, PostedMessage } from "../domain/message.ts";
import type { Batches } from "../domain/ports/batches.ts";
import type { CleanStop } from "../domain/ports/clean-stop.ts";
import type { Random } from "../domain/ports/clock.ts";
import type { MemberRoles } from "../domain/ports/member-roles.ts";
import type { Members } from "../domain/ports/members.ts";
import type { DirectMessages } from "../domain/ports/notifier.ts";
import type { Posts } from "../domain/ports/posts.ts";
import type { Remover, Sink } from "../domain/ports/sink.ts";
import type { TurnWanted } from "../domain/ports/turns.ts";
import { createBatches } from "./batches.ts";
import { Notices, type NoticesPorts } from "./notices.ts";
import { type MembersClass, pacedMembers } from "./paced-members.ts";
import { pacedRoles } from "./paced-roles.ts";
import { DiscordTime } from "./posts/discord-time.ts";
import { LastPosts } from "./posts/last-posts.ts";
import { PostLines } from "./posts/post-lines.ts";
import { TurnDesk, type TurnDeskPorts, type TurnFigures } from "./turns/turn-desk.ts";

export interface OutboxParts extends TurnDeskPorts {
  readonly sink: Sink & Remover;
  readonly direct: DirectMessages;
  readonly random: Random;
  possiblyRepeated(body: MessageBody): MessageBody;
  isPossiblyRepeated(posted: PostedMessage): boolean;
  report(what: string, error: unknown): void;
  /** How the process before ended. @default nobody can tell */
  readonly cleanStop?: CleanStop | undefined;
}

type OwnNoticesPorts = Pick<NoticesPorts, "owed" | "noticeChannelOf" | "linkerOf" | "late"> & {
  /** For a guild of which so many messages wait that newer ones are not taken on. */
  readonly tooManyWait: MessageBody;
};

export interface Outbox {
  /** Before anything is posted. Rejects when the store fails. */
  start(): Promise<void>;
  readonly batches: Batches;
  /** Messages that are to stand in their channels once. */
  readonly posts: Posts;
  /** Discord says that the bot made too many requests over all channels. */
  onTooMany(retryAfterMs: number): void;
  /** Discord says that a channel takes nothing more of this kind for now. */
  onChannelSpent(place: Pick<TurnWanted, "channelId" | "request">, waitMs: number): void;
  /** Reads of members, each of which waits for its turn. */
  members(members: Members, as: MembersClass): Members;
  /** Giving and taking roles, each in its turn. */
  roles(roles: MemberRoles): MemberRoles;
  /** Notices that stand once, however long Discord is away. */
  notices(ports: OwnNoticesPorts): Notices;
  /** Roles or a channel of this guild have changed: what was refused may pass. */
  permissionsChanged(guildId: string): void;
  /** What of a guild waits for its turn; `oldestMs`: how long the first of it has waited. */
  waitingOf(guildId: string): { readonly waiting: number; readonly oldestMs: number };
  /** What waits for a turn is rejected; ends when what is on its way has arrived and is written. */
  stop(): Promise<void>;
  /** The same at once and without a record: what is on its way may not be written any more. */
  drop(): void;
  state(): TurnFigures & { readonly posts: number };
}

/** Everything that Marshal posts of itself goes through it. Starts nothing. */
export function createOutbox(parts: OutboxParts): Outbox {
  const turns = new TurnDesk(parts);
  const openDirect = (userId: string) => parts.direct.open(userId);
  const lastPosts = new LastPosts(parts.cleanStop, parts.clock);
  const discordTime = new DiscordTime(parts.clock);
  const sink = discordTime.toldBy(parts.sink);
  const posts = new PostLines({ ...parts, sink, turns, openDirect, lastPosts, discordTime });
  return {
    start: () => lastPosts.begin(),
    batches: createBatches({ ...parts, sink, turns }),
    posts,
    onTooMany: (retryAfterMs) => turns.onTooMany(retryAfterMs),
    onChannelSpent: (place, waitMs) => turns.onChannelSpent(place, waitMs),
    roles: (roles) => pacedRoles(roles, turns),
    members: (members, as) => pacedMembers(members, turns, { clock: parts.clock, as }),
    notices({ tooManyWait, ...ports }) {
      const { direct, clock, random, report } = parts;
      const notices = new Notices({ ...ports, posts, direct, clock, random, report, discordTime });
      posts.tellFullBy((guildId) => void notices.guild(guildId, tooManyWait));
      return notices;
    },
    permissionsChanged: (guildId) => posts.permissionsChanged(guildId),
    waitingOf: (guildId) => turns.ofGuild(guildId),
    async stop() {
      turns.stop();
      await posts.stop();
    },
    drop() {
      turns.stop();
      posts.drop();
    },
    state: () => ({ ...turns.figures(), posts: posts.waiting }),
  };
}
