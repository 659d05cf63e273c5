import { Failure } from "../../domain/failure.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import { type RunPlan, type RunRecord, type RunStatus, UNDONE_ALREADY } from "../../domain/run.ts";
import { everyRow } from "../audit/every-row.ts";

/** Where an undo failed it may be pressed again; where it ran, or may have, or is on its way, it may not. */
export const MAY_HAVE_RUN: ReadonlySet<RunStatus> = new Set(["waiting", "sending", "done", "unknown"]);

/** The wall clock may have been set back by so much between a run and its undo. */
const CLOCK_SET_BACK_MS = 24 * 60 * 60_000;

/**
 * The button Undo stays on its card: two may press it at once, and one person again, also while a confirmation of the
 * first press is open. So it is looked at when a run is accepted, one after the other for each run that is undone.
 */
export class UndoOnce {
  readonly #audit: Pick<AuditLog, "search">;
  readonly #turns = new KeyedMutex();

  constructor(audit: Pick<AuditLog, "search">) {
    this.#audit = audit;
  }

  /**
   * `accept` writes the row of the plan before it resolves. Rejects with Failure "bad-command" where the same text has
   * undone the same run already.
   */
  async run<T>(
    { request, command }: Pick<RunPlan, "request" | "command">,
    accept: () => Promise<T>,
  ): Promise<T> {
    const { undoes, text, binding } = request;
    if (undoes === undefined) return await accept();
    return await this.#turns.take(undoes.id, async () => {
      const { verb } = command;
      const fromMs = undoes.askedAtMs - CLOCK_SET_BACK_MS;
      const filter = { bindingId: binding.id, text, fromMs, ...(verb === undefined ? {} : { verb }) };
      // A later undo of an equal run took this one back as well.
      const isOfIt = (row: RunRecord) => row.undoes === undoes.id || row.askedAtMs >= undoes.askedAtMs;
      const isUndo = (row: RunRecord) =>
        row.origin === "undo" && row.text === text && row.id !== undoes.id && MAY_HAVE_RUN.has(row.status);
      for await (const row of everyRow(this.#audit, request.actor.guildId, filter))
        if (isUndo(row) && isOfIt(row)) throw new Failure("bad-command", UNDONE_ALREADY);
      return await accept();
    });
  }
}
