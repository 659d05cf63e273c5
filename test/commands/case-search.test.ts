import assert from "node:assert/strict";
import { test } from "node:test";
import { filterOf, filterText, narrowed } from "../../commands/case-args.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/guild.ts";
import { VirtualClock } from "../support/clock.ts";
import { actorOf } from "../support/fake-services.ts";

const NOW_MS = Date.parse("2026-11-27T18:30:20.500Z");

/** Up to when a search reaches whose end was typed like this, as its pages are asked for. */
async function reaches(until: string): Promise<string> {
  const found = await narrowed(
    {
      clock: new VirtualClock(NOW_MS),
      settings: { of: async () => ({ ...DEFAULT_SETTINGS, timeZone: "Europe/Berlin" }) },
      accounts: { of: async () => undefined },
    } as unknown as Parameters<typeof narrowed>[0],
    actorOf({ userId: "1", guildId: "2" }),
    { player: undefined, staffId: undefined, kind: undefined, since: undefined, until },
  );
  return new Date(filterOf(filterText(found)).toMs ?? 0).toISOString();
}

test("a search up to a day has the cases of that day, and one up to a time those of its second", async () => {
  assert.equal(await reaches("2026-11-21"), "2026-11-21T22:59:59.999Z");
  assert.equal(await reaches("yesterday"), "2026-11-26T22:59:59.999Z");
  assert.equal(await reaches("25 oct"), "2026-10-25T22:59:59.999Z", "the day on which the clocks go back");
  assert.equal(await reaches("today"), "2026-11-27T18:30:20.999Z");
  assert.equal(await reaches("now"), "2026-11-27T18:30:20.999Z");
  assert.equal(await reaches("5 min ago"), "2026-11-27T18:25:20.999Z");
  assert.equal(await reaches("yesterday 20:00"), "2026-11-26T19:00:00.999Z");
});

test("a search by words of up to 32 characters keeps them all in its buttons, whatever else narrows it", () => {
  const most = {
    userId: "18446744073709551615",
    authorPlayerId: 999_999_999_999,
    kind: "warning",
    fromMs: NOW_MS,
    toMs: NOW_MS,
  } as const;
  for (const playerName of ["somebody_with_a_very_long_name", `${"x".repeat(19)}😀`, "😀".repeat(16)]) {
    const text = filterText({ ...most, playerName });
    assert.equal(filterOf(text).playerName, playerName);
    assert.ok(`case-older:999999999/${text}`.length <= 100, text);
  }
  // Half a sign would be refused by Discord, with the whole answer.
  const cut = filterText({ playerName: `${"x".repeat(31)}😀` });
  assert.ok(cut.isWellFormed());
  assert.equal(filterOf(cut).playerName, "x".repeat(31));
});
