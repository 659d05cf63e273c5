import { mayGoOnFrom } from "../domain/journal-id.ts";
import type { MoveResult } from "../domain/ports/journal.ts";
import type { JournalHead } from "./journal-records.ts";
import type { Open } from "./open-journal.ts";
import type { OpenJournals } from "./open-journals.ts";

export interface MoveParts {
  /** What the store or the memory has of a journal. */
  known(open: Open): Promise<JournalHead | undefined>;
  /** Stores one under the key of another that has none. */
  copy(from: Open, head: JournalHead, to: Open): Promise<void>;
  readonly journals: OpenJournals;
}

/** A server has a new key: its journal goes on under the new source. Both take no answer meanwhile. */
export async function moveJournal(asked: Open, to: Open, parts: MoveParts): Promise<MoveResult> {
  const lineage = (await parts.known(asked))?.lineage;
  if (lineage === undefined) return "none";
  const existing = await parts.known(to);
  if (existing !== undefined) return existing.lineage === lineage ? "same" : "other";
  const from = newestOf(asked, to, { lineage, journals: parts.journals });
  const old = from.head;
  if (old === undefined) return "none";
  await parts.copy(from, old, to);
  Object.assign(to.marks, from.marks);
  return "moved";
}

/**
 * A guild may have kept a revoked key and then link the next one: its journal is behind that of a guild which did
 * not. Only the newest may go on, or the two would give different entries the same number.
 */
function newestOf(
  asked: Open,
  to: Open,
  { lineage, journals }: { readonly lineage: string; readonly journals: OpenJournals },
): Open {
  let newest = asked;
  for (const open of journals.all()) {
    if (open.list !== asked.list || open.head?.lineage !== lineage) continue;
    if (!mayGoOnFrom(open.source, to.source)) continue;
    if (open.head.nextSeq > (newest.head?.nextSeq ?? 0)) newest = open;
  }
  return newest;
}
