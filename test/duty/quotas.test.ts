import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Shift } from "../../src/domain/duty.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { SourceId } from "../../src/domain/model.ts";
import type { DutyStore } from "../../src/domain/ports/duty-store.ts";
import type { Correction, Leave, Quota } from "../../src/domain/quota.ts";
import type { DutyBook } from "../../src/duty/duty-book.ts";
import type { DutyDesk } from "../../src/duty/duty-desk.ts";
import { resultIn, resultRow } from "../../src/duty/duty-rows.ts";
import { countedIn, neededS, quotaLines } from "../../src/duty/quota-lines.ts";
import { periodAround } from "../../src/duty/quota-periods.ts";
import { QuotaResets } from "../../src/duty/quota-resets.ts";
import type { StaffingDesk } from "../../src/duty/staffing-desk.ts";
import { VirtualClock } from "../support/clock.ts";

const ZONE = "Europe/Berlin";
const HOUR_S = 3_600;
const at = (text: string) => Date.parse(text) / 1_000;
const quota: Quota = { id: "q", roleId: "r", needS: 7 * HOUR_S, period: "week", sinceS: 0 };
const week = { fromS: 0, untilS: 7 * 86_400 };
const leave = (fromDay: number, untilDay: number, percent = 0): Leave => ({
  id: "l",
  userId: "u",
  fromS: fromDay * 86_400,
  untilS: untilDay * 86_400,
  percent,
  reason: "",
  state: "approved",
});
const shift = (fromS: number, untilS: number, typeId = "t"): Shift => ({
  id: "s",
  userId: "u",
  typeId,
  fromS,
  untilS,
  parts: [{ bindingId: "b", playerId: 1, fromS, untilS, mightFromS: fromS - 5, mightUntilS: untilS + 5 }],
  breaks: [],
});

describe("Quotas", () => {
  test("weeks begin on Monday at 0:00 of the zone; those in which the clocks change are an hour longer or shorter", () => {
    const hours = (day: string) => {
      const { fromS, untilS } = periodAround("week", at(day), ZONE);
      return [new Date(fromS * 1_000).toISOString(), (untilS - fromS) / HOUR_S];
    };
    assert.deepEqual(hours("2026-10-25T12:00:00Z"), ["2026-10-18T22:00:00.000Z", 169]);
    assert.deepEqual(hours("2026-03-29T12:00:00Z"), ["2026-03-22T23:00:00.000Z", 167]);
    const fortnight = periodAround("fortnight", at("2026-10-25T12:00:00Z"), ZONE);
    assert.equal((fortnight.untilS - fortnight.fromS) / HOUR_S, 14 * 24 + 1);
    const month = periodAround("month", at("2026-12-31T23:30:00Z"), ZONE);
    assert.deepEqual([month.fromS, month.untilS], [at("2026-12-31T23:00:00Z"), at("2027-01-31T23:00:00Z")]);
  });

  test("periods follow each other without a hole, through two years", () => {
    for (const period of ["week", "fortnight", "month"] as const) {
      let { fromS, untilS } = periodAround(period, at("2026-01-15T00:00:00Z"), ZONE);
      while (untilS < at("2028-01-01T00:00:00Z")) {
        const next = periodAround(period, untilS, ZONE);
        assert.equal(next.fromS, untilS);
        assert.deepEqual(periodAround(period, untilS - 1, ZONE), { fromS, untilS });
        ({ fromS, untilS } = next);
      }
    }
  });

  test("only what lies in the time counts, of the type that is meant", () => {
    const worked = { shifts: [shift(-100, 100), shift(200, 300, "other")], corrections: [] };
    assert.deepEqual(countedIn(worked, week), { countedS: 200, unsureS: 15 });
    assert.deepEqual(countedIn(worked, week, "t"), { countedS: 100, unsureS: 5 });
  });

  test("leave, reduced activity and joining in the middle ask for less; of two at once the least", () => {
    const asked = (linkedDay: number, ...leaves: readonly Leave[]) =>
      neededS(quota, week, { linkedS: linkedDay * 86_400, leaves }) / HOUR_S;
    assert.equal(asked(-1), 7);
    assert.equal(asked(3), 4);
    assert.equal(asked(0, leave(1, 3)), 5);
    assert.equal(asked(0, leave(0, 4, 50)), 5);
    assert.equal(asked(0, leave(0, 4, 50), leave(2, 3)), 4.5);
    assert.equal(asked(5, leave(-3, 6)), 1);
    assert.equal(asked(0, leave(-1, 9)), 0);
    assert.equal(asked(0, { ...leave(0, 7), state: "asked" }), 7);
    assert.equal(asked(9), 0);
  });

  test("say who met it, who did not and who was excused, also for none and for a thousand hours", () => {
    const people = [
      { userId: "a", linkedS: 0, leaves: [], shifts: [shift(0, 7 * HOUR_S)], corrections: [] },
      { userId: "b", linkedS: 0, leaves: [], shifts: [], corrections: [] },
      { userId: "c", linkedS: 0, leaves: [leave(0, 7)], shifts: [], corrections: [] },
    ];
    const outcomes = (needS: number) =>
      quotaLines({ ...quota, needS }, week, people).map(({ userId, outcome }) => `${userId} ${outcome}`);
    assert.deepEqual(outcomes(7 * HOUR_S), ["a met", "b not-met", "c excused"]);
    assert.deepEqual(outcomes(0), ["a excused", "b excused", "c excused"]);
    assert.deepEqual(outcomes(1_000 * HOUR_S), ["a not-met", "b not-met", "c excused"]);
  });

  test("say what was reduced, and what Managers added and took, of the quota's own kind of shift", () => {
    const correction = (seconds: number, typeId = "t", atS = 60): Correction => ({
      id: "c",
      userId: "u",
      typeId,
      atS,
      seconds,
      reason: "",
      byId: "m",
    });
    const corrections = [correction(3_600), correction(-60), correction(9, "other"), correction(9, "t", -1)];
    const leaves = [leave(0, 1, 50), leave(2, 3, 25), leave(4, 5), leave(8, 9, 10)];
    const person = { userId: "a", linkedS: 0, shifts: [] };
    const [line] = quotaLines({ ...quota, typeId: "t" }, week, [{ ...person, leaves, corrections }]);
    assert.deepEqual([line?.reducedTo, line?.addedS, line?.takenS], [25, 3_600, 60]);
    const result = { quotaId: "q", ...week, lines: line === undefined ? [] : [line] };
    assert.deepEqual(resultIn(resultRow("g", result)), result);
    const [plain] = quotaLines(quota, week, [{ ...person, leaves: [], corrections: [] }]);
    assert.deepEqual(Object.keys(plain ?? {}), ["userId", "countedS", "unsureS", "needS", "outcome"]);
  });

  test("say of whom less is asked because they were linked in the middle, and since when", () => {
    const day = 86_400;
    const person = (userId: string, linkedS: number) => ({
      userId,
      linkedS,
      leaves: [],
      shifts: [],
      corrections: [],
    });
    const lines = quotaLines(quota, week, [person("a", 0), person("b", 3 * day), person("c", 9 * day)]);
    assert.deepEqual(
      lines.map(({ userId, linkedS }) => [userId, linkedS]),
      [
        ["a", undefined],
        ["b", 3 * day],
        ["c", undefined],
      ],
    );
  });

  test("a correction of one's own time counts when a second Manager has confirmed it", () => {
    const own = { id: "c", userId: "u", typeId: "t", atS: 50, seconds: 600, reason: "" };
    const counted = (correction: object) =>
      countedIn({ shifts: [], corrections: [{ ...own, byId: "u", ...correction }] }, week).countedS;
    assert.deepEqual(
      [{}, { byId: "m" }, { confirmedBy: "m" }, { isOwner: true }, { byId: "m", seconds: -600 }].map(counted),
      [0, 600, 600, 600, 0],
    );
  });

  test("of one community that cannot be read keep no other's list from being kept", async () => {
    const kept: string[] = [];
    const setup = { types: [], quotas: [quota] };
    const resets = new QuotaResets({
      bindings: { linkedOf: (guildId) => [{ guildId, id: "b", source: "s" as SourceId }] },
      store: { guilds: async () => ["1", "2", "3"] } as unknown as DutyStore,
      book: { page: async () => ({ setup, links: [], staff: new Set<number>() }) } as unknown as DutyBook,
      desk: { refresh: async () => ({ open: [], closed: [], knownS: 9, lookedS: 9 }) } as unknown as DutyDesk,
      staffing: {
        async closePeriods(guildId: string) {
          if (guildId === "1") throw new Failure("paused", "Marshal can't read your roles right now.");
          if (guildId === "2") throw new Error("a defect");
          kept.push(guildId);
        },
      } as unknown as StaffingDesk,
      clock: new VirtualClock(0),
      isOurs: () => true,
      report: (_, error) => void kept.push(String(error)),
    });
    await resets.round();
    assert.deepEqual(kept, ["Error: a defect", "3"]);
  });

  test("of a community whose roles take minutes to read hold up no other's, and are asked for once", async () => {
    const asked: string[] = [];
    const clock = new VirtualClock(0);
    const slow = Promise.withResolvers<void>();
    const resets = new QuotaResets({
      bindings: { linkedOf: (guildId) => [{ guildId, id: "b", source: "s" as SourceId }] },
      store: { guilds: async () => ["1", "2"] } as unknown as DutyStore,
      book: {
        page: async () => ({ setup: { types: [], quotas: [quota] }, links: [], staff: new Set<number>() }),
      } as unknown as DutyBook,
      desk: { refresh: async () => ({ open: [], closed: [], knownS: 9, lookedS: 9 }) } as unknown as DutyDesk,
      staffing: {
        async closePeriods(guildId: string) {
          asked.push(guildId);
          if (guildId === "1") await slow.promise;
        },
      } as unknown as StaffingDesk,
      clock,
      isOurs: () => true,
      report: (_, error) => void asked.push(String(error)),
    });
    resets.start();
    await clock.advance(120_000);
    assert.deepEqual(asked, ["1", "2", "2"]);
    slow.resolve();
    await clock.advance(60_000);
    assert.deepEqual(asked, ["1", "2", "2", "1", "2"]);
    resets.stop();
  });
});
