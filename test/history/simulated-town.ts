import type { PlayerRef } from "../../src/domain/model.ts";
import type { Random } from "../../src/domain/ports/clock.ts";
import type { Town } from "./rig.ts";

/** A row of the town's own record, and how it is told from others. */
export interface TownRow {
  readonly log: "joins" | "kills" | "commands" | "modCalls";
  readonly atS: number;
  readonly people: readonly Required<PlayerRef>[];
  readonly text?: string;
  readonly joined?: boolean;
  moderator?: Required<PlayerRef>;
}

/** Rows that each log shows at most. */
const WINDOW = 25;

/** A game server that keeps a record of all that happened, and shows the end of it. */
export class SimulatedTown {
  readonly rows: TownRow[] = [];
  readonly people: readonly Required<PlayerRef>[];
  readonly #inside = new Set<Required<PlayerRef>>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
    this.people = Array.from({ length: 12 }, (_, n) => ({ name: `Player${n}`, id: 100 + n }));
  }

  /** What happens in one second: often nothing, sometimes the same thing twice. */
  second(atS: number): void {
    const { people } = this;
    const one = () => people[this.#below(people.length)] ?? people[0];
    const kinds = this.#random.next();
    const who = one();
    const other = one();
    if (who === undefined || other === undefined || kinds > 0.6) return;
    const times = this.#random.next() < 0.15 ? 2 : 1;
    for (let n = 0; n < times; n += 1) {
      if (kinds < 0.2) this.rows.push({ log: "kills", atS, people: [who, other] });
      else if (kinds < 0.35)
        this.rows.push({ log: "commands", atS, people: [who], text: `:log ${other.name}` });
      else if (kinds < 0.42) this.rows.push({ log: "modCalls", atS, people: [who] });
    }
    if (kinds >= 0.42 && kinds < 0.55) {
      const joined = !this.#inside.has(who);
      if (joined) this.#inside.add(who);
      else this.#inside.delete(who);
      this.rows.push({ log: "joins", atS, people: [who], joined });
    }
    if (kinds >= 0.55) {
      const open = this.rows.filter((row) => row.log === "modCalls" && row.moderator === undefined).slice(-3);
      const call = open[this.#below(open.length)];
      if (call !== undefined) call.moderator = who;
    }
  }

  /** The end of each log, in an order that nobody promised. */
  shown(): { readonly town: Town; readonly rows: readonly TownRow[] } {
    const of = (log: TownRow["log"]) => {
      const rows = this.rows.filter((row) => row.log === log).slice(-WINDOW);
      return this.#random.next() < 0.5 ? rows : rows.toReversed();
    };
    const logs = {
      joins: of("joins"),
      kills: of("kills"),
      commands: of("commands"),
      modCalls: of("modCalls"),
    };
    const first = ({ people: [who] }: TownRow) => who ?? { name: "", id: 0 };
    const town: Town = {
      joins: logs.joins.map((row) => [first(row), row.atS, row.joined === true]),
      kills: logs.kills.map((row) => [first(row), row.people[1] ?? first(row), row.atS]),
      commands: logs.commands.map((row) => [first(row), row.text ?? "", row.atS]),
      modCalls: logs.modCalls.map((row) =>
        row.moderator === undefined ? [first(row), row.atS] : [first(row), row.atS, row.moderator],
      ),
      players: [...this.#inside],
    };
    const rows = Object.values(logs).flat();
    return { town, rows: rows.map((row) => ({ ...row })) };
  }

  #below(count: number): number {
    return Math.floor(this.#random.next() * count);
  }
}
