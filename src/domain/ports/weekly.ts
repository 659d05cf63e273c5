import type { SinkRefusalReason } from "../failure.ts";
import type { Binding } from "../guild.ts";
import type { MessageBody, PostedMessage } from "../message.ts";
import type { PictureLook } from "../picture-look.ts";
import type { Picture, ServerStats } from "../stats.ts";
import type { DutyWeek } from "./staffing.ts";

/** The summary of each week, in a channel of the community. */

export interface WeeklySetting {
  readonly channelId: string;
  readonly byId: string;
}

export interface WeeklySummaries {
  of(guildId: string): Promise<WeeklySetting | undefined>;
  /** From the next week that ends. Answers when its summary is posted, epoch milliseconds. */
  set(guildId: string, setting: WeeklySetting): Promise<number>;
  /** False: there was none. */
  turnOff(guildId: string): Promise<boolean>;
}

/** One server and week, and the week before it to compare with. */
export interface WeeklyView {
  readonly binding: Pick<Binding, "id" | "name" | "guildId">;
  readonly stats: ServerStats;
  readonly before: ServerStats;
  /** In the first summary of a community that keeps duty. */
  readonly duty?: DutyWeek | undefined;
  readonly pngs: readonly Uint8Array[] | undefined;
  /** Stands in the address of the title, so that the message is found again. */
  readonly key: string;
}

/** Pure rendering, implemented in discord/render. */
export interface WeeklyRenderer {
  summary(view: WeeklyView): MessageBody;
  pictures(stats: ServerStats, look: PictureLook): readonly Picture[];
  /** Which summary a message of ours is; undefined: it is none. */
  keyOf(posted: Pick<PostedMessage, "cards">): string | undefined;
  /** The channel takes no message. */
  closed(channelId: string, why: SinkRefusalReason): MessageBody;
}
