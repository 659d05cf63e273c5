import type { SourceId } from "../../domain/model.ts";
import { QUIET_ENTRIES_PER_S } from "./empty-server-stats.ts";
import { Heap } from "./heap.ts";
import type { Why } from "./poll-shares.ts";
import type { SourceStats } from "./source-stats.ts";

/** A source that is to be polled. All times are monotonic milliseconds. */
export interface Candidate {
  readonly source: SourceId;
  /** The guild whose share of the polls it counts in; a source without one counts by itself. */
  readonly guildId?: string | undefined;
  readonly stats: SourceStats;
  /** The tightest age demanded; undefined: no demand names an age. */
  readonly maxAgeMs?: number | undefined;
  /** How far apart looks are wanted where its guild's share allows it; undefined: as far as they are. */
  readonly finerMs?: number | undefined;
  /** Backing off after a failure until then; 0 when it is not. */
  readonly notBeforeMs: number;
}

/**
 * A log of which half is new in ten seconds is too fast: forty players who do nothing but shoot each other make a tenth of
 * that. Such a guild gets its share by rate, and takes nothing from the even share of the others.
 */
const TOO_FAST_LOSS_PER_S = 0.1;

/** The sources of one guild in the schedule, by whether players were there at the latest poll. */
export class Guild {
  readonly occupied = new Set<Entry>();
  readonly empty = new Set<Entry>();
  /** Those with players that may be chosen, the one that was polled longest ago first. */
  readonly awake = new Heap<Entry>();
  /** When any of its servers was polled last, monotonic milliseconds. */
  polledAtMs = Number.NEGATIVE_INFINITY;

  /** Whether a log of its servers grows faster than players make it grow. */
  get hasTooFastLog(): boolean {
    for (const { candidate } of this.occupied) {
      if (candidate.stats.lossPerS >= TOO_FAST_LOSS_PER_S) return true;
    }
    return false;
  }
}

/** One source in the schedule. */
export class Entry {
  candidate: Candidate;
  guild: Guild;
  /** It may be chosen: it waits neither for a time nor for an answer. */
  isAwake = false;
  /** Weighed entries a second as they count in its class. */
  perS = QUIET_ENTRIES_PER_S;
  /** Why it was chosen last; undefined: it never was. */
  polledWhy: Why | undefined;

  constructor(candidate: Candidate, guild: Guild) {
    this.candidate = candidate;
    this.guild = guild;
  }

  get polledAtMs(): number {
    return this.candidate.stats.polledAtMs;
  }

  /** The sources of its guild that are, like it, occupied or empty. */
  get peers(): Set<Entry> {
    return this.candidate.stats.occupied ? this.guild.occupied : this.guild.empty;
  }
}
