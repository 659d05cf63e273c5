import type { Reply } from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import type { Case } from "../src/domain/case.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { SubmittedRun } from "../src/domain/run.ts";
import { shown } from "./case-flow.ts";
import { untoldAnswers } from "./case-tell.ts";

/** The answers that offer *Tell* show that it was revoked, and offer it no longer. */
export function showRevoked({ shownAnswers }: Services, one: Case, card: Reply): void {
  if (one.kind !== "warning") return;
  for (const id of untoldAnswers(one)) shownAnswers.edit(id, card);
}

/** Where the run told a warned player of it: the answers that said that they were not told are brought up to date. */
export async function showTold(
  services: Services,
  actor: Actor,
  { outcome }: Pick<SubmittedRun, "outcome">,
): Promise<void> {
  const { record } = await outcome;
  if (record.tells === undefined) return;
  try {
    const one = await services.cases.get(actor.guildId, record.tells);
    if (one?.told === undefined) return;
    const card = await shown(services, one, actor);
    const content = md`✅ **${inlineName(one.targets[0]?.name ?? "")}** was told in the game.`;
    for (const id of untoldAnswers(one)) services.shownAnswers.edit(id, { ...card, content });
  } catch (error) {
    // The outcome itself is shown, and a press on *Tell* says that they were told.
    if (!(error instanceof Failure)) throw error;
  }
}
