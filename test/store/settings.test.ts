import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DEFAULT_SETTINGS, EMPTY_POLICY } from "../../src/domain/guild.ts";
import { parseSettings } from "../../src/store/document-schemas.ts";
import { createSettings } from "../../src/store/settings.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";

describe("a guild's settings", () => {
  test("are the defaults until something is set, and nothing is written for reading them", async () => {
    const documents = new MemoryDocuments(parseSettings);
    const settings = createSettings(documents);
    assert.deepEqual(await settings.of("g1"), DEFAULT_SETTINGS);
    assert.equal(documents.writes, 0);
  });

  test("come back as they were set, each part of them", async () => {
    const documents = new MemoryDocuments(parseSettings);
    const full = {
      noticeChannelId: "1",
      auditChannelId: "2",
      auditRetentionDays: 30,
      policies: {
        b1: {
          roleTiers: { r1: "manager", r2: "viewer" },
          allowed: [{ roleId: "r2", verb: "pm" }],
          denied: [{ roleId: "r1", verb: "ban" }],
          protectedPlayers: ["owner", "123"],
        },
      },
      presets: [{ name: "hello", text: ":h {text}", createdBy: "9" }],
    } as const;
    assert.deepEqual(await createSettings(documents).change("g1", () => full), full);
    assert.deepEqual(await createSettings(documents).of("g1"), full);
    assert.deepEqual(await createSettings(documents).of("g2"), DEFAULT_SETTINGS);
  });

  test("tell from memory who may run what, once they were read or written; a late reading brings nothing back", async () => {
    const documents = new MemoryDocuments(parseSettings);
    const policies = (tier: "moderator" | "manager") => ({
      b1: { ...EMPTY_POLICY, roleTiers: { r1: tier } },
    });
    await createSettings(documents).change("g1", (all) => ({ ...all, policies: policies("moderator") }));

    const settings = createSettings(documents);
    assert.equal(settings.known("g1"), undefined);
    const reading = settings.of("g1");
    await settings.change("g1", (all) => ({ ...all, policies: policies("manager") }));
    await reading;
    assert.deepEqual(settings.known("g1")?.policies, policies("manager"));
    const automaticPause = { byId: "u1", atMs: 5 };
    await settings.change("g1", (all) => ({ ...all, automaticPause }));
    assert.deepEqual(settings.known("g1")?.automaticPause, automaticPause);
    await settings.forgetGuild("g1");
    assert.deepEqual(settings.known("g1")?.policies, {});
    assert.equal(settings.known("g1")?.automaticPause, undefined);

    const next = createSettings(documents);
    await next.of("g2");
    assert.deepEqual(next.known("g2")?.policies, {}, "one that set nothing allows nobody anything");
  });

  test("are known from memory after all guilds were gone through, and unknown after a write that failed", async () => {
    const documents = new MemoryDocuments(parseSettings);
    await createSettings(documents).change("g1", (all) => all);
    const settings = createSettings(documents);
    for await (const _ of settings.guilds()) assert.ok(settings.known("g1") !== undefined);
    documents.refuseWrites = new Error("full");
    await assert.rejects(settings.change("g1", (all) => all));
    assert.equal(settings.known("g1"), undefined);
  });

  test("changes of one guild at the same time never lose one another", async () => {
    const settings = createSettings(new MemoryDocuments(parseSettings));
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        settings.change("g1", (now) => ({ ...now, policies: { ...now.policies, [`b${n}`]: EMPTY_POLICY } })),
      ),
    );
    assert.equal(Object.keys((await settings.of("g1")).policies).length, 40);
  });

  test("an edit that throws, or a store that fails, changes nothing and blocks nobody", async () => {
    const documents = new MemoryDocuments(parseSettings);
    const settings = createSettings(documents);
    const refused = settings.change("g1", () => {
      throw new RangeError("no");
    });
    const after = settings.change("g1", (now) => ({ ...now, auditRetentionDays: 7 }));
    await assert.rejects(refused, RangeError);
    assert.equal((await after).auditRetentionDays, 7);
    documents.failure = new Error("disk full");
    await assert.rejects(settings.of("g1"), /disk full/);
    await assert.rejects(
      settings.change("g1", (now) => now),
      /disk full/,
    );
    documents.failure = undefined;
    assert.equal((await settings.of("g1")).auditRetentionDays, 7);
  });

  test("go with the guild that removed the bot, and only its own", async () => {
    const documents = new MemoryDocuments(parseSettings);
    const settings = createSettings(documents);
    await settings.change("g1", (now) => ({ ...now, auditRetentionDays: 7 }));
    await settings.change("g2", (now) => ({ ...now, auditRetentionDays: 8 }));
    await settings.forgetGuild("g1");
    assert.deepEqual(await settings.of("g1"), DEFAULT_SETTINGS);
    assert.deepEqual(documents.keys, ["g2"]);
  });

  test("of a shape that this version does not know reject instead of reading as the defaults", async () => {
    const documents = new MemoryDocuments(parseSettings, new Map([["g1", '{"policies":"all"}']]));
    await assert.rejects(createSettings(documents).of("g1"));
  });
});
