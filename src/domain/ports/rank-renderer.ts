import type { MessageBody } from "../message.ts";
import type { PlayerRef } from "../model.ts";
import type { Rank, RankPause } from "../rank.ts";

export interface RankedPlayer {
  readonly player: Required<PlayerRef>;
  readonly rank: Rank;
}

/** What ranks tell of by themselves. */
export interface RankRenderer {
  /** Marshal paused them itself. */
  paused(serverName: string, pause: RankPause): MessageBody;
  /** Somebody else took away, changed or gave anew a rank that Marshal gave. `now`: what they have; undefined: nothing. */
  left(serverName: string, left: RankedPlayer, now: Rank | undefined): MessageBody;
  /** A rank could not be taken back for a while. */
  stuck(serverName: string, stuck: RankedPlayer, why: string | undefined): MessageBody;
  /** The server was unlinked; they keep what Marshal gave them. */
  unlinked(serverName: string, raised: readonly RankedPlayer[]): MessageBody;
}
