import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Binding } from "../../src/domain/guild.ts";
import type { Demand, SourceId } from "../../src/domain/model.ts";
import { RecordedServers } from "../../src/history/recorded-servers.ts";
import { linkedServer } from "../support/bindings.ts";

function binding(guildId: string, id: string, source: string): Binding {
  return linkedServer({ id, guildId, source: source as SourceId, name: id, linkedAtMs: 5_000 });
}

function linksOf(bindings: readonly Binding[], isOurs: (guildId: string) => boolean = () => true) {
  const demanded = new Map<string, readonly string[]>();
  const links = new RecordedServers({
    tracked: new Set<string>(),
    bindings: {
      async *all() {
        yield* bindings;
      },
      list: async (guildId) => bindings.filter((one) => one.guildId === guildId),
    },
    demands: {
      put: (owner: string, demands: readonly Demand[]) =>
        void demanded.set(
          owner,
          demands.map(({ source }) => source),
        ),
    },
    isOurs,
    onChanged: () => undefined,
  });
  return { links, demanded };
}

describe("the servers that are recorded", () => {
  const shared = "s1" as SourceId;
  const all = [binding("g1", "b1", "s1"), binding("g2", "b2", "s1"), binding("g2", "b3", "s2")];

  test("are those of all guilds, each kept polled, but for guilds that want nothing recorded", async () => {
    const { links, demanded } = linksOf(all);
    await links.load();
    assert.deepEqual(
      links.of(shared).map(({ guildId, linkedAtS }) => [guildId, linkedAtS]),
      [
        ["g1", 5],
        ["g2", 5],
      ],
    );
    assert.deepEqual(demanded.get("history g2"), ["s1", "s2"]);
    links.turnOff("g2", true);
    assert.deepEqual(demanded.get("history g2"), []);
    assert.deepEqual(
      links.of(shared).map(({ guildId }) => guildId),
      ["g1"],
    );
  });

  test("are only those of the guilds that this process serves", async () => {
    const { links, demanded } = linksOf(all, (guildId) => guildId === "g2");
    await links.load();
    await links.refresh("g1");
    assert.deepEqual([...demanded.keys()], ["history g2"]);
    assert.deepEqual(
      links.of(shared).map(({ bindingId }) => bindingId),
      ["b2"],
    );
    assert.deepEqual(links.all(), [
      { guildId: "g2", bindingId: "b2" },
      { guildId: "g2", bindingId: "b3" },
    ]);
  });
});
