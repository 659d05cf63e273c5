import { commandIsThere } from "../../../src/sandbox/moves.ts";
import { openStage } from "../../../src/sandbox/stage.ts";
import { addFeeds } from "../../e2e/compare.ts";
import { fillDisk, smallDisk } from "../../support/small-disk.ts";
import { until, type Walk } from "./walk.ts";

const DISK_KB = 16_384;

/** A disk that fills up under a bot at work: what it says, and that it goes on by itself. */
export async function fillsUp({ note }: Walk): Promise<void> {
  const ends: (() => void)[] = [];
  const dataFolder = smallDisk({ after: (end) => ends.push(end) }, DISK_KB);
  if (dataFolder === undefined) return console.log("not run here: a full disk (nobody may mount one)");
  const stage = await openStage({
    seed: 6,
    serverKey: "diskTown-one",
    traffic: "busy",
    live: true,
    dataFolder,
  });
  try {
    const { bot } = stage;
    bot.start();
    await commandIsThere(stage, stage.cast.owner, stage.cast.channels.staff, "setup");
    await addFeeds(stage);
    await until(async () => (await bot.readiness()).startsWith("ready"));
    const empty = fillDisk(dataFolder);
    const said = async (words: RegExp) => words.test(await bot.readiness());
    await until(() => said(/^the store cannot be written/)).catch(() => undefined);
    console.log(`  ${(await bot.readiness()).trim().split("\n").join("\n  ")}`);
    note(
      "a full disk is named",
      await said(/^the store cannot be written: .*the disk is full\. Free some space/),
    );
    // What waits for the store does not reach the history: it may have nothing to write.
    if (await said(/history is not recorded/))
      note("the history names the cause too", await said(/history is not recorded: .*the disk is full/));
    empty();
    const isWell = async () => (await bot.readiness()) === "ready\n";
    await until(isWell).catch(async () => console.log(await bot.readiness(), bot.lines.slice(-8).join("\n")));
    note("with room again it goes on by itself, and the history too", await isWell());
  } finally {
    await stage.close();
    for (const end of ends) end();
  }
}
