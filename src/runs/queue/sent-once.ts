import { Failure } from "../../domain/failure.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import { type RunPlan, type RunRecord, type RunStatus, UNDONE_ALREADY } from "../../domain/run.ts";
import { everyRow } from "../audit/every-row.ts";

/** Where an undo failed it may be pressed again; where it ran, or may have, or is on its way, it may not. */
export const MAY_HAVE_RUN: ReadonlySet<RunStatus> = new Set(["waiting", "sending", "done", "unknown"]);

/** The wall clock may have been set back by so much between a run and its undo. */
const CLOCK_SET_BACK_MS = 24 * 60 * 60_000;

/** A message to a warned player is on its way for less than this, also where its run waited. */
const ON_ITS_WAY_MS = 60 * 60_000;

/** One that may have arrived may be sent again: its answer says to look first. */
const IS_TELLING: ReadonlySet<RunStatus> = new Set(["waiting", "sending", "done"]);

type Accepted = Pick<RunPlan, "request" | "command" | "expiresAtMs">;

/**
 * The buttons *Undo* and *Tell* stay on their cards: two may press at once, and one person again, also while a confirmation of
 * the first press is open. So it is looked at when a run is accepted, one after the other for each run that is undone and each
 * warning that is told.
 */
export class SentOnce {
  readonly #audit: Pick<AuditLog, "search">;
  readonly #turns = new KeyedMutex();

  constructor(audit: Pick<AuditLog, "search">) {
    this.#audit = audit;
  }

  /**
   * `accept` writes the row of the plan before it resolves. Rejects with Failure "bad-command" where the same text has
   * undone the same run already, or where the player is told of the same warning.
   */
  async run<T>(plan: Accepted, accept: () => Promise<T>): Promise<T> {
    const { undoes, tells, actor } = plan.request;
    if (undoes !== undefined)
      return await this.#turns.take(undoes.id, async () => {
        await this.#refuseUndone(plan, undoes);
        return await accept();
      });
    if (tells === undefined) return await accept();
    return await this.#turns.take(`${actor.guildId} ${tells}`, async () => {
      await this.#refuseTold(plan, tells);
      return await accept();
    });
  }

  async #refuseUndone(
    { request: { text, binding, actor }, command: { verb } }: Accepted,
    undoes: NonNullable<RunPlan["request"]["undoes"]>,
  ): Promise<void> {
    const fromMs = undoes.askedAtMs - CLOCK_SET_BACK_MS;
    const filter = { bindingId: binding.id, text, fromMs, ...(verb === undefined ? {} : { verb }) };
    // A later undo of an equal run took this one back as well.
    const isOfIt = (row: RunRecord) => row.undoes === undoes.id || row.askedAtMs >= undoes.askedAtMs;
    const isUndo = (row: RunRecord) =>
      row.origin === "undo" && row.text === text && row.id !== undoes.id && MAY_HAVE_RUN.has(row.status);
    for await (const row of everyRow(this.#audit, actor.guildId, filter))
      if (isUndo(row) && isOfIt(row)) throw new Failure("bad-command", UNDONE_ALREADY);
  }

  async #refuseTold(
    { request: { actor }, command: { verb = "" }, expiresAtMs }: Accepted,
    tells: number,
  ): Promise<void> {
    const filter = { verb, fromMs: expiresAtMs - ON_ITS_WAY_MS };
    for await (const row of everyRow(this.#audit, actor.guildId, filter))
      if (row.tells === tells && IS_TELLING.has(row.status))
        throw new Failure("bad-command", "They are being told already. `/run history` shows when.");
  }
}
