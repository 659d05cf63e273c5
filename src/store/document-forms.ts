import { StoreError } from "../domain/failure.ts";
import type { Documents } from "../domain/ports/documents.ts";
import { type FormMark, type GuildBindings, parseFormMark } from "./document-schemas.ts";

/** Where the marks lie. */
export const FORM_NAMESPACE = "stored-form";
/** The mark of an import that is under way, or has ended in the middle. */
export const IMPORTING = "importing";
export const FORM_MARK = "documents";

export interface FormParts {
  readonly marks: Documents<FormMark>;
  readonly bindings: Documents<GuildBindings>;
}

/**
 * The form that this Marshal writes. Documents of forms 2 to 6 are read as they are; journals of before form 4 get today's
 * form when each is read first. A Marshal that knows only those forms would leave unposted what is owed to Discord since
 * form 3, can't read the rows of form 4, would lose settings and sessions of form 5, would neither read the runs of form 6 nor
 * take back the ranks that those gave in the game, and can't read the runs of accepted appeals, or the sessions and votes that a
 * restored copy ended, of form 7.
 */
export const DOCUMENT_FORM = 7;

/**
 * Marks documents of an earlier Marshal as today's, at the start and before anything else writes. Resolves with the form
 * that it found. Rejects with a StoreError for documents of a newer Marshal, and of one that marked no form.
 */
export async function bringDocumentsToForm({ marks, bindings }: FormParts): Promise<number> {
  const found = await readableForm(marks);
  if (found === undefined && !(await isEmpty(bindings)))
    throw new StoreError(
      "this store is from a Marshal of before November 2026, which this one can't update. Start commit c56520e on it once, then this one",
    );
  if (found !== DOCUMENT_FORM)
    await marks.set(FORM_MARK, { ...(await marks.get(FORM_MARK)), form: DOCUMENT_FORM });
  return found ?? DOCUMENT_FORM;
}

async function isEmpty(documents: Documents<unknown>): Promise<boolean> {
  for await (const _ of documents.entries()) return false;
  return true;
}

/** The form of documents that this Marshal reads. Rejects with a StoreError for those of a newer one. */
export async function readableForm(marks: Documents<unknown>): Promise<number | undefined> {
  const found = await formOf(marks);
  if (found === undefined || found <= DOCUMENT_FORM) return found;
  const forms = `form ${found}, and this one knows ${DOCUMENT_FORM}`;
  throw new StoreError(
    `this store is from a newer Marshal (${forms}). Start the newer version again, or restore a backup from before the update`,
  );
}

/** Which store this is, by a random id that nothing but its loss ever changes. */
export interface StoreIdentity {
  readonly id: string;
  readonly madeAtMs: number;
}

export interface IdentityParts {
  readonly marks: Documents<FormMark>;
  /** What tells the secret of this store, without showing any of it. */
  readonly secret: string;
  readonly newId: () => string;
  readonly nowMs: () => number;
}

/** The identity of a store; one that has none gets it, so this is for its holder, after the form. */
export async function identify({ marks, secret, newId, nowMs }: IdentityParts): Promise<StoreIdentity> {
  const mark = (await marks.get(FORM_MARK)) ?? { form: DOCUMENT_FORM };
  const { store: id = newId(), madeAtMs = nowMs() } = mark;
  // The secret may change for as long as nothing is sealed with it.
  if (mark.store === undefined || mark.secret !== secret)
    await marks.set(FORM_MARK, { ...mark, store: id, madeAtMs, secret });
  return { id, madeAtMs };
}

/** What a store says of itself, where it has said it already. Writes nothing. */
export async function knownIdentity(
  marks: Documents<FormMark>,
): Promise<(StoreIdentity & { readonly secret: string | undefined }) | undefined> {
  const mark = await marks.get(FORM_MARK);
  if (mark?.store === undefined) return undefined;
  return { id: mark.store, madeAtMs: mark.madeAtMs ?? 0, secret: mark.secret };
}

/**
 * The form of a store's documents, undefined before the first start on it. Rejects with a StoreError where an import
 * into it has not ended.
 */
export async function formOf(marks: Documents<unknown>): Promise<number | undefined> {
  if ((await marks.get(IMPORTING)) !== undefined) {
    throw new StoreError(
      "an import into this store did not finish. Run it again: `npm run store -- import FILE --replace`",
    );
  }
  const mark = await marks.get(FORM_MARK);
  return mark === undefined ? undefined : parseFormMark(mark).form;
}
