import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { Stage } from "../stage.ts";
import { findChromium, launchChromium } from "./browser.ts";
import type { ShotOptions } from "./options.ts";
import type { Panel } from "./panel.ts";

/** Words for whoever asked for a picture that cannot be made. */
export class ShotError extends Error {}

const patienceMs = 25_000;
const postedMs = 10_000;

/** Opens the page as asked, types the lines, waits until it is still, saves the picture. */
export async function takeShot(url: string, stage: Stage, panel: Panel, options: ShotOptions): Promise<void> {
  const { channel, actor, widthPx, heightPx, isLight, lines, levers, file } = options;
  const known = stage.cast.guild.channels.map(({ name }) => name);
  if (!known.includes(channel))
    throw new ShotError(`--channel: there is no "${channel}"; there are ${known.join(", ")}`);
  const pulls = panel.levers.views().map(({ id }) => id);
  const unknown = levers.find((id) => !pulls.includes(id));
  if (unknown !== undefined)
    throw new ShotError(`--lever: there is no "${unknown}"; there are ${pulls.join(", ")}`);
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({
      viewport: { width: widthPx, height: heightPx },
      reducedMotion: "reduce",
    });
    const query = new URLSearchParams({ as: actor, channel, [isLight ? "light" : "dark"]: "" });
    await page.goto(`${url}/?${query}`);
    await page.locator('html[data-connected="true"]').waitFor();
    for (const lever of levers) await panel.pull(lever);
    await posted(stage, panel, levers.length > 0 ? 2 : 0);
    for (const line of lines) await typeLine(page, line);
    await still(page);
    await mkdir(dirname(file), { recursive: true });
    await page.screenshot({ path: file });
  } finally {
    await browser.close();
  }
}

/** This machine's Chromium. @throws ShotError where it has none */
export async function openBrowser(): Promise<Browser> {
  const executable = await findChromium();
  if (executable === undefined)
    throw new ShotError("no Chromium was found on this machine; install one to take pictures");
  return await launchChromium(executable);
}

/** Until the bot has asked the service this often and posted what it learned; a busy town never comes to an end. */
export async function posted(stage: Stage, panel: Panel, polls: number): Promise<void> {
  const before = stage.service.counts.requests;
  const endMs = performance.now() + postedMs;
  while (performance.now() < endMs) {
    await panel.refresh();
    const { bot } = panel.view();
    const isPosted = bot?.undelivered === 0 && (bot.cardsToShow ?? 0) === 0;
    if (isPosted && stage.service.counts.requests >= before + polls) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Types a line into the box, sends it, and waits for its answer. */
export async function typeLine(page: Page, line: string): Promise<void> {
  const box = page.locator(".composer-text");
  await box.waitFor();
  await box.fill(line);
  await box.press("Enter");
  await still(page);
}

/** Resolves when the page says that it is still; what never comes to rest is taken as it is. */
export async function still(page: Page): Promise<void> {
  const mark = page.locator('html[data-still="true"]');
  await mark.waitFor({ state: "attached", timeout: patienceMs }).catch(() => undefined);
}
