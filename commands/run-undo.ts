import type { Reply } from "../src/discord/command.ts";
import { type UndoStep, undoCard } from "../src/discord/render/undo-card.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { RunRecord, SubmittedRun } from "../src/domain/run.ts";
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
  const runs: SubmittedRun[] = [];
  for (const [at, text] of texts.entries()) {
    const plan = await services.runner.plan(
      await withOwnPlayer(services, { actor, binding, text, origin: "undo", undoes }),
    );
    if (at === 0 && plan.decision.allowed) await refuseUnsendable(services, plan);
    const players = plan.targets.flatMap((target) => target.players);
    steps[at] = { text, players };
    try {
      // Whoever presses Undo has seen what is undone.
      const isAsked = plan.decision.allowed && plan.confirm === "button";
      runs.push(await (isAsked ? services.runner.confirmed(plan.id, actor) : services.runner.submit(plan)));
    } catch (error) {
      if (!(error instanceof Failure) || at === 0) throw error;
      const end = { status: "failed", message: error.message } as const;
      for (let left = at; left < texts.length; left++)
        steps[left] = { ...steps[left], text: texts[left] ?? "", end };
      break;
    }
  }
  yield undoCard(steps, binding.name);
  for (const [at, run] of runs.entries()) {
    const { record } = await run.outcome;
    steps[at] = { ...steps[at], text: record.text, end: record };
    const isLast = at === runs.length - 1;
    yield { ...undoCard(steps, binding.name), ...(isLast ? { important: true } : {}) };
  }
  if (steps.every(({ end }) => end?.status === "done"))
    await showUndone(services, { guildId: actor.guildId, id: undoes.id });
}
