import type { RecordedAnswer } from "../ingest/recorded-answer.ts";
import type { QueryContext } from "./context.ts";

/** Stores answers in their order; answers how many rows were new. */
export async function take(
  { ingest, writing }: QueryContext,
  { answers }: { readonly answers: readonly RecordedAnswer[] },
): Promise<number> {
  return writing.take("all", async () => {
    let rows = 0;
    for (const answer of answers) rows += await ingest.take(answer);
    return rows;
  });
}
