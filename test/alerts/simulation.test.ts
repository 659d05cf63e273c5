import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { JOIN_WITHIN_S } from "../../src/domain/answered-calls.ts";
import type { PlayerRef, Snapshot } from "../../src/domain/model.ts";
import type { Random } from "../../src/domain/ports/clock.ts";
import type { RunRecord } from "../../src/domain/run.ts";
import { seededRandom } from "../support/clock.ts";
import { runRecord } from "../support/run-record.ts";
import { AlertsWorld, binding, CHANNEL } from "./alerts-world.ts";

/** Rows that each log shows at most. */
const WINDOW = 60;
const LIMIT = { count: 4, withinS: 40 } as const;
const CALL_WAITS_S = 120;
const STAFF: readonly PlayerRef[] = [
  { name: "Staff0", id: 50 },
  { name: "Staff1", id: 51 },
];

/** One thing that an alert has to tell: by whom, at which rows. */
interface Due {
  readonly who: string;
  readonly rows: readonly number[];
}

/** The sprees of one subject by their definition, from everything that happened. */
function duesOf(who: string, seconds: readonly number[]): Due[] {
  const { count, withinS } = LIMIT;
  const chains: number[][] = [];
  for (const atS of seconds.toSorted((a, b) => a - b)) {
    const last = chains.at(-1)?.at(-1);
    if (last !== undefined && atS - last <= withinS) chains.at(-1)?.push(atS);
    else chains.push([atS]);
  }
  return chains.flatMap((chain) => {
    const full = chain.findIndex((atS, index) => (chain[index + count - 1] ?? Infinity) - atS <= withinS);
    return full === -1 ? [] : [{ who, rows: chain.slice(full) }];
  });
}

/** What one message of the channel tells, line by line. */
function toldIn(
  texts: readonly string[],
  verb: "killed" | "ran",
): { who: string; count: number; firstS: number }[] {
  const line = new RegExp(
    `\\*\\*(\\w+)\\*\\*\\]\\([^)]*\\)(?: \\(<@\\w+>\\))? ${verb} \\*\\*(\\d+)\\*\\* · <t:(\\d+):T>`,
    "g",
  );
  return texts.flatMap((text) =>
    [...text.matchAll(line)].map(([, who = "", count, firstS]) => ({
      who,
      count: Number(count),
      firstS: Number(firstS),
    })),
  );
}

/** An evening with sprees in it, and everything that can go wrong with its process, its store and its Discord. */
class Evening {
  readonly world = new AlertsWorld();
  readonly #random: Random;
  readonly #victims = Array.from({ length: 4 }, (_, nth) => ({ name: `Victim${nth}`, id: 900 + nth }));
  /** Who is on a spree, until when. */
  readonly #raging = new Map<PlayerRef, number>();
  readonly #stale: Snapshot[] = [];
  readonly runs: RunRecord[] = [];
  deaths = 0;
  powerCuts = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    const { world } = this;
    world.journalOwner = seed % 2 === 0 ? "guild" : "server";
    world.accounts = [{ userId: "u50", player: { name: "Staff0", id: 50 }, linkedAtMs: 0 }];
    world.sink.nonceMemoryMs = this.#chance(0.5) ? 180_000 : 3_000;
    world.sink.fault = (call) => {
      if (!this.#chance(0.08)) return undefined;
      return call === "send" ? (this.#chance(0.5) ? "lost" : "unknown") : "unknown";
    };
  }

  async play(seconds: number): Promise<void> {
    const { world } = this;
    await world.start();
    await world.add({ kind: "kills", ...LIMIT });
    await world.add({ kind: "punishments", ...LIMIT, channelId: "punished" });
    await world.add({ kind: "calls", withinS: CALL_WAITS_S, channelId: "calls" });
    await this.#look();
    world.dies = () => this.#chance(0.03);
    const { states, journal } = world.texts;
    const disk = [states, journal.heads, journal.rows];
    const stored = () => disk.map((texts) => new Map(texts));
    let setBack = stored();
    for (let second = 0; second < seconds; second += 1) {
      await world.clock.advance(1_000);
      this.#happen();
      if (this.#chance(0.05)) setBack = stored();
      if (this.#chance(0.25)) await this.#look();
      if (world.process.isDead || this.#chance(0.004)) {
        this.deaths += 1;
        // A power cut takes the last writes; what was stored durably stays.
        if (this.#chance(0.3)) {
          this.powerCuts += 1;
          for (const [nth, texts] of disk.entries()) {
            texts.clear();
            for (const [key, text] of setBack[nth] ?? []) texts.set(key, text);
          }
        }
        await world.clock.advance(this.#chance(0.1) ? 300_000 : 4_000);
        await this.#start();
      }
    }
    world.dies = () => false;
    world.sink.fault = () => undefined;
    await this.#start();
    for (let look = 0; look < 10; look += 1) {
      await this.#look();
      await world.clock.advance(90_000);
    }
  }

  async #start(): Promise<void> {
    for (let tries = 0; tries < 50; tries += 1) {
      const started = this.world.restart();
      started.catch(() => undefined);
      let isUp = false;
      void started.then(() => {
        isUp = true;
      });
      await this.world.clock.advance(1_000);
      if (isUp && !this.world.process.isDead) return;
    }
    assert.fail("the process did not start");
  }

  #happen(): void {
    const { world } = this;
    const atS = world.nowS;
    const players = Array.from({ length: 7 }, (_, nth) => ({ name: `Player${nth}`, id: 100 + nth }));
    if (this.#chance(0.02)) this.#raging.set(this.#one(players), atS + 5 + this.#below(40));
    for (const killer of players) {
      const rages = (this.#raging.get(killer) ?? 0) > atS;
      if (this.#chance(rages ? 0.35 : 0.004)) {
        const row = { kind: "kill", atS, killer, killed: this.#one(this.#victims) } as const;
        world.kills.push(row);
        // The same thing twice in one second.
        if (this.#chance(0.1)) world.kills.push({ ...row });
      }
    }
    if (this.#chance(0.03)) {
      const staff = this.#one(STAFF);
      for (let nth = this.#below(7); nth > 0; nth -= 1) world.type(staff, `:kick Player${nth}`, atS);
    }
    if (this.#chance(0.01)) world.type(this.#one(STAFF), ":pm all hello", atS);
    if (this.#chance(0.02)) this.#run(atS);
    if (this.#chance(0.01)) world.calls.push({ kind: "modCall", atS, caller: this.#one(players) });
    const open = world.calls.findIndex(({ moderator }) => moderator === undefined);
    const call = world.calls[open];
    if (call !== undefined && this.#chance(0.01))
      world.calls[open] = { ...call, moderator: STAFF[0] ?? call.caller };
  }

  /** A member punishes somebody through the bot: the audit knows of it before anything else. */
  #run(atS: number): void {
    const id = `run${this.runs.length}`;
    const record = runRecord({
      id,
      source: binding.source,
      actorId: "u50",
      actorName: "Staff0",
      text: ":jail x",
      askedAtMs: atS * 1_000,
      sentAtMs: atS * 1_000,
    });
    this.runs.push(record);
    this.world.runs.set(id, record);
    this.world.type({ name: "Remote Server" }, ":jail x", atS);
    if (!this.world.process.isDead) this.world.wing.onRun(record);
  }

  /** An answer, or an old one that is served again, in an order that nobody promised. */
  async #look(): Promise<void> {
    const { world } = this;
    const lists = world.lists();
    const shown = world.snapshot({
      ...lists,
      killLogs: this.#window(lists.killLogs),
      commandLogs: this.#window(lists.commandLogs),
      modCalls: this.#window(lists.modCalls),
    });
    this.#stale.push(shown);
    const old = this.#stale.at(-2);
    const isOld = old !== undefined && this.#chance(0.15);
    const taken = world.look(
      isOld ? { ...old, takenAtMs: shown.takenAtMs, serviceAtMs: shown.serviceAtMs } : shown,
    );
    taken.catch(() => undefined);
    await world.clock.advance(500);
  }

  #window<T>(rows: readonly T[] = []): readonly T[] {
    const window = rows.slice(-WINDOW);
    return this.#chance(0.5) ? window : window.toReversed();
  }

  #one<T>(some: readonly T[]): T {
    const one = some[this.#below(some.length)];
    if (one === undefined) throw new Error("nothing to choose from");
    return one;
  }

  #below(count: number): number {
    return Math.floor(this.#random.next() * count);
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }
}

/** Each due matter is told once, with all of its rows; nothing else is told. */
function compare(told: ReturnType<typeof toldIn>, dues: readonly Due[]): void {
  const asText = (one: { who: string; firstS: number; count: number }) =>
    `${one.who} ${one.firstS} ${one.count}`;
  const due = dues.map(({ who, rows }) => ({ who, firstS: rows[0] ?? 0, count: rows.length }));
  assert.deepEqual(told.map(asText).sort(), due.map(asText).sort());
}

describe("alerts against the town's own record, over kills, power cuts, old answers and a Discord that fails", () => {
  let told = 0;
  for (let seed = 1; seed <= 8; seed += 1) {
    test(`evening ${seed}: none is missing, none is told twice, each with all of its rows`, async () => {
      const evening = new Evening(seed);
      const { world } = evening;
      await evening.play(1_500);

      const killers = Map.groupBy(world.kills, ({ killer }) => killer.name);
      const kills = toldIn(world.shown(CHANNEL), "killed");
      compare(
        kills,
        [...killers].flatMap(([who, rows]) =>
          duesOf(
            who,
            rows.map(({ atS }) => atS),
          ),
        ),
      );

      const punishing = world.commands.filter(({ text }) => text.startsWith(":kick"));
      const seconds = (name: string) =>
        punishing.filter(({ player }) => player.name === name).map(({ atS }) => atS);
      const ran = evening.runs.map(({ sentAtMs }) => Math.floor((sentAtMs ?? 0) / 1_000));
      const punished = toldIn(world.shown("punished").map(nameMembers), "ran");
      compare(punished, [
        ...duesOf("Staff0", [...seconds("Staff0"), ...ran]),
        ...duesOf("Staff1", seconds("Staff1")),
      ]);

      const calls = world
        .shown("calls")
        .flatMap((text) => [
          ...text.matchAll(/\*\*(\w+)\*\*\]\([^)]*\) called <t:(\d+):T> \(<t:\d+:R>\)(?:, (\d+) times)?/g),
        ])
        .map(([, who, firstS, times = "1"]) => ({ who, firstS: Number(firstS), times: Number(times) }));
      const matters = calls.map(({ who, firstS }) => `${who} ${firstS}`);
      assert.equal(new Set(matters).size, matters.length, "no matter is told twice");
      for (const [who, told] of Map.groupBy(calls, (line) => line.who)) {
        const made = world.calls.filter(({ caller }) => caller.name === who);
        const times = told.reduce((sum, line) => sum + line.times, 0);
        assert.ok(times <= new Set(made.map(({ atS }) => atS)).size, `no call of ${who} is told twice`);
      }
      const waiting = world.calls.filter(({ moderator }) => moderator === undefined);
      for (const { caller, atS } of waiting) {
        const isTold = calls.some(({ who, firstS, times }) => {
          const lastS = firstS + (times === 1 ? 0 : JOIN_WITHIN_S);
          return who === caller.name && firstS <= atS && atS <= lastS;
        });
        assert.ok(isTold, caller.name);
      }
      assert.ok(evening.deaths > 3, `${evening.deaths} deaths`);
      told += kills.length + punished.length + calls.reduce((sum, { times }) => sum + times, 0);
    });
  }

  test("of which there were many", () => assert.ok(told > 100, String(told)));
});

/** A member whose account is linked reads by either name, as the row that began it had it. */
function nameMembers(text: string): string {
  return text.replaceAll("<@u50> ran", "[**Staff0**]() ran");
}
