import { VISIT } from "../database/schema.ts";
import type { QueryContext } from "./context.ts";
import { eraseRanks, raiseVersion } from "./forget-player.ts";
import { insideFrom } from "./players-present.ts";

const DAY_S = 86_400;
/** What is kept of a server after it was unlinked, or of a guild that removed the bot. */
const KEPT_AFTER_END_MS = 30 * DAY_S * 1_000;
/** Rows of one table that one step erases: a step takes some milliseconds. */
const ROWS_A_STEP = 2_000;
/** Shifts, leave and lists of quotas outlive the rows that they were made of. */
const DUTY_KEPT_S = 365 * DAY_S;
const PERSONS_A_STEP = 500;

const DATED = [
  "visits",
  "kills",
  "commands",
  "command_targets",
  "mod_calls",
  "emergency_calls",
  "rosters",
  "counts",
] as const;

interface Now {
  /** By the service's clock; undefined: not known, and no row is too old then. */
  readonly nowS: number | undefined;
  /** By our own clock, in which ends are stored. */
  readonly nowMs: number;
}

export interface StepDone {
  /** The server that this step was about: the number to go on after. */
  readonly scope: number;
  /** False: there is more to erase of it. */
  readonly isDone: boolean;
}

/** Erases some of what is too old of the next server; undefined: that was the last. */
export async function eraseStep(
  { db, writing }: QueryContext,
  { afterScope, nowS, nowMs }: Now & { readonly afterScope: number },
): Promise<StepDone | undefined> {
  const scope = await db
    .selectFrom("scopes")
    .innerJoin("guilds", "guilds.id", "scopes.guild")
    .select(["scopes.id", "scopes.guild", "ended_ms", "start_s", "looked_s"])
    .select(["retention_days", "positions_days"])
    .where("scopes.id", ">", afterScope)
    .orderBy("scopes.id")
    .limit(1)
    .executeTakeFirst();
  if (scope === undefined) return undefined;
  const isOver = scope.ended_ms !== null && scope.ended_ms < nowMs - KEPT_AFTER_END_MS;
  const beforeS = isOver ? Number.MAX_SAFE_INTEGER : tooOldS(nowS, scope.retention_days);
  if (beforeS === undefined) return { scope: scope.id, isDone: true };

  return writing.take("all", async () => {
    let isDone = true;
    if (!isOver && scope.retention_days > 0 && beforeS > (scope.start_s ?? 0)) {
      await keepInside({ db }, { id: scope.id, lookedS: scope.looked_s ?? undefined }, beforeS);
    }
    for (const table of DATED) {
      isDone = (await eraseSome({ db }, table, scope.id, beforeS)) && isDone;
    }
    const positionsBeforeS = Math.max(beforeS, tooOldS(nowS, scope.positions_days) ?? beforeS);
    isDone = (await eraseSome({ db }, "positions", scope.id, positionsBeforeS)) && isDone;
    if (isDone) {
      await db.deleteFrom("gaps").where("scope", "=", scope.id).where("to_s", "<", beforeS).execute();
    }
    if (isDone && isOver) {
      await db.deleteFrom("ranks").where("scope", "=", scope.id).execute();
      await db.deleteFrom("scopes").where("id", "=", scope.id).execute();
      await raiseVersion(db, scope.guild);
    } else if (!isOver && beforeS > (scope.start_s ?? 0)) {
      await db.updateTable("scopes").set({ start_s: beforeS }).where("id", "=", scope.id).execute();
    }
    return { scope: scope.id, isDone };
  });
}

/** Of whom is there when the kept time begins the join goes: their visit is kept from there on. */
async function keepInside(
  { db }: Pick<QueryContext, "db">,
  scope: Parameters<typeof insideFrom>[1],
  beforeS: number,
): Promise<void> {
  const persons = await insideFrom(db, scope, beforeS);
  if (persons.length === 0) return;
  const row = { scope: scope.id, at_s: beforeS, kind: VISIT.appeared, n: 0, after_s: null };
  await db
    .insertInto("visits")
    .values(persons.map((person) => ({ ...row, person })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The second before which rows are too old; undefined: the present is not known. */
function tooOldS(nowS: number | undefined, days: number): number | undefined {
  return nowS === undefined ? undefined : nowS - days * DAY_S;
}

/** Up to `ROWS_A_STEP` rows, whole seconds of them, oldest first. True: nothing is left. */
async function eraseSome(
  { db }: Pick<QueryContext, "db">,
  table: (typeof DATED)[number] | "positions",
  scope: number,
  beforeS: number,
): Promise<boolean> {
  const last = await db
    .selectFrom(table)
    .select("at_s")
    .where("scope", "=", scope)
    .where("at_s", "<", beforeS)
    .orderBy("at_s")
    .offset(ROWS_A_STEP)
    .limit(1)
    .executeTakeFirst();
  await db
    .deleteFrom(table)
    .where("scope", "=", scope)
    .where("at_s", "<", beforeS)
    .where("at_s", "<=", last?.at_s ?? beforeS)
    .execute();
  return last === undefined;
}

/**
 * Erases some people of whom no row is left, and marks of people forgotten too long ago to matter. To be called when no
 * server has rows to erase. True: nothing is left to do.
 */
export async function erasePersons(
  { db, writing }: QueryContext,
  { nowS }: Pick<Now, "nowS">,
): Promise<boolean> {
  return writing.take("all", async () => {
    let isDone = true;
    if (nowS !== undefined) {
      const kinds = [
        "mark",
        "link",
        "state",
        "shift",
        "post",
        "leave",
        "correction",
        "result",
        "import",
        "still",
      ];
      const tooOld = nowS - DUTY_KEPT_S;
      await db.deleteFrom("duty").where("kind", "in", kinds).where("until_s", "<", tooOld).execute();
    }
    for (const { id, retention_days: days } of await db.selectFrom("guilds").selectAll().execute()) {
      const scope = await db.selectFrom("scopes").select("id").where("guild", "=", id).executeTakeFirst();
      // A guild of which no server is left keeps nobody.
      const keepsNobody = scope === undefined || days === 0;
      const beforeS = keepsNobody ? Number.MAX_SAFE_INTEGER : tooOldS(nowS, days);
      if (beforeS === undefined) continue;
      await db.deleteFrom("barriers").where("guild", "=", id).where("until_s", "<", beforeS).execute();
      const gone = await db
        .selectFrom("persons")
        .select("id")
        .where("guild", "=", id)
        .where("last_s", "<", beforeS)
        .limit(PERSONS_A_STEP)
        .execute();
      if (gone.length === 0) continue;
      const numbers = gone.map((person) => person.id);
      await db.deleteFrom("names").where("person", "in", numbers).execute();
      await eraseRanks(db, id, numbers);
      await db.deleteFrom("persons").where("id", "in", numbers).execute();
      await raiseVersion(db, id);
      isDone &&= gone.length < PERSONS_A_STEP;
    }
    return isDone;
  });
}
