import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Exchange, Value } from "../../src/sandbox/discord/types.ts";
import { type RunCommandsRig, startRunCommandsRig } from "../support/run-commands-rig.ts";

const MINUTE_MS = 60_000;

/** Schedules run; the clock shows midnight, UTC. */
async function startRig(t: TestContext): Promise<RunCommandsRig> {
  const rig = await startRunCommandsRig(t);
  await rig.runs.runs.start();
  rig.runs.runs.beginSchedules();
  return rig;
}

const type = (
  rig: RunCommandsRig,
  line: string,
  options: Readonly<Record<string, Value>> = {},
  who: "manager" | "mod" | "member" | "owner" = "manager",
): Promise<Exchange> => rig[who].slash(rig.channel, `schedule ${line}`, options);

/** Lets time pass while requests to Discord, which take real time, are answered. */
async function pass(rig: RunCommandsRig, ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= MINUTE_MS) {
    await rig.runs.clock.advance(Math.min(leftMs, MINUTE_MS));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const added = async (rig: RunCommandsRig, options: Readonly<Record<string, Value>>) =>
  rig.reads(await type(rig, "add", options), /Next:/);
const listed = async (rig: RunCommandsRig, wanted: RegExp) => rig.reads(await type(rig, "list"), wanted);

function notices(rig: RunCommandsRig): string[] {
  return rig.owner.dms().map(({ content }) => content);
}

describe("/schedule", () => {
  test("a Manager adds one: the answer says what, where, when next, and by whose right; the list shows how it went", async (t) => {
    const rig = await startRig(t);
    const text = await added(rig, { what: ":h Welcome to Liberty", when: "Every 30 minutes", players: true });
    assert.match(text, /✅ `:h Welcome to Liberty` on \*\*Liberty County\*\*, every 30 min/);
    assert.match(text, /Next: <t:1767227400:f> \(<t:1767227400:R>\)/);
    assert.match(text, /with your rights and stops when you lose them.*Only while players are in the server/);
    await pass(rig, 31 * MINUTE_MS);
    const list = await listed(rig, /✅ ran <t:1767227400:R>/);
    assert.match(
      list,
      new RegExp(`next <t:1767229200:R> · by <@${rig.manager.member.id}> · only with players`),
    );
    assert.deepEqual(
      rig.runs.sent.map(({ text: sent }) => sent),
      [":h Welcome to Liberty"],
    );
    const actions = rig.runs.audit.eventRows.map(({ action, text: said }) => `${action}: ${said}`);
    assert.deepEqual(actions, ["schedule-add: :h Welcome to Liberty, every 30 min on Liberty County"]);
  });

  test("times are told in the zone of the community, or as UTC with the way to set one", async (t) => {
    const rig = await startRig(t);
    assert.match(
      await added(rig, { what: ":h a", when: "fri 20:00" }),
      /Times in UTC\. Set yours with `\/setup timezone`/,
    );
    const zone = await rig.owner.slash(rig.channel, "setup timezone", { zone: "Europe/Berlin" });
    await rig.reads(zone, /Europe\/Berlin/);
    const text = await added(rig, { what: ":h b", when: "20:00" });
    assert.match(text, /Next: Thu 1 Jan, 20:00 \(<t:1767294000:R>\)[\s\S]*Times in Europe\\\/Berlin/);
    // The one from before moves with the zone: Friday, 2 January, 20:00 there.
    assert.match(await listed(rig, /Fri at 20/), /next <t:1767380400:R>/);
  });

  test("Moderators, members, and whoever manages Discord without a tier add none, and read why", async (t) => {
    const rig = await startRig(t);
    const options = { what: ":h x", when: "hourly" };
    for (const who of ["mod", "member"] as const) {
      await rig.reads(await type(rig, "add", options, who), /Only Managers can use schedules/);
      await rig.reads(await type(rig, "list", {}, who), /Only Managers can use schedules/);
    }
    await rig.reads(await type(rig, "add", options, "owner"), /Only Moderators can/);
    assert.equal(rig.runs.scheduleTexts.size, 0);
  });

  test("what cannot be scheduled is refused in words that say what to write", async (t) => {
    const rig = await startRig(t);
    const refused = async (options: Readonly<Record<string, Value>>, why: RegExp) =>
      rig.reads(await type(rig, "add", options), why);
    await refused({ what: ":h x", when: "soon" }, /Write "20\\:00", "fri 20\\:00"/);
    await refused({ what: ":h x", when: "every 5 min" }, /The shortest interval is 10 min/);
    await refused({ what: ":weather rain", when: "20:00" }, /announcement[\s\S]*or a preset/);
    await refused({ what: ":kick Alice", when: "20:00" }, /too serious to run unattended/);
    await refused({ what: "Unknown", when: "20:00" }, /no preset "Unknown"/);
    for (const [name, text] of [
      ["Punish", ":ban Alice"],
      ["Everyone", ":heal all"],
      ["Asks", ":pm {player} hello"],
    ] as const) {
      await rig.reads(await rig.manager.slash(rig.channel, "run preset save", { name, text }), /Saved/);
    }
    await refused({ what: "punish", when: "20:00" }, /too serious to run unattended/);
    await refused({ what: "Everyone", when: "20:00" }, /too serious to run unattended/);
    await refused({ what: "Asks", when: "20:00" }, /asks for player/);
    assert.equal(rig.runs.scheduleTexts.size, 0);
  });

  test("says that nothing runs while the key is wrong or the owner does not allow commands", async (t) => {
    const rig = await startRig(t);
    assert.doesNotMatch(await added(rig, { what: ":h one", when: "20:00" }), /nothing runs yet/);
    const [linked] = rig.world.bindingsById.values();
    assert.ok(linked !== undefined);
    rig.world.commandPermissions.set(linked.source, { kind: "refused", why: "No.", sinceMs: 0, untilMs: 0 });
    const refusedText = await added(rig, { what: ":h two", when: "20:00" });
    assert.match(
      refusedText,
      /⚠ The owner does not let Marshal run commands, so nothing runs yet\. Someone with Manage Server can fix it: `\/setup start`/,
    );
    rig.world.parked.set(linked.source, "The key was refused.");
    assert.match(
      await added(rig, { what: ":h three", when: "20:00" }),
      /⚠ The server key is wrong or expired, so nothing runs yet\. Someone with Manage Server can replace it with `\/setup link`/,
    );
  });

  test("the queue offers the pause of all that runs by itself only to who may press it", async (t) => {
    const rig = await startRig(t);
    await added(rig, { what: ":h one", when: "20:00" });
    const offers = async (who: "manager" | "mod") => {
      const queue = await rig[who].slash(rig.channel, "run queue");
      await rig.reads(queue, /Automatic: 1 schedule/);
      return JSON.stringify(queue.message?.components).includes("Pause automatic commands");
    };
    assert.equal(await offers("mod"), false);
    assert.equal(await offers("manager"), true);
  });

  test("suggests what was understood, and the presets that it can run", async (t) => {
    const rig = await startRig(t);
    for (const [name, text] of [
      ["Night", ":time 0"],
      ["Asks", ":pm {player} hello"],
    ] as const) {
      await rig.reads(await rig.manager.slash(rig.channel, "run preset save", { name, text }), /Saved/);
    }
    const choices = async (option: string, typed: string) => {
      const line = "schedule add";
      const offered = await rig.manager.autocomplete(rig.channel, line, { [option]: typed }, option);
      return offered.map(({ name, value }) => `${name} = ${value}`);
    };
    assert.deepEqual(await choices("when", "weekdays 8pm"), ["Mon–Fri at 20:00 = weekdays 8pm"]);
    assert.deepEqual(await choices("when", "every"), ["every 30 min = every 30 min"]);
    assert.deepEqual(await choices("what", ""), ["Night · :time 0 = Night"]);
  });

  test("is removed by its number, by the menu of the list, or under the answer that made it", async (t) => {
    const rig = await startRig(t);
    const first = await type(rig, "add", { what: ":h one", when: "20:00" });
    await rig.reads(first, /Next:/);
    for (const what of [":h two", ":h three"]) {
      await rig.runs.clock.advance(1_000);
      await added(rig, { what, when: "20:00" });
    }
    assert.ok(first.message !== undefined);
    await rig.reads(
      await rig.manager.click(first.message, "Remove it"),
      /Removed: \\:h one, daily at 20\\:00/,
    );
    await rig.reads(await type(rig, "remove", { schedule: "2" }), /Removed: \\:h three/);
    const list = await type(rig, "list");
    await rig.reads(list, /:h two/);
    assert.ok(list.message !== undefined);
    const row = "Remove 1. :h two, daily at 20:00";
    await rig.reads(await rig.manager.select(list.message, "schedule-remove", [row]), /No schedules yet/);
    await rig.reads(await type(rig, "remove", { schedule: "1" }), /no longer exists/);
    assert.equal(rig.runs.scheduleTexts.size, 0);
  });

  test("its owner loses the right: it ends, told once where notices go, with what and why", async (t) => {
    const rig = await startRig(t);
    const channel = rig.guild.addChannel({ name: "notices" });
    await rig.reads(
      await rig.owner.slash(rig.channel, "setup notices", { channel }),
      /Notices are posted in/,
    );
    await added(rig, { what: ":h Welcome", when: "every 30 min" });
    rig.manager.member.removeRole(rig.roles.manager);
    await pass(rig, 95 * MINUTE_MS);
    const told = rig.emulated.messages(channel).map(({ content }) => content);
    assert.equal(told.length, 1, told.join("\n"));
    assert.match(
      told[0] ?? "",
      /A schedule has ended\.\*\* Only Managers can own schedules, and its owner is no longer one/,
    );
    assert.match(told[0] ?? "", /• `:h Welcome` on \*\*Liberty County\*\*, every 30 min, by <@\d+>/);
    assert.equal(rig.runs.sent.length, 0);
  });

  test("its owner leaves the Discord server: it ends too; a Discord that fails ends nothing", async (t) => {
    const rig = await startRig(t);
    await added(rig, { what: ":h Welcome", when: "every 30 min" });
    rig.manager.member.leave();
    await pass(rig, 35 * MINUTE_MS);
    assert.equal(rig.runs.scheduleTexts.size, 0);
    assert.equal(rig.runs.sent.length, 0);
    assert.deepEqual(notices(rig).length, 0, "the owner of the server linked nothing here");
  });

  test("after a kill while it is being sent: not sent again, the list says that it may have run, nobody is disturbed", async (t) => {
    const rig = await startRig(t);
    await added(rig, { what: ":h Welcome", when: "every 30 min" });
    rig.runs.answering = () => new Promise(() => undefined);
    await pass(rig, 31 * MINUTE_MS);
    assert.equal(rig.runs.sent.length, 1);
    rig.runs.crash();
    rig.runs.answering = async () => "Success";
    await rig.runs.runs.start();
    rig.runs.runs.beginSchedules();
    await listed(rig, /❔ may have run/);
    await pass(rig, 10 * MINUTE_MS);
    assert.equal(rig.runs.sent.length, 1);
    assert.deepEqual(rig.manager.dms(), []);
    await pass(rig, 50 * MINUTE_MS);
    const minutes = rig.runs.sent.map(({ atMs }) => new Date(atMs).toISOString().slice(11, 16));
    assert.deepEqual(minutes, ["00:30", "01:00", "01:30"]);
  });

  test("hostile words in a text or a preset's name ping nobody, link nothing and break no line", async (t) => {
    const rig = await startRig(t);
    const hostile = ":h @everyone <@&1> https://evil.example `x` **b** discord.gg/abc";
    const name = "@everyone **[a](https://evil.example)** `q";
    await rig.reads(
      await rig.manager.slash(rig.channel, "run preset save", { name, text: ":time 12" }),
      /Saved/,
    );
    const outputs = [
      await added(rig, { what: hostile, when: "20:00" }),
      await added(rig, { what: name, when: "hourly" }),
      await listed(rig, /hourly|every 1 h/),
    ];
    rig.manager.member.removeRole(rig.roles.manager);
    const channel = rig.guild.addChannel({ name: "notices" });
    await rig.reads(
      await rig.owner.slash(rig.channel, "setup notices", { channel }),
      /Notices are posted in/,
    );
    await pass(rig, 65 * MINUTE_MS);
    outputs.push(...rig.emulated.messages(channel).map(({ content }) => content));
    assert.equal(outputs.length, 4);
    for (const text of outputs) {
      assert.doesNotMatch(text, /@everyone/, text);
      assert.doesNotMatch(text, /https:\/\/evil/, text);
      assert.doesNotMatch(text, /discord\.gg\/abc/, text);
      assert.doesNotMatch(text, /(?<!\\)\[a/, text);
    }
    const pinged = rig.emulated.traffic.filter(({ body }) =>
      JSON.stringify(body ?? "").includes('"parse":["'),
    );
    assert.deepEqual(pinged, []);
  });
});
