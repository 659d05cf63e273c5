import type { Reply } from "../src/discord/command.ts";
import { type UndoStep, undoCard } from "../src/discord/render/undo-card.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { RunRecord, RunStatus, SubmittedRun } from "../src/domain/run.ts";
import { refuseUnsendable, withOwnPlayer } from "./run-flow.ts";

/** What a press of Undo does. */

/** Where an undo failed it may be pressed again; where it ran, or may have, or is on its way, it may not. */
const MAY_HAVE_RUN: ReadonlySet<RunStatus> = new Set(["waiting", "sending", "done", "unknown"]);

/** The button stays on its card, so it can be pressed twice. @throws Failure "bad-command" if `text` undid this run already */
export async function mustNotBeUndone(services: Services, undone: RunRecord, text: string): Promise<void> {
  const { guildId, bindingId, askedAtMs: fromMs } = undone;
  const { rows } = await services.audit.search(guildId, { bindingId, text, fromMs });
  const isUndo = (row: RunRecord) =>
    row.origin === "undo" && row.text === text && row.id !== undone.id && MAY_HAVE_RUN.has(row.status);
  if (rows.some(isUndo)) throw new Failure("bad-command", "It was undone already.");
}

export interface UndoAsk {
  readonly actor: Actor;
  readonly binding: Binding;
  readonly texts: readonly string[];
}

/** What takes several commands to undo: each is a run of its own, in their order. Shows them together. */
export async function* undoEach(
  services: Services,
  { actor, binding, texts }: UndoAsk,
): AsyncGenerator<Reply> {
  refuseUnsendable(services, binding);
  const steps: UndoStep[] = texts.map((text) => ({ text }));
  const runs: SubmittedRun[] = [];
  for (const [at, text] of texts.entries()) {
    const plan = await services.runner.plan(
      await withOwnPlayer(services, { actor, binding, text, origin: "undo" }),
    );
    try {
      // Whoever presses Undo has seen what is undone.
      const isAsked = plan.decision.allowed && plan.confirm === "button";
      runs.push(await (isAsked ? services.runner.confirmed(plan.id, actor) : services.runner.submit(plan)));
    } catch (error) {
      if (!(error instanceof Failure) || at === 0) throw error;
      const end = { status: "failed", message: error.message } as const;
      for (let left = at; left < texts.length; left++) steps[left] = { text: texts[left] ?? "", end };
      break;
    }
  }
  yield undoCard(steps, binding.name);
  for (const [at, run] of runs.entries()) {
    const { record } = await run.outcome;
    steps[at] = { text: record.text, end: record };
    const isLast = at === runs.length - 1;
    yield { ...undoCard(steps, binding.name), ...(isLast ? { important: true } : {}) };
  }
}
