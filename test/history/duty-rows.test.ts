import assert from "node:assert/strict";
import { test } from "node:test";
import type { DutyRow } from "../../src/domain/ports/duty-store.ts";
import { rows, write } from "../../src/history/queries/duty.ts";
import { onBothDatabases } from "./databases.ts";
import { GUILD, openRig, START_S } from "./rig.ts";

/** A month of a large community whose shifts go by team: more than a page, many of one second. */
const SHIFTS = 20_500;
const TOGETHER = 50;

function shift(number: number): DutyRow {
  const fromS = START_S + Math.floor(number / TOGETHER) * 100;
  const kind = number % 2 === 0 ? "shift" : "still";
  // Two kinds may have the same id and begin together.
  const id = `s${Math.floor(number / 2)}`;
  return { guildId: GUILD, kind, id, userId: "u1", playerId: 11, fromS, untilS: fromS + 60, body: "{}" };
}

onBothDatabases("what duty keeps", (databases) => {
  test("is answered whole, oldest first, however many shifts a month had", async () => {
    const { context } = await openRig(databases);
    const put = Array.from({ length: SHIFTS }, (_, number) => shift(number));
    await write(context, { put: put.toReversed() });
    const found = await rows(context, { guildId: GUILD, kinds: ["shift", "still"], sinceS: START_S });
    assert.equal(found.length, SHIFTS);
    assert.equal(new Set(found.map(({ kind, id }) => `${kind} ${id}`)).size, SHIFTS);
    assert.ok(found.every(({ fromS }, index) => index === 0 || fromS >= (found[index - 1]?.fromS ?? 0)));
  });

  test("is answered newest first, no more than asked for, where a number is named", async () => {
    const { context } = await openRig(databases);
    await write(context, { put: Array.from({ length: 300 }, (_, number) => shift(number)) });
    const [newest, ...others] = await rows(context, { guildId: GUILD, kinds: ["shift"], limit: 2 });
    assert.deepEqual([newest?.id, others.length], ["s149", 1]);
  });
});
