import type { Case, CaseEdit, CaseUndo } from "../../domain/case.ts";
import type { CaseChange } from "../../domain/ports/cases.ts";

/** What becomes of a case when people change it. Pure. */

/** Beyond this the oldest edits but the first make room: a case stays one row of the history. */
const MOST_EDITS = 50;

export interface By {
  readonly userId: string;
  readonly atMs: number;
}

/** The case with other words; what stood there stays in its history. The same case where nothing differs. */
export function edited(one: Case, change: CaseChange, { userId, atMs }: By): Case {
  if (change.isFirstReason && one.reason !== undefined) return one;
  let next = one;
  for (const field of ["reason", "evidence"] as const) {
    const to = change[field]?.trim();
    const from = next[field];
    if (to === undefined || to === (from ?? "")) continue;
    const edit: CaseEdit = { atMs, byId: userId, field, ...(from === undefined ? {} : { from }) };
    const { [field]: _, ...rest } = next;
    const edits = [...next.edits, edit];
    next = { ...rest, ...(to === "" ? {} : { [field]: to }), edits };
    if (edits.length > MOST_EDITS) next = withRoom(next);
  }
  return next;
}

function withRoom(one: Case): Case {
  const { edits, editsLeftOut = 0 } = one;
  return { ...one, edits: [...edits.slice(0, 1), ...edits.slice(2)], editsLeftOut: editsLeftOut + 1 };
}

/** The same, where its card has to show something new: a start that finds it so edits the card. */
export function owing<C extends Pick<Case, "card">>(one: C): C {
  const { card } = one;
  if (card?.messageId === undefined) return one;
  return { ...one, card: { ...card, owed: (card.owed ?? 0) + 1 } };
}

/** Its card shows what was owed then. */
export function paid(one: Case, owed: number): Case {
  if (one.card?.owed !== owed) return one;
  const { owed: _, ...card } = one.card;
  return { ...one, card };
}

/** As many as a command names players at most; the case stays one row of the history. */
const MOST_UNDONE = 50;

/** The same case where that undo stands there already. */
export function undone(one: Case, undo: CaseUndo): Case {
  const { undone: before = [] } = one;
  const isKnown = before.some(({ runId }) => runId === undo.runId);
  return isKnown || before.length >= MOST_UNDONE ? one : { ...one, undone: [...before, undo] };
}

/** It stays, and counts no more. Revoked once, it stays as it was revoked first. */
export function revoked(one: Case, { userId, atMs }: By, why: string | undefined): Case {
  if (one.revoked !== undefined) return one;
  const said = why?.trim() ?? "";
  return { ...one, revoked: { atMs, byId: userId, ...(said === "" ? {} : { why: said }) } };
}
