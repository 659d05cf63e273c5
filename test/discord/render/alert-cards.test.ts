import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alertChoice, alertText } from "../../../src/discord/render/alert-cards.ts";
import type { AlertRule } from "../../../src/domain/alert.ts";

const rule: AlertRule = {
  id: "a1",
  guildId: "1",
  bindingId: "b1",
  kind: "full",
  channelId: "5",
  createdBy: "1",
  createdAtMs: 0,
};

describe("an alert without a number", () => {
  test("says when it fires", () => {
    assert.match(alertText(rule, []), /\*\*the server fills up\*\* \(when it is full\), posted in <#5>/);
    assert.match(alertText({ ...rule, count: 30 }, []), /\*\*the server fills up\*\* \(30 players\)/);
    assert.match(
      alertText({ ...rule, kind: "empty" }, []),
      /\*\*the server empties\*\* \(when nobody is left\)/,
    );
    assert.match(alertChoice(rule, 1, []), /^1\. the server fills up \(when it is full\)/);
  });
});
