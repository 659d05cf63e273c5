import type { AskedBan, AskedBanEnd } from "../asked-ban.ts";
import type { BanEnd } from "../ban-end.ts";
import type { Escaped } from "../escaped.ts";
import type { MessageBody } from "../message.ts";
import type { AuditEvent, DeferredRun, RunOutcome, RunRecord } from "../run.ts";
import type { CaseForAnswer } from "../run-case.ts";
import type { Schedule } from "../schedule.ts";

/** A schedule in a message: what it runs, and the name of its server, where that is known. */
export interface NamedSchedule {
  readonly schedule: Schedule;
  readonly text: string;
  readonly serverName: string | undefined;
}

/** Pure rendering of the messages that runs/ sends by itself (channels, DMs), implemented in discord/render. */
export interface RunRenderer {
  /** For a channel or a direct message; names the person who asked. */
  outcome(outcome: RunOutcome, ofCase: CaseForAnswer): MessageBody;
  /** For the answer that waited for it. */
  answer(outcome: RunOutcome, ofCase: CaseForAnswer): MessageBody;
  /** Each card that tells an outcome of that run has one of these, and no other card has. */
  outcomeMarks(record: RunRecord): readonly string[];
  /** For an answer that a command before the restart never gave. */
  restarted(): MessageBody;
  /** The same for a command that sends commands to the game: it may have been sent. */
  restartedRun(): MessageBody;
  /** One row, for the audit's channel. */
  auditRow(record: RunRecord): Escaped;
  auditEvent(event: AuditEvent): Escaped;
  /** Nobody joined in time: it was not sent. */
  deferredExpired(run: DeferredRun): MessageBody;
  /** Schedules of one guild that run no more, for one reason. */
  schedulesEnded(ended: readonly NamedSchedule[], why: string): MessageBody;
  /** A ban ends nothing any more: its `why` says what came before its end. */
  banEndOver(end: BanEnd): MessageBody;
  /** A ban that was asked for and approved is not sent any more. */
  askedBanOver(asked: AskedBan, why: string, advice: { readonly mayAskAgain: boolean }): MessageBody;
  /** The same of one of which nobody knows whether it was answered or sent. */
  askedBanUnsure(asked: AskedBan, why: string): MessageBody;
  /** The message that said that it waits: what became of it, or why it is not sent any more. */
  askedBanEnded(asked: AskedBan, end: AskedBanEnd): MessageBody;
  askedBanRefused(asked: AskedBan, byId: string): MessageBody;
  /** Ends of bans of one guild that a Manager decides about, for one reason. */
  banEndsHeld(ends: readonly BanEnd[], why: string): MessageBody;
  /** It failed several times in a row, the last time for this reason. */
  scheduleFailing(failing: NamedSchedule, why: string): MessageBody;
}
