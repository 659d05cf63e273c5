import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import type { SourceId } from "../../../src/domain/model.ts";
import type { AuditLog } from "../../../src/domain/ports/audit-log.ts";
import type { Documents } from "../../../src/domain/ports/documents.ts";
import type { AuditEvent, AuditFilter, RunRecord, RunStatus } from "../../../src/domain/run.ts";
import { createAuditLog } from "../../../src/store/audit/audit-log.ts";
import {
  parseDayList,
  parseEvent,
  parseListPage,
  parseOpenMark,
  parseRun,
} from "../../../src/store/document-schemas.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { runRecord } from "../../support/run-record.ts";

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 4, 10, 12);

/** One disk of all namespaces that dies after so many writes: what was written before stays. */
class Disk {
  readonly texts = new Map<string, Map<string, string>>();
  writesLeft = Number.POSITIVE_INFINITY;

  of(name: string): Map<string, string> {
    const known = this.texts.get(name) ?? new Map<string, string>();
    this.texts.set(name, known);
    return known;
  }
}

class DyingDocuments<T> extends MemoryDocuments<T> {
  readonly #disk: Disk;

  constructor(disk: Disk, name: string, parse: (value: unknown) => T) {
    super(parse, disk.of(name));
    this.#disk = disk;
  }

  override async set(key: string, value: T): Promise<void> {
    this.#spend();
    await super.set(key, value);
  }

  override async delete(key: string): Promise<void> {
    this.#spend();
    await super.delete(key);
  }

  #spend(): void {
    if (this.#disk.writesLeft <= 0) throw new Error("the process is gone");
    this.#disk.writesLeft -= 1;
  }
}

function open(disk: Disk, runs: Documents<RunRecord> = new DyingDocuments(disk, "runs", parseRun)): AuditLog {
  return createAuditLog({
    runs,
    events: new DyingDocuments(disk, "events", parseEvent),
    lists: new DyingDocuments(disk, "lists", parseDayList),
    pages: new DyingDocuments(disk, "pages", parseListPage),
    open: new DyingDocuments(disk, "open", parseOpenMark),
    pause: () => Promise.resolve(),
  });
}

const run = (id: string, over: Partial<RunRecord> = {}): RunRecord =>
  runRecord({ id, serverName: "Alpha", askedAtMs: startMs, status: "waiting", ran: "no", ...over });

const event = (id: string, over: Partial<AuditEvent> = {}): AuditEvent => ({
  id,
  guildId: "g1",
  atMs: startMs,
  actorId: "u1",
  actorName: "Mo",
  action: "link",
  text: "Alpha",
  ...over,
});

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

/** The rows that a search finds. */
async function runsOf(audit: AuditLog, guildId: string, filter: AuditFilter): Promise<readonly RunRecord[]> {
  return (await audit.search(guildId, filter)).rows;
}

async function eventsOf(
  audit: AuditLog,
  guildId: string,
  filter: Parameters<AuditLog["events"]>[1],
): Promise<readonly AuditEvent[]> {
  return (await audit.events(guildId, filter)).rows;
}

async function unfinishedIds(audit: AuditLog): Promise<string[]> {
  const found: string[] = [];
  for await (const { id } of audit.unfinished()) found.push(id);
  return found;
}

/** The statuses of a run in the order in which they are written, as a life that ends well or badly. */
const lives: readonly (readonly RunStatus[])[] = [
  ["waiting", "sending", "done"],
  ["waiting", "sending", "unknown"],
  ["waiting", "cancelled"],
  ["denied"],
];

test("a crash after any write: a row that is there is found; one that is not over is found as unfinished", async () => {
  for (const life of lives) {
    for (let writes = 0; writes <= 20; writes += 1) {
      const disk = new Disk();
      disk.writesLeft = writes;
      const audit = open(disk);
      // The row that a caller was told of last: everything that was acknowledged must be there.
      let acknowledged: RunStatus | undefined;
      let asked: RunStatus | undefined;
      try {
        for (const status of life) {
          asked = status;
          await audit.put(run("r1", { status }));
          acknowledged = status;
        }
      } catch {
        // The crash.
      }
      disk.writesLeft = Number.POSITIVE_INFINITY;
      const after = open(disk);
      const where = `${life.join(" > ")}, ${writes} writes`;
      const kept = await after.get("g1", "r1");
      if (acknowledged !== undefined) assert.ok(kept !== undefined, where);
      if (kept !== undefined) {
        assert.ok(kept.status === acknowledged || kept.status === asked, where);
        assert.deepEqual(ids(await runsOf(after, "g1", {})), ["r1"], where);
      } else assert.deepEqual(await runsOf(after, "g1", {}), [], where);
      const isOpen = kept !== undefined && (kept.status === "waiting" || kept.status === "sending");
      assert.deepEqual(await unfinishedIds(after), isOpen ? ["r1"] : [], where);
      // What a crash left behind of a mark is cleared away by looking, and never comes again.
      assert.deepEqual(await unfinishedIds(open(disk)), isOpen ? ["r1"] : [], where);
      if (!isOpen) assert.equal(disk.of("open").size, 0, where);
    }
  }
});

test("a row written again after a crash is one row", async () => {
  for (let writes = 0; writes <= 12; writes += 1) {
    const disk = new Disk();
    disk.writesLeft = writes;
    await open(disk)
      .put(run("r1"))
      .catch(() => undefined);
    disk.writesLeft = Number.POSITIVE_INFINITY;
    const after = open(disk);
    await after.put(run("r1", { status: "unknown", ran: "unknown" }));
    assert.deepEqual(
      (await runsOf(after, "g1", {})).map(({ id, status }) => [id, status]),
      [["r1", "unknown"]],
    );
  }
});

test("a crash while an event is written leaves it whole or not at all", async () => {
  for (let writes = 0; writes <= 6; writes += 1) {
    const disk = new Disk();
    disk.writesLeft = writes;
    const written = await open(disk)
      .event(event("e1"))
      .then(
        () => true,
        () => false,
      );
    disk.writesLeft = Number.POSITIVE_INFINITY;
    assert.deepEqual(ids(await eventsOf(open(disk), "g1", {})), written ? ["e1"] : [], `${writes} writes`);
  }
});

test("an outcome is never overwritten by an earlier state that was written slower", async () => {
  const audit = open(new Disk());
  await Promise.all([
    audit.put(run("r1", { status: "waiting" })),
    audit.put(run("r1", { status: "sending" })),
    audit.put(run("r1", { status: "done", ran: "yes" })),
  ]);
  assert.equal((await audit.get("g1", "r1"))?.status, "done");
  assert.deepEqual(await unfinishedIds(audit), []);
});

/** A store that answers in the order of asking, and not before it is told to: a thread that gets no turn on a busy machine. */
class HeldDocuments<T> extends MemoryDocuments<T> {
  #released: Promise<void> = Promise.resolve();

  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#released = promise;
    return resolve;
  }

  override async get(key: string): Promise<T | undefined> {
    await this.#released;
    return await super.get(key);
  }

  override async set(key: string, value: T): Promise<void> {
    await this.#released;
    await super.set(key, value);
  }
}

test("whoever asks for a run after its outcome was given to the audit reads the outcome, however slow the store is", async () => {
  const runs = new HeldDocuments<RunRecord>(parseRun);
  const audit = open(new Disk(), runs);
  for (const status of ["waiting", "sending"] as const) await audit.put(run("r1", { status }));
  const release = runs.hold();
  const written = audit.put(run("r1", { status: "failed", failureCode: "server-empty" }));
  await setImmediate();
  const pressed = audit.get("g1", "r1");
  release();
  assert.equal((await pressed)?.failureCode, "server-empty");
  await written;
});

test("rows of one day that are written at once all stand in its index", async () => {
  const audit = open(new Disk());
  const wanted = Array.from({ length: 40 }, (_, index) => `r${index}`);
  await Promise.all(wanted.map((id) => audit.put(run(id))));
  assert.deepEqual(new Set(ids(await runsOf(audit, "g1", { limit: 100 }))), new Set(wanted));
});

test("unfinished: everything that waited or was being sent, of every guild, and nothing else", async () => {
  const audit = open(new Disk());
  await audit.put(run("r1"));
  await audit.put(run("r2", { guildId: "g2", status: "sending" }));
  await audit.put(run("r3", { status: "failed" }));
  assert.deepEqual((await unfinishedIds(audit)).sort(), ["r1", "r2"]);
});

test("recent runs of a server: all guilds' sent ones in order of sending, whatever was refused in between", async () => {
  const audit = open(new Disk());
  const sent = { status: "done", ran: "yes" } as const;
  for (let count = 0; count < 400; count += 1) await audit.put(run(`no-${count}`, { status: "denied" }));
  await audit.put(run("b", { ...sent, sentAtMs: startMs + 2_000, guildId: "g2" }));
  await audit.put(run("a", { ...sent, sentAtMs: startMs + 1_000 }));
  await audit.put(run("under-way", { status: "sending", ran: "unknown", sentAtMs: startMs + 3_000 }));
  // Sent and surely refused: it waits again.
  await audit.put(run("again", { status: "sending", ran: "unknown", sentAtMs: startMs + 3_000 }));
  await audit.put(run("again", { status: "waiting" }));
  await audit.put(run("elsewhere", { ...sent, sentAtMs: startMs, source: "s2" as SourceId }));
  const recent = (sinceMs: number) => audit.recentRuns("s1" as SourceId, sinceMs);
  assert.deepEqual(ids(await recent(startMs)), ["a", "b", "under-way"]);
  assert.deepEqual(ids(await recent(startMs + 2_000)), ["b", "under-way"]);
  await audit.put(run("tomorrow", { ...sent, sentAtMs: startMs + dayMs }));
  assert.deepEqual(ids(await recent(startMs + 3_000)), ["under-way", "tomorrow"]);
});

test("search: newest day first, at most the limit, 50 where none is given", async () => {
  const audit = open(new Disk());
  for (let index = 0; index < 60; index += 1)
    await audit.put(run(`r${index}`, { status: "done", askedAtMs: startMs + index * 3_600_000 }));
  const found = await runsOf(audit, "g1", {});
  assert.equal(found.length, 50);
  const times = found.map(({ askedAtMs }) => askedAtMs);
  assert.deepEqual(
    times,
    [...times].sort((a, b) => b - a),
  );
  assert.equal(found[0]?.id, "r59");
  assert.deepEqual(ids(await runsOf(audit, "g1", { limit: 2 })), ["r59", "r58"]);
});

test("search: by actor, server, verb, status, part of the text in any case, and time, bounds included", async () => {
  const audit = open(new Disk());
  await audit.put(run("r1", { status: "done" }));
  await audit.put(
    run("r2", {
      actorId: "u2",
      bindingId: "b2",
      verb: "ban",
      text: ":ban 4971003941",
      byId: [{ name: "Griefer", id: 4971003941 }],
      status: "failed",
      askedAtMs: startMs + dayMs,
    }),
  );
  await audit.put(run("r3", { guildId: "g2", status: "done" }));
  const filters = [
    { actorId: "u2" },
    { bindingId: "b2" },
    { verb: "ban" },
    { status: "failed" },
    { text: "GRIEF" },
    { text: "4971003941" },
    { fromMs: startMs + 1 },
    { fromMs: startMs + dayMs },
  ] as const;
  for (const filter of filters)
    assert.deepEqual(ids(await runsOf(audit, "g1", filter)), ["r2"], JSON.stringify(filter));
  assert.deepEqual(ids(await runsOf(audit, "g1", { toMs: startMs })), ["r1"]);
  assert.deepEqual(ids(await runsOf(audit, "g1", { fromMs: 0, toMs: 8.64e15 })), ["r2", "r1"]);
  assert.deepEqual(ids(await runsOf(audit, "g1", { verb: "ban", actorId: "u1" })), []);
});

test("events: newest first, by actor and time, apart from runs", async () => {
  const audit = open(new Disk());
  await audit.event(event("e1"));
  await audit.event(event("e2", { actorId: "u2", atMs: startMs + dayMs }));
  await audit.put(run("r1"));
  assert.deepEqual(ids(await eventsOf(audit, "g1", {})), ["e2", "e1"]);
  assert.deepEqual(ids(await eventsOf(audit, "g1", { actorId: "u1" })), ["e1"]);
  assert.deepEqual(ids(await eventsOf(audit, "g1", { fromMs: startMs + 1 })), ["e2"]);
  assert.deepEqual(await eventsOf(audit, "g2", {}), []);
});

test("prune: whole days only, rows and index, of this guild alone; returns how many rows were removed", async () => {
  const disk = new Disk();
  const audit = open(disk);
  for (let day = 0; day < 4; day += 1) {
    await audit.put(run(`r${day}`, { status: "done", askedAtMs: startMs + day * dayMs }));
    await audit.event(event(`e${day}`, { atMs: startMs + day * dayMs }));
  }
  await audit.put(run("other", { guildId: "g2", status: "done" }));
  // The bound falls into the third day, which is kept whole.
  assert.equal(await audit.prune("g1", startMs + 2 * dayMs + 3_600_000), 4);
  assert.deepEqual(ids(await runsOf(audit, "g1", {})), ["r3", "r2"]);
  assert.deepEqual(ids(await eventsOf(audit, "g1", {})), ["e3", "e2"]);
  assert.deepEqual(ids(await runsOf(audit, "g2", {})), ["other"]);
  assert.equal(disk.of("runs").size, 3);
  // Of two days: the guild's runs and events, and both by person, runs by verb and by server; and the other guild's.
  assert.equal(disk.of("pages").size, 2 * 6 + 4);
  assert.equal(await audit.prune("g1", startMs + 2 * dayMs), 0);
});

test("a crash while pruning loses no row that is kept, and the next prune ends it", async () => {
  for (let writes = 0; writes <= 8; writes += 1) {
    const disk = new Disk();
    const audit = open(disk);
    for (let day = 0; day < 3; day += 1)
      await audit.put(run(`r${day}`, { status: "done", askedAtMs: startMs + day * dayMs }));
    disk.writesLeft = writes;
    await audit.prune("g1", startMs + 2 * dayMs).catch(() => undefined);
    disk.writesLeft = Number.POSITIVE_INFINITY;
    const after = open(disk);
    assert.ok(ids(await runsOf(after, "g1", {})).includes("r2"), `${writes} writes`);
    await after.prune("g1", startMs + 2 * dayMs);
    assert.deepEqual(ids(await runsOf(after, "g1", {})), ["r2"], `${writes} writes`);
    assert.equal(disk.of("runs").size, 1, `${writes} writes`);
  }
});

test("a run that waited long for its confirmation is listed by the time of asking", async () => {
  const audit = open(new Disk());
  await audit.put(run("young", { askedAtMs: startMs + 1_000 }));
  await audit.put(run("old", { askedAtMs: startMs }));
  assert.deepEqual(ids(await runsOf(audit, "g1", {})), ["young", "old"]);
});

test("every filter alone and all together give what a plain search of all rows gives", async () => {
  const audit = open(new Disk());
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
      assert.deepEqual(ids(await runsOf(audit, "g1", wanted)), ids(plainSearch(rows, wanted)));
    }),
    { numRuns: 150 },
  );
});

test("bounds that no date can hold mean the beginning and the end", async () => {
  const audit = open(new Disk());
  await audit.put(run("r1"));
  for (const filter of [
    { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.MAX_SAFE_INTEGER },
    { fromMs: -1, toMs: Number.POSITIVE_INFINITY },
  ]) {
    assert.deepEqual(ids(await runsOf(audit, "g1", filter)), ["r1"]);
  }
  assert.deepEqual(await runsOf(audit, "g1", { fromMs: Number.MAX_SAFE_INTEGER }), []);
  assert.deepEqual(await runsOf(audit, "g1", { toMs: -1 }), []);
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
