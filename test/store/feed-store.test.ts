import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Feed } from "../../src/domain/guild.ts";
import { parseFeed } from "../../src/store/document-schemas.ts";
import { createFeedStore } from "../../src/store/feed-store.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { collect } from "./contract.ts";

const feed = (id: string, guildId: string, createdAtMs: number): Feed => ({
  id,
  guildId,
  bindingId: "b1",
  kind: "modCalls",
  channelId: "c1",
  style: "cards",
  filter: { teams: ["Police"], players: ["123"], verbs: ["kick"] },
  pingRoleId: "r1",
  pingCooldownMs: 60_000,
  escalateAfterMs: 300_000,
  silent: false,
  state: "parked",
  parkedWhy: "the channel is gone",
  createdBy: "9",
  createdAtMs,
});

describe("the feeds of guilds", () => {
  test("are listed by guild, oldest first, with all that was saved", async () => {
    const store = createFeedStore(new MemoryDocuments(parseFeed));
    await store.save(feed("f2", "g1", 2));
    await store.save(feed("f1", "g1", 1));
    await store.save(feed("f3", "g2", 3));
    assert.deepEqual(await store.list("g1"), [feed("f1", "g1", 1), feed("f2", "g1", 2)]);
    assert.deepEqual(await store.list("g3"), []);
    assert.equal((await collect(store.all())).length, 3);
  });

  test("saving one again replaces it", async () => {
    const store = createFeedStore(new MemoryDocuments(parseFeed));
    await store.save(feed("f1", "g1", 1));
    await store.save({ ...feed("f1", "g1", 1), state: "live" });
    assert.deepEqual(
      (await store.list("g1")).map(({ state }) => state),
      ["live"],
    );
  });

  test("one is removed only by its own guild", async () => {
    const store = createFeedStore(new MemoryDocuments(parseFeed));
    await store.save(feed("f1", "g1", 1));
    await store.remove("g2", "f1");
    assert.equal((await store.list("g1")).length, 1);
    await store.remove("g1", "f1");
    await store.remove("g1", "f1");
    assert.deepEqual(await store.list("g1"), []);
    assert.deepEqual(await collect(store.all()), []);
  });

  test("a restart finds them again", async () => {
    const texts = new Map<string, string>();
    await createFeedStore(new MemoryDocuments(parseFeed, texts)).save(feed("f1", "g1", 1));
    const again = createFeedStore(new MemoryDocuments(parseFeed, texts));
    await collect(again.all());
    assert.deepEqual(await again.list("g1"), [feed("f1", "g1", 1)]);
  });

  test("what the store did not take is not listed", async () => {
    const documents = new MemoryDocuments(parseFeed);
    const store = createFeedStore(documents);
    documents.failure = new Error("disk full");
    await assert.rejects(store.save(feed("f1", "g1", 1)), /disk full/);
    documents.failure = undefined;
    assert.deepEqual(await store.list("g1"), []);
    await store.save(feed("f1", "g1", 1));
    documents.failure = new Error("disk full");
    await assert.rejects(store.remove("g1", "f1"), /disk full/);
    documents.failure = undefined;
    assert.equal((await store.list("g1")).length, 1);
  });
});
