import { Failure } from "../failure.ts";
import type { SourceId } from "../model.ts";

/** A key alone only reads: commands need the permission of the server's owner. */
export interface CommandPermission {
  /**
   * Asks the service by an empty command, which touches nothing: once in 30 s and 6 times an hour for each server.
   * Rejects with a Failure where the service could not be asked.
   */
  check(source: SourceId, guildId: string): Promise<PermissionCheck>;
  /** Where the owner allows it. */
  ownerPage(source: SourceId): Promise<OwnerPage>;
}

export type PermissionCheck =
  /** `left`: how many checks the hour still has. */
  | { readonly kind: "refused"; readonly left: number }
  | { readonly kind: "allowed" }
  /** The service looked at something else first: only a command that runs is a proof. */
  | { readonly kind: "unclear" }
  /** Nobody plays, so a command would tell nothing either. */
  | { readonly kind: "empty" }
  /** Nothing was asked; `atMs`: when it may be, epoch milliseconds. */
  | { readonly kind: "too-soon"; readonly atMs: number };

export type OwnerPage =
  /** One press there is all. */
  | { readonly kind: "authorise"; readonly url: string }
  /** The owner adds these addresses to the trusted ones; none: the operator has not said which they are. */
  | { readonly kind: "addresses"; readonly url: string; readonly addresses: readonly string[] };

/** What is known of a server: `refused` also after its time, until something shows that it is no longer so. */
export type KnownPermission =
  | { readonly kind: "unknown" }
  | { readonly kind: "allowed" }
  | {
      readonly kind: "refused";
      /** The service's own sentence. */
      readonly why: string;
      readonly sinceMs: number;
      /** Commands are refused from memory before, epoch milliseconds. */
      readonly untilMs: number;
    };

/** A command that is refused by what earlier answers have shown. The service's sentence was no answer to it. */
export function knownRefusal(sinceMs: number, serviceCode?: number): Failure {
  const words = "The owner does not let Marshal run commands. The game service was not asked again.";
  return new Failure("not-authorised", words, { serviceCode, knownSinceMs: sinceMs });
}
