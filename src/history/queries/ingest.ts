import { type RecordedAnswer, type StoredAnswers, sumOf } from "../ingest/recorded-answer.ts";
import type { QueryContext } from "./context.ts";

/** Stores answers in their order. */
export async function take(
  { ingest, writing }: QueryContext,
  { answers }: { readonly answers: readonly RecordedAnswer[] },
): Promise<StoredAnswers> {
  return writing.take("all", async () => {
    const stored: StoredAnswers[] = [];
    for (const answer of answers) stored.push(await ingest.take(answer));
    return sumOf(stored);
  });
}
