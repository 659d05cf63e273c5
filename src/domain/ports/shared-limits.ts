import type { SourceId } from "../model.ts";

/** When requests were sent that were answered. */
export interface SharedAnswers {
  /** The latest; absent: none was answered yet. */
  readonly lastAgeMs?: number | undefined;
  /** The one whose answer showed that an outage was over. */
  readonly outageAgeMs?: number | undefined;
}

/** What one process has spent of the budget of bad keys. Ages, because each process has a clock of its own. */
export interface SharedUnits {
  readonly refusals: readonly { readonly ageMs: number; readonly guildId?: string | undefined }[];
  /** Requests whose answer may be a refusal. `isHeld`: nobody waits for that answer any more. */
  readonly open: readonly {
    readonly source: SourceId;
    readonly ageMs: number;
    readonly guildId?: string | undefined;
    readonly isHeld: boolean;
    /** It went unanswered while nothing at all was answered. */
    readonly isSoft?: boolean | undefined;
    /** Others were answered, and its key alone was not. */
    readonly isLone?: boolean | undefined;
  }[];
  /** What was answered, as far as it tells an outage; absent: a process of an older release does not say. */
  readonly answers?: SharedAnswers | undefined;
  /** It has a request under way that an outage covers. */
  readonly isAskingCovered?: boolean | undefined;
  /** When linked keys were refused for the first time, within the last minutes. */
  readonly firstsAgeMs: readonly number[];
  readonly wave?:
    | { readonly id: string; readonly openedAgeMs: number; readonly lastAgeMs: number }
    | undefined;
}

/** The halt that is stored for all, as its document; `leftMs` 0: it is over but for its probe. */
export interface SharedHalt {
  readonly document: unknown;
  readonly leftMs: number;
}

/** What the others do and know, as of one moment. */
export interface SharedView {
  readonly others: SharedUnits;
  readonly halt: SharedHalt | undefined;
}

/** A request that is about to leave. */
export interface Departing {
  readonly source: SourceId;
  readonly isCommand: boolean;
  readonly isProbe: boolean;
  /** Asked in an outage: the unit that its key holds already is the one it risks. */
  readonly isCovered: boolean;
  /** Of this process, this request included. */
  readonly own: SharedUnits;
  /** Refusals and open requests of all processes together may be this many. */
  readonly mostTogether: number;
  /** A key that the others know to be bad is asked all the same. */
  readonly asksRefused: boolean;
}

export type Departure =
  | { readonly kind: "go" }
  /** The service said stop, or another process probes whether that is over. */
  | { readonly kind: "halted" }
  /** The budget of bad keys is used up by all together. */
  | { readonly kind: "spent" }
  /** Another process has a command of this server under way, or its window runs. */
  | { readonly kind: "command-waits"; readonly forMs: number }
  /** Whether the outage is over is asked by one after the other. */
  | { readonly kind: "outage-waits"; readonly forMs: number }
  /** Another process saw this key refused; its record, as stored. */
  | { readonly kind: "refused-key"; readonly document: unknown }
  /** Too many asked at once; it may be tried again. */
  | { readonly kind: "busy" };

/** A request for a share of one limit. */
export interface ShareAsk {
  /** The hash of the bucket's name, the same in every process. */
  readonly bucket: string;
  /** Requests a window. */
  readonly limit: number;
}

export interface Look {
  readonly own: SharedUnits;
  readonly shares: readonly ShareAsk[];
  /** How much this process would like to ask, in a measure that is the same for all. */
  readonly demand: number;
  /** Keys that this process holds for bad. */
  readonly parked: readonly SourceId[];
}

export interface Looked extends SharedView {
  /** Requests a window that this process may start, for `SHARE_MS` from before it asked; by bucket. */
  readonly granted: ReadonlyMap<string, number>;
  /** Of those that were given: keys that are linked anew. */
  readonly unparked: readonly SourceId[];
}

/** A share that is not granted anew is over after this. */
export const SHARE_MS = 5_000;

/**
 * What processes share that ask the game service from one address: its limit, its halts, the budget of bad keys. Calls
 * reject while it cannot be reached; then nothing may be sent.
 */
export interface SharedLimits {
  /** What an earlier process of this place left behind; its requests whose key is `isOurs` are this process's now. */
  takeOver(
    isOurs: (source: SourceId) => boolean,
  ): Promise<{ readonly units: SharedUnits; readonly isNew: boolean }>;
  /** To be asked right before a request is written. */
  depart(request: Departing): Promise<{ readonly departure: Departure; readonly view: SharedView }>;
  /** To be asked each second. */
  look(look: Look): Promise<Looked>;
  /** What this process has spent changed. */
  keep(own: SharedUnits): Promise<void>;
  /** A command of this server was answered or given up; the next of any process may start after that. */
  endCommand(source: SourceId, waitMs: number): Promise<void>;
  /** The probe that was let through showed that the halt is over; one that began in between stays. */
  clearHalt(): Promise<void>;
}
