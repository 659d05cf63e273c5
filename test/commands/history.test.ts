import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { history } from "../../commands/history.ts";
import { eraseCases, eraseNow } from "../../commands/history-forget.ts";
import type { Options, Press, Reply } from "../../src/discord/command.ts";
import type { Services } from "../../src/discord/services.ts";
import type { Appeal } from "../../src/domain/appeal.ts";
import type { BanEnd } from "../../src/domain/ban-end.ts";
import type { Watch } from "../../src/domain/case.ts";
import { Failure } from "../../src/domain/failure.ts";
import { EMPTY_POLICY } from "../../src/domain/guild.ts";
import type { Forgotten, PlayerExport } from "../../src/domain/history.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const nothing = { names: 0, visits: 0, kills: 0, commands: 0, calls: 0, blankedCommands: 0 };

/** A guild whose logs keep nothing of the player 11 any more. */
class AgedOut {
  readonly world = new FakeWorld();
  readonly actor = actorOf({});
  file: PlayerExport | undefined;
  forgotten: Forgotten | undefined;
  watch: Watch | undefined;

  get services(): Services {
    const { services } = this.world;
    return {
      ...services,
      history: {
        ...services.history,
        players: { ...services.history.players, find: async () => [] },
        privacy: {
          ...services.history.privacy,
          export: async (_, playerId) => (playerId === 11 ? this.file : undefined),
          forget: async () => this.forgotten,
        },
      },
      cases: { ...services.cases, search: async () => [] },
      watches: {
        ...services.watches,
        list: async () => (this.watch === undefined ? [] : [this.watch]),
        of: async () => this.watch,
      },
    };
  }

  async runs(subcommand: "forget" | "export", player: string): Promise<Reply> {
    const entry = history.subcommands?.[subcommand];
    const args = entry?.parse({ string: () => player } as unknown as Options);
    const invocation = { actor: this.actor, args, signal: new AbortController().signal };
    return (await entry?.execute(invocation as never, this.services)) as Reply;
  }
}

const fileOf = (fields: Partial<PlayerExport> = {}): PlayerExport => ({
  rows: 0,
  cases: 0,
  elsewhere: 0,
  text: "{}",
  isComplete: true,
  ...fields,
});

test("the answer says how many cases were erased, also where they were too many to count before", async () => {
  const guild = new AgedOut();
  const cases = { ...guild.services.cases, eraseOf: async () => ({ cases: 250 }) };
  const watches = { ...guild.services.watches, remove: async () => undefined };
  const press = { actor: guild.actor, argument: "11" } as unknown as Press;
  const { content = "" } = await eraseCases(press, { ...guild.services, cases, watches });
  assert.match(content, /✅ 250 cases are erased\./);
});

test("cases that were erased stand in the audit although the watchlist cannot be changed", async () => {
  const guild = new AgedOut();
  const cases = { ...guild.services.cases, eraseOf: async () => ({ cases: 2 }) };
  const remove = () => Promise.reject(new Failure("store", "The watchlist is still loading."));
  const watches = { ...guild.services.watches, remove };
  const press = { actor: guild.actor, argument: "11" } as unknown as Press;
  await assert.rejects(Promise.resolve(eraseCases(press, { ...guild.services, cases, watches })), {
    code: "store",
  });
  assert.deepEqual(
    guild.world.events.map(({ action }) => action),
    ["history-forget-cases"],
  );
});

test("what other commands have set about the player is said, with what takes it back; an answered appeal goes", async () => {
  const guild = new AgedOut();
  const { guildId } = guild.actor;
  const { world } = guild;
  guild.forgotten = {
    ...nothing,
    player: { name: "Ann_Lee", id: 11 },
    dutyRecords: 0,
    casesOfOthers: 0,
    untilS: 5,
  };
  const server = await world.linkServer(guildId, serverStatus({ name: "Main" }), "key-main");
  const policy = { ...EMPTY_POLICY, protectedPlayers: ["ann_lee"] };
  await world.settings.change(guildId, (now) => ({ ...now, policies: { [server.id]: policy } }));
  const [answered, open] = [{ player: { name: "Ann_Lee", id: 11 } }, { player: { name: "Ann_Lee", id: 11 } }];
  let kept = [answered, open] as unknown as Appeal[];
  const services: Services = {
    ...guild.services,
    accounts: {
      ...world.services.accounts,
      ofPlayer: async () => ({ userId: "77", player: { name: "Ann_Lee", id: 11 }, linkedAtMs: 0 }),
    },
    appeals: {
      ...world.services.appeals,
      ofPlayer: () => kept,
      forgetPlayer: async () => {
        kept = kept.slice(1);
      },
    },
    banEnds: {
      ...world.services.banEnds,
      list: () => [{ end: { playerId: 11, serverName: "Main" } as BanEnd, waits: undefined }],
    },
  };
  const { content = "" } = await eraseNow(
    { actor: guild.actor, argument: "11" } as unknown as Press,
    services,
  );
  assert.match(content, /Still kept about this player:\n- Linked to <@77>\. .*`\/me unlink member:`/);
  assert.match(content, /- Protected on Main\. .*`\/staff protect remove:`/);
  assert.match(content, /- A ban on Main that ends by itself\. `\/run bans`/);
  assert.match(content, /- 1 appeal\. /);
});

describe("somebody of whom the logs keep nothing", () => {
  test("is exported and forgotten by the id where duty or a case of others keeps something", async () => {
    const guild = new AgedOut();
    for (const entry of ["forget", "export"] as const)
      await assert.rejects(guild.runs(entry, "11"), { code: "bad-command", message: /Nothing is recorded/ });
    guild.file = fileOf({ elsewhere: 3 });
    assert.match((await guild.runs("export", "11")).content ?? "", /0 rows, 0 cases, 3 other records\./);
    const asked = await guild.runs("forget", "11");
    assert.match(asked.content ?? "", /Erase \*\*11\*\*\?/);
    guild.forgotten = {
      ...nothing,
      player: { name: "11", id: 11 },
      dutyRecords: 2,
      casesOfOthers: 1,
      untilS: 5,
    };
    const press = { actor: guild.actor, argument: "11" } as unknown as Press;
    const { content = "" } = await eraseNow(press, guild.services);
    assert.match(
      content,
      /\*\*11\*\* erased: 2 duty records\. They are gone from what 1 case of others kept\./,
    );
  });

  test("and a file that is too large for Discord is compressed, and says so", async () => {
    const guild = new AgedOut();
    guild.file = fileOf({ cases: 2, text: JSON.stringify({ kills: "x".repeat(10_500_000) }) });
    const { content = "", files = [] } = await guild.runs("export", "11");
    assert.match(content, /2 cases\. It is gzipped, because Discord refuses a file of 10\.5 MB\./);
    assert.equal(files[0]?.name, "player-11.json.gz");
    assert.equal(gunzipSync(files[0]?.data ?? "").toString(), guild.file.text);
  });

  test("and who is watched is found by the name as well", async () => {
    const guild = new AgedOut();
    guild.watch = { guildId: guild.actor.guildId, playerId: 11, name: "Ann_Lee", byId: "u1", atMs: 0 };
    guild.file = fileOf();
    const asked = await guild.runs("forget", "ann_lee");
    assert.match(asked.content ?? "", /\*\*Ann\\_Lee\*\*[\s\S]*on the watchlist/);
    assert.equal((await guild.runs("export", "ann_lee")).files?.[0]?.name, "player-11.json");
  });
});
