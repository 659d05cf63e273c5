import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { KeyRing } from "../domain/ports/key-ring.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { ServiceEvent } from "../domain/ports/service-health.ts";
import type { SharedLimits } from "../domain/ports/shared-limits.ts";
import type { WorkPermit } from "../domain/ports/work-permit.ts";
import type { ServerKey } from "../domain/server-key.ts";
import type { Log } from "../log.ts";
import type { Transport } from "./http/transport.ts";
import type { StoredCommandPermission } from "./keys/command-permissions.ts";
import type { TakenKey } from "./keys/key-guard.ts";
import type { StoredBudget, StoredOpenRequests } from "./keys/key-records.ts";
import type { RejectedKey } from "./keys/rejected-keys.ts";
import type { StoredHalt } from "./limits/halt.ts";
import type { StoredRefusedRead } from "./limits/refused-reads.ts";

/** What the client is made of; the documents are where it keeps over a restart what it has learned. */
export interface ServiceClientOptions {
  readonly serviceUrl: string;
  readonly globalKey?: ServerKey;
  /** The only family of addresses that is used to reach it. @default both */
  readonly family?: 4 | 6 | undefined;
  readonly keys: KeyRing;
  /** One document: the halt of this identity. */
  readonly halts: Documents<StoredHalt>;
  /** Parked and refused keys by their HMAC. */
  readonly rejected: Documents<RejectedKey>;
  /** One document: what is spent of the budget of bad keys. Written before a request leaves that may spend of it. */
  readonly keyBudget: Documents<StoredBudget>;
  /** One document: requests on their way with keys that are known to be good. */
  readonly openRequests: Documents<StoredOpenRequests>;
  /** When each key was last taken, by its HMAC. */
  readonly takenKeys: Documents<TakenKey>;
  /** Servers that the service does not let us read though their keys are good, by HMAC of the key. */
  readonly refusedReads: Documents<StoredRefusedRead>;
  /** Whose owners let this host run commands, by HMAC of the key. */
  readonly commandPermissions: Documents<StoredCommandPermission>;
  /** What owners are shown who are to allow commands. */
  readonly serviceAppId?: string | undefined;
  readonly publicAddresses?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly log?: Log;
  readonly onEvent: (event: ServiceEvent) => void;
  /** For tests and simulations; else undici. */
  readonly transport?: Transport;
  /** Time for the whole exchange. @default 10_000 */
  readonly deadlineMs?: number;
  /** Requests with refused keys that this address risks in an hour. @default 8 */
  readonly badKeyBudget?: number | undefined;
  /** Where several processes share a store: nothing is asked without it. @default none is needed */
  readonly permit?: Pick<WorkPermit, "refusal"> | undefined;
  /** Where several processes ask from one address: what they share, and the salt that they have in common. */
  readonly shared?: SharedService | undefined;
  /** Requests at once. @default 32 */
  readonly connections?: number;
}

/** What processes share that ask from one address. */
interface SharedService {
  /** `identity`: whom the service counts. */
  limitsOf(identity: string): SharedLimits;
  /** Unguessable, and the same in all of them: a limit is known by the hash of its name. */
  readonly salt: string;
}
