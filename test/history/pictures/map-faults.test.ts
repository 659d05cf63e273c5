import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { mapMessage, mapPicture } from "../../../src/discord/render/map/map-message.ts";
import { replayMessage } from "../../../src/discord/render/map/replay-message.ts";
import { replayPicture, type Scene } from "../../../src/discord/render/map/replay-picture.ts";
import type { MessageBody } from "../../../src/domain/message.ts";
import type { EmergencyCall, Player, ServerState, SourceId } from "../../../src/domain/model.ts";
import type { Spot } from "../../../src/domain/track.ts";
import { imageOf, shrunkMap } from "../../../src/history/pictures/image.ts";
import { readMapImage } from "../../../src/history/pictures/map/map-image.ts";
import { mapSvg } from "../../../src/history/pictures/map/map-svg.ts";
import { replaySvgs } from "../../../src/history/pictures/map/replay-svg.ts";
import { serverStatus } from "../../support/server-status.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** What a game server may answer, drawn and said by what is run. */

const HOSTILE = [
  "</text><script>alert(1)</script>",
  "&amp; & <b>",
  "]]><![CDATA[",
  `"'><image href="http://evil.invalid/x.png"/>`,
  "\0\u{1}\u{ffff}\u{202e}",
  "@everyone <@1> [a](http://evil.invalid) **b** `c` ||d||",
  "\ud800",
  "x".repeat(5_000),
  "",
] as const;

function player(n: number, more: Partial<Player> = {}): Player {
  return {
    player: { id: n + 1, name: `Player_${n}` },
    team: "Civilian",
    permission: "Normal",
    wantedStars: 0,
    location: { x: n * 15, z: n * 15, streetName: "Elm", postalCode: "204" },
    ...more,
  };
}

function stateOf(players: readonly Player[], emergencyCalls: readonly EmergencyCall[] = []): ServerState {
  return {
    source: "s" as SourceId,
    status: serverStatus({ name: "Town" }),
    statusAtMs: 0,
    lists: { players: { atMs: 0, value: players }, emergencyCalls: { atMs: 0, value: emergencyCalls } },
  };
}

const shown = (state: ServerState, filter: { readonly playerId?: number } = {}) => {
  const message = { bindingId: "b", state, seen: { atMs: 0 }, filter, look: "dark" as const };
  return { picture: mapPicture(message), body: mapMessage(message, { png: undefined }) };
};

const wordsIn = (body: MessageBody) =>
  (body.cards ?? []).map(({ description }) => description ?? "").join("\n");

/** A replay of people of whom each has one spot a look, five seconds apart. */
function sceneOf(people: readonly (readonly (Spot | null)[])[], more: Partial<Scene> = {}): Scene {
  const looksS = Array.from({ length: people[0]?.length ?? 0 }, (_, look) => 1_800 + 5 * look);
  return {
    track: {
      bindingId: "b1",
      looksS,
      players: people.map((spots, n) => ({ player: { id: n + 1, name: `Player_${n}` }, spots })),
    },
    rows: [],
    atS: looksS.at(-1) ?? 1_800,
    playerIds: [],
    zone: "UTC",
    look: "dark",
    ...more,
  };
}

const spot = (x: number, z = 0, more: Partial<Spot> = {}): Spot => ({
  x,
  z,
  team: "Civilian",
  street: "Elm",
  ...more,
});
const times = <T>(count: number, of: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => of(n));

function assertDrawn(scene: Scene): void {
  const picture = replayPicture(scene);
  for (const svg of replaySvgs(picture, undefined)) assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
  const signature = Buffer.from(imageOf(picture).slice(0, 4)).toString("latin1");
  assert.match(signature, /GIF8|PNG/);
}

/** How long each dashed way from look to look is, in dots. */
function waysIn(svg: string): readonly number[] {
  const ways = svg.matchAll(
    /<line x1="([\d.-]+)" y1="([\d.-]+)" x2="([\d.-]+)" y2="([\d.-]+)" [^>]*stroke-dasharray="4 4"/g,
  );
  return [...ways].map(([, x1, y1, x2, y2]) => Math.hypot(Number(x2) - Number(x1), Number(y2) - Number(y1)));
}

describe("a replay", () => {
  test("of nobody, of everybody on one spot, of two hundred: each is drawn, and said within what a card holds", () => {
    for (const scene of [
      sceneOf([]),
      sceneOf([times(8, () => null)]),
      sceneOf(times(40, () => times(8, () => spot(7, 7)))),
      sceneOf(
        times(40, () => times(8, () => spot(7, 7))),
        { playerIds: times(40, (n) => n + 1) },
      ),
      sceneOf(times(200, (n) => times(8, (look) => spot(n * 15, look * 20)))),
      sceneOf([times(8, (look) => spot(look % 2 === 0 ? -100_000 : 100_000))], { playerIds: [1] }),
    ]) {
      assertDrawn(scene);
      const said = wordsIn(replayMessage({ scene, serverName: "Town", nowS: 2_000 }, { image: undefined }));
      assert.ok(said.length <= 4_096, `${said.length} letters`);
    }
    const nobody = wordsIn(
      replayMessage({ scene: sceneOf([]), serverName: "Town", nowS: 2_000 }, { image: undefined }),
    );
    assert.match(nobody, /No positions were saved then/);
  });

  test("says in its title how many are on it, however long the server's name is", () => {
    const state = {
      ...stateOf([player(1), player(2)]),
      status: serverStatus({ name: "Riverside Roleplay ".repeat(4) }),
    };
    const svg = mapSvg(shown(state).picture, undefined);
    assert.match(svg, /Riverside Roleplay.*… · 2 players<\/text>/);
  });

  test("of names, teams and streets that are markup: they are drawn as text, and said without a mention or a link", () => {
    for (const word of HOSTILE) {
      const spots = times(8, (look) => spot(look * 40, 0, { team: word, street: word, postal: word }));
      const { track, ...rest } = sceneOf([spots, spots], { playerIds: [1, 2] });
      const players = track.players.map((one) => ({ ...one, player: { ...one.player, name: word } }));
      const kill = {
        bindingId: "b1",
        kind: "kill",
        atS: 1_812,
        killer: { id: 1, name: word },
        killed: { id: 2, name: word },
      } as const;
      const scene = { ...rest, track: { ...track, players }, rows: [kill] };
      assertDrawn(scene);
      for (const svg of replaySvgs(replayPicture(scene), undefined))
        assert.doesNotMatch(svg, /<script|<image|<!\[CDATA|<b>/);
      const body = replayMessage({ scene, serverName: word, nowS: 2_000 }, { image: new Uint8Array(1) });
      assert.doesNotMatch(wordsIn(body), /(?<!\\)@everyone|(?<!\\)<@|\]\(http|(?<!\\)\|\|/);
      assert.ok(wordsIn(body).length <= 4_096 && (body.files?.[0]?.description ?? "").length <= 1_024);
    }
  });

  test("names the zone of its times in every drawing, also the longest", () => {
    const spots = times(8, (look) => spot(look * 40));
    for (const zone of ["UTC", "America/Argentina/Buenos_Aires"]) {
      const scene = sceneOf([spots], { playerIds: [1], zone });
      const drawings = replaySvgs(replayPicture(scene), undefined);
      assert.equal(drawings.length, 9);
      for (const svg of drawings) assert.ok(svg.includes(`Times in ${zone}. Positions every 5 s.`));
    }
  });

  test("marks a moderator call on its time line by the sign of a call, not by the cross of a kill", () => {
    const spots = times(8, (look) => spot(look * 40));
    const caller = { id: 1, name: "Player_0" };
    const call = { bindingId: "b1", kind: "modCall", atS: 1_812, caller } as const;
    const [drawn = ""] = replaySvgs(
      replayPicture(sceneOf([spots], { playerIds: [1], rows: [call] })),
      undefined,
    );
    assert.doesNotMatch(drawn, /<path d="M[\d.]+ [\d.]+ L[\d.]+ [\d.]+ M/, "a cross");
    assert.equal(drawn.match(/>!<\/text>/g)?.length, 3, "on the map, on the time line and in the legend");
  });

  test("without looks: of a time within the kept days they were not saved, before it they are erased", () => {
    const scene = sceneOf([], { atS: 10 * 86_400 });
    const said = (nowS: number) =>
      wordsIn(replayMessage({ scene, serverName: "Town", positionDays: 2, nowS }, { image: undefined }));
    assert.match(said(12 * 86_400 - 60), /No positions were saved then\.$/m);
    assert.doesNotMatch(said(12 * 86_400 - 60), /kept for|Turn that on/);
    assert.match(said(12 * 86_400 + 60), /No positions are saved from then: they are kept for 2 days\./);
  });

  test("says who jumped, and of two who change places that both did; neither has a line", () => {
    const far = (from: number, to: number) => times(8, (look) => spot(look < 4 ? from : to));
    const scene = sceneOf([far(0, 2_000), far(2_000, 0)], { playerIds: [1, 2] });
    const said = wordsIn(replayMessage({ scene, serverName: "Town", nowS: 2_000 }, { image: undefined }));
    assert.equal(said.match(/\(jumped here\)/g)?.length, 2);
    const [poster = ""] = replaySvgs(replayPicture(scene), undefined);
    for (const units of waysIn(poster)) assert.ok(units < 1, "they stood, before and after");
  });

  test("with a gap is one still that says so, with how far apart the looks are", () => {
    const { track, ...rest } = sceneOf([times(8, (look) => spot(look * 40))], { playerIds: [1] });
    const looksS = track.looksS.map((atS, look) => atS + (look > 3 ? 40 : 0));
    const scene = { ...rest, track: { ...track, looksS } };
    const body = replayMessage({ scene, serverName: "Town", nowS: 2_000 }, { image: new Uint8Array(1) });
    assert.match(wordsIn(body), /Too few looks for a replay/);
    assert.match(wordsIn(body), /Positions every 5 to 45 s\./);
    assert.equal(body.files?.[0]?.name, "replay.png");
    assert.equal(replaySvgs(replayPicture(scene), undefined).length, 1);
  });

  test("of somebody who is not always there: no place is made up where they were not seen", () => {
    const scene = sceneOf([times(8, (look) => (look === 3 || look === 4 ? null : spot(look * 40)))], {
      playerIds: [1],
    });
    const said = wordsIn(replayMessage({ scene, serverName: "Town", nowS: 2_000 }, { image: undefined }));
    assert.match(said, /not seen/);
    const [poster = ""] = replaySvgs(replayPicture(scene), undefined);
    const ways = waysIn(poster);
    assert.ok(ways.length > 0 && Math.max(...ways) < 1.1 * Math.min(...ways), "no way leads over the hole");
  });
});

describe("a map of now", () => {
  test("of nobody, and of two hundred with the longest of names, is said within what a card holds", () => {
    const nobody = shown(stateOf([]));
    assert.match(wordsIn(nobody.body), /Nobody is in the server/);
    assert.match(mapSvg(nobody.picture, undefined), /Nobody is on the map/);
    const crowd = times(200, (n) =>
      player(n, {
        player: { id: n + 1, name: `${"W_*".repeat(20)}${n}` },
        team: `Team ${"_".repeat(90)}${n % 50}`,
      }),
    );
    const { picture, body } = shown(stateOf(crowd));
    assert.equal(picture.points.length, 200);
    assert.ok(wordsIn(body).length <= 4_096, `${wordsIn(body).length} letters`);
    assert.ok(wordsIn(shown(stateOf(crowd), { playerId: 100 }).body).length <= 4_096);
  });

  test("of names, teams and streets that are markup is text, in the picture and in the words", () => {
    for (const word of HOSTILE) {
      const { picture, body } = shown(
        stateOf([
          player(1, {
            player: { id: 1, name: word },
            team: word,
            location: { x: 1, z: 2, streetName: word, postalCode: word },
          }),
        ]),
      );
      assert.doesNotMatch(mapSvg(picture, undefined), /<script|<image|<!\[CDATA|<b>/);
      assert.equal(Buffer.from(imageOf(picture).slice(1, 4)).toString(), "PNG");
      assert.doesNotMatch(wordsIn(body), /(?<!\\)@everyone|(?<!\\)<@|\]\(http|(?<!\\)\|\|/);
    }
  });

  test("places that are none are counted and not drawn, of players as of emergency calls", () => {
    const odd = [Number.NaN, 1e300, -1e9, Number.POSITIVE_INFINITY];
    const players = [player(1), ...odd.map((x, n) => player(n + 10, { location: { x, z: x } })), player(20)];
    const { location: _, ...placeless } = player(30);
    const calls = odd.map((x, n): EmergencyCall => {
      return { team: "Police", callNumber: n + 1, startedAtS: 1, unitIds: [], position: [x, 5] };
    });
    const { picture, body } = shown(stateOf([...players, placeless], calls));
    assert.deepEqual(
      picture.points.map(({ name }) => name),
      ["Player_1", "Player_20"],
    );
    assert.deepEqual(picture.calls, []);
    assert.match(wordsIn(body), /Without a place: 5/);
    assert.match(wordsIn(shown(stateOf([placeless]), { playerId: 31 }).body), /Their place is not known/);
  });
});

describe("the operator's picture of the map", () => {
  test("of any bytes is a picture or named as none, and never more than that", () => {
    const folder = tempFolder();
    try {
      const file = join(folder.path, "map");
      const begins = [
        [0xff, 0xd8],
        [0xff, 0xd8, 0xff, 0xc0],
        [0x89, 0x50, 0x4e, 0x47],
        [0x47, 0x49, 0x46],
        [],
      ];
      fc.assert(
        fc.property(fc.constantFrom(...begins), fc.uint8Array({ maxLength: 300 }), (begin, rest) => {
          writeFileSync(file, Buffer.from([...begin, ...rest]));
          const found = readMapImage({ file, x1: 0, z1: 0, x2: 100, z2: 100 }, shrunkMap);
          assert.ok("why" in found && found.why.startsWith(file));
        }),
        { numRuns: 150 },
      );
    } finally {
      folder.remove();
    }
  });
});
