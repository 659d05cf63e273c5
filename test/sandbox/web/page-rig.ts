import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { openStage, type Stage } from "../../../src/sandbox/stage.ts";
import { findChromium, launchChromium } from "../../../src/sandbox/web/browser.ts";
import { Panel } from "../../../src/sandbox/web/panel.ts";
import type { Actor } from "../../../src/sandbox/web/protocol.ts";
import { type PageServer, servePage } from "../../../src/sandbox/web/server.ts";
import { PATIENCE_MS } from "../../e2e/read.ts";

const pictures = fileURLToPath(new URL("../../../test-output/", import.meta.url));

/** Why the tests that need a browser cannot run here; false where they can. */
export async function whyNoBrowser(): Promise<string | false> {
  return (await findChromium()) === undefined ? "SKIPPED: this machine has no Chromium" : false;
}

/** A real browser at the page of a whole sandbox: the real bot, both emulators. */
export class PageRig {
  readonly stage: Stage;
  readonly panel: Panel;
  readonly browser: Browser;
  readonly page: Page;
  server: PageServer;
  /** What must not happen, as it happened: errors of the page, refusals of its policy, requests that leave the machine. */
  readonly complaints: string[] = [];
  /** Every text that came to the page over the socket. */
  readonly frames: string[] = [];

  private constructor(parts: {
    stage: Stage;
    panel: Panel;
    browser: Browser;
    page: Page;
    server: PageServer;
  }) {
    this.stage = parts.stage;
    this.panel = parts.panel;
    this.browser = parts.browser;
    this.page = parts.page;
    this.server = parts.server;
  }

  /** The bot does not run yet. */
  static async open(): Promise<PageRig> {
    const stage = await openStage({ seed: 5, serverKey: "page-test-river", traffic: "quiet", live: true });
    stage.town.pause();
    stage.discord.limits.answerWithinMs = PATIENCE_MS;
    const panel = new Panel(stage);
    const server = await servePage({ stage, panel, port: 0 });
    const executable = await findChromium();
    assert.ok(executable);
    const browser = await launchChromium(executable);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    page.setDefaultTimeout(PATIENCE_MS);
    const rig = new PageRig({ stage, panel, browser, page, server });
    page.on("pageerror", (error) => rig.complaints.push(error.message));
    page.on("console", (message) => {
      const isLost = message.text().includes("WebSocket connection");
      if (message.type() === "error" && !isLost) rig.complaints.push(message.text());
    });
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol !== "data:" && url.hostname !== "127.0.0.1")
        rig.complaints.push(`asks for ${url.href}`);
    });
    page.on("websocket", (socket) => {
      socket.on("framereceived", ({ payload }) => rig.frames.push(String(payload)));
    });
    return rig;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.close();
    await this.panel.close();
    await this.stage.close();
  }

  async goto(actor: Actor, channel: string): Promise<void> {
    await this.page.goto(`${this.server.url}/?as=${actor}&channel=${channel}&dark`);
    await this.page.locator('html[data-connected="true"]').waitFor({ state: "attached" });
    await this.title(channel);
  }

  async channel(name: string): Promise<void> {
    await this.page.locator(`[data-channel="${name}"]`).click();
    await this.title(name);
  }

  async actAs(actor: Actor): Promise<void> {
    await this.page.locator(`[data-actor="${actor}"]`).click();
    await this.page.locator(`[data-actor="${actor}"][aria-pressed="true"]`).waitFor();
  }

  async title(text: string): Promise<void> {
    await this.page.locator("#channel-title", { hasText: text }).waitFor();
  }

  /** Types a line into the box and sends it. */
  async type(line: string): Promise<void> {
    const box = this.page.locator(".composer-text");
    await box.fill(line);
    await box.press("Enter");
  }

  /** The last message that says this, once it is there. */
  async message(text: string | RegExp): Promise<ReturnType<Page["locator"]>> {
    const found = this.page.locator("discord-message", { hasText: text }).last();
    await found.waitFor();
    return found;
  }

  async pull(id: string): Promise<void> {
    await this.page.locator(`[data-lever="${id}"]`).click();
  }

  /** Keeps a picture in test-output/, after all that is being drawn has been. */
  async picture(name: string): Promise<void> {
    await mkdir(pictures, { recursive: true });
    await this.page.screenshot({ path: `${pictures}${name}.png` });
  }

  /** Elements that a person would see cut off at the side, or that stand over one another's text. */
  async cutOff(): Promise<readonly string[]> {
    return await this.page.evaluate<string[]>(`(() => {
      const width = document.documentElement.clientWidth;
      const found = [];
      if (document.documentElement.scrollWidth > width) found.push("the page scrolls sideways");
      const seen = "#top, #composer, .composer-box, discord-message, discord-embed, .action-row .button, .picker, .modal, .channel, .lever";
      for (const element of document.querySelectorAll(seen)) {
        const box = element.getBoundingClientRect();
        const style = getComputedStyle(element);
        if (box.width === 0 || style.visibility === "hidden") continue;
        if (box.left < -1 || box.right > width + 1) found.push(element.tagName + "." + element.className + " " + element.textContent.slice(0, 40));
      }
      return found;
    })()`);
  }
}
