import type { RunOrigin } from "../run.ts";

/** A row of a linked server's log by "Remote Server": everything that comes through the service's API is called so. */
export interface RemoteCommand {
  readonly bindingId: string;
  /** Epoch seconds. */
  readonly atS: number;
  readonly text: string;
}

/** Whose command such a row was. */
export type RunAuthor =
  /** A run of this guild is consistent with it; another program may still have sent the same text. */
  | { readonly kind: "member"; readonly userId: string; readonly origin: RunOrigin }
  /** No run of Marshal accounts for it. */
  | { readonly kind: "outside" }
  /** It cannot be told: the audit of that time is gone or was not read to its end, or other guilds link that server. */
  | { readonly kind: "unknown" };

export interface RunAuthors {
  /** Of each row, in their order; only runs of this guild are ever named. Rejects when the store does. */
  of(guildId: string, rows: readonly RemoteCommand[]): Promise<readonly RunAuthor[]>;
}
