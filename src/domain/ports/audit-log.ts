import type { AuditEvent, AuditFilter, RunRecord } from "../run.ts";

export interface AuditLog {
  /** Writes the row durably; called before sending and again with what came of it. */
  put(record: RunRecord): Promise<void>;
  get(guildId: string, runId: string): Promise<RunRecord | undefined>;
  event(event: AuditEvent): Promise<void>;
  /** Newest first. */
  search(guildId: string, filter: AuditFilter): Promise<readonly RunRecord[]>;
  events(
    guildId: string,
    filter: Pick<AuditFilter, "actorId" | "fromMs" | "toMs" | "limit">,
  ): Promise<readonly AuditEvent[]>;
  /** Rows that were being sent or waited when the process ended. */
  unfinished(): AsyncIterable<RunRecord>;
  prune(guildId: string, beforeMs: number): Promise<number>;
}
