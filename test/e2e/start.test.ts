import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { BotExit } from "../../src/sandbox/bot-process.ts";
import { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import { addFeed, commandIsThere, linkServer } from "../../src/sandbox/moves.ts";
import { openStage } from "../../src/sandbox/stage.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { reads } from "./read.ts";

const { NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** The process as an operator starts it, with nothing but this environment, to its end. */
async function run(
  environment: Readonly<Record<string, string>>,
  whenItSays?: { readonly words: string; act(child: ChildProcess): void },
) {
  const folder = tempFolder();
  try {
    const child = spawn(process.execPath, [main], {
      cwd: folder.path,
      env: { NODE_COMPILE_CACHE, NODE_OPTIONS, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (whenItSays !== undefined) {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.includes(whenItSays.words)) whenItSays.act(child);
      });
    }
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { out, err, code };
  } finally {
    folder.remove();
  }
}

describe("the process, from its start to a kill -9", () => {
  test("without a token: one clear error that names the ways on", async () => {
    const { err, code } = await run({});
    assert.equal(code, 1);
    assert.match(err, /DISCORD_TOKEN: nothing was set; expected .*\.env.*npm run sandbox/);
    assert.equal(err.trim().split("\n").length, 2);
  });

  test("all bad variables at once, and no value of a secret among them", async () => {
    const secret = "c2VjcmV0IHZhbHVlIHRoYXQgaXMgdG9vIHNob3J0";
    const { err, code } = await run({
      DISCORD_TOKEN: "some token with spaces",
      SECRET_KEY: secret,
      SERVICE_URL: "https://api.policeroleplay.community",
      LOG_LEVEL: "loud",
    });
    assert.equal(code, 1);
    for (const name of ["DISCORD_TOKEN", "SECRET_KEY", "SERVICE_URL", "LOG_LEVEL"])
      assert.match(err, new RegExp(`^  ${name}: `, "m"));
    assert.match(err, /is retired; use/);
    assert.ok(!err.includes(secret) && !err.includes("some token"));
  });

  test("a token that Discord refuses: one line in words, no stack, exit code 1", async () => {
    const discord = await EmulatedDiscord.start();
    try {
      const { out, code } = await run({
        DISCORD_TOKEN: "bm90IHRoZQ.token.that-was-given-to-this-bot",
        DISCORD_API_URL: discord.apiUrl,
        OPS_ADDRESS: "",
      });
      assert.equal(code, 1);
      const errors = out.split("\n").filter((line) => /"level":50/.test(line));
      assert.equal(errors.length, 1, out);
      assert.match(errors[0] ?? "", /DISCORD_TOKEN|token/);
      assert.doesNotMatch(out, /"stack"|that-was-given/);
    } finally {
      await discord.close();
    }
  });

  test("Discord is away at the start: it says so, waits, and a stop meanwhile is in order", async () => {
    const discord = await EmulatedDiscord.start();
    try {
      discord.faults.set({ outage: "down" });
      const environment = {
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        OPS_ADDRESS: "",
      };
      const { out, code } = await run(environment, {
        words: "Discord cannot be reached",
        act: (child) => child.kill("SIGTERM"),
      });
      assert.equal(code, 0, out);
      assert.doesNotMatch(out, /"level":50/);
    } finally {
      await discord.close();
    }
  });

  for (const words of ["the ops address answers", "logged in"]) {
    test(`a stop while it starts, after "${words}", is in order`, async () => {
      const discord = await EmulatedDiscord.start();
      try {
        const environment = {
          DISCORD_TOKEN: discord.token,
          DISCORD_API_URL: discord.apiUrl,
          OPS_ADDRESS: "127.0.0.1:0",
        };
        const { out, code } = await run(environment, { words, act: (child) => child.kill("SIGTERM") });
        assert.equal(code, 0, out);
        assert.doesNotMatch(out, /"level":[456]0/);
        assert.doesNotMatch(out, /the store was updated/, "a new one is of today's format");
      } finally {
        await discord.close();
      }
    });
  }

  test("a token that is reset while it runs: one error in words, exit code 1", async () => {
    const discord = await EmulatedDiscord.start();
    try {
      const environment = {
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        OPS_ADDRESS: "",
      };
      const { out, code } = await run(environment, {
        words: "logged in",
        act() {
          discord.faults.set({ tokenRevoked: true });
          discord.faults.dropGateway({ resumable: false });
        },
      });
      assert.equal(code, 1);
      const errors = out.split("\n").filter((line) => /"level":50/.test(line));
      assert.equal(errors.length, 1, out);
      assert.match(errors[0] ?? "", /DISCORD_TOKEN/);
      assert.ok(!out.includes(discord.token));
    } finally {
      await discord.close();
    }
  });

  test("the thread of its store ends while it runs: it says so and ends, exit code 1", async () => {
    const discord = await EmulatedDiscord.start();
    try {
      const environment = {
        NODE_OPTIONS: `--import=${new URL("dying-store.ts", import.meta.url).href}`,
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        OPS_ADDRESS: "",
      };
      const { out, code } = await run(environment, {
        // The last that it says of its start: while it starts, the same end is told as a start that failed.
        words: "the history is recorded",
        act: (child) => child.kill("SIGUSR2"),
      });
      assert.equal(code, 1, out);
      assert.match(out, /the store can no longer be used: .*marshal\.sqlite: its thread ended/);
      assert.match(out, /"stopped"/);
    } finally {
      await discord.close();
    }
  });

  test("kill -9 while a command is with the game: unknown, its own message says so and what the log tells, never sent again; feeds go on", async () => {
    const stage = await openStage({ seed: 5, serverKey: "alpha-first-key", traffic: "quiet", live: true });
    try {
      const { service, discord, town, cast, bot } = stage;
      const { owner, moderator, channels } = cast;
      const person = discord.as(moderator);
      town.pause();
      town.join("Somebody");
      bot.start();
      await commandIsThere(stage, owner, channels.staff, "setup");
      await linkServer(stage);
      await addFeed(stage, "joins", channels.joins);
      service.faults.next({ late: 1, lateMs: 60_000, only: "commands" });
      const asked = await person.slash(channels.staff, "run command", { text: ":h about to die" });
      const executed = () => service.counts.executionsByText.get(":h about to die") ?? 0;
      const sent = Promise.withResolvers<void>();
      const looking = setInterval(() => executed() > 0 && sent.resolve(), 20);
      await sent.promise.finally(() => clearInterval(looking));
      await bot.kill();
      town.join("Meanwhile");
      bot.start();
      // In the very message that said "being sent"; then what the log tells of it.
      const died = /It may have run[\s\S]*Marshal stopped while sending it/;
      await reads(asked, died);
      await reads(asked, /✅ It ran[\s\S]*log shows it/);
      assert.deepEqual(person.dms(), []);
      const joined = () =>
        discord
          .messages(channels.joins)
          .flatMap(({ content }) => content.split("\n"))
          .filter((line) => line.includes("**Meanwhile** joined"));
      await discord.until(() => joined().length > 0);
      await reads(
        await person.slash(channels.staff, "run history"),
        /✅ ran `:h about to die`[^\n]*seen in the log/,
      );
      assert.equal(executed(), 1);
      assert.equal(joined().length, 1);
    } finally {
      await stage.close();
    }
  });

  test("a stop while Discord takes half a minute for each answer is in order, and nothing is lost or repeated", async () => {
    const stage = await openStage({ seed: 6, serverKey: "alpha-first-key", traffic: "quiet", live: true });
    try {
      const { discord, service, town, cast, bot } = stage;
      const { owner, moderator, channels } = cast;
      town.pause();
      town.join("Somebody");
      bot.start();
      await commandIsThere(stage, owner, channels.staff, "setup");
      await linkServer(stage);
      await addFeed(stage, "joins", channels.joins);
      const fourReads = async () => {
        const due = service.counts.requests + 4;
        const isRead = Promise.withResolvers<void>();
        const looking = setInterval(() => service.counts.requests >= due && isRead.resolve(), 20);
        await isRead.promise.finally(() => clearInterval(looking));
      };
      await fourReads();
      discord.faults.set({ latencyMs: 30_000 });
      void discord.as(moderator).slash(channels.staff, "run command", { text: ":h hello" });
      town.join("Meanwhile");
      await fourReads();
      const ended = new Promise<BotExit>((resolve) => bot.onExit(resolve));
      await bot.stop();
      const { code } = await ended;
      assert.equal(code, 0, bot.lines.slice(-20).join("\n"));
      assert.ok(!bot.lines.some((line) => /took too long/.test(line)));

      discord.faults.clear();
      bot.start();
      const joined = () =>
        discord
          .messages(channels.joins)
          .flatMap(({ content }) => content.split("\n"))
          .filter((line) => line.includes("**Meanwhile** joined"));
      await discord.until(() => joined().length > 0);
      town.join("Afterwards");
      await discord.until(() =>
        discord.messages(channels.joins).some(({ content }) => /Afterwards/.test(content)),
      );
      assert.equal(joined().length, 1);
    } finally {
      await stage.close();
    }
  });
});
