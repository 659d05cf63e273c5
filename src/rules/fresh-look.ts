import { Failure } from "../domain/failure.ts";
import type { ListName, ServerState, SourceId } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";

/** What is sent by itself rests on a look and on roles of at most this age. */
export const LOOK_GOOD_FOR_MS = 15_000;
export const ROLES_GOOD_FOR_MS = 10_000;
/** So young both are wanted when they are read, so that there is time to send. */
export const READ_MAX_AGE_MS = 5_000;
const READ_WITHIN_MS = 10_000;

export interface FreshLookPorts {
  readonly snapshots: Pick<Snapshots, "fresh">;
  readonly clock: Clock;
}

interface Wanted {
  readonly source: SourceId;
  readonly lists: readonly ListName[];
  readonly guildId: string;
}

/** The server as of now. Rejects with a Failure where it cannot be read in time. */
export async function freshLook(
  { snapshots, clock }: FreshLookPorts,
  { source, lists, guildId }: Wanted,
): Promise<ServerState> {
  const abort = new AbortController();
  const late = new Failure("unreachable", "The server could not be read in time.", { ran: "no" });
  const cancel = clock.after(READ_WITHIN_MS, () => abort.abort(late));
  try {
    return await snapshots.fresh(source, lists, {
      maxAgeMs: READ_MAX_AGE_MS,
      signal: abort.signal,
      guildId,
    });
  } finally {
    cancel();
  }
}
