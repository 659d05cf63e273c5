import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeMarkdown } from "../../../src/discord/render/escape.ts";
import { altText } from "../../../src/discord/render/map/alt-text.ts";
import { md } from "../../../src/domain/escaped.ts";

test("what is read out of a picture has no Markdown and no times that only Discord's messages show", () => {
  const lines = [
    md`**<t:1763755290:f>** (<t:1763755290:R>)`,
    md`<t:1763755290:T> 💀 **[A\\_b](https://www.roblox.com/users/1/profile)** killed **C**`,
    md`-# Positions every 10 s.`,
  ];
  assert.equal(
    altText(lines, "UTC"),
    "20:01:30 20:01:30 💀 A_b killed C Positions every 10 s. Times in UTC.",
  );
  assert.match(altText(lines, "America/New_York"), /^15:01:30.* Times in America\/New_York\.$/);
  assert.equal(altText([md`Nobody is in the server.`], "UTC"), "Nobody is in the server.");
  const long = altText([md`<t:1763755290:T>`, escapeMarkdown("a".repeat(2_000))], "UTC");
  assert.ok(long.length <= 900 && long.endsWith("… Times in UTC."));
});
