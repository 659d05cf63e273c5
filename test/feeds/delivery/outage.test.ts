import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seededRandom } from "../../support/clock.ts";
import { type FeedsRig, joined, withRig } from "../../support/feeds-rig.ts";

const ENTRIES = 2_500;

/** Names of all who joined, as the channel tells it, in its lines or in a file. */
function posted(rig: FeedsRig): string[] {
  const files = rig.sink.messages("channel-1").flatMap(({ body }) => body.files ?? []);
  const inFiles = files.flatMap(({ data }) =>
    [...String(data).matchAll(/\t(P\d+) /g)].map((hit) => hit[1] ?? ""),
  );
  return [...joined(rig), ...inFiles].sort();
}

describe("a digest that is due while Discord is away", () => {
  for (const minutes of [1, 10, 60, 360]) {
    for (const end of ["stays", "is killed", "is stopped in order"] as const) {
      test(`for ${minutes} minutes, and the process ${end}: each entry stands once`, () =>
        withRig(
          async (rig) => {
            // A log of which something is known: no notice of a gap goes before the digest.
            rig.join("P0");
            await rig.pollAndFlush();
            const random = seededRandom(minutes);
            // Of the attempts some arrive, and only their answers are lost.
            rig.sink.fault = () => (random.next() < 0.3 ? "lost" : "unknown");
            const names = Array.from({ length: ENTRIES }, (_, n) => `P${n}`);
            for (const name of names.slice(1)) rig.join(name);
            await rig.pollAndFlush(minutes * 30_000);
            if (end === "is killed") await rig.crash();
            if (end === "is stopped in order") {
              await rig.stop();
              await rig.restart();
            }
            await rig.pollAndFlush(minutes * 30_000);
            rig.sink.fault = () => undefined;
            await rig.pollAndFlush(180_000);
            assert.deepEqual(posted(rig), names.sort());
          },
          { feeds: [{}] },
        ));
    }
  }
});
