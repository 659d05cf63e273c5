import type { DutyType, Shift } from "../duty.ts";
import type { MessageBody, PostedMessage } from "../message.ts";

/** How what duty posts of itself reads. Pure. */
export interface DutyRenderer {
  /** A shift in its channel; `serverName` answers what a linked server is called. */
  shift(shift: Shift, type: DutyType, serverName: (bindingId: string) => string): MessageBody;
  /** Whether one of our messages is that shift's. */
  isShift(shift: Pick<Shift, "userId" | "id">, posted: PostedMessage): boolean;
  /** For the guild: Marshal can't give this role. */
  roleRefused(roleId: string): MessageBody;
  /** For the guild: shifts can't be posted there. */
  closed(channelId: string): MessageBody;
}
