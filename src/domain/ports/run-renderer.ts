import type { MessageBody } from "../message.ts";
import type { AuditEvent, DeferredRun, RunOutcome, RunRecord } from "../run.ts";

/** Pure rendering of what runs/ tells of its own accord (channels, DMs), implemented in discord/render. */
export interface RunRenderer {
  /** In a channel or a direct message: names who asked. */
  outcome(outcome: RunOutcome): MessageBody;
  /** In the place of the answer that waited for it. */
  answer(outcome: RunOutcome): MessageBody;
  auditRow(record: RunRecord): MessageBody;
  auditEvent(event: AuditEvent): MessageBody;
  /** Nobody joined in time: it was not sent. */
  deferredExpired(run: DeferredRun): MessageBody;
}
