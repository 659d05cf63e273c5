import { documentsOf, rowsOf, writeTogetherOn } from "../src/document-table.ts";
import { StoreError } from "../src/domain/failure.ts";
import { rewind } from "../src/journal/rewind.ts";
import { DOCUMENT_FORM, readableForm } from "../src/store/document-forms.ts";
import type { Store } from "../src/store/keyv-documents.ts";

/** A date and a time of day with its zone: without one it would mean another moment on another machine. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/;

/** `Date.parse` takes 31 February for 3 March. */
function isDay(day: string): boolean {
  const atMs = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day);
}

/** Lets a reader of the journals read again what came since a time. Answers what was done. Rejects with a StoreError. */
export async function rewindStore(store: Store, reader: string, time: string): Promise<string> {
  const sinceMs = MOMENT.test(time) && isDay(time.slice(0, 10)) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(sinceMs)) throw new StoreError(`${time} is no time. Write it like 2026-01-31T18:00Z`);
  if (await store.isHeld())
    throw new StoreError("Marshal is running on this store. Stop all its processes first");
  if ((await readableForm(documentsOf(store, "stored-form"))) !== DOCUMENT_FORM)
    throw new StoreError(
      "this store is from another version of Marshal. Start this one on it once, then stop it",
    );
  const parts = {
    heads: documentsOf(store, "journal-heads"),
    chunks: documentsOf(store, "journal-chunks"),
    rows: rowsOf(store, "journal-rows"),
    write: writeTogetherOn(store),
    warn: () => undefined,
  };
  const { logs, events, shortened, followers } = await rewind(parts, reader, sinceMs);
  if (!followers.includes(reader)) {
    const known = followers.length === 0 ? "Nobody reads them yet" : `There are: ${followers.join(", ")}`;
    throw new StoreError(`nobody called ${reader} reads the game's logs. ${known}`);
  }
  const short = shortened === 0 ? "" : `; of ${shortened} logs not everything since then is still kept`;
  return `rewind: ${reader} reads ${counted(events, "event")} of ${counted(logs, "log")} again${short}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
