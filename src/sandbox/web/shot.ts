import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Page } from "playwright-core";
import type { Stage } from "../stage.ts";
import { findChromium, launchChromium } from "./browser.ts";
import type { ShotOptions } from "./options.ts";
import type { Panel } from "./panel.ts";

/** Words for whoever asked for a picture that cannot be made. */
export class ShotError extends Error {}

const patienceMs = 25_000;

/** Opens the page as asked, types the lines, waits until it is still, saves the picture. */
export async function takeShot(url: string, stage: Stage, panel: Panel, options: ShotOptions): Promise<void> {
  const { channel, actor, widthPx, heightPx, isLight, lines, levers, file } = options;
  const known = stage.cast.guild.channels.map(({ name }) => name);
  if (!known.includes(channel))
    throw new ShotError(`--channel: there is no "${channel}"; there are ${known.join(", ")}`);
  const executable = await findChromium();
  if (executable === undefined)
    throw new ShotError("no Chromium was found on this machine; install one to take pictures");
  const browser = await launchChromium(executable);
  try {
    const page = await browser.newPage({
      viewport: { width: widthPx, height: heightPx },
      reducedMotion: "reduce",
    });
    const query = new URLSearchParams({ as: actor, channel, ...(isLight ? { light: "" } : {}) });
    await page.goto(`${url}/?${query}`);
    await page.locator('html[data-connected="true"]').waitFor();
    for (const lever of levers) await panel.pull(lever);
    for (const line of lines) await typeLine(page, line);
    await still(page);
    await mkdir(dirname(file), { recursive: true });
    await page.screenshot({ path: file });
  } finally {
    await browser.close();
  }
}

async function typeLine(page: Page, line: string): Promise<void> {
  const box = page.locator(".composer-text");
  await box.waitFor();
  await box.fill(line);
  await box.press("Enter");
  await still(page);
}

/** Resolves when the page says that it is still; what never comes to rest is taken as it is. */
async function still(page: Page): Promise<void> {
  const mark = page.locator('html[data-still="true"]');
  await mark.waitFor({ state: "attached", timeout: patienceMs }).catch(() => undefined);
}
