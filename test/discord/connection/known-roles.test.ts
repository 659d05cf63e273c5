import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { RoleBook } from "../../../src/discord/connection/known-roles.ts";
import { Failure } from "../../../src/domain/failure.ts";
import { eventually, startDiscordRig } from "../../support/discord-rig.ts";

async function startBook(t: TestContext) {
  const rig = await startDiscordRig(t, []);
  const { discord, world, guild, staffRole } = rig;
  const { clock } = world;
  const rest: string[] = [];
  const book = new RoleBook({
    requests: discord.memberRequests,
    members: {
      now: (guildId, userId) => {
        rest.push(userId);
        return discord.members.now(guildId, userId);
      },
    },
    clock,
  });
  discord.listenToRoles(book);
  const people = Array.from({ length: 150 }, (_, n) =>
    guild.addMember({ name: `P${n}`, roles: [staffRole] }),
  );
  return { ...rig, clock, book, rest, people };
}

/** Moves time while something waits for it. */
async function within<T>(clock: { advance(ms: number): Promise<void> }, work: Promise<T>): Promise<T> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  for (let n = 0; n < 40 && !isOver; n++) {
    await clock.advance(500);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return await ended;
}

describe("roles of members", () => {
  test("a hundred are read with one request, a second apart; who left has none", async (t) => {
    const { book, guild, people, rest, clock } = await startBook(t);
    const [gone] = people;
    gone?.leave();
    const ids = people.map(({ id }) => id);
    const beganMs = clock.monotonicMs();
    const found = await within(clock, book.read(guild.id, ids, 60_000));
    assert.equal(found.size, 150);
    assert.deepEqual(found.get(gone?.id ?? "")?.roleIds, []);
    assert.deepEqual(found.get(people[7]?.id ?? "")?.roleIds, [guild.role("Staff").id]);
    assert.deepEqual(rest, []);
    const times = new Set([...found.values()].map(({ readAtMs }) => readAtMs - beganMs));
    assert.equal(times.size, 2, "two requests");
    assert.equal(Math.max(...times), 1_000);
  });

  test("what is young enough is not read again, what is old is", async (t) => {
    const { book, guild, people, staffRole, clock } = await startBook(t);
    const [person] = people;
    assert.ok(person);
    await within(clock, book.read(guild.id, [person.id], 60_000));
    person.removeRole(staffRole);
    assert.deepEqual((await book.read(guild.id, [person.id], 60_000)).get(person.id)?.roleIds, [
      staffRole.id,
    ]);
    await clock.advance(61_000);
    const found = await within(clock, book.read(guild.id, [person.id], 60_000));
    assert.deepEqual(found.get(person.id)?.roleIds, []);
  });

  test("where the gateway refuses, each is read over REST, and the guild is left alone for so long", async (t) => {
    const { book, guild, people, emulated, rest, clock } = await startBook(t);
    emulated.faults.set({ membersRefusedForMs: 30_000 });
    const ids = people.slice(0, 3).map(({ id }) => id);
    assert.equal((await within(clock, book.read(guild.id, ids, 60_000))).size, 3);
    assert.deepEqual(rest, ids);
    emulated.faults.clear();
    await clock.advance(100_000);
    assert.equal((await within(clock, book.read(guild.id, ids, 60_000))).size, 3);
    assert.equal(rest.length, 3, "the gateway answers again");
  });

  test("who cannot be read is not known", async (t) => {
    const { guild, people, clock } = await startBook(t);
    const now = () => Promise.reject(new Failure("paused", "away"));
    const book = new RoleBook({ requests: { ask: async () => undefined }, members: { now }, clock });
    const ids = people.slice(0, 2).map(({ id }) => id);
    assert.equal((await book.read(guild.id, ids, 60_000)).size, 0);
    assert.equal(await book.readOne(guild.id, ids[0] ?? "", 10_000), undefined);
  });

  test("the audit log tells of changes at once, where Marshal may view it", async (t) => {
    const { book, guild, people, staffRole, clock, owner } = await startBook(t);
    const [person, other] = people;
    assert.ok(person !== undefined && other !== undefined);
    await within(clock, book.read(guild.id, [person.id, other.id], 60_000));
    other.removeRole(staffRole);
    guild.setBotPermissions(["ViewChannel", "SendMessages", "ViewAuditLog"]);
    person.removeRole(staffRole, owner.member);
    await eventually(() => book.of(guild.id, person.id)?.roleIds.length === 0);
    assert.deepEqual(book.of(guild.id, other.id)?.roleIds, [staffRole.id], "nobody told of it");
    person.addRole(staffRole, owner.member);
    await eventually(() => book.of(guild.id, person.id)?.roleIds[0] === staffRole.id);
  });
});
