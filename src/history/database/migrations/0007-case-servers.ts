import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

const ROWS_AT_ONCE = 1_000;

/** As far as this change reads them. */
interface Tables {
  readonly cases: {
    readonly guild_id: string;
    readonly number: number;
    readonly body: string;
    readonly binding_id: string | null;
  };
}

interface Place {
  readonly guildId: string;
  readonly number: number;
}

/** The server of a case in a column of its own: it was looked for in the text of the whole case. */
export function caseServers(): Migration {
  return {
    async up(db: Kysely<Tables>) {
      await db.schema.alterTable("cases").addColumn("binding_id", "text").execute();
      let filled: Place | undefined = { guildId: "", number: 0 };
      while (filled !== undefined) filled = await fillAfter(db, filled);
      await db.schema
        .createIndex("cases_by_server")
        .on("cases")
        .columns(["guild_id", "binding_id", "number"])
        .execute();
    },
  };
}

/** Read here and not by the database: PostgreSQL refuses texts of people that JSON takes. */
async function fillAfter(db: Kysely<Tables>, { guildId, number }: Place): Promise<Place | undefined> {
  const rows = await db
    .selectFrom("cases")
    .select(["guild_id", "number", "body"])
    .where(({ eb, or, and }) =>
      or([eb("guild_id", ">", guildId), and([eb("guild_id", "=", guildId), eb("number", ">", number)])]),
    )
    .orderBy("guild_id")
    .orderBy("number")
    .limit(ROWS_AT_ONCE)
    .execute();
  const servers = Map.groupBy(rows, ({ guild_id, body }) => JSON.stringify([guild_id, bindingIn(body)]));
  for (const [key, cases] of servers) {
    const [guild, binding] = JSON.parse(key) as [string, string | null];
    if (binding === null) continue;
    await db
      .updateTable("cases")
      .set({ binding_id: binding })
      .where("guild_id", "=", guild)
      .where(
        "number",
        "in",
        cases.map((one) => one.number),
      )
      .execute();
  }
  const last = rows.at(-1);
  return last === undefined || rows.length < ROWS_AT_ONCE
    ? undefined
    : { guildId: last.guild_id, number: last.number };
}

function bindingIn(body: string): string | null {
  const { bindingId } = JSON.parse(body) as { readonly bindingId?: unknown };
  return typeof bindingId === "string" ? bindingId : null;
}
