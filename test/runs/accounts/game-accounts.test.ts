import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../../src/domain/failure.ts";
import type { CommandEntry, SourceId } from "../../../src/domain/model.ts";
import { settle } from "../../support/clock.ts";
import { binding, RunsRig, sourceId } from "../../support/runs-rig.ts";

const MINUTE_MS = 60_000;

function row(rig: RunsRig, name: string, id: number | undefined, text: string, agoS = 0): CommandEntry {
  const atS = Math.floor(rig.clock.nowMs() / 1_000) - agoS;
  return { kind: "command", atS, player: { name, ...(id === undefined ? {} : { id }) }, text };
}

async function seen(rig: RunsRig, ...rows: CommandEntry[]): Promise<void> {
  await rig.journal.take(rig.snapshot(rows));
}

const rejects = (work: Promise<unknown>, words: RegExp) =>
  assert.rejects(work, (error) => error instanceof Failure && words.test(error.message));

describe("linking a game account by a code", () => {
  test("the account that types the code is linked, whatever its row looks like otherwise", async () => {
    const rig = new RunsRig();
    const mo = rig.actor("mod");
    const { code, outcome } = await rig.runs.accounts.begin(mo, binding);
    assert.match(code, /^\d{6}$/);
    await seen(rig, row(rig, "Alice", 11, `:LOG  marshal ${code} hi`), row(rig, "Bob", 12, ":log marshal 1"));
    const ended = await outcome;
    assert.equal(ended.kind, "linked");
    const account = await rig.runs.accounts.of("g1", mo.userId);
    assert.deepEqual(account?.player, { name: "Alice", id: 11 });
    assert.deepEqual(await rig.runs.accounts.ofPlayer("g1", 11), account);
    const [event] = rig.audit.eventRows;
    assert.deepEqual([event?.action, event?.text], ["account-link", "<@u-mod> Alice"]);
  });

  test("the log is read for at most ten minutes, and no longer than somebody waits", async () => {
    const rig = new RunsRig();
    const { outcome } = await rig.runs.accounts.begin(rig.actor("mod"), binding);
    const [demand] = rig.demandsPut.get("runs-accounts:g1:b1") ?? [];
    assert.deepEqual(
      [demand?.source, demand?.lists, demand?.maxAgeMs, demand?.untilMs],
      [sourceId, ["commandLogs"], 5_000, rig.clock.nowMs() + 10 * MINUTE_MS],
    );
    await rig.clock.advance(10 * MINUTE_MS);
    assert.deepEqual(await outcome, { kind: "expired" });
    assert.equal(rig.demandsPut.size, 0);
  });

  test("a code that has expired, an older row and Remote Server link nobody", async () => {
    const rig = new RunsRig();
    const mo = rig.actor("mod");
    const first = await rig.runs.accounts.begin(mo, binding);
    await rig.clock.advance(10 * MINUTE_MS);
    await seen(rig, row(rig, "Alice", 11, `:log marshal ${first.code}`));
    const { code } = await rig.runs.accounts.begin(mo, binding);
    await seen(
      rig,
      row(rig, "Alice", 11, `:log marshal ${code}`, 31),
      row(rig, "Remote Server", undefined, `:log marshal ${code}`),
      row(rig, "Bob", 12, `:log marshal ${code}7`),
      row(rig, "Bob", 12, `:h log marshal ${code}`),
    );
    assert.equal(await rig.runs.accounts.of("g1", mo.userId), undefined);
  });

  test("a row is as old as the service's clock says, where this machine's is ahead or was set right since", async () => {
    const rig = new RunsRig();
    const { accounts } = rig.runs;
    const typed = async (aheadMs: number, id: number, code: string) => {
      const aheadS = aheadMs / 1_000;
      const early = row(rig, "Early", 66, `:log marshal ${code}`, aheadS + 61);
      const late = row(rig, "Alice", id, `:log marshal ${code}`, aheadS);
      const look = rig.snapshot([early, late]);
      await rig.journal.take({ ...look, serviceAtMs: look.takenAtMs - aheadMs });
    };
    const [mo, ad] = [rig.actor("mod"), rig.actor("admin")];
    const first = await accounts.begin(mo, binding);
    await rig.clock.advance(30_000);
    await typed(90_000, 11, first.code);
    assert.equal((await accounts.of("g1", mo.userId))?.player.id, 11);
    const second = await accounts.begin(ad, binding);
    rig.clock.step(-90_000);
    await typed(0, 12, second.code);
    assert.equal((await accounts.of("g1", ad.userId))?.player.id, 12);
  });

  test("a code that is copied after it was typed links nobody", async () => {
    const rig = new RunsRig();
    const mo = rig.actor("mod");
    const { code, outcome } = await rig.runs.accounts.begin(mo, binding);
    await seen(
      rig,
      row(rig, "Thief", 66, `:log marshal ${code}`, 0),
      row(rig, "Alice", 11, `:log marshal ${code}`, 3),
    );
    await outcome;
    assert.equal((await rig.runs.accounts.of("g1", mo.userId))?.player.name, "Alice");
    assert.equal(await rig.runs.accounts.ofPlayer("g1", 66), undefined);
  });

  test("two accounts in one second link neither", async () => {
    const rig = new RunsRig();
    const { code, outcome } = await rig.runs.accounts.begin(rig.actor("mod"), binding);
    const text = `:log marshal ${code}`;
    await seen(rig, row(rig, "Thief", 66, text), row(rig, "Alice", 11, text));
    assert.deepEqual(await outcome, { kind: "contested" });
    assert.deepEqual(await rig.runs.accounts.list("g1"), []);
  });

  test("an account that is another member's stays theirs, and a linked member gets no second code", async () => {
    const rig = new RunsRig();
    const [mo, ad] = [rig.actor("mod"), rig.actor("admin")];
    await rig.runs.accounts.vouch(rig.actor("manager"), mo.userId, { name: "Alice", id: 11 });
    const { code, outcome } = await rig.runs.accounts.begin(ad, binding);
    await seen(rig, row(rig, "Alice", 11, `:log marshal ${code}`));
    assert.equal((await outcome).kind, "taken");
    assert.equal((await rig.runs.accounts.ofPlayer("g1", 11))?.userId, mo.userId);
    await rejects(rig.runs.accounts.begin(mo, binding), /already linked to Alice/);
    assert.equal((await rig.runs.accounts.unlink(mo, mo.userId))?.player.name, "Alice");
    await rig.runs.accounts.begin(mo, binding);
  });

  test("what a second Manager confirms is the link that they saw, and not another one of that member", async () => {
    const rig = new RunsRig();
    const { accounts } = rig.runs;
    const [first, second] = [rig.actor("manager"), rig.actor("manager", { userId: "u-second" })];
    await accounts.vouch(first, "u-x", { name: "Alice", id: 11 });
    await accounts.unlink(first, "u-x");
    await accounts.vouch(first, "u-x", { name: "Bob", id: 12 });
    await rejects(accounts.confirm(second, { userId: "u-x", playerId: 11 }), /as it is now/);
    await rejects(accounts.confirm(first, { userId: "u-x", playerId: 12 }), /another Manager/);
    const { confirmedBy } = await accounts.confirm(second, { userId: "u-x", playerId: 12 });
    assert.equal(confirmedBy, "u-second");
  });

  test("a newer code of the same member replaces the older; twenty others of a guild are the most", async () => {
    const rig = new RunsRig();
    const older = await rig.runs.accounts.begin(rig.actor("mod"), binding);
    await rig.runs.accounts.begin(rig.actor("mod"), binding);
    assert.deepEqual(await older.outcome, { kind: "withdrawn" });
    const more = (n: number) => rig.runs.accounts.begin(rig.actor("none", { userId: `u${n}` }), binding);
    for (let n = 0; n < 19; n++) await more(n);
    await rejects(more(19), /Too many members/);
    await rig.runs.accounts.begin(rig.actor("none", { userId: "x", guildId: "g2" }), binding);
  });

  test("a store that fails keeps the code, and the next reading links", async () => {
    const rig = new RunsRig();
    const mo = rig.actor("mod");
    const { code, outcome } = await rig.runs.accounts.begin(mo, binding);
    const typed = row(rig, "Alice", 11, `:log marshal ${code}`);
    rig.accountDocuments.refuseWrites = new Error("disk full");
    await seen(rig, typed);
    assert.equal(rig.reports.length, 1);
    rig.accountDocuments.refuseWrites = undefined;
    await seen(rig, typed);
    assert.equal((await outcome).kind, "linked");
  });

  test("an account that was linked is not called taken where only the audit failed, or is slow to write it", async () => {
    const rig = new RunsRig();
    const write = rig.audit.event.bind(rig.audit);
    const events = () => rig.audit.eventRows.map(({ action, text }) => `${action} ${text}`);
    const one = await rig.runs.accounts.begin(rig.actor("mod"), binding);
    const typed = row(rig, "Alice", 11, `:log marshal ${one.code}`);
    rig.audit.event = () => Promise.reject(new Error("disk full"));
    await seen(rig, typed);
    assert.deepEqual(events(), []);
    rig.audit.event = write;
    await seen(rig, typed);
    assert.equal((await one.outcome).kind, "linked");
    assert.deepEqual(events(), ["account-link <@u-mod> Alice"]);

    const two = await rig.runs.accounts.begin(rig.actor("admin"), binding);
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.audit.event = async (event) => {
      await promise;
      await write(event);
    };
    const bob = row(rig, "Bob", 12, `:log marshal ${two.code}`);
    const looks = [seen(rig, bob), seen(rig, bob)];
    await settle();
    resolve();
    await Promise.all(looks);
    assert.equal((await two.outcome).kind, "linked");
    assert.deepEqual(events().slice(1), ["account-link <@u-admin> Bob"]);
  });

  test("a code waits on when its server gets a new key", async () => {
    const rig = new RunsRig();
    const mo = rig.actor("mod");
    const source = "b".repeat(64) as SourceId;
    const { code, outcome } = await rig.runs.accounts.begin(mo, binding);
    rig.linked = [{ ...binding, source }];
    const by = { guildId: "g1", atMs: rig.clock.nowMs(), actorId: "u-manager", actorName: "manager" };
    await rig.runs.audit.event({ ...by, id: "e1", action: "link", text: binding.name });
    await settle();
    assert.deepEqual(
      rig.demandsPut.get("runs-accounts:g1:b1")?.map((demand) => demand.source),
      [source],
    );
    await rig.journal.take({ ...rig.snapshot([row(rig, "Alice", 11, `:log marshal ${code}`)]), source });
    assert.equal((await outcome).kind, "linked");
    assert.equal(rig.demandsPut.size, 0);
  });

  test("a list that the store refused has not expired: it can be applied again", async () => {
    const rig = new RunsRig();
    const { accounts } = rig.runs;
    const manager = rig.actor("manager");
    const rows = [{ userId: "u-x", player: { name: "Alice", id: 11 } }];
    const { importId } = await accounts.planImport(manager, rows);
    rig.accountDocuments.refuseWrites = new Failure("store", "disk full");
    await assert.rejects(accounts.applyImport(manager, importId), { code: "store" });
    rig.accountDocuments.refuseWrites = undefined;
    assert.equal((await accounts.applyImport(manager, importId)).added.length, 1);
    await rejects(accounts.applyImport(manager, importId), /expired/);
    assert.equal(await accounts.undoImport(manager, importId), 1);
  });

  test("of a list that has a member or an account twice, the second line says so: nothing is linked to unlink", async () => {
    const rig = new RunsRig();
    const alice = { name: "Alice", id: 11 };
    const { added, refused } = await rig.runs.accounts.planImport(rig.actor("manager"), [
      { userId: "u-x", player: alice },
      { userId: "u-x", player: { name: "Bob", id: 12 } },
      { userId: "u-y", player: alice },
    ]);
    assert.equal(added.length, 1);
    const whys = refused.map(({ why }) => why);
    assert.deepEqual(whys, ["This member is in the list twice.", "Alice is in the list twice."]);
  });

  test("a server that is unlinked and a bot that stops end what waits; accounts outlive a restart", async () => {
    const rig = new RunsRig();
    await rig.runs.accounts.vouch(rig.actor("manager"), "u-x", { name: "Alice", id: 11 });
    const one = await rig.runs.accounts.begin(rig.actor("mod"), binding);
    await rig.runs.onUnlinked(binding);
    assert.deepEqual(await one.outcome, { kind: "withdrawn" });
    const two = await rig.runs.accounts.begin(rig.actor("mod"), binding);
    await rig.runs.stop(0);
    assert.deepEqual(await two.outcome, { kind: "withdrawn" });
    rig.crash();
    assert.equal((await rig.runs.accounts.ofPlayer("g1", 11))?.userId, "u-x");
  });
});
