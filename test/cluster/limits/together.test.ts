import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SourceId } from "../../../src/domain/model.ts";
import { createWatch, type Watch } from "../../../src/watch/watch.ts";
import { seededRandom } from "../../support/clock.ts";
import { FakeMetrics } from "../../support/network.ts";
import { worlds } from "../../support/worlds.ts";
import { Crew, keyText, type Member } from "./crew.ts";

const LIMIT = { limit: 35, windowMs: 1_000 };
/** So many of 1,000 answers may be a refusal. */
const MOST_429 = 1;

function crew(seed: number, more: Partial<ConstructorParameters<typeof Crew>[0]> = {}): Crew {
  const limits = { global: LIMIT, align: "clock" as const };
  return new Crew({ seed, blocks: 4, keys: 20, service: { limits }, ...more });
}

describe("several processes that ask from one address", () => {
  test("use the limit together and draw no refusal", async () => {
    const together = crew(1);
    await together.start();
    await together.load(60_000);
    const { requests, answers429, avoidable, byStatus } = together.service.counts;
    assert.ok(answers429 * 1_000 <= MOST_429 * requests, `${answers429} of ${requests}`);
    assert.equal(avoidable, 0);
    const used = (byStatus.get(200) ?? 0) / (LIMIT.limit * 60);
    assert.ok(used >= 0.85, `${used}`);
  });

  test("one that wants more gets more", async () => {
    const together = crew(2);
    await together.start();
    together.member(0).demand = 5;
    await together.load(20_000);
    const shares = together.members.map(({ client }) => client.state().buckets.at(-1)?.share ?? 0);
    assert.ok((shares[0] ?? 0) >= 20, shares.join(" "));
    assert.ok(shares.reduce((sum, share) => sum + share, 0) <= LIMIT.limit, shares.join(" "));
    assert.ok(shares.every((share) => share >= 1));
  });

  test("what one is told to stop, all stop; after it one probe goes, and then all go on", async () => {
    const together = crew(3);
    await together.start();
    await together.load(5_000);
    const [first] = together.members;
    if (first === undefined) assert.fail();
    together.service.faults.set({ tooMany: 1, tooManyRetryAfterMs: 60_000 });
    const [source] = first.sources;
    const asked = first.client.read(source ?? assert.fail(), [], { priority: "poll" }).catch(() => undefined);
    await together.clock.until(() => first.client.halt() !== undefined);
    together.service.faults.set({ tooMany: 0 });
    // What was written before is on its way.
    await together.clock.advance(200);
    const sent = together.service.counts.requests;
    await together.load(2_000);
    await together.within(asked);
    assert.equal(together.service.counts.requests, sent, "nobody sends anything");
    assert.ok(
      together.members.every(({ client }) => client.halt() !== undefined),
      "everybody knows",
    );
    await together.load(75_000);
    assert.equal(together.service.counts.avoidable, 0);
    assert.ok(together.service.counts.requests > sent + 100);
    assert.ok(together.members.every(({ client }) => client.halt() === undefined));
  });

  test("whatever happens to Redis and to processes, nothing is sent beyond the limit", async () => {
    for (const seed of worlds([1], [2, 3])) {
      const random = seededRandom(seed);
      const together = crew(seed + 10, { blocks: 3, keys: 8 });
      await together.start();
      for (let round = 0; round < 20; round++) {
        const dice = random.next();
        if (dice < 0.15) together.redis.isGone = true;
        else if (dice < 0.35) together.redis.isGone = false;
        else if (dice < 0.45) {
          const [oldest] = together.members;
          oldest?.kill();
          together.members.shift();
          const heir = together.join(
            Array.from({ length: 8 }, (_, n) => keyText(seed + 10, Math.floor(random.next() * 3) * 8 + n)),
          );
          together.redis.isGone = false;
          await together.within(heir.client.restore());
        }
        for (const member of together.members) member.demand = 1 + Math.floor(random.next() * 4);
        await together.load(2_500);
      }
      const { requests, answers429, avoidable } = together.service.counts;
      assert.ok(requests > 200, `seed ${seed}: ${requests}`);
      assert.ok(answers429 * 1_000 <= MOST_429 * requests, `seed ${seed}: ${answers429} of ${requests}`);
      assert.equal(avoidable, 0, `seed ${seed}`);
    }
  });

  test("while Redis is away nothing is sent, and afterwards all goes on", async () => {
    const together = crew(5);
    await together.start();
    await together.load(5_000);
    together.redis.isGone = true;
    await together.load(1_000);
    const before = together.service.counts.requests;
    await together.load(10_000);
    assert.equal(together.service.counts.requests, before);
    together.redis.isGone = false;
    await together.load(10_000);
    assert.ok(together.service.counts.requests > before + 100);
  });
});

/** The polls of a process, of all its servers. */
function polling(crew: Crew, { client, sources }: Member, n: number): Watch {
  const watch = createWatch({
    client,
    health: client,
    clock: crew.clock,
    random: seededRandom(n),
    metrics: new FakeMetrics(),
    onDefect: (error) => assert.fail(String(error)),
  });
  watch.demands.put(
    "feeds",
    sources.map((source) => ({ source, lists: ["joinLogs"] as const })),
  );
  watch.start();
  return watch;
}

describe("the budget of bad keys of several processes", () => {
  for (const { seed, blocks, perSecond } of worlds(
    [{ seed: 10, blocks: 3, perSecond: 20 }],
    [
      { seed: 16, blocks: 3, perSecond: 35 },
      { seed: 2, blocks: 5, perSecond: 20 },
    ],
  ))
    test(`that an outage used up: ${blocks} processes poll on within a minute (seed ${seed})`, async () => {
      const service = { limits: { global: { limit: perSecond, windowMs: 1_000 } } };
      const together = crew(seed, { blocks, keys: 10, badKeyBudget: 8, service });
      await together.start();
      const watches = together.members.map((member, n) => polling(together, member, seed + n));
      await together.clock.advance(20_000);
      together.service.faults.set({ silent: 1 });
      await together.clock.advance(60_000);
      together.service.faults.set({ silent: 0 });
      const keptBy = () => Promise.all(watches.map(async (watch) => (await watch.progress()).kept));
      const before = await keptBy();
      await together.clock.advance(75_000);
      const kept = (await keptBy()).map((count, n) => count - (before[n] ?? 0));
      assert.ok(
        kept.every((count) => count > 80),
        kept.join(" "),
      );
      await Promise.all(watches.map((watch) => watch.stop()));
    });

  test("all keys are bad: together they cost no more than the budget", async () => {
    for (let seed = 21; seed <= 22; seed++) {
      const together = crew(seed, { badKeyBudget: 8, keys: 6 });
      await together.start();
      await together.load(5_000);
      for (const key of [...together.service.keys]) together.service.regenerateKey(key);
      await together.load(3 * 60_000);
      const refused = together.service.counts.byStatus.get(403) ?? 0;
      assert.ok(refused > 0 && refused <= 8, `seed ${seed}: ${refused}`);
    }
  });

  test("a process that is killed with requests under way leaves them to the others' count", async () => {
    const together = crew(31, { badKeyBudget: 8, keys: 4, blocks: 2 });
    await together.start();
    await together.load(10_000);
    for (const key of [...together.service.keys]) together.service.regenerateKey(key);
    together.member(0).kill();
    const [, second] = together.members;
    await together.load(60_000, second === undefined ? [] : [second]);
    const heir = together.join(Array.from({ length: 4 }, (_, n) => keyText(31, n)));
    await together.within(heir.client.restore());
    await together.load(60_000, [heir]);
    assert.ok((together.service.counts.byStatus.get(403) ?? 0) <= 8);
  });

  test("a key that one process parks is parked for all at once; linked anew by one, it is used by all", async () => {
    const together = crew(41, { keys: 3, blocks: 2 });
    const sharedKey = keyText(41, 0);
    const [first, second] = together.members;
    if (first === undefined || second === undefined) assert.fail();
    const source: SourceId = second.ring.add(sharedKey);
    second.sources.push(source);
    await together.start();
    await together.load(10_000);
    together.service.regenerateKey(sharedKey);
    await together.load(10_000);
    assert.ok(first.client.parked(source) !== undefined && second.client.parked(source) !== undefined);
    // Each may have had two on their way with a key that was good a moment before.
    const refused = together.service.counts.byStatus.get(403) ?? 0;
    assert.ok(refused <= 4, `${refused}`);
    assert.ok(
      second.events.some(({ kind }) => kind === "key-parked"),
      "its guilds are told, too",
    );

    together.service.addServer(sharedKey);
    await together.within(first.client.unpark(source));
    await together.load(40_000);
    assert.equal(second.client.parked(source), undefined);
    assert.equal(together.service.counts.byStatus.get(403), refused);
  });
});

describe("commands of a server that guilds of several processes link", () => {
  /** Processes that all have linked one server, whose commands each of them has begun to send. */
  async function crewOfOneServer(seed: number, blocks: number) {
    const together = crew(seed, { keys: 1, blocks });
    const sharedKey = keyText(seed, 0);
    const sources = together.members.map(({ ring }) => ring.add(sharedKey));
    await together.start();
    await together.load(10_000);
    const outcomes: string[] = [];
    const send = (n: number, texts: readonly string[]) => {
      for (const text of texts)
        together
          .member(n)
          .client.command(sources[n] ?? assert.fail(), text)
          .then(
            () => outcomes.push(`${text} ran`),
            (error: unknown) => outcomes.push(`${text} ${String(error)}`),
          );
    };
    const { executions } = together.service.counts;
    const sent = () => executions.map(({ text }) => text);
    const assertNoRefusal = () => {
      const { answers429, avoidable } = together.service.counts;
      assert.deepEqual({ answers429, avoidable }, { answers429: 0, avoidable: 0 });
    };
    return { together, send, sent, outcomes, assertNoRefusal };
  }
  const WINDOW_MS = 5_000;

  test("go in turn, one in a window, each process's own in its order, none refused", async () => {
    const { together, send, sent, outcomes, assertNoRefusal } = await crewOfOneServer(51, 3);
    send(0, [":h a1", ":h a2", ":h a3", ":h a4"]);
    await together.clock.advance(100);
    send(1, [":h b1", ":h b2"]);
    await together.clock.advance(100);
    send(2, [":h c1"]);
    await together.clock.until(() => outcomes.length === 7, 60_000);
    assert.deepEqual(sent(), [":h a1", ":h b1", ":h c1", ":h a2", ":h b2", ":h a3", ":h a4"]);
    assert.ok(
      outcomes.every((outcome) => outcome.endsWith(" ran")),
      outcomes.join(", "),
    );
    assertNoRefusal();
    const [first, last] = [
      together.service.counts.executions.at(0),
      together.service.counts.executions.at(-1),
    ];
    const meanMs = ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / 6;
    assert.ok(meanMs <= WINDOW_MS + 1_000, `the lock may cost no window: ${meanMs} ms apart`);
  });

  test("a process that is killed with a command under way frees them, and who waits goes on in turn", async () => {
    const { together, send, sent, outcomes, assertNoRefusal } = await crewOfOneServer(52, 3);
    send(0, [":h a1", ":h a2"]);
    // Shorter steps than the way of its answer.
    while (sent().length === 0) await together.clock.advance(10);
    together.member(0).kill();
    send(1, [":h b1"]);
    await together.clock.advance(100);
    send(2, [":h c1"]);
    await together.clock.until(() => outcomes.length === 2, 40_000);
    assert.deepEqual(outcomes, [":h b1 ran", ":h c1 ran"]);
    assert.deepEqual(sent(), [":h a1", ":h b1", ":h c1"]);
    assertNoRefusal();
  });

  test("a process that is killed while it waits holds nobody up", async () => {
    const { together, send, outcomes, assertNoRefusal } = await crewOfOneServer(53, 3);
    send(0, [":h a1"]);
    await together.clock.advance(100);
    send(1, [":h b1"]);
    await together.clock.advance(100);
    send(2, [":h c1"]);
    await together.clock.advance(2_000);
    together.member(1).kill();
    await together.clock.until(() => outcomes.length === 2, 20_000);
    assert.deepEqual(outcomes, [":h a1 ran", ":h c1 ran"]);
    assertNoRefusal();
  });
});
