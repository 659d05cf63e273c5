import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sessionLine } from "../../../src/discord/render/players/history-line.ts";
import { morePlayerButtons, playerButtons } from "../../../src/discord/render/players/player-buttons.ts";
import { type PlayerShow, playerShow } from "../../../src/discord/render/players/player-card.ts";
import { noChannelLine } from "../../../src/discord/render/players/watch-cards.ts";
import type { PlayerHistory } from "../../../src/domain/history.ts";
import type { Button, Row } from "../../../src/domain/message.ts";
import type { GameAccount } from "../../../src/domain/ports/game-accounts.ts";
import { serverStatus } from "../../support/server-status.ts";

const history: PlayerHistory = {
  player: { playerId: 7, name: "Mo", earlierNames: [], firstSeenS: 1_000, lastSeenS: 9_000 },
  sessions: 1,
  playedLast7DaysS: 3_600,
  playedLast30DaysS: 3_600,
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

const view: PlayerShow = {
  player: { name: "Mo", id: 7 },
  bindingId: undefined,
  place: "",
  history,
  authors: new Map(),
  cases: undefined,
  watch: undefined,
  account: undefined,
  mayBan: true,
  awayWhy: [],
};

function shown(own: Partial<PlayerHistory>): string {
  const { cards = [] } = playerShow({ ...view, history: { ...history, ...own } });
  return cards
    .flatMap(({ description, fields = [] }) => [
      description,
      ...fields.flatMap(({ name, value }) => [name, value]),
    ])
    .join("\n")
    .replaceAll("\u00a0", " ");
}

describe("the card of a player", () => {
  test("calls that they made and calls that they answered are two facts on two lines", () => {
    const words = shown({ callsMade: 4, callsAnswered: 196 });
    assert.match(words, /^Called 4 times$/m);
    assert.match(words, /^Answered 196 calls$/m);
    assert.doesNotMatch(words, /of which/);
  });

  test("calls of others count from a kill on, and the card says so", () => {
    assert.match(
      shown({ callsNearKills: 7 }),
      /^Others called staff 7 times within 3 min after this player's kills$/m,
    );
  });

  test("in the game since a join of the log, or since a list showed them, which may be later than their join", () => {
    const live = {
      atMs: 9_000_000,
      state: { source: "s", status: serverStatus({}), statusAtMs: 9_000_000, lists: {} },
      player: { player: view.player, team: "Civilian", permission: "Normal", wantedStars: 0 },
    } as unknown as NonNullable<PlayerShow["live"]>;
    const wordsOf = (isSure: boolean) => {
      const latestSession = { bindingId: "b1", start: { atS: 8_000, isSure } };
      const known = { ...history, latestSession };
      return playerShow({ ...view, live, history: known }).cards?.[0]?.description ?? "";
    };
    assert.match(wordsOf(true), /In the game\*\*, joined <t:8000:R>$/m);
    assert.match(wordsOf(false), /In the game\*\*, joined <t:8000:R> or earlier$/m);
  });

  test("who called nobody and answered calls has them on the card", () => {
    const words = shown({ callsAnswered: 1 });
    assert.match(words, /^Answered 1 call$/m);
    assert.doesNotMatch(words, /Called/);
  });

  test("at most five buttons stand on it; those that are left are behind More, each once", () => {
    const labelsOf = (rows: readonly Row[]) =>
      rows.flatMap((row) => row.flatMap((part) => (part.kind === "button" ? [part.label] : [])));
    const player: Button = { kind: "button", label: "Player", style: "secondary", id: "player-open:b1/7/k" };
    for (const before of [[], [player]])
      for (const bindingId of ["b1", undefined])
        for (const inGame of [true, false])
          for (const mayBan of [true, false]) {
            const of = { bindingId, playerId: 7, name: "Mo", inGame, isWatched: false, mayBan };
            const shown = labelsOf(playerButtons(of, before));
            const given = JSON.stringify({ before, ...of });
            assert.ok(shown.length <= 5, given);
            const own = shown.filter((label) => label !== "Player" && label !== "More");
            const rest = shown.includes("More") ? labelsOf(morePlayerButtons(of, own.length)) : [];
            const acts = [...own, ...rest];
            assert.equal(new Set(acts).size, acts.length, given);
            assert.deepEqual(
              acts.toSorted(),
              [
                "Note",
                "Warn",
                "Watch",
                ...(bindingId === undefined ? [] : ["Ask for a ban", ...(mayBan ? ["Ban"] : [])]),
                ...(bindingId !== undefined && inGame ? ["PM", "Kick", "Jail", "Map"] : []),
              ].toSorted(),
              given,
            );
          }
  });

  test("only those who may ban have the button for it; who may not asks for a ban", () => {
    const labels = (mayBan: boolean) =>
      playerShow({ ...view, bindingId: "b1", mayBan }).rows?.flatMap((row) =>
        row.flatMap((part) => (part.kind === "button" ? [part.label] : [])),
      ) ?? [];
    assert.ok(labels(true).includes("Ban"));
    assert.ok(!labels(false).includes("Ban") && labels(false).includes("Ask for a ban"));
  });

  test("whose account it is says whether a code proves it or a Manager's word says it", () => {
    const words = (own: Partial<GameAccount>) => {
      const account = { userId: "300", player: view.player, linkedAtMs: 0, ...own };
      return String(playerShow({ ...view, account }).cards?.[0]?.description);
    };
    assert.match(words({}), /🔗 <@300>, proven in the game$/m);
    assert.match(words({ vouchedBy: "400" }), /🔗 <@300>, linked by <@400>'s word$/m);
    assert.match(
      words({ vouchedBy: "400", confirmedBy: "500" }),
      /linked by <@400>'s word, confirmed by <@500>$/m,
    );
    assert.doesNotMatch(String(playerShow(view).cards?.[0]?.description), /🔗/);
  });

  test("whose joins are posted nowhere: only those of watched players are meant, and the command is named", () => {
    for (const manages of [true, false]) {
      const line = String(noChannelLine(manages));
      assert.match(line, /^Joins of watched players are not posted anywhere yet\./);
      assert.match(line, /`\/setup watches/);
    }
  });

  test("without calls there is nothing about calls", () => {
    assert.doesNotMatch(shown({}), /Calls/);
  });
});

describe("the sessions of a player", () => {
  test("an end that nobody saw counts to the last look before it, as in the time played", () => {
    const start = { atS: 72_000, isSure: true };
    // Seen last at 21:00; at the next look, after a night without any, they were gone.
    const end = { atS: 115_200, isSure: false, afterS: 75_600 };
    assert.equal(
      sessionLine({ bindingId: "b1", start, end }).replaceAll("\u00a0", " "),
      "<t:72000:f> to about <t:75600:t> · at least 1 h",
    );
    const seen = sessionLine({ bindingId: "b1", start, end: { atS: 75_600, isSure: true } });
    assert.equal(seen.replaceAll("\u00a0", " "), "<t:72000:f> to <t:75600:t> · 1 h");
  });
});
