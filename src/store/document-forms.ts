import { StoreError } from "../domain/failure.ts";
import type { Documents } from "../domain/ports/documents.ts";
import { uniqueName } from "../domain/server-names.ts";
import { type GuildBindings, parseFormMark, type SealedBinding } from "./document-schemas.ts";

/** Where the marks lie. */
export const FORM_NAMESPACE = "stored-form";
/** The mark of an import that is under way, or has ended in the middle. */
export const IMPORTING = "importing";
const MARK = "documents";

export interface FormParts {
  readonly marks: Documents<{ readonly form: number }>;
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
];

/** The form that this Marshal writes. 1 was never written down. */
export const DOCUMENT_FORM = 1 + STEPS.length;

/**
 * Brings documents of an earlier Marshal into today's form, at the start and before anything else writes. Resolves with
 * the form that it found. Rejects with a StoreError for documents of a newer Marshal.
 */
export async function bringDocumentsToForm(parts: FormParts): Promise<number> {
  const found = await formOf(parts.marks);
  if (found > DOCUMENT_FORM)
    throw new StoreError("this store was written by a newer Marshal; this one cannot read it");
  for (const step of STEPS.slice(found - 1)) await step(parts);
  if (found < DOCUMENT_FORM) await parts.marks.set(MARK, { form: DOCUMENT_FORM });
  return found;
}

/** The form of a store's documents. Rejects with a StoreError where an import into it has not ended. */
export async function formOf(marks: Documents<unknown>): Promise<number> {
  if ((await marks.get(IMPORTING)) !== undefined) {
    throw new StoreError(
      "an import into this store did not end: begin it again with `npm run store -- import FILE --replace`",
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
