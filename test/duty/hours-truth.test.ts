import assert from "node:assert/strict";
import { test } from "node:test";
import { daysIn } from "../../src/discord/render/day-words.ts";
import { boardCard } from "../../src/discord/render/shifts/board-cards.ts";
import { shiftsCard } from "../../src/discord/render/shifts/duty-cards.ts";
import { endWords } from "../../src/discord/render/shifts/shift-lines.ts";
import { resultCard } from "../../src/discord/render/shifts/staffing-cards.ts";
import { countedS } from "../../src/domain/duty.ts";
import { weekOfBoard } from "../../src/domain/ports/staffing.ts";
import { shiftRow } from "../../src/duty/duty-rows.ts";
import { staff as staffStats } from "../../src/history/queries/staff-stats.ts";
import { onBothDatabases } from "../history/databases.ts";
import { GUILD, snapshotOf, type Town } from "../history/rig.ts";
import { EAST, member, openDutyRig } from "./duty-rig.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;
/** A Monday, 0:00 in Berlin. */
const MONDAY_S = Date.UTC(2026, 8, 13, 22) / 1_000;
const WEEK = { fromS: MONDAY_S, untilS: MONDAY_S + 7 * DAY_S };

onBothDatabases("hours against what happened", (databases) => {
  async function staffed() {
    const rig = await openDutyRig(databases, { startS: MONDAY_S - DAY_S });
    for (const n of [1, 2]) {
      rig.link(`u${n}`, { name: `Staff${n}`, id: n }, MONDAY_S - DAY_S);
      rig.roles.set(`u${n}`, ["mods"]);
    }
    await rig.addType({ name: "Patrol", start: "declared" });
    return { rig, staffing: rig.wing.staffing };
  }
  type Rig = Awaited<ReturnType<typeof staffed>>["rig"];
  const PLAYER = { name: "Staff1", id: 1 };

  /** The first of staff is on duty for so long, from that second on. */
  async function work(rig: Rig, fromS: number, seconds: number): Promise<void> {
    await rig.clock.advanceTo(fromS * 1_000);
    const joined = [[PLAYER, fromS, true]] as const;
    await rig.take(snapshotOf({ joins: joined, players: [PLAYER] }, fromS + 1));
    await rig.wing.duty.start(member("u1"), undefined);
    const untilS = fromS + seconds;
    const left = [...joined, [PLAYER, untilS, false]] as const;
    for (const atS of [untilS + 10, untilS + 400, untilS + 1_300]) {
      await rig.clock.advanceTo(atS * 1_000);
      await rig.take(snapshotOf({ joins: left, players: [] }, atS));
    }
  }

  /** When the kept lists of quotas end, newest first, once so many are kept of what was looked at up to that second. */
  async function keptEnds(rig: Rig, atS: number, most: number): Promise<readonly number[]> {
    // Each minute of a week would be a round of the clock: only those of the last hour are.
    rig.clock.step(Math.max(0, (atS - HOUR_S) * 1_000 - rig.clock.nowMs()));
    await rig.clock.advanceTo(atS * 1_000);
    await rig.take(snapshotOf({}, atS, EAST.source));
    for (let round = 1; ; round += 1) {
      // A round of the clock asks the database; it is waited for by asking it too.
      await rig.clock.advance(60_000);
      await rig.wing.duty.now(GUILD);
      const ends = (await rig.wing.staffing.results(GUILD, 9)).map(({ untilS }) => untilS);
      if (round >= 5 && (ends.length >= most || round >= 40)) return ends;
    }
  }

  for (const { name, rows, dutyS, playedS, end } of [
    {
      name: "beside a gap of the log",
      rows: 120,
      dutyS: 120,
      playedS: 180 + 31 + 60,
      end: "nobody could see",
    },
    // No leave in it: they stayed.
    { name: "over a pause of which the log is whole", rows: 5, dutyS: 6 * HOUR_S, playedS: 6 * HOUR_S + 60 },
  ]) {
    test(`${name} what was seen counts for a shift, the board and /stats staff`, async () => {
      const { rig, staffing } = await staffed();
      const others = (fromS: number, count: number) =>
        Array.from({ length: count }, (_, n) => [{ name: `P${n}`, id: 100 + n }, fromS + n, true] as const);
      const look = async (joins: Town["joins"], atS: number) => {
        await rig.clock.advanceTo(atS * 1_000);
        await rig.take(snapshotOf({ joins: joins ?? [], players: [PLAYER] }, atS));
      };
      const before = [[PLAYER, MONDAY_S, true] as const, ...others(MONDAY_S + 1, 30)];
      await look(before, MONDAY_S + 60);
      await rig.wing.duty.start(member("u1"), undefined);
      await look(before, MONDAY_S + 180);
      // Nobody looks for six hours.
      const backS = MONDAY_S + 6 * HOUR_S;
      const after = [...before, ...others(backS - rows, rows)].slice(-before.length);
      for (const afterS of [0, 60, 700]) await look(after, backS + afterS);

      const span = { fromS: MONDAY_S, untilS: backS + 60 };
      const { lines } = await staffing.board(GUILD, span);
      assert.deepEqual(
        lines.filter(({ shifts }) => shifts > 0).map(({ countedS: seconds }) => seconds),
        [dutyS],
      );
      const [shift] = (await rig.wing.duty.shifts(GUILD, { ...span, userId: "u1" })).shifts;
      assert.ok(shift !== undefined);
      assert.equal(shift.why, end && "left");
      assert.ok(String(endWords(shift)).includes(end ?? ""), String(endWords(shift)));
      const asked = { guildId: GUILD, playerId: PLAYER.id, fromS: MONDAY_S, toS: backS + 60, zone: "UTC" };
      const stats = await staffStats(rig.history.context, asked);
      assert.equal(stats.staff[0]?.playedS, playedS);
    });
  }

  test("a shift that went on when a backup was made is over once that was put back, and says so", async () => {
    const { rig } = await staffed();
    const came = [PLAYER, MONDAY_S, true] as const;
    const seeOn = async (on: Rig, ...times: readonly number[]) => {
      for (const s of times) {
        await rig.clock.advanceTo((MONDAY_S + s) * 1_000);
        await on.take(snapshotOf({ joins: [came], players: [PLAYER] }, MONDAY_S + s));
      }
    };
    await seeOn(rig, 60);
    await rig.wing.duty.start(member("u1"), undefined);
    await seeOn(rig, 120, 180);
    await rig.wing.stop();

    // They ended it then, which the copy lacks; they are in the game still.
    const later = 3 * DAY_S;
    const copy = await openDutyRig(databases, {
      startS: MONDAY_S - DAY_S,
      url: rig.url,
      before: rig,
      isCopy: true,
    });
    await seeOn(copy, later, later + 60, later + 700);
    const span = { fromS: MONDAY_S, untilS: MONDAY_S + later + 700, userId: "u1" };
    const [shift] = (await copy.wing.duty.shifts(GUILD, span)).shifts;
    assert.ok(shift !== undefined);
    assert.deepEqual([countedS(shift), shift.untilS], [120, MONDAY_S + 180]);
    assert.match(String(endWords(shift)), /ended: the database was restored from an older copy/u);
    assert.deepEqual((await copy.wing.duty.now(GUILD)).on, []);
    // Whoever starts anew is on duty from then on, also after the next look.
    await copy.wing.duty.start(member("u1"), undefined);
    await seeOn(copy, later + 800);
    assert.equal((await copy.wing.duty.now(GUILD)).on[0]?.shift.fromS, MONDAY_S + later + 700);
  });

  test("a quota gets no list of the few hours by which its first week began earlier in another time zone", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo((MONDAY_S + DAY_S) * 1_000);
    await staffing.setQuota(GUILD, { roleId: "mods", needS: HOUR_S, period: "week" });
    rig.zone = "America/New_York";
    rig.wing.start();
    assert.deepEqual(await keptEnds(rig, MONDAY_S + DAY_S + 60, 0), []);
    await rig.wing.stop();
  });

  test("a week that was kept is not kept again when the community changes its time zone", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    await staffing.setQuota(GUILD, { roleId: "mods", needS: HOUR_S, period: "week" });
    rig.wing.start();
    assert.deepEqual(await keptEnds(rig, WEEK.untilS + 60, 1), [WEEK.untilS]);
    rig.zone = "America/New_York";
    assert.deepEqual(await keptEnds(rig, WEEK.untilS + DAY_S, 1), [WEEK.untilS]);
    rig.zone = "Asia/Tokyo";
    assert.deepEqual(await keptEnds(rig, WEEK.untilS + 2 * DAY_S, 1), [WEEK.untilS]);
    const next = WEEK.untilS + 7 * DAY_S - 7 * HOUR_S;
    assert.deepEqual(await keptEnds(rig, next + HOUR_S, 2), [next, WEEK.untilS], "by the clocks of Tokyo");
    await rig.wing.stop();
  });

  test("the list of a quota says for how long nobody could see who worked", async () => {
    const { rig, staffing } = await staffed();
    const seeFor = async (fromS: number, hours: number) => {
      for (let atS = fromS; atS < fromS + hours * HOUR_S; atS += 900) {
        await rig.clock.advanceTo(atS * 1_000);
        await rig.take(snapshotOf({}, atS, EAST.source));
      }
    };
    await seeFor(MONDAY_S - HOUR_S, 3);
    const { id } = await staffing.setQuota(GUILD, { roleId: "mods", needS: HOUR_S, period: "week" });
    // The bot is off for five hours; half an hour counts as seen.
    await seeFor(MONDAY_S + 7 * HOUR_S, 2);
    await rig.clock.advanceTo((MONDAY_S + 8 * HOUR_S + 2_700) * 1_000);
    const kept = await staffing.resetQuota(GUILD, id);
    assert.equal(kept?.unreadS, 5 * HOUR_S - 900);
    assert.ok(kept !== undefined);
    const quota = { id, roleId: "mods", needS: HOUR_S, period: "week", sinceS: MONDAY_S } as const;
    assert.match(
      String(resultCard(kept, quota, { days: daysIn("UTC") }).description),
      /⚠️ For 4 h 45 min no server was read/u,
    );
    assert.equal((await staffing.results(GUILD, 1))[0]?.unreadS, kept.unreadS);
  });

  test("the summary of a week counts nobody as excused from a quota that came after it", async () => {
    const { rig, staffing } = await staffed();
    await work(rig, MONDAY_S + HOUR_S, HOUR_S);
    await rig.clock.advanceTo((WEEK.untilS + 8 * HOUR_S) * 1_000);
    await staffing.setQuota(GUILD, { roleId: "mods", needS: HOUR_S, period: "week" });
    const { met, notMet, excused } = weekOfBoard(await staffing.board(GUILD, WEEK));
    assert.deepEqual([met, notMet, excused], [0, 0, 0]);
  });

  test("a quota of a month is not missed while the month goes on, and the summary counts up to the week's end", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    await staffing.setQuota(GUILD, { roleId: "mods", needS: HOUR_S, period: "month" });
    await work(rig, WEEK.untilS - HOUR_S / 2, HOUR_S);
    const { met, notMet, notMetYet } = weekOfBoard(await staffing.board(GUILD, WEEK));
    assert.deepEqual([met, notMet, notMetYet], [0, 0, 2]);
    const now = { fromS: MONDAY_S, untilS: rig.clock.nowMs() / 1_000 + 1 };
    assert.equal(weekOfBoard(await staffing.board(GUILD, now)).met, 1);
  });

  test("who was on leave at the end of a week was it, also when they ended it since", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const leave = { fromS: MONDAY_S, untilS: WEEK.untilS + DAY_S, percent: 0, reason: "" };
    const { id } = await staffing.askLeave(member("u1"), leave);
    await staffing.decideLeave(member("boss"), id, true);
    await rig.clock.advanceTo((WEEK.untilS + HOUR_S) * 1_000);
    await staffing.endLeave(member("u1"), "u1");
    assert.equal(weekOfBoard(await staffing.board(GUILD, WEEK)).onLeave, 1);
  });

  test("a call is of the member whose account answered it then, and of nobody else", async () => {
    const { rig, staffing } = await staffed();
    const caller = { name: "Ann", id: 50 };
    const atS = MONDAY_S + HOUR_S;
    const modCalls = [[caller, atS, PLAYER]] as const;
    await rig.clock.advanceTo((atS + 5) * 1_000);
    await rig.take(snapshotOf({ players: [PLAYER], modCalls }, atS + 5, EAST.source));
    await rig.clock.advanceTo((atS + HOUR_S) * 1_000);
    rig.unlink("u1");
    rig.unlink("u2");
    await rig.wing.idle();
    rig.link("u2", PLAYER, atS + HOUR_S);
    await rig.wing.idle();
    const { lines } = await staffing.board(GUILD, WEEK);
    const counted = lines.map((line) => `${line.userId} ${line.calls}`).sort();
    assert.deepEqual(counted, ["u1 1", "u2 0"]);
  });

  test("a shift that was over when a time began is none of its shifts", async () => {
    const { rig, staffing } = await staffed();
    await work(rig, MONDAY_S - HOUR_S, HOUR_S);
    const line = (await staffing.board(GUILD, WEEK)).lines.find(({ userId }) => userId === "u1");
    assert.deepEqual([line?.countedS, line?.shifts], [0, 0]);
  });

  test("the board of a year adds up all shifts of a team of sixty", async () => {
    const { rig, staffing } = await staffed();
    const [type] = await rig.wing.duty.types(GUILD);
    const [days, members] = [366, 60];
    const fromS = MONDAY_S - days * DAY_S;
    for (let day = 0; day < days; day += 1) {
      const atS = fromS + day * DAY_S;
      const times = { fromS: atS, untilS: atS + HOUR_S };
      const part = { bindingId: EAST.bindingId, playerId: 9, ...times };
      const parts = [{ ...part, mightFromS: times.fromS, mightUntilS: times.untilS }];
      const put = Array.from({ length: members }, (_, nth) => {
        const of = { id: `${atS} m`, userId: `m${nth}`, typeId: type?.id ?? "" };
        const end = { why: "ended", decidedS: times.untilS } as const;
        return shiftRow(GUILD, { ...of, ...times, ...end, lastMark: "m", parts, breaks: [] }, true);
      });
      await rig.store.write({ put });
    }
    const { lines } = await staffing.board(GUILD, { fromS, untilS: MONDAY_S });
    const worked = lines.filter(({ shifts }) => shifts > 0);
    assert.deepEqual(
      worked.map(({ countedS: seconds, shifts }) => [seconds, shifts]),
      worked.map(() => [days * HOUR_S, days]),
    );
    assert.equal(worked.length, members);
  });

  test("/duty show adds up the time that it names, as the board does", async () => {
    const { rig, staffing } = await staffed();
    await work(rig, MONDAY_S - HOUR_S, 3 * HOUR_S);
    const { shifts, stills } = await rig.wing.duty.shifts(GUILD, { ...WEEK, userId: "u1" });
    const board = await staffing.board(GUILD, WEEK);
    assert.match(JSON.stringify(boardCard(board)), /\*\*2.h\*\* · 1 shift/);
    const view = {
      userId: "u1",
      shifts,
      stills,
      days: 7,
      fromS: WEEK.fromS,
      corrections: [],
      isDeciding: false,
    };
    const names = { typeName: () => "Patrol", serverName: () => "East", days: daysIn("UTC") };
    assert.match(String(shiftsCard(view, names).cards?.[0]?.description), /^\*\*2.h\*\* in 1 shift/);
  });

  test("who comes in the hour by which the game service's clock was set back is on duty by their team at once", async () => {
    const { rig } = await staffed();
    await rig.addType({ name: "Beat", start: "team", teams: ["civilian"] });
    const joined = [PLAYER, MONDAY_S - 3_000, true] as const;
    const left = [PLAYER, MONDAY_S - 1_800, false] as const;
    const look = async (atS: number) => {
      await rig.clock.advanceTo(atS * 1_000);
      const joins = [joined, left].filter(([, rowS]) => rowS <= atS);
      const isThere = atS >= joined[1] && atS < left[1];
      await rig.take(snapshotOf({ joins, players: isThere ? [PLAYER] : [] }, atS));
    };
    for (let atS = MONDAY_S; atS <= MONDAY_S + 60; atS += 10) {
      await rig.clock.advanceTo(atS * 1_000);
      await rig.take(snapshotOf({ players: [] }, atS));
    }
    rig.clock.step(-HOUR_S * 1_000);
    for (let atS = MONDAY_S - 3_500; atS < MONDAY_S - 1_000; atS += 20) await look(atS);
    const { shifts } = await rig.wing.duty.shifts(GUILD, { ...WEEK, fromS: MONDAY_S - DAY_S, userId: "u1" });
    const [shift] = shifts;
    assert.equal(shifts.length, 1);
    assert.ok(shift !== undefined && countedS(shift) >= 1_180 && countedS(shift) <= 1_200);
  });

  test("a time of the game service that was an hour ahead leaves no team of anybody open in times to come", async () => {
    const { rig } = await staffed();
    await rig.addType({ name: "Beat", start: "team", teams: ["civilian"] });
    const joins = [[PLAYER, MONDAY_S, true]] as const;
    const look = async (atS: number, aheadS = 0) => {
      await rig.clock.advanceTo(atS * 1_000);
      await rig.take(snapshotOf({ joins, players: [PLAYER] }, atS + aheadS));
    };
    for (let s = 10; s < 600; s += 20) await look(MONDAY_S + s);
    for (let s = 600; s < 660; s += 20) await look(MONDAY_S + s, HOUR_S);
    for (let s = 660; s < 1_200; s += 20) await look(MONDAY_S + s);
    const open = await rig.store.rows({ guildId: GUILD, kinds: ["state"], isOpen: true });
    assert.deepEqual(
      open.map(({ fromS }) => fromS - MONDAY_S),
      [680],
    );
  });

  test("a time of the game service that was an hour ahead for a minute costs nobody on duty by their team more than it", async () => {
    const { rig } = await staffed();
    await rig.addType({ name: "Beat", start: "team", teams: ["civilian"] });
    const joined = [PLAYER, MONDAY_S, true] as const;
    const left = [PLAYER, MONDAY_S + 2_400, false] as const;
    for (let s = 10; s < 3_200; s += 20) {
      const atS = MONDAY_S + s;
      await rig.clock.advanceTo(atS * 1_000);
      const isThere = s < 2_400;
      const joins = isThere ? [joined] : [joined, left];
      const aheadS = s >= 600 && s < 660 ? HOUR_S : 0;
      await rig.take(snapshotOf({ joins, players: isThere ? [PLAYER] : [] }, atS + aheadS));
    }
    const { shifts } = await rig.wing.duty.shifts(GUILD, { ...WEEK, userId: "u1" });
    const counted = shifts.reduce((sum, shift) => sum + countedS(shift), 0);
    assert.ok(counted >= 2_400 - 120 && counted <= 2_400, `${counted} s in ${JSON.stringify(shifts)}`);
  });

  test("work outside the game and a break last as long as they did, though the game service stated a time of tomorrow", async () => {
    const { rig } = await staffed();
    const dispatch = await rig.addType({ name: "Dispatch", start: "outside" });
    const look = async (s: number, aheadS = 0) => {
      await rig.clock.advanceTo((MONDAY_S + s) * 1_000);
      const joins = [[PLAYER, MONDAY_S, true]] as const;
      await rig.take(snapshotOf({ joins, players: [PLAYER] }, MONDAY_S + s + aheadS));
    };
    await look(10);
    await look(30);
    await rig.wing.duty.start(member("u1"), undefined);
    await rig.wing.duty.pause(member("u1"));
    await rig.wing.duty.start(member("u2"), dispatch.id);
    for (let s = 50; s < 660; s += 20) await look(s, s >= 300 && s < 360 ? DAY_S : 0);
    await rig.wing.duty.pause(member("u1"));
    for (let s = 660; s < 1_260; s += 20) await look(s);
    for (const userId of ["u1", "u2"]) await rig.wing.duty.end(member(userId));
    await look(1_260);
    const counted = async (userId: string) => {
      const { shifts } = await rig.wing.duty.shifts(GUILD, { ...WEEK, userId });
      return shifts.reduce((sum, shift) => sum + countedS(shift), 0);
    };
    assert.deepEqual([await counted("u1"), await counted("u2")], [590, 1_210]);
  });
});
