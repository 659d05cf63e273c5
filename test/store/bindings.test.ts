import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import type { Binding } from "../../src/domain/guild.ts";
import type { ServerStatus } from "../../src/domain/model.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import { createBindings } from "../../src/store/bindings.ts";
import { parseGuildBindings } from "../../src/store/document-schemas.ts";
import { createVault } from "../../src/store/vault.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { serverStatus } from "../support/server-status.ts";

function rig(texts = new Map<string, string>(), secretFill = 1) {
  const documents = new MemoryDocuments(parseGuildBindings, texts);
  const hidden: string[] = [];
  const { bindings, keys } = createBindings({
    documents,
    vault: createVault({ secret: new Uint8Array(32).fill(secretFill) }),
    clock: new VirtualClock(),
    random: seededRandom(texts.size + 1),
    serversPerGuild: 10,
    hideSecret: (text) => hidden.push(text),
  });
  const link = async (guildId: string, key: string, name: string, over: Partial<ServerStatus> = {}) =>
    await bindings.link({ guildId, key: new ServerKey(key), status: status(name, over), byUserId: "7" });
  return { documents, texts, bindings, keys, hidden, link };
}

const status = (name: string, over: Partial<ServerStatus> = {}): ServerStatus =>
  serverStatus({ name, ownerId: 1, joinKey: `join-${name}`, ...over });

const names = (found: readonly Binding[]) => found.map(({ name }) => name);

test("a linked key opens for api, and stands nowhere in the store", async () => {
  const { texts, link, keys } = rig();
  const { binding, replaced } = await link("g1", "alpha-secret-key", "Alpha");
  assert.equal(replaced, undefined);
  assert.equal((await keys.keyOf(binding.source))?.reveal(), "alpha-secret-key");
  assert.ok([...texts.values()].every((text) => !text.includes("alpha-secret-key")));
});

test("what a guild reads of a binding has no seal", async () => {
  const { bindings, link } = rig();
  const { binding } = await link("g1", "alpha-secret-key", "Alpha");
  const read = [
    binding,
    await bindings.pick("g1"),
    ...(await bindings.list("g1")),
    ...(await bindings.bySource(binding.source)),
  ];
  for await (const one of bindings.all()) read.push(one);
  assert.equal(read.length, 5);
  for (const one of read) assert.ok(!("sealed" in one));
});

test("a seal copied to another guild's document does not open there", async () => {
  const { texts, link } = rig();
  const { binding } = await link("g1", "alpha-secret-key", "Alpha");
  texts.set("g2", (texts.get("g1") ?? "").replaceAll('"g1"', '"g2"'));
  texts.delete("g1");
  await link("g3", "another-key-1", "Own");
  const thief = rig(texts);
  await thief.bindings.load();
  await assert.rejects(thief.keys.keyOf(binding.source));
  assert.deepEqual(thief.hidden, []);
});

test("with a lost secret the start says so in words; a file without servers is no complaint", async () => {
  const { texts, link } = rig();
  await rig(new Map(), 2).bindings.load();
  await link("g1", "alpha-secret-key", "Alpha");
  await assert.rejects(rig(texts, 2).bindings.load(), { name: "StoreError", message: /SECRET_KEY/ });
});

test("one damaged copy of a key does not stop the other guilds that link it", async () => {
  const { texts, link } = rig();
  const { binding } = await link("g1", "shared-key-1", "Alpha");
  await link("g2", "shared-key-1", "Alpha");
  texts.set("g1", (texts.get("g1") ?? "").replace(/"sealed":"v1\.[^"]{8}/, '"sealed":"v1.AAAAAAAA'));
  const after = rig(texts);
  await after.bindings.load();
  assert.equal((await after.keys.keyOf(binding.source))?.reveal(), "shared-key-1");
});

test("each key is told to the log before it can be written: when it is linked and when it is opened", async () => {
  const { hidden, link, texts, keys } = rig();
  const { binding } = await link("g1", "alpha-secret-key", "Alpha");
  assert.deepEqual(hidden, ["alpha-secret-key"]);
  const after = rig(texts);
  await after.bindings.load();
  await after.keys.keyOf(binding.source);
  assert.deepEqual(after.hidden, ["alpha-secret-key"]);
  assert.equal(keys.sourceOf(new ServerKey("alpha-secret-key")), binding.source);
});

test("servers linked to one guild at once are all there, and no more than a guild may have", async () => {
  const { bindings, link } = rig();
  const wanted = Array.from({ length: 20 }, (_, index) => `Server ${String(index).padStart(2, "0")}`);
  const linked = await Promise.allSettled(wanted.map((name) => link("g1", `key-of-${name}`, name)));
  assert.deepEqual(names(await bindings.list("g1")), wanted.slice(0, 10));
  assert.equal(linked.filter(({ status: outcome }) => outcome === "rejected").length, 10);
});

test("a new key of the same server keeps its id, says which source it had, and erases the old key", async () => {
  const { bindings, link, keys } = rig();
  const first = await link("g1", "old-key-part", "Alpha");
  const second = await link("g1", "new-key-part", "Alpha renamed", { joinKey: "join-Alpha" });
  assert.equal(second.binding.id, first.binding.id);
  assert.equal(second.replaced, first.binding.source);
  assert.deepEqual(names(await bindings.list("g1")), ["Alpha renamed"]);
  assert.equal(await keys.keyOf(first.binding.source), undefined);
  assert.equal((await keys.keyOf(second.binding.source))?.reveal(), "new-key-part");
});

test("the same owner's other server, and another owner's same join key, are servers of their own", async () => {
  const { bindings, link } = rig();
  await link("g1", "key-number-1", "Alpha");
  await link("g1", "key-number-2", "Beta");
  await link("g1", "key-number-3", "Gamma", { joinKey: "join-Alpha", ownerId: 2 });
  assert.equal((await bindings.list("g1")).length, 3);
});

test("the same key linked again replaces nothing", async () => {
  const { bindings, link } = rig();
  const first = await link("g1", "alpha-secret-key", "Alpha");
  const again = await link("g1", "alpha-secret-key", "Alpha");
  assert.equal(again.replaced, undefined);
  assert.equal(again.binding.id, first.binding.id);
  assert.equal((await bindings.list("g1")).length, 1);
});

test("two guilds with one key are one source with two seals; the key lives as long as one of them links it", async () => {
  const { bindings, link, keys } = rig();
  const one = await link("g1", "shared-key-1", "Alpha");
  const two = await link("g2", "shared-key-1", "Alpha");
  const { source } = one.binding;
  assert.equal(two.binding.source, source);
  assert.deepEqual((await bindings.bySource(source)).map(({ guildId }) => guildId).sort(), ["g1", "g2"]);
  await bindings.unlink("g1", one.binding.id);
  assert.equal((await keys.keyOf(source))?.reveal(), "shared-key-1");
  await bindings.unlink("g2", two.binding.id);
  assert.equal(await keys.keyOf(source), undefined);
  assert.deepEqual(await bindings.bySource(source), []);
});

test("pick: the only one where nothing is said; by id, by name in any case, by the beginning of a name", async () => {
  const { bindings, link } = rig();
  const alpha = (await link("g1", "key-number-1", "Alpha")).binding;
  assert.equal((await bindings.pick("g1")).id, alpha.id);
  assert.equal((await bindings.pick("g1", "  ")).id, alpha.id);
  const beta = (await link("g1", "key-number-2", "Beta Town")).binding;
  const long = (await link("g1", "key-number-3", "Beta")).binding;
  assert.equal((await bindings.pick("g1", beta.id)).name, "Beta Town");
  assert.equal((await bindings.pick("g1", " ALPHA ")).id, alpha.id);
  assert.equal((await bindings.pick("g1", "beta t")).id, beta.id);
  assert.equal((await bindings.pick("g1", "beta")).id, long.id, "a whole name goes before a beginning");
});

test("pick: none, several without a name, and an unknown name say what there is to do", async () => {
  const { bindings, link } = rig();
  const refused = (pattern: RegExp) => (error: unknown) =>
    error instanceof Failure && error.code === "not-linked" && pattern.test(error.message);
  await assert.rejects(bindings.pick("g1"), refused(/No game server is linked/));
  await link("g1", "key-number-1", "Alpha");
  await link("g1", "key-number-2", "Beta");
  await assert.rejects(bindings.pick("g1"), refused(/Alpha, Beta/));
  await assert.rejects(bindings.pick("g1", "Gamma"), refused(/Gamma/));
  await assert.rejects(bindings.pick("g2", "Alpha"), refused(/No game server is linked/));
});

test("unlinking answers what is gone, once; another guild's id unlinks nothing", async () => {
  const { bindings, link, keys } = rig();
  const { binding } = await link("g1", "key-number-1", "Alpha");
  assert.equal(await bindings.unlink("g2", binding.id), undefined);
  assert.equal((await bindings.unlink("g1", binding.id))?.name, "Alpha");
  assert.equal(await bindings.unlink("g1", binding.id), undefined);
  assert.equal(await keys.keyOf(binding.source), undefined);
});

test("who reads what is linked has no way to open a key", async () => {
  const { bindings } = rig();
  assert.deepEqual(
    Object.keys(bindings).filter((name) => /key|seal|vault|open|source/i.test(name)),
    ["bySource"],
  );
});

test("a guild that removed the bot has no key any more; the same server linked again is the same binding", async () => {
  const { bindings, keys, texts, link } = rig();
  const before = await link("g1", "alpha-secret-key", "Alpha");
  await link("g1", "key-number-2", "Beta");
  await bindings.forgetGuild("g1");
  assert.deepEqual(await bindings.list("g1"), []);
  assert.equal(await keys.keyOf(before.binding.source), undefined);
  assert.doesNotMatch([...texts.values()].join(""), /sealed/);
  const other = await link("g1", "key-number-3", "Gamma");
  const after = await link("g1", "alpha-secret-key", "Alpha");
  assert.equal(after.binding.id, before.binding.id);
  assert.notEqual(other.binding.id, before.binding.id);
  await bindings.unlink("g1", after.binding.id);
  assert.notEqual((await link("g1", "alpha-secret-key", "Alpha")).binding.id, before.binding.id);
});

test("a guild that removed the bot leaves nothing behind; others keep theirs", async () => {
  const { bindings, documents, link } = rig();
  const one = await link("g1", "shared-key-1", "Alpha");
  await link("g1", "key-number-2", "Beta");
  await link("g2", "shared-key-1", "Alpha");
  await bindings.forgetGuild("g1");
  await bindings.forgetFormer("g1");
  assert.deepEqual(documents.keys, ["g2"]);
  assert.deepEqual(
    (await bindings.bySource(one.binding.source)).map(({ guildId }) => guildId),
    ["g2"],
  );
});

test("after a restart each source is found by what is kept", async () => {
  const { texts, link } = rig();
  const { binding } = await link("g1", "alpha-secret-key", "Alpha");
  const after = rig(texts);
  assert.deepEqual(await after.bindings.bySource(binding.source), []);
  await after.bindings.load();
  assert.deepEqual(names(await after.bindings.bySource(binding.source)), ["Alpha"]);
});

test("a store that fails never reads as not linked, and a link that was not written is not known", async () => {
  const { bindings, documents, link, keys } = rig();
  documents.failure = new Error("disk full");
  await assert.rejects(bindings.pick("g1"), /disk full/);
  await assert.rejects(link("g1", "alpha-secret-key", "Alpha"), /disk full/);
  documents.failure = undefined;
  assert.deepEqual(await bindings.list("g1"), []);
  assert.equal(await keys.keyOf(keys.sourceOf(new ServerKey("alpha-secret-key"))), undefined);
});

test("the eleventh server of a guild is refused in words; a new key for one of the ten is not", async () => {
  const { bindings, link } = rig();
  for (let server = 1; server <= 10; server++) {
    await bindings.checkRoom("g1", status(`S${server}`));
    await link("g1", `secret-key-${server}`, `S${server}`);
  }
  const refusal = {
    code: "bad-command",
    message: /10 game servers .* The maximum is 10\. Unlink one/,
  };
  await assert.rejects(link("g1", "secret-key-11", "S11"), refusal);
  await assert.rejects(bindings.checkRoom("g1", status("S11")), refusal);
  assert.equal((await bindings.list("g1")).length, 10);
  await bindings.checkRoom("g1", status("S3"));
  assert.notEqual((await link("g1", "secret-key-3b", "S3")).replaced, undefined);
  await link("g2", "secret-key-11", "S11");
  await bindings.unlink("g1", (await bindings.pick("g1", "S1")).id);
  await link("g1", "secret-key-11", "S11");
});

test("two servers of one name are told apart, and what people renamed keeps its name under a new key", async () => {
  const { bindings, link } = rig();
  const first = await link("g1", "key-number-1", "Alpha");
  const second = await link("g1", "key-number-2", "Alpha", { joinKey: "other" });
  assert.deepEqual(names(await bindings.list("g1")), ["Alpha", "Alpha 2"]);
  await assert.rejects(bindings.rename("g1", second.binding.id, " alpha "), Failure);
  const renamed = await bindings.rename("g1", second.binding.id, "Night");
  assert.deepEqual([renamed?.name, renamed?.formerNames], ["Night", ["Alpha 2"]]);
  assert.equal((await bindings.pick("g1", "night")).id, second.binding.id);
  await link("g1", "key-number-3", "Alpha", { joinKey: "other" });
  assert.deepEqual(names(await bindings.list("g1")), ["Alpha", "Night"]);
  assert.equal((await bindings.pick("g1", "Alpha")).id, first.binding.id);
  assert.equal(await bindings.rename("g2", second.binding.id, "Stolen"), undefined);
});

test("the last four characters of a key are kept to tell it by, of a short key none", async () => {
  const { link } = rig();
  assert.equal((await link("g1", "alpha-secret-wxyz", "Alpha")).binding.keyEnd, "wxyz");
  assert.equal((await link("g1", "short-key", "Beta")).binding.keyEnd, undefined);
});

test("a server whose join key was changed since keeps its id with its next key, in each guild, also after a restart", async () => {
  const { bindings, link, texts, documents } = rig();
  const { binding } = await link("g1", "key-number-1", "Alpha");
  const other = await link("g2", "key-number-1", "Alpha");
  await link("g1", "key-number-9", "Beta");
  const changed = { joinKey: "changed" };
  const writes = () => documents.writes;
  await bindings.onSeen(binding.source, status("Alpha"));
  assert.equal(writes(), 3, "nothing has changed");
  await bindings.onSeen(binding.source, status("Alpha", changed));
  await bindings.onSeen(binding.source, status("Alpha", changed));
  assert.equal(writes(), 5, "once for each guild");
  const later = rig(texts);
  await later.bindings.load();
  await later.bindings.onSeen(binding.source, status("Alpha", changed));
  for (const [guildId, { id }] of [
    ["g1", binding],
    ["g2", other.binding],
  ] as const) {
    const after = await later.link(guildId, "key-number-2", "Alpha", changed);
    assert.equal(after.binding.id, id);
    assert.equal(after.replaced, binding.source);
  }
  assert.deepEqual(names(await later.bindings.list("g1")), ["Beta", "Alpha"]);
});

test("roles that were chosen with a key are kept until all have gone along with its link, also where it is linked again", async () => {
  const { texts, bindings } = rig();
  const wanted = { guildId: "g1", status: status("Alpha"), byUserId: "7" };
  const key = new ServerKey("alpha-first-key");
  await bindings.link({ ...wanted, key, moderatorRoleIds: ["staff"] });
  const again = rig(texts);
  await again.bindings.load();
  assert.deepEqual(again.bindings.unfinished()[0]?.moderatorRoleIds, ["staff"]);
  const { binding, moderatorRoleIds } = await again.bindings.link({ ...wanted, key });
  assert.deepEqual(moderatorRoleIds, ["staff"]);
  await again.bindings.onFinished(binding);
  assert.equal((await again.bindings.link({ ...wanted, key })).moderatorRoleIds, undefined);
});

test("a link counts as unfinished, with the key that it replaced, until all have gone along, restarts or not", async () => {
  const { texts, link } = rig();
  const first = await link("g1", "alpha-first-key", "Alpha");
  const next = await link("g1", "alpha-second-key", "Alpha");
  const again = rig(texts);
  await again.bindings.load();
  assert.deepEqual(again.bindings.unfinished(), [{ binding: next.binding, replaced: first.binding.source }]);
  assert.equal((await again.link("g1", "alpha-second-key", "Alpha")).replaced, first.binding.source);
  await again.bindings.onFinished(first.binding);
  await again.bindings.load();
  assert.equal(again.bindings.unfinished().length, 1, "an older link of this server was finished");
  await again.bindings.onFinished(next.binding);
  await again.bindings.load();
  assert.deepEqual(again.bindings.unfinished(), []);
});
