import type { SinkRefusalReason } from "../../domain/failure.ts";
import type { MessageBody } from "../../domain/message.ts";

/** What becomes of a panel next. Pure. */

/** Edits of one panel: at most one in this time. */
export const EDIT_EVERY_MS = 60_000;
/** Discord limits edits of old messages (30046) and does not say for how long. */
export const LIMITED_EVERY_MS = 300_000;
/** After this many refused edits a new message takes the place of the old one. */
const MOST_LIMITED = 3;
/** An empty server is read every ten minutes at the latest: silence is longer than that. */
export const SILENT_AFTER_MS = 900_000;
/** Where it is known that nothing may be asked. */
export const HALTED_SILENT_AFTER_MS = 180_000;

export type PanelStep = "post" | "edit" | "replace" | "wait";

export interface PanelView {
  readonly wanted: MessageBody | undefined;
  readonly shown: MessageBody | undefined;
  readonly messageId: string | undefined;
  /** By the monotonic clock. */
  readonly nowMs: number;
  readonly notBeforeMs: number;
  readonly limited: number;
}

/** Nothing is posted while nothing is known; an edit only on a change. */
export function panelStep(view: PanelView): PanelStep {
  const { wanted, shown, messageId, nowMs, notBeforeMs, limited } = view;
  if (wanted === undefined || nowMs < notBeforeMs) return "wait";
  if (messageId === undefined) return "post";
  if (JSON.stringify(wanted) === JSON.stringify(shown)) return "wait";
  return limited >= MOST_LIMITED ? "replace" : "edit";
}

export type AfterRefusal = "again" | "limited" | "make-again" | "stop";

/** Someone who deletes it twice does not want it. */
export function afterRefusal(reason: SinkRefusalReason, isRemade: boolean): AfterRefusal {
  switch (reason) {
    case "edit-limit":
      return "limited";
    case "message-gone":
      return isRemade ? "stop" : "make-again";
    case "gone":
    case "no-access":
    case "closed":
    case "form":
    case "rejected":
      return "stop";
    default:
      return "again";
  }
}
