import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Exchange, Member, Person, Role } from "../../src/sandbox/discord/types.ts";
import { backUpSqlite } from "../../src/store/sqlite/backup-sqlite.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { press, reads } from "./read.ts";
import { E2eRig } from "./rig.ts";

const REX = 9_000_000_201;
const TIM = 9_000_000_202;

describe("ranks, in the real process", () => {
  let rig: E2eRig;
  let helpers: Role;
  let owner: Person;
  let rex: Member;
  let tim: Member;

  before(async () => {
    rig = await E2eRig.start({ speed: 10, leaps: true });
    ({ owner } = rig.home);
    const { guild, general } = rig.home;
    helpers = guild.addRole({ name: "Helpers" });
    rex = guild.addMember({ name: "Rex" });
    tim = guild.addMember({ name: "Tim" });
    await rig.link();
    rig.town.join("RexGame", REX);
    rig.town.join("TimGame", TIM);
    await rig.clock.sleep(20_000);
    for (const [member, id] of [
      [rex, REX],
      [tim, TIM],
    ] as const)
      await reads(await owner.slash(general, "me link", { player: String(id), member }), /in the game/);
  });
  after(async () => {
    await rig.close();
  });

  const asks = async (person: Person, line: string, options: object, then: RegExp) => {
    const exchange = await person.slash(rig.home.general, line, { ...options });
    await reads(exchange, then);
    return exchange;
  };
  const rankOf = (id: number) => rig.town.world.staff.get(id)?.role;
  /** Checks again until the staff list is believed. */
  const certain = async (exchange: Exchange): Promise<Exchange> => {
    let now = exchange;
    for (let tries = 0; !/staff list was read/.test(now.text) && tries < 20; tries++) {
      await rig.clock.sleep(15_000);
      now = await press(owner, now, "Check again");
      await reads(now, /staff list/);
    }
    return now;
  };

  test("nothing happens by itself; a Manager who may run the commands confirms the plan", async () => {
    const { member, guild, general } = rig.home;
    const wish = { role: helpers, rank: "helper" };
    await asks(member, "rank set", wish, /Only Managers/);
    await asks(owner, "rank set", { ...wish, role: guild.everyone }, /Everyone has/);
    await asks(owner, "rank set", wish, /Helper on .*Nothing happens yet/);
    await asks(owner, "rank set", wish, /gives a rank already/);
    rex.addRole(helpers);
    tim.addRole(helpers);
    await asks(owner, "rank check", {}, /Would be raised: 2|staff list is not certain/);
    await rig.clock.sleep(60_000);
    const plan = await certain(await asks(owner, "rank apply", {}, /Ranks on/));
    await reads(plan, /Off\.[\s\S]*Would be raised: 2[\s\S]*RexGame[\s\S]*Helper/);
    assert.equal(rankOf(REX), undefined);
    await reads(await press(owner, plan, "Turn on: raise 2"), /Only Administrators can run/);
    const management = guild.addRole({ name: "Management" });
    await reads(await owner.slash(general, "staff allow", { role: management, tier: "manager" }), /Manager/);
    owner.member.addRole(management);
    const again = await certain(await asks(owner, "rank apply", {}, /Ranks on/));
    await reads(await press(owner, again, "Turn on: raise 2"), /follow the roles/);
    await rig.until("both are helpers", () => rankOf(REX) === "helper" && rankOf(TIM) === "helper");
    await asks(owner, "run history", {}, /:helper RexGame[\s\S]*rank by role/);
    assert.equal(rig.service.counts.executionsByText.get(":helper 9000000201"), 1);
    await asks(owner, "run queue", {}, /Automatic: ranks by role\. Set by <@\d+>/);
  });

  test("after a backup was put back they pause and say why, until a Manager confirms the plan", async () => {
    const { general } = rig.home;
    await reads(await owner.slash(general, "setup notices", { channel: general }), /Notices are posted/);
    const backup = `${rig.storePath}.backup`;
    backUpSqlite(rig.storePath, backup);
    await rig.stop();
    for (const side of ["-wal", "-shm"]) rmSync(rig.storePath + side, { force: true });
    copyFileSync(backup, rig.storePath);
    await rig.startBot();
    await rig.posted(general, "are paused. Marshal's database was restored from an older copy");
    await asks(owner, "rank list", {}, /Paused\*\*[\s\S]*restored from an older copy/);
    const plan = await certain(await asks(owner, "rank apply", {}, /Ranks on/));
    await reads(await press(owner, plan, "Resume"), /follow the roles/);
  });

  test("a lost role takes the rank back; one press stops it; unset takes back the rest", async () => {
    rex.removeRole(helpers);
    await rig.until("Rex is no helper any more", () => rankOf(REX) === undefined);
    assert.equal(rankOf(TIM), "helper");
    const listed = await asks(owner, "rank list", {}, /Raised by Marshal/);
    await reads(await press(owner, listed, "Pause ranks"), /Ranks are paused/);
    await asks(owner, "rank list", {}, /Paused\*\* by/);
    const plan = await certain(await asks(owner, "rank unset", { role: helpers }, /Without/));
    await reads(plan, /Would lose a rank: 1[\s\S]*TimGame/);
    await reads(await press(owner, plan, "Remove it, take back 1"), /no longer gives a rank/);
    await rig.until("Tim is no helper any more", () => rankOf(TIM) === undefined);
    await rig.clock.sleep(60_000);
    await asks(owner, "rank list", {}, /No role gives a rank/);
    await asks(owner, "audit search", {}, /rank/);
  });

  test("a role that everybody has is asked about twice, with the number of people", async () => {
    const { guild, general } = rig.home;
    const all = guild.addRole({ name: "Everybody" });
    for (const [n, member] of [rex, tim, ...Array.from({ length: 4 }, () => undefined)].entries()) {
      const one = member ?? guild.addMember({ name: `Member${n}` });
      one.addRole(all);
      if (member !== undefined) continue;
      rig.town.join(`Player${n}`, REX + 10 + n);
      await rig.clock.sleep(20_000);
      const ids = { player: String(REX + 10 + n), member: one };
      await reads(await owner.slash(general, "me link", ids), /in the game/);
    }
    await asks(owner, "rank set", { role: all, rank: "helper" }, /Nothing happens yet/);
    const plan = await certain(await asks(owner, "rank apply", {}, /Ranks on/));
    const asked = await press(owner, plan, "Turn on: raise 6");
    await reads(asked, /6 people would get a rank/);
    assert.equal(rankOf(REX), undefined);
    await reads(await press(owner, asked, "Yes, raise 6"), /Raising 6/);
    await rig.until("all are helpers", () => rankOf(REX) === "helper" && rankOf(REX + 15) === "helper");
    const unset = await asks(owner, "rank unset", { role: all }, /Without/);
    await reads(await press(owner, unset, "Check again"), /Without/);
  });

  test("a role that was deleted can be named by nobody; the plan offers to remove it, and what it gave is taken back", async () => {
    const all = rig.home.guild.roles.find(({ name }) => name === "Everybody") ?? assert.fail();
    all.delete();
    await rig.until("it is paused", async () => {
      await rig.clock.sleep(15_000);
      return /role was deleted/.test((await rig.home.owner.slash(rig.home.general, "rank list")).text);
    });
    const plan = await certain(await asks(owner, "rank check", {}, /Ranks on/));
    const without = await certain(await press(owner, plan, "Remove the deleted role"));
    await reads(without, /Without[\s\S]*Would lose a rank[\s\S]*RexGame/);
    const [confirm = ""] = /Remove it, take back \d/.exec(without.text) ?? [];
    await reads(await press(owner, without, confirm), /no longer gives a rank/);
    await rig.until(
      "nobody is helper any more",
      () => rankOf(REX) === undefined && rankOf(TIM) === undefined,
    );
  });

  test("nothing of it broke a rule of Discord or showed the key", () => {
    assertWellBehaved(rig);
    assertNoKeySeen(rig);
  });
});
