import type { Reply } from "../src/discord/command.ts";
import { type UndoStep, undoCard } from "../src/discord/render/undo-card.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import { type RunPlan, type RunRecord, type SubmittedRun, UNDONE_ALREADY } from "../src/domain/run.ts";
import { refuseUnsendable, withOwnPlayer } from "./run-flow.ts";
import { showUndone } from "./run-follow.ts";

/** The undo of what takes several commands to undo. */

export interface UndoAsk {
  readonly actor: Actor;
  readonly binding: Binding;
  readonly texts: readonly string[];
  readonly undoes: Pick<RunRecord, "id" | "askedAtMs">;
}

/** What takes several commands to undo: each is a run of its own, in their order. Shows them together. */
export async function* undoEach(
  services: Services,
  { actor, binding, texts, undoes }: UndoAsk,
): AsyncGenerator<Reply> {
  const steps: UndoStep[] = texts.map((text) => ({ text }));
  const runs: { readonly at: number; readonly run: SubmittedRun }[] = [];
  for (const [at, text] of texts.entries()) {
    const plan = await services.runner.plan(
      await withOwnPlayer(services, { actor, binding, text, origin: "undo", undoes }),
    );
    if (runs.length === 0 && plan.decision.allowed) await refuseUnsendable(services, plan);
    const players = plan.targets.flatMap((target) => target.players);
    steps[at] = { text, players };
    const sent = await submitted(services, plan, actor);
    if (!(sent instanceof Failure)) {
      runs.push({ at, run: sent });
      continue;
    }
    // Of an earlier press this one ran and another failed: the others are sent again.
    const isUndone = sent.message === UNDONE_ALREADY;
    if (runs.length === 0 && (!isUndone || at === texts.length - 1)) throw sent;
    const end = { status: "failed", message: sent.message } as const;
    const until = isUndone ? at + 1 : texts.length;
    for (let left = at; left < until; left++) steps[left] = { ...steps[left], text: texts[left] ?? "", end };
    if (!isUndone) break;
  }
  yield undoCard(steps, binding.name);
  for (const { at, run } of runs) {
    const { record } = await run.outcome;
    steps[at] = { ...steps[at], text: record.text, end: record };
    const isLast = at === runs.at(-1)?.at;
    yield { ...undoCard(steps, binding.name), ...(isLast ? { important: true } : {}) };
  }
  if (steps.every(({ end }) => end?.status === "done"))
    await showUndone(services, { guildId: actor.guildId, id: undoes.id });
}

/** The run, or why it was not accepted. */
async function submitted({ runner }: Services, plan: RunPlan, actor: Actor): Promise<SubmittedRun | Failure> {
  try {
    // Whoever presses Undo has seen what is undone.
    const isAsked = plan.decision.allowed && plan.confirm === "button";
    return await (isAsked ? runner.confirmed(plan.id, actor) : runner.submit(plan));
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
