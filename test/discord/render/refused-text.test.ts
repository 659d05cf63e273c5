import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { appealRenderer } from "../../../src/discord/render/appeal-cards.ts";
import { caseRenderer } from "../../../src/discord/render/players/watch-cards.ts";
import { sessionRenderer } from "../../../src/discord/render/sessions/session-cards.ts";
import { dutyRenderer } from "../../../src/discord/render/shifts/duty-renderer.ts";
import { weeklyRenderer } from "../../../src/discord/render/stats/weekly-card.ts";
import type { SinkRefusalReason } from "../../../src/domain/failure.ts";

const SESSION = { channelId: "5", serverName: "Town" } as Parameters<typeof sessionRenderer.closed>[0];

/** What the community reads of each room's channel. */
const notices: Readonly<Record<string, (why: SinkRefusalReason) => unknown>> = {
  appeals: (why) => appealRenderer.closed("5", why).content,
  cases: (why) => caseRenderer.closed("cases", "5", why).content,
  watches: (why) => caseRenderer.closed("watches", "5", why).content,
  duty: (why) => dutyRenderer.closed("5", why).content,
  sessions: (why) => sessionRenderer.closed(SESSION, why).content,
  weekly: (why) => weeklyRenderer.closed("5", why).content,
};

suite("a notice that nothing can be posted in a channel", () => {
  for (const [room, notice] of Object.entries(notices)) {
    test(`of ${room} says why, and asks for permissions only where they are missing`, () => {
      assert.match(
        String(notice("no-access")),
        /in <#5>: give Marshal View Channel, .*choose another one with/,
      );
      assert.match(String(notice("gone")), /in <#5>: it no longer exists\. Choose another one with `\//);
      assert.match(String(notice("closed")), /in <#5>: the thread is archived or locked\. Open it/);
      assert.match(String(notice("form")), /in <#5>: Discord refuses what the message says\./);
      for (const why of ["gone", "closed", "form", "rejected"] as const)
        assert.doesNotMatch(String(notice(why)), /give Marshal/i);
    });
  }
});
