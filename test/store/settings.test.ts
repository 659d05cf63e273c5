import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultSettings, type Feed } from "../../src/domain/guild.ts";
import { createFeedStore, createSettings } from "../../src/store/settings.ts";
import { parseFeed, parseSettings } from "../../src/store/shapes.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";

function settingsRig() {
  const documents = new MemoryDocuments(parseSettings);
  return { documents, settings: createSettings(documents) };
}

test("a guild that set nothing has the defaults, and reading writes nothing", async () => {
  const { documents, settings } = settingsRig();
  assert.deepEqual(await settings.of("g1"), defaultSettings);
  assert.equal(documents.writes, 0);
});

test("changes of one guild at once all count: none is lost between reading and writing", async () => {
  const { settings } = settingsRig();
  const names = Array.from({ length: 50 }, (_, index) => `preset-${index}`);
  await Promise.all(
    names.map((name) =>
      settings.change("g1", (now) => ({
        ...now,
        presets: [...now.presets, { name, text: ":h hello", createdBy: "1" }],
      })),
    ),
  );
  assert.deepEqual(
    (await settings.of("g1")).presets.map(({ name }) => name),
    names,
  );
});

test("guilds do not see each other's changes", async () => {
  const { settings } = settingsRig();
  await settings.change("g1", (now) => ({ ...now, auditRetentionDays: 7 }));
  assert.equal((await settings.of("g2")).auditRetentionDays, defaultSettings.auditRetentionDays);
  assert.equal((await settings.of("g1")).auditRetentionDays, 7);
});

test("a change answers what was kept", async () => {
  const { settings } = settingsRig();
  const changed = await settings.change("g1", (now) => ({ ...now, noticeChannelId: "5" }));
  assert.deepEqual(changed, await settings.of("g1"));
});

test("a change that throws changes nothing and does not stop the next", async () => {
  const { settings } = settingsRig();
  const bad = settings.change("g1", () => {
    throw new RangeError("no");
  });
  const good = settings.change("g1", (now) => ({ ...now, auditRetentionDays: 3 }));
  await assert.rejects(bad, RangeError);
  assert.equal((await good).auditRetentionDays, 3);
});

test("a store that fails is told to the caller; it never reads as the defaults", async () => {
  const { documents, settings } = settingsRig();
  documents.failure = new Error("disk full");
  await assert.rejects(settings.of("g1"), /disk full/);
  await assert.rejects(
    settings.change("g1", (now) => now),
    /disk full/,
  );
  documents.failure = undefined;
  assert.deepEqual(await settings.of("g1"), defaultSettings);
});

const feed = (id: string, over: Partial<Feed> = {}): Feed => ({
  ...{ id, guildId: "g1", bindingId: "b1", kind: "joins", channelId: "9", style: "lines", filter: {} },
  ...{ silent: false, state: "live", createdBy: "1", createdAtMs: 1 },
  ...over,
});

test("feeds are listed by guild, in the order in which they were made, however they were saved", async () => {
  const feeds = createFeedStore(new MemoryDocuments(parseFeed));
  await feeds.save(feed("late", { createdAtMs: 30 }));
  await feeds.save(feed("early", { createdAtMs: 10 }));
  await feeds.save(feed("other", { guildId: "g2" }));
  await feeds.save(feed("late", { createdAtMs: 30, state: "paused" }));
  assert.deepEqual(
    (await feeds.list("g1")).map(({ id, state }) => [id, state]),
    [
      ["early", "live"],
      ["late", "paused"],
    ],
  );
  assert.deepEqual(await feeds.list("g3"), []);
});

test("after a restart the index is made again from what is kept", async () => {
  const texts = new Map<string, string>();
  const before = createFeedStore(new MemoryDocuments(parseFeed, texts));
  await before.save(feed("f1"));
  await before.save(feed("f2", { createdAtMs: 2 }));
  await before.remove("g1", "f1");
  const after = createFeedStore(new MemoryDocuments(parseFeed, texts));
  await after.load();
  assert.deepEqual(
    (await after.list("g1")).map(({ id }) => id),
    ["f2"],
  );
});

test("a feed that is gone is gone, and removing it twice is no error", async () => {
  const feeds = createFeedStore(new MemoryDocuments(parseFeed));
  await feeds.save(feed("f1"));
  await feeds.remove("g1", "f1");
  await feeds.remove("g1", "f1");
  assert.deepEqual(await feeds.list("g1"), []);
  const all: Feed[] = [];
  for await (const one of feeds.all()) all.push(one);
  assert.deepEqual(all, []);
});
