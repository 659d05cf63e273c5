import type { JournalList } from "../../domain/changes.ts";
import type { SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { Journal } from "../../domain/ports/journal.ts";
import type { OffsetRecord } from "./offsets.ts";

export interface PositionParts {
  readonly journal: Journal;
  readonly offsets: Documents<OffsetRecord>;
  readonly clock: Clock;
}

/** A feed that is new or resumed, attached to its journal's head: nothing of the past is posted. Written. */
export async function atHead(
  feedId: string,
  {
    source,
    list,
    sinceMs,
  }: { readonly source: SourceId; readonly list: JournalList; readonly sinceMs?: number | undefined },
  { journal, offsets, clock }: PositionParts,
): Promise<OffsetRecord> {
  const nextSeq = await journal.attachAtHead(feedId, source, list);
  const record: OffsetRecord = { source, list, nextSeq, sinceMs: sinceMs ?? clock.nowMs() };
  await offsets.set(feedId, record);
  return record;
}

/**
 * A feed whose server has a new key, attached to the journal of that key: where it was, when the journal could be
 * taken along, else at the head. Written.
 */
export async function movedTo(
  feedId: string,
  { source, record }: { readonly source: SourceId; readonly record: OffsetRecord },
  { journal, offsets }: PositionParts,
): Promise<OffsetRecord> {
  const { list } = record;
  const result = list === undefined ? "none" : await journal.move(record.source, source, list);
  if (list !== undefined && (result === "moved" || result === "same")) {
    const next = { ...record, source };
    // Written before the old journal may go: after a crash in between the old one could not be found again.
    await offsets.set(feedId, next);
    await journal.detach(feedId);
    await journal.attach(feedId, { source, list }, next.nextSeq);
    return next;
  }
  await journal.detach(feedId);
  const nextSeq = list === undefined ? 0 : await journal.attachAtHead(feedId, source, list);
  const { frozen } = record;
  // The message on its way is still owed; only its number is void.
  const owed = frozen === undefined ? {} : { frozen: { ...frozen, throughSeq: nextSeq } };
  const next = { ...record, source, nextSeq, ...owed };
  await offsets.set(feedId, next);
  return next;
}
