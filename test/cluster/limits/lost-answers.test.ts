import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openDesk } from "../../../src/api/keys/open-desk.ts";
import { OthersUnits } from "../../../src/api/keys/others-units.ts";
import { UnansweredRequests } from "../../../src/api/keys/unanswered.ts";
import {
  departed,
  type LimitsState,
  othersOf,
  parseLimits,
  pruned,
  withMember,
} from "../../../src/cluster/limits/limits-state.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import type { Random } from "../../../src/domain/ports/clock.ts";
import type { SharedUnits } from "../../../src/domain/ports/shared-limits.ts";
import { ServerKey } from "../../../src/domain/server-key.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { mostWithin } from "../../support/key-crowd.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { Crew, keyText } from "./crew.ts";

const HOUR_MS = 3_600_000;
const BUDGET = 8;
const KEYS = 8;
const BLOCKS = 3;
const LIMITS = { global: { limit: 4, windowMs: 1_000 } };

/** Keys die one after the other and no answer to them arrives, nor some of the others', while processes and Redis are hurt. */
async function badHour(seed: number, lostOfAll: number) {
  const random = seededRandom(seed);
  const town = new Crew({
    seed,
    blocks: BLOCKS,
    keys: KEYS,
    badKeyBudget: BUDGET,
    service: { limits: LIMITS },
  });
  await town.start();
  await town.load(10_000);
  const dead = new Set<string>();
  const keys = Array.from({ length: BLOCKS * KEYS }, (_, n) => keyText(seed, n));
  for (let round = 0; round < 30; round++) {
    if (random.next() < 0.6) {
      const key = keys[Math.floor(random.next() * keys.length)] ?? "";
      if (!dead.has(key)) town.service.regenerateKey(key);
      dead.add(key);
    }
    const isAll = random.next() < lostOfAll;
    const resetAfter = isAll ? 0.2 : dead.size > 0 ? 1 : 0;
    town.service.faults.set({ resetAfter, onlyKeys: isAll ? [] : [...dead] });
    await hurt(town, seed, random);
    await town.load(10_000);
  }
  const { badKeysAtMs, byStatus, bans } = town.service.counts;
  return { refused: mostWithin(badKeysAtMs, HOUR_MS), taken: byStatus.get(200) ?? 0, bans };
}

async function hurt(town: Crew, seed: number, random: Random): Promise<void> {
  const dice = random.next();
  const at = Math.floor(random.next() * BLOCKS);
  const member = town.member(at);
  town.redis.isGone = dice < 0.1;
  if (dice > 0.1 && dice < 0.2) town.redis.aheadMs -= 1_000;
  if (dice > 0.2 && dice < 0.4) {
    const goOn = member.stop();
    town.clock.after(random.next() * 9_000, goOn);
  }
  if (dice > 0.4 && dice < 0.55) {
    member.kill();
    const ofBlock = Array.from({ length: KEYS }, (_, n) => keyText(seed, at * KEYS + n));
    const heir = town.join(ofBlock, random.next() < 0.3);
    town.members.pop();
    town.members[at] = heir;
    await town.within(heir.client.restore());
  }
}

/** Nothing is answered for a minute, in which keys are dead that the service goes on to count; then their answers are lost. */
async function outageWithDeadKeys(seed: number) {
  const town = new Crew({
    seed,
    blocks: BLOCKS,
    keys: KEYS,
    badKeyBudget: BUDGET,
    service: { limits: LIMITS },
  });
  await town.start();
  await town.load(20_000);
  const random = seededRandom(seed * 77);
  const all = Array.from({ length: BLOCKS * KEYS }, (_, n) => n);
  const dead = [1, 2].map(() => keyText(seed, all.splice(Math.floor(random.next() * all.length), 1)[0] ?? 0));
  for (const key of dead) town.service.regenerateKey(key);
  town.service.faults.set({ resetAfter: 1 });
  await town.load(60_000);
  town.service.faults.set({ resetAfter: 1, onlyKeys: dead });
  const before = town.service.counts.byStatus.get(200) ?? 0;
  await town.load(120_000);
  const { badKeysAtMs, byStatus } = town.service.counts;
  return { refused: mostWithin(badKeysAtMs, HOUR_MS), taken: (byStatus.get(200) ?? 0) - before };
}

describe("refusals whose answers are lost, where several processes ask from one address", () => {
  test("cost no more than the budget in any hour, whatever happens to processes and to Redis", async () => {
    for (const seed of [2, 12]) {
      const { refused, bans } = await badHour(seed, 0.3);
      assert.ok(refused > 0 && refused <= BUDGET, `seed ${seed}: ${refused} refused within an hour`);
      assert.equal(bans, 0);
    }
  });

  test("where keys died in an outage: no more than the budget, and the others are read after it", async () => {
    for (const seed of [4, 11]) {
      const { refused, taken } = await outageWithDeadKeys(seed);
      assert.ok(refused <= BUDGET, `seed ${seed}: ${refused} refused within an hour`);
      assert.ok(taken > 250, `seed ${seed}: ${taken} answers`);
    }
  });
});

describe("silences that processes tell each other", () => {
  const SOFT = { source: "one" as SourceId, ageMs: 20, isHeld: true, isSoft: true };
  const NOTHING: SharedUnits = { refusals: [], open: [], firstsAgeMs: [] };
  const speaking = { ...NOTHING, open: [SOFT], answers: { lastAgeMs: 50 } };
  const isSoft = (state: LimitsState, nowMs: number) =>
    othersOf(state, "reader", nowMs).open.map((unit) => unit.isSoft === true);

  test("count while all who run say what they were answered, and not of a process that is gone", () => {
    const state = withMember(parseLimits(""), "new", speaking, 1_000);
    assert.deepEqual(isSoft(state, 1_000), [true]);
    assert.equal(othersOf(state, "reader", 1_000).answers?.lastAgeMs, 50);
    assert.deepEqual(isSoft(state, 7_000), [false], "it is gone");
    assert.deepEqual(isSoft(state, 999), [false], "Redis's clock was set back");
    const older = withMember(state, "older", NOTHING, 1_000);
    assert.deepEqual(
      isSoft(older, 1_000),
      [false],
      "a process of the release before was answered, for all that is known",
    );
    assert.deepEqual(isSoft(older, 6_500), [false]);
  });

  test("are read from what either release wrote", () => {
    const state = withMember(parseLimits(""), "new", speaking, 1_000);
    assert.deepEqual(isSoft(parseLimits(JSON.stringify(state)), 1_000), [true]);
    const open = [{ source: "one", atMs: 980, isHeld: true }];
    const old = {
      members: { old: { seenMs: 1_000, refusals: [], open, firstsMs: [] } },
      shares: {},
      commands: {},
    };
    assert.deepEqual(isSoft(parseLimits(JSON.stringify(old)), 1_000), [false]);
  });

  test("whether an outage is over is asked by one after the other", () => {
    const asks = {
      source: "one" as SourceId,
      isCommand: false,
      isProbe: false,
      isCovered: true,
      mostTogether: 1,
      asksRefused: false,
    };
    const at = (token: string, nowMs: number) => ({ token, nowMs, isHalted: false, haltLeftMs: 0 });
    const own = { ...speaking, isAskingCovered: true };
    const first = departed(parseLimits(""), { ...asks, own }, at("first", 1_000));
    const state = first.state ?? assert.fail();
    const kindAt = (of: LimitsState, nowMs: number) =>
      departed(pruned(of, nowMs), { ...asks, own: { ...own, open: [] } }, at("second", nowMs)).departure.kind;
    assert.equal(kindAt(state, 11_000), "outage-waits", "it is under way");
    assert.equal(kindAt(state, 13_001), "go", "its process is dead");
    const ended = withMember(state, "first", speaking, 2_000);
    assert.equal(kindAt(ended, 4_999), "outage-waits");
    assert.equal(kindAt(ended, 5_001), "go");
  });
});

describe("what one process takes for sure of the silences of others", () => {
  const open = [{ source: "one" as SourceId, ageMs: 20, isHeld: true, isSoft: true }];
  const told: SharedUnits = { refusals: [], open, firstsAgeMs: [] };

  test("is a key that it has heard of for so long that an answer to any process would have been told", () => {
    const others = new OthersUnits(new UnansweredRequests());
    for (const nowMs of [1_000, 2_000, 3_000]) {
      others.see(told, nowMs);
      assert.deepEqual([others.soft(nowMs), others.surelySoft(nowMs)], [1, 0], `at ${nowMs}`);
    }
    others.see(told, 3_500);
    assert.equal(others.surelySoft(3_500), 1);
    others.see({ ...told, answers: { outageAgeMs: 10 } }, 3_600);
    assert.deepEqual([others.soft(3_600), others.surelySoft(3_600)], [0, 0], "another process was answered");
  });

  test("no longer covers a request that has started, where it hears of an answer before it is written", async () => {
    const clock = new VirtualClock();
    const none = () => new MemoryDocuments<never>((value) => value as never);
    const documents = { rejected: none(), budget: none(), openRequests: none(), taken: none() };
    const { desk, budget } = openDesk({
      documents,
      clock,
      log: undefined,
      badKeyBudget: BUDGET,
      isOurs: () => true,
      onEvent: () => undefined,
    });
    const mine = { source: "mine" as SourceId, risk: "unknown", guildId: undefined } as const;
    budget.release(budget.take(mine, clock.monotonicMs()), "silent", clock.monotonicMs());
    await clock.advance(10_000);
    const request = {};
    const key = new ServerKey("mine-of-this-process");
    const asks = { source: mine.source, key, route: "read", waitingClass: "internal", path: "/" } as const;
    desk.start(request, asks, false);
    assert.deepEqual([desk.isCovered(request), desk.mayStillLeave(request)], [true, true]);
    budget.others.see({ ...told, open: [], answers: { outageAgeMs: 10 } }, clock.monotonicMs());
    assert.deepEqual([desk.isCovered(request), desk.mayStillLeave(request)], [true, false]);
  });

  test("lets no request that an outage covers ask before the other process's is over", () => {
    const others = new OthersUnits(new UnansweredRequests());
    others.coveredFromMs = 5_000;
    assert.deepEqual(others.covered(4_999), { kind: "later", atMs: 5_000 });
    assert.deepEqual(others.covered(5_000), { kind: "go" });
  });
});
