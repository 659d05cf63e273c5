import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { AuditFilter, RunRecord } from "../../domain/run.ts";

/** Rows of one search. */
const MOST_AT_ONCE = 500;

/** Every row that matches, newest first. One search ends after so many found, and after so many read. */
export async function* everyRow(
  audit: Pick<AuditLog, "search">,
  guildId: string,
  filter: Omit<AuditFilter, "after" | "limit">,
): AsyncGenerator<RunRecord> {
  let after: string | undefined;
  do {
    const from = after === undefined ? {} : { after };
    const found = await audit.search(guildId, { ...filter, ...from, limit: MOST_AT_ONCE });
    yield* found.rows;
    after = found.stoppedAt ?? found.next;
  } while (after !== undefined);
}
