import { md, userMention } from "../../domain/escaped.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";
import { askedBanEnded, askedBanOver, askedBanRefused, askedBanUnsure } from "./asked-ban-cards.ts";
import { eventLine, runLine } from "./audit-rows.ts";
import { banEndOver, banEndsHeld } from "./ban-cards.ts";
import { deferredExpiredCard, outcomeCard, outcomeMarks } from "./run-cards.ts";
import { scheduleFailing, schedulesEnded } from "./schedule-cards.ts";

/** The messages that runs/ sends by itself. Their buttons stay, because each press is checked anew. */
export const runRenderer: RunRenderer = {
  outcome: ({ record, failure }, ofCase) => {
    // One of its buttons marks it: a punishment whose case is not there yet has *Run again*.
    const isCase = ofCase.isCase && ofCase.caseNumber !== undefined;
    const card = outcomeCard(record, { ...ofCase, isCase, retryAtMs: failure?.retryAtMs });
    return { ...card, content: userMention(record.actorId) };
  },
  answer: ({ record, failure }, ofCase) => outcomeCard(record, { ...ofCase, retryAtMs: failure?.retryAtMs }),
  outcomeMarks,
  restarted: () => ({
    content: md`⌛ Marshal restarted before it could answer. Check whether it worked, then try again.`,
  }),
  restartedRun: () => ({
    content: md`⌛ Marshal restarted before it could answer. Try again only if your command is not in \`/run history\`.`,
  }),
  auditRow: (record) => runLine(record, { server: true }),
  auditEvent: (event) => eventLine(event),
  deferredExpired: deferredExpiredCard,
  schedulesEnded,
  banEndOver,
  askedBanOver,
  askedBanUnsure,
  askedBanEnded,
  askedBanRefused,
  banEndsHeld,
  scheduleFailing,
};
