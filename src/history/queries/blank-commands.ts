import { sql, type Transaction } from "kysely";
import { isMassWord } from "../../domain/command-hits.ts";
import type { CommandTable, HistoryTables } from "../database/schema.ts";
import { nameKey } from "../database/storable.ts";
import { afterVerb } from "../ingest/forgotten-since.ts";
import { blanked } from "../ingest/store-logs.ts";

/** Commands of others that are about somebody who is forgotten: they stay, without what follows the verb. */

type Db = Transaction<HistoryTables>;
type Command = Omit<CommandTable, "text">;

interface Forgotten {
  readonly id: number;
  /** As `ownNames` gives them. */
  readonly names: readonly string[];
  /** Absent: no row of theirs is left. */
  readonly person: number | undefined;
}

/** Blanks what was aimed at them, and what names them in full or by the id although they were not there. Answers how many. */
export async function blankCommands(
  db: Db,
  guild: number,
  { id, names, person }: Forgotten,
): Promise<number> {
  const aimed = person === undefined ? [] : await aimedAt(db, person);
  let count = 0;
  for (const command of aimed) count += await blank(db, command);
  for (const word of [String(id), ...names])
    for (const command of await othersNaming(db, guild, { word, person })) count += await blank(db, command);
  return count;
}

async function aimedAt(db: Db, person: number): Promise<readonly Command[]> {
  return await db
    .selectFrom("command_targets")
    .select(["scope", "at_s", "person", "hash", "n"])
    .where("target", "=", person)
    .where("person", "!=", person)
    .execute();
}

/** Without those that somebody else has or had: a command may mean the other one. Nor does "all" name a player. */
export async function ownNames(
  db: Db,
  guild: number,
  { names, person }: Pick<Forgotten, "names" | "person">,
): Promise<readonly string[]> {
  if (person === undefined || names.length === 0) return [];
  const shared = await db
    .selectFrom("names")
    .select("name_key")
    .where("guild", "=", guild)
    .where("name_key", "in", names.map(nameKey))
    .where("person", "!=", person)
    .execute();
  const others = new Set(shared.map(({ name_key }) => name_key));
  return names.filter((name) => !others.has(nameKey(name)) && !isMassWord(name));
}

/**
 * Whether a command names somebody by one of these words, whole. Its verb names nobody, and "all" means everybody: a
 * player with such a name would take what is kept of others along.
 */
export function naming(words: readonly string[]): (text: string) => boolean {
  const literals = words
    .filter((word) => word !== "" && !isMassWord(word))
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, (sign) => `\\${sign}`));
  if (literals.length === 0) return () => false;
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${literals.join("|")})(?![\\p{L}\\p{N}_])`, "iu");
  return (text) => whole.test(afterVerb(text));
}

/** Commands of others that hold this word. */
async function othersNaming(
  db: Db,
  guild: number,
  { word, person }: { readonly word: string; readonly person: number | undefined },
): Promise<readonly Command[]> {
  const isNamed = naming([word]);
  const pattern = `%${word.toLowerCase().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  const rows = await db
    .selectFrom("commands")
    .selectAll()
    .where("scope", "in", (eb) => eb.selectFrom("scopes").select("id").where("guild", "=", guild))
    .where(sql<boolean>`lower(text) like ${pattern} escape '\\'`)
    .execute();
  return rows.filter((row) => row.person !== person && isNamed(row.text));
}

/** Answers 0 where the row is gone. */
async function blank(db: Db, { scope, at_s, person, hash, n }: Command): Promise<number> {
  const key = { scope, at_s, person, hash, n };
  const row = db
    .selectFrom("commands")
    .select("text")
    .where((eb) => eb.and(key));
  const command = await row.executeTakeFirst();
  if (command === undefined) return 0;
  const text = blanked(command.text);
  await db
    .updateTable("commands")
    .set({ text })
    .where((eb) => eb.and(key))
    .execute();
  return 1;
}
