import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { VISIT, type VisitKind } from "../../src/history/database/schema.ts";
import { isInside, sessionsOf } from "../../src/history/queries/sessions.ts";

const visit = (kind: VisitKind, at_s: number, after_s: number | null = null) => ({ kind, at_s, after_s });
const { joined, left, appeared, vanished } = VISIT;

describe("sessions", () => {
  test("a join and a leave are a session; a join alone is one that lasts", () => {
    assert.deepEqual(sessionsOf([visit(joined, 10), visit(left, 20), visit(joined, 30)]), [
      { start: { atS: 10, isSure: true }, end: { atS: 20, isSure: true } },
      { start: { atS: 30, isSure: true } },
    ]);
  });

  test("a join of somebody inside ends the session before, at a time that is not sure", () => {
    assert.deepEqual(sessionsOf([visit(joined, 10), visit(joined, 50)]), [
      { start: { atS: 10, isSure: true }, end: { atS: 50, isSure: false, afterS: 10 } },
      { start: { atS: 50, isSure: true } },
    ]);
  });

  test("a leave without a join is a session whose start nobody knows", () => {
    assert.deepEqual(sessionsOf([visit(left, 20)]), [
      { start: { atS: 20, isSure: false }, end: { atS: 20, isSure: true } },
    ]);
  });

  test("who appears in a list began before; who vanishes from it ended between two looks", () => {
    assert.deepEqual(sessionsOf([visit(appeared, 100), visit(vanished, 200, 180)]), [
      { start: { atS: 100, isSure: false }, end: { atS: 200, isSure: false, afterS: 180 } },
    ]);
  });

  test("what the lists say beside a row of the log changes nothing", () => {
    const rows = [visit(joined, 10), visit(appeared, 15, 5), visit(left, 20), visit(vanished, 25, 15)];
    assert.deepEqual(sessionsOf(rows), [
      { start: { atS: 10, isSure: true }, end: { atS: 20, isSure: true } },
    ]);
  });

  test("of who was there on both sides of a gap nothing in it is a part of a session", () => {
    const { seenAgain } = VISIT;
    const unseen = { atS: 200, isSure: false, afterS: 100, isUnseen: true } as const;
    const start = { atS: 200, isSure: false, afterS: 200 } as const;
    const before = { start: { atS: 10, isSure: true }, end: unseen } as const;
    const rows = [visit(joined, 10), visit(seenAgain, 200, 100)];
    assert.deepEqual(sessionsOf(rows), [before, { start }]);
    assert.deepEqual(sessionsOf([...rows, visit(left, 200)]), [
      before,
      { start, end: { atS: 200, isSure: true } },
    ]);
    assert.equal(isInside([...rows, visit(left, 200)], true), false);
  });

  test("a leave and a join of one second are in the order that fits", () => {
    const rows = [visit(joined, 10), visit(joined, 20), visit(left, 20), visit(left, 30)];
    assert.deepEqual(
      sessionsOf(rows).map(({ start, end }) => [start.atS, end?.atS]),
      [
        [10, 20],
        [20, 30],
      ],
    );
  });
});
