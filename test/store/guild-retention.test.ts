import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure, StoreError } from "../../src/domain/failure.ts";
import { DEFAULT_SETTINGS, type Feed } from "../../src/domain/guild.ts";
import type { Snapshot, SourceId } from "../../src/domain/model.ts";
import type { NewFeed } from "../../src/domain/ports/feeds.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import { createBindings } from "../../src/store/bindings.ts";
import {
  parseFeed,
  parseGuildBindings,
  parseRemovedGuild,
  parseSettings,
} from "../../src/store/document-schemas.ts";
import { createFeedStore } from "../../src/store/feed-store.ts";
import { GuildRetention } from "../../src/store/guild-retention.ts";
import { createSettings } from "../../src/store/settings.ts";
import { createVault } from "../../src/store/vault.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { serverStatus } from "../support/server-status.ts";

const DAY_MS = 24 * 3_600_000;

/** The store of one host with guilds that come and go; `restart` keeps what is stored and nothing else. */
class Host {
  readonly clock = new VirtualClock();
  readonly texts = {
    bindings: new Map(),
    settings: new Map(),
    feeds: new Map(),
    departed: new Map(),
    banEnds: new Map(),
  };
  readonly here = new Map<string, boolean | undefined>();
  readonly pruned: string[] = [];
  readonly accountsForgotten: string[] = [];
  readonly alertsForgotten: string[] = [];
  readonly reports: string[] = [];
  /** The guild whose audit can't be read. */
  damaged: string | undefined;
  bindings = this.#open().bindings;
  settings = createSettings(new MemoryDocuments(parseSettings, this.texts.settings));
  feedStore = createFeedStore(new MemoryDocuments(parseFeed, this.texts.feeds));
  departed = this.#departed();

  #open() {
    return createBindings({
      documents: new MemoryDocuments(parseGuildBindings, this.texts.bindings),
      vault: createVault({ secret: new Uint8Array(32).fill(1) }),
      clock: this.clock,
      random: seededRandom(3),
      serversPerGuild: 10,
      hideSecret: () => undefined,
    });
  }

  #departed(): GuildRetention {
    return new GuildRetention({
      documents: new MemoryDocuments(parseRemovedGuild, this.texts.departed),
      bindings: this.bindings,
      settings: this.settings,
      feedStore: this.feedStore,
      audit: {
        prune: async (guildId, beforeMs) => {
          if (guildId === this.damaged) throw new StoreError("audit-lists has a shape that cannot be read");
          assert.ok(beforeMs > this.clock.nowMs(), "nothing is younger");
          this.pruned.push(guildId);
          return 0;
        },
      },
      accounts: { forgetGuild: async (guildId) => void this.accountsForgotten.push(guildId) },
      several: [new MemoryDocuments((value) => value as { guildId: string }, this.texts.banEnds)],
      alertRules: { delete: async (guildId) => void this.alertsForgotten.push(guildId) },
      clock: this.clock,
      keepMs: 30 * DAY_MS,
      isHere: (guildId) => this.here.get(guildId),
      report: (what) => void this.reports.push(what),
    });
  }

  restart(): void {
    this.departed.stop();
    this.bindings = this.#open().bindings;
    this.settings = createSettings(new MemoryDocuments(parseSettings, this.texts.settings));
    this.feedStore = createFeedStore(new MemoryDocuments(parseFeed, this.texts.feeds));
    this.departed = this.#departed();
    this.departed.start();
  }

  async link(guildId: string): Promise<string> {
    const key = new ServerKey("alpha-key");
    return (await this.bindings.link({ guildId, key, status: serverStatus(), byUserId: "1" })).binding.id;
  }

  /** A guild with a server, a setting and two feeds. */
  async settle(guildId: string): Promise<string> {
    this.here.set(guildId, true);
    const bindingId = await this.link(guildId);
    await this.settings.change(guildId, (before) => ({ ...before, auditRetentionDays: 7 }));
    for (const [id, state] of [
      ["live", "live"],
      ["paused", "paused"],
    ] as const) {
      await this.feedStore.save({
        ...feed(guildId, bindingId),
        id: `${guildId}-${id}`,
        channelId: id,
        state,
      });
    }
    return bindingId;
  }

  /** What main does when the bot is removed. */
  async leave(guildId: string): Promise<void> {
    this.here.set(guildId, false);
    await this.departed.recordRemoval(guildId);
    await this.bindings.forgetGuild(guildId);
    for (const { id } of await this.feedStore.list(guildId)) await this.feedStore.remove(guildId, id);
  }

  async known(): Promise<string[]> {
    const found = new Set<string>();
    for await (const guildId of this.departed.guildsToCheck()) found.add(guildId);
    return [...found];
  }
}

function feed(guildId: string, bindingId: string): Feed {
  return {
    id: "f",
    guildId,
    bindingId,
    kind: "joins",
    channelId: "c",
    style: "lines",
    filter: {},
    silent: false,
    state: "live",
    createdBy: "1",
    createdAtMs: 0,
  };
}

/** The registry, as far as a returning guild needs it. */
function registry(refuse = false) {
  const said: string[] = [];
  return {
    said,
    add: async (wanted: NewFeed): Promise<Feed> => {
      if (refuse) throw new Failure("bad-command", "That channel has such a feed already.");
      said.push(`add ${wanted.channelId}`);
      return { ...feed(wanted.guildId, wanted.bindingId), id: `new-${wanted.channelId}` };
    },
    pause: async (_guildId: string, feedId: string): Promise<undefined> => void said.push(`pause ${feedId}`),
  };
}

describe("a guild that removed the bot", () => {
  test("finds its settings and feeds when it returns within thirty days, restarts or not", async () => {
    const host = new Host();
    const bindingId = await host.settle("g1");
    await host.leave("g1");
    assert.deepEqual([...host.texts.feeds.keys()], []);
    await host.clock.advance(12 * DAY_MS);
    host.restart();
    await host.clock.advance(17 * DAY_MS);
    host.here.set("g1", true);
    assert.equal((await host.settings.of("g1")).auditRetentionDays, 7);
    assert.equal(await host.link("g1"), bindingId);
    const feeds = registry();
    assert.equal(await host.departed.restoreFeeds("g1", "another server", feeds), 0);
    assert.equal(await host.departed.restoreFeeds("g1", bindingId, feeds), 2);
    assert.deepEqual(feeds.said, ["add live", "add paused", "pause new-paused"]);
    assert.equal(await host.departed.restoreFeeds("g1", bindingId, feeds), 0);
    // The note goes; what the guild uses again stays.
    await host.clock.advance(10 * DAY_MS);
    assert.deepEqual([...host.texts.departed.keys()], []);
    assert.equal((await host.settings.of("g1")).auditRetentionDays, 7);
    assert.deepEqual(host.pruned, []);
    host.departed.stop();
  });

  test("is forgotten for good thirty days after it left, restarts or not; others are not", async () => {
    const host = new Host();
    await host.settle("g1");
    await host.settle("g2");
    await host.leave("g1");
    for (const guildId of ["g1", "g2"]) host.texts.banEnds.set(`${guildId}:b`, JSON.stringify({ guildId }));
    host.restart();
    await host.clock.advance(20 * DAY_MS);
    host.restart();
    await host.clock.advance(9 * DAY_MS);
    assert.deepEqual(host.pruned, []);
    await host.clock.advance(2 * DAY_MS);
    assert.deepEqual(host.pruned, ["g1"]);
    assert.deepEqual(host.accountsForgotten, ["g1"]);
    assert.deepEqual(host.alertsForgotten, ["g1"]);
    assert.deepEqual([...host.texts.banEnds.keys()], ["g2:b"]);
    assert.deepEqual(await host.settings.of("g1"), DEFAULT_SETTINGS);
    for (const texts of Object.values(host.texts)) {
      // Not between letters: what is sealed is random ones.
      assert.doesNotMatch(JSON.stringify([...texts]), /(?<![a-z0-9])g1(?![a-z0-9])/i);
    }
    assert.equal((await host.settings.of("g2")).auditRetentionDays, 7);
    assert.deepEqual(host.reports, []);
    host.departed.stop();
  });

  test("keeps its settings when it returns without linking a server, or links one while the bot is not seen there", async () => {
    const host = new Host();
    for (const guildId of ["g1", "g2"]) {
      await host.settle(guildId);
      await host.leave(guildId);
    }
    host.restart();
    await host.clock.advance(20 * DAY_MS);
    host.here.set("g1", true);
    await host.link("g2");
    await host.clock.advance(20 * DAY_MS);
    for (const guildId of ["g1", "g2"])
      assert.equal((await host.settings.of(guildId)).auditRetentionDays, 7, guildId);
    assert.deepEqual(host.pruned, []);
    host.departed.stop();
  });

  test("stays while it is not known whether the bot is there", async () => {
    const host = new Host();
    await host.settle("g1");
    await host.leave("g1");
    host.here.set("g1", undefined);
    host.restart();
    await host.clock.advance(40 * DAY_MS);
    assert.deepEqual(host.pruned, []);
    host.here.set("g1", false);
    await host.clock.advance(DAY_MS);
    assert.deepEqual(host.pruned, ["g1"]);
    host.departed.stop();
  });

  test("is asked about at the start until its leaving is noted and its keys are gone", async () => {
    const host = new Host();
    await host.settle("g1");
    assert.deepEqual(await host.known(), ["g1"]);
    await host.departed.recordRemoval("g1");
    assert.deepEqual(await host.known(), ["g1"], "the process died before its keys went");
    await host.bindings.forgetGuild("g1");
    assert.deepEqual(await host.known(), []);
  });

  test("noted twice keeps the feeds of the first time; one that cannot begin again is let go", async () => {
    const host = new Host();
    const bindingId = await host.settle("g1");
    await host.leave("g1");
    await host.departed.recordRemoval("g1");
    assert.equal(await host.departed.restoreFeeds("g1", bindingId, registry(true)), 0);
    assert.equal(await host.departed.restoreFeeds("g1", bindingId, registry()), 0);
    assert.deepEqual(host.reports, []);
  });

  test("keeps no other from being forgotten where what is stored of it cannot be read", async () => {
    const host = new Host();
    for (const guildId of ["g1", "g2"]) {
      await host.settle(guildId);
      await host.leave(guildId);
    }
    host.damaged = "g1";
    host.restart();
    await host.clock.advance(31 * DAY_MS);
    assert.deepEqual(host.pruned, ["g2"]);
    assert.ok(host.reports.length > 0);
    host.damaged = undefined;
    await host.clock.advance(DAY_MS);
    assert.deepEqual(host.pruned, ["g2", "g1"]);
    host.departed.stop();
  });

  test("keeps what is kept of it for thirty days by the game service's clock where this machine's was set ahead", async () => {
    const host = new Host();
    await host.settle("g1");
    await host.leave("g1");
    host.restart();
    const look = { source: "s" as SourceId, takenAtMs: host.clock.nowMs(), lists: {} } as Snapshot;
    await host.departed.take({ ...look, serviceAtMs: host.clock.nowMs() });
    host.clock.step(40 * DAY_MS);
    await host.clock.advance(2 * DAY_MS);
    assert.deepEqual(host.pruned, []);
    await host.clock.advance(29 * DAY_MS);
    assert.deepEqual(host.pruned, ["g1"]);
    host.departed.stop();
  });

  test("gets back the feeds of two servers that are linked at the same moment, each once", async () => {
    const host = new Host();
    const bindingId = await host.settle("g1");
    await host.feedStore.save({ ...feed("g1", "other"), id: "of-other", channelId: "other" });
    await host.leave("g1");
    const feeds = registry();
    const restore = (id: string) => host.departed.restoreFeeds("g1", id, feeds);
    assert.deepEqual(await Promise.all([restore(bindingId), restore("other")]), [2, 1]);
    // A key that is replaced comes here too: what was removed since must not come back with it.
    assert.deepEqual([await restore(bindingId), await restore("other")], [0, 0]);
    assert.deepEqual(feeds.said.toSorted(), ["add live", "add other", "add paused", "pause new-paused"]);
  });
});
