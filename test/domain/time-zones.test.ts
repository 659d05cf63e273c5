import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TIME_ZONES, zoneNamed } from "../../src/domain/time-zones.ts";

describe("A time zone as it is typed", () => {
  const cases: Readonly<Record<string, string | undefined>> = {
    "europe/berlin": "Europe/Berlin",
    berlin: "Europe/Berlin",
    "New York": "America/New_York",
    // Node takes these two for Panama and Dhaka, whose clocks do not change in summer.
    EST: "America/New_York",
    BST: "Europe/London",
    EDT: "America/New_York",
    " Eastern ": "America/New_York",
    "Pacific Time": "America/Los_Angeles",
    "Central Standard Time": "America/Chicago",
    MST: "America/Denver",
    CET: "Europe/Berlin",
    AEST: "Australia/Sydney",
    utc: "UTC",
    "US/Eastern": "America/New_York",
    // An offset knows no summer time.
    "UTC+1": undefined,
    "+01:00": undefined,
    narnia: undefined,
    time: undefined,
    "": undefined,
  };
  for (const [typed, zone] of Object.entries(cases))
    test(`"${typed}" is ${zone ?? "none"}`, () => assert.equal(zoneNamed(typed), zone));

  test("is always found by its own name", () => {
    for (const name of TIME_ZONES) assert.equal(zoneNamed(name), name);
  });
});
