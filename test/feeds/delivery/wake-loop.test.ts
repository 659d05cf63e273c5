import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type LoopWork, WakeLoop } from "../../../src/feeds/delivery/wake-loop.ts";
import { seededRandom, settle, VirtualClock } from "../../support/clock.ts";

/** One pass of a loop that stays open until the test ends it. */
interface Pass {
  /** What the loop's signal was when the pass began. */
  readonly signal: AbortSignal;
  succeed(): void;
  fail(error?: Error): void;
}

/** What the work below keeps of one loop. */
class Subject {
  readonly clock = new VirtualClock();
  readonly passes: Pass[] = [];
  readonly events: string[] = [];
  readonly failures: unknown[] = [];
  /** What the work answers to a failure. */
  waitMs: number | "at once" = 0;
  /** Called by the work as it is told that the loop rests. */
  onIdle = () => {};
  readonly loop: WakeLoop<Subject> = new WakeLoop(this, work, { clock: this.clock, random: seededRandom(1) });

  get last(): Pass {
    const pass = this.passes.at(-1);
    assert.ok(pass !== undefined, "no pass has begun");
    return pass;
  }
}

const work: LoopWork<Subject> = {
  pass: (subject) =>
    new Promise((succeed, fail) => {
      const { signal } = subject.loop;
      subject.passes.push({ signal, succeed, fail: (error = new Error("odd")) => fail(error) });
    }),
  onFailed(subject, error) {
    subject.failures.push(error);
    return subject.waitMs;
  },
  onBusy: ({ events }) => events.push("busy"),
  onIdle(subject) {
    subject.events.push("idle");
    subject.onIdle();
  },
};

describe("a loop that is woken", () => {
  test("makes one pass for one wake, and says when it begins and when it rests", async () => {
    const subject = new Subject();
    subject.loop.wake();
    await settle();
    assert.deepEqual([subject.passes.length, subject.events], [1, ["busy"]]);
    subject.last.succeed();
    await settle();
    assert.deepEqual([subject.passes.length, subject.events], [1, ["busy", "idle"]]);
  });

  test("makes one pass at a time, and one more for all the wakes during a pass", async () => {
    const subject = new Subject();
    subject.loop.wake();
    subject.loop.wake();
    subject.loop.wake();
    await settle();
    assert.equal(subject.passes.length, 1);
    subject.last.succeed();
    await settle();
    assert.equal(subject.passes.length, 2);
    subject.last.succeed();
    await settle();
    assert.deepEqual([subject.passes.length, subject.events], [2, ["busy", "idle"]]);
  });

  test("runs again where it is woken in the last moment, after its last look and before it rests", async () => {
    // How many turns of the microtask queue lie between the end of a pass and the rest is not for this test to know.
    for (let turns = 0; turns < 8; turns++) {
      const subject = new Subject();
      subject.loop.wake();
      await settle();
      subject.last.succeed();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      subject.loop.wake();
      await settle();
      assert.equal(subject.passes.length, 2, `woken ${turns} turns after the end of its pass`);
      subject.last.succeed();
      await settle();
      assert.deepEqual([subject.passes.length, subject.events.at(-1)], [2, "idle"]);
    }
  });

  test("runs again where it is woken by who hears that it rests", async () => {
    const subject = new Subject();
    subject.onIdle = () => {
      subject.onIdle = () => {};
      subject.loop.wake();
    };
    subject.loop.wake();
    await settle();
    subject.last.succeed();
    await settle();
    assert.deepEqual([subject.passes.length, subject.events], [2, ["busy", "idle", "busy"]]);
    subject.last.succeed();
    await settle();
    assert.deepEqual([subject.passes.length, subject.events], [2, ["busy", "idle", "busy", "idle"]]);
  });

  test("shares its work with other loops and none of their passes", async () => {
    const [one, other] = [new Subject(), new Subject()];
    one.loop.wake();
    await settle();
    assert.deepEqual([one.passes.length, other.passes.length], [1, 0]);
    one.loop.end("over");
    other.loop.wake();
    await settle();
    assert.deepEqual([one.passes.length, other.passes.length], [1, 1]);
    assert.equal(other.last.signal.aborted, false);
  });

  test("holds nothing while it rests: no timer, and the next pass has a signal of its own", async () => {
    const subject = new Subject();
    for (let pass = 0; pass < 2; pass++) {
      subject.loop.wake();
      await settle();
      subject.last.succeed();
      await settle();
    }
    const [first, second] = subject.passes.map(({ signal }) => signal);
    assert.notEqual(first, second);
    assert.equal(subject.clock.pending, 0);
    await subject.loop.ended();
    subject.loop.end("over");
    assert.deepEqual([first?.aborted, second?.aborted], [false, false]);
  });
});

describe("a loop whose pass fails", () => {
  test("waits for 0.5 to 1 s and repeats it without another wake", async () => {
    const subject = new Subject();
    subject.loop.wake();
    await settle();
    const error = new Error("odd");
    subject.last.fail(error);
    await subject.clock.advance(499);
    assert.deepEqual([subject.passes.length, subject.failures], [1, [error]]);
    await subject.clock.advance(501);
    assert.deepEqual([subject.passes.length, subject.events], [2, ["busy"]]);
    subject.last.succeed();
    await settle();
    assert.deepEqual([subject.passes.length, subject.events], [2, ["busy", "idle"]]);
    assert.equal(subject.clock.pending, 0);
  });

  test("waits twice as long after each failure in a row, up to a minute", async () => {
    const subject = new Subject();
    assert.deepEqual(await longestWaits(subject, 8), [1, 2, 4, 8, 16, 32, 60, 60]);
  });

  test("begins with short waits again after a pass that went well", async () => {
    const subject = new Subject();
    await longestWaits(subject, 3);
    subject.last.succeed();
    await settle();
    assert.deepEqual(await longestWaits(subject, 2), [1, 2]);
  });

  test("begins with short waits again once something was done, though the pass fails in the end", async () => {
    const subject = new Subject();
    await longestWaits(subject, 3);
    subject.loop.progressed();
    assert.deepEqual(await longestWaits(subject, 2), [1, 2]);
  });

  test("waits at least as long as the work says", async () => {
    const subject = new Subject();
    subject.waitMs = 5_000;
    subject.loop.wake();
    await settle();
    subject.last.fail();
    await subject.clock.advance(4_999);
    assert.equal(subject.passes.length, 1);
    await subject.clock.advance(1);
    assert.equal(subject.passes.length, 2);
  });

  test("repeats it at once where the work says so", async () => {
    const subject = new Subject();
    subject.waitMs = "at once";
    subject.loop.wake();
    await settle();
    subject.last.fail();
    await settle();
    assert.deepEqual([subject.passes.length, subject.clock.pending, subject.events], [2, 0, ["busy"]]);
  });
});

describe("a loop that is ended", () => {
  test("aborts the signal of the pass that runs, with the reason, and begins no other", async () => {
    const subject = new Subject();
    subject.loop.wake();
    await settle();
    const { signal } = subject.last;
    subject.loop.wake();
    subject.loop.end("the feed was paused");
    assert.ok(signal.aborted);
    assert.match(String(signal.reason), /the feed was paused/u);
    subject.last.succeed();
    await settle();
    subject.loop.wake();
    await settle();
    assert.deepEqual([subject.passes.length, subject.events], [1, ["busy", "idle"]]);
  });

  test("tells when the pass that runs is over", async () => {
    const subject = new Subject();
    subject.loop.wake();
    await settle();
    subject.loop.end("over");
    let ended = false;
    const whenEnded = subject.loop.ended().then(() => {
      ended = true;
    });
    await settle();
    assert.equal(ended, false);
    subject.last.succeed();
    await whenEnded;
  });

  test("asks nobody about a pass that fails because of that", async () => {
    const subject = new Subject();
    subject.loop.wake();
    await settle();
    subject.loop.end("over");
    subject.last.fail();
    await subject.clock.advance(120_000);
    assert.deepEqual([subject.passes.length, subject.failures], [1, []]);
  });

  test("gives up the wait after a failure, and its timer", async () => {
    const subject = new Subject();
    subject.loop.wake();
    await settle();
    subject.last.fail();
    await settle();
    assert.equal(subject.clock.pending, 1);
    subject.loop.end("over");
    await settle();
    assert.deepEqual(
      [subject.passes.length, subject.clock.pending, subject.events],
      [1, 0, ["busy", "idle"]],
    );
  });

  test("gives a signal that is aborted to those who ask for it only then, with the first reason", () => {
    const subject = new Subject();
    subject.loop.end("the feed was paused");
    subject.loop.end("the feed was removed");
    assert.ok(subject.loop.signal.aborted);
    assert.match(String(subject.loop.signal.reason), /the feed was paused/u);
  });

  test("never begins where it ended before it was woken", async () => {
    const subject = new Subject();
    subject.loop.end("over");
    subject.loop.wake();
    await settle();
    assert.deepEqual([subject.passes.length, subject.events], [0, []]);
  });
});

/** Lets so many passes in a row fail; gives the longest that each wait may have been, in seconds. A pass runs at the end. */
async function longestWaits(subject: Subject, failures: number): Promise<readonly number[]> {
  const waits: number[] = [];
  if (subject.events.at(-1) !== "busy") subject.loop.wake();
  await settle();
  for (let failed = 0; failed < failures; failed++) {
    const before = subject.passes.length;
    const fromMs = subject.clock.monotonicMs();
    subject.last.fail();
    await subject.clock.until(() => subject.passes.length > before);
    const waitedS = (subject.clock.monotonicMs() - fromMs) / 1_000;
    // Chance shortens a wait to as little as its half.
    const longest = [1, 2, 4, 8, 16, 32, 60].find((boundS) => waitedS > boundS / 2 && waitedS <= boundS);
    waits.push(longest ?? waitedS);
  }
  return waits;
}
