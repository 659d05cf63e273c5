import type { Reply } from "../src/discord/command.ts";
import { expiredCard } from "../src/discord/render/plan-over-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { AnswerPlace } from "../src/domain/ports/run-answers.ts";
import type { RunPlan, SubmittedRun } from "../src/domain/run.ts";

/** How a question whether to send a command ends when nobody answers it in time: its buttons go, and it says so. */

/** After the time of the plans: they are kept from a little after they were made. */
const AFTER_MS = 1_000;

/** `plans`: one for each button that sends; the first is the one that is asked about. */
export function endInTime(
  { shownAnswers, clock, runner }: Services,
  [plan, ...others]: readonly RunPlan[],
  answer: AnswerPlace | undefined,
): void {
  if (answer === undefined || plan === undefined) return;
  const id = `question ${plan.id}`;
  const plans = [plan, ...others];
  shownAnswers.keep(id, answer);
  const lastMs = Math.max(...plans.map(({ expiresAtMs }) => expiresAtMs));
  clock.after(Math.max(0, lastMs - clock.nowMs()) + AFTER_MS, () => {
    if (plans.every((one) => runner.fateOf(one.id) === "gone")) shownAnswers.edit(id, expiredCard(plan));
    else shownAnswers.forget(id);
  });
}

/** The run of a plan that is confirmed, or what its message says where its time was over: then nothing was sent. */
export async function confirmedOrExpired(
  services: Services,
  { actor, planId, name }: { readonly actor: Actor; readonly planId: string; readonly name?: string },
): Promise<{ readonly submitted: SubmittedRun } | { readonly expired: Reply }> {
  try {
    return { submitted: await services.runner.confirmed(planId, actor, name) };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "expired") throw error;
    if (!(await wasNeverSent(services, actor, planId))) throw error;
    return { expired: expiredCard() };
  }
}

/** A run has the id of its plan, and its row is written before it is sent. */
export async function wasNeverSent(services: Services, { guildId }: Actor, planId: string): Promise<boolean> {
  if (services.runner.fateOf(planId) !== "gone") return false;
  return (await services.audit.get(guildId, planId)) === undefined;
}
