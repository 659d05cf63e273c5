import type { DutyType, Shift } from "../duty.ts";
import type { SinkRefusalReason } from "../failure.ts";
import type { MessageBody, PostedMessage } from "../message.ts";
import type { Leave, Quota, QuotaResult } from "../quota.ts";

export interface PostedShift {
  readonly shift: Shift;
  readonly type: DutyType;
  /** What a linked server is called. */
  serverName(bindingId: string): string;
}

/** How what duty posts of itself reads. Pure. `id` names the post, so that it is found again; `zone` is the community's. */
export interface DutyRenderer {
  /** A shift in its channel. */
  shift(id: string, posted: PostedShift): MessageBody;
  /** Who met a quota, when its period is over. */
  result(
    id: string,
    judged: { readonly result: QuotaResult; readonly quota: Quota },
    zone: string,
  ): MessageBody;
  isPost(id: string, posted: PostedMessage): boolean;
  /** For who asked. */
  leaveDecided(leave: Leave, zone: string): MessageBody;
  /** For whose it was: somebody else ended it, or took the request back. */
  leaveEnded(leave: Leave, zone: string): MessageBody;
  /** For the guild: somebody asks, and a Manager decides. */
  leaveAsked(leave: Leave, zone: string): MessageBody;
  /** For the guild: Marshal can't give this role. */
  roleRefused(roleId: string): MessageBody;
  /** For the guild: nothing of duty can be posted there. */
  closed(channelId: string, why: SinkRefusalReason): MessageBody;
}
