import type { LogEntry, LogList, ModCallEntry, Snapshot } from "../../domain/model.ts";
import { type AnswerItem, isLogItem, type JournalItem } from "../../domain/ports/journal.ts";
import type { Fact } from "./fact.ts";
import { Identities } from "./identity.ts";

export const logLists: readonly LogList[] = ["joinLogs", "killLogs", "commandLogs", "modCalls"];

/** What a row says: that it happened, or that a mod call was answered. */
export type Said =
  | { readonly kind: "entry"; readonly entry: LogEntry }
  | { readonly kind: "answer"; readonly entry: AnswerItem["entry"] };

/**
 * The window of one log in a snapshot, as facts, oldest first. A mod call with a moderator is two facts: the call,
 * which is the same row that stood there unanswered, and the answer. undefined when the list was not asked for.
 */
export function factsOf(snapshot: Snapshot, list: LogList, salt: string): readonly Fact<Said>[] | undefined {
  const rows: readonly LogEntry[] | undefined = snapshot.lists[list];
  if (rows === undefined) return undefined;
  const identities = new Identities(salt);
  const facts: Fact<Said>[] = [];
  for (const row of oldestFirst(rows)) {
    const moderator = row.kind === "modCall" ? row.moderator : undefined;
    const entry = row.kind === "modCall" ? unanswered(row) : row;
    const atS = wholeS(row.atS);
    facts.push({ atS, hash: identities.of(row), value: { kind: "entry", entry } });
    if (row.kind === "modCall" && moderator !== undefined) {
      const said: Said = { kind: "answer", entry: { ...row, moderator } };
      facts.push({ atS, hash: identities.ofAnswer(row, moderator), value: said });
    }
  }
  return facts;
}

/** What is retained is packed as whole seconds from 0 on; an odd row must not spoil the rest. */
function wholeS(atS: number): number {
  return Math.max(0, Math.floor(atS));
}

function unanswered(row: ModCallEntry): ModCallEntry {
  return { kind: "modCall", atS: row.atS, caller: row.caller };
}

/** What an item of the journal was made of, as the window showed it; undefined of others. */
export function factOf(item: JournalItem, identities: Identities): Fact<Said> | undefined {
  if (!isLogItem(item) || item.kind === "gap") return undefined;
  const { entry } = item;
  const atS = wholeS(entry.atS);
  if (item.kind === "entry") return { atS, hash: identities.of(entry), value: { kind: "entry", entry } };
  const hash = identities.ofAnswer(item.entry, item.entry.moderator);
  return { atS, hash, value: { kind: "answer", entry: item.entry } };
}

/** The service does not say which end of a log is new: its own times tell, as far as they differ. */
function oldestFirst(rows: readonly LogEntry[]): readonly LogEntry[] {
  const first = rows[0];
  const last = rows.at(-1);
  return first !== undefined && last !== undefined && first.atS > last.atS ? rows.toReversed() : rows;
}
