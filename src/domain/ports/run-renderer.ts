import type { MessageBody } from "../message.ts";
import type { AuditEvent, DeferredRun, RunOutcome, RunRecord } from "../run.ts";

/** Pure rendering of the messages that runs/ sends by itself (channels, DMs), implemented in discord/render. */
export interface RunRenderer {
  /** For a channel or a direct message; names the person who asked. */
  outcome(outcome: RunOutcome): MessageBody;
  /** For the answer that waited for it. */
  answer(outcome: RunOutcome): MessageBody;
  auditRow(record: RunRecord): MessageBody;
  auditEvent(event: AuditEvent): MessageBody;
  /** Nobody joined in time: it was not sent. */
  deferredExpired(run: DeferredRun): MessageBody;
}
