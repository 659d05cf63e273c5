import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DutyType } from "../../src/domain/duty.ts";
import { MOST_TOTALS, readTotals } from "../../src/domain/duty-import.ts";
import { onBothDatabases } from "../history/databases.ts";
import { GUILD, START_S } from "../history/rig.ts";
import { isFailure } from "../support/failures.ts";
import { member, openDutyRig } from "./duty-rig.ts";

const NOW_MS = Date.UTC(2026, 10, 25, 12);
const types = [
  { id: "t1", name: "Patrol", start: "declared", teams: [], sinceS: 0 },
  { id: "t2", name: "Dispatch", start: "outside", teams: [], sinceS: 0 },
] as const satisfies readonly DutyType[];
const read = (text: string, zone = "Europe/Berlin") => readTotals(text, { types, nowMs: NOW_MS, zone });
const [mona, nils] = ["123456789012345678", "223456789012345678"];

describe("totals of another bot", () => {
  test("are read as people export them: with a head, quotes, other separators, mentions, times with a zone", () => {
    const text = `member,type,minutes,as of\r\n"${mona}","patrol",90,2026-11-01\r\n<@${nils}>,,5,2026-11-01T10:00:00+02:00\n\n`;
    const { totals, refused } = read(text);
    assert.deepEqual(refused, []);
    assert.deepEqual(
      totals.map(({ userId, typeId, seconds, asOfS }) => [userId, typeId, seconds, asOfS]),
      [
        [mona, "t1", 5_400, Date.UTC(2026, 9, 31, 23) / 1_000],
        [nils, "t1", 300, Date.UTC(2026, 10, 1, 8) / 1_000],
      ],
    );
    for (const separator of [";", "\t"]) {
      const [total] = read([`'${mona}`, "Dispatch", "1", ""].join(separator)).totals;
      assert.deepEqual([total?.typeId, total?.asOfS], ["t2", Date.UTC(2026, 10, 24, 23) / 1_000]);
    }
  });

  test("are refused in words, line by line, where they can't be meant", () => {
    const lines: readonly (readonly [string, RegExp])[] = [
      [`=HYPERLINK("https://e.org"),Patrol,5,2026-11-01`, /formula/],
      [`${mona},=1+1,5,2026-11-01`, /formula/],
      [`${mona},Patrol,-5,2026-11-01`, /whole minutes/],
      [`${mona},Patrol,-5+1,2026-11-01`, /formula/],
      [`${mona},Patrol,@SUM(A1),2026-11-01`, /formula/],
      ["Mona,Patrol,5,2026-11-01", /Discord id/],
      [`${mona},Sleep,5,2026-11-01`, /duty type/],
      [`${mona},Patrol,0,2026-11-01`, /whole minutes/],
      [`${mona},Patrol,1.5,2026-11-01`, /whole minutes/],
      [`${mona},Patrol,99999999,2026-11-01`, /whole minutes/],
      [`${mona},Patrol,5,2026-11-01T10:00:00+25:00`, /day such as/],
      [`${mona},Patrol,5,2026-11-01T10:00 CEST`, /day such as/],
      [`${mona},Patrol,5,2027-01-01`, /day such as/],
      [`${mona},Patrol,5,2026-11-25T12:00:01Z`, /day such as/],
      [`${mona},Patrol,5,32.13.2026`, /day such as/],
      [`${mona},Patrol,5,2024-01-01`, /older than a year/],
      [`${mona},Patrol,5,2026-11-01,more`, /more than/],
    ];
    for (const [line, why] of lines) {
      const { totals, refused } = read(line);
      assert.deepEqual([totals.length, refused.length], [0, 1], line);
      assert.match(refused[0]?.why ?? "", why, line);
    }
    assert.deepEqual(read(`${mona},,5,2026-11-01\n${mona},,6,2026-11-01`).refused, [
      { line: 2, why: "is there twice" },
    ]);
  });

  test("are refused as a whole where there are too many, or 50 MB, or nothing to import to", () => {
    const line = `${mona},Patrol,5,2026-11-01\n`;
    assert.throws(() => read(line.repeat(MOST_TOTALS + 2)), isFailure("bad-command"));
    assert.throws(() => read("x".repeat(50_000_000)), isFailure("bad-command"));
    assert.throws(
      () => readTotals(line, { types: [], nowMs: NOW_MS, zone: "UTC" }),
      isFailure("bad-command"),
    );
  });
});

onBothDatabases("an import", (databases) => {
  async function rigged() {
    const rig = await openDutyRig(databases, { startS: START_S });
    await rig.clock.advanceTo(NOW_MS);
    rig.roles.set(mona, ["mods"]);
    rig.roles.set(nils, ["mods"]);
    const patrol = await rig.addType({ name: "Patrol", start: "declared" });
    const { staffing } = rig.wing;
    const options = { types: [patrol], nowMs: NOW_MS, zone: "UTC" };
    const plan = (text: string) => staffing.planImport(member("boss"), readTotals(text, options));
    const span = { fromS: NOW_MS / 1_000 - 30 * 86_400, untilS: NOW_MS / 1_000 };
    const hours = async () =>
      (await staffing.board(GUILD, span)).lines.map(({ userId, importedS, countedS }) => [
        userId,
        importedS,
        countedS,
      ]);
    return { rig, staffing, plan, hours, span };
  }
  const file = `${mona},,90,2026-11-01\n${nils},,60,2026-11-02\n999999999999999999,,5,2026-11-02`;

  test("does nothing until it is pressed, counts once, and goes in one press", async () => {
    const { rig, staffing, plan, hours, span } = await rigged();
    await staffing.setQuota(GUILD, { roleId: "mods", needS: 3_600, period: "month" });
    const first = await plan(file);
    assert.deepEqual(
      [first.planned.totals.length, first.known, first.refused.map(({ line }) => line)],
      [2, 0, [3]],
    );
    assert.deepEqual(await hours(), []);
    const { id } = first.planned;
    const both = await Promise.all([
      staffing.doImport(member("boss"), id),
      staffing.doImport(member("other"), id),
    ]);
    assert.deepEqual(
      both.map((one) => one?.totals.length),
      [2, 2],
    );
    const imported = [
      [mona, 5_400, 0],
      [nils, 3_600, 0],
    ];
    assert.deepEqual(await hours(), imported);
    // A quota asks for what was done here.
    const { lines } = await staffing.board(GUILD, span);
    assert.deepEqual(
      lines.map(({ quota }) => quota?.countedS),
      [0, 0],
    );
    // The same file again, and with other minutes.
    const again = await plan(file);
    assert.deepEqual([again.planned.totals.length, again.known], [0, 2]);
    assert.match((await plan(`${mona},,91,2026-11-01`)).refused[0]?.why ?? "", /imported with 90 minutes/);
    await staffing.doImport(member("boss"), again.planned.id);
    assert.deepEqual(await hours(), imported);
    // It is not confirmed into counting.
    const [one] = await staffing.corrections(GUILD, { ...span, userId: mona });
    assert.equal(await staffing.confirm(member("boss2"), one?.id ?? ""), undefined);

    const [listed, ...more] = await staffing.imports(GUILD);
    assert.deepEqual([listed?.id, more.filter(({ totals }) => totals.length > 0)], [id, []]);
    assert.equal((await staffing.undoImport(member("boss"), id))?.totals.length, 2);
    assert.equal(await staffing.undoImport(member("boss"), id), undefined);
    assert.equal(await staffing.doImport(member("boss"), id), undefined);
    assert.deepEqual(await hours(), []);
    assert.equal((await plan(file)).planned.totals.length, 2);
    await rig.wing.stop();
  });

  test("planned twice with the same lines imports them once, and the second takes back only its own", async () => {
    const { rig, staffing, plan, hours } = await rigged();
    const one = await plan(`${mona},,90,2026-11-01`);
    const other = await staffing.planImport(member("other"), {
      totals: one.planned.totals.map((total) => ({ ...total, line: 1 })),
      refused: [],
    });
    await staffing.doImport(member("boss"), one.planned.id);
    assert.equal((await staffing.doImport(member("other"), other.planned.id))?.totals.length, 0);
    await staffing.undoImport(member("other"), other.planned.id);
    assert.deepEqual(await hours(), [[mona, 5_400, 0]]);
    await rig.wing.stop();
  });
});
