import assert from "node:assert/strict";
import { test } from "node:test";
import { schedulesEnded } from "../../../src/discord/render/schedule-cards.ts";
import type { NamedSchedule } from "../../../src/domain/ports/run-renderer.ts";
import { ruleOf } from "../../../src/domain/schedule.ts";

/** What Discord takes as the content of a message, in characters. */
const LONGEST_CONTENT = 2_000;

test("the notice of as many schedules as there can be fits a message, and counts those that it does not name", () => {
  const text = `:h ${"_*W*_ ".repeat(80)}`;
  const ended = Array.from({ length: 20 }, (_, index): NamedSchedule => {
    const schedule = {
      id: `s${index}`,
      guildId: "g1",
      bindingId: "b1",
      what: { kind: "text", text },
      rule: ruleOf("mon, wed, sat 08:00, 10:00, 12:00, 14:00, 16:00, 18:00"),
      anchorMs: 0,
      onlyWithPlayers: false,
      ownerId: "1456074443980800001",
      ownerName: "jo",
      channelId: "c1",
      createdAtMs: 0,
      claimedMs: 0,
      failures: 0,
    } as const;
    return { schedule, text, serverName: "__Liberty__ County ".repeat(4) };
  });
  const { content = "" } = schedulesEnded(ended, "*".repeat(400));
  assert.ok(content.length <= LONGEST_CONTENT, `${content.length}`);
  assert.match(content, /\*\*20 schedules have ended\.\*\*/);
  const named = content.match(/^• /gm)?.length ?? 0;
  assert.match(content, new RegExp(`and ${20 - named} more`));
  assert.match(content, /\*\*Next:\*\*.*$/);
  const { content: one = "" } = schedulesEnded(ended.slice(0, 1), "Its preset was deleted.");
  assert.match(one, /\n• `:h/);
});
