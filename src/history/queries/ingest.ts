import type { RecordedAnswer, StoredAnswers } from "../ingest/recorded-answer.ts";
import type { QueryContext } from "./context.ts";

/** Stores answers in their order. */
export async function take(
  { ingest, writing }: QueryContext,
  { answers }: { readonly answers: readonly RecordedAnswer[] },
): Promise<StoredAnswers> {
  return writing.take("all", () => ingest.takeAll(answers));
}
