/**
 * Why a source is polled. "bound": it would wait longer than any may; "loss": its log is about to lose rows; "overdue":
 * somebody needs it younger; "busy" and "empty": its turn has come among those with and without players.
 */
export type Why = "bound" | "loss" | "overdue" | "busy" | "empty";

/** What a choice depends on beside the sources. */
export interface Load {
  /** Monotonic. */
  readonly nowMs: number;
  /** What the gate let through lately. */
  readonly pollsPerS: number;
  /** Which part of all reads people waited for lately, 0 to 1. */
  readonly peopleShare: number;
}

/** One server of 1.5 in each round keeps the bound, which is two thirds of the polls at the most; the rest is spare. */
const BOUND_SHARE = 0.75;
/** Demands with an age, by themselves and together with the people who wait. */
const OVERDUE_SHARE = 0.2;
const OVERDUE_AND_PEOPLE_SHARE = 0.5;
/** Above the least, and only where looking at empty servers saves more delay than looking at busy ones. */
const MOST_EMPTY_SHARE = 0.45;
/** What one guild may take of all polls by logs that grow fast; then its servers wait among the busy ones. */
const LOSS_SHARE_OF_GUILD = 0.05;
const LOSS_COUNTED_POLLS = 200;

/** A part of the polls. More than two are not saved up: after a time without takers there is no burst. */
class Share {
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

/** How the polls are shared among the reasons to poll. Each share is of polls, not of time, and lapses when unused. */
export class Shares {
  readonly bound = new Share();
  readonly overdue = new Share();
  readonly leastEmpty = new Share();
  readonly mostEmpty = new Share();
  /** Recent polls of a guild because of loss, fading; as of the poll with that number. */
  readonly #losses = new WeakMap<object, { readonly polls: number; readonly atPoll: number }>();
  #polls = 0;

  /** One poll was given away. */
  spend(poll: {
    readonly guild: object;
    readonly why: Why;
    readonly occupied: boolean;
    readonly load: Load;
  }): void {
    const { pollsPerS, peopleShare } = poll.load;
    this.#polls += 1;
    this.bound.earn(BOUND_SHARE);
    this.overdue.earn(Math.min(OVERDUE_SHARE, Math.max(0, OVERDUE_AND_PEOPLE_SHARE - peopleShare)));
    this.leastEmpty.earn(leastEmptyShare(pollsPerS));
    this.mostEmpty.earn(MOST_EMPTY_SHARE);

    if (poll.why === "bound") this.bound.spend();
    if (poll.why === "overdue") this.overdue.spend();
    if (!poll.occupied) {
      this.leastEmpty.spend();
      this.mostEmpty.spend();
    }
    if (poll.why === "loss") {
      this.#losses.set(poll.guild, { polls: this.#lossPolls(poll.guild) + 1, atPoll: this.#polls });
    }
  }

  /** Whether a guild has anything left of what one of so many guilds may take because of loss. */
  hasLossLeft(guild: object, guilds: number): boolean {
    return this.#lossPolls(guild) < Math.max(LOSS_SHARE_OF_GUILD, 1 / guilds) * LOSS_COUNTED_POLLS;
  }

  #lossPolls(guild: object): number {
    const loss = this.#losses.get(guild);
    if (loss === undefined) return 0;
    return loss.polls * Math.exp((loss.atPoll - this.#polls) / LOSS_COUNTED_POLLS);
  }
}

/** 15 % of a budget of ten polls a second and more, 30 % of five and less: there a round takes too long. */
export function leastEmptyShare(pollsPerS: number): number {
  return Math.min(0.3, Math.max(0.15, 0.45 - 0.03 * pollsPerS));
}
