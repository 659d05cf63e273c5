import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { CommandEntry, PlayerRef } from "../../../src/domain/model.ts";
import type { RunRecord } from "../../../src/domain/run.ts";
import {
  caseOfRow,
  caseOfRun,
  humanCommand,
  humanRows,
  originOfRow,
  punishmentIn,
  targetsOf,
} from "../../../src/history/cases/case-of-command.ts";
import { parseCommand } from "../../../src/runs/catalogue/parse-command.ts";
import { readLogged } from "../../../src/runs/catalogue/read-logged.ts";
import { kickRun } from "./case-samples.ts";

const present: readonly PlayerRef[] = [
  { name: "Ann_Lee", id: 11 },
  { name: "Bob", id: 12 },
  { name: "Bobby", id: 13 },
  { name: "Mo", id: 14 },
];
const around = { present, absent: [] };
const mo = { name: "Mo", id: 14 };
/** Whom `:ban` with these targets hits; as a kick it takes no ids. */
const hitBy = (texts: readonly string[], people = present, by?: PlayerRef, verb = "ban") =>
  targetsOf(parseCommand(`:${verb} ${texts.join(",")}`), { present: people, absent: [] }, by);
const row = (text: string, player: PlayerRef = mo, atS = 1_000): CommandEntry => ({
  kind: "command",
  atS,
  player,
  text,
});
const binding = { id: "b1", guildId: "g1", name: "Town" };

describe("a command that punishes", () => {
  test("is a kick, a ban, a jail or an unban, by any of its names; nothing else is", () => {
    const kinds = [":kick Ann", ":BAN Ann", ":jail Ann", ":arrest Ann", ":unban Ann"].map(
      (text) => punishmentIn(text, readLogged)?.kind,
    );
    assert.deepEqual(kinds, ["kick", "ban", "jail", "jail", "unban"]);
    for (const text of [":kill Ann", ":pm Ann hi", ":h ban Ann", "kick Ann", ":kick", ":", "", ":bans"]) {
      assert.equal(punishmentIn(text, readLogged), undefined, text);
    }
  });

  test("carries its reason, and none where none was written", () => {
    assert.equal(punishmentIn(":kick Ann cop baiting  ", readLogged)?.reason, "cop baiting");
    assert.equal(punishmentIn(":kick Ann", readLogged)?.reason, undefined);
  });

  test("is read although it was typed badly", () => {
    const badly = punishmentIn(":kick Ann,,Bob\nspam", readLogged);
    assert.deepEqual([badly?.kind, badly?.aim.targetTexts, badly?.reason], ["kick", ["Ann", "Bob"], "spam"]);
  });
});

describe("the target of a command", () => {
  test("is whoever has that name, else all whose names begin so, or an id; a name of nobody stays text", () => {
    assert.deepEqual(hitBy(["ann"]), [{ name: "Ann_Lee", playerId: 11 }]);
    assert.deepEqual(hitBy(["12"]), [{ name: "Bob", playerId: 12 }]);
    assert.deepEqual(hitBy(["12"], present, undefined, "kick"), [{ name: "12" }]);
    assert.deepEqual(hitBy(["bob"]), [{ name: "Bob", playerId: 12 }]);
    assert.deepEqual(
      hitBy(["bo"]).map(({ name }) => name),
      ["Bob", "Bobby"],
    );
    assert.deepEqual(hitBy(["Zed"]), [{ name: "Zed" }]);
    assert.deepEqual(hitBy(["77"]), [{ name: "77", playerId: 77 }]);
  });

  test("is nobody for me, from Remote Server and from a player: nobody punishes themselves", () => {
    assert.deepEqual(hitBy(["me"]), []);
    assert.deepEqual(hitBy(["me"], present, mo), []);
    assert.deepEqual(hitBy(["mo"], present, mo), []);
    assert.deepEqual(targetsOf(parseCommand(":jail Mo"), { present, absent: [], self: mo }), []);
    const jailed = caseOfRun(kickRun({ text: ":jail me" }), around, readLogged);
    assert.equal(jailed, undefined);
  });

  test("is everyone for all, everyone else for others, and each of a list once", () => {
    assert.equal(hitBy(["all"]).length, 4);
    assert.deepEqual(
      hitBy(["others"], present, mo).map(({ name }) => name),
      ["Ann_Lee", "Bob", "Bobby"],
    );
    assert.deepEqual(hitBy(["ann", "Ann_Lee", "11"]), [{ name: "Ann_Lee", playerId: 11 }]);
    assert.deepEqual(hitBy(["all"], []), [{ name: "all" }]);
  });

  test("is never a player whom the game would not have hit", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", "A", "1"), minLength: 1, maxLength: 4 });
    const people = fc.uniqueArray(fc.record({ name, id: fc.nat(50) }), { selector: ({ id }) => id });
    fc.assert(
      fc.property(people, fc.array(name, { minLength: 1, maxLength: 4 }), (players, texts) => {
        for (const { name: hit, playerId } of hitBy(texts, players)) {
          if (playerId === undefined) continue;
          const wanted = texts.filter(
            (text) => hit.toLowerCase().startsWith(text.toLowerCase()) || text === String(playerId),
          );
          assert.notEqual(wanted.length, 0);
        }
      }),
    );
  });
});

describe("a case", () => {
  test("of `:ban all` is one, and lists its targets", () => {
    const made = caseOfRun(kickRun({ text: ":ban all raid" }), around, readLogged);
    assert.equal(made?.mass, true);
    assert.equal(made?.targets.length, 4);
    assert.equal(made?.reason, "raid");
  });

  test("of a ban that ends says when, and its un-ban is Marshal's own", () => {
    const ends = { term: { lastsMs: 60_000 }, atMs: 5_000_000 };
    const ban = caseOfRun(kickRun({ text: ":ban 12 raid", ends }), around, readLogged);
    assert.equal(ban?.endsAtMs, 5_000_000);
    const unban = caseOfRun(kickRun({ text: ":unban 12", origin: "ban-end" }), around, readLogged);
    assert.deepEqual([unban?.author, unban?.reason], [{ name: "Marshal" }, "The time of the ban was over."]);
  });

  test("of a ban that was asked for names who asked, for who decides its appeal", () => {
    const ban = caseOfRun(kickRun({ text: ":ban 12 raid", askedBy: "u-asker" }), around, readLogged);
    assert.equal(ban?.askedBy, "u-asker");
  });

  test("comes of a run that ran or may have, never of one that surely did not or is not over", () => {
    const of = (status: RunRecord["status"]) =>
      caseOfRun(kickRun({ text: ":kick Ann", status }), around, readLogged) !== undefined;
    const all = [
      "waiting",
      "sending",
      "done",
      "failed",
      "unknown",
      "cancelled",
      "expired",
      "denied",
    ] as const;
    assert.deepEqual(all.filter(of), ["done", "unknown"]);
  });

  test("comes of a person's row, never of what came through an API", () => {
    const rows = [
      row(":kick Ann"),
      row(":kick Ann", { name: "Remote Server" }),
      row(":kick Bobby", { name: "X" }),
    ];
    assert.deepEqual(
      humanRows(rows).map(({ row: { player } }) => player.name),
      ["Mo"],
    );
  });

  test("knows the member to whom the player is linked", () => {
    const [logged] = humanRows([row(":kick Ann")]);
    assert.ok(logged !== undefined);
    const made = caseOfRow(logged, { binding, around, userId: "u1", read: readLogged });
    assert.deepEqual(made?.author, { name: "Mo", playerId: 14, userId: "u1" });
  });

  test("is one for each row, however often and with whatever else a window shows it", () => {
    const rows = fc.array(
      fc.record({ text: fc.constantFrom(":kick Ann", ":kick Bob", ":ban Ann"), atS: fc.nat(3) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(rows, fc.nat(12), (all, from) => {
        const entries = all.map(({ text, atS }) => row(text, mo, atS)).sort((a, b) => a.atS - b.atS);
        const origins = (window: readonly CommandEntry[]) =>
          humanRows(window).map((logged) => originOfRow("b1", logged));
        const whole = origins(entries);
        assert.equal(new Set(whole).size, entries.length);
        // A later window drops whole seconds from its beginning.
        const cutS = entries[from]?.atS ?? 0;
        const later = origins(entries.filter(({ atS }) => atS >= cutS));
        assert.deepEqual(
          later.filter((origin) => !whole.includes(origin)),
          [],
        );
        // And its order is not known.
        assert.deepEqual(new Set(origins(entries.toReversed())), new Set(whole));
      }),
    );
  });
});

test("of two equal commands in one second each keeps its own origin", () => {
  const entry = row(":kick Bob spam");
  const origins = [undefined, 1, 2].flatMap((ordinal) =>
    humanCommand({
      kind: "entry",
      seq: 1,
      seenAtMs: 0,
      entry,
      ...(ordinal === undefined ? {} : { ordinal }),
    }),
  );
  assert.equal(new Set(origins.map((logged) => originOfRow("b1", logged))).size, 3);
});
