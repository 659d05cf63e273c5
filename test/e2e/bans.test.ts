import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Exchange, Person, Value } from "../../src/sandbox/discord/types.ts";
import { assertFitsDescription, assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { answerOf, labelsOf, press, reads } from "./read.ts";
import { E2eRig } from "./rig.ts";
import { PLAIN } from "./sweep-town.ts";

describe("bans that end, of the whole bot and over a restart", () => {
  let rig: E2eRig;
  let manager: Person;
  before(async () => {
    rig = await E2eRig.start({ speed: 30 });
    const { guild, owner, general } = rig.home;
    const role = guild.addRole({ name: "Managers" });
    manager = rig.discord.as(guild.addMember({ name: "Ma", roles: [role] }));
    await rig.link();
    await reads(await owner.slash(general, "staff allow", { role, tier: "manager" }), /Manager/);
    const notices = guild.addChannel({ name: "notices" });
    await reads(await owner.slash(general, "setup notices", { channel: notices }), /Notices are posted in/);
    rig.town.join(PLAIN, 8_000_000_000);
    await rig.polled("Players");
  });
  after(() => rig.close());

  const run = (options: Readonly<Record<string, Value>>): Promise<Exchange> =>
    manager.slash(rig.home.general, "run command", options);
  const list = () => manager.slash(rig.home.general, "run bans");
  const executions = (text: string) => rig.service.counts.executionsByText.get(text) ?? 0;
  /** Asks for the list until it reads so. */
  async function listed(wanted: RegExp): Promise<void> {
    for (let turn = 0; turn < 60; turn += 1) {
      if (wanted.test(await reads(await list(), /Bans that end/))) return;
      await rig.clock.sleep(5_000);
    }
    throw new Error(`the list never read ${wanted}`);
  }
  const ban = async (lasts: string, reason: string) => {
    const asked = await run({ text: `:ban ${PLAIN} ${reason}`, for: lasts });
    await reads(asked, /after it is sent/);
    return await press(manager, asked, "Send it");
  };

  /** The first of those that the list's menu opens. */
  function firstOf(opened: Exchange): string {
    const parts = answerOf(opened).components.flatMap((row) => row.components ?? []);
    return parts.find(({ custom_id: id }) => id === "run-ban")?.options?.[0]?.value ?? "";
  }

  test("the ban is sent with the player's id, the answer and the list say when it ends; then it is lifted, once", async () => {
    const answer = await ban("3 min", "spam");
    await reads(answer, /It ran[\s\S]*Ends:\*\* <t:\d+:f>/);
    assert.equal(executions(":ban 8000000000 spam"), 1);
    assert.match(await reads(await list(), /Bans that end/), /Plain.*ends <t:\d+:R>/);
    await rig.restart();
    await rig.until("the un-ban in the game", () => executions(":unban 8000000000") === 1);
    await listed(/No ban ends by itself/);
    const { owner, general } = rig.home;
    const audit = await owner.slash(general, "audit search", { text: ":unban" });
    await reads(audit, /✅ ran[^\n]*end of a ban/);
  });

  test("a ban without an answer ends nothing until a Manager says so, from the notice", async () => {
    rig.town.join(PLAIN, 8_000_000_000);
    await rig.polled("Players");
    rig.service.faults.next({ only: "commands", command500: 1, command500Executed: 1 });
    await reads(await ban("1 h", "again"), /Its end is not set/);
    const notice = await rig.posted(rig.home.guild.channel("notices"), "no longer ends by itself");
    assert.deepEqual(labelsOf(notice), ["Bans that end"]);
    const opened = await manager.click(notice, "Bans that end");
    await reads(opened, /a Manager decides/);
    const card = await manager.select(answerOf(opened), "run-ban", [firstOf(opened)]);
    await reads(card, /Ban of/);
    await reads(await press(manager, card, "Let it end"), /ends <t:\d+:R>/);
    await reads(await press(manager, card, "Unban now"), /It ran/);
    await listed(/No ban ends by itself/);
  });

  test("its end can be removed, and what runs by itself be paused, by one press each", async () => {
    rig.town.join(PLAIN, 8_000_000_000);
    await rig.polled("Players");
    await reads(await ban("2 min", "once more"), /Ends:/);
    const { general } = rig.home;
    const queue = await manager.slash(general, "run queue");
    await reads(queue, /Automatic: 1 ban that ends\. Set by <@\d+>/);
    await reads(
      await press(manager, queue, "Pause automatic commands"),
      /no schedule runs, no ban ends by itself/,
    );
    const unbans = executions(":unban 8000000000");
    await rig.clock.sleep(4 * 60_000);
    await listed(/waits: Automatic commands are paused/);
    assert.equal(executions(":unban 8000000000"), unbans);
    const opened = await list();
    await reads(opened, /Bans that end/);
    const card = await manager.select(answerOf(opened), "run-ban", [firstOf(opened)]);
    await reads(card, /Ban of/);
    await reads(await press(manager, card, "Bans that end"), /Bans that end/);
    const again = await manager.select(answerOf(card), "run-ban", [firstOf(card)]);
    await reads(again, /Ban of/);
    await reads(await press(manager, again, "Keep banned"), /stays banned/);
    await listed(/No ban ends by itself/);
    const paused = await manager.slash(general, "run queue");
    await reads(paused, /<@\d+> paused automatic commands/);
    await reads(await press(manager, paused, "Resume automatic commands"), /run again/);
  });

  test("a Moderator asks for a ban, and somebody else approves it by one press", async () => {
    rig.town.join(PLAIN, 8_000_000_000);
    await rig.polled("Players");
    const { general, moderator } = rig.home;
    const ask = { player: PLAIN, reason: "asked" };
    const first = await moderator.slash(general, "case ask", ask);
    await reads(first, /Not sent yet[\s\S]*but not the person who asked/);
    await reads(
      await press(moderator, first, "Approve the ban"),
      /You asked for this ban, so somebody else has to approve it/,
    );
    await reads(await press(moderator, first, "Refuse"), /was refused/);
    const shown = await moderator.slash(general, "player show", { player: PLAIN });
    await reads(shown, /Plain/);
    const { modal } = await press(moderator, shown, "Ask for a ban");
    assert.ok(modal !== undefined);
    const again = await moderator.submit(modal, { [modal.fields[0]?.customId ?? ""]: "asked" });
    await reads(again, /Not sent yet/);
    assert.equal(answerOf(again).ephemeralFor, undefined);
    const opened = await list();
    await reads(opened, /Ban requests/);
    const parts = answerOf(opened).components.flatMap((row) => row.components ?? []);
    const id = parts.find((part) => part.custom_id === "case-ban-open")?.options?.[0]?.value ?? "";
    const card = await manager.select(answerOf(opened), "case-ban-open", [id]);
    await reads(card, /Ban request/);
    await reads(await press(manager, card, "Approve the ban"), /It ran/);
    assert.equal(executions(":ban 8000000000 asked"), 1);
  });

  test("no key was seen, and nothing was logged as an error", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });

  test("everything that was sent to Discord fits its description", (t) => assertFitsDescription(rig, t));
});
