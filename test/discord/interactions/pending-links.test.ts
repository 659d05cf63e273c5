import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPendingLinks } from "../../../src/discord/interactions/pending-links.ts";
import type { PendingLink } from "../../../src/domain/ports/pending-links.ts";
import { ServerKey } from "../../../src/domain/server-key.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { actorOf } from "../../support/fake-services.ts";
import { serverStatus } from "../../support/server-status.ts";

function open() {
  const clock = new VirtualClock();
  return { clock, links: createPendingLinks(clock, seededRandom(1)) };
}

function linkOf(guildId: string, userId: string, key = `${guildId}-${userId}`): PendingLink {
  return { key: new ServerKey(key), status: serverStatus(), guildId, userId, roleIds: [] };
}

describe("keys that wait for their Yes", () => {
  test("a person has one: typing another forgets the first", () => {
    const { clock, links } = open();
    const actor = actorOf({ guildId: "g", userId: "u" });
    const first = links.put(linkOf("g", "u", "first"));
    const second = links.put(linkOf("g", "u", "second"));
    assert.equal(links.take(first, actor), undefined);
    assert.equal(links.take(second, actor)?.key.reveal(), "second");
    assert.equal(links.take(second, actor), undefined);
    assert.equal(clock.pending, 0);
  });

  test("a guild has five, which is said before a key is asked about; five minutes make room again", async () => {
    const { clock, links } = open();
    for (const userId of ["a", "b", "c", "d", "e"]) links.put(linkOf("g", userId));
    assert.throws(() => links.checkRoom("g", "f"), { code: "bad-command", message: /^5 people/ });
    assert.throws(() => links.put(linkOf("g", "f")), { code: "bad-command" });
    links.checkRoom("g", "e");
    links.checkRoom("other", "f");
    await clock.advance(5 * 60_000);
    links.put(linkOf("g", "f"));
  });

  test("a thousand of one guild's members evict no other guild's", () => {
    const { links } = open();
    const quiet = links.put(linkOf("quiet", "u"));
    for (let person = 0; person < 1_000; person += 1) {
      try {
        links.put(linkOf("loud", String(person)));
      } catch {
        // The sixth and all after it.
      }
    }
    assert.ok(links.take(quiet, actorOf({ guildId: "quiet", userId: "u" })));
  });

  test("only who typed it, and only there, can take it", () => {
    const { links } = open();
    const id = links.put(linkOf("g", "u"));
    assert.equal(links.take(id, actorOf({ guildId: "g", userId: "other" })), undefined);
    assert.equal(links.take(id, actorOf({ guildId: "h", userId: "u" })), undefined);
    assert.ok(links.take(id, actorOf({ guildId: "g", userId: "u" })));
  });
});
