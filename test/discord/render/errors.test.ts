import assert from "node:assert/strict";
import { test } from "node:test";
import { failureBody } from "../../../src/discord/render/errors.ts";
import { Failure } from "../../../src/domain/failure.ts";

const text = (failure: Failure, manages = false) =>
  failureBody(failure, { reference: "ref", manages }).cards?.[0]?.description ?? "";

test("an error says whether it ran, why, the next step, when, and a reference, in this order", () => {
  const failure = new Failure("rate-limited", "Too many.", { retryAtMs: 61_000, commandId: "c-1" });
  const said = text(failure);
  const order = ["Nothing was run", "Too many", "Next:", "after <t:61:T>", "ref", "c-1"].map((part) =>
    said.indexOf(part),
  );
  assert.ok(
    order.every((at, index) => at >= 0 && at >= (order[index - 1] ?? 0)),
    said,
  );
});

test("who manages the Discord server is told what to do, everyone else whom to ask", () => {
  const denied = new Failure("denied", "No tier.");
  assert.match(text(denied), /Ask whoever manages/);
  assert.match(text(denied, true), /`\/staff allow` gives one of your roles a tier/);
});

test("a next step that is a button is not told in words as well", () => {
  const next = { kind: "button", style: "primary", label: "Link a server", id: "setup-link" } as const;
  const { cards, rows } = failureBody(new Failure("key-rejected", "Gone."), { reference: "ref", next });
  assert.doesNotMatch(cards?.[0]?.description ?? "", /Next/);
  assert.deepEqual(rows, [[next]]);
});

test("after an unknown outcome nobody is told to try again", () => {
  const unknown = new Failure("unreachable", "No answer.", { ran: "unknown" });
  assert.match(text(unknown), /looked in the game/);
  assert.doesNotMatch(text(unknown), /[Tt]ry again/);
});

test("what was only read says nothing of whether it ran", () => {
  const failure = new Failure("platform", "Nobody answered.", { isRead: true });
  const text = failureBody(failure, { reference: "ref" }).cards?.[0]?.description ?? "";
  assert.equal(text, "Nobody answered.\nTry again in a minute.\n-# Reference `ref`");
});
