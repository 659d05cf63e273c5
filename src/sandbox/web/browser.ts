import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Browser } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const usualFolders = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome"];
const elsewhere = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Where this machine has a Chromium; undefined where it has none. */
export async function findChromium(path: string = process.env.PATH ?? ""): Promise<string | undefined> {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ""), ...usualFolders];
  const places = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...elsewhere];
  for (const place of places) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

/** Starts it without a window and without anything that it would ask the internet for. */
export async function launchChromium(executablePath: string): Promise<Browser> {
  // A development dependency: the page itself runs without it.
  const { chromium } = await import("playwright-core");
  return await chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-dev-shm-usage",
    ],
  });
}
