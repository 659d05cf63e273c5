import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { helpText, readOptions, UsageError } from "../../../src/sandbox/web/options.ts";

const main = fileURLToPath(new URL("../../../src/sandbox/main.ts", import.meta.url));

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const clean = { PATH: process.env.PATH, HOME: process.env.HOME, ...env };
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    env: clean,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("the options of npm run sandbox", () => {
  test("mean the page when there are none", () => {
    const { mode, port, empty, seed, processes } = readOptions([]);
    assert.deepEqual([mode, port, empty, seed, processes], ["page", 4_680, false, 1, 1]);
    assert.equal(readOptions(["--processes", "3"]).processes, 3);
  });

  test("describe a picture, with several lines to type", () => {
    const { mode, shot } = readOptions(
      "--shot a.png --as member --width=390 --light --do /help --do /server".split(" "),
    );
    assert.equal(mode, "shot");
    assert.deepEqual([shot.file, shot.actor, shot.widthPx, shot.isLight], ["a.png", "member", 390, true]);
    assert.deepEqual(shot.lines, ["/help", "/server"]);
    assert.equal(shot.channel, "staff-room");
    assert.equal(readOptions(["--shot", "a.png", "--channel", "#kills"]).shot.channel, "kills");
  });

  test("are refused in one line that names what was found and what is expected", () => {
    const wrong: readonly (readonly [string[], RegExp])[] = [
      [["--port", "x"], /--port must be a whole number from 0 to 65535, not "x"/],
      [["--port", "70000"], /--port must be/],
      [["--port"], /--port needs a value/],
      [["--seed", "-1"], /--seed must be/],
      [["--processes", "0"], /--processes must be a whole number from 1 to 9, not "0"/],
      [["--shot", "a.jpg"], /--shot must name a .png file/],
      [["--shot", "a.png", "--as", "admin"], /--as must be owner, moderator or member, not "admin"/],
      [["--width", "390"], /--width is for a picture/],
      [["--light"], /--light is for a picture/],
      [["--tours"], /there is no option "--tours"/],
      [["--constructor"], /there is no option/],
      [["tour"], /there is no option "tour"/],
    ];
    for (const [args, pattern] of wrong)
      assert.throws(
        () => readOptions(args),
        (error) =>
          error instanceof UsageError && pattern.test(error.message) && !error.message.includes("\n"),
        args.join(" "),
      );
  });

  test("end with 2 and one line when they are bad, and with 0 and all of them explained for --help", () => {
    const bad = run(["--port", "http"]);
    assert.deepEqual([bad.status, bad.stdout], [2, ""]);
    assert.equal(bad.stderr.trim().split("\n").length, 1);
    const help = run(["--help"]);
    assert.deepEqual([help.status, help.stdout], [0, helpText]);
  });

  test("do not help where a real token is set: the sandbox does not start, and does not repeat it", () => {
    const refused = run(["--tour"], { DISCORD_TOKEN: "a-real-token" });
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /can never be started with a real token/);
    assert.equal(refused.stderr.includes("a-real-token"), false);
  });
});
