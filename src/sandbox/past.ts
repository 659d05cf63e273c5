import { DatabaseSync } from "node:sqlite";
import { Prng } from "./service/prng.ts";

/**
 * Gives the bot's history a past, so that figures of weeks can be looked at without waiting for weeks. It is written
 * into the bot's own database, whose tables the bot makes: the one place where the sandbox knows its inside.
 */

const DAY_S = 86_400;
const QUARTER_S = 900;
const DAYS = 21;
const LEFT = 0;
const JOINED = 1;
const STAY_S = 2_400;

/** Who was there in the past was seen then for the first time. */
const FIRST_SEEN =
  "update persons set first_s = min(first_s, coalesce((select min(at_s) from visits where person = persons.id), first_s))";

export interface PastOptions {
  /** The file of the bot's history. */
  readonly file: string;
  readonly nowS: number;
  readonly seed: number;
  /** @default all communities */
  readonly guildIds?: readonly string[];
}

interface Statements {
  readonly count: (...values: number[]) => void;
  readonly visit: (...values: number[]) => void;
  readonly kill: (...values: number[]) => void;
  readonly call: (...values: number[]) => void;
}

/** Three weeks of evenings, with staff until eleven and a hole of some hours. Answers how many servers got one. */
export function writePast({ file, nowS, seed, guildIds }: PastOptions): number {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    const scopes = database
      .prepare("select s.id, s.guild, g.guild_id from scopes s join guilds g on g.id = s.guild")
      .all()
      .filter(({ guild_id: id }) => guildIds?.includes(String(id)) ?? true);
    // Who has no id is not in the game: commands from outside are Remote Server's.
    const people = database.prepare(
      "select id from persons where guild = ? and player_id <> 0 order by id limit 40",
    );
    database.exec("begin immediate");
    for (const { id, guild } of scopes) {
      const persons = people.all(guild ?? 0).map((row) => Number(row.id));
      database.prepare("update scopes set start_s = ? where id = ?").run(nowS - DAYS * DAY_S, id ?? 0);
      const random = new Prng(seed + Number(id));
      if (persons.length > 0) fill(statements(database, Number(id)), { nowS, persons, random });
    }
    database.exec(FIRST_SEEN);
    database.exec("commit");
    return scopes.length;
  } finally {
    database.close();
  }
}

function statements(database: DatabaseSync, scope: number): Statements {
  const insert = (table: string, columns: string, places: number) => {
    const marks = Array.from({ length: places + 1 }, () => "?").join(", ");
    const statement = database.prepare(
      `insert or ignore into ${table} (scope, ${columns}) values (${marks})`,
    );
    return (...values: number[]) => void statement.run(scope, ...values);
  };
  return {
    count: insert("counts", "at_s, players, staff, queue", 4),
    visit: insert("visits", "at_s, person, kind, n", 4),
    kill: insert("kills", "at_s, killer, killed, n", 4),
    call: insert("mod_calls", "at_s, caller, n, moderator, answered_s, open_s", 6),
  };
}

interface Filled {
  readonly nowS: number;
  readonly persons: readonly number[];
  readonly random: Prng;
}

function fill(to: Statements, { nowS, persons, random }: Filled): void {
  const someone = () => random.pick(persons);
  const lastS = Math.floor(nowS / QUARTER_S) * QUARTER_S - QUARTER_S;
  for (let atS = lastS - DAYS * DAY_S; atS < lastS; atS += QUARTER_S) {
    const hour = (atS % DAY_S) / 3_600;
    const day = Math.floor(atS / DAY_S);
    // One night nobody recorded anything.
    if (day % 10 === 3 && hour < 6) continue;
    const isWeekend = [2, 3].includes(day % 7);
    const evening = Math.max(0, Math.sin(((hour - 11) / 24) * 2 * Math.PI));
    const players = Math.round((isWeekend ? 26 : 17) * evening + random.next() * 3 * (hour > 8 ? 1 : 0));
    const staff =
      players === 0 || hour >= 22.5 ? 0 : Math.min(4, Math.round(players / 7 + random.next() * 0.6));
    to.count(atS, players, staff, 0);
    for (let n = 0; n < players / 8; n += 1) {
      const who = someone();
      to.visit(atS + n * 60, who, JOINED, 0);
      // A row of the future would make each answer older than what is known, and the bot believe none of them.
      to.visit(Math.min(atS + n * 60 + STAY_S, lastS + QUARTER_S), who, LEFT, 0);
    }
    for (let n = 0; n < players / 6; n += 1) to.kill(atS + n * 97, someone(), someone(), 0);
    if (players > 4 && random.chance(0.2)) {
      const calledS = atS + random.int(0, 600);
      const soonS = random.int(20, 220);
      if (staff > 0) to.call(calledS, someone(), 0, persons[0] ?? 0, calledS + soonS, calledS + soonS - 5);
    }
  }
}
