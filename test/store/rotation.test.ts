import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RUN_ORIGINS } from "../../src/domain/run.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import { createBindings } from "../../src/store/bindings.ts";
import { bringDocumentsToForm, DOCUMENT_FORM } from "../../src/store/document-forms.ts";
import { parseFormMark, parseGuildBindings, parseSealedRoot } from "../../src/store/document-schemas.ts";
import { openVault } from "../../src/store/rotation.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { serverStatus } from "../support/server-status.ts";

const secretOf = (fill: number) => new Uint8Array(32).fill(fill);
const status = (name: string, joinKey = name) => serverStatus({ name, ownerId: 1, joinKey });

/** What outlives every process, and a start on it with these secrets. */
class World {
  readonly texts = new Map<string, string>();
  readonly rootTexts = new Map<string, string>();

  async open(secret: Uint8Array, old?: Uint8Array) {
    const documents = new MemoryDocuments(parseGuildBindings, this.texts);
    const roots = new MemoryDocuments(parseSealedRoot, this.rootTexts);
    const { vault, sealAnew } = await openVault({ roots, bindings: documents, secret, old });
    const linked = createBindings({
      documents,
      vault,
      clock: new VirtualClock(),
      random: seededRandom(this.texts.size + 1),
      serversPerGuild: 10,
      hideSecret: () => undefined,
    });
    await linked.bindings.load();
    return { ...linked, documents, vault, sealAnew };
  }

  async link(guildId: string, secret: Uint8Array): Promise<void> {
    const { bindings } = await this.open(secret);
    await bindings.link({
      guildId,
      key: new ServerKey(`key-of-${guildId}`),
      status: status("Town"),
      byUserId: "1",
    });
  }
}

async function keyOf(
  opened: Awaited<ReturnType<World["open"]>>,
  guildId: string,
): Promise<string | undefined> {
  const [binding] = await opened.bindings.list(guildId);
  return binding === undefined ? undefined : (await opened.keys.keyOf(binding.source))?.reveal();
}

describe("a changed secret", () => {
  test("seals every key anew, after which the old secret opens nothing and is not needed", async () => {
    const world = new World();
    for (const guildId of ["1", "2", "3"]) await world.link(guildId, secretOf(1));
    const sources = (await (await world.open(secretOf(1))).bindings.list("2")).map(({ source }) => source);
    const changing = await world.open(secretOf(2), secretOf(1));
    assert.equal(await keyOf(changing, "2"), "key-of-2", "both open while the change is under way");
    assert.equal(await changing.sealAnew(), 3);
    assert.equal(await changing.sealAnew(), 0);

    const after = await world.open(secretOf(2));
    assert.equal(await keyOf(after, "3"), "key-of-3");
    await assert.rejects(world.open(secretOf(1)), /is not the secret of this store/);
    assert.deepEqual(
      (await after.bindings.list("2")).map(({ source }) => source),
      sources,
      "journals, runs and refused keys still belong to their servers",
    );
  });

  test("goes on after a kill at any write", async () => {
    for (let writes = 0; writes < 4; writes++) {
      const world = new World();
      for (const guildId of ["1", "2", "3"]) await world.link(guildId, secretOf(1));
      const dying = await world.open(secretOf(2), secretOf(1));
      const set = dying.documents.set.bind(dying.documents);
      let left = writes;
      dying.documents.set = async (...args) => {
        if (left-- <= 0) throw new Error("killed");
        await set(...args);
      };
      await dying.sealAnew().catch(() => undefined);
      const again = await world.open(secretOf(2), secretOf(1));
      await again.sealAnew();
      const after = await world.open(secretOf(2));
      for (const guildId of ["1", "2", "3"]) assert.equal(await keyOf(after, guildId), `key-of-${guildId}`);
    }
  });

  test("can be changed again, and again keeps what servers are called", async () => {
    const world = new World();
    await world.link("1", secretOf(1));
    const sources = (await (await world.open(secretOf(1))).bindings.list("1")).map(({ source }) => source);
    for (const fill of [2, 3]) await (await world.open(secretOf(fill), secretOf(fill - 1))).sealAnew();
    const after = await world.open(secretOf(3));
    assert.equal(await keyOf(after, "1"), "key-of-1");
    assert.deepEqual(
      (await after.bindings.list("1")).map(({ source }) => source),
      sources,
    );
    assert.deepEqual(
      after.vault.derive("nonce"),
      (await new World().open(secretOf(1))).vault.derive("nonce"),
    );
  });

  test("on an empty store the old one is of no account", async () => {
    const world = new World();
    const opened = await world.open(secretOf(2), secretOf(1));
    assert.equal(await opened.sealAnew(), 0);
    await world.link("1", secretOf(2));
    assert.equal(await keyOf(await world.open(secretOf(2)), "1"), "key-of-1");
  });
});

describe("the form of the documents", () => {
  test("is marked at the first start, and documents of an earlier form stay as they are", async () => {
    const marks = new MemoryDocuments(parseFormMark);
    const world = new World();
    const bindings = new MemoryDocuments(parseGuildBindings, world.texts);
    assert.equal(await bringDocumentsToForm({ marks, bindings }), DOCUMENT_FORM);
    assert.deepEqual(await marks.get("documents"), { form: DOCUMENT_FORM });
    await world.link("1", secretOf(1));
    await marks.set("documents", { form: 2, store: "s" });
    const before = new Map(world.texts);
    assert.equal(await bringDocumentsToForm({ marks, bindings }), 2);
    assert.deepEqual(await marks.get("documents"), { form: DOCUMENT_FORM, store: "s" });
    assert.deepEqual(world.texts, before);
  });

  test("is a new one where an earlier Marshal could not read a run: the origins that it knows were these", () => {
    const origins = [
      "command",
      "button",
      "preset",
      "undo",
      "on-join",
      "schedule",
      "ban-end",
      "asked-ban",
      "rule",
      "rank",
    ];
    assert.deepEqual(
      { form: DOCUMENT_FORM, origins: RUN_ORIGINS },
      { form: 7, origins: [...origins, "appeal"] },
    );
  });

  test("that is not marked is refused in words where a server is linked", async () => {
    const world = new World();
    await world.link("1", secretOf(1));
    const marks = new MemoryDocuments(parseFormMark);
    const bindings = new MemoryDocuments(parseGuildBindings, world.texts);
    await assert.rejects(bringDocumentsToForm({ marks, bindings }), {
      name: "StoreError",
      message: /can't update/,
    });
    assert.deepEqual(marks.keys, []);
  });

  test("of a newer Marshal is refused in words", async () => {
    const marks = new MemoryDocuments(parseFormMark);
    const bindings = new MemoryDocuments(parseGuildBindings);
    await marks.set("documents", { form: DOCUMENT_FORM + 1 });
    await assert.rejects(bringDocumentsToForm({ marks, bindings }), {
      name: "StoreError",
      message: /newer Marshal/,
    });
  });
});
