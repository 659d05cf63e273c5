import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Turn, TurnClass, TurnWanted } from "../../../src/domain/ports/turns.ts";
import { TurnDesk } from "../../../src/outbox/turns/turn-desk.ts";
import { VirtualClock } from "../../support/clock.ts";
import { FakeMetrics } from "../../support/network.ts";

/** A Discord that answers each request after `latencyMs`, and what left for it. */
class Desk {
  readonly clock = new VirtualClock();
  readonly metrics = new FakeMetrics();
  readonly left: { readonly what: string; readonly atMs: number }[] = [];
  readonly desk: TurnDesk;
  /** What becomes of a request. */
  outcome: (what: string) => "taken" | "unanswered" = () => "taken";
  latencyMs = 100;
  readonly #startMs = this.clock.monotonicMs();

  constructor(blocks = 1) {
    const { clock, metrics } = this;
    this.desk = new TurnDesk({ clock, metrics, blocks, guildOf: (channelId) => channelId.split(".")[0] });
  }

  ask(what: string, wanted: Omit<TurnWanted, "request"> & { request?: TurnWanted["request"] }): void {
    void this.#run(what, { request: "send", ...wanted });
  }

  /** Names in the order in which they left. */
  get order(): readonly string[] {
    return this.left.map(({ what }) => what);
  }

  async #run(what: string, wanted: TurnWanted): Promise<void> {
    let isAgain = wanted.isInDoubt === true;
    for (;;) {
      const turn: Turn = await this.desk.take({ ...wanted, isInDoubt: isAgain });
      this.left.push({ what, atMs: this.clock.monotonicMs() - this.#startMs });
      const outcome = this.outcome(what);
      await this.clock.sleep(this.latencyMs);
      turn.done(outcome);
      if (outcome === "taken") return;
      isAgain = true;
      await this.clock.sleep(5_000);
    }
  }
}

const many = (count: number) => Array.from({ length: count }, (_, at) => at);

describe("turns", () => {
  test("48 a second leave, evenly, however many wait", async () => {
    const rig = new Desk();
    for (const n of many(500)) rig.ask(`${n}`, { class: "first", channelId: `g${n}.c` });
    await rig.clock.advance(5_000);
    for (const second of many(4)) {
      const within = rig.left.filter(
        ({ atMs }) => atMs >= second * 1_000 + 500 && atMs < second * 1_000 + 1_500,
      );
      assert.ok(within.length <= 49 && within.length >= 47, `${within.length} in second ${second}`);
    }
  });

  test("of two blocks each gives half as many", async () => {
    const rig = new Desk(2);
    for (const n of many(500)) rig.ask(`${n}`, { class: "first", channelId: `g${n}.c` });
    await rig.clock.advance(5_000);
    assert.ok(Math.abs(rig.left.length - 120) <= 3, `${rig.left.length}`);
  });

  test("one guild that posts without end, in a hundred channels, takes four a second from the others", async () => {
    const rig = new Desk();
    const waiting = () => many(30).map(() => rig.clock.monotonicMs());
    for (const n of many(2_000)) rig.ask(`hostile ${n}`, { class: "first", channelId: `hostile.${n % 100}` });
    await rig.clock.advance(20_000);
    for (const n of many(600)) rig.ask(`other ${n}`, { class: "batch", channelId: `g${n}.c`, waiting });
    const before = rig.order.length;
    await rig.clock.advance(10_000);
    const left = rig.order.slice(before);
    const ofOthers = left.filter((what) => what.startsWith("other")).length;
    assert.ok(left.length >= 470, `${left.length} left`);
    assert.ok(ofOthers >= 430, `${ofOthers} of others in ten seconds`);
    await rig.clock.advance(5_000);
    const soFar = rig.order.length;
    await rig.clock.advance(5_000);
    const alone = rig.order.slice(soFar);
    assert.ok(
      alone.length >= 95,
      `${alone.length}: what nobody else wants, it gets, as far as its channels take it`,
    );
    assert.ok(alone.every((what) => what.startsWith("hostile")));
  });

  test("a clock that is set back or forth holds nothing up", async () => {
    const rig = new Desk();
    for (const n of many(200)) rig.ask(`${n}`, { class: "first", channelId: `g${n}.c` });
    await rig.clock.advance(1_000);
    rig.clock.step(-3_600_000);
    await rig.clock.advance(1_000);
    rig.clock.step(7_200_000);
    await rig.clock.advance(1_000);
    assert.ok(rig.left.length >= 140 && rig.left.length <= 150, `${rig.left.length}`);
  });

  test("first posts go before batches, batches before edits; while all wait batches keep 40 %, edits 10 %", async () => {
    const rig = new Desk();
    const classes: readonly TurnClass[] = ["refresh", "change", "batch", "first"];
    for (const one of classes) {
      for (const n of many(300)) {
        rig.ask(one, { class: one, channelId: `g${n}.${one}`, waiting: () => [0] });
      }
    }
    await rig.clock.advance(4_000);
    const share = (one: TurnClass) => rig.order.filter((what) => what === one).length / rig.left.length;
    assert.ok(Math.abs(share("first") - 0.5) < 0.02, `first ${share("first")}`);
    assert.ok(Math.abs(share("batch") - 0.4) < 0.02, `batch ${share("batch")}`);
    assert.ok(Math.abs(share("change") + share("refresh") - 0.1) < 0.02, "edits");
    // Where nobody goes before them, what waits takes all.
    await rig.clock.advance(60_000);
    assert.equal(rig.left.length, 1_200);
  });

  test("changes of roles and rounds get four a second at most, and at once while posts wait", async () => {
    const rig = new Desk();
    for (const n of many(500)) rig.ask("post", { class: "first", channelId: `g${n}.c` });
    for (const n of many(60)) rig.ask("role", { class: "round", channelId: `member ${n}`, guildId: `g${n}` });
    await rig.clock.advance(10_000);
    const roles = rig.left.filter(({ what }) => what === "role");
    assert.ok(roles.length >= 38 && roles.length <= 41, `${roles.length} in ten seconds`);
    await rig.clock.advance(10_000);
    assert.equal(rig.order.filter((what) => what === "role").length, 60, "also where nothing else waits");
  });

  test("after an outage no turn is kept for edits until the first posts of it stand, and batches keep theirs", async () => {
    const rig = new Desk();
    rig.outcome = () => "unanswered";
    for (const n of many(3)) rig.ask("gone", { class: "first", channelId: `gone${n}.c` });
    await rig.clock.advance(1_000);
    const classes: readonly TurnClass[] = ["refresh", "batch", "first"];
    for (const one of classes) {
      for (const n of many(300)) {
        rig.ask(one, { class: one, channelId: `g${n}.${one}`, waiting: () => [0] });
      }
    }
    await rig.clock.advance(60_000);
    rig.outcome = () => "taken";
    const from = rig.left.length;
    await rig.clock.advance(20_000);
    const order = rig.order.slice(from);
    const upToLastFirst = order.slice(0, order.lastIndexOf("first"));
    assert.equal(order.filter((what) => what === "first").length, 300);
    assert.equal(upToLastFirst.filter((what) => what === "refresh").length, 0);
    assert.ok(upToLastFirst.filter((what) => what === "batch").length >= 180);
  });

  test("a channel that is to be read before posts goes sooner: of its entries each age counts four times", async () => {
    const rig = new Desk();
    const nowMs = rig.clock.monotonicMs();
    const batch = (ageMs: number) => ({ class: "batch" as const, waiting: () => [nowMs - ageMs] });
    rig.ask("read late", { ...batch(4_000), channelId: "a.c", request: "read" });
    rig.ask("send", { ...batch(20_000), channelId: "b.c" });
    rig.ask("read", { ...batch(6_000), channelId: "c.c", request: "read" });
    await rig.clock.advance(1_000);
    assert.deepEqual(rig.order, ["read", "send", "read late"]);
  });

  test("a guild with a thousand alerts leaves the others their turns", async () => {
    const rig = new Desk();
    for (const n of many(1_000)) rig.ask("loud", { class: "first", channelId: `loud.c${n}` });
    for (const n of many(20)) rig.ask("quiet", { class: "first", channelId: `quiet${n}.c` });
    await rig.clock.advance(1_000);
    assert.equal(rig.order.filter((what) => what === "quiet").length, 20);
  });

  test("a channel takes five in five seconds, one at a time and in order; others go meanwhile", async () => {
    const rig = new Desk();
    for (const n of many(8)) rig.ask(`a${n}`, { class: "first", channelId: "a.c" });
    for (const n of many(8)) rig.ask(`b${n}`, { class: "first", channelId: `b.c${n}` });
    await rig.clock.advance(4_000);
    assert.deepEqual(
      rig.order.filter((what) => what.startsWith("a")),
      ["a0", "a1", "a2", "a3", "a4"],
    );
    assert.equal(rig.order.filter((what) => what.startsWith("b")).length, 8);
    await rig.clock.advance(3_000);
    assert.deepEqual(
      rig.order.filter((what) => what.startsWith("a")),
      many(8).map((n) => `a${n}`),
    );
  });

  test("what Discord answers with a global 429 is waited for", async () => {
    const rig = new Desk();
    for (const n of many(200)) rig.ask(`${n}`, { class: "first", channelId: `g${n}.c` });
    await rig.clock.advance(1_000);
    const before = rig.left.length;
    rig.desk.onTooMany(10_000);
    await rig.clock.advance(9_900);
    assert.ok(rig.left.length <= before, "nothing leaves");
    await rig.clock.advance(2_000);
    assert.ok(rig.left.length > before + 50);
  });

  test("of batches that goes first whose entries have waited the most together", async () => {
    const rig = new Desk();
    const nowMs = rig.clock.monotonicMs();
    const ages: Readonly<Record<string, readonly number[]>> = {
      one: [60_000],
      many: Array.from({ length: 20 }, () => 10_000),
      few: [20_000, 20_000],
    };
    for (const [what, list] of Object.entries(ages)) {
      rig.ask(what, { class: "batch", channelId: `${what}.c`, waiting: () => list.map((ms) => nowMs - ms) });
    }
    await rig.clock.advance(1_000);
    assert.deepEqual(rig.order, ["many", "one", "few"]);
  });

  test("while Discord is away one post at a time tries, and few are in doubt when it returns", async () => {
    const rig = new Desk();
    rig.outcome = () => "unanswered";
    const tried = new Set<string>();
    for (const n of many(500)) rig.ask(`${n}`, { class: "first", channelId: `g${n}.c` });
    await rig.clock.advance(600_000);
    for (const { what } of rig.left) tried.add(what);
    assert.ok(tried.size <= 12, `${tried.size} are in doubt`);
    assert.equal(rig.desk.figures().isAway, true);

    rig.outcome = () => "taken";
    await rig.clock.advance(20_000);
    assert.equal(new Set(rig.order).size, 500);
    assert.equal(rig.desk.figures().isAway, false);
  });

  test("a channel whose counter is used up gets nothing of that kind until it is whole; edits and others go on", async () => {
    const rig = new Desk();
    rig.desk.onChannelSpent({ channelId: "a.c", request: "send" }, 20_000);
    rig.ask("spent", { class: "first", channelId: "a.c" });
    rig.ask("edit", { class: "change", channelId: "a.c", request: "edit" });
    rig.ask("other", { class: "first", channelId: "b.c" });
    await rig.clock.advance(19_000);
    assert.deepEqual(rig.order, ["other", "edit"]);
    await rig.clock.advance(2_000);
    assert.deepEqual(rig.order, ["other", "edit", "spent"]);
  });

  test("one channel that Discord never answers for holds up nobody else", async () => {
    const rig = new Desk();
    rig.outcome = (what) => (what === "bad" ? "unanswered" : "taken");
    rig.ask("bad", { class: "first", channelId: "bad.c" });
    await rig.clock.advance(60_000);
    for (const n of many(40)) rig.ask(`${n}`, { class: "first", channelId: `g${n}.c` });
    await rig.clock.advance(1_500);
    assert.equal(rig.order.filter((what) => what !== "bad").length, 40);
  });

  test("who gives up waiting takes no turn, and a stop rejects all that wait", async () => {
    const rig = new Desk();
    const gone = new AbortController();
    const given = rig.desk.take({ class: "first", channelId: "a.c", request: "send" });
    const left = rig.desk.take({ class: "first", channelId: "a.c", request: "send" }, gone.signal);
    const waits = rig.desk.take({ class: "first", channelId: "a.c", request: "send" });
    await rig.clock.advance(10);
    gone.abort(new Error("gone"));
    await assert.rejects(left, /gone/);
    rig.desk.stop();
    await assert.rejects(waits, /stops/);
    (await given).done("taken");
  });
});
