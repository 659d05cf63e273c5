import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLog } from "../../src/log.ts";
import { Shutdown } from "../../src/ops/shutdown.ts";
import { stopOrder } from "../../src/ops/stop-order.ts";
import { settle, VirtualClock } from "../support/clock.ts";

function rig(limitMs: number | "usual" = 10_000) {
  const deadlineMs = limitMs === "usual" ? undefined : limitMs;
  const clock = new VirtualClock();
  const trace: string[] = [];
  const lines: string[] = [];
  const log = createLog({ level: "debug", write: (line) => void lines.push(line) });
  const exits: number[] = [];
  const shutdown = new Shutdown({ clock, log, deadlineMs, exit: (code) => void exits.push(code) });
  const add = (name: string, run: () => Promise<void> | void = () => {}, withinMs = 1_000) =>
    shutdown.add({
      name,
      withinMs,
      run: () => {
        trace.push(name);
        return run();
      },
    });
  return { clock, trace, exits, shutdown, add, text: () => lines.join("") };
}

const never = () => new Promise<void>(() => {});

describe("the stop", () => {
  test("runs the steps in their order, each after the end of the one before, then exits with 0", async () => {
    const { clock, trace, exits, shutdown, add, text } = rig();
    add("interactions", () => clock.sleep(500));
    add("feeds", async () => void trace.push(`feeds at ${clock.nowMs() % 100_000}`));
    add("store");
    shutdown.onSignal("SIGTERM");
    await clock.advance(499);
    assert.deepEqual(trace, ["interactions"]);
    assert.deepEqual(exits, []);
    await clock.advance(1);
    assert.deepEqual(trace, ["interactions", "feeds", "feeds at 500", "store"]);
    assert.deepEqual(exits, [0]);
    assert.doesNotMatch(text(), /took too long/);
    assert.equal(clock.pending, 0);
  });

  test("a step that fails, at once or later, is logged and the next goes on; the exit code says so", async () => {
    const { trace, exits, shutdown, add, text } = rig();
    add("discord", () => {
      throw new Error("socket gone");
    });
    add("runs", () => Promise.reject(new Error("queue gone")));
    add("store");
    await shutdown.stop("test");
    assert.deepEqual(trace, ["discord", "runs", "store"]);
    assert.deepEqual(exits, [1]);
    assert.match(text(), /socket gone/);
    assert.match(text(), /queue gone/);
    assert.match(text(), /"step":"runs"/);
  });

  test("is told at its begin and end, but for that of a start that failed", async () => {
    for (const [named, level] of [
      [undefined, 30],
      ["debug", 20],
    ] as const) {
      const { shutdown, add, text } = rig();
      add("store");
      await shutdown.stop("why", 1, named);
      const told = [...text().matchAll(/"level":(\d+).*"msg":"(stopping|stopped)"/g)].map(([, one]) =>
        Number(one),
      );
      assert.deepEqual(told, [level, level]);
    }
  });

  test("a step that hangs gets its time and no more, and those after it run", async () => {
    const { clock, trace, exits, shutdown, add, text } = rig();
    add("discord", never, 2_000);
    add("store");
    shutdown.onSignal("SIGINT");
    await clock.advance(1_999);
    assert.deepEqual(trace, ["discord"]);
    await clock.advance(1);
    assert.deepEqual(trace, ["discord", "store"]);
    assert.deepEqual(exits, [1]);
    assert.match(text(), /took too long/);
  });

  test("all steps together keep the deadline, and the store is closed even then", async () => {
    const { clock, trace, exits, shutdown, add } = rig(3_000);
    for (const name of ["a", "b", "c", "d"]) add(name, never, 2_000);
    let closed = false;
    add("store", async () => {
      closed = true;
    });
    shutdown.onSignal("SIGTERM");
    await clock.advance(3_000);
    assert.deepEqual(trace, ["a", "b", "c", "d", "store"]);
    assert.ok(closed);
    assert.deepEqual(exits, [1]);
  });

  test("a second signal ends at once", async () => {
    const { clock, trace, exits, shutdown, add } = rig();
    add("runs", never);
    add("store");
    shutdown.onSignal("SIGTERM");
    await settle();
    shutdown.onSignal("SIGINT");
    assert.deepEqual(exits, [1]);
    assert.deepEqual(trace, ["runs"]);
    await clock.run();
  });

  test("one Ctrl+C that arrives twice, from the terminal and from npm, is one", async () => {
    const { clock, trace, exits, shutdown, add } = rig();
    add("runs", never, 5_000);
    add("store");
    shutdown.onSignal("SIGINT");
    await clock.advance(20);
    shutdown.onSignal("SIGINT");
    assert.deepEqual([trace, exits], [["runs"], []]);
    await clock.advance(1_000);
    shutdown.onSignal("SIGINT");
    assert.deepEqual(exits, [1]);
    await clock.run();
  });

  test("asked for twice by the bot itself it runs once, and keeps the code of the first who asked", async () => {
    const { trace, exits, shutdown, add } = rig();
    add("store");
    await Promise.all([shutdown.stop("the start failed", 1), shutdown.stop("again")]);
    assert.deepEqual(trace, ["store"]);
    assert.deepEqual(exits, [1]);
  });

  test("a step of the wall clock neither cuts the stop short nor draws it out", async () => {
    const { clock, trace, exits, shutdown, add } = rig(10_000);
    add("first", () => clock.sleep(900));
    add("second", () => clock.sleep(900));
    shutdown.onSignal("SIGTERM");
    await clock.advance(100);
    clock.step(3_600_000);
    await clock.advance(2_000);
    assert.deepEqual([trace, exits], [["first", "second"], [0]]);
  });

  test("while Discord is behind takes ten seconds at most, writes what has to be written, and is in order", async () => {
    const { clock, exits, shutdown, text } = rig("usual");
    const closed: string[] = [];
    const close = (name: string, ms: number) => async () => {
      await clock.sleep(ms);
      closed.push(name);
    };
    const behind = { stop: never };
    const steps = stopOrder({
      starting: { stop: async () => {} },
      discord: { quiet: (graceMs) => clock.sleep(graceMs), stop: never },
      readiness: { stop() {} },
      heldKeys: { stop() {} },
      retention: { stop() {} },
      watch: { stop: close("watch", 1_000) },
      lifecycle: { settled: close("guilds", 200) },
      runs: { stop: (deadlineMs) => close("runs", deadlineMs)() },
      outbox: behind,
      feeds: behind,
      panels: behind,
      duty: { stop: close("duty", 100) },
      sessions: { stop: close("sessions", 100) },
      rules: { stop: close("rules", 100) },
      appeals: { stop() {} },
      history: { stopPosts: never, stop: close("history", 1_000) },
      service: { close: close("service", 1_000) },
      store: { close: close("store", 500) },
    });
    for (const step of steps) shutdown.add(step);
    shutdown.onSignal("SIGTERM");
    await clock.advance(10_000);
    assert.deepEqual(exits, [0], text());
    assert.deepEqual(closed, [
      "watch",
      "duty",
      "sessions",
      "rules",
      "guilds",
      "runs",
      "history",
      "service",
      "store",
    ]);
    await clock.run();
  });
});
