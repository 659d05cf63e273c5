import type { Services } from "../src/discord/services.ts";
import type { HistoryRow, HistoryRowOf } from "../src/domain/history.ts";
import { isRemote } from "../src/domain/history.ts";
import type { RunAuthor } from "../src/domain/ports/run-authors.ts";

/** Who asked Marshal for those of these rows that the game's log shows as "Remote Server"'s. */
export async function commandAuthors(
  { runAuthors }: Pick<Services, "runAuthors">,
  guildId: string,
  rows: readonly HistoryRow[],
): Promise<ReadonlyMap<HistoryRow, RunAuthor>> {
  const remote = rows.filter(
    (row): row is HistoryRowOf<"command"> => row.kind === "command" && isRemote(row.player),
  );
  const authors = await runAuthors.of(guildId, remote);
  return new Map(remote.map((row, index) => [row, authors[index] ?? { kind: "unknown" }]));
}
