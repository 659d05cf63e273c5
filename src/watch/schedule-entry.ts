import type { SourceId } from "../domain/model.ts";
import { QUIET_PER_S } from "./openings.ts";
import type { SourceStats } from "./source-stats.ts";

/** A source that is to be polled. All times are monotonic milliseconds. */
export interface Candidate {
  readonly source: SourceId;
  /** Who shares in the polls by it; sources without one stand for themselves. */
  readonly guildId?: string | undefined;
  readonly stats: SourceStats;
  /** The tightest demand on it; undefined: nobody named an age. */
  readonly maxAgeMs?: number | undefined;
  /** Backing off after a failure until then; 0 when it is not. */
  readonly notBeforeMs: number;
}

/** The sources of one guild in the schedule, by whether players were there at the latest look. */
export class Guild {
  readonly occupied = new Set<Entry>();
  readonly empty = new Set<Entry>();
}

/** One source in the schedule. */
export class Entry {
  candidate: Candidate;
  guild: Guild;
  /** It waits to be chosen, not for a time nor for an answer. */
  isAwake = false;
  /** Weighed entries a second as they count in its class. */
  perS = QUIET_PER_S;

  constructor(candidate: Candidate, guild: Guild) {
    this.candidate = candidate;
    this.guild = guild;
  }

  get polledAtMs(): number {
    return this.candidate.stats.polledAtMs;
  }

  /** All of its guild that are occupied, or empty, like itself. */
  get peers(): Set<Entry> {
    return this.candidate.stats.occupied ? this.guild.occupied : this.guild.empty;
  }
}
