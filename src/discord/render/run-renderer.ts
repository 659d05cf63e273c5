import { md, userMention } from "../../domain/escaped.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";
import { eventLine, runLine } from "./audit-rows.ts";
import { referenceLine } from "./errors.ts";
import { deferredExpiredCard, outcomeCard } from "./run-cards.ts";
import { scheduleFailing, schedulesEnded } from "./schedule-cards.ts";

/** The messages that runs/ sends by itself. Their buttons stay, because each press is checked anew. */
export const runRenderer: RunRenderer = {
  outcome: ({ record, failure }) => {
    const card = outcomeCard(record, { retryAtMs: failure?.retryAtMs });
    return { ...card, content: userMention(record.actorId) };
  },
  answer: ({ record, failure }) => outcomeCard(record, { retryAtMs: failure?.retryAtMs }),
  outcomeMark: ({ id }) => referenceLine(id),
  restarted: () => ({
    content: md`⌛ Marshal was restarted before it could answer. Ask again; if it was to change something, look first whether it did.`,
  }),
  restartedRun: () => ({
    content: md`⌛ Marshal was restarted before it could answer. Ask again only if your command is not in \`/run history\`.`,
  }),
  auditRow: (record) => ({ content: runLine(record, { server: true }) }),
  auditEvent: (event) => ({ content: eventLine(event) }),
  deferredExpired: deferredExpiredCard,
  schedulesEnded,
  scheduleFailing,
};
