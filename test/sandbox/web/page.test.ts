import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { servePage } from "../../../src/sandbox/web/server.ts";
import { PageRig, whyNoBrowser } from "./page-rig.ts";

describe("the sandbox page in a real browser", { skip: await whyNoBrowser(), timeout: 600_000 }, () => {
  let rig: PageRig;

  before(async () => {
    rig = await PageRig.open();
    await rig.goto("owner", "staff-room");
  });
  after(() => rig.close());

  test("offers the commands by keyboard alone, also those that come while one types, and Escape leaves", async () => {
    const { page, stage } = rig;
    await page.locator(".composer-text").focus();
    await page.keyboard.type("/set");
    assert.equal(await page.locator(".popup .row").count(), 0);
    stage.bot.start();
    await page.locator(".popup .row", { hasText: "/setup link" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    const active = await page.locator(".popup .row.is-active").textContent();
    assert.match(active ?? "", /^\/setup/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".popup .row").count(), 0);
    await page.locator(".composer-text").fill("");
  });

  test("links a server through the form of /setup", async () => {
    const { page, stage } = rig;
    await rig.type("/setup link");
    const form = page.locator("dialog.modal");
    await form.waitFor();
    await form.locator('button[type="submit"]').click();
    await form.locator(".modal-error", { hasText: "required" }).waitFor();
    await rig.picture("setup-form-1280-dark");
    await form.locator("input.text-input").fill(stage.serverKey);
    await form.locator(".picker-input").click();
    await page.keyboard.type("Moder");
    await page.keyboard.press("Enter");
    await form.locator('button[type="submit"]').click();
    await form.waitFor({ state: "detached" });
    const question = await rig.message(/is this your server/i);
    assert.match((await question.textContent()) ?? "", /Only you can see this/);
    await question.locator(".button", { hasText: /^Yes/ }).click();
    await rig.message(/is linked/i);
    await rig.picture("linked-1280-dark");
  });

  test("fills a command's options: choices, channels, and what must be given", async () => {
    const { page } = rig;
    await page.locator(".composer-text").fill("/feed add");
    await page.keyboard.press("Tab");
    await page.locator(".option", { hasText: "kind" }).waitFor();
    await page.locator(".popup .row", { hasText: "Joins and leaves" }).click();
    await page.locator('[data-option="channel"]').click();
    await page.keyboard.type("joi");
    await page.locator(".popup .row", { hasText: "joins" }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await rig.message(/Feed added: joins and leaves in .*joins/);
    await rig.type("/feed add kind: kills channel: #kills");
    await rig.message(/Feed added: kills in .*kills/);
    await rig.type("/feed add kind: mod-calls channel: #mod-calls");
    await rig.message(/Feed added: moderator calls in .*mod-calls/);
    await rig.type("/feed add kind: nonsense");
    await page.locator(".notice", { hasText: '"nonsense" is not in the list' }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
  });

  test("shows /server status to a member", async () => {
    await rig.channel("general");
    await rig.actAs("member");
    await rig.type("/server status");
    const status = await rig.message(rig.stage.town.world.info.name);
    assert.match((await status.textContent()) ?? "", /Max used \/server status/);
    assert.equal((await status.textContent())?.includes(rig.stage.town.world.info.joinKey), false);
    await rig.picture("status-1280-dark");
  });

  test("refuses /run command to a member, who alone sees it", async () => {
    const before = rig.stage.service.counts.executions.length;
    await rig.type("/run command text: :h I am staff now");
    const refusal = await rig.message(/Only \w+ can/i);
    assert.match((await refusal.textContent()) ?? "", /Only you can see this/);
    await rig.actAs("moderator");
    assert.equal(await rig.page.locator("discord-message", { hasText: /Only \w+ can/i }).count(), 0);
    assert.equal(rig.stage.service.counts.executions.length, before);
  });

  test("runs a command as staff, with live autocompletion of players", async () => {
    const { page, stage } = rig;
    const name = stage.town.players[0]?.name ?? "";
    // Completion answers from what the bot has seen; this makes it look.
    await rig.type("/server players");
    await rig.message(name);
    await page.locator(".composer-text").fill("/run command");
    await page.keyboard.press("Tab");
    await page.locator(".option-input").waitFor();
    await page.keyboard.type(`:pm ${name.slice(0, 3)}`);
    await page.locator(".popup .row", { hasText: name }).first().waitFor();
    await rig.picture("autocompletion-1280-dark");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    const text = ":h Welcome to the night shift";
    await rig.type(`/run command text: ${text}`);
    await rig.message(text);
    await stage.discord.until(() => stage.service.counts.executionsByText.get(text) === 1);
    await rig.picture("run-1280-dark");
  });

  test("cancels what still waits, chosen from a select by keyboard", async () => {
    const { page, stage } = rig;
    // Each takes its time, so that the third waits still when a busy machine's browser gets to it.
    stage.service.faults.set({ only: "commands", delayMs: 6_000 });
    for (const text of [":h one", ":h two", ":h three"]) {
      await rig.type(`/run command text: ${text}`);
      await rig.message(text);
    }
    await rig.type("/run queue");
    const queue = await rig.message("Mo used /run queue");
    await queue.locator(".picker-input").focus();
    await page.keyboard.type("three");
    await queue.locator(".row", { hasText: ":h three" }).waitFor();
    await rig.picture("select-1280-dark");
    await page.keyboard.press("Enter");
    await rig.message(/cancelled/i);
    stage.service.faults.set({ only: "all", delayMs: 0 });
  });

  test("posts joins and kills while one watches, and marks the channels that one does not", async () => {
    const { page, stage } = rig;
    await rig.channel("joins");
    const killer = stage.town.join("Riley_Brooks");
    const hostile = stage.town.join("@everyone **x** <img src=x onerror=alert(1)>");
    await rig.message("Riley_Brooks");
    const line = await rig.message("@everyone **x**");
    assert.equal(await line.locator(".md-paragraph img, .md-everyone").count(), 0);
    stage.town.kill(killer, hostile);
    await page.locator('[data-channel="kills"].is-unread').waitFor();
    await rig.channel("kills");
    await rig.message("Riley_Brooks");
    assert.equal(await page.locator('[data-channel="kills"].is-unread').count(), 0);
    await rig.picture("kills-1280-dark");
  });

  test("posts a mod call, edits the same message when it is answered, and keeps what is pressed", async () => {
    const { page, stage } = rig;
    await rig.channel("mod-calls");
    const call = stage.town.modCall(stage.town.join("Jamie_Cole"));
    const card = await rig.message("Jamie_Cole");
    const id = await card.getAttribute("data-id");
    await card.locator(".button", { hasText: "Claim" }).click();
    await page.locator(`[data-id="${id}"]`, { hasText: "Mo" }).waitFor();
    stage.town.answerModCall(call, { name: "Officer_Grey", id: 8_800_042 });
    await page.locator(`[data-id="${id}"]`, { hasText: "Officer_Grey" }).waitFor();
    await page.locator(`[data-id="${id}"]`, { hasText: "(edited)" }).waitFor();
    // The answer to Claim names whose call it is; it is no card.
    assert.equal(await page.locator("discord-message", { hasText: "Jamie_Cole called" }).count(), 1);
    await rig.picture("mod-call-1280-dark");
  });

  test("shows what the bot does about a fault, and how it recovers", async () => {
    const { page } = rig;
    await rig.pull("html");
    await page.locator('[data-lever="html"].is-fault').waitFor();
    await page.locator(".polls .is-bad, .halt").first().waitFor();
    await rig.picture("fault-1280-dark");
    await rig.pull("clear");
    await page.locator('[data-lever="html"]:not(.is-fault)').waitFor();
    await page.locator(".log li", { hasText: "All faults are cleared" }).waitFor();
    await page.locator(".polls li", { hasText: "ok" }).first().waitFor();
  });

  test("kills the bot with -9 and nothing is lost or comes twice", async () => {
    const { page, stage } = rig;
    await rig.channel("joins");
    await rig.pull("bot-stop");
    await page.locator(".status", { hasText: "not running" }).waitFor();
    stage.town.join("Sam_Rivers");
    await rig.pull("bot-start");
    await rig.message("Sam_Rivers");
    await rig.pull("bot-kill");
    stage.town.join("Drew_Park");
    await rig.message("Drew_Park");
    const text = (await page.locator("#timeline").innerText()).replace(/\s+/g, " ");
    for (const name of ["Riley_Brooks", "Sam_Rivers", "Drew_Park"])
      assert.equal(text.split(name).length - 1, 1, `${name} stands there once`);
  });

  test("comes back by itself after the sandbox went away, with the same person and channel", async () => {
    const { page, stage, panel } = rig;
    const { port } = rig.server;
    await rig.server.close();
    await page.locator("#banner", { hasText: "not running" }).waitFor();
    stage.discord.as(stage.cast.owner).post(stage.cast.channels.joins, "written while the page was away");
    rig.server = await servePage({ stage, panel, port });
    await rig.message("written while the page was away");
    await page.locator("#banner").waitFor({ state: "hidden" });
    assert.equal(await page.locator('[data-actor="moderator"]').getAttribute("aria-pressed"), "true");
  });

  test("begins with what to type, and three buttons do it", async () => {
    const { page, stage } = rig;
    await rig.goto("owner", "general");
    const first = page.locator(".first-page");
    await first.waitFor();
    assert.equal(await first.locator(".button").count(), 3);
    await rig.picture("first-page-1280-dark");
    await first.locator(".button", { hasText: "Show it" }).click();
    await rig.message("Olivia used /server status");
    const before = stage.service.counts.executionsByText.get(":h Welcome to the server") ?? 0;
    await first.locator(".button", { hasText: "Run it" }).click();
    await rig.message("Mo used /run command");
    await stage.discord.until(
      () => stage.service.counts.executionsByText.get(":h Welcome to the server") === before + 1,
    );
    const calls = stage.discord.messages(stage.cast.channels.modCalls).length;
    await first.locator(".button", { hasText: "Call" }).click();
    await rig.title("mod-calls");
    await stage.discord.until(() => stage.discord.messages(stage.cast.channels.modCalls).length > calls);
  });

  test("says that there is no such subcommand, and sends nothing", async () => {
    const { page, stage } = rig;
    await rig.channel("general");
    const before = stage.discord.messages(stage.cast.channels.general).length;
    await rig.type("/server stats");
    await page.locator(".notice", { hasText: '/server has no subcommand "stats"' }).waitFor();
    await rig.type("/help me");
    await page.locator(".notice", { hasText: '"me" is too much' }).waitFor();
    await page.locator(".composer-text").fill("");
    assert.equal(stage.discord.messages(stage.cast.channels.general).length, before);
  });

  test("follows the colours of the system until one chooses, and again when the choice is theirs", async () => {
    const { page } = rig;
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.goto(`${rig.server.url}/?as=owner&channel=staff-room`);
    await page.locator('html[data-connected="true"]').waitFor({ state: "attached" });
    const back = () =>
      page.evaluate<string>('getComputedStyle(document.getElementById("chat")).backgroundColor');
    assert.equal(await back(), "rgb(255, 255, 255)");
    await page.locator("discord-messages[light-theme]").waitFor({ state: "attached" });
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.locator("discord-messages:not([light-theme])").waitFor({ state: "attached" });
    assert.equal(await back(), "rgb(49, 51, 56)");
    const sun = page.getByRole("button", { name: "Light or dark" });
    await sun.click();
    assert.equal(await back(), "rgb(255, 255, 255)");
    await sun.click();
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.locator("discord-messages[light-theme]").waitFor({ state: "attached" });
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  });

  test("stays a small page over ten thousand messages, and goes back through them", async () => {
    const { page, stage } = rig;
    const { general } = stage.cast.channels;
    await rig.channel("general");
    const owner = stage.discord.as(stage.cast.owner);
    for (let number = 1; number <= 10_000; number += 1) owner.post(general, `line ${number} of **many**`);
    await rig.message("line 10000 of many");
    const count = () => page.locator("discord-message").count();
    assert.ok((await count()) <= 100);
    for (let pages = 0; pages < 6; pages += 1) {
      const first = await page.locator("discord-message").first().getAttribute("data-id");
      await page.locator("#timeline").press("Home");
      await page
        .locator(`.messages > .day:first-child + discord-message:not([data-id="${first}"])`)
        .waitFor();
    }
    assert.ok((await count()) <= 200);
    const text = await page.locator("discord-message").first().innerText();
    assert.ok(Number(/line (\d+)/.exec(text)?.[1]) < 9_800, text);
    owner.post(general, "the newest of all");
    await page.locator(".jump").click();
    await rig.message("the newest of all");
    assert.ok((await count()) <= 100);
  });

  test("writes Markdown out safely", async () => {
    const { page, stage } = rig;
    await rig.channel("audit");
    const text = [
      "# Heading",
      "**bold** *italic* __under__ ~~gone~~ `code` ||secret||",
      "> a quote",
      "- one\n- two",
      "-# subtext, <t:1700000000:R>",
      `<#${stage.cast.channels.joins.id}> <@${stage.cast.owner.id}> <@&${stage.cast.staffRole.id}>`,
      "[a link](https://example.org) [not one](javascript:alert(1)) <script>alert(1)</script>",
      "```js\nlet x = '<b>';\n```",
    ].join("\n");
    stage.discord.as(stage.cast.owner).post(stage.cast.channels.audit, text);
    const message = await rig.message("a quote");
    assert.equal(await message.locator("script, b").count(), 0);
    assert.equal(await message.locator("a").count(), 1);
    assert.equal(await message.locator("a").getAttribute("href"), "https://example.org/");
    assert.equal(await message.locator("discord-mention").count(), 3);
    await page.locator(".md-spoiler").last().click();
    await rig.picture("markdown-1280-dark");
  });

  test("has nothing cut off, wide and narrow, dark and light", async () => {
    const { page } = rig;
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const theme of ["dark", "light"] as const) {
        await page.goto(`${rig.server.url}/?as=owner&channel=staff-room&${theme}`);
        for (const channel of ["staff-room", "mod-calls", "joins", "audit"]) {
          if (width < 720) await page.locator(".only-narrow").click();
          await rig.channel(channel);
          await page.locator("discord-message").last().waitFor();
          assert.deepEqual(await rig.cutOff(), [], `#${channel} at ${width} ${theme}`);
          await rig.picture(`${channel}-${width}-${theme}`);
        }
      }
      if (width > 720) continue;
      await page.getByRole("button", { name: "Levers" }).click();
      await page.locator("#panel .lever").first().waitFor();
      assert.deepEqual(await rig.cutOff(), []);
      await rig.picture(`town-${width}-light`);
      await page.locator(".panel-close").click();
    }
  });

  test("ran no command twice, and never the cancelled one", () => {
    const { executionsByText, avoidable } = rig.stage.service.counts;
    assert.deepEqual(
      [...executionsByText.values()].filter((times) => times !== 1),
      [],
    );
    assert.ok(executionsByText.size > 0);
    assert.equal(executionsByText.has(":h three"), false);
    assert.equal(avoidable, 0);
  });

  test("never sends a token to the page, asks nothing of the outside, and its policy was never broken", () => {
    const { discord } = rig.stage;
    assert.ok(rig.frames.length > 50);
    assert.equal(
      rig.frames.some((frame) => frame.includes(discord.token)),
      false,
    );
    assert.deepEqual(rig.complaints, []);
  });
});
