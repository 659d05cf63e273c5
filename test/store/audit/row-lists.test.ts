import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AuditLog } from "../../../src/domain/ports/audit-log.ts";
import type { Documents } from "../../../src/domain/ports/documents.ts";
import type { AuditFilter, RunRecord } from "../../../src/domain/run.ts";
import { createAuditLog } from "../../../src/store/audit/audit-log.ts";
import * as schemas from "../../../src/store/document-schemas.ts";
import type { Store } from "../../../src/store/keyv-documents.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { needsRedis } from "../../support/redis-server.ts";
import { runRecord } from "../../support/run-record.ts";
import { type TempFolder, tempFolder } from "../../support/temp-folder.ts";
import { storeOnRedis } from "../redis-store.ts";

const startMs = Date.UTC(2026, 4, 10);
const dayMs = 86_400_000;
const THOUSANDS = 5_000;

type MakeDocuments = <T>(namespace: string, parse: (value: unknown) => T) => Documents<T>;

/** The audit on the namespaces that main.ts gives it, each counted. */
function auditOn(documents: MakeDocuments) {
  const counts = { reads: 0, rowsRead: 0, writes: 0, longestWrite: 0, pauses: 0 };
  let isCounting = false;
  const counted: MakeDocuments = (namespace, parse) => {
    const inner = documents(namespace, parse);
    return {
      get: (key) => {
        counts.reads += 1;
        if (namespace === "audit-runs") counts.rowsRead += 1;
        return inner.get(key);
      },
      set: (key, value) => {
        counts.writes += 1;
        if (isCounting) counts.longestWrite = Math.max(counts.longestWrite, JSON.stringify(value).length);
        return inner.set(key, value);
      },
      delete: (key) => inner.delete(key),
      entries: () => inner.entries(),
    };
  };
  const audit = createAuditLog({
    runs: counted("audit-runs", schemas.parseRun),
    events: counted("audit-events", schemas.parseEvent),
    lists: counted("audit-lists", schemas.parseDayList),
    pages: counted("audit-pages", schemas.parseListPage),
    open: counted("audit-open", schemas.parseOpenMark),
    pause: async () => {
      counts.pauses += 1;
    },
  });
  const during = async <T>(work: () => Promise<T>) => {
    Object.assign(counts, { reads: 0, rowsRead: 0, writes: 0, longestWrite: 0, pauses: 0 });
    isCounting = true;
    const result = await work();
    isCounting = false;
    return { result, ...counts };
  };
  return { audit, during };
}

type Texts = Map<string, Map<string, string>>;

/** `earlier`: what an audit before has written; it is copied. */
function inMemory(earlier: Texts = new Map()) {
  const texts: Texts = new Map([...earlier].map(([namespace, kept]) => [namespace, new Map(kept)]));
  const documents: MakeDocuments = (namespace, parse) => {
    const kept = texts.get(namespace) ?? new Map<string, string>();
    texts.set(namespace, kept);
    return new MemoryDocuments(parse, kept);
  };
  const size = () => [...texts].flatMap(([, kept]) => [...kept.keys()]).length;
  return { ...auditOn(documents), documents, size, texts };
}

const run = (id: string, over: Partial<RunRecord> = {}): RunRecord =>
  runRecord({ id, serverName: "Alpha", askedAtMs: startMs, status: "denied", ran: "no", ...over });

/** Rows of one day; every 500th is of a rare person, a rare verb and a rare server. */
async function fill(audit: AuditLog, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const rare = n % 500 === 250;
    await audit.put(
      run(`r${n}`, {
        askedAtMs: startMs + n * 1_000,
        ...(rare ? { actorId: "rare", verb: "unban", bindingId: "b9", text: ":unban Rare" } : {}),
      }),
    );
  }
}

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

/** The whole answer, in as many searches as it takes. */
async function searchOn(audit: AuditLog, guildId: string, filter: AuditFilter): Promise<string[]> {
  const found: string[] = [];
  for (let at: string | undefined, first = true; first || at !== undefined; first = false) {
    const { rows, stoppedAt } = await audit.search(guildId, {
      ...filter,
      limit: 100_000,
      ...(at === undefined ? {} : { after: at }),
    });
    found.push(...ids(rows));
    at = stoppedAt;
  }
  return found;
}

describe("the lists of the audit", () => {
  /** Of five thousand rows, which several tests read. */
  let thousands: Texts;
  before(async () => {
    const { audit, texts } = inMemory();
    await fill(audit, THOUSANDS);
    thousands = texts;
  });

  test("pages of a search follow each other without a row twice or left out, whatever is added meanwhile", async () => {
    const { audit } = inMemory();
    for (let n = 0; n < 130; n += 1) {
      const status = n % 3 === 0 ? "denied" : "done";
      await audit.put(run(`r${n}`, { askedAtMs: startMs + n * 3_600_000, status }));
    }
    const wanted = Array.from({ length: 130 }, (_, n) => 129 - n).filter((n) => n % 3 !== 0);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await audit.search("g1", {
        limit: 10,
        withoutDenied: true,
        ...(after === undefined ? {} : { after }),
      });
      assert.ok(page.rows.length <= 10);
      found.push(...ids(page.rows));
      after = page.next;
      await audit.put(run(`later${found.length}`, { askedAtMs: startMs + 200 * 3_600_000 }));
    } while (after !== undefined);
    assert.deepEqual(
      found,
      wanted.map((n) => `r${n}`),
    );
  });

  test("a row costs the same however many there are", async () => {
    const { audit, during } = inMemory();
    const costs: { reads: number; writes: number; longestWrite: number }[] = [];
    for (let n = 0; n < 3_000; n += 1) {
      costs.push(await during(() => audit.put(run(`r${n}`, { askedAtMs: startMs + n }))));
    }
    const most = (from: number, what: "reads" | "writes" | "longestWrite") =>
      Math.max(...costs.slice(from, from + 500).map((cost) => cost[what]));
    for (const what of ["reads", "writes", "longestWrite"] as const) {
      assert.ok(most(2_500, what) <= most(500, what) * 1.05, what);
    }
    assert.ok(most(0, "longestWrite") < 16_000);
    assert.ok(most(0, "writes") <= 13);
  });

  test("what changes of a row writes the row and nothing else", async () => {
    const { audit, during } = inMemory();
    await audit.put(run("r1", { status: "waiting" }));
    const sent = { ran: "unknown", sentAtMs: startMs } as const;
    await audit.put(run("r1", { ...sent, status: "sending" }));
    const { writes } = await during(() => audit.put(run("r1", { ...sent, status: "done", ran: "yes" })));
    assert.equal(writes, 1);
    assert.deepEqual(await searchOn(audit, "g1", {}), ["r1"]);
  });

  test("rows of a person, a verb, a server are found among thousands by reading little else", async () => {
    const { audit, during } = inMemory(thousands);
    for (const filter of [{ actorId: "rare" }, { verb: "unban" }, { bindingId: "b9" }]) {
      const { result, rowsRead, reads } = await during(() => audit.search("g1", filter));
      assert.equal(result.rows.length, 10, JSON.stringify(filter));
      assert.equal(result.stoppedAt, undefined);
      assert.equal(rowsRead, 10);
      assert.ok(reads - rowsRead <= 6, `${reads} documents`);
    }
  });

  test("the newest are found without reading the others", async () => {
    const { audit, during } = inMemory();
    await fill(audit, 1_000);
    const { result, reads } = await during(() => audit.search("g1", { limit: 20 }));
    assert.equal(result.rows[0]?.id, "r999");
    assert.equal(result.rows.length, 20);
    assert.ok(reads <= 30, `${reads} documents`);
  });

  test("a search that fits little reads at most 2,000 rows and says where it stopped", async () => {
    const { audit, during } = inMemory(thousands);
    const { result, rowsRead, pauses } = await during(() => audit.search("g1", { text: "rare" }));
    assert.ok(rowsRead <= 2_025, `${rowsRead} rows`);
    // Nothing else of the process runs from one pause to the next.
    assert.ok(pauses >= rowsRead / 25 - 1, `${pauses} pauses`);
    assert.equal(result.rows.length, 4);
    assert.notEqual(result.stoppedAt, undefined);
    assert.equal((await searchOn(audit, "g1", { text: "rare" })).length, 10);
  });

  test("going on finds each row once, in order, whatever is written meanwhile", async () => {
    const { audit } = inMemory(thousands);
    const found: string[] = [];
    let at: string | undefined;
    do {
      const { rows, stoppedAt } = await audit.search("g1", {
        limit: 100_000,
        ...(at === undefined ? {} : { after: at }),
      });
      found.push(...ids(rows));
      at = stoppedAt;
      for (let n = 0; n < 60; n += 1)
        await audit.put(run(`late-${found.length}-${n}`, { askedAtMs: startMs + dayMs / 2 }));
    } while (at !== undefined);
    assert.deepEqual(
      found,
      Array.from({ length: THOUSANDS }, (_, n) => `r${THOUSANDS - 1 - n}`),
    );
  });

  test("any text can be a verb, and stays apart from others", async () => {
    const { audit } = inMemory();
    const verbs = ["a/b", "../x", "\ud800", "ключ", "x".repeat(3_000), `${"x".repeat(3_000)}y`, "server/b1"];
    for (const [n, verb] of verbs.entries()) await audit.put(run(`r${n}`, { verb }));
    for (const [n, verb] of verbs.entries()) {
      const wanted = verb === "\ud800" ? [] : [`r${n}`];
      const found = ids((await audit.search("g1", { verb })).rows);
      assert.deepEqual(verb === "\ud800" ? [] : found, wanted, verb.slice(0, 20));
    }
  });

  test("removing old days leaves nothing of them behind", async () => {
    const { audit, size } = inMemory();
    for (let day = 0; day < 3; day += 1) {
      for (let n = 0; n < 120; n += 1) {
        const askedAtMs = startMs + day * dayMs + n;
        await audit.put(run(`r${day}-${n}`, { askedAtMs, actorId: `u${n % 7}`, verb: `v${n % 5}` }));
      }
      await audit.event({
        id: `e${day}`,
        guildId: "g1",
        atMs: startMs + day * dayMs,
        actorId: "u1",
        actorName: "Mo",
        action: "link",
        text: "Alpha",
      });
    }
    assert.equal(await audit.prune("g1", startMs + 3 * dayMs), 363);
    assert.equal(size(), 0);
  });

  test("everything of a guild can be removed, whatever the bound", async () => {
    const { audit, size } = inMemory();
    await audit.put(run("r1"));
    assert.equal(await audit.prune("g1", Number.POSITIVE_INFINITY), 1);
    assert.equal(size(), 0);
  });
});

/** The same on each store that can be opened. */
function onEachStore(open: () => Store): void {
  test("finds by person, verb, server and text, goes on where it stopped, and removes", async () => {
    const { audit, during } = auditOn((namespace, parse) => open().documents(namespace, parse, "normal"));
    await fill(audit, 2_600);
    for (const filter of [{ actorId: "rare" }, { verb: "unban" }, { bindingId: "b9" }]) {
      const { result, reads } = await during(() => audit.search("g1", filter));
      assert.deepEqual(ids(result.rows), ["r2250", "r1750", "r1250", "r750", "r250"]);
      assert.ok(reads <= 12);
    }
    const first = await audit.search("g1", { text: "rare" });
    assert.notEqual(first.stoppedAt, undefined);
    assert.deepEqual(await searchOn(audit, "g1", { text: "rare" }), [
      "r2250",
      "r1750",
      "r1250",
      "r750",
      "r250",
    ]);
    assert.equal((await searchOn(audit, "g1", {})).length, 2_600);
    assert.equal(await audit.prune("g1", startMs + dayMs), 2_600);
    assert.deepEqual(await searchOn(audit, "g1", {}), []);
  });
}

describe("the audit on sqlite", () => {
  let folder: TempFolder;
  let store: Store;
  before(async () => {
    folder = tempFolder();
    store = await openStore(`sqlite:${join(folder.path, "store.sqlite")}`, { runsIn: "caller" });
  });
  after(async () => {
    await store.close();
    folder.remove();
  });
  onEachStore(() => store);
});

describe("the audit on Redis", needsRedis(), () => {
  // Thousands of rows, none of which has to outlive the machine.
  const redis = storeOnRedis({ appendfsync: "everysec" });
  onEachStore(() => redis.store);
});
