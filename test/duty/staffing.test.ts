import assert from "node:assert/strict";
import { test } from "node:test";
import { leaveAskEntry } from "../../commands/duty-leave.ts";
import type { Reply } from "../../src/discord/command.ts";
import { daysIn } from "../../src/discord/render/day-words.ts";
import { boardCard } from "../../src/discord/render/shifts/board-cards.ts";
import { leaveLine } from "../../src/discord/render/shifts/staffing-cards.ts";
import { Failure } from "../../src/domain/failure.ts";
import { weekOfBoard } from "../../src/domain/ports/staffing.ts";
import { onBothDatabases } from "../history/databases.ts";
import { GUILD, snapshotOf } from "../history/rig.ts";
import { FakeWorld } from "../support/fake-services.ts";
import { EAST, member, openDutyRig, refuses } from "./duty-rig.ts";

const HOUR_S = 3_600;
const DAY_S = 86_400;
/** A Monday, 10:00 in Berlin; six days later the clocks go back. */
const MONDAY_S = Date.UTC(2026, 9, 19, 8) / 1_000;
const PERIOD_END_S = Date.UTC(2026, 9, 25, 23) / 1_000;

onBothDatabases("hours, quotas and leave", (databases) => {
  async function staffed() {
    const rig = await openDutyRig(databases, { startS: MONDAY_S - DAY_S });
    for (const n of [1, 2, 3]) {
      rig.link(`u${n}`, { name: `Staff${n}`, id: n }, MONDAY_S - DAY_S);
      rig.roles.set(`u${n}`, ["mods"]);
    }
    const type = await rig.addType({ name: "Patrol", start: "declared" });
    return { rig, type, staffing: rig.wing.staffing };
  }
  type Rig = Awaited<ReturnType<typeof staffed>>["rig"];

  /** They are on duty for so long, from now on. */
  async function work(rig: Rig, userId: string, hours: number): Promise<void> {
    const id = Number(userId.slice(1));
    const player = { name: `Staff${id}`, id };
    const fromS = rig.clock.nowMs() / 1_000;
    const joined = [[player, fromS, true]] as const;
    await rig.take(snapshotOf({ joins: joined, players: [player] }, fromS + 1));
    await rig.wing.duty.start(member(userId), undefined);
    const untilS = fromS + hours * HOUR_S;
    await rig.clock.advanceTo((untilS + 10) * 1_000);
    const left = [...joined, [player, untilS, false]] as const;
    for (const atS of [untilS + 10, untilS + 400, untilS + 1_300]) {
      await rig.clock.advanceTo(atS * 1_000);
      await rig.take(snapshotOf({ joins: left, players: [] }, atS));
    }
  }

  /** The bot comes an hour before the period's end: each minute of a week would be a round of the clock. */
  async function endPeriod(rig: Rig): Promise<void> {
    await rig.clock.advanceTo((PERIOD_END_S - HOUR_S) * 1_000);
    rig.wing.start();
    await rig.clock.advanceTo((PERIOD_END_S + 600) * 1_000);
  }

  test("a period that is over keeps who met it, who did not and who was excused, once, also after a restart", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const quota = await staffing.setQuota(GUILD, {
      roleId: "mods",
      needS: 2 * HOUR_S,
      period: "week",
      channelId: "lists",
    });
    const leave = { fromS: MONDAY_S - 11 * HOUR_S, untilS: PERIOD_END_S + 1, percent: 0, reason: "exams" };
    const asked = await staffing.askLeave(member("u3"), leave);
    await refuses(staffing.decideLeave(member("u3"), asked.id, true), /Somebody else/);
    await refuses(staffing.askLeave(member("u3"), leave), /have asked for leave in that time already/);
    await staffing.decideLeave(member("boss"), asked.id, true);
    await refuses(staffing.askLeave(member("u3"), leave), /already have leave/);
    assert.match(rig.told.join("\n"), /^u3: .*approved/m);
    await work(rig, "u1", 3);
    await work(rig, "u2", 1);
    const outcomes = (lines: readonly { userId: string; outcome: string }[] = []) =>
      lines.map(({ userId, outcome }) => `${userId} ${outcome}`).sort();
    const board = await staffing.board(GUILD, { fromS: MONDAY_S, untilS: MONDAY_S + DAY_S });
    assert.deepEqual(
      board.lines.map(({ userId, countedS, leave: own }) => [userId, countedS, own?.percent]),
      [
        ["u1", 3 * HOUR_S, undefined],
        ["u2", HOUR_S, undefined],
        ["u3", 0, 0],
      ],
    );
    await endPeriod(rig);
    assert.deepEqual(await staffing.results(GUILD, 5), [], "nothing is known of the end yet");
    await rig.take(snapshotOf({ players: [] }, PERIOD_END_S + 700, EAST.source));
    // Rounds of the clock ask the database; each is waited for by asking it too.
    const settled = async () => {
      for (let round = 0; round < 30; round += 1) {
        await rig.clock.advance(60_000);
        await rig.wing.duty.now(GUILD);
        const found = await staffing.results(GUILD, 5);
        if (found.length > 0) return found;
      }
      return [];
    };
    const [result, ...more] = await settled();
    assert.deepEqual([more.length, result?.quotaId, result?.untilS], [0, quota.id, PERIOD_END_S]);
    assert.deepEqual(outcomes(result?.lines), ["u1 met", "u2 not-met", "u3 excused"]);
    const week = await staffing.board(GUILD, {
      fromS: PERIOD_END_S - 7 * DAY_S - HOUR_S,
      untilS: PERIOD_END_S,
    });
    assert.deepEqual(weekOfBoard(week), {
      ...{ countedS: 4 * HOUR_S, people: 2, met: 1, notMet: 1, notMetYet: 0, excused: 1, onLeave: 1 },
    });
    const next = await openDutyRig(databases, { startS: MONDAY_S - DAY_S, url: rig.url, before: rig });
    await rig.wing.stop();
    next.wing.start();
    for (let round = 0; round < 3; round += 1) {
      await next.clock.advance(60_000);
      await next.wing.duty.now(GUILD);
    }
    assert.equal((await next.wing.staffing.results(GUILD, 5)).length, 1);
    await next.wing.stop();
    assert.equal(rig.sink.messages("lists").length, 1);
    assert.match(rig.sink.text("lists"), /Met \(1\).*Not met \(1\).*On leave \(1\)/s);
  });

  test("who has left the Discord keeps their hours on the board, and no quota asks for more of them", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const { id } = await staffing.setQuota(GUILD, { roleId: "mods", needS: 7 * HOUR_S, period: "week" });
    await work(rig, "u1", 1);
    rig.roles.delete("u1");
    await rig.clock.advance(DAY_S * 1_000);
    const kept = await staffing.resetQuota(GUILD, id);
    assert.deepEqual(kept?.lines.map(({ userId }) => userId).sort(), ["u2", "u3"]);
    const { lines } = await staffing.board(GUILD, { fromS: MONDAY_S, untilS: MONDAY_S + DAY_S });
    const left = lines.find(({ userId }) => userId === "u1");
    assert.deepEqual([left?.countedS, left?.quota], [HOUR_S, undefined]);
  });

  test("who has a quota and did nothing is on the board, for as long as the quota's period has run", async () => {
    const { rig, staffing } = await staffed();
    assert.equal(await staffing.periodBegan(GUILD), undefined);
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    await staffing.setQuota(GUILD, { roleId: "mods", needS: 7 * HOUR_S, period: "week" });
    await work(rig, "u1", 1);
    await rig.clock.advance(2 * DAY_S * 1_000);
    const fromS = (await staffing.periodBegan(GUILD)) ?? 0;
    assert.equal(fromS, MONDAY_S - 10 * HOUR_S, "Monday 0:00 in Berlin");
    const untilS = rig.clock.nowMs() / 1_000;
    const board = await staffing.board(GUILD, { fromS, untilS });
    assert.deepEqual(board.quotasFrom, [{ period: "week", fromS }]);
    const words = String(boardCard(board).cards?.[0]?.description);
    assert.match(words, /<@u1> \*\*1.h[\s\S]*None yet \(2\)\*\*\n<@u2> · ▱+ .* of 7.h\n<@u3> · ▱+/u);
    assert.doesNotMatch(words, /Quotas:/);
  });

  test("who holds the role of a type and did nothing is on the board, without any quota", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    await rig.addType({ name: "Traffic", start: "declared", requiredRoleId: "traffic" });
    rig.roles.set("u2", ["traffic"]);
    const board = await staffing.board(GUILD, { fromS: MONDAY_S - DAY_S, untilS: MONDAY_S + 1 });
    const words = String(boardCard(board).cards?.[0]?.description);
    assert.match(words, /None yet \(1\)\*\*\n<@u2>$/m);
  });

  test("a reset by hand keeps how everybody stands by the share until then, and the rest of the period asks for its own", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const draft = { roleId: "mods", needS: 7 * HOUR_S, period: "week", channelId: "lists" } as const;
    const { id } = await staffing.setQuota(GUILD, draft);
    await work(rig, "u1", 1);
    await rig.clock.advanceTo((PERIOD_END_S - DAY_S) * 1_000);
    const kept = await staffing.resetQuota(GUILD, id);
    for (let round = 0; round < 30 && rig.sink.messages("lists").length === 0; round += 1) {
      await rig.clock.advance(60_000);
      await rig.wing.duty.now(GUILD);
    }
    assert.match(rig.sink.text("lists"), /<@u1> 1.h of 6.h/, "posted as when a period ends by itself");
    assert.equal(kept?.lines.find(({ userId }) => userId === "u1")?.countedS, HOUR_S);
    const board = await staffing.board(GUILD, { fromS: MONDAY_S, untilS: PERIOD_END_S });
    const line = board.lines.find(({ userId }) => userId === "u1")?.quota;
    assert.deepEqual([line?.countedS, Math.round((line?.needS ?? 0) / 60)], [0, 60]);
  });

  test("two who reset a quota at once make one list, and the second is told", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const { id } = await staffing.setQuota(GUILD, { roleId: "mods", needS: HOUR_S, period: "week" });
    await rig.clock.advance(DAY_S * 1_000);
    const first = staffing.resetQuota(GUILD, id);
    await refuses(staffing.resetQuota(GUILD, id), /reset less than a minute ago/);
    assert.equal((await first)?.untilS, MONDAY_S + DAY_S);
    assert.equal((await staffing.results(GUILD, 5)).length, 1);
    await rig.clock.advance(60_000);
    await staffing.resetQuota(GUILD, id);
    assert.equal((await staffing.results(GUILD, 5)).length, 2);
  });

  test("what was reset stays reset where the quota is then changed, and the rest of its period has its list", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const draft = { roleId: "mods", needS: 7 * HOUR_S, period: "week", channelId: "lists" } as const;
    const { id } = await staffing.setQuota(GUILD, draft);
    await work(rig, "u1", 1);
    await rig.clock.advanceTo((PERIOD_END_S - DAY_S) * 1_000);
    await staffing.resetQuota(GUILD, id);
    await rig.clock.advance(HOUR_S * 1_000);
    await staffing.setQuota(GUILD, { ...draft, needS: 14 * HOUR_S });
    const board = await staffing.board(GUILD, { fromS: MONDAY_S, untilS: PERIOD_END_S });
    const line = board.lines.find(({ userId }) => userId === "u1")?.quota;
    assert.deepEqual([line?.countedS, Math.round((line?.needS ?? 0) / 60)], [0, 119]);
    await endPeriod(rig);
    await rig.take(snapshotOf({ players: [] }, PERIOD_END_S + 700, EAST.source));
    for (let round = 0; round < 30 && rig.sink.messages("lists").length < 2; round += 1) {
      await rig.clock.advance(60_000);
      await rig.wing.duty.now(GUILD);
    }
    assert.equal(rig.sink.messages("lists").length, 2);
  });

  test("the list of a period that is over is posted once, also where the database goes away in the middle", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const draft = { roleId: "mods", needS: HOUR_S, period: "week", channelId: "lists" } as const;
    await staffing.setQuota(GUILD, draft);
    await staffing.setQuota(GUILD, { ...draft, roleId: "others", channelId: "others" });
    const { write } = rig.store;
    let failures = 0;
    rig.store.write = async (change) => {
      const isList = change.put?.some(({ kind, id }) => kind === "post" && id.startsWith("result "));
      if (isList !== true || failures > 0) return await write(change);
      failures += 1;
      throw new Failure("store", "The database is away.");
    };
    await endPeriod(rig);
    await rig.take(snapshotOf({ players: [] }, PERIOD_END_S + 700, EAST.source));
    const posted = () => ["lists", "others"].map((channel) => rig.sink.messages(channel).length);
    for (let round = 0; round < 30 && posted().includes(0); round += 1) {
      await rig.clock.advance(60_000);
      await rig.wing.duty.now(GUILD);
    }
    assert.deepEqual([failures, posted(), (await staffing.results(GUILD, 5)).length], [1, [1, 1], 2]);
  });

  test("a Manager's change counts at once, of one's own time when a second one confirms it", async () => {
    const { rig, type, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const change = { typeId: type.id, atS: MONDAY_S, seconds: 1_800, reason: "the log was away" };
    await staffing.correct(member("u2"), { ...change, userId: "u1" });
    const own = await staffing.correct(member("u2"), { ...change, userId: "u2" });
    const counted = async () => {
      const { lines } = await staffing.board(GUILD, { fromS: MONDAY_S - 60, untilS: MONDAY_S + 60 });
      return ["u1", "u2", "owner"].map((id) => lines.find(({ userId }) => userId === id)?.countedS);
    };
    assert.deepEqual(await counted(), [1_800, 0, undefined]);
    await refuses(staffing.confirm(member("u2"), own.id), /Somebody else/);
    await staffing.confirm(member("u3"), own.id);
    await staffing.correct(member("owner"), { ...change, userId: "owner" });
    assert.deepEqual(await counted(), [1_800, 1_800, 1_800]);
    assert.equal(await staffing.confirm(member("u3"), own.id), undefined, "once is once");
    const waits = await staffing.correct(member("u2"), { ...change, userId: "u2" });
    await staffing.correct(member("u3"), { ...change, userId: "u1", seconds: -600 });
    const { lines } = await staffing.board(GUILD, { fromS: MONDAY_S - 60, untilS: MONDAY_S + 60 });
    const byHand = ["u1", "u2"].map((id) => {
      const { countedS, addedS, takenS } = lines.find(({ userId }) => userId === id) ?? {};
      return [countedS, addedS, takenS];
    });
    assert.equal(waits.confirmedBy, undefined);
    assert.deepEqual(byHand, [
      [1_200, 1_800, 600],
      [1_800, 1_800, 0],
    ]);
  });

  test("an owner approves their own leave only where nobody else may, and then it says so", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const leave = { fromS: MONDAY_S, untilS: MONDAY_S + 3 * DAY_S, percent: 0, reason: "" };
    const { id } = await staffing.askLeave(member("owner"), leave);
    rig.roles.set("u2", ["managers"]);
    await refuses(staffing.decideLeave(member("owner"), id, true), /Somebody else/);
    rig.roles.set("u2", ["mods"]);
    const approved = await staffing.decideLeave(member("owner"), id, true);
    assert.ok(approved !== undefined);
    assert.match(leaveLine(approved, daysIn("UTC")), /, self-approved$/);
    const board = await staffing.board(GUILD, { fromS: MONDAY_S - 60, untilS: MONDAY_S + 60 });
    assert.match(JSON.stringify(boardCard(board)), /<@owner>.*on leave, self-approved/);
    const other = await staffing.askLeave(member("u1"), leave);
    const byOther = await staffing.decideLeave(member("owner"), other.id, true);
    assert.doesNotMatch(leaveLine(byOther ?? other, daysIn("UTC")), /themselves/);
  });

  test("Managers are told of a request, once a day of each member; whose leave somebody else ends is told too", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const leave = { fromS: MONDAY_S, untilS: MONDAY_S + DAY_S, percent: 0, reason: "a private one" };
    const asks = () => rig.told.filter((text) => text.includes("Leave request"));
    await staffing.askLeave(member("u1"), leave);
    assert.match(asks().join("\n"), /^🌴 Leave request: <@u1> · leave /u);
    assert.doesNotMatch(asks().join("\n"), /waiting/, "it stays as it is once somebody decided");
    assert.doesNotMatch(asks().join("\n"), /private/);
    await staffing.endLeave(member("u1"), "u1");
    assert.ok(!rig.told.some((text) => text.startsWith("u1: ")), "they know what they did");
    await staffing.askLeave(member("u1"), leave);
    assert.equal(asks().length, 1, "taken back and asked again");
    await staffing.endLeave(member("boss"), "u1");
    assert.match(rig.told.join("\n"), /^u1: Your leave was cancelled by <@boss>/m);
    for (let n = 10; n < 30; n += 1) await staffing.askLeave(member(`u${n}`), leave);
    assert.equal(asks().length, 10, "ten an hour");
    await rig.clock.advance(HOUR_S * 1_000);
    await staffing.askLeave(member("u40"), leave);
    assert.equal(asks().length, 11);
  });

  test("who asks for leave reads that Managers have been told only where they were", async () => {
    const { rig, staffing } = await staffed();
    const services = { ...new FakeWorld().services, staffing, clock: rig.clock };
    const asks = async (until: string) => {
      const args = { until, from: undefined, reason: "", percent: 0 };
      const invocation = { actor: member("u1"), args, signal: new AbortController().signal };
      return ((await leaveAskEntry.execute(invocation as never, services)) as Reply).content ?? "";
    };
    assert.match(await asks("7 days"), /Asked: [\s\S]*Managers have been told\. They decide with/);
    await staffing.endLeave(member("u1"), "u1");
    assert.match(
      await asks("9 days"),
      /Asked: [\s\S]*Managers got no new message, but it is in `\/duty leave list`/,
    );
    assert.equal(rig.told.filter((text) => text.includes("Leave request")).length, 1);
  });

  test("who asks for leave again and again keeps nobody else from asking, and approved leave fills no list", async () => {
    const { staffing } = await staffed();
    const day = (nth: number) => {
      const fromS = MONDAY_S + nth * DAY_S;
      return { fromS, untilS: fromS + HOUR_S, percent: 0, reason: "" };
    };
    let asked = 0;
    let refusal: unknown;
    for (let nth = 0; nth < 200 && refusal === undefined; nth += 1) {
      await staffing.askLeave(member("flood"), day(nth)).then(
        () => {
          asked += 1;
        },
        (error: unknown) => {
          refusal = error;
        },
      );
    }
    await staffing.askLeave(member("u1"), day(0));
    assert.ok(asked >= 5, "several trips ahead are no flood");
    assert.ok(refusal instanceof Failure && /End one with/.test(refusal.message), String(refusal));
    for (let nth = 0; nth < 200; nth += 1) {
      const { id } = await staffing.askLeave(member(`many${nth}`), day(0)).catch(() => ({ id: "" }));
      if (id !== "") await staffing.decideLeave(member("boss"), id, true);
    }
    await staffing.askLeave(member("u2"), day(0));
  });

  test("leave that is ended early excuses up to then, and what was not approved excuses from nothing", async () => {
    const { rig, staffing } = await staffed();
    await rig.clock.advanceTo(MONDAY_S * 1_000);
    const leave = { fromS: MONDAY_S, untilS: MONDAY_S + 3 * DAY_S, percent: 0, reason: "" };
    const { id } = await staffing.askLeave(member("u1"), leave);
    await staffing.decideLeave(member("u2"), id, true);
    await rig.clock.advanceTo((MONDAY_S + DAY_S) * 1_000);
    assert.equal((await staffing.endLeave(member("u1"), "u1"))?.untilS, MONDAY_S + DAY_S);
    assert.deepEqual(await staffing.leaves(GUILD), []);
    assert.equal(await staffing.decideLeave(member("u2"), id, true), undefined);
    await staffing.askLeave(member("u1"), { ...leave, fromS: MONDAY_S + DAY_S });
    assert.equal((await staffing.endLeave(member("u1"), "u1"))?.state, "denied");
    await refuses(staffing.askLeave(member("u1"), { ...leave, untilS: MONDAY_S + 400 * DAY_S }), /180 days/);
  });
});
