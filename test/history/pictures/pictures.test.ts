import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { weeklyRenderer } from "../../../src/discord/render/stats/weekly-card.ts";
import type { ChartPicture as Picture, ServerStats } from "../../../src/domain/stats.ts";
import { imageOf } from "../../../src/history/pictures/image.ts";
import { PictureDesk } from "../../../src/history/pictures/picture-desk.ts";
import { pictureText } from "../../../src/history/pictures/picture-text.ts";
import { svgOf } from "../../../src/history/pictures/svg.ts";
import { anyText } from "../../support/any-text.ts";
import { VirtualClock } from "../../support/clock.ts";

const staffOf = (...names: readonly string[]): Picture => ({
  kind: "staff",
  look: "dark",
  title: "Hours in the game",
  rows: names.map((name, n) => ({ name, playedS: 3_600 * n, calls: n })),
});

/** Names of elements and of attributes: all that could be more than text. */
function markupOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<\/?([^\s>/]+)/g)].map(([, name = ""]) => name);
}

const startS = 1_763_755_200;
const steps = [
  { startS, knownS: 3_600, players: 3.2, peak: 5, staff: 1 },
  { startS: startS + 3_600, knownS: 0 },
  { startS: startS + 7_200, knownS: 60, players: 0, peak: 0, staff: 0 },
];
const week = Array.from({ length: 168 }, (_, index) =>
  index % 5 === 0 ? { knownS: 0, uncoveredS: 0 } : { knownS: 3_600, players: index / 10, uncoveredS: index },
);
const days = [{ startS, playedS: 5_000, callsAnswered: 2 }];

const pictures = (look: "dark" | "light"): readonly Picture[] => [
  { kind: "players", look, title: "Players", zone: "UTC", stepKind: "hour", steps },
  { kind: "players", look, title: "Players", zone: "UTC", stepKind: "day", steps: [] },
  { kind: "week", look, title: "Week", week },
  { kind: "days", look, title: "Days", zone: "Europe/Berlin", days },
  { ...staffOf("Ann", "Bob"), look },
];

describe("pictures of figures", () => {
  test("each is drawn dark and light, with its words; where nothing is known too", () => {
    for (const picture of [...pictures("dark"), ...pictures("light")]) {
      const png = imageOf(picture);
      assert.deepEqual([...png.slice(1, 4)], [...Buffer.from("PNG")]);
      const silent = imageOf({ ...picture, title: "" });
      assert.notDeepEqual(png, silent, `${picture.kind} draws its title`);
    }
  });

  test("the titles of a weekly summary's pictures stand in them to their last letter, whatever the months are called", () => {
    const figures = { knownS: 604_800, players: 5, peak: 9, staff: 1, uncoveredS: 0 };
    // Each of them ends in the next month.
    const weeks = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month + 1, -2) / 1_000);
    const stats = (fromS: number): ServerStats => ({
      ...{ ...figures, bindingId: "b1", zone: "UTC", fromS, toS: fromS + 604_800, stepKind: "hour" },
      ...{ recordedSinceS: 0, joins: 1, visitors: 1, kills: 0, unrecordedS: 0, steps: [] },
      ...{ calls: { calls: 0, answered: 0, timed: 0 }, week: [] },
    });
    const drawn = weeks.flatMap((fromS) => weeklyRenderer.pictures(stats(fromS), "dark"));
    assert.equal(drawn.length, 24);
    for (const picture of drawn) {
      assert.ok("title" in picture && picture.kind !== "map" && picture.kind !== "replay");
      // Of what is beyond the edge nothing can be seen.
      const longer = imageOf({ ...picture, title: `${picture.title}W` });
      assert.notDeepEqual(imageOf(picture), longer, `${picture.title} is cut`);
    }
  });

  test("an hour that was recorded between two that were not is drawn", () => {
    const known = { knownS: 3_600, players: 10, peak: 12, staff: 2 };
    const pictureOf = (lone: object): Picture => ({
      kind: "players",
      look: "dark",
      title: "Players",
      zone: "UTC",
      stepKind: "hour",
      steps: Array.from({ length: 168 }, (_, hour) => ({
        startS: startS + hour * 3_600,
        ...(hour === 100 ? { ...known, ...lone } : hour < 90 ? known : { knownS: 0 }),
      })),
    });
    const drawn = imageOf(pictureOf({}));
    for (const other of [{ players: 5 }, { staff: 4 }, { peak: 7 }])
      assert.notDeepEqual(imageOf(pictureOf(other)), drawn);
  });

  test("a name is text, whatever is typed in it: it adds no element and no attribute", () => {
    const plain = markupOf(svgOf(staffOf("Ann", "Ann")));
    const hostile = [
      `<script>alert(1)</script>`,
      `"/><image href="http://x"/>`,
      `{a|b} {value} \${x}`,
      `]]><!--`,
      `&amp;&#60;b&#62;`,
      "\u202eevil\u0000\u001b",
    ];
    for (const name of hostile) {
      const svg = svgOf(staffOf(name, "Ann"));
      assert.deepEqual(markupOf(svg), plain, name);
      assert.doesNotMatch(svg, /http:\/\/x|<script|<image/);
      assert.ok(imageOf(staffOf(name, "Ann")).length > 0);
    }
  });

  test("any text at all becomes one short line that the font can draw and a parser can read", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 60 }), (typed) => {
        const shown = pictureText(typed, 16);
        assert.match(
          shown,
          /^[\u0020-\u024f\u0370-\u03ff\u0400-\u052f\u1e00-\u1eff\u2010-\u203a\u20a0-\u20bf□]+$/u,
        );
        assert.ok([...shown].length <= 16);
        assert.doesNotMatch(shown, /\p{C}/u);
      }),
    );
    assert.equal(pictureText("", 16), "(no name)");
    assert.equal(pictureText("日本 😀", 16), "□□ □");
  });
});

describe("how often pictures are drawn", () => {
  const made = [new Uint8Array([1])];

  test("one new drawing of a guild a minute; the same one again is there at once; other guilds do not wait", async () => {
    const clock = new VirtualClock();
    let drawn = 0;
    const desk = new PictureDesk({
      clock,
      draw: async () => {
        drawn += 1;
        return made;
      },
    });
    const one = [staffOf("Ann")];
    const other = [staffOf("Bob")];
    assert.equal((await desk.draw("1", one)).kind, "made");
    assert.equal((await desk.draw("1", one)).kind, "made");
    assert.equal(drawn, 1);
    assert.deepEqual(await desk.draw("1", other), {
      kind: "later",
      atMs: clock.nowMs() + 60_000,
      everyMs: 60_000,
    });
    assert.equal((await desk.draw("2", other)).kind, "made");
    await clock.advance(60_000);
    assert.equal((await desk.draw("1", other)).kind, "made");
    assert.equal(drawn, 3);
  });

  test("nobody is shown what was drawn for another guild, even where the figures are the same", async () => {
    const asked: string[] = [];
    const desk = new PictureDesk({
      clock: new VirtualClock(),
      draw: async () => {
        asked.push("drawn");
        return made;
      },
    });
    await desk.draw("1", [staffOf("Ann")]);
    await desk.draw("2", [staffOf("Ann")]);
    assert.equal(asked.length, 2);
  });

  test("a drawing that fails is none: the next may be tried at once", async () => {
    let fails = true;
    const desk = new PictureDesk({
      clock: new VirtualClock(),
      draw: async () => {
        if (fails) throw new Error("the worker is away");
        return made;
      },
    });
    await assert.rejects(desk.draw("1", [staffOf("Ann")]));
    fails = false;
    assert.equal((await desk.draw("1", [staffOf("Ann")])).kind, "made");
  });

  test("what was drawn while somebody was forgotten is given to nobody, and is drawn anew at once", async () => {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    let drawings = 0;
    const desk = new PictureDesk({
      clock: new VirtualClock(),
      async draw() {
        drawings += 1;
        if (drawings === 1) await finished;
        return [new Uint8Array([drawings])];
      },
    });
    const asked = [desk.draw("g", [staffOf("Ann")]), desk.draw("g", [staffOf("Ann")])];
    const others = desk.draw("h", [staffOf("Bob")]);
    desk.forgetGuild("g");
    finish();
    for (const one of asked) assert.equal((await one).kind, "later");
    assert.equal((await others).kind, "made");
    assert.deepEqual(await desk.draw("g", [staffOf("Ann")]), { kind: "made", pngs: [new Uint8Array([3])] });
  });
});
