import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { REST } from "discord.js";
import { findRemovedGuilds, shardOf } from "../../../src/discord/connection/removed-guilds.ts";

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
