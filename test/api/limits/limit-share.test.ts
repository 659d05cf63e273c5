import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LimitShare } from "../../../src/api/limits/limit-share.ts";

describe("a share of a limit", () => {
  test("is nothing before it is granted", () => {
    const share = new LimitShare();
    assert.ok(share.isNothing(0));
    share.onWindow(0);
    assert.equal(share.left(0), 0);
  });

  test("a raise counts from the next window, because others use this one's", () => {
    const share = new LimitShare();
    share.grant(8, 5_000, 0);
    assert.equal(share.left(1), 0);
    share.onWindow(0);
    assert.equal(share.left(2), 8);
    share.grant(12, 6_000, 1_000);
    assert.equal(share.left(1_001), 8);
    share.onWindow(2);
    assert.equal(share.left(1_002), 10, "two are on their way from the window before");
  });

  test("a cut counts at once, also for what is spent already", () => {
    const share = new LimitShare();
    share.grant(8, 5_000, 0);
    share.onWindow(0);
    for (let n = 0; n < 5; n++) share.spend(1);
    share.grant(4, 6_000, 1_000);
    assert.equal(share.left(1_001), -1);
  });

  test("an expired share is nothing, and granted again it counts from the next window", () => {
    const share = new LimitShare();
    share.grant(8, 5_000, 0);
    share.onWindow(0);
    assert.equal(share.left(4_999), 8);
    assert.equal(share.left(5_000), 0);
    share.grant(8, 11_000, 6_000);
    assert.equal(share.left(6_001), 0);
    share.onWindow(0);
    assert.equal(share.left(6_002), 8);
  });

  test("a share that nobody is sure of any more is nothing", () => {
    const share = new LimitShare();
    share.grant(8, 5_000, 0);
    share.onWindow(0);
    share.withdraw();
    assert.ok(share.isNothing(1));
  });

  test("what never left is given back", () => {
    const share = new LimitShare();
    share.grant(2, 5_000, 0);
    share.onWindow(0);
    share.spend(1);
    share.spend(1);
    share.spend(-1);
    assert.equal(share.left(1), 1);
  });
});
