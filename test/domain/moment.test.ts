import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Failure } from "../../src/domain/failure.ts";
import { momentOf, untilOf } from "../../src/domain/moment.ts";

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

  test("is refused with examples where it cannot be read, or lies ahead", () => {
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

  test("never lies ahead and never breaks, whatever was typed", () => {
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

describe("a moment ahead, as people write it", () => {
  const cases: readonly (readonly [typed: string, moment: string])[] = [
    ["7 days", "2026-11-28T21:05:30Z"],
    ["in 12h", "2026-11-22T09:05:30Z"],
    ["23:00", "2026-11-21T23:00:00Z"],
    ["20:00", "2026-11-22T20:00:00Z"],
    ["2026-12-24", "2026-12-24T00:00:00Z"],
    ["24.12. 18:00", "2026-12-24T18:00:00Z"],
    ["1 Feb", "2027-02-01T00:00:00Z"],
  ];
  for (const [typed, moment] of cases) {
    test(`"${typed}"`, () => {
      assert.equal(new Date(untilOf(typed, now)).toISOString(), new Date(moment).toISOString());
    });
  }

  test("is refused where it has passed or cannot be read", () => {
    for (const typed of ["", "never", "2026-11-20", "0 days", "yesterday", "99999999999999 days"]) {
      assert.throws(() => untilOf(typed, now), Failure, typed);
    }
  });
});
