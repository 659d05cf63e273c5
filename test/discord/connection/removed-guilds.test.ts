import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Guild, REST } from "discord.js";
import { GuildEvents } from "../../../src/discord/connection/guild-events.ts";
import { findRemovedGuilds, shardOf } from "../../../src/discord/connection/removed-guilds.ts";
import { StoreError } from "../../../src/domain/failure.ts";
import { createLog } from "../../../src/log.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";

/** A Discord that answers for each guild with a status and a code; `cut` ends the connection. */
function discordWith(answers: Readonly<Record<string, readonly [status: number, code?: number] | "cut">>): {
  readonly rest: REST;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const rest = new REST({
    retries: 0,
    makeRequest: async (url) => {
      const guildId = url.split("/").at(-1) ?? "";
      asked.push(guildId);
      const answer = answers[guildId] ?? [200];
      if (answer === "cut") throw new Error("the connection was cut");
      return Response.json({ code: answer[1], message: "told" }, { status: answer[0] }) as never;
    },
  }).setToken("token");
  return { rest, asked };
}

async function* all(...ids: readonly string[]) {
  yield* ids;
}

describe("guilds that removed the bot while it was away", () => {
  test("are those that the gateway does not tell of and that Discord, asked for each, says are not ours", async () => {
    const { rest, asked } = discordWith({ 2: [404, 10_004], 3: [403, 50_001] });
    const gone = await findRemovedGuilds({
      rest,
      known: () => all("1", "2", "2", "3", "4"),
      isOurs: () => true,
      isHere: (id) => id === "1",
    });
    assert.deepEqual(gone, ["2", "3"]);
    assert.deepEqual(asked, ["2", "3", "4"], "each once, and none that is here");
  });

  test("are never guessed: any other answer leaves the guild alone", async () => {
    const { rest } = discordWith({ 1: [200], 2: [500], 3: [401, 0], 4: "cut", 5: [403, 20_001] });
    const parts = { isOurs: () => true, isHere: () => false };
    assert.deepEqual(
      await findRemovedGuilds({ rest, known: () => all("1", "2", "3", "4", "5"), ...parts }),
      [],
    );
  });

  test("are of this process's own shards: another's guilds are not here either", async () => {
    const [first, second] = [`${1n << 22n}`, `${2n << 22n}`];
    assert.deepEqual([shardOf(first, 2), shardOf(second, 2)], [1, 0]);
    const { rest, asked } = discordWith({ [first]: [404, 10_004], [second]: [404, 10_004] });
    const parts = { isOurs: (id: string) => shardOf(id, 2) === 0, isHere: () => false };
    assert.deepEqual(await findRemovedGuilds({ rest, known: () => all(first, second), ...parts }), [second]);
    assert.deepEqual(asked, [second]);
  });
});

/** The events of guilds where the store refuses to forget one, as often as is said. */
function refusing(times: number) {
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const lines: string[] = [];
  const log = createLog({ level: "info", write: (line) => void lines.push(line) });
  const { signal } = stopping;
  const events = new GuildEvents({ log, clock, random: seededRandom(1), signal, isOurs: () => true });
  let tries = 0;
  events.listen({
    async *guildsToCheck() {},
    onPermissionsChanged: () => undefined,
    async onGuildRemoved() {
      tries += 1;
      if (tries <= times) throw new StoreError("the store refused it");
    },
  });
  return { clock, stopping, lines, events, tries: () => tries };
}

describe("a guild that removes the bot while the store refuses to forget it", () => {
  test("is forgotten as soon as the store can", async () => {
    const { clock, events, lines, tries } = refusing(3);
    events.onRemoved("1");
    await clock.advance(0);
    assert.equal(tries(), 1);
    await clock.advance(60_000);
    assert.equal(tries(), 4);
    assert.equal(lines.length, 3);
    await clock.advance(3_600_000);
    assert.equal(tries(), 4);
  });

  test("keeps what it has where it invites the bot again before that, and a stop leaves it to the next start", async () => {
    const back = refusing(3);
    back.events.onRemoved("1");
    await back.clock.advance(0);
    back.events.onJoined({ id: "1", joinedTimestamp: 0, systemChannelId: null } as unknown as Guild);
    await back.clock.advance(3_600_000);
    assert.equal(back.tries(), 1);

    const stopped = refusing(3);
    stopped.events.onRemoved("1");
    await stopped.clock.advance(0);
    stopped.stopping.abort();
    await stopped.clock.advance(3_600_000);
    assert.equal(stopped.tries(), 1);
  });
});
