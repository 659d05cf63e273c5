import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { feedRenderer } from "../../src/discord/render/feed.ts";
import type { SourceId } from "../../src/domain/model.ts";
import { Judge } from "./judge.ts";
import { lists, type SimServer, shownAt, snapshotOf, type TrueLog } from "./world.ts";

/** A row every ten seconds: an answer shows those of ten minutes. */
function steadyLog(): TrueLog {
  return logOf(Array.from({ length: 400 }, (_, index) => index * 10));
}

/** Two rows every twenty seconds, the second of them half a second after the first. */
function pairedLog(): TrueLog {
  return logOf(Array.from({ length: 400 }, (_, index) => (index >> 1) * 20 + (index % 2) / 2));
}

function logOf(arrivedS: readonly number[]): TrueLog {
  const own = arrivedS.map((_, index) => index);
  return {
    arrivedMs: arrivedS.map((atS) => atS * 1_000),
    atS: arrivedS.map(Math.floor),
    token: own,
    who: own,
    answeredMs: own.map(() => 0),
  };
}

/** Its game server starts anew at second 1,000. */
const server: SimServer = {
  index: 0,
  logs: {
    joinLogs: steadyLog(),
    killLogs: steadyLog(),
    commandLogs: steadyLog(),
    modCalls: steadyLog(),
  },
  sessions: [{ fromMs: 0, toMs: 4_000_000 }],
  emergencies: [],
  clearsMs: [1_000_000],
  order: "oldest first",
  keys: 0,
  servedMs: [],
};

/** A feed of joins, whose judge is shown answers and notices at the seconds that a test names. */
function court(of = server) {
  let nowMs = 0;
  const judge = new Judge(() => nowMs);
  judge.follow("c", of, "joinLogs");
  return {
    look(atS: number, kept: "whole" | "joins alone" | "no"): void {
      nowMs = atS * 1_000;
      const shown = shownAt(of, nowMs);
      const times = { askedAtMs: nowMs, takenAtMs: nowMs };
      const snapshot = snapshotOf(of, "s0.0" as SourceId, lists, shown, times);
      judge.answered(of, shown, snapshot);
      if (kept !== "no") judge.written(of, "joinLogs", nowMs);
      if (kept === "whole") judge.kept(of, shown, snapshot);
    },
    tell(atS: number, fromS: number, toS: number): void {
      nowMs = atS * 1_000;
      judge.posted("c", String(nowMs), feedRenderer.gap("joins", { fromS, toS }));
    },
    /** A power cut; the process that died of it had just written the answer of that second. */
    cut(atS: number): void {
      nowMs = atS * 1_000;
      judge.setBack(nowMs - 1_000);
      judge.written(of, "joinLogs", nowMs);
    },
    verdict: () => judge.verdict(),
  };
}

/** The server is read at 900, 2,000 and 3,000; the second answer is kept as a whole, in part, or not. */
function judged(second: "whole" | "joins alone" | "no") {
  const { look, tell, verdict } = court();
  look(900, "whole");
  look(2_000, second);
  tell(2_000, 840, 1_470);
  look(3_000, "whole");
  tell(3_000, 1_940, 2_470);
  return verdict();
}

describe("the judge of the simulation", () => {
  test("counts two notices for one restart where the bot had no answer between them", () => {
    assert.equal(judged("no").noticesPerRestart, 2);
  });

  for (const kept of ["whole", "joins alone"] as const) {
    test(`takes the second for what has moved on since where an answer in between was kept (${kept})`, () => {
      const { noticesPerRestart, needlessNotices } = judged(kept);
      assert.deepEqual({ noticesPerRestart, needlessNotices }, { noticesPerRestart: 1, needlessNotices: 0 });
    });
  }

  test("holds no notice against a restart that came after it", () => {
    const { look, tell, verdict } = court();
    look(100, "whole");
    look(900, "whole");
    // The log had moved on since 100; what this notice names reaches to the last answer before the restart at 1,000.
    tell(950, 40, 890);
    look(2_000, "whole");
    tell(2_000, 840, 1_470);
    const { noticesPerRestart, needlessNotices } = verdict();
    assert.deepEqual({ noticesPerRestart, needlessNotices }, { noticesPerRestart: 1, needlessNotices: 0 });
  });

  test("takes nothing for written that a power cut took in the same moment", () => {
    const { look, cut, tell, verdict } = court();
    look(100, "whole");
    look(500, "no");
    cut(500);
    // The log had moved on since 100, and nothing else was kept.
    look(900, "whole");
    tell(900, 40, 310);
    assert.equal(verdict().needlessNotices, 0);
  });

  test("takes a notice for due where only one of two rows of a second still stands: an equal one may have come later", () => {
    const paired: SimServer = { ...server, clearsMs: [], logs: { ...server.logs, joinLogs: pairedLog() } };
    const needless = (secondLookS: number) => {
      const { look, tell, verdict } = court(paired);
      look(600, "whole");
      look(901, "whole");
      look(secondLookS, "whole");
      tell(secondLookS, 840, 980);
      return verdict().needlessNotices;
    };
    assert.equal(needless(1_500.2), 0);
    assert.equal(needless(1_499), 1, "both of them stand");
  });

  test("expects of an answer that one log alone has kept only what that log showed", () => {
    assert.equal(judged("joins alone").lost, judged("whole").lost);
    assert.ok(judged("joins alone").lost > judged("no").lost);
  });
});
