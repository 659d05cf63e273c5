import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replayMessage } from "../../src/discord/render/map/replay-message.ts";
import { replayPicture } from "../../src/discord/render/map/replay-picture.ts";
import { isMoving } from "../../src/domain/map.ts";
import { imageOf } from "../../src/history/pictures/image.ts";
import { seededRandom } from "../support/clock.ts";
import { playScene, SCENES } from "../support/map-scenes.ts";

/** Looks each so many seconds; at the last no replay is offered. */
const PACES_S = [5, 10, 20, 30];

/**
 * Ten scenes for somebody who has not seen the code: `npm run soak -- scenes FOLDER` writes for each pace a picture and
 * the words of each, in an order of its own, and `verdicts.json` beside them with what really happened. The question is
 * the same for each: killed without a reason (rdm), a fair fight (fair), or nobody can tell (unclear)?
 */
export async function run([folder]: readonly string[]): Promise<boolean> {
  if (folder === undefined) throw new Error("npm run soak -- scenes FOLDER: where the pictures go");
  const verdicts: Record<string, string> = {};
  let areRight = true;
  for (const everyS of PACES_S) {
    const place = join(folder, `${everyS}s`);
    mkdirSync(place, { recursive: true });
    const random = seededRandom(everyS);
    const order = SCENES.map((scene) => ({ scene, at: random.next() })).sort((a, b) => a.at - b.at);
    for (const [index, { scene }] of order.entries()) {
      const played = playScene(scene, everyS);
      const view = { ...played, zone: "UTC", look: index % 2 === 0 ? ("dark" as const) : ("light" as const) };
      const picture = replayPicture(view);
      areRight &&= isMoving(picture) === everyS <= 20;
      const image = imageOf(picture);
      const name = `scene-${index + 1}`;
      const file = `${name}.${isMoving(picture) ? "gif" : "png"}`;
      writeFileSync(join(place, file), image);
      const words = replayMessage({ scene: view, serverName: "Town", nowS: 2_000 }, { image: undefined });
      const said = (words.cards?.[0]?.description ?? "").replaceAll(/<t:(\d+):[a-zA-Z]>/g, (_, atS: string) =>
        new Date(Number(atS) * 1_000).toISOString().slice(11, 19),
      );
      writeFileSync(join(place, `${name}.txt`), `${said}\n`);
      verdicts[`${everyS}s/${name}`] = played.verdict;
    }
  }
  writeFileSync(join(folder, "verdicts.json"), `${JSON.stringify(verdicts, undefined, 1)}\n`);
  console.log(
    `${Object.keys(verdicts).length} scenes stand in ${folder}; verdicts.json is for who judges the judges`,
  );
  return areRight;
}
