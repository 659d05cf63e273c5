import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { StoreError } from "../../src/domain/failure.ts";
import type { Change, Documents, Rows, RowsChange } from "../../src/domain/ports/documents.ts";

const row = z.object({
  n: z.number(),
  text: z.string().exactOptional(),
  list: z.array(z.string()).exactOptional(),
});
type Row = z.infer<typeof row>;
const parseRow = (value: unknown): Row => row.parse(value);

export interface ContractSubject {
  /** A namespace that no other test uses. */
  documents<T>(namespace: string, parse: (value: unknown) => T): Documents<T>;
}

export interface StoreContractSubject extends ContractSubject {
  /** Writes all or none of them. */
  write(changes: readonly (Change | RowsChange)[]): Promise<void>;
  rows<T>(table: string, parse: (value: unknown) => T): Rows<T>;
}

/** What every store has to do, whatever it is made of; `subject` is asked for in each test. */
export function documentsContract(subject: () => ContractSubject): void {
  const rows = (namespace: string) => subject().documents(namespace, parseRow);

  test("gives back what was set, the latest of it, and undefined for what was not", async () => {
    const documents = rows("c-basic");
    assert.equal(await documents.get("a"), undefined);
    await documents.set("a", { n: 1, text: ":starts with a colon", list: ["", "é\u0000\u2028"] });
    assert.deepEqual(await documents.get("a"), {
      n: 1,
      text: ":starts with a colon",
      list: ["", "é\u0000\u2028"],
    });
    await documents.set("a", { n: 2 });
    assert.deepEqual(await documents.get("a"), { n: 2 });
  });

  test("forgets what was deleted; deleting what is not there is no error", async () => {
    const documents = rows("c-delete");
    await documents.set("a", { n: 1 });
    await documents.delete("a");
    await documents.delete("a");
    assert.equal(await documents.get("a"), undefined);
    assert.deepEqual(await all(documents), []);
  });

  test("lists each entry once, also past one page of reading", async () => {
    const documents = rows("c-entries");
    const expected = new Map<string, number>();
    for (let n = 0; n < 1_234; n++) {
      await documents.set(`key-${n}`, { n });
      expected.set(`key-${n}`, n);
    }
    const found = await all(documents);
    assert.equal(found.length, expected.size);
    assert.deepEqual(new Map(found.map(([key, value]) => [key, value.n])), expected);
  });

  test("can be changed while it is listed, and lists nothing twice", async () => {
    const documents = rows("c-changing");
    for (let n = 0; n < 500; n++) await documents.set(`k${n}`, { n });
    const seen: string[] = [];
    for await (const [key, { n }] of documents.entries()) {
      seen.push(key);
      if (n % 2 === 0) await documents.delete(key);
      else await documents.set(key, { n: n + 10_000 });
    }
    assert.equal(new Set(seen).size, seen.length);
    assert.equal(seen.length, 500);
    assert.equal((await all(documents)).length, 250);
  });

  test("keeps namespaces apart, also where one name begins with the other", async () => {
    const [one, two] = [rows("c-apart"), rows("c-apart:more")];
    await one.set("k", { n: 1 });
    await one.set("more::k", { n: 3 });
    await two.set("k", { n: 2 });
    assert.deepEqual(await one.get("k"), { n: 1 });
    assert.deepEqual(await two.get("k"), { n: 2 });
    assert.deepEqual((await all(one)).map(([key]) => key).sort(), ["k", "more::k"]);
    assert.deepEqual(await all(two), [["k", { n: 2 }]]);
    await one.delete("k");
    assert.deepEqual(await two.get("k"), { n: 2 });
  });

  test("takes any key but an empty one, which is a defect", async () => {
    const documents = rows("c-keys");
    const keys = ["a:b", "a/b", "a b", "*", "?[x]", "::", "'; DROP TABLE documents; --", "ключ", "🔑"];
    for (const [n, key] of keys.entries()) await documents.set(key, { n });
    for (const [n, key] of keys.entries()) assert.deepEqual(await documents.get(key), { n });
    assert.deepEqual((await all(documents)).map(([key]) => key).sort(), [...keys].sort());
    await assert.rejects(documents.set("", { n: 1 }), TypeError);
    await assert.rejects(documents.get(""), TypeError);
    await assert.rejects(documents.delete(""), TypeError);
  });

  test("a value of another shape rejects, by name of its document and without its content", async () => {
    await subject()
      .documents("c-shape", (value) => value)
      .set("odd", { secret: "content" });
    const rejected = (error: unknown) => {
      assert.ok(error instanceof StoreError);
      assert.match(error.message, /c-shape\/odd/);
      assert.ok(!error.message.includes("content"));
      return true;
    };
    const documents = rows("c-shape");
    await assert.rejects(documents.get("odd"), rejected);
    await assert.rejects(all(documents), rejected);
  });

  test("a value that JSON cannot hold rejects instead of being kept as nothing", async () => {
    const documents = subject().documents("c-json", (value) => value);
    await assert.rejects(documents.set("a", 1n));
    assert.equal(await documents.get("a"), undefined);
  });

  test("behaves like a map of JSON, whatever is done to it", async () => {
    const documents = subject().documents("c-model", (value) => value);
    const key = fc.constantFrom("a", "b", "c:d", "c");
    const act = fc.oneof(
      fc.record({
        do: fc.constant("set" as const),
        key,
        value: fc.jsonValue().filter((value) => value !== null),
      }),
      fc.record({ do: fc.constant("delete" as const), key }),
      fc.record({ do: fc.constant("get" as const), key }),
    );
    const model = new Map<string, unknown>();
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
        for (const one of acts) {
          if (one.do === "set") {
            await documents.set(one.key, one.value);
            model.set(one.key, JSON.parse(JSON.stringify(one.value)));
          } else if (one.do === "delete") {
            await documents.delete(one.key);
            model.delete(one.key);
          } else assert.deepEqual(await documents.get(one.key), model.get(one.key));
        }
        assert.deepEqual(new Map(await all(documents)), model);
      }),
      { numRuns: 40 },
    );
  });
}

/** What every whole store has to do beyond that. */
export function togetherContract(subject: () => StoreContractSubject): void {
  const rows = (namespace: string) => subject().documents(namespace, parseRow);

  test("documents of several namespaces are written together, and read as if written one by one", async () => {
    const [one, two] = [rows("t-one"), rows("t-two")];
    await two.set("gone", { n: 0 });
    await subject().write([
      { namespace: "t-one", key: "a:b", value: { n: 1, text: "é\u0000" } },
      { namespace: "t-two", key: "k", value: { n: 2 } },
      { namespace: "t-two", key: "gone", deleted: true },
      { namespace: "t-two", key: "never there", deleted: true },
    ]);
    assert.deepEqual(await one.get("a:b"), { n: 1, text: "é\u0000" });
    assert.deepEqual(await all(two), [["k", { n: 2 }]]);
    await one.set("a:b", { n: 3 });
    assert.deepEqual(await all(one), [["a:b", { n: 3 }]]);
  });

  test("of two changes of one document in one write the later stands", async () => {
    const documents = rows("t-twice");
    const change = { namespace: "t-twice", key: "k" };
    await subject().write([
      { ...change, value: { n: 1 } },
      { ...change, deleted: true },
    ]);
    assert.equal(await documents.get("k"), undefined);
    await subject().write([
      { ...change, deleted: true },
      { ...change, value: { n: 2 } },
    ]);
    assert.deepEqual(await documents.get("k"), { n: 2 });
    await subject().write([]);
  });

  test("where one of them cannot be written, none is", async () => {
    const documents = rows("t-none");
    subject().documents("t-json", (value) => value);
    const good = { namespace: "t-none", key: "k", value: { n: 1 } };
    await assert.rejects(subject().write([good, { namespace: "t-json", key: "a", value: 1n }]));
    for (const bad of [
      { namespace: "t-none", key: "", value: { n: 1 } },
      { namespace: "t-none", key: "a", value: undefined },
      { namespace: "t-nobody-made-it", key: "a", value: { n: 1 } },
    ])
      await assert.rejects(subject().write([good, bad]), TypeError);
    assert.equal(await documents.get("k"), undefined);
  });
}

/** What every store has to do for tables. */
export function rowsContract(subject: () => StoreContractSubject): void {
  const numbers = (rows: Rows<Row>, list: string, from = 0, limit = 10_000) =>
    rows.read(list, from, limit).then((found) => found.map(([seq, { n }]) => [seq, n]));

  test("rows are read from a number on, in order, as many as were asked for, each list's apart", async () => {
    const rows = subject().rows("r-basic", parseRow);
    const row = (list: string, seq: number) =>
      ({ table: "r-basic", list, seq, from: seq, row: { n: seq * 10, text: "é\u0000 1" } }) as const;
    await subject().write([row("a:b", 2), row("a:b", 5), row("a", 9)]);
    await subject().write([row("a:b", 700)]);
    assert.deepEqual(await numbers(rows, "a:b"), [
      [2, 20],
      [5, 50],
      [700, 7_000],
    ]);
    assert.deepEqual(await numbers(rows, "a:b", 3), [
      [5, 50],
      [700, 7_000],
    ]);
    assert.deepEqual(await numbers(rows, "a:b", 5, 1), [[5, 50]]);
    assert.deepEqual(await numbers(rows, "a:b", 701), []);
    assert.deepEqual(await numbers(rows, "none"), []);
    assert.deepEqual((await rows.read("a", 0, 1))[0]?.[1].text, "é\u0000 1");
  });

  test("a row takes the place of what stands from its own first number on, and rows below a number go", async () => {
    const rows = subject().rows("r-change", parseRow);
    const change = { table: "r-change", list: "a" };
    const put = (seq: number, from: number) => ({ ...change, seq, from, row: { n: seq } });
    await subject().write([put(1, 1), put(3, 2), put(4, 4), put(6, 5)]);
    await subject().write([put(7, 3)]);
    assert.deepEqual(await numbers(rows, "a"), [
      [1, 1],
      [7, 7],
    ]);
    await subject().write([put(8, 8), { ...change, below: 7 }]);
    assert.deepEqual(await numbers(rows, "a"), [
      [7, 7],
      [8, 8],
    ]);
    await subject().write([{ ...change, below: Number.POSITIVE_INFINITY }]);
    assert.deepEqual(await numbers(rows, "a"), []);
  });

  test("rows and documents are written together or not at all", async () => {
    const rows = subject().rows("r-none", parseRow);
    const documents = subject().documents("r-with", parseRow);
    const row = { table: "r-none", list: "a", seq: 1, from: 1, row: { n: 1 } };
    await subject().write([row, { namespace: "r-with", key: "k", value: { n: 2 } }]);
    assert.deepEqual([await numbers(rows, "a"), await documents.get("k")], [[[1, 1]], { n: 2 }]);
    const bad = { namespace: "r-with", key: "k", value: 1n };
    await assert.rejects(subject().write([{ ...row, seq: 2, from: 2 }, bad]));
    assert.deepEqual(await numbers(rows, "a"), [[1, 1]]);
  });

  test("all rows of a table are listed, past one page, and no other table's; one of another shape rejects", async () => {
    const rows = subject().rows("r-list", parseRow);
    const changes: RowsChange[] = [];
    for (const [list, count] of [
      ["a", 650],
      ["b:c", 3],
    ] as const)
      for (let seq = 1; seq <= count; seq++)
        changes.push({ table: "r-list", list, seq, from: seq, row: { n: seq } });
    await subject().write([...changes, { table: "r-list-2", list: "a", seq: 1, from: 1, row: { n: 0 } }]);
    const found = await collect(rows.entries());
    assert.deepEqual(
      found.map(([list, seq, { n }]) => [list, seq, n]),
      changes.map((change) => [
        "list" in change && change.list,
        "seq" in change && change.seq,
        "seq" in change && change.seq,
      ]),
    );
    await subject().write([{ table: "r-list", list: "a", seq: 651, from: 651, row: { secret: 1 } }]);
    await assert.rejects(
      rows.read("a", 651, 1),
      (error) => error instanceof StoreError && /r-list\/a\/651/.test(error.message),
    );
  });
}

export function all<T>(documents: Documents<T>): Promise<(readonly [string, T])[]> {
  return collect(documents.entries());
}

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of source) found.push(one);
  return found;
}
