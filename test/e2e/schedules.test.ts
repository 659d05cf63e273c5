import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Exchange, Person, Role, Value } from "../../src/sandbox/discord/types.ts";
import { assertFitsDescription, assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { reads } from "./read.ts";
import { E2eRig } from "./rig.ts";

describe("schedules, of the whole bot and over its restarts", () => {
  let rig: E2eRig;
  let managerRole: Role;
  let manager: Person;
  before(async () => {
    // A minute passes in two seconds: schedules have no shorter steps.
    rig = await E2eRig.start({ speed: 30 });
    const { guild, owner, general } = rig.home;
    managerRole = guild.addRole({ name: "Managers" });
    manager = rig.discord.as(guild.addMember({ name: "Ma", roles: [managerRole] }));
    await rig.link();
    const allowed = await owner.slash(general, "staff allow", { role: managerRole, tier: "manager" });
    await reads(allowed, /Manager/);
  });
  after(() => rig.close());

  const schedule = (line: string, options: Readonly<Record<string, Value>> = {}): Promise<Exchange> =>
    manager.slash(rig.home.general, `schedule ${line}`, options);
  const list = async (wanted: RegExp) => reads(await schedule("list"), wanted);
  const executions = (text: string) => rig.service.counts.executionsByText.get(text) ?? 0;
  /** The clock time of the first full minute that is at least this far ahead, in UTC. */
  const ahead = (ms: number) => {
    const atMs = Math.ceil((rig.clock.nowMs() + ms) / 60_000) * 60_000;
    return { atMs, time: new Date(atMs).toISOString().slice(11, 16) };
  };
  /** Asks for the list until it reads so. */
  async function listed(wanted: RegExp): Promise<string> {
    for (let turn = 0; turn < 60; turn += 1) {
      const exchange = await schedule("list");
      const text = await reads(exchange, /Schedules/);
      if (wanted.test(text)) return text;
      await rig.clock.sleep(5_000);
    }
    throw new Error(`the list never read ${wanted}: ${(await schedule("list")).text}`);
  }

  test("an announcement stands in the game at its minute, once, and in the audit as a schedule's", async () => {
    const { time, atMs } = ahead(60_000);
    await reads(
      await schedule("add", { what: ":h Welcome to Riverside", when: time }),
      /Next: \w{3} \d{1,2} \w{3}, \d\d:\d\d \(<t:\d+:R>\)/,
    );
    await rig.until("the announcement in the game", () => executions(":h Welcome to Riverside") === 1);
    assert.ok(rig.clock.nowMs() >= atMs && rig.clock.nowMs() < atMs + 60_000);
    assert.ok(rig.town.record.messages.some(({ text }) => text === "Welcome to Riverside"));
    const text = await listed(/✅ ran/);
    assert.match(text, new RegExp(`daily at ${time.replace(":", "..?")}`));
    const { owner, general } = rig.home;
    const audit = await owner.slash(general, "audit search", { text: "Welcome to Riverside" });
    await reads(audit, /✅ ran[^\n]*by schedule/);
  });

  test("what ran by itself is no command of its owner in the figures of staff", async () => {
    const { general } = rig.home;
    const typed = await manager.slash(general, "run command", { text: ":h By hand" });
    await reads(typed, /It ran/);
    // The figures end with the last full minute.
    await rig.clock.sleep(65_000);
    const text = await reads(
      await manager.slash(general, "stats staff", { member: manager.member }),
      /Commands/,
    );
    assert.match(text, /Through Marshal: \*\*1\*\*/);
  });

  test("after a restart it is still there, and a new one runs", async () => {
    // On a slow machine a restart takes its time, and what was due meanwhile would be left out.
    const { time } = ahead(180_000);
    await reads(await schedule("add", { what: ":m After the restart", when: time }), /Next:/);
    await rig.restart();
    await rig.until("the message in the game", () => executions(":m After the restart") === 1);
    await listed(/:m After the restart[\s\S]*✅ ran/);
    assert.equal(executions(":h Welcome to Riverside"), 1);
  });

  test("what is due while the bot is down is left out and said", async () => {
    const { time, atMs } = ahead(60_000);
    await reads(await schedule("add", { what: ":h While it was down", when: time }), /Next:/);
    await rig.stop();
    await rig.clock.sleep(Math.max(0, atMs + 10_000 - rig.clock.nowMs()));
    await rig.startBot();
    await listed(/While it was down[\s\S]*skipped[^\n]*Marshal was not running then/);
    assert.equal(executions(":h While it was down"), 0);
  });

  test("only for players, and there are none: no command is sent, and the list says why", async () => {
    for (const { name } of [...rig.town.players]) rig.town.leave(name);
    const { commands } = rig.service.counts;
    // What was read less than a minute before may still show them.
    const { time } = ahead(70_000);
    await reads(
      await schedule("add", { what: ":h Anyone", when: time, players: true }),
      /Only while players/,
    );
    await listed(/:h Anyone[\s\S]*skipped[^\n]*Nobody was in the server/);
    assert.equal(rig.service.counts.commands, commands);
  });

  test("its owner is a Manager no more: it ends, and the notice channel reads it once", async () => {
    const { guild, owner, general } = rig.home;
    const notices = guild.addChannel({ name: "notices" });
    await reads(await owner.slash(general, "setup notices", { channel: notices }), /Notices are posted in/);
    const { time } = ahead(20_000);
    await reads(await schedule("add", { what: ":h The last one", when: time }), /Next:/);
    manager.member.removeRole(managerRole);
    await rig.posted(notices, "schedules have ended", ":h The last one", ":h Welcome to Riverside");
    assert.equal(executions(":h The last one"), 0);
    manager.member.addRole(managerRole);
    await list(/No schedules yet/);
    assert.equal(rig.discord.messages(notices).length, 1);
  });

  test("each ran once, no key was seen, and nothing was logged as an error", async () => {
    assert.deepEqual(
      [...rig.service.counts.executionsByText].filter(([, times]) => times !== 1),
      [],
    );
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });

  test("everything that was sent to Discord fits its description", (t) => assertFitsDescription(rig, t));
});
