import { addAlert, addFeed, allowOwner, commandIsThere, linkServer } from "../moves.ts";
import type { Stage } from "../stage.ts";
import type { Panel } from "./panel.ts";

/** In which channel each kind of feed goes. */
const feeds = [
  ["joins", "joins"],
  ["kills", "kills"],
  ["mod-calls", "modCalls"],
] as const;

/**
 * What an owner would do first, done for whoever only wants to look: link the server, give feeds their channels, set up
 * an alert. Through the same forms and buttons.
 */
export async function takeFirstSteps(stage: Stage, panel: Panel): Promise<void> {
  const { owner, channels } = stage.cast;
  await commandIsThere(stage, owner, channels.staff, "setup");
  panel.note("sandbox", "The bot logged in and registered its commands");
  await linkServer(stage);
  panel.note("sandbox", `Olivia linked ${stage.town.world.info.name} with /setup`);
  await allowOwner(stage);
  panel.note("sandbox", "Olivia gave her own role full access with /staff allow");
  for (const [kind, place] of feeds) await addFeed(stage, kind, channels[place]);
  panel.note("sandbox", "Olivia gave joins, kills and mod calls a channel with /feed add");
  await addAlert(stage, "kills", channels.staff);
  panel.note("sandbox", "Olivia set up an alert about kill sprees in #staff-room with /alert add");
  await firstRead(stage);
  for (const name of ["Riley_Brooks", "Casey_Holt", "Jamie_Cole"]) stage.town.join(name);
}

/**
 * A feed's first answer is its baseline and posts nothing, so the first joins must come after it. The service has
 * no events: its counts are looked at.
 */
async function firstRead(stage: Stage): Promise<void> {
  const before = stage.service.counts.requests;
  const endMs = performance.now() + 10_000;
  while (stage.service.counts.requests < before + 2 && performance.now() < endMs && stage.bot.running)
    await new Promise((resolve) => setTimeout(resolve, 100));
}
