import type { Services } from "../src/discord/services.ts";
import { isOtherBan } from "../src/domain/case.ts";
import { Failure } from "../src/domain/failure.ts";
import type { RunRecord } from "../src/domain/run.ts";

const MOST_LATER = 20;

/** The button Undo stays on its card. @throws Failure "bad-command" where it would lift a later ban of one of its players. */
export async function refuseBannedAgain(
  { cases }: Services,
  { guildId, id, verb }: RunRecord,
): Promise<void> {
  if (verb !== "ban" || !cases.isKept) return;
  // Without a case nothing is known of later ones.
  const one = await cases.ofRun(guildId, id);
  for (const { playerId, name } of one?.targets ?? []) {
    if (one === undefined || playerId === undefined) continue;
    const found = await cases.search(guildId, { playerId, kind: "ban", fromMs: one.atMs, limit: MOST_LATER });
    const later = found.find((other) => isOtherBan(one, other));
    if (later === undefined) continue;
    const words = `${name} has been banned again since then (case ${later.number}). To lift that too, send :unban with /run command.`;
    throw new Failure("bad-command", words);
  }
}
