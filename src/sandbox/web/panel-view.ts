/** What the page shows of the town, the service and the bot, as it crosses the WebSocket. */

export interface LeverView {
  readonly id: string;
  readonly group: "town" | "service" | "discord" | "bot";
  readonly label: string;
  readonly hint: string;
  /** In force now. */
  readonly isOn: boolean;
  readonly isDisabled: boolean;
  /** What has this set is a fault: it stands out while it is in force. */
  readonly isFault: boolean;
}

export interface BucketView {
  readonly name: string;
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetAtMs?: number;
  readonly inFlight: number;
}

/** What the bot says of itself; whatever part could not be read is left out. */
export interface BotView {
  readonly halt?: { readonly untilMs?: number; readonly reason: string };
  readonly parkedKeys?: number;
  readonly inFlight?: number;
  readonly waiting: readonly { readonly name: string; readonly count: number }[];
  readonly buckets: readonly BucketView[];
  readonly undelivered?: number;
  readonly liveFeeds?: number;
  readonly lateFeeds: readonly {
    readonly kind: string;
    readonly channelId: string;
    readonly undelivered: number;
    readonly lateSinceMs?: number;
  }[];
  readonly cardsToShow?: number;
  readonly runsWaiting?: number;
  readonly runsRunning?: number;
  readonly polls: readonly { readonly atMs: number; readonly outcome: string; readonly players?: number }[];
  readonly discordReady?: boolean;
}

export interface LogLine {
  readonly atMs: number;
  readonly who: "you" | "bot" | "sandbox";
  readonly isBad: boolean;
  readonly text: string;
}

export interface PanelView {
  readonly nowMs: number;
  readonly town: {
    readonly name: string;
    readonly key: string;
    readonly players: number;
    readonly maxPlayers: number;
    readonly queue: number;
    readonly intensity: string;
    readonly openModCalls: number;
    /** The newest first. */
    readonly happenings: readonly { readonly atMs: number; readonly text: string }[];
  };
  readonly service: {
    readonly requests: number;
    readonly answers429: number;
    readonly avoidable: number;
    readonly executed: number;
  };
  readonly process: { readonly isRunning: boolean; readonly pid?: number; readonly starts: number };
  /** Where there are several: what each does. */
  readonly processes: readonly { readonly number: number; readonly pid?: number; readonly part: string }[];
  /** Absent while the bot does not answer. */
  readonly bot?: BotView;
  readonly levers: readonly LeverView[];
  /** The newest last. */
  readonly log: readonly LogLine[];
}
