import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BanEnd } from "../../../src/domain/ban-end.ts";
import type { CommandEntry, PlayerRef } from "../../../src/domain/model.ts";
import { afterBan, banRows } from "../../../src/runs/bans/later-bans.ts";

const end: BanEnd = {
  id: "r1",
  guildId: "g1",
  bindingId: "b1",
  serverName: "Liberty County",
  playerId: 12,
  playerName: "Bob",
  byId: "u1",
  byName: "Ada",
  channelId: "c1",
  text: ":ban 12 spam",
  sentAtMs: 1_000_000,
  ranByMs: 1_001_000,
  endsAtMs: 9_000_000,
  state: "armed",
  tries: 0,
};

const row = (atS: number, text: string, by?: string): CommandEntry => ({
  kind: "command",
  atS,
  player: by === undefined ? { name: "Remote Server" } : { name: by, id: 22 },
  text,
});

const own = row(1_000, ":ban 12 spam");
/** What the log says, long after the ban. */
function found(rows: readonly CommandEntry[], present: readonly PlayerRef[] = [], of = end): string {
  const { later } = afterBan(of, { rows: banRows(rows), present, nowS: 2_000 });
  return later === undefined ? "none" : `${later.command.verb} ${later.atS}`;
}

describe("what the log says of a ban", () => {
  test("by id and by the whole name in any case, typed in the game or sent by another program", () => {
    for (const text of [":ban 12", ":ban bob", ":BAN BOB again", ":ban Ann,Bob"]) {
      assert.equal(found([own, row(1_500, text, "Moe")]), "ban 1500", text);
      assert.equal(found([own, row(1_500, text)]), "ban 1500", text);
    }
  });

  test("by the beginning of the name only where they are there", () => {
    assert.equal(found([own, row(1_500, ":ban Bo", "Moe")]), "none");
    assert.equal(found([own, row(1_500, ":ban Bo", "Moe")], [{ name: "Bobby", id: 13 }]), "none");
    assert.equal(found([own, row(1_500, ":ban Bo", "Moe")], [{ name: "Bob", id: 12 }]), "ban 1500");
    // Under a new name.
    assert.equal(found([own, row(1_500, ":ban Rob", "Moe")], [{ name: "Robert", id: 12 }]), "ban 1500");
  });

  test("nobody else's ban, no other command, and nothing from before", () => {
    for (const text of [":ban Ann", ":ban 13", ":kick Bob", ":pm Bob you are banned", ":unban Ann"])
      assert.equal(found([own, row(1_500, text, "Moe")]), "none", text);
    assert.equal(found([row(900, ":ban Bob", "Moe"), own]), "none");
    assert.equal(found([row(999, ":unban Bob", "Moe"), own]), "none");
  });

  test("an un-ban; a ban counts before it, whichever came first", () => {
    assert.equal(found([own, row(1_500, ":unban Bob", "Moe")]), "unban 1500");
    assert.equal(found([own, row(1_500, ":unban Bob", "Moe"), row(1_600, ":ban Bob", "Moe")]), "ban 1600");
  });

  test("in the second of its own row a ban counts as later, an un-ban does not", () => {
    assert.equal(found([own, row(1_000, ":ban Bob", "Moe")]), "ban 1000");
    assert.equal(found([own, row(1_000, ":ban 12 spam")]), "ban 1000");
    assert.equal(found([own, row(1_000, ":unban 12")]), "none");
  });

  test("while its own row may come, one of the seconds before is taken for an earlier ban; then for a later one", () => {
    const rows = banRows([row(995, ":ban Bob", "Moe")]);
    assert.equal(afterBan(end, { rows, present: [], nowS: 1_010 }).later, undefined);
    assert.equal(afterBan(end, { rows, present: [], nowS: 1_040 }).later?.atS, 995);
  });

  test("the same text later is another program's", () => {
    const known = { ...end, ownRowS: 1_000 };
    assert.equal(found([row(1_020, ":ban 12 spam")], [], known), "ban 1020");
    assert.equal(found([own, row(1_020, ":ban 12 spam")]), "ban 1020");
  });
});
