import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  isJump,
  isMoving,
  type MapPicture,
  type MapPoint,
  type ReplayPicture,
} from "../../../src/domain/map.ts";
import type { Picture } from "../../../src/domain/stats.ts";
import { imageOf, shrunkMap } from "../../../src/history/pictures/image.ts";
import { readMapImage } from "../../../src/history/pictures/map/map-image.ts";
import { mapSvg } from "../../../src/history/pictures/map/map-svg.ts";
import { replaySvgs } from "../../../src/history/pictures/map/replay-svg.ts";
import { PictureDesk } from "../../../src/history/pictures/picture-desk.ts";
import { anyText } from "../../support/any-text.ts";
import { VirtualClock } from "../../support/clock.ts";
import { tempFolder } from "../../support/temp-folder.ts";

function point(x: number, z: number, more: Partial<MapPoint> = {}): MapPoint {
  return { x, z, team: "Civilian", name: "Ann", isStaff: false, wantedStars: 0, ...more };
}

function mapOf(points: readonly MapPoint[], look: "dark" | "light" = "dark"): MapPicture {
  return { kind: "map", look, title: "Town", points, calls: [] };
}

function replayOf(everyS: number, looks: number, gapAt = -1): ReplayPicture {
  const looksS = Array.from(
    { length: looks },
    (_, at) => 1_000 + at * everyS + (gapAt >= 0 && at > gapAt ? 60 : 0),
  );
  const spotsFrom = (x: number) =>
    looksS.map((_, at) => ({ x: x + at * 30, z: 500, team: "Police", street: "Elm" }));
  return {
    kind: "replay",
    look: "light",
    title: "Ann killed Bob",
    times: looksS.map(String),
    looksS,
    people: [
      { name: "Ann", isStaff: true, isMeant: true, spots: spotsFrom(0) },
      { name: "Bob", isStaff: false, isMeant: true, spots: spotsFrom(400) },
      {
        name: "Cy",
        isStaff: false,
        isMeant: false,
        spots: looksS.map((_, at) => (at % 2 === 0 ? null : point(9, 9))),
      },
    ],
    events: [{ atS: 1_001 + everyS, kind: "kill", words: "Ann killed Bob", person: 1 }],
    caption: ["Times in UTC. Positions every 5 s."],
  };
}

const signature = (bytes: Uint8Array) => Buffer.from(bytes.slice(0, 6)).toString("latin1");
/** Names of elements: all that could be more than text. */
const elementsOf = (svg: string) => [...svg.matchAll(/<\/?([^\s>/]+)/g)].map(([, name = ""]) => name);

describe("pictures of the map", () => {
  test("names, teams, streets and codes are text, whatever they are; nothing of them is markup", () => {
    const plain = (word: string) =>
      mapSvg(mapOf([point(1, 2, { name: word, team: word, street: word, postal: word })]), undefined);
    const known = new Set(elementsOf(plain("x")));
    const hostile = fc.oneof(
      anyText(),
      fc.constantFrom("</text><script>", "a & b", `"'<!--`, "]]>", "\0", "toString"),
    );
    fc.assert(
      fc.property(hostile, (word) => {
        for (const element of elementsOf(plain(word)))
          assert.ok(known.has(element) || element === "polygon", element);
        const replay = replayOf(5, 8);
        const people = replay.people.map((one) => ({ ...one, name: word }));
        const events = replay.events.map((one) => ({ ...one, words: word }));
        for (const svg of replaySvgs({ ...replay, title: word, people, events }, undefined))
          assert.doesNotMatch(svg, /<script|<!--/);
      }),
      { numRuns: 60 },
    );
    imageOf(mapOf([point(1, 2, { name: "</text>&", street: "<b>" })]));
  });

  test("nobody, one, all on one spot, two hundred, far apart: each is drawn", () => {
    const crowds = [
      [],
      [point(5, 5)],
      Array.from({ length: 40 }, () => point(7, 7)),
      Array.from({ length: 200 }, (_, n) =>
        point((n * 7_919) % 3_121, (n * 104_729) % 3_121, { name: `P${n}` }),
      ),
      [point(-100_000, 0), point(100_000, 0)],
    ];
    for (const look of ["dark", "light"] as const)
      for (const points of crowds) {
        assert.equal(signature(imageOf(mapOf(points, look))).slice(1, 4), "PNG");
        assert.doesNotMatch(mapSvg(mapOf(points, look), undefined), /NaN|Infinity/);
      }
  });

  test("each team has a shape of its own beside its colour, and staff and wanted are shapes too", () => {
    const teams = ["Civilian", "Police", "Sheriff", "Fire", "DOT", "Jail", "Rangers"];
    const shapes = teams.map((team) =>
      mapSvg(mapOf([point(1, 1, { team, name: "" })]), undefined)
        .replaceAll(/#[0-9a-f]{6}/g, "")
        .replaceAll(team, ""),
    );
    assert.equal(new Set(shapes).size, teams.length);
    const plain = mapSvg(mapOf([point(1, 1)]), undefined);
    assert.notEqual(mapSvg(mapOf([point(1, 1, { isStaff: true })]), undefined), plain);
    assert.notEqual(mapSvg(mapOf([point(1, 1, { wantedStars: 1 })]), undefined), plain);
  });

  test("who is wanted has the star of the words beside the picture, and so has the legend", () => {
    const stars = (wantedStars: number) => {
      const drawn = mapSvg(mapOf([point(1, 1, { team: "Sheriff", wantedStars })]), undefined);
      return drawn.match(/<polygon points="[^" ]+(?: [^" ]+){9}" fill/g)?.length ?? 0;
    };
    assert.deepEqual([stars(0), stars(3)], [0, 2]);
  });
});

/** Where each star and the middle of each text stands; the title and the legend are outside of the ground. */
function drawnOn(svg: string) {
  const ground = Number(/<rect x="10" y="36" width="([\d.]+)"/.exec(svg)?.[1]);
  const onGround = ({ top }: { readonly top: number }) => top > 36 && top < 36 + ground;
  const stars = [...svg.matchAll(/<polygon points="((?:[\d.-]+,[\d.-]+ ?){10})" fill/g)]
    .map(([, corners = ""]) =>
      corners
        .trim()
        .split(" ")
        .map((one) => one.split(",").map(Number)),
    )
    .map((corners) => ({
      left: Math.min(...corners.map(([x = 0]) => x)) + 6,
      top: Math.min(...corners.map(([, y = 0]) => y)) + 6,
    }));
  const texts = [
    ...svg.matchAll(
      /<text x="([\d.-]+)" y="([\d.-]+)"[^>]*font-size="([\d.]+)"[^>]*anchor="(\w+)"[^>]*>([^<]*)/g,
    ),
  ];
  return {
    stars: stars.filter(onGround),
    texts: texts
      .map(([, x, y, size, anchor, text = ""]) => {
        const width = text.length * Number(size) * 0.56;
        const left = anchor === "middle" ? Number(x) - width / 2 : Number(x);
        return { left, width, top: Number(y) - Number(size) / 2, text };
      })
      .filter(onGround),
  };
}

test("no name, street or postal code of a map stands on the star of somebody wanted", () => {
  const anybody = fc.record({
    x: fc.integer({ min: 0, max: 3_000 }),
    z: fc.integer({ min: 0, max: 3_000 }),
    name: fc.constantFrom("Riverside_OnDuty6905", "Ann", "NovaTheGreat"),
    isStaff: fc.boolean(),
    isMeant: fc.boolean(),
    wantedStars: fc.integer({ min: 0, max: 1 }),
    postal: fc.constantFrom("124", "197"),
    street: fc.constantFrom("Orchard Boulevard", "Joyner Road"),
  });
  fc.assert(
    fc.property(fc.array(anybody, { minLength: 1, maxLength: 12 }), (people) => {
      const { stars, texts } = drawnOn(
        mapSvg(mapOf(people.map((one) => point(one.x, one.z, one))), undefined),
      );
      assert.equal(stars.length, people.filter(({ wantedStars }) => wantedStars > 0).length);
      for (const star of stars)
        for (const { left, width, top, text } of texts) {
          const isApart =
            star.left + 5 < left || star.left - 5 > left + width || Math.abs(star.top - top) > 6;
          assert.ok(isApart, `${text} on a star`);
        }
    }),
    { numRuns: 200 },
  );
});

describe("replays", () => {
  test("six looks with no gap over 20 s move: the whole first, then a frame for each look; else there is one still", () => {
    for (const [everyS, looks, gapAt] of [
      [5, 25, -1],
      [10, 13, -1],
      [20, 6, -1],
      [20, 5, -1],
      [21, 8, -1],
      [5, 25, 12],
      [5, 0, -1],
      [5, 1, -1],
    ] as const) {
      const picture = replayOf(everyS, looks, gapAt);
      const moves = looks >= 6 && everyS <= 20 && gapAt < 0;
      assert.equal(isMoving(picture), moves, `${looks} looks, ${everyS} s, ${gapAt}`);
      assert.equal(replaySvgs(picture, undefined).length, moves ? looks + 1 : 1);
    }
    assert.equal(signature(imageOf(replayOf(5, 7))), "GIF89a");
    assert.equal(signature(imageOf(replayOf(5, 3))).slice(1, 4), "PNG");
  });

  test("who is brought elsewhere jumps: there is no line from the one place to the other", () => {
    const picture = replayOf(5, 6);
    const lines = (x: number) => {
      const spots = (picture.people[0]?.spots ?? []).map((spot, at) =>
        spot !== null && at > 2 ? { ...spot, x } : spot,
      );
      const people = [{ name: "Ann", isStaff: false, isMeant: true, spots }];
      return (
        replaySvgs({ ...picture, people, events: [] }, undefined)[0]?.match(/stroke-dasharray="4 4"/g)
          ?.length ?? 0
      );
    };
    assert.equal(lines(100), 5);
    assert.equal(lines(2_900), 2, "what lies beyond is not on the map, which is laid around what happened");
    assert.ok(isJump({ x: 0, z: 0 }, { x: 2_000, z: 0 }, 5) && !isJump({ x: 0, z: 0 }, { x: 300, z: 0 }, 10));
  });

  test("a community gets one replay in five minutes, and a still picture each minute beside it", async () => {
    const clock = new VirtualClock();
    let drawn = 0;
    const desk = new PictureDesk({
      clock,
      async draw(pictures) {
        drawn += 1;
        return pictures.map(() => new Uint8Array([drawn]));
      },
    });
    const ask = async (picture: MapPicture | ReplayPicture) => (await desk.draw("g1", [picture])).kind;
    const replay = (title: string) => ({ ...replayOf(5, 8), title });
    const still = (title: string) => ({ ...mapOf([]), title });
    assert.deepEqual(
      [await ask(replay("a")), await ask(replay("b")), await ask(still("a"))],
      ["made", "later", "made"],
    );
    assert.equal(await ask(still("b")), "later");
    await clock.advance(61_000);
    assert.deepEqual([await ask(replay("b")), await ask(still("b"))], ["later", "made"]);
    await clock.advance(240_000);
    assert.equal(await ask(replay("b")), "made");
    assert.equal(drawn, 4);
  });

  test("who asks for the map waits for nobody's figures, and nobody's figures wait for the map", async () => {
    const desk = new PictureDesk({ clock: new VirtualClock(), draw: async () => [new Uint8Array([1])] });
    const figures = (title: string): Picture => ({
      kind: "days",
      look: "dark",
      title,
      zone: "UTC",
      days: [],
    });
    const ask = async (picture: Picture) => (await desk.draw("g1", [picture])).kind;
    assert.equal(await ask(figures("a")), "made");
    assert.equal(await ask({ ...mapOf([]), title: "a" }), "made");
    assert.equal(await ask({ ...mapOf([]), title: "b" }), "later");
    // Too few looks for a moving one: a still of where people were.
    assert.equal(await ask({ ...replayOf(5, 3), title: "c" }), "later");
    assert.equal(await ask(figures("b")), "later");
    assert.equal(await ask(replayOf(5, 8)), "made");
  });

  test("the same map asked for again within the minute is answered from the one just made, and says of when it is", async () => {
    const clock = new VirtualClock();
    let drawn = 0;
    const desk = new PictureDesk({
      clock,
      async draw() {
        drawn += 1;
        if (drawn === 3) throw new Error("the thread is away");
        return [new Uint8Array([drawn])];
      },
    });
    const ask = (title: string, subject?: string, guildId = "g1") =>
      desk.draw(guildId, [{ ...mapOf([]), title }], { subject });
    const ofMs = clock.nowMs();
    const first = new Uint8Array([1]);
    assert.deepEqual(await ask("20:00", "town"), { kind: "made", pngs: [first] });
    await clock.advance(30_000);
    assert.deepEqual(await ask("20:01", "town"), { kind: "made", pngs: [first], ofMs });
    for (const other of ["harbour", undefined]) assert.equal((await ask("20:01", other)).kind, "later");
    assert.deepEqual(await ask("20:01", "town", "g2"), { kind: "made", pngs: [new Uint8Array([2])] });
    desk.forgetGuild("g1");
    assert.equal((await ask("20:01", "town")).kind, "later", "what was forgotten is shown to nobody");
    await clock.advance(30_000);
    await assert.rejects(ask("20:02", "town"), /away/);
    assert.deepEqual(await ask("20:03", "town"), { kind: "made", pngs: [new Uint8Array([4])] });
  });
});

describe("the operator's picture of the map", () => {
  const corners = { x1: 0, z1: 0, x2: 100, z2: 100 };
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#123456"/></svg>`;
  const png = () => shrunkMap(svg);

  test("lies under the points where it is one; what is none, is huge or has another shape is named", () => {
    const folder = tempFolder();
    try {
      const file = join(folder.path, "map.png");
      const read = (bytes: Uint8Array, of = corners) => {
        writeFileSync(file, bytes);
        const found = readMapImage({ file, ...of }, shrunkMap);
        return "why" in found ? found.why : "read";
      };
      assert.equal(read(png()), "read");
      assert.match(read(Buffer.from("<svg/>")), /neither a PNG nor a JPEG/);
      assert.match(read(new Uint8Array(0)), /neither/);
      assert.match(read(png(), { ...corners, x2: 300 }), /not the shape of its corners/);
      const huge = Buffer.from(png());
      huge.writeUInt32BE(60_000, 16);
      assert.match(read(huge), /60000 x 64 dots/);
      assert.match(read(Buffer.from(png()).subarray(0, 60)), /cannot be read/);
      assert.match(read(new Uint8Array(30_000_001)), /larger than 30 MB/);
      const none = readMapImage({ file: join(folder.path, "none.png"), ...corners }, shrunkMap);
      assert.match("why" in none ? none.why : "", /cannot be read/);

      writeFileSync(file, png());
      const image = readMapImage({ file, ...corners }, shrunkMap);
      assert.ok("url" in image);
      const picture = mapOf([point(10, 10), point(90, 90)]);
      assert.match(mapSvg({ ...picture, isCheck: true }, image), /<image href="data:image\/png;base64,/);
      assert.notDeepEqual(imageOf(picture, image), imageOf(picture));
    } finally {
      folder.remove();
    }
  });
});
