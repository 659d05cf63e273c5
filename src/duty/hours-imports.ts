import { type ImportedTotal, type ReadTotals, type RefusedLine, totalKey } from "../domain/duty-import.ts";
import type { Actor } from "../domain/guild.ts";
import type { Random } from "../domain/ports/clock.ts";
import type { DutyStore } from "../domain/ports/duty-store.ts";
import type { ImportPlan } from "../domain/ports/staffing.ts";
import type { HoursImport } from "../domain/quota.ts";
import { correctionIn, correctionRow, importIn, importRow } from "./duty-rows.ts";
import type { WorkRecords } from "./work-records.ts";

export interface HoursImportsPorts {
  readonly store: DutyStore;
  readonly records: Pick<WorkRecords, "known">;
  readonly random: Random;
  nowS(): number;
}

const MOST_LISTED = 20;

/** Totals of another bot: each counts once, and all of an import go together. Its calls of one guild do not overlap. */
export class HoursImports {
  readonly #ports: HoursImportsPorts;

  constructor(ports: HoursImportsPorts) {
    this.#ports = ports;
  }

  async plan({ guildId, userId: byId }: Actor, read: ReadTotals): Promise<ImportPlan> {
    const { store, records, random, nowS } = this.#ports;
    const members = await records.known(
      guildId,
      read.totals.map(({ userId }) => userId),
    );
    const before = await this.#imported(guildId);
    const refused: RefusedLine[] = [...read.refused];
    const totals: ImportedTotal[] = [];
    let known = 0;
    for (const { line, ...total } of read.totals) {
      const seconds = before.get(totalKey(total));
      if (seconds === total.seconds) known += 1;
      else if (seconds !== undefined) {
        refused.push({ line, why: `was imported with ${seconds / 60} minutes. Take that import back first` });
      } else if (members.has(total.userId)) totals.push(total);
      else refused.push({ line, why: "is of nobody who has a role here" });
    }
    const planned: HoursImport = { id: random.id(), byId, atS: nowS(), state: "planned", totals };
    // Plans that nobody carried out make room.
    const drop = (await this.#rows(guildId)).filter((row) => row.byId === byId && row.state === "planned");
    await store.write({
      put: [importRow(guildId, planned)],
      drop: drop.map(({ id }) => ({ guildId, kind: "import", id })),
    });
    return { planned, known, refused: refused.toSorted((a, b) => a.line - b.line) };
  }

  async do({ guildId, userId: byId }: Actor, id: string): Promise<HoursImport | undefined> {
    const planned = await this.#one(guildId, id);
    if (planned?.state !== "planned") return planned?.state === "done" ? planned : undefined;
    const before = await this.#imported(guildId);
    const totals = planned.totals.filter((total) => !before.has(totalKey(total)));
    const done: HoursImport = { ...planned, byId, state: "done", totals };
    const rows = totals.map((total) => {
      const { userId, typeId, seconds, asOfS: atS } = total;
      const own = { userId, typeId, seconds, atS, id: rowId(total), byId, importId: id, reason: "" };
      return correctionRow(guildId, own);
    });
    await this.#ports.store.write({ put: [...rows, importRow(guildId, done)] });
    return done;
  }

  async undo({ guildId, userId: byId }: Actor, id: string): Promise<HoursImport | undefined> {
    const done = await this.#one(guildId, id);
    if (done?.state !== "done") return undefined;
    const undone: HoursImport = { ...done, byId, state: "undone" };
    await this.#ports.store.write({
      put: [importRow(guildId, undone)],
      drop: done.totals.map((total) => ({ guildId, kind: "correction", id: rowId(total) })),
    });
    return undone;
  }

  async list(guildId: string): Promise<readonly HoursImport[]> {
    return (await this.#rows(guildId))
      .filter(({ state, totals }) => state === "done" && totals.length > 0)
      .slice(0, MOST_LISTED);
  }

  async #rows(guildId: string): Promise<readonly HoursImport[]> {
    const rows = await this.#ports.store.rows({ guildId, kinds: ["import"], limit: 500 });
    return rows.map(importIn);
  }

  async #one(guildId: string, id: string): Promise<HoursImport | undefined> {
    const [row] = await this.#ports.store.rows({ guildId, kinds: ["import"], id });
    return row && importIn(row);
  }

  /** Seconds of what counts already. */
  async #imported(guildId: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#ports.store.rows({ guildId, kinds: ["correction"] });
    const imported = rows.map(correctionIn).filter(({ importId }) => importId !== undefined);
    return new Map(imported.map(({ atS, ...one }) => [totalKey({ ...one, asOfS: atS }), one.seconds]));
  }
}

/** One row of a key at most. */
function rowId(total: ImportedTotal): string {
  return `import ${totalKey(total)}`;
}
