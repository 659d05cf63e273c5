import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { StoreError } from "../../src/domain/failure.ts";
import type { Binding } from "../../src/domain/guild.ts";
import type { SourceId } from "../../src/domain/model.ts";
import {
  createGuildLifecycle,
  type GuildLifecycle,
  type GuildLifecycleParts,
} from "../../src/guild-lifecycle.ts";

const binding: Binding = {
  id: "b1",
  guildId: "g1",
  source: "s1" as SourceId,
  name: "Town",
  ownerId: 1,
  joinKey: "town",
  linkedBy: "1",
  linkedAtMs: 0,
};

/** These write nothing, and without a note of the removal or with the key still there nothing else may go. */
const NEVER_REFUSED = [
  "service.forget",
  "cases.forgetServer",
  "retention.recordRemoval",
  "bindings.forgetGuild",
];

/** A lifecycle whose wings only note what they are told; the store refuses one of them what it writes. */
function world(linked: readonly Binding[], refused?: string) {
  const told: string[] = [];
  const reports: string[] = [];
  const finished: string[] = [];
  let now = linked;
  const wing = (name: string): object =>
    new Proxy(
      {},
      {
        get: (_, method) => async () => {
          told.push(`${name}.${String(method)}`);
          if (told.at(-1) === refused) throw new StoreError(`the store refused ${refused}`);
        },
      },
    );
  const bindings = {
    unfinished: () => [{ binding, replaced: "s0" as SourceId, moderatorRoleIds: ["staff"] }],
    onFinished: async () => void finished.push(binding.id),
    list: async () => now,
    bySource: async () => now,
    async forgetGuild() {
      told.push("bindings.forgetGuild");
      now = [];
    },
  };
  const names = [
    "retention",
    "service",
    "feeds",
    "journal",
    "panels",
    "runs",
    "sessions",
    "rules",
    "alerts",
    "serviceEvents",
    "settings",
  ];
  const wings = Object.fromEntries(names.map((name) => [name, wing(name)]));
  const history = { wing: wing("history"), cases: wing("cases"), weekly: wing("weekly") };
  const report = (what: string) => void reports.push(what);
  const parts = { ...wings, bindings, history, report } as unknown as GuildLifecycleParts;
  return {
    lifecycle: createGuildLifecycle(parts),
    told,
    reports,
    finished,
    unfinished: bindings.unfinished(),
  };
}

/** Each that is told something where all goes well is refused once, and all others have to be told then too. */
async function assertAllTold(
  linked: readonly Binding[],
  act: (lifecycle: GuildLifecycle) => Promise<unknown>,
): Promise<void> {
  const good = world(linked);
  await act(good.lifecycle);
  for (const refused of good.told.filter((call) => !NEVER_REFUSED.includes(call))) {
    const bad = world(linked, refused);
    await assert.rejects(act(bad.lifecycle), StoreError, refused);
    assert.deepEqual(bad.told, good.told, `${refused} was refused`);
    assert.deepEqual(bad.reports, [], "what is thrown is not reported too");
  }
}

describe("what the store refuses to one wing keeps no other from going along", () => {
  test("where a guild removes the bot", async () => {
    await assertAllTold([binding], ({ listener }) => listener.onGuildRemoved("g1"));
  });

  test("where a server is unlinked", async () => {
    await assertAllTold([], ({ onLink }) => onLink.onUnlinked(binding));
  });

  test("where a server is linked", async () => {
    await assertAllTold([binding], ({ onLink }) => onLink.onLinked({ binding, moderatorRoleIds: ["staff"] }));
  });
});

test("a guild that is back and links its server while its removal is under way gets its alerts and feeds after that", async () => {
  const { lifecycle, told } = world([binding]);
  const removal = lifecycle.listener.onGuildRemoved("g1");
  await Promise.all([removal, lifecycle.onLink.onLinked({ binding })]);
  const places = ["alerts.onGuildRemoved", "alerts.onLinksChanged", "retention.restoreFeeds"];
  assert.deepEqual(
    told.filter((call) => places.includes(call)),
    places,
  );
});

test("a stop waits for a removal that is under way", async () => {
  const { lifecycle, told } = world([binding]);
  const removal = lifecycle.listener.onGuildRemoved("g1");
  await lifecycle.settled();
  assert.ok(told.includes("alerts.onGuildRemoved"), "its last wing was told");
  await removal;
});

test("a link at which the process before ended is finished at the start; one that the store refuses then, at the next", async () => {
  const asked = world([binding]);
  const [linked = { binding }] = asked.unfinished;
  await asked.lifecycle.onLink.onLinked(linked);
  const good = world([binding]);
  await good.lifecycle.finishLinks();
  assert.deepEqual(good.told, asked.told);
  assert.ok(
    ["journal.replaced", "settings.change", "retention.restoreFeeds"].every((call) =>
      good.told.includes(call),
    ),
  );
  assert.deepEqual([good.finished, good.reports], [["b1"], []]);
  const bad = world([binding], "journal.replaced");
  await bad.lifecycle.finishLinks();
  assert.deepEqual([bad.finished, bad.reports.length], [[], 1]);
  // What could not move stays in the journal of the key before.
  assert.deepEqual(
    good.told.filter((call) => !bad.told.includes(call)),
    ["journal.unlinked"],
  );
});
