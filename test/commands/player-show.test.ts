import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { player } from "../../commands/player.ts";
import { watchPlayer } from "../../commands/player-watch.ts";
import { failureBody } from "../../src/discord/render/errors.ts";
import type { Services } from "../../src/discord/services.ts";
import type { Watch } from "../../src/domain/case.ts";
import { Failure } from "../../src/domain/failure.ts";
import { EMPTY_POLICY } from "../../src/domain/guild.ts";
import type { Card, MessageBody } from "../../src/domain/message.ts";
import type { Player } from "../../src/domain/model.ts";
import type { HistoryCards } from "../../src/domain/ports/history.ts";
import { formOf, textOf } from "../support/fake-answers.ts";
import { actorOf, FakeWorld } from "../support/fake-services.ts";
import { serverStatus } from "../support/server-status.ts";

const actor = actorOf({ roleIds: ["staff"] });
const signal = new AbortController().signal;
const asked = { actor, signal, reference: "r" };
const bob: Player = {
  player: { name: "Bob", id: 7 },
  team: "Civilian",
  permission: "Normal",
  wantedStars: 0,
};

/** Two servers; Bob plays on the first one, and has been on both. */
async function world() {
  const made = new FakeWorld();
  const first = await made.linkServer(actor.guildId, serverStatus({ name: "First Town", joinKey: "one" }));
  const second = await made.linkServer(
    actor.guildId,
    serverStatus({ name: "Second Town", joinKey: "two" }),
    "second-key",
  );
  const policy = { ...EMPTY_POLICY, roleTiers: { staff: "moderator" } } as const;
  await made.settings.change(actor.guildId, (all) => ({
    ...all,
    policies: { [first.id]: policy, [second.id]: policy },
  }));
  const state = made.states.get(first.source) ?? assert.fail();
  const atMs = made.clock.nowMs();
  const playing = (value: readonly Player[]) =>
    made.states.set(first.source, { ...state, lists: { ...state.lists, players: { atMs, value } } });
  playing([bob]);
  const meant: (string | undefined)[] = [];
  const cards: HistoryCards = {
    card: async (_, playerId, { bindingId }) => {
      meant.push(bindingId);
      return {
        player: { playerId, name: "Bob", earlierNames: [], firstSeenS: 10, lastSeenS: 20 },
        sessions: 1,
        latestSession: {
          bindingId: second.id,
          start: { atS: 10, isSure: true },
          end: { atS: 20, isSure: true },
        },
        playedLast7DaysS: 0,
        playedLast30DaysS: 0,
        kills: 0,
        deaths: 0,
        callsMade: 0,
        callsAnswered: 0,
        callsNearKills: 0,
        latestCallsNearKills: [],
        commandsRun: 0,
        commandsAgainst: 0,
        latestCommandsAgainst: [],
      };
    },
    page: async (_, { bindingId }) => {
      meant.push(bindingId);
      return { sessions: [], rows: [], older: "15" };
    },
  };
  const found = { playerId: 7, name: "Bob", earlierNames: [], firstSeenS: 10, lastSeenS: 20 };
  const all = [found, ...seenBefore];
  const players = {
    find: async (_: string, typed: string) =>
      all.filter(({ name, playerId }) => name === typed || String(playerId) === typed),
    findAll: async () => [found],
    search: async (_: string, part: string) => all.filter(({ name }) => name.toLowerCase().includes(part)),
  };
  const account = { userId: "300", player: { name: "Bob", id: 7 }, linkedAtMs: 0, vouchedBy: "400" };
  const services: Services = {
    ...made.services,
    history: { ...made.services.history, cards, players },
    accounts: {
      ...made.services.accounts,
      of: async () => undefined,
      ofPlayer: async (_, playerId) => (playerId === account.player.id ? account : undefined),
    },
  };
  const show = async (server?: string, typed = "Bob") => {
    const { show: entry } = player.subcommands ?? {};
    assert.ok(entry !== undefined && "execute" in entry);
    return (await entry.execute({ ...asked, args: { player: typed, server } }, services)) as MessageBody;
  };
  const press = async (body: MessageBody, name: string, values: readonly string[] = []) => {
    const part = (body.rows ?? []).flat().find((one) => "id" in one && one.id.startsWith(`${name}:`));
    assert.ok(part !== undefined && "id" in part, `no ${name}`);
    const action = player.actions?.[name as "player-open"];
    assert.ok(action !== undefined && "execute" in action);
    const argument = part.id.slice(name.length + 1);
    return (await action.execute({ ...asked, argument, values } as never, services)) as MessageBody;
  };
  const words = ({ cards = [] }: MessageBody) =>
    cards.map(({ author, description, footer }: Card) => [author, description, footer].join("\n")).join("\n");
  return { made, services, first, second, meant, show, press, words, playing };
}

const seenBefore = [
  { playerId: 67, name: "Captain67", earlierNames: [], firstSeenS: 10, lastSeenS: 20 },
  { playerId: 68, name: "Captain68", earlierNames: [], firstSeenS: 10, lastSeenS: 20 },
  { playerId: 69, name: "Cap_of_the_sea", earlierNames: [], firstSeenS: 10, lastSeenS: 20 },
];

describe("/player show with a slip in the name", () => {
  const labels = ({ rows = [] }: MessageBody) =>
    rows.flat().flatMap((part) => (part.kind === "button" ? [part.label] : []));

  test("offers the nearest names, and a press opens that player", async () => {
    const { show, press, words, second } = await world();
    const asking = await show("Second Town", "Captian67");
    assert.match(asking.cards?.[0]?.title ?? "", /^Nobody called .*Captian67.* was seen here$/);
    assert.deepEqual(labels(asking), ["Captain67", "Captain68"]);
    const ids = (asking.rows ?? []).flat().map(({ id }) => id);
    assert.equal(ids[0], `player-meant:${second.id}*/67`);
    assert.match(words(await press(asking, "player-meant")), /Second Town/);
    // The slip is in the beginning: the end finds them.
    assert.deepEqual(labels(await show(undefined, "Aptain67")), ["Captain67", "Captain68"]);
  });

  test("says so where no name is near", async () => {
    const { show } = await world();
    await assert.rejects(show(undefined, "Somebody_Else"), /was seen here\. Choose a player from the list/);
  });
});

describe("More on the card of a player", () => {
  const labels = ({ rows = [] }: MessageBody) =>
    rows.flat().flatMap((part) => (part.kind === "button" ? [part.label] : []));

  test("has what the card has no room for; of who has left since, all that reaches them", async () => {
    const { show, press, playing } = await world();
    const card = await show();
    assert.deepEqual(labels(card), ["PM", "Kick", "Jail", "Warn", "More"]);
    assert.deepEqual(labels(await press(card, "player-more")), [
      "Note",
      "Ban",
      "Watch",
      "Ask for a ban",
      "Map",
    ]);
    playing([]);
    assert.deepEqual(labels(await press(card, "player-more")), [
      "Ban",
      "Note",
      "Warn",
      "Watch",
      "Ask for a ban",
    ]);
  });
});

describe("The card of a player who is on no list", () => {
  test("says why it may be wrong, in the words of /server status, for each server that can't be read", async () => {
    const { made, first, second, show, words, playing } = await world();
    playing([]);
    assert.doesNotMatch(words(await show()), /Not up to date/, "the list is of this moment");
    await made.clock.advance(60_000);
    made.parked.set(second.source, "Server Key is invalid");
    const card = words(await show("Second Town"));
    assert.match(card, /⏳ Not up to date: the server key is wrong or expired\. Someone with Manage Server/);
    assert.match(card, /⚪ Last seen <t:20:R>/);
    made.failing.set(first.source, { sinceMs: 0, code: "unreachable" });
    const both = words(await show());
    assert.match(both, /⏳ \*\*First Town\*\* is not up to date: the game service is not answering\.$/m);
    assert.match(both, /⏳ \*\*Second Town\*\* is not up to date: the server key is wrong/);
  });

  test("keeps what was typed into a form for somebody who has left", async () => {
    const { first, services, playing } = await world();
    playing([]);
    const plan = () => Promise.reject(new Failure("bad-command", "Bob is not in the server."));
    const runner = { ...services.runner, plan };
    const kick =
      (typed: string, argument = `${first.id}/7/Bob`) =>
      async () => {
        const action = player.actions?.["player-kick-sent" as "player-noted"] ?? assert.fail();
        const press = { ...asked, argument, values: [], messageId: "9", form: formOf({ text: typed }) };
        for await (const _ of action.execute(press, { ...services, runner }) as AsyncIterable<MessageBody>);
      };
    const kept = (text: string) => (error: unknown) => {
      assert.ok(error instanceof Failure);
      const shown = textOf(failureBody(error, { reference: "r", runs: true }));
      assert.match(shown, /It did not run/);
      assert.ok(shown.includes(`\`${text}\`\non **First Town**`), shown);
      return true;
    };
    await assert.rejects(kick("rdm at the bank"), kept(":kick Bob rdm at the bank"));
    // Of somebody of whom nothing is recorded only the button knows the name.
    await assert.rejects(kick("rdm", `${first.id}/99/Gone_1`), kept(":kick Gone_1 rdm"));
    await assert.rejects(kick(""), (error) => error instanceof Failure && error.command === undefined);
  });
});

describe("/player show server:", () => {
  test("shows what is known of that server alone: card, lists, their pages and the way back", async () => {
    const { second, meant, show, press, words } = await world();
    const card = await show("Second Town");
    assert.match(words(card), /Second Town/);
    assert.doesNotMatch(words(card), /In the game|First Town/);
    const list = await press(card, "player-list", ["kills"]);
    const older = await press(list, "player-older");
    await press(older, "player-newest");
    const back = await press(older, "player-open");
    assert.doesNotMatch(words(back), /In the game|First Town/);
    assert.deepEqual(meant, Array(5).fill(second.id));
  });

  test("without it all servers are shown, and where the player is now", async () => {
    const { meant, show, press, words } = await world();
    const card = await show();
    assert.match(words(card), /First Town[\s\S]*In the game/);
    assert.match(words(card), /🔗 <@300>, linked by <@400>'s word$/m);
    await press(await press(card, "player-list", ["kills"]), "player-open");
    assert.deepEqual(meant, Array(3).fill(undefined));
  });
});

test("a player who is watched until a day is watched on that day, and the answer says when it ends", async () => {
  const made = new FakeWorld();
  const { guildId } = actorOf();
  await made.settings.change(guildId, (own) => ({ ...own, timeZone: "Europe/Berlin" }));
  const kept: Watch[] = [];
  const watches = { ...made.services.watches, put: async (watch: Watch) => void kept.push(watch) };
  const services = { ...made.services, watches } as unknown as Services;
  const day = new Date(made.clock.nowMs() + 86_400_000).toISOString().slice(0, 10);
  const watched = { player: { name: "Ann", id: 7 }, reason: "", until: day };
  const { content } = await watchPlayer(services, actorOf({ guildId }), watched);
  const untilMs = Date.parse(`${day}T22:59:59Z`);
  assert.equal(kept[0]?.untilMs, untilMs);
  assert.match(String(content), new RegExp(`until <t:${untilMs / 1_000}:f>`));
});
