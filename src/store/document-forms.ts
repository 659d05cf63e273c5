import { StoreError } from "../domain/failure.ts";
import type { Documents } from "../domain/ports/documents.ts";
import { uniqueName } from "../domain/server-names.ts";
import { type FormMark, type GuildBindings, parseFormMark, type SealedBinding } from "./document-schemas.ts";

/** Where the marks lie. */
export const FORM_NAMESPACE = "stored-form";
/** The mark of an import that is under way, or has ended in the middle. */
export const IMPORTING = "importing";
const MARK = "documents";

export interface FormParts {
  readonly marks: Documents<FormMark>;
  readonly bindings: Documents<GuildBindings>;
}

/**
 * What changes from one form of the documents to the next. Each step may be interrupted and begun again, and leaves
 * documents that have today's form as they are.
 */
const STEPS: readonly ((parts: FormParts) => Promise<void>)[] = [
  // 1 to 2: the first release kept the servers' own names, of which two of one guild may be the same.
  async ({ bindings }) => {
    for await (const [guildId, document] of bindings.entries()) {
      const after = toldApart(document.bindings);
      if (after.some((binding, index) => binding !== document.bindings[index]))
        await bindings.set(guildId, { ...document, bindings: after });
    }
  },
  // 2 to 3: what is owed to Discord lies in documents that no earlier Marshal knows. It would leave them unposted, and
  // post again what today's has posted meanwhile. Documents of form 2 are read as they are.
  async () => undefined,
  // 3 to 4: journals lie in rows, which no earlier Marshal reads. One of form 3 gets today's form when it is read first.
  async () => undefined,
];

/** The form that this Marshal writes. 1 was never written down. */
export const DOCUMENT_FORM = 1 + STEPS.length;

/**
 * Brings documents of an earlier Marshal into today's form, at the start and before anything else writes. Resolves with
 * the form that it found. Rejects with a StoreError for documents of a newer Marshal.
 */
export async function bringDocumentsToForm(parts: FormParts): Promise<number> {
  const found = await readableForm(parts.marks);
  for (const step of STEPS.slice(found - 1)) await step(parts);
  if (found < DOCUMENT_FORM)
    await parts.marks.set(MARK, { ...(await parts.marks.get(MARK)), form: DOCUMENT_FORM });
  return found;
}

/** The form of documents that this Marshal reads. Rejects with a StoreError for those of a newer one. */
export async function readableForm(marks: Documents<unknown>): Promise<number> {
  const found = await formOf(marks);
  if (found <= DOCUMENT_FORM) return found;
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
  const mark = (await marks.get(MARK)) ?? { form: DOCUMENT_FORM };
  const { store: id = newId(), madeAtMs = nowMs() } = mark;
  // The secret may change for as long as nothing is sealed with it.
  if (mark.store === undefined || mark.secret !== secret)
    await marks.set(MARK, { ...mark, store: id, madeAtMs, secret });
  return { id, madeAtMs };
}

/** What a store says of itself, where it has said it already. Writes nothing. */
export async function knownIdentity(
  marks: Documents<FormMark>,
): Promise<(StoreIdentity & { readonly secret: string | undefined }) | undefined> {
  const mark = await marks.get(MARK);
  if (mark?.store === undefined) return undefined;
  return { id: mark.store, madeAtMs: mark.madeAtMs ?? 0, secret: mark.secret };
}

/** The form of a store's documents. Rejects with a StoreError where an import into it has not ended. */
export async function formOf(marks: Documents<unknown>): Promise<number> {
  if ((await marks.get(IMPORTING)) !== undefined) {
    throw new StoreError(
      "an import into this store did not finish. Run it again: `npm run store -- import FILE --replace`",
    );
  }
  const mark = await marks.get(MARK);
  return mark === undefined ? 1 : parseFormMark(mark).form;
}

function toldApart(bindings: readonly SealedBinding[]): readonly SealedBinding[] {
  const apart: SealedBinding[] = [];
  for (const binding of bindings) {
    const isTaken = apart.some(({ name }) => name.toLowerCase() === binding.name.toLowerCase());
    apart.push(isTaken ? { ...binding, name: uniqueName(binding.name, apart) } : binding);
  }
  return apart;
}
