import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Failure } from "../../src/domain/failure.ts";
import { fromOf, momentOf, momentsOf, throughOf, untilOf } from "../../src/domain/moment.ts";

const iso = (text: string) => Date.parse(text);
const now = { nowMs: iso("2026-11-21T21:05:30Z"), zone: "UTC" };
const berlin = { ...now, zone: "Europe/Berlin" };

describe("a moment of the past, as people write it", () => {
  const cases: readonly (readonly [typed: string, moment: string, zone?: "Europe/Berlin"])[] = [
    ["20:14", "2026-11-21T20:14:00Z"],
    ["20:14", "2026-11-21T19:14:00Z", "Europe/Berlin"],
    ["20:14:09", "2026-11-21T20:14:09Z"],
    ["23:00", "2026-11-20T23:00:00Z"],
    ["8:14 pm", "2026-11-21T20:14:00Z"],
    ["12:05am", "2026-11-21T00:05:00Z"],
    ["25 min ago", "2026-11-21T20:40:30Z"],
    ["25m", "2026-11-21T20:40:30Z"],
    ["1 h 30 min ago", "2026-11-21T19:35:30Z"],
    ["1.5 hours ago", "2026-11-21T19:35:30Z"],
    ["2 days ago", "2026-11-19T21:05:30Z"],
    ["now", "2026-11-21T21:05:30Z"],
    ["  Yesterday   20:14 ", "2026-11-20T20:14:00Z"],
    ["today 01:00", "2026-11-21T00:00:00Z", "Europe/Berlin"],
    ["2026-11-21 20:14", "2026-11-21T20:14:00Z"],
    ["2026-11-21T20:14", "2026-11-21T20:14:00Z"],
    ["2026-11-20", "2026-11-20T00:00:00Z"],
    ["2026-07-01 20:14", "2026-07-01T18:14:00Z", "Europe/Berlin"],
    ["21.11. 20:14", "2026-11-21T20:14:00Z"],
    ["24.12. 20:14", "2025-12-24T20:14:00Z"],
    ["21 Nov 20:14", "2026-11-21T20:14:00Z"],
    ["November 20, 2025, 20:14", "2025-11-20T20:14:00Z"],
    ["<t:1795291200:R>", "2026-11-21T20:00:00Z"],
    ["1795291200", "2026-11-21T20:00:00Z"],
  ];
  for (const [typed, moment, zone = "UTC"] of cases) {
    test(`"${typed}" in ${zone}`, () => {
      assert.equal(new Date(momentOf(typed, { ...now, zone })).toISOString(), new Date(moment).toISOString());
    });
  }

  test("that comes twice in autumn is its first, one that clocks leap over in spring as much later", () => {
    assert.equal(momentOf("2026-10-25 02:30", berlin), iso("2026-10-25T00:30:00Z"));
    assert.equal(momentOf("2026-03-29 02:30", berlin), iso("2026-03-29T01:30:00Z"));
    assert.equal(momentOf("2026-03-29 03:30", berlin), iso("2026-03-29T01:30:00Z"));
  });

  test("that comes twice is both, as far as they have passed; what does not come says so, with the time after it", () => {
    const times = (typed: string, nowMs: number) =>
      momentsOf(typed, { nowMs, zone: "Europe/Berlin" }).map((atMs) =>
        new Date(atMs).toISOString().slice(0, 16),
      );
    const after = iso("2026-10-25T10:00:00Z");
    assert.deepEqual(times("02:10", after), ["2026-10-25T00:10", "2026-10-25T01:10"]);
    assert.deepEqual(times("2026-10-25 02:10", after), ["2026-10-25T00:10", "2026-10-25T01:10"]);
    assert.deepEqual(times("02:10", iso("2026-10-25T00:30:00Z")), ["2026-10-25T00:10"]);
    assert.deepEqual(times("02:10", iso("2026-10-26T10:00:00Z")), ["2026-10-26T01:10"]);
    for (const typed of ["02:30", "2026-03-29 02:30", "today 2:30"]) {
      assert.throws(
        () => times(typed, iso("2026-03-29T10:00:00Z")),
        (error) => error instanceof Failure && /did not exist.*Try 03:30/.test(error.message),
      );
    }
    assert.deepEqual(times("02:30", iso("2026-03-29T00:50:00Z")), ["2026-03-28T01:30"]);
  });

  test("is, in every zone and at every time, a moment at which its clocks show what was typed", () => {
    const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC", "America/Sao_Paulo"];
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.nat(365 * 24 * 60), (zone, minute) => {
        const atMs = iso("2026-01-01T00:00:00Z") + minute * 60_000;
        const format = new Intl.DateTimeFormat("sv-SE", {
          timeZone: zone,
          dateStyle: "short",
          timeStyle: "short",
        });
        const moments = momentsOf(format.format(atMs), { nowMs: iso("2027-02-01T00:00:00Z"), zone });
        assert.ok(moments.includes(atMs));
        for (const moment of moments) assert.equal(format.format(moment), format.format(atMs));
      }),
    );
  });

  test("is refused with examples where it cannot be read, or in the future", () => {
    for (const typed of [
      "",
      "soon",
      "25:00",
      "13:00 pm",
      "2026-13-01",
      "2026-02-30",
      "5 parsecs",
      "ago",
      "99999999999999 min ago",
      "3000 weeks ago",
      "2027-01-01",
    ]) {
      assert.throws(
        () => momentOf(typed, now),
        (error) => error instanceof Failure && error.code === "bad-command" && /20:14/.test(error.message),
        typed,
      );
    }
  });

  test("never in the future and never breaks, whatever was typed", () => {
    const words = fc.constantFrom("20:14", "ago", "min", "3", "yesterday", "-", ":", "2026", "am", "d", " ");
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((parts) => parts.join("")),
        ),
        (typed) => {
          try {
            assert.ok(momentOf(typed, berlin) <= now.nowMs);
          } catch (error) {
            assert.ok(error instanceof Failure, typed);
          }
        },
      ),
    );
  });
});

test("tomorrow has not passed", () => {
  assert.throws(() => momentOf("tomorrow", now), /in the future/);
});

describe("a moment ahead, as people write it", () => {
  const cases: readonly (readonly [typed: string, moment: string])[] = [
    ["7 days", "2026-11-28T21:05:30Z"],
    ["in 12h", "2026-11-22T09:05:30Z"],
    ["23:00", "2026-11-21T23:00:00Z"],
    ["20:00", "2026-11-22T20:00:00Z"],
    ["2026-12-24", "2026-12-24T00:00:00Z"],
    ["24.12. 18:00", "2026-12-24T18:00:00Z"],
    ["1 Feb", "2027-02-01T00:00:00Z"],
    ["tomorrow", "2026-11-22T00:00:00Z"],
    ["tomorrow 18:00", "2026-11-22T18:00:00Z"],
    // It is a Saturday.
    ["fri 20:00", "2026-11-27T20:00:00Z"],
    ["Sat 20:00", "2026-11-28T20:00:00Z"],
    ["saturday 23:00", "2026-11-21T23:00:00Z"],
    ["sun", "2026-11-22T00:00:00Z"],
  ];
  for (const [typed, moment] of cases) {
    test(`"${typed}"`, () => {
      assert.equal(new Date(untilOf(typed, now)).toISOString(), new Date(moment).toISOString());
    });
  }

  const through: readonly (readonly [typed: string, moment: string])[] = [
    ["7 days", "2026-11-28T21:05:30Z"],
    ["in 12h", "2026-11-22T09:05:30Z"],
    ["23:00", "2026-11-21T23:00:00Z"],
    ["24.12. 18:00", "2026-12-24T18:00:00Z"],
    ["2026-12-24", "2026-12-24T23:59:59Z"],
    ["24.12.", "2026-12-24T23:59:59Z"],
    [" 1 Feb ", "2027-02-01T23:59:59Z"],
    ["today", "2026-11-21T23:59:59Z"],
    ["Tomorrow", "2026-11-22T23:59:59Z"],
    ["fri", "2026-11-27T23:59:59Z"],
  ];
  for (const [typed, moment] of through) {
    test(`through "${typed}": a day to its end`, () => {
      assert.equal(new Date(throughOf(typed, now)).toISOString(), new Date(moment).toISOString());
    });
  }

  test("from a day that has begun is from now on, from a later one its beginning", () => {
    for (const typed of ["now", "today", " Today", "2026-11-21", "21.11.", "21 Nov"])
      assert.equal(fromOf(typed, now), now.nowMs, typed);
    const later = ["tomorrow", "2026-11-22", "23:00"].map((typed) =>
      new Date(fromOf(typed, now)).toISOString(),
    );
    assert.deepEqual(later, [
      "2026-11-22T00:00:00.000Z",
      "2026-11-22T00:00:00.000Z",
      "2026-11-21T23:00:00.000Z",
    ]);
    for (const typed of ["yesterday", "2026-11-20", "today 10:00", "never"])
      assert.throws(() => fromOf(typed, now), Failure, typed);
  });

  test("to the end of a day that is over or none is refused", () => {
    for (const typed of ["", "never", "2026-11-20", "0 days", "yesterday"])
      assert.throws(() => throughOf(typed, now), Failure, typed);
  });

  test("is refused where it has passed or cannot be read", () => {
    for (const typed of ["", "never", "2026-11-20", "0 days", "yesterday", "99999999999999 days"]) {
      assert.throws(() => untilOf(typed, now), Failure, typed);
    }
  });
});
