import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StateList } from "../../src/domain/changes.ts";
import type { Lists, Snapshot } from "../../src/domain/model.ts";
import type { JournalWing } from "../../src/journal/create-journal.ts";
import { VirtualClock } from "../support/clock.ts";
import { journalTexts, MemoryJournalStore, memoryJournal } from "../support/memory-journal.ts";
import { snapshotWith } from "./compare/log-model.ts";

const LOOK_MS = 10_000;
const { source } = snapshotWith("commandLogs", []);

/** A server without logs, looked at every ten seconds, and what the journal of one of its states says. */
class Rig {
  readonly clock = new VirtualClock();
  readonly texts = journalTexts();
  readonly #list: StateList;
  journal!: JournalWing;
  store!: MemoryJournalStore;

  constructor(list: StateList) {
    this.#list = list;
  }

  async start(fromSeq?: number): Promise<void> {
    this.store = new MemoryJournalStore(this.texts);
    this.journal = memoryJournal({ clock: this.clock, store: this.store });
    if (fromSeq === undefined) await this.journal.attachAtHead("feed", source, this.#list);
    else await this.journal.attach("feed", { source, list: this.#list }, fromSeq);
  }

  async look(
    lists: Partial<Lists>,
    afterMs = LOOK_MS,
    odd: Pick<Partial<Snapshot>, "skippedRows" | "setAsideRows"> = {},
  ): Promise<void> {
    await this.clock.advance(afterMs);
    const nowMs = this.clock.nowMs();
    const look = snapshotWith("commandLogs", []);
    const seen: Snapshot = { ...look, lists, askedAtMs: nowMs, takenAtMs: nowMs, serviceAtMs: nowMs };
    await this.journal.take({ ...seen, ...odd, status: { ...look.status, currentPlayers: 5 } });
  }

  async said(): Promise<readonly string[]> {
    const items = await this.journal.read({ source, list: this.#list }, 1, 1_000);
    return items.map((item) => {
      if (item.kind === "gap") return `gap of ${item.toS - (item.fromS ?? 0)} s`;
      if (item.kind === "call") return `call ${item.entry.call.callNumber} ${item.entry.step}`;
      if (item.kind !== "change") return item.kind;
      const { player, what, values, atS, fromS } = item.entry;
      return [player.name, what, ...values, `within ${atS - fromS} s`].join(" ");
    });
  }
}

const player = (name: string, team = "Civilian") => ({
  player: { name, id: name.length },
  team,
  permission: "Normal",
  wantedStars: 0,
});

describe("what two looks differ in", () => {
  test("is told once: a team of a player, from which to which", async () => {
    const rig = new Rig("teams");
    await rig.start();
    await rig.look({ players: [player("Ann")] });
    assert.deepEqual(await rig.said(), [], "what was there before is of the past");
    const now = player("Ann", "Police");
    await rig.look({ players: [now, player("Robert")] });
    await rig.look({ players: [now, player("Robert")] });
    assert.deepEqual(await rig.said(), ["Ann team Civilian Police within 10 s"]);
  });

  test("is no team that an answer does not tell", async () => {
    const rig = new Rig("teams");
    await rig.start();
    for (const team of ["Police", "", "Police", "", "Sheriff"])
      await rig.look({ players: [player("Ann", team)] });
    assert.deepEqual(await rig.said(), ["Ann team Police Sheriff within 10 s"]);
  });

  test("is compared with what was stored after a restart, also where nobody looked meanwhile", async () => {
    const rig = new Rig("teams");
    await rig.start();
    await rig.look({ players: [player("Ann"), player("Cleo")] });
    await rig.start(1);
    await rig.look({ players: [player("Ann", "Police"), player("Cleo")] }, 600_000);
    assert.deepEqual(await rig.said(), ["Ann team Civilian Police within 600 s"]);
  });

  test("is a vehicle that came or went, equal ones by their number; who joined the queue", async () => {
    const rig = new Rig("vehicles");
    const car = { name: "Falcon", owner: "Ann", plate: "A1" };
    await rig.start();
    await rig.look({ vehicles: [car] });
    await rig.look({ vehicles: [car, car] });
    for (let look = 0; look < 2; look += 1) await rig.look({ vehicles: [car] });
    const told = ["Ann spawned Falcon (A1) within 10 s", "Ann despawned Falcon (A1) within 20 s"];
    assert.deepEqual(await rig.said(), told);
    const queue = new Rig("queue");
    await queue.start();
    await queue.look({ queue: [1] });
    await queue.look({ queue: [1, 77] });
    assert.deepEqual(await queue.said(), ["77 queued within 10 s"]);
  });

  test("is all told, also ten thousand things at once; a second feed reads the same from where it began", async () => {
    const rig = new Rig("vehicles");
    await rig.start();
    await rig.look({ vehicles: [] });
    const cars = Array.from({ length: 10_000 }, (_, nth) => ({ name: `Car${nth}`, owner: "Ann" }));
    await rig.look({ vehicles: cars });
    const fromSeq = await rig.journal.attachAtHead("late", source, "vehicles");
    await rig.look({ vehicles: [...cars, { name: "Last", owner: "Ann" }] });
    assert.equal(rig.journal.head(source, "vehicles"), 10_002);
    const late = await rig.journal.read({ source, list: "vehicles" }, fromSeq, 10);
    assert.deepEqual(
      late.map((item) => item.kind === "change" && item.entry.values),
      [["Last"]],
    );
    await rig.start(1);
    const first = await rig.journal.read({ source, list: "vehicles" }, 1, 20_000);
    assert.equal(first.length, 10_001);
  });

  test("that the store did not take comes with the next look, also where that shows it no more", async () => {
    const rig = new Rig("emergencyCalls");
    await rig.start();
    await rig.look({ emergencyCalls: [] });
    rig.store.heads.refuseWrites = new Error("the disk is full");
    const call = { team: "Police", unitIds: [], startedAtS: 1, callNumber: 4 };
    await assert.rejects(rig.look({ emergencyCalls: [call] }));
    for (let look = 0; look < 3; look += 1) await rig.look({ emergencyCalls: [] }).catch(() => undefined);
    rig.store.heads.refuseWrites = undefined;
    await rig.look({ emergencyCalls: [] });
    assert.deepEqual(await rig.said(), ["call 4 began", "call 4 ended"]);
  });

  test("is kept up to 500 things while the store takes none, and a gap stands for those before", async () => {
    const rig = new Rig("vehicles");
    await rig.start();
    await rig.look({ vehicles: [] });
    rig.store.heads.refuseWrites = new Error("the disk is full");
    for (let look = 1; look <= 3; look += 1) {
      const vehicles = Array.from({ length: 300 * look }, (_, nth) => ({ name: `Car${nth}`, owner: "Ann" }));
      await assert.rejects(rig.look({ vehicles }));
    }
    rig.store.heads.refuseWrites = undefined;
    const vehicles = Array.from({ length: 900 }, (_, nth) => ({ name: `Car${nth}`, owner: "Ann" }));
    await rig.look({ vehicles });
    const items = await rig.journal.read({ source, list: "vehicles" }, 1, 1_000);
    assert.deepEqual([items.length, items[0]?.kind], [501, "gap"]);
  });

  test("is told to be incomplete after a pause: what came and went in it was seen by nobody", async () => {
    for (const [list, shown] of [
      ["teams", { players: [player("Ann")] }],
      ["vehicles", { vehicles: [] }],
      ["queue", { queue: [] }],
    ] as const) {
      const rig = new Rig(list);
      await rig.start();
      for (const afterMs of [LOOK_MS, LOOK_MS, LOOK_MS, 300_000, LOOK_MS]) await rig.look(shown, afterMs);
      assert.deepEqual(await rig.said(), ["gap of 300 s"], list);
      await rig.start(1);
      await rig.look(shown);
      assert.deepEqual(await rig.said(), ["gap of 300 s"], "a start is no pause");
      await rig.start(1);
      await rig.look(shown, 1_200_000);
      assert.equal((await rig.said()).length, 2, "a long time without a process is one");
    }
  });

  test("is not told to be incomplete where the server is looked at that rarely", async () => {
    const rig = new Rig("vehicles");
    await rig.start();
    for (let looks = 0; looks < 9; looks++) await rig.look({ vehicles: [] }, 200_000);
    assert.deepEqual(await rig.said(), ["gap of 200 s"], "the first of them might have been a pause");
    await rig.look({ vehicles: [] }, 3_600_000);
    assert.deepEqual(await rig.said(), ["gap of 200 s", "gap of 3600 s"]);
  });

  test("costs no write where nothing differs", async () => {
    const rig = new Rig("teams");
    await rig.start();
    await rig.look({ players: [player("Ann")] });
    const before = JSON.stringify(rig.texts.heads.values().toArray());
    for (let look = 0; look < 5; look += 1) await rig.look({ players: [player("Ann")] });
    assert.equal(JSON.stringify(rig.texts.heads.values().toArray()), before);
  });
});

describe("emergency calls in the journal", () => {
  const call = (callNumber: number, unitIds: readonly number[] = []) => ({
    team: "Police",
    unitIds,
    startedAtS: 1,
    callNumber,
  });

  test("begin, change and end; one look without them is no end", async () => {
    const rig = new Rig("emergencyCalls");
    await rig.start();
    for (const shown of [[call(1)], [call(1, [7])], [], [call(1, [7])], [], []])
      await rig.look({ emergencyCalls: shown });
    assert.deepEqual(await rig.said(), ["call 1 began", "call 1 changed", "call 1 ended"]);
  });

  test("do not change where the service tells the same units in another order", async () => {
    const rig = new Rig("emergencyCalls");
    await rig.start();
    for (const units of [[7, 8], [8, 7], [7, 8], [8]]) await rig.look({ emergencyCalls: [call(1, units)] });
    assert.deepEqual(await rig.said(), ["call 1 began", "call 1 changed"]);
  });

  test("do not end while a row that could not be read may be theirs, and do where such a row stood there before", async () => {
    for (const odd of [
      { skippedRows: { emergencyCalls: 1 } },
      { setAsideRows: { emergencyCalls: 1 } },
    ] as const) {
      const rig = new Rig("emergencyCalls");
      await rig.start();
      await rig.look({ emergencyCalls: [call(1), call(2)] });
      for (let look = 0; look < 3; look += 1) await rig.look({ emergencyCalls: [call(2)] }, LOOK_MS, odd);
      await rig.look({ emergencyCalls: [call(1), call(2)] });
      assert.deepEqual(await rig.said(), ["call 1 began", "call 2 began"]);
      await rig.look({ emergencyCalls: [call(1), call(2)] }, LOOK_MS, odd);
      for (let look = 0; look < 2; look += 1) await rig.look({ emergencyCalls: [call(2)] }, LOOK_MS, odd);
      assert.deepEqual(await rig.said(), ["call 1 began", "call 2 began", "call 1 ended"]);
    }
  });

  test("that nobody may have written are named after a start, and those of a pause", async () => {
    const rig = new Rig("emergencyCalls");
    await rig.start();
    await rig.look({ emergencyCalls: [] });
    await rig.start(1);
    await rig.look({ emergencyCalls: [] });
    await rig.look({ emergencyCalls: [] });
    assert.deepEqual(await rig.said(), ["gap of 310 s"]);
    await rig.look({ emergencyCalls: [] }, 300_000);
    assert.deepEqual(await rig.said(), ["gap of 310 s", "gap of 300 s"]);
  });
});
