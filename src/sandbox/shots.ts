import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { commandIsThere } from "./moves.ts";
import { openStage } from "./stage.ts";
import { takeFirstSteps } from "./web/first-steps.ts";
import { Panel } from "./web/panel.ts";
import { SCREENS, type Screen } from "./web/screens.ts";
import { servePage } from "./web/server.ts";
import { openBrowser, posted, still } from "./web/shot.ts";
import { smallPng } from "./web/small-png.ts";

/**
 * `npm run shots [-- --to FOLDER --light --only NAME]`: the pictures of the documentation, wide and narrow. The town
 * is seeded and stands still, so that only times and references differ from one run to the next.
 */

const SIZES = [
  { suffix: "wide", width: 1_280, height: 800 },
  { suffix: "narrow", width: 390, height: 844 },
] as const;
/** A picture stays in the repository for ever, in each version. */
const LARGEST_BYTES = 150_000;

interface Taking {
  readonly browser: Browser;
  readonly folder: string;
  readonly isLight: boolean;
}

/** Each screen has a sandbox of its own: what one shows is no trace of another. Answers the names of its files. */
async function take(screen: Screen, { browser, folder, isLight }: Taking): Promise<readonly string[]> {
  const stage = await openStage({ seed: 1, serverKey: "sandbox-1-river", traffic: "quiet", live: true });
  stage.town.pause();
  // The owner and two of the staff play, so that the cards have somebody to name.
  for (const { name, id } of [0, 4, 5].map((index) => stage.town.world.person(index)))
    stage.town.join(name, id);
  stage.cast.guild.addChannel({ name: "game-server" });
  const panel = new Panel(stage);
  const server = await servePage({ stage, panel, port: 0, isEmpty: screen.isEmpty === true });
  try {
    panel.started();
    stage.bot.start();
    if (screen.isEmpty === true)
      await commandIsThere(stage, stage.cast.owner, stage.cast.channels.staff, "setup");
    else await takeFirstSteps(stage, panel);
    await posted(stage, panel, screen.isEmpty === true ? 0 : 2);
    await screen.did?.(stage);
    screen.happens?.(stage.town);
    await posted(stage, panel, screen.happens === undefined ? 0 : 2);
    if (screen.hasPast === true) await panel.pull("past");
    const page = await browser.newPage({ viewport: SIZES[0], reducedMotion: "reduce" });
    const query = new URLSearchParams({
      as: screen.as,
      channel: screen.channel,
      [isLight ? "light" : "dark"]: "",
    });
    await page.goto(`${server.url}/?${query}`);
    await page.locator('html[data-connected="true"]').waitFor();
    await screen.does?.(page, stage.town);
    await still(page);
    const files: string[] = [];
    for (const { suffix, ...size } of SIZES) {
      await page.setViewportSize(size);
      await still(page);
      const path = join(folder, `${screen.name}-${suffix}.png`);
      await writeFile(path, smallPng(await page.screenshot()));
      files.push(path);
    }
    await page.close();
    return files;
  } finally {
    await server.close();
    await panel.close();
    await stage.close();
  }
}

const { values } = parseArgs({
  options: {
    to: { type: "string", default: "docs/screens" },
    light: { type: "boolean", default: false },
    only: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log("npm run shots [-- --to FOLDER --light --only NAME]: takes the pictures of the documentation");
  process.exit(0);
}
const wanted = SCREENS.filter(({ name }) => values.only === undefined || name === values.only);
if (wanted.length === 0)
  throw new Error(
    `--only: there is no "${values.only}"; there are ${SCREENS.map(({ name }) => name).join(", ")}`,
  );
await mkdir(values.to, { recursive: true });
const browser = await openBrowser();
try {
  for (const screen of wanted)
    for (const file of await take(screen, { browser, folder: values.to, isLight: values.light })) {
      const { size } = await stat(file);
      process.stdout.write(`${file} ${Math.round(size / 1_000)} KB\n`);
      if (size > LARGEST_BYTES) throw new Error(`${file} is too large for a repository`);
    }
} finally {
  await browser.close();
}
