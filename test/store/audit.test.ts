import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { SourceId } from "../../src/domain/model.ts";
import type { AuditLog, Documents } from "../../src/domain/ports.ts";
import type { AuditEvent, AuditFilter, RunRecord, RunStatus } from "../../src/domain/run.ts";
import { createAuditLog } from "../../src/store/audit.ts";
import { parseDayIndex, parseDayList, parseEvent, parseOpenMark, parseRun } from "../../src/store/shapes.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { collect } from "./contract.ts";

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 10, 12);

/** What is on the disk; outlives the process. */
class Disk {
  readonly texts = [0, 1, 2, 3, 4].map(() => new Map<string, string>());
  /** How many more writes succeed before the process is dead; undefined: it lives. */
  writesLeft: number | undefined;
  #made = 0;

  open(): AuditLog {
    this.#made = 0;
    return createAuditLog({
      runs: this.#documents(parseRun),
      events: this.#documents(parseEvent),
      days: this.#documents(parseDayList),
      index: this.#documents(parseDayIndex),
      open: this.#documents(parseOpenMark),
    });
  }

  #documents<T>(parse: (value: unknown) => T): Documents<T> {
    const inner = new MemoryDocuments(parse, this.texts[this.#made++]);
    const spend = () => {
      if (this.writesLeft === undefined) return;
      if (this.writesLeft === 0) throw new Error("the process is dead");
      this.writesLeft -= 1;
    };
    return {
      get: (key) => inner.get(key),
      entries: () => inner.entries(),
      set: async (key, value) => {
        spend();
        await inner.set(key, value);
      },
      delete: async (key) => {
        spend();
        await inner.delete(key);
      },
    };
  }
}

function run(id: string, changes: Partial<RunRecord> = {}): RunRecord {
  return {
    id,
    guildId: "g1",
    bindingId: "b1",
    source: "5".repeat(64) as SourceId,
    serverName: "Alpha",
    actorId: "a1",
    actorName: "Ada",
    actorRoleIds: ["r1"],
    origin: "command",
    text: `:kick ${id}`,
    verb: "kick",
    askedAtMs: startMs,
    channelId: "c1",
    status: "done",
    ran: "yes",
    proof: "unchecked",
    ...changes,
  };
}

const event = (id: string, changes: Partial<AuditEvent> = {}): AuditEvent => ({
  id,
  guildId: "g1",
  atMs: startMs,
  actorId: "a1",
  actorName: "Ada",
  action: "link",
  text: "linked Alpha",
  ...changes,
});

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe("the audit", () => {
  test("keeps a row as it was put, and its latest state", async () => {
    const audit = new Disk().open();
    const before = run("r1", { status: "sending", ran: "unknown", sentAtMs: startMs + 5 });
    const done = run("r1", {
      endedAtMs: startMs + 9,
      message: "Success",
      commandId: "cmd-1",
      failureCode: "platform",
      proof: "seen",
      inverse: ":unkick",
    });
    await audit.put(before);
    assert.deepEqual(await audit.get("g1", "r1"), before);
    await audit.put(done);
    assert.deepEqual(await audit.get("g1", "r1"), done);
    assert.deepEqual(ids(await audit.search("g1", {})), ["r1"]);
    assert.equal(await audit.get("g2", "r1"), undefined);
    assert.deepEqual(await audit.search("g2", {}), []);
  });

  test("a slow earlier write never covers a later one of the same run", async () => {
    const audit = new Disk().open();
    const states: RunStatus[] = ["waiting", "sending", "done"];
    await Promise.all(states.map((status) => audit.put(run("r1", { status }))));
    assert.equal((await audit.get("g1", "r1"))?.status, "done");
    assert.deepEqual(await collect(audit.unfinished()), []);
  });

  test("is searched newest first, with a limit, across days", async () => {
    const audit = new Disk().open();
    for (let n = 0; n < 30; n++) await audit.put(run(`r${n}`, { askedAtMs: startMs + (n * dayMs) / 4 }));
    assert.deepEqual(ids(await audit.search("g1", { limit: 3 })), ["r29", "r28", "r27"]);
    assert.equal((await audit.search("g1", { limit: 100 })).length, 30);
    assert.deepEqual(await audit.search("g1", { limit: 0 }), []);
  });

  test("a run that waited long for its confirmation stands where it was asked", async () => {
    const audit = new Disk().open();
    await audit.put(run("young", { askedAtMs: startMs + 1_000 }));
    await audit.put(run("old", { askedAtMs: startMs }));
    assert.deepEqual(ids(await audit.search("g1", {})), ["young", "old"]);
  });

  test("every filter alone and all together give what a plain search of all rows gives", async () => {
    const audit = new Disk().open();
    const rows: RunRecord[] = [];
    const statuses: RunStatus[] = ["done", "failed", "unknown", "cancelled", "waiting"];
    for (let n = 0; n < 120; n++) {
      const row = run(`r${n}`, {
        askedAtMs: startMs + n * 3_600_000,
        actorId: `a${n % 3}`,
        bindingId: `b${n % 2}`,
        verb: ["kick", "ban", "pm"][n % 3] ?? "kick",
        text: n % 5 === 0 ? ":pm Bob Hello There" : `:kick P${n}`,
        status: statuses[n % statuses.length] ?? "done",
      });
      rows.push(row);
      await audit.put(row);
    }
    const time = fc.integer({ min: startMs - dayMs, max: startMs + 6 * dayMs });
    const filter = fc.record(
      {
        actorId: fc.constantFrom("a0", "a1", "a9"),
        bindingId: fc.constantFrom("b0", "b1"),
        verb: fc.constantFrom("kick", "ban"),
        text: fc.constantFrom("hello", "p1", "BOB", "none"),
        status: fc.constantFrom<RunStatus>("done", "failed", "waiting"),
        fromMs: time,
        toMs: time,
        limit: fc.integer({ min: 1, max: 200 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filter, async (wanted) => {
        assert.deepEqual(ids(await audit.search("g1", wanted)), ids(plainSearch(rows, wanted)));
      }),
      { numRuns: 150 },
    );
  });

  test("bounds that no date can hold mean the beginning and the end", async () => {
    const audit = new Disk().open();
    await audit.put(run("r1"));
    for (const filter of [
      { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.MAX_SAFE_INTEGER },
      { fromMs: -1, toMs: Number.POSITIVE_INFINITY },
    ]) {
      assert.deepEqual(ids(await audit.search("g1", filter)), ["r1"]);
    }
    assert.deepEqual(await audit.search("g1", { fromMs: Number.MAX_SAFE_INTEGER }), []);
    assert.deepEqual(await audit.search("g1", { toMs: -1 }), []);
  });

  test("events are kept beside the runs, newest first, by actor and time", async () => {
    const audit = new Disk().open();
    await audit.put(run("r1"));
    await audit.event(event("e1"));
    await audit.event(event("e2", { atMs: startMs + 2 * dayMs, actorId: "a2", action: "staff-allow" }));
    await audit.event(event("e3", { atMs: startMs + 3 * dayMs }));
    assert.deepEqual(ids(await audit.events("g1", {})), ["e3", "e2", "e1"]);
    assert.deepEqual(ids(await audit.events("g1", { actorId: "a1", limit: 1 })), ["e3"]);
    assert.deepEqual(ids(await audit.events("g1", { fromMs: startMs + 1, toMs: startMs + 2 * dayMs })), [
      "e2",
    ]);
    assert.deepEqual(ids(await audit.search("g1", {})), ["r1"]);
    assert.deepEqual(await audit.events("g2", {}), []);
  });

  test("after a restart the runs that waited or were being sent are found, and no others", async () => {
    const disk = new Disk();
    const audit = disk.open();
    const statuses: RunStatus[] = [
      "waiting",
      "sending",
      "done",
      "failed",
      "unknown",
      "cancelled",
      "expired",
      "denied",
    ];
    for (const status of statuses) await audit.put(run(status, { status, guildId: `g-${status}` }));
    await audit.put(run("over", { status: "sending" }));
    await audit.put(run("over", { status: "unknown" }));
    assert.deepEqual(ids(await collect(disk.open().unfinished())).sort(), ["sending", "waiting"]);
  });

  test("pruning takes what is older than the day of the bound, and gives how many", async () => {
    const disk = new Disk();
    const audit = disk.open();
    for (let n = 0; n < 10; n++) {
      await audit.put(run(`r${n}`, { askedAtMs: startMs + n * dayMs }));
      await audit.event(event(`e${n}`, { atMs: startMs + n * dayMs }));
    }
    await audit.put(run("other", { guildId: "g2" }));
    assert.equal(await audit.prune("g1", startMs + 4 * dayMs), 8);
    assert.equal(await audit.prune("g1", startMs + 4 * dayMs), 0);
    assert.deepEqual(ids(await audit.search("g1", {})), ["r9", "r8", "r7", "r6", "r5", "r4"]);
    assert.deepEqual(ids(await audit.events("g1", {})), ["e9", "e8", "e7", "e6", "e5", "e4"]);
    assert.equal(await audit.get("g1", "r0"), undefined);
    assert.equal((await audit.search("g2", {})).length, 1);
    assert.equal(await audit.prune("g1", startMs + 1_000 * dayMs), 12);
    assert.equal(await audit.prune("g2", startMs + 1_000 * dayMs), 1);
    for (const texts of disk.texts.slice(0, 2)) assert.equal(texts.size, 0);
  });

  test("many guilds and runs at the same time lose no row", async () => {
    const audit = new Disk().open();
    const all = Array.from({ length: 200 }, (_, n) => run(`r${n}`, { guildId: `g${n % 4}` }));
    await Promise.all(all.flatMap((row) => [audit.put({ ...row, status: "sending" }), audit.put(row)]));
    for (let guild = 0; guild < 4; guild++) {
      const found = await audit.search(`g${guild}`, { limit: 1_000 });
      assert.equal(found.length, 50);
      assert.ok(found.every(({ status }) => status === "done"));
    }
  });

  test("a crash at any write: what was acknowledged is found, and what waits is known", async () => {
    for (let crashAt = 0; crashAt < 40; crashAt++) {
      const disk = new Disk();
      disk.writesLeft = crashAt;
      const acknowledged = new Map<string, RunRecord>();
      const audit = disk.open();
      try {
        for (let n = 0; n < 4; n++) {
          for (const status of ["waiting", "sending", "done"] as const) {
            const row = run(`r${n}`, { status, askedAtMs: startMs + (n * dayMs) / 2 });
            await audit.put(row);
            acknowledged.set(row.id, row);
          }
          if (n === 2) await audit.prune("g1", startMs);
        }
      } catch (error) {
        assert.match(String(error), /process is dead/);
      }
      disk.writesLeft = undefined;
      const again = disk.open();
      const found = new Map((await again.search("g1", {})).map((row) => [row.id, row]));
      const order: RunStatus[] = ["waiting", "sending", "done"];
      for (const [id, row] of acknowledged) {
        const kept = found.get(id);
        assert.ok(kept !== undefined, `crash at ${crashAt}: ${id} is lost`);
        assert.ok(
          order.indexOf(kept.status) >= order.indexOf(row.status),
          `crash at ${crashAt}: ${id} went back`,
        );
      }
      const open = ids(await collect(again.unfinished())).sort();
      const waiting = [...found.values()].filter(({ status }) => status !== "done");
      assert.deepEqual(open, ids(waiting).sort(), `crash at ${crashAt}`);
    }
  });
});

/** An independent reading of the filter: all rows, sorted, cut. */
function plainSearch(rows: readonly RunRecord[], filter: AuditFilter): RunRecord[] {
  const { fromMs = -Infinity, toMs = Infinity, limit = 50, text } = filter;
  return rows
    .filter((row) => filter.actorId === undefined || row.actorId === filter.actorId)
    .filter((row) => filter.bindingId === undefined || row.bindingId === filter.bindingId)
    .filter((row) => filter.verb === undefined || row.verb === filter.verb)
    .filter((row) => filter.status === undefined || row.status === filter.status)
    .filter((row) => text === undefined || new RegExp(text, "i").test(row.text))
    .filter((row) => row.askedAtMs >= fromMs && row.askedAtMs <= toMs)
    .sort((a, b) => b.askedAtMs - a.askedAtMs)
    .slice(0, limit);
}
