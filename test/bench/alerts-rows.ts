import { parseGuildAlerts } from "../../src/alerts/alert-rules.ts";
import { createAlerts } from "../../src/alerts/create-alerts.ts";
import { parseServerState } from "../../src/alerts/server-state.ts";
import { systemRandom } from "../../src/clock.ts";
import { alertRenderer } from "../../src/discord/render/alert-cards.ts";
import { ALERT_KINDS } from "../../src/domain/alert-kinds.ts";
import { type Binding, DEFAULT_SETTINGS } from "../../src/domain/guild.ts";
import type { CommandEntry, KillEntry, ModCallEntry, Snapshot, SourceId } from "../../src/domain/model.ts";
import type { Documents } from "../../src/domain/ports/documents.ts";
import type { Sink } from "../../src/domain/ports/sink.ts";
import { readLogged } from "../../src/runs/catalogue/read-logged.ts";
import { linkedServer } from "../support/bindings.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { memoryJournal } from "../support/memory-journal.ts";
import { NOBODY_ON_DUTY } from "../support/nobody-on-duty.ts";
import { outboxOver } from "../support/outbox.ts";

/** The wing of alerts between answers of busy servers and a Discord that takes everything at once. */

const SERVERS = 20;
/** Rows that each log shows. */
const WINDOW = 100;
/** Of them, new in an answer: about half, since the schedule reads a log before it can have moved on. */
const NEW_ROWS = { kills: 50, commands: 50, calls: 10 } as const;
const ANSWER_EVERY_S = 180;
const PLAYERS = 50;
const START_S = 1_767_225_600;

export interface RowsMeasured {
  readonly rows: number;
  readonly usPerRow: number;
  readonly messages: number;
  readonly edits: number;
}

/** All kinds of alerts on each of `SERVERS`, and so many rows through them. The store keeps texts in memory. */
export async function sendRows(rows: number): Promise<RowsMeasured> {
  const clock = new VirtualClock(START_S * 1_000);
  const bindings = Array.from({ length: SERVERS }, (_, index) => bindingOf(index));
  const counts = { messages: 0, edits: 0 };
  const sink: Sink = {
    async send() {
      counts.messages += 1;
      return { messageId: String(counts.messages) };
    },
    async edit() {
      counts.edits += 1;
    },
    readBack: async () => [],
  };
  const outbox = outboxOver(sink, clock);
  const journal = memoryJournal({ clock });
  const wing = createAlerts({
    whoToPing: NOBODY_ON_DUTY.whoToPing,
    tracked: NOBODY_ON_DUTY.tracked,
    journal,
    rules: documents(parseGuildAlerts),
    states: documents(parseServerState),
    bindings: { list: async (guildId) => bindings.filter((binding) => binding.guildId === guildId) },
    snapshots: { latest: () => undefined },
    settings: { of: async () => DEFAULT_SETTINGS },
    accounts: { of: async () => undefined, ofPlayer: async () => undefined },
    audit: { recentRuns: async () => [], get: async () => undefined },
    demands: { put: () => undefined },
    posts: outbox.posts,
    notifier: { guild: async () => undefined },
    renderer: alertRenderer,
    clock,
    random: systemRandom,
    read: readLogged,
    callEndOf: () => undefined,
    callCardsOf: () => [],
    isOurs: () => true,
    report: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  let tookUs = 0;
  journal.follow({
    // What compares the rows is the journal's work, whoever follows it.
    async take(told) {
      await told.written;
      const before = cpuUs();
      await wing.follower.take(told);
      tookUs += cpuUs() - before;
    },
  });
  await wing.start();
  for (const { guildId, id } of bindings) {
    for (const kind of ALERT_KINDS) {
      await wing.alerts.add({ guildId, bindingId: id, kind, channelId: `c${guildId}`, createdBy: "u" });
    }
  }
  const towns = bindings.map(({ source }, index) => new BusyTown(source, index));
  for (const town of towns) await journal.take(town.answer(START_S));

  tookUs = 0;
  let sent = 0;
  for (let second = START_S + ANSWER_EVERY_S; sent < rows; second += ANSWER_EVERY_S) {
    for (const town of towns) sent += town.happen(second);
    const answers = towns.map((town) => town.answer(second));
    for (const answer of answers) await journal.take(answer);
    const before = cpuUs();
    // What is posted meanwhile is the alerts' work as well.
    await clock.advance(ANSWER_EVERY_S * 1_000);
    tookUs += cpuUs() - before;
  }
  await outbox.stop();
  return { rows: sent, usPerRow: tookUs / sent, ...counts };
}

/** What this process has computed, in microseconds: others on the machine do not count. */
function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function bindingOf(index: number): Binding {
  return linkedServer({
    id: `b${index}`,
    guildId: `g${index}`,
    source: `s${index}` as SourceId,
    name: `Town ${index}`,
  });
}

/** As texts, which is what a store is given. */
function documents<T>(parse: (value: unknown) => T): Documents<T> {
  const texts = new Map<string, string>();
  return {
    async get(key) {
      const text = texts.get(key);
      return text === undefined ? undefined : parse(JSON.parse(text));
    },
    async set(key, value) {
      texts.set(key, JSON.stringify(value));
    },
    async delete(key) {
      texts.delete(key);
    },
    async *entries() {
      for (const [key, text] of texts) yield [key, parse(JSON.parse(text))] as const;
    },
  };
}

/** A game server in which much happens. */
class BusyTown {
  readonly #random;
  readonly #source: SourceId;
  #kills: KillEntry[] = [];
  #commands: CommandEntry[] = [];
  #calls: ModCallEntry[] = [];

  constructor(source: SourceId, seed: number) {
    this.#source = source;
    this.#random = seededRandom(seed);
  }

  /** Answers how many rows it made, of the last seconds up to this one. */
  happen(nowS: number): number {
    const atS = () => nowS - this.#below(ANSWER_EVERY_S);
    const bySecond = <T extends { readonly atS: number }>(rows: T[]) => rows.sort((a, b) => a.atS - b.atS);
    const { kills, commands, calls } = NEW_ROWS;
    const verbs = ["kick", "pm", "h", "jail", "tp", "log"];
    this.#kills = this.#kills.concat(
      bySecond(
        Array.from({ length: kills }, () => {
          const killer = this.#player();
          return { kind: "kill" as const, atS: atS(), killer, killed: this.#player() };
        }),
      ),
    );
    this.#commands = this.#commands.concat(
      bySecond(
        Array.from({ length: commands }, () => {
          const text = `:${verbs[this.#below(verbs.length)]} Player${this.#below(PLAYERS)} reason`;
          return { kind: "command" as const, atS: atS(), player: this.#player(), text };
        }),
      ),
    );
    this.#calls = this.#calls.concat(
      bySecond(
        Array.from({ length: calls }, () => {
          const call = { kind: "modCall" as const, atS: atS(), caller: this.#player() };
          return this.#below(10) === 0 ? call : { ...call, moderator: this.#player() };
        }),
      ),
    );
    this.#kills = this.#kills.slice(-WINDOW);
    this.#commands = this.#commands.slice(-WINDOW);
    this.#calls = this.#calls.slice(-WINDOW);
    return kills + commands + calls;
  }

  answer(nowS: number): Snapshot {
    return {
      source: this.#source,
      askedAtMs: nowS * 1_000,
      takenAtMs: nowS * 1_000,
      serviceAtMs: nowS * 1_000,
      status: {
        name: "Town",
        ownerId: 1,
        coOwnerIds: [],
        currentPlayers: PLAYERS,
        maxPlayers: 60,
        joinKey: "k",
        accVerifiedReq: "Disabled",
        teamBalance: false,
      },
      lists: { killLogs: this.#kills, commandLogs: this.#commands, modCalls: this.#calls },
      skippedRows: {},
    };
  }

  #player() {
    const nth = this.#below(PLAYERS);
    return { name: `Player${nth}`, id: 1_000 + nth };
  }

  #below(count: number): number {
    return Math.floor(this.#random.next() * count);
  }
}
