import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Failure } from "../../src/domain/failure.ts";
import type { KnownPlayer } from "../../src/domain/history.ts";
import { reads } from "../e2e/read.ts";
import { type RunCommandsRig, startRunCommandsRig } from "../support/run-commands-rig.ts";
import { runRecord } from "../support/run-record.ts";

test("/staff gives tiers and verbs, explains, protects, and every change is in the audit", async (t) => {
  const rig = await startRunCommandsRig(t);
  const helpers = rig.guild.addRole({ name: "Helpers" });
  const jo = rig.member.member;
  jo.addRole(helpers);
  const say = async (line: string, options: Parameters<typeof rig.owner.slash>[2], wanted: RegExp) =>
    rig.reads(await rig.owner.slash(rig.channel, line, options), wanted);

  await say(
    "staff check",
    { person: jo, command: ":kick Alice" },
    /They can't run this[\s\S]*Current tier\\?: none/,
  );
  await say("staff allow", { role: helpers, tier: "moderator" }, /has the tier \*\*Moderator/);
  await say(
    "staff check",
    { person: jo, command: ":kick Alice" },
    /✅ They can run this[\s\S]*Current tier\\?: Moderator/,
  );
  await say("staff deny", { role: helpers, verb: "kick" }, /can.t run/);
  await say("staff check", { person: jo, command: "kick Alice" }, /They can't run this[\s\S]*can't run/);
  await say("staff allow", { role: helpers, verb: "ban" }, /whatever its tier/);
  await say("staff check", { person: jo, command: ":ban Alice" }, /✅ They can run this[\s\S]*can run/);
  await say("staff check", { person: jo, command: ":ban 1" }, /They can't run this[\s\S]*Owner in the game/);
  await say(
    "staff protect",
    { player: "alice" },
    /\*\*Alice\*\* is protected[\s\S]*This also holds after a name change/,
  );
  await say("staff check", { person: jo, command: ":ban 11" }, /They can't run this[\s\S]*is protected/);
  await say("staff check", { person: jo, command: ":ban Ali" }, /They can't run this[\s\S]*is protected/);
  const listed = await say("staff list", {}, /Staff of/);
  for (const part of [`<@&${helpers.id}>`, ":kick", ":ban", "Alice"]) assert.ok(listed.includes(part), part);
  await say("staff protect", { player: "Alice", remove: true }, /no longer protected/);
  await say(
    "staff protect",
    { player: "Stranger" },
    /⚠ Marshal doesn't know their id yet\. Protect that too\.(?!\s*Did you mean)/,
  );
  await say(
    "staff protect",
    { player: "Alcie" },
    /doesn't know their id yet[\s\S]*Did you mean \*\*Alice\*\*\?/,
  );
  // After a restart only the history knows who is there; a name that somebody had once protects nobody else.
  const seen = { firstSeenS: 0, lastSeenS: 0 };
  const people: readonly KnownPlayer[] = [
    { ...seen, playerId: 4_900_001, name: "Zelda", earlierNames: ["Yorick"] },
  ];
  const { history } = rig.world.services;
  t.mock.method(history.players, "find", async (_: string, typed: string) =>
    people.filter(({ name, earlierNames }) => [name, ...earlierNames].includes(typed)),
  );
  await say("staff protect", { player: "Zelda" }, /\*\*Zelda\*\* is protected[\s\S]*after a name change/);
  await say("staff protect", { player: "Zelda", remove: true }, /no longer protected/);
  await say(
    "staff protect",
    { player: "Yorick" },
    /\*\*Yorick\*\* is protected[\s\S]*doesn't know their id[\s\S]*Did you mean \*\*Zelda\*\*\?/,
  );
  await say("staff protect", { player: "Yorick", remove: true }, /no longer protected/);
  // An id is no beginning of a name, and has no near ones.
  await say(
    "staff protect",
    { player: "9" },
    /doesn't know their name yet\. Protect that too\.(?!\s*Did you mean)/,
  );
  await say("staff deny", { role: helpers }, /no longer has a tier or extra/);
  await say("staff check", { person: jo, command: ":ban Alice" }, /They can't run this/);
  await say("staff allow", { role: rig.guild.everyone, tier: "manager" }, /Everyone can't be staff/);
  await say("staff allow", { role: helpers }, /Give a tier, such as Moderator, or a verb, such as kick/);
  await say("staff allow", { role: helpers, tier: "viewer", verb: "kick" }, /a tier or a verb, not both/);
  assert.deepEqual(
    rig.runs.audit.eventRows.map(({ action }) => action),
    [
      "staff-allow",
      "staff-deny",
      "staff-allow",
      "staff-protect",
      "staff-unprotect",
      "staff-protect",
      "staff-protect",
      ...["staff-protect", "staff-unprotect", "staff-protect", "staff-unprotect"],
      "staff-protect",
      "staff-deny",
    ],
  );
});

test("/staff says what a slip of the keys was meant to be, and allows it all the same", async (t) => {
  const rig = await startRunCommandsRig(t);
  const helpers = rig.guild.addRole({ name: "Helpers" });
  const jo = rig.member.member;
  jo.addRole(helpers);
  const say = async (line: string, options: Parameters<typeof rig.owner.slash>[2], wanted: RegExp) =>
    rig.reads(await rig.owner.slash(rig.channel, line, options), wanted);
  const slip = await say(
    "staff check",
    { person: jo, command: ":wether rain" },
    /There is no \\?:wether\.\nDid you mean `:weather rain`\?/,
  );
  assert.doesNotMatch(slip, /may not|They can't/);
  await say(
    "staff check",
    { person: jo, command: ":hlep" },
    /There is no \\?:hlep\.\nDid you mean \\?:help\? It works/,
  );
  await say(
    "staff check",
    { person: rig.manager.member, command: ":wether rain" },
    /They can run this[\s\S]*Marshal doesn't know \\?:wether\.[\s\S]*\nDid you mean `:weather rain`\?/,
  );
  await say(
    "staff allow",
    { role: helpers, verb: "banana" },
    /✅ [\s\S]*`:banana`[^\n]*\n⚠ Marshal doesn't know `:banana`\. The game may not either\.$/m,
  );
  await say(
    "staff deny",
    { role: helpers, verb: "kcik" },
    /✅ [\s\S]*`:kcik`[\s\S]*\n⚠ Marshal doesn't know `:kcik`\. The game may not either\.\nDid you mean `:kick`\?/,
  );
  const known = await say("staff allow", { role: helpers, verb: "kick" }, /whatever its tier/);
  assert.doesNotMatch(known, /doesn't know/);
  await say("staff check", { person: jo, command: ":banana" }, /They can run this/);
});

test("/staff deny is not for @everyone, a role that no member is told to have: nobody reads a denial that denies nobody", async (t) => {
  const rig = await startRunCommandsRig(t);
  const say = async (options: Parameters<typeof rig.owner.slash>[2], wanted: RegExp) =>
    rig.reads(await rig.owner.slash(rig.channel, "staff deny", options), wanted);
  await say({ role: rig.guild.everyone, verb: "kick" }, /Everyone can't be denied a command\n+Choose a role/);
  await say({ role: rig.guild.everyone, verb: "calls" }, /Everyone can't be denied a command/);
  assert.deepEqual(rig.runs.audit.eventRows, []);
});

test("/staff protect with remove: says so only of who was protected, and then they are by neither name nor id", async (t) => {
  const rig = await startRunCommandsRig(t);
  const say = async (line: string, options: Parameters<typeof rig.owner.slash>[2], wanted: RegExp) =>
    rig.reads(await rig.owner.slash(rig.channel, line, options), wanted);
  const { players } = rig.runs;
  rig.runs.players = [];
  // Nobody was there to tell that these two are one.
  await say("staff protect", { player: "11" }, /doesn't know their name yet\. Protect that too/);
  await say("staff protect", { player: "Alice" }, /\*\*Alice\*\* is protected/);
  await say("staff protect", { player: "Alcie", remove: true }, /Alcie is not protected/);
  rig.runs.players = players;
  await say("staff protect", { player: "Alice", remove: true }, /\*\*Alice\*\* is no longer protected/);
  const check = { person: rig.manager.member, command: ":kick Alice" };
  await say("staff check", check, /✅ They can run this/);
  assert.deepEqual(
    rig.runs.audit.eventRows.map(({ action }) => action),
    ["staff-protect", "staff-protect", "staff-unprotect"],
  );
});

test("/staff and /audit are for holders of Manage Guild", async (t) => {
  const rig = await startRunCommandsRig(t);
  await assert.rejects(rig.manager.slash(rig.channel, "staff list"));
  await assert.rejects(rig.manager.slash(rig.channel, "audit search"));
});

test("/audit searches, exports without formulas, mirrors, and keeps rows for the chosen days", async (t) => {
  const rig = await startRunCommandsRig(t);
  await rig.reads(await rig.mod.slash(rig.channel, "run command", { text: ":h one" }), /It ran/);
  rig.runs.answering = async () => '=HYPERLINK("http://e.vil")';
  await rig.runs.clock.advance(6_000);
  await rig.reads(await rig.mod.slash(rig.channel, "run command", { text: ":pm Alice hi" }), /It ran/);

  const found = await rig.reads(await rig.owner.slash(rig.channel, "audit search"), /:h one/);
  assert.match(found, /:pm Alice hi/);
  const verb = await rig.reads(
    await rig.owner.slash(rig.channel, "audit search", { verb: "m" }),
    /Nothing found/,
  );
  assert.doesNotMatch(verb, /:h one/);

  const csv = await rig.owner.slash(rig.channel, "audit export", { format: "csv" });
  await rig.reads(csv, /2 commands/);
  const file = new TextDecoder().decode(csv.message?.attachments[0]?.bytes);
  assert.match(file, /"'=HYPERLINK\(""http/);
  assert.equal(file.trim().split("\r\n").length, 3);
  const json = await rig.owner.slash(rig.channel, "audit export", { format: "json" });
  await rig.reads(json, /2 commands, \d+ setting changes?\./);
  const data: unknown = JSON.parse(new TextDecoder().decode(json.message?.attachments[0]?.bytes));
  assert.ok(typeof data === "object" && data !== null && "runs" in data && Array.isArray(data.runs));
  assert.equal(data.runs.length, 2);

  const mirror = rig.guild.addChannel({ name: "audit" });
  await rig.reads(await rig.owner.slash(rig.channel, "audit channel", { channel: mirror }), /is posted in/);
  await rig.runs.clock.advance(6_000);
  await rig.reads(await rig.mod.slash(rig.channel, "run command", { text: ":h mirrored" }), /It ran/);
  for (let turn = 0; turn < 200 && rig.emulated.messages(mirror).length < 2; turn++) {
    await rig.runs.clock.advance(5);
  }
  const lines = rig.emulated.messages(mirror).map(({ content }) => content);
  assert.match(lines[0] ?? "", /set the audit channel/);
  assert.match(lines[1] ?? "", /✅ ran.*:h mirrored/);
  await rig.reads(await rig.owner.slash(rig.channel, "audit channel"), /is posted in <#/);
  await rig.reads(await rig.owner.slash(rig.channel, "audit channel", { off: true }), /Audit posts are off/);

  await rig.reads(await rig.owner.slash(rig.channel, "audit retention", { days: 30 }), /30 days/);
  assert.equal((await rig.runs.settings.of(rig.guild.id)).auditRetentionDays, 30);
});

/** Rows that are already in the audit, of about `textBytes` each; `vary` makes them hard to compress. */
function keepRows(
  rig: RunCommandsRig,
  count: number,
  { textBytes, vary }: { textBytes: number; vary: boolean },
): void {
  for (let n = 0; n < count; n += 1) {
    const id = `row-${n}`;
    const noise = vary ? randomBytes((textBytes * 3) / 4).toString("base64") : "x".repeat(textBytes);
    rig.runs.audit.rows.set(
      id,
      runRecord({
        id,
        guildId: rig.guild.id,
        bindingId: rig.binding.id,
        source: rig.binding.source,
        serverName: "Liberty County",
        actorId: "1",
        text: `:h ${noise}`,
        askedAtMs: n,
        channelId: "1",
        proof: "seen",
      }),
    );
  }
}

test("/audit search says how many of those that it found it does not show, and only that where nobody counted them", async (t) => {
  const rig = await startRunCommandsRig(t);
  keepRows(rig, 25, { textBytes: 9, vary: false });
  for (let n = 0; n < 8; n += 1) {
    const event = { id: `e${n}`, guildId: rig.guild.id, atMs: 100 + n, actorId: "1", actorName: "Mo" };
    await rig.runs.audit.event({ ...event, action: "feed-add", text: "Joins" });
  }
  const search = async () => await rig.reads(await rig.owner.slash(rig.channel, "audit search"), /Audit/);
  assert.match(await search(), /and 3 more; narrow the search or export it/);
  keepRows(rig, 31, { textBytes: 9, vary: false });
  assert.match(await search(), /\n-# and more; narrow the search or export it/);
});

const rowsIn = (file: Uint8Array) => new TextDecoder().decode(file).trim().split("\r\n").length - 1;

// The clock stands still while a large file is made: moved as fast as it goes, it would pass the quarter of an hour in which
// Discord takes the answer.
test("an export that is too large for Discord is compressed, and says so", async (t) => {
  const rig = await startRunCommandsRig(t);
  keepRows(rig, 4_000, { textBytes: 3_000, vary: false });
  const csv = await rig.owner.slash(rig.channel, "audit export", { format: "csv" });
  const said = await reads(csv, /4000 commands/);
  assert.match(said, /gzipped, because Discord refuses a file of 12\.\d MB/);
  assert.doesNotMatch(said, /narrow/);
  const file = csv.message?.attachments[0];
  assert.equal(file?.filename, "audit.csv.gz");
  assert.equal(rowsIn(gunzipSync(file?.bytes ?? "")), 4_000);
});

test("an export that is too large even then holds the newest, and says so", async (t) => {
  const rig = await startRunCommandsRig(t);
  keepRows(rig, 4_000, { textBytes: 4_000, vary: true });
  const csv = await rig.owner.slash(rig.channel, "audit export", { format: "csv" });
  const said = await reads(csv, /\d commands/);
  assert.match(said, /These are the newest\. Filter/);
  const file = csv.message?.attachments[0];
  assert.ok((file?.bytes.length ?? 0) < 10 * 1024 * 1024);
  const kept = rowsIn(gunzipSync(file?.bytes ?? ""));
  assert.ok(kept > 2_000 && kept < 4_000, String(kept));
  assert.match(said, new RegExp(`${kept} commands`));
});

test("an export stops at ten thousand commands, and says so", async (t) => {
  const rig = await startRunCommandsRig(t);
  keepRows(rig, 10_500, { textBytes: 10, vary: false });
  const json = await rig.owner.slash(rig.channel, "audit export", { format: "json" });
  await reads(json, /10000 commands\. These are the newest/);
  const data: unknown = JSON.parse(new TextDecoder().decode(json.message?.attachments[0]?.bytes));
  assert.ok(typeof data === "object" && data !== null && "runs" in data && Array.isArray(data.runs));
  assert.equal(data.runs.length, 10_000);
});

test("an export of more setting changes than a file takes has the newest, and says so", async (t) => {
  const rig = await startRunCommandsRig(t);
  for (let n = 0; n < 2_003; n += 1) {
    const event = { id: `e${n}`, guildId: rig.guild.id, atMs: n };
    await rig.runs.audit.event({ ...event, actorId: "1", actorName: "A", action: "feed-add", text: `${n}` });
  }
  const json = await rig.owner.slash(rig.channel, "audit export", { format: "json" });
  await reads(
    json,
    /0 commands, 2000 setting changes\. Only the newest 2000 setting changes are in it\. Filter by person or days/,
  );
  const data = JSON.parse(new TextDecoder().decode(json.message?.attachments[0]?.bytes)) as {
    readonly events: readonly { readonly text: string }[];
  };
  assert.deepEqual([data.events.length, data.events[0]?.text], [2_000, "2002"]);
});

test("a search for denied commands shows how many more there were than are listed", async (t) => {
  const rig = await startRunCommandsRig(t);
  for (let n = 0; n < 9; n += 1) {
    await rig.reads(await rig.member.slash(rig.channel, "run command", { text: ":h two" }), /Only \w+ can/);
  }
  await rig.runs.clock.advance(60_000);
  const denied = { outcome: "denied" };
  const found = await rig.reads(await rig.owner.slash(rig.channel, "audit search", denied), /denied/);
  assert.equal(found.match(/🚫 denied/g)?.length, 5);
  assert.match(found, /was refused: 4 more times within a minute/);
});

test("a search that ended before it had looked at everything says so, and how to narrow it", async (t) => {
  const rig = await startRunCommandsRig(t);
  rig.runs.audit.search = async () => ({ rows: [], stoppedAt: "somewhere" });
  const search = await rig.owner.slash(rig.channel, "audit search", { text: "rare" });
  await rig.reads(
    search,
    /Nothing found in the newest entries only[\s\S]*Filter by person, verb, server or days/,
  );
  const history = await rig.mod.slash(rig.channel, "run history");
  await rig.reads(history, /Nothing found in the newest entries only/);
  // However often it stops, an export asks again a bounded number of times, and says that it is not all.
  let searches = 0;
  rig.runs.audit.search = async () => {
    searches += 1;
    return { rows: [], stoppedAt: "somewhere" };
  };
  const csv = await rig.owner.slash(rig.channel, "audit export", { format: "csv" });
  await rig.reads(csv, /0 commands\. These are the newest\. Filter/);
  assert.equal(searches, 10);
});

test("a guild that searches without pause has to wait", async (t) => {
  const rig = await startRunCommandsRig(t);
  rig.runs.audit.search = async () => {
    throw new Failure("busy", "Another search of this community's audit is still running.");
  };
  const search = await rig.owner.slash(rig.channel, "audit search");
  await rig.reads(search, /Too many requests at once[\s\S]*Try again in a moment/);
});
