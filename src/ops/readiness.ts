/** What can keep the bot from its work. */
export type ReasonCode =
  | "discord"
  | "shard-away"
  | "store"
  | "sending"
  | "backlog"
  | "polling"
  | "blocked"
  | "bad-keys";

/** The states of the parts of the bot at one moment. */
export interface Facts {
  readonly loggedIn: boolean;
  readonly shardsAway: readonly { readonly id: number; readonly forMs: number }[];
  /** Why nothing can be written to the store; undefined while it can. */
  readonly storeTrouble: string | undefined;
  readonly sending: {
    /** Messages that wait to be posted or shown. */
    readonly waiting: number;
    /** Messages and edits that Discord has taken since the start. */
    readonly taken: number;
  };
  readonly backlog: {
    /** Log entries and messages that wait to be posted. */
    readonly waiting: number;
    /** Of what waits for a turn at Discord, the longest wait. */
    readonly oldestWaitMs: number;
  };
  readonly polling: {
    /** Game servers that are to be read and may be. */
    readonly due: number;
    /** Reads that were kept since the start. */
    readonly kept: number;
  };
  /** The service has blocked this address until then, epoch milliseconds. */
  readonly blockedUntilMs: number | undefined;
  /** Nothing is asked of the service before, epoch milliseconds: too many refused keys. */
  readonly badKeysSpentUntilMs: number | undefined;
}

export interface Reason {
  readonly code: ReasonCode;
  /** For the operator: what is the matter, in words. */
  readonly text: string;
  readonly shard?: number;
}

/** State from one check to the next. Times are monotonic milliseconds. */
export interface ReadinessMemory {
  readonly taken: number;
  readonly kept: number;
  /** Since when something waits and nothing is taken. */
  readonly stuckSinceMs: number | undefined;
  /** Since when servers are due and none is read. */
  readonly unreadSinceMs: number | undefined;
  /** What waited at the checks of the last minutes, oldest first. */
  readonly waited: readonly Waited[];
}

interface Waited {
  readonly atMs: number;
  readonly waiting: number;
}

export const NOTHING_SEEN: ReadinessMemory = {
  taken: 0,
  kept: 0,
  stuckSinceMs: undefined,
  unreadSinceMs: undefined,
  waited: [],
};

/** A shard that reconnects is back within seconds; one that is away longer hears no command. */
const AWAY_MS = 60_000;
const STUCK_MS = 60_000;
const UNREAD_MS = 5 * 60_000;
const MINUTE_MS = 60_000;
/** What waits for a turn that long, */
const LONG_WAIT_MS = 3 * MINUTE_MS;
/** while what waits has grown for so many minutes, each more than the one before, */
const GROWN_FOR_MIN = 3;
/** and altogether by so much: it goes up and down while all turns are used. */
const GROWN_BY = 1.1;

/** The reasons why the bot cannot do its work at `nowMs` (monotonic); none: it is ready. Pure. */
export function assessReadiness(
  before: ReadinessMemory,
  facts: Facts,
  nowMs: number,
): { readonly memory: ReadinessMemory; readonly reasons: readonly Reason[] } {
  const { sending, backlog, polling } = facts;
  const isStuck = sending.waiting > 0 && sending.taken === before.taken;
  const isUnread = polling.due > 0 && polling.kept === before.kept;
  const memory: ReadinessMemory = {
    taken: sending.taken,
    kept: polling.kept,
    stuckSinceMs: isStuck ? (before.stuckSinceMs ?? nowMs) : undefined,
    unreadSinceMs: isUnread ? (before.unreadSinceMs ?? nowMs) : undefined,
    waited: [
      ...before.waited.filter(({ atMs }) => nowMs - atMs < (GROWN_FOR_MIN + 1) * MINUTE_MS),
      { atMs: nowMs, waiting: backlog.waiting },
    ],
  };

  const reasons: Reason[] = [];
  if (!facts.loggedIn) reasons.push({ code: "discord", text: "not logged in to Discord" });
  for (const { id, forMs } of facts.shardsAway) {
    if (forMs < AWAY_MS) continue;
    const text = `shard ${id} has lost Discord for a minute: commands in its Discord servers do not arrive`;
    reasons.push({ code: "shard-away", text, shard: id });
  }
  if (facts.storeTrouble !== undefined) {
    reasons.push({ code: "store", text: `the store cannot be written: ${facts.storeTrouble}` });
  }
  if (lasts(memory.stuckSinceMs, nowMs, STUCK_MS)) {
    const text = "no message could be sent to Discord for a minute although some wait";
    reasons.push({ code: "sending", text });
  }
  if (backlog.oldestWaitMs >= LONG_WAIT_MS && hasGrown(memory.waited, nowMs)) {
    const minutes = Math.floor(backlog.oldestWaitMs / MINUTE_MS);
    const text = `a message has waited ${minutes} minutes for its turn at Discord, and more come than leave`;
    reasons.push({ code: "backlog", text });
  }
  if (facts.blockedUntilMs !== undefined) {
    const until = new Date(facts.blockedUntilMs).toISOString();
    const text = `the game service has blocked this address; it is asked again at ${until}`;
    reasons.push({ code: "blocked", text });
  }
  if (lasts(memory.unreadSinceMs, nowMs, UNREAD_MS)) {
    const text = "no game server was read for 5 minutes although some are due";
    reasons.push({ code: "polling", text });
  }
  if (facts.badKeysSpentUntilMs !== undefined) {
    const until = new Date(facts.badKeysSpentUntilMs).toISOString();
    const text = `too many server keys were refused within an hour (BAD_KEY_BUDGET); nothing is asked until ${until}`;
    reasons.push({ code: "bad-keys", text });
  }
  return { memory, reasons };
}

function lasts(sinceMs: number | undefined, nowMs: number, longMs: number): boolean {
  return sinceMs !== undefined && nowMs - sinceMs >= longMs;
}

/** Whether the mean of each minute is above that of the minute before. */
function hasGrown(waited: readonly Waited[], nowMs: number): boolean {
  const means = Array.from({ length: GROWN_FOR_MIN + 1 }, (_, ago) => {
    const ofMinute = waited.filter(({ atMs }) => Math.floor((nowMs - atMs) / MINUTE_MS) === ago);
    return ofMinute.reduce((sum, { waiting }) => sum + waiting, 0) / ofMinute.length;
  });
  // A minute without a check has no mean, and nothing is above that.
  const isRising = means.every((mean, ago) => ago === 0 || (means[ago - 1] ?? 0) > mean);
  return isRising && (means[0] ?? 0) >= GROWN_BY * (means.at(-1) ?? 0);
}
