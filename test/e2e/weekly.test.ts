import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import type { Channel, Message } from "../../src/sandbox/discord/types.ts";
import { assertNoKeySeen, assertWellBehaved } from "./checks.ts";
import { reads, textOf } from "./read.ts";
import { E2eRig } from "./rig.ts";

/** A Monday, ten minutes before summaries are posted. */
const START_MS = Date.UTC(2027, 2, 1, 8, 50);
const NINE_MS = Date.UTC(2027, 2, 1, 9);
const HOUR_S = 3_600;
/** The board looks for the first time a minute after it started. */
const FIRST_LOOK_MS = 65_000;
const WEEK_HOURS = 7 * 24;

describe("the weekly summary, over restarts", () => {
  let rig: E2eRig;
  let channel: Channel;

  before(async () => {
    rig = await E2eRig.start({ startMs: START_MS, leaps: true });
    await rig.link();
    await rig.polled("Players", "JoinLogs");
    channel = rig.home.guild.addChannel({ name: "weekly" });
  });
  after(() => rig.close());

  const path = (name: string) => join(dirname(rig.storePath), name);

  /** Last week and the one before, as if Marshal had been there: full evenings, staff until eleven. */
  function writePast(): void {
    const database = new DatabaseSync(path("history.sqlite"));
    const firstS = NINE_MS / 1_000 - 9 * HOUR_S - 2 * WEEK_HOURS * HOUR_S;
    database.prepare("update scopes set start_s = ?").run(firstS);
    const insert = database.prepare(
      "insert into counts (scope, at_s, players, staff, queue) select id, ?, ?, ?, 0 from scopes",
    );
    for (let quarter = 0; quarter < 2 * WEEK_HOURS * 4; quarter += 1) {
      const hour = Math.floor(quarter / 4) % 24;
      const isLastWeek = quarter >= WEEK_HOURS * 4;
      const players = hour >= 17 ? (isLastWeek ? 20 : 10) : 0;
      insert.run(firstS + quarter * 900, players, players > 0 && hour < 23 ? 2 : 0);
    }
    database.close();
  }

  const WHERE = "where namespace = 'weekly-summaries'";

  function storedRecord(): string {
    const database = new DatabaseSync(rig.storePath);
    const value = database.prepare(`select value from documents ${WHERE}`).get()?.value;
    database.close();
    return String(value);
  }

  const doneUntilS = () => /"doneUntilS":(\d+)/.exec(storedRecord())?.[1];

  /** As if the summary of last week were still to come. */
  function forgetWeek(): void {
    const value = storedRecord();
    const text = value.replace(/"doneUntilS":(\d+)/, (_, atS) => `"doneUntilS":${Number(atS) - 7 * 86_400}`);
    assert.notEqual(text, value);
    const database = new DatabaseSync(rig.storePath);
    database.prepare(`update documents set value = ? ${WHERE}`).run(text);
    database.close();
  }

  const summaries = (of = channel): readonly Message[] =>
    rig.discord.messages(of).filter((message) => textOf(message).includes("Week of"));

  test("is set by who may manage the Discord server, and says when the next one comes", async () => {
    const { owner, moderator, general } = rig.home;
    await reads(
      await moderator.slash(general, "stats weekly", { channel }),
      /Only people with Manage Server/,
    );
    await reads(await owner.slash(general, "stats weekly"), /Weekly summaries are off/);
    await reads(
      await owner.slash(general, "stats weekly", { channel }),
      new RegExp(`on Mondays at 9:00 \\(.+\\). Next: <t:${NINE_MS / 1_000}:f>`),
    );
    await reads(await owner.slash(general, "stats weekly"), new RegExp(`are posted in <#${channel.id}>`));
  });

  test("missed because the bot was down it comes late, with its week, pictures and what changed, and once", async () => {
    await rig.stop();
    writePast();
    rig.clock.jump(NINE_MS + 120_000 - rig.clock.nowMs());
    await rig.startBot();
    const message = await rig.posted(channel, "Week of 22 to 28 February");
    const text = textOf(message);
    assert.match(text, /On average \*\*5\.8\*\* \(▲\s2\.9\smore\), at most \*\*20\*\*/);
    assert.match(text, /Players without staff: \*\*7 h\*\*/);
    assert.match(text, /Players and no staff:\n○ \*\*\w+ 23:00–24:00\*\* 1 h, 20\splayers/);
    const pictures = message.embeds.flatMap(({ image }) => image ?? []);
    assert.equal(pictures.length, 2);
    for (const { url, description } of pictures) {
      const answer = await fetch(url);
      assert.equal(answer.headers.get("content-type"), "image/png");
      assert.ok((description ?? "").length > 40);
    }
    assert.deepEqual(message.pings, { users: [], roles: [], everyone: false });
    await rig.restart();
    await rig.clock.sleep(FIRST_LOOK_MS);
    assert.equal(summaries().length, 1);
  });

  test("a channel that takes nothing is told once, also over a restart; what is turned off stays off", async () => {
    const { owner, general, guild } = rig.home;
    const notices = guild.addChannel({ name: "notices" });
    await reads(await owner.slash(general, "setup notices", { channel: notices }), /Notices are posted in/);
    channel.denyBot("SendMessages");
    const said = () =>
      rig.discord.messages(notices).filter((message) => textOf(message).includes("weekly summary could not"));
    for (let time = 0; time < 2; time += 1) {
      await rig.stop();
      const done = doneUntilS();
      forgetWeek();
      await rig.startBot();
      await rig.posted(notices, "weekly summary could not be posted");
      await rig.until("the week is over for the bot", () => doneUntilS() === done);
    }
    assert.equal(said().length, 1);
    channel.allowBot("SendMessages");
    await reads(await owner.slash(general, "stats weekly", { off: true }), /Weekly summaries are off/);
    await rig.restart();
    await rig.clock.sleep(FIRST_LOOK_MS);
    assert.equal(summaries().length, 1);
  });

  test("nothing was logged as an error, no key was seen, the service was asked well", async () => {
    await assertNoKeySeen(rig);
    assertWellBehaved(rig);
  });
});
