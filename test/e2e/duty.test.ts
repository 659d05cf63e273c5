import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Channel, Person, Role } from "../../src/sandbox/discord/types.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { press, reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("duty, from the first type to a quota", () => {
  let rig: E2eRig;
  let role: Role;
  let shifts: Channel;
  let manager: Person;

  before(async () => {
    rig = await E2eRig.start();
    const { guild } = rig.home;
    shifts = guild.addChannel({ name: "shifts" });
    role = guild.addRole({ name: "On duty" });
    manager = rig.discord.as(
      guild.addMember({
        name: "Maria",
        roles: [guild.addRole({ name: "Management", permissions: ["ManageGuild"] })],
      }),
    );
    await rig.link();
    const mo = rig.town.join("MoGame", 9_000_000_002);
    const nora = rig.town.join("Nora", 9_000_000_003);
    rig.town.world.staff.set(nora.id, { name: nora.name, role: "helper" });
    rig.town.world.staff.set(mo.id, { name: mo.name, role: "mod" });
    await rig.polled("Players", "CommandLogs");
  });
  after(async () => {
    await rig.close();
  });

  const asks = async (person: Person, line: string, options: object, then: RegExp) => {
    const exchange = await person.slash(rig.home.general, line, { ...options });
    await reads(exchange, then);
    return exchange;
  };

  test("a role is given by who could give it, below Marshal's own, and without powers", async () => {
    const { owner, moderator, guild, staffRole } = rig.home;
    await asks(moderator, "duty now", {}, /A Manager adds one with `\/duty type add`/);
    for (const line of ["duty show", "duty type list", "duty break"])
      await asks(moderator, line, {}, /A Manager adds one with .*duty type add/);
    const managing = guild.addRole({ name: "Managing", permissions: ["ManageGuild"] });
    moderator.member.addRole(managing);
    await asks(moderator, "duty now", {}, /No duty types are set up yet.*\. Add one with `\/duty type add`/);
    for (const line of ["duty show", "duty start"])
      await asks(moderator, line, {}, /No duty types are set up yet\W+Add one with .*duty type add/);
    await asks(moderator, "duty type list", {}, /No duty types yet\. Add one with/);
    moderator.member.removeRole(managing);
    const type = { name: "Patrol", starts: "declared", channel: shifts, role };
    await asks(owner, "duty type add", type, /I need Manage Roles/);
    guild.setBotPermissions([
      "ViewChannel",
      "SendMessages",
      "EmbedLinks",
      "AttachFiles",
      "ReadMessageHistory",
      "ManageRoles",
    ]);
    await rig.until("the permission", () => guild.bot.may("ManageRoles"));
    await asks(owner, "duty type add", type, /above mine|I need Manage Roles/);
    guild.raiseBot();
    const powers = guild.addRole({ name: "Powers", permissions: ["BanMembers"] });
    guild.raiseBot();
    await asks(owner, "duty type add", { ...type, role: powers }, /kick, ban or mute/);
    await asks(manager, "duty type add", type, /Only people with Manage Roles/);
    const lead = guild.addRole({ name: "Lead", permissions: ["ManageGuild", "ManageRoles"] });
    const above = guild.addRole({ name: "Above the lead" });
    guild.raiseBot();
    const leader = rig.discord.as(guild.addMember({ name: "Lena", roles: [lead] }));
    await asks(leader, "duty type add", { ...type, role: above }, /above yours/);
    await asks(owner, "duty type add", { ...type, role: guild.everyone }, /Everybody has/);
    await asks(rig.home.member, "duty type add", type, /Only Managers/);
    await asks(owner, "duty type add", type, /Patrol.*starts with/);
    assert.ok(staffRole.id !== role.id);
  });

  test("a shift has its role and its message while it goes on, and its evidence when it has ended", async () => {
    const { moderator, guild, owner, general } = rig.home;
    const mo = guild.members.find(({ id }) => id === moderator.member.id) ?? assert.fail();
    await asks(rig.home.member, "duty start", {}, /Only staff can start a shift/);
    for (const line of ["duty break", "duty end"]) {
      await asks(rig.home.member, line, {}, /You are not on duty(?![\s\S]*\/duty start)/);
      await asks(moderator, line, {}, /You are not on duty\W+Start with .*\/duty start/);
    }
    const refused = await asks(moderator, "duty start", {}, /Link your game account first/);
    await reads(await press(moderator, refused, "Link my account"), /:log/);
    await asks(owner, "me link", { player: "MoGame", member: mo }, /in the game/);
    const started = await asks(moderator, "duty start", {}, /On duty: Patrol/);
    await rig.until("the role", () => mo.roles.includes(role));
    await rig.posted(shifts, "On duty: Patrol");
    await asks(moderator, "duty now", {}, /On duty: 1[\s\S]*Patrol/);
    await reads(await press(moderator, started, "Take a break"), /On a break/);
    await rig.until("no role on a break", () => !mo.roles.includes(role));
    await asks(moderator, "duty break", {}, /On duty: Patrol/);
    await rig.until("the role again", () => mo.roles.includes(role));
    await asks(owner, "duty pings", { on: true }, /ping up to 5 people on duty/);
    const now = await asks(moderator, "duty now", {}, /without a linked account\*\*\nNora/);
    const question = await press(moderator, now, "Ask Nora to link");
    await reads(question, /Send this\?[\s\S]*:pm Nora Please link/);
    await press(moderator, question, "Send it");
    const isAsked = ({ text }: { readonly text: string }) => text.startsWith("Please link your account");
    await rig.until("the message in the game", () => rig.town.record.messages.some(isAsked));
    const live = guild.addChannel({ name: "live" });
    await asks(owner, "server panel", { channel: live }, /Panel/);
    await rig.posted(live, "On duty in the game · 1");
    await asks(
      moderator,
      "case add",
      { player: "Nora", kind: "note", reason: "ok" },
      /case 1[\s\S]*On duty: Patrol/,
    );
    await rig.clock.sleep(1_000);
    await asks(moderator, "duty end", {}, /Off duty[\s\S]*count/);
    await rig.clock.sleep(2_000);
    await asks(
      moderator,
      "case add",
      { player: "Nora", kind: "note", reason: "ok" },
      /case 2[\s\S]*Not on duty/,
    );
    await rig.until("no role any more", () => !mo.roles.includes(role));
    await rig.posted(shifts, "Off duty: Patrol", "Seen:");
    await asks(moderator, "duty show", {}, /in 1 shift/);
    await asks(rig.home.member, "duty show", { member: mo }, /Only Managers/);
    assert.equal(rig.discord.messages(shifts).length, 1);
    assert.ok((await owner.slash(general, "duty board", {})) !== undefined);
  });

  test("one's own time is changed by two Managers, leave is decided by somebody else, a quota has its bar", async () => {
    const { owner, moderator, staffRole } = rig.home;
    const change = { member: manager.member, minutes: 30, reason: "event" };
    await asks(manager, "duty edit", change, /waits for a second Manager/);
    await asks(owner, "duty show", { member: manager.member }, /waits for a second Manager/);
    const shown = await asks(owner, "duty show", { member: manager.member }, /30.min/);
    await reads(await press(owner, shown, "Confirm"), /confirmed by/);
    await asks(owner, "duty quota set", { role: staffRole, hours: 1 }, /1.h/);
    await asks(owner, "duty quota set", { role: staffRole, hours: 0 }, /more than 0/);
    await asks(owner, "duty quota set", { role: staffRole, hours: 1_000 }, /more than the 168 hours/);
    const board = await asks(owner, "duty board", { file: true }, /▱+ .* of /);
    const [file] = board.message?.attachments ?? [];
    assert.match(Buffer.from(file?.bytes ?? []).toString(), /^"'\d+","MoGame","\d+\.\d\d"/m);
    await asks(moderator, "duty leave ask", { until: "3 days", reason: "exams" }, /Asked/);
    const list = await asks(owner, "duty leave list", {}, /exams[\s\S]*waiting/);
    const again = await asks(owner, "duty leave list", {}, /exams[\s\S]*waiting/);
    await reads(await press(owner, list, "Approve 1"), /✅ Approved: [\s\S]*exams/);
    await reads(await press(owner, again, "Deny 1"), /decided already/);
    await rig.until("the answer to who asked", () =>
      moderator.dms().some((message) => textOf(message).includes("approved")),
    );
    await asks(owner, "duty board", {}, /on leave/);
  });

  test("hours of another bot are planned, imported and taken back", async () => {
    const { owner, moderator, member: stranger } = rig.home;
    const csv = `${moderator.member.id},Patrol,600,\n123456789012345678,,5,\n=1+1,,5,`;
    const pastes = async (person: Person) => {
      const { modal = assert.fail() } = await person.slash(rig.home.general, "duty import add");
      return await person.submit(modal, { csv });
    };
    await reads(await pastes(stranger), /Only Managers/);
    const plan = await pastes(owner);
    await reads(
      plan,
      /10.h.*for 1 member.*Nothing is imported yet[\s\S]*Line 2 is of nobody[\s\S]*Line 3 begins like/,
    );
    await asks(owner, "duty import list", {}, /Nothing is imported/);
    await reads(await press(owner, plan, "Import"), /Imported: .*10.h.*`\/duty board days:\d+`/);
    await asks(owner, "duty board", {}, /\+10.h imported/);
    const list = await asks(owner, "duty import list", {}, /10.h.*for 1 member/);
    await reads(await press(owner, list, "Undo 1"), /Nothing is imported/);
  });

  test("without a tier, a rank in the game starts a shift, and so does the role that its type asks for", async () => {
    const { owner, guild, member: ranked } = rig.home;
    await asks(owner, "me link", { player: "Nora", member: ranked.member }, /in the game/);
    await asks(ranked, "duty start", {}, /On duty: Patrol/);
    const crew = guild.addRole({ name: "Crew" });
    const event = { name: "Event", starts: "outside", "required-role": crew };
    await asks(owner, "duty type add", event, /Event.*outside/);
    const helper = rig.discord.as(guild.addMember({ name: "Hugo", roles: [crew] }));
    await asks(helper, "duty start", {}, /Only staff can start a shift/);
    await asks(helper, "duty start", { type: "Event" }, /On duty: Event/);
    await asks(owner, "duty type remove", { type: "Event" }, /was removed\. .* 1 running shift ended/);
  });

  test("a change without a type is of the last shift's, a strange team is named, a reset posts its list", async () => {
    const { owner, moderator, guild, staffRole } = rig.home;
    await asks(owner, "duty type add", { name: "Desk", starts: "outside" }, /Desk.*outside/);
    await asks(moderator, "duty start", { type: "Desk" }, /On duty: Desk/);
    await asks(moderator, "duty end", {}, /Off duty/);
    const mo = guild.members.find(({ id }) => id === moderator.member.id) ?? assert.fail();
    const change = { member: mo, minutes: 20, reason: "Late log" };
    await asks(owner, "duty edit", change, /\(Desk\) on /);
    await asks(owner, "duty edit", { ...change, type: "Patrol" }, /\(Patrol\) on /);
    await asks(owner, "duty edit", { ...change, member: manager.member }, /\(Patrol\) on /);
    const typo = { name: "Law", starts: "team", team: "Polise, Sheriff" };
    await asks(
      owner,
      "duty type add",
      typo,
      /on the team Polise or on the team Sheriff[\s\S]*know the team polise/,
    );
    const roads = { name: "Roads", starts: "team", team: "DOT" };
    await asks(owner, "duty type add", roads, /on the team DOT, for everyone with a linked account$/);
    const typed = { name: "x", starts: "team", team: "sh" };
    const offered = await owner.autocomplete(rig.home.general, "duty type add", typed, "team");
    assert.deepEqual(
      offered.map(({ value }) => value),
      ["Sheriff"],
    );
    for (const type of ["Law", "Roads", "Desk"]) await asks(owner, "duty type remove", { type }, /removed/);
    const lists = guild.addChannel({ name: "lists" });
    await asks(owner, "duty quota set", { role: staffRole, hours: 2, channel: lists }, /list posted in/);
    await asks(owner, "duty quota reset", { quota: "nothing" }, /no such quota/);
    await asks(owner, "duty quota reset", { quota: `@${staffRole.name}` }, /Reset: hours count from now on/);
    await rig.posted(lists, "2 h in a week");
  });

  test("where no server is linked any more, who starts a shift reads that", async () => {
    const { owner, moderator } = rig.home;
    const asked = await asks(owner, "setup unlink", {}, /Unlink .*\?/);
    await reads(await press(owner, asked, "Unlink"), /Unlinked/);
    await asks(moderator, "duty start", {}, /No game server is linked here yet/);
  });

  test("nothing of it broke a rule of Discord or showed the key", () => {
    assertWellBehaved(rig);
    assertNoKeySeen(rig);
  });
});
