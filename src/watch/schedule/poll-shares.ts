/**
 * Why a source is polled. "bound": it would wait longer than any may; "loss": its log is about to lose rows; "overdue":
 * somebody needs it younger; "fair": its guild got less than its fair share; "busy" and "empty": its turn has come among
 * those with and without players; "finer": it is to be looked at more often for a while.
 */
export type Why = "bound" | "loss" | "overdue" | "fair" | "busy" | "empty" | "finer";

/** What a choice depends on beside the sources. */
export interface Load {
  /** Monotonic. */
  readonly nowMs: number;
  /** Polls that the gate let through lately. */
  readonly pollsPerS: number;
  /** Which part of all reads people waited for lately, 0 to 1. */
  readonly peopleShare: number;
}

/** The bound of 1.5 rounds needs two thirds of the polls at most; the rest is spare. */
const BOUND_SHARE = 0.75;
/** The share of demands with an age, alone and together with reads that people wait for. */
const OVERDUE_SHARE = 0.2;
const OVERDUE_AND_PEOPLE_SHARE = 0.5;
/**
 * The share of servers that are looked at more finely, all together: it moves polls away from the least mean delay. With
 * few guilds it is what an even share gives one of them.
 */
const FINER_SHARE = 0.05;
const MOST_FINER_SHARE = 0.2;
/** The upper share of empty servers, used only where polling them saves more delay than polling busy ones. */
const MOST_EMPTY_SHARE = 0.45;
/** The share of all polls that one guild may take by fast logs; beyond it its servers wait among the busy ones. */
const LOSS_SHARE_OF_GUILD = 0.05;
/** The share of all guilds with fast logs together, so that many of them in league leave the others the rest. */
const LOSS_SHARE = 0.3;
const LOSS_COUNTED_POLLS = 200;
/**
 * Each guild with players gets at least this part of what an even share of the polls would give it. The optimum for the
 * mean delay gives the quieter half of the guilds less; a league of fast logs could take nearly all of theirs.
 */
const FAIR_PART = 0.7;
const SHARE_COUNTED_POLLS = 200;

/** A share of the polls. At most two polls are saved up, so that an unused share causes no burst later. */
class PollShare {
  #owed = 0;

  earn(share: number): void {
    this.#owed = Math.min(2, this.#owed + share);
  }

  spend(): void {
    this.#owed = Math.max(0, this.#owed - 1);
  }

  get isOwed(): boolean {
    return this.#owed >= 1;
  }
}

/** Shares the polls among the reasons to poll. Shares count polls, not time, and lapse when unused. */
export class PollShares {
  readonly bound = new PollShare();
  readonly loss = new PollShare();
  readonly overdue = new PollShare();
  readonly leastEmpty = new PollShare();
  readonly mostEmpty = new PollShare();
  readonly finer = new PollShare();
  /** Recent polls of a guild because of loss, a fading count as of poll `atPoll`. */
  readonly #losses = new WeakMap<object, { readonly polls: number; readonly atPoll: number }>();
  #polls = 0;
  /** Which part of the latest polls went to servers with players, 0 to 1. */
  #occupiedShare = 1;

  /** Counts one poll against the shares of its reason. */
  spend(poll: {
    readonly guild: object;
    /** How many guilds share the polls evenly. */
    readonly guilds: number;
    readonly why: Why;
    readonly occupied: boolean;
    readonly load: Load;
  }): void {
    const { pollsPerS, peopleShare } = poll.load;
    this.#polls += 1;
    this.bound.earn(BOUND_SHARE);
    this.loss.earn(LOSS_SHARE);
    this.#occupiedShare += ((poll.occupied ? 1 : 0) - this.#occupiedShare) / SHARE_COUNTED_POLLS;
    this.overdue.earn(Math.min(OVERDUE_SHARE, Math.max(0, OVERDUE_AND_PEOPLE_SHARE - peopleShare)));
    this.leastEmpty.earn(leastEmptyShare(pollsPerS));
    this.mostEmpty.earn(MOST_EMPTY_SHARE);
    this.finer.earn(Math.min(MOST_FINER_SHARE, Math.max(FINER_SHARE, 1 / poll.guilds)));

    if (poll.why === "bound") this.bound.spend();
    if (poll.why === "overdue") this.overdue.spend();
    if (poll.why === "finer") this.finer.spend();
    if (!poll.occupied) {
      this.leastEmpty.spend();
      this.mostEmpty.spend();
    }
    if (poll.why === "loss") {
      this.loss.spend();
      this.#losses.set(poll.guild, { polls: this.#lossPolls(poll.guild) + 1, atPoll: this.#polls });
    }
  }

  /** How long a guild with players may wait for a poll of any of its servers, when `guilds` have players. */
  fairWaitMs(guilds: number, pollsPerS: number): number {
    return (1_000 * guilds) / (FAIR_PART * this.#occupiedShare * pollsPerS);
  }

  /** Whether a guild has polls left because of loss; with few guilds each may take 1 / `guilds`. */
  hasLossLeft(guild: object, guilds: number): boolean {
    return this.#lossPolls(guild) < Math.max(LOSS_SHARE_OF_GUILD, 1 / guilds) * LOSS_COUNTED_POLLS;
  }

  #lossPolls(guild: object): number {
    const loss = this.#losses.get(guild);
    if (loss === undefined) return 0;
    return loss.polls * Math.exp((loss.atPoll - this.#polls) / LOSS_COUNTED_POLLS);
  }
}

/** 15 % at ten polls a second and more, 30 % at five and less, because a round takes too long there. */
export function leastEmptyShare(pollsPerS: number): number {
  return Math.min(0.3, Math.max(0.15, 0.45 - 0.03 * pollsPerS));
}
