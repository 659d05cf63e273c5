import assert from "node:assert/strict";
import { test } from "node:test";
import { altText } from "../../../src/discord/render/map/alt-text.ts";
import { md } from "../../../src/domain/escaped.ts";

test("what is read out of a picture has no Markdown and no times that only Discord's messages show", () => {
  const lines = [
    md`**<t:1763755290:f>** (<t:1763755290:R>)`,
    md`<t:1763755290:T> 💀 **[A\\_b](https://www.roblox.com/users/1/profile)** killed **C**`,
    md`-# Positions every 10 s.`,
  ];
  assert.equal(altText(lines, "UTC"), "20:01:30 20:01:30 💀 A_b killed C Positions every 10 s.");
  assert.match(altText(lines, "America/New_York"), /^15:01:30/);
});
