import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Exchange } from "../../src/sandbox/discord/types.ts";
import type { Community } from "../bench/communities.ts";
import { type Fleet, isWaiting } from "../support/fleet.ts";
import { needsRedis } from "../support/redis-server.ts";
import { openBlocks } from "./blocks-fleet.ts";

describe("commands of a server that communities of two blocks have linked", needsRedis(), () => {
  let fleet: Fleet;
  before(async () => {
    fleet = await openBlocks(5);
    await fleet.begin();
  });
  after(() => fleet.close());
  afterEach((t) => {
    if ("passed" in t && t.passed === false) fleet.tell();
  });

  const texts = () => fleet.service.counts.executions.map(({ text }) => text);
  const ask = async ({ moderator, general }: Community, text: string) =>
    await moderator.slash(general, "run command", { text });
  /** Waits until nobody of them waits any more, and holds their answers against what they should say. */
  const answered = async (asked: readonly Exchange[], says: RegExp) => {
    await fleet.until("all answered", () => asked.every((one) => !isWaiting(one)) || undefined);
    assert.deepEqual(
      asked.filter(({ text }) => !says.test(text)).map(({ text }) => text),
      [],
    );
    const { answers429, avoidable } = fleet.service.counts;
    assert.deepEqual({ answers429, avoidable }, { answers429: 0, avoidable: 0 });
  };

  test("go in turn, one in a window, and none is refused", async () => {
    const [host, guest] = fleet.neighbours;
    assert.notEqual(await fleet.holderOf(host), await fleet.holderOf(guest));
    const before = texts().length;
    const asked: Exchange[] = [];
    // Two that are asked at the same moment have no order: each is in the queue before the next is asked.
    const queued = async (community: Community, text: string) => {
      const exchange = await ask(community, text);
      asked.push(exchange);
      await fleet.until(`${text} in the queue`, () => !exchange.pending || undefined);
    };
    for (const text of [":h host 1", ":h host 2", ":h host 3"]) await queued(host, text);
    for (const text of [":h guest 1", ":h guest 2"]) await queued(guest, text);
    await answered(asked, /It ran/);
    const ran = texts().slice(before);
    assert.deepEqual(ran.toSorted(), [":h guest 1", ":h guest 2", ":h host 1", ":h host 2", ":h host 3"]);
    assert.deepEqual(
      ran.filter((text) => text.startsWith(":h host")),
      [":h host 1", ":h host 2", ":h host 3"],
    );
    assert.ok(ran.indexOf(":h guest 2") < ran.indexOf(":h host 3"), `in turn: ${ran.join(", ")}`);
  });

  test("a process that is killed with one under way frees them; what it sent is not sent again", async () => {
    const [host, guest] = fleet.neighbours;
    // Its answer never comes while the process lives.
    fleet.service.faults.set({ only: "commands", late: 1, lateMs: 60_000 });
    const cut = await ask(host, ":h cut off");
    await fleet.until("the command at the game", () => texts().includes(":h cut off") || undefined);
    fleet.service.faults.set({ only: "all", late: 0 });
    const killed = await fleet.holderOf(host);
    const next = await ask(guest, ":h the next one");
    await killed.kill();
    await answered([next], /It ran/);
    killed.start();
    await fleet.served();
    // At first its answer says that it may have run.
    await fleet.until("what the log shows", () => /log shows it/.test(cut.text) || undefined);
    await answered([cut], /It ran[\s\S]*log shows it/);
    assert.equal(texts().filter((text) => text === ":h cut off").length, 1);
  });
});
