import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel, Member, Person, Role } from "../../src/sandbox/discord/types.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { press, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("rules, in the real process", () => {
  let rig: E2eRig;
  let told: Channel;
  let police: Role;
  let owner: Person;
  let rex: Member;

  before(async () => {
    rig = await E2eRig.start({ speed: 10, leaps: true });
    ({ owner } = rig.home);
    const { guild } = rig.home;
    told = guild.addChannel({ name: "rules" });
    police = guild.addRole({ name: "Police" });
    rex = guild.addMember({ name: "Rex" });
    await rig.link();
  });
  after(async () => {
    await rig.close();
  });

  const asks = async (person: Person, line: string, options: object, then: RegExp) => {
    const exchange = await person.slash(rig.home.general, line, { ...options });
    await reads(exchange, then);
    return exchange;
  };
  const onPolice = (name: string, id: number) => {
    const { id: playerId } = rig.town.join(name, id);
    const here = rig.town.world.find(playerId);
    assert.ok(here);
    rig.town.world.setTeam(here, "Police");
  };
  const ran = (text: string) =>
    rig.town.world.record.commands.filter(({ command }) => command.startsWith(text)).length;

  test("a list links members, is checked first and undone as a whole; who is not linked is shown", async () => {
    const { general, member } = rig.home;
    const [first] = [`${rex.id}, 9000000101`, `${member.member.id}; 9000000102`];
    const rows = `member,game\n${first}\n${member.member.id}; 9000000102\nnonsense 12\noops`;
    const opened = await owner.slash(general, "me import");
    assert.ok(opened.modal);
    const planned = await owner.submit(opened.modal, { rows });
    await reads(planned, /2 would be linked[\s\S]*2 lines could not be read[\s\S]*oops/);
    await reads(await press(owner, planned, "Link 2"), /Linked 2 accounts/);
    const other = rig.discord.as(
      rig.home.guild.addMember({
        name: "Mia",
        roles: [rig.home.guild.addRole({ name: "Management of Discord", permissions: ["ManageGuild"] })],
      }),
    );
    const shown = await asks(other, "me show", { member: rex }, /Game account/);
    await reads(await press(other, shown, "Confirm it"), /confirmed/i);
    const undone = await owner.click(planned.message ?? assert.fail(), "Undo");
    await reads(undone, /Unlinked 2 accounts/);
    const refused = await member.slash(general, "me import");
    assert.ok(refused.modal);
    await reads(await member.submit(refused.modal, { rows }), /Only Managers/);
    onPolice("RexGame", 9_000_000_101);
    // What was read just now is shown for ten seconds.
    await rig.clock.sleep(20_000);
    await asks(owner, "server unlinked", {}, /RexGame/);
    await asks(owner, "me link", { player: "9000000101", member: rex }, /in the game/);
  });

  test("staff are told who lacks the role; it stops by one press; a Manager turns one message on", async () => {
    const { general, member } = rig.home;
    await asks(
      member,
      "rule add",
      { about: "team", what: "Police", role: police, channel: told },
      /Only Managers/,
    );
    const wish = { about: "team", what: "Police", role: police, channel: told };
    await asks(owner, "rule add", { ...wish, role: rig.home.guild.everyone }, /Everyone has/);
    await asks(owner, "rule add", wish, /Team Police needs/);
    await rig.posted(told, "RexGame", "Rule 1");
    assert.equal(rig.discord.messages(told).length, 1);
    const { guild, general: here } = rig.home;
    const asked = await asks(owner, "rule test", { rule: "1" }, /RexGame/);
    await reads(
      await owner.click(asked.message ?? assert.fail(), "Also send one :pm"),
      /Only Moderators can run \\?:pm/,
    );
    const management = guild.addRole({ name: "Management" });
    await reads(await owner.slash(here, "staff allow", { role: management, tier: "manager" }), /Manager/);
    owner.member.addRole(management);
    const tested = await asks(owner, "rule test", { rule: "1" }, /Breaking it right now[\s\S]*RexGame/);
    await reads(await press(owner, tested, "Also send one :pm"), /sends one :pm/);
    assert.equal(ran(":pm"), 0, "this breach had its step before: it was only counted");

    const [message] = rig.discord.messages(told);
    const paused = await owner.click(message ?? assert.fail(), "Pause all rules");
    await reads(paused, /All rules are paused/);
    await reads(await member.click(message ?? assert.fail(), "Pause all rules"), /Only Managers/);
    await reads(await press(owner, paused, "Resume rules"), /Rules are running again/);
    assert.ok(general);
  });

  test("a new breach is sent its one message, and a role that is given ends it", async () => {
    const tim = rig.home.guild.addMember({ name: "Tim" });
    onPolice("TimGame", 9_000_000_103);
    await rig.clock.sleep(20_000);
    await asks(owner, "me link", { player: "9000000103", member: tim }, /in the game/);
    await rig.until("the message in the game", () => ran(":pm TimGame") === 1);
    const queue = await asks(owner, "run queue", {}, /Automatic: 1 rule\. Set by <@\d+>/);
    const paused = await press(owner, queue, "Pause automatic commands");
    await reads(paused, /rules only tell/);
    await asks(owner, "diagnose", {}, /<@\d+> paused automatic commands/);
    await reads(await press(owner, paused, "Resume automatic commands"), /run again/);
    rex.addRole(police);
    tim.addRole(police);
    await rig.clock.sleep(75_000);
    await asks(owner, "rule test", { rule: "1" }, /Nobody breaks it right now/);
    assert.equal(ran(":pm"), 1);
    assert.equal(rig.discord.messages(told).filter((one) => textOf(one).includes("Rule 1")).length, 2);
    await asks(owner, "rule list", {}, /Staff told 2 times/);
    await asks(owner, "rule remove", { rule: "1" }, /Removed rule 1/);
    const strange = { about: "team", what: "Polise", role: police, channel: rig.home.general };
    const odd =
      /Polise[\s\S]*Nobody has broken it yet[\s\S]*I don't know the team Polise[\s\S]*Everyone can read/;
    await asks(owner, "rule add", strange, odd);
    await asks(owner, "rule remove", { rule: "2" }, /Removed rule 2/);
  });

  test("nothing of it broke a rule of Discord or showed the key", () => {
    assertWellBehaved(rig);
    assertNoKeySeen(rig);
  });
});
