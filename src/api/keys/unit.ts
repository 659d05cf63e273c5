import type { SourceId } from "../../domain/model.ts";

/** What a request risks, by what is known of its key. */
export type Risk =
  /** The service took the key lately. */
  | "fresh"
  /** Linked, but nothing is known of it now. */
  | "unknown"
  /** An earlier request with this key went unanswered: asking it again is what frees its unit. */
  | "settling"
  /** Typed by somebody; nobody has linked it. */
  | "typed"
  /** Parked, and asked once more in case the service erred. */
  | "again"
  /** The one request after a halt. */
  | "probe";

/** A request of our own that shows what a key is worth. */
export interface KeyCheck {
  readonly source: SourceId;
  readonly risk: Extract<Risk, "settling" | "unknown" | "again">;
}

/** What became of a request, as far as it speaks of its key. */
export type KeyEvidence =
  /** The service worked with the key. */
  | "taken"
  | "refused"
  /** An answer that says nothing of the key (a limit, a fault, a page). */
  | "unclear"
  /** Written, never answered: it may have been a refusal. */
  | "silent"
  | "unsent";

/** The share of the budget that one request holds while it is on its way. */
export interface Unit {
  readonly source: SourceId;
  readonly risk: Risk;
  /** Who typed the key. */
  readonly guildId: string | undefined;
  readonly startedMs: number;
  /** Asked in an outage: the unit that its key holds already is the one it risks. */
  readonly isCovered?: boolean | undefined;
}

export type BudgetDecision =
  | { readonly kind: "go" }
  /** When a request that is on its way has ended. */
  | { readonly kind: "when-one-ends" }
  | { readonly kind: "later"; readonly atMs: number };

/** What is kept over a restart: ages, so that a step of the wall clock makes the budget neither larger nor smaller. */
export interface StoredUnits {
  readonly refusals: readonly { readonly ageMs: number; readonly guildId?: string | undefined }[];
  readonly open: readonly {
    readonly source: SourceId;
    readonly ageMs: number;
    readonly guildId?: string | undefined;
    /** It went unanswered while nothing at all was answered. */
    readonly isSoft?: boolean | undefined;
    /** Others were answered, and its key alone was not. */
    readonly isLone?: boolean | undefined;
  }[];
}
