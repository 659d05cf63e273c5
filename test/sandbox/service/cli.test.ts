import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { helpText, readCli } from "../../../src/sandbox/service/cli.ts";
import { GROUPS, UsageError } from "../../../src/sandbox/service/cli-options.ts";

const MAIN = fileURLToPath(new URL("../../../src/sandbox/service/main.ts", import.meta.url));

describe("npm run service: options", () => {
  const plain = readCli([]);

  for (const { flag, value } of GROUPS.flatMap(([, options]) => options))
    test(`--${flag} is in the help and changes a setting`, () => {
      // A value that is no option's default: the last choice of a list, or a number that fits counts and shares.
      const choices = value?.includes("|") ? value.split("|") : [];
      const samples =
        value === undefined ? [undefined] : choices.length > 0 ? choices : ["1", "300", "0.5", "0"];
      const changed = samples.some((sample) => {
        try {
          const read = readCli(sample === undefined ? [`--${flag}`] : [`--${flag}`, sample]);
          return JSON.stringify(read) !== JSON.stringify(plain);
        } catch (error) {
          assert.ok(error instanceof UsageError);
          return false;
        }
      });
      assert.ok(changed);
      assert.ok(helpText().includes(`--${flag}`));
    });

  test("several keys and global keys, limits, faults and the town's settings reach the service", () => {
    const read = readCli(
      "--key a-b --key c-d --global-key g --limit 3 --window-ms 200 --command-window-ms 9 --html 0.5 --log-order oldest --intensity 12.5 --empty-map object".split(
        " ",
      ),
    );
    assert.deepEqual(read?.service.keys, ["a-b", "c-d"]);
    assert.deepEqual(read?.service.globalKeys, ["g"]);
    assert.deepEqual(read?.service.limits?.global, { limit: 3, windowMs: 200 });
    assert.equal(read?.service.limits?.command?.windowMs, 9);
    assert.equal(read?.service.faults?.html, 0.5);
    assert.equal(read?.service.faults?.logOrder, "oldest");
    assert.equal(read?.service.faults?.emptyMapAsArray, false);
    assert.equal(read?.service.town?.intensity, 12.5);
  });

  test("--commands refused and the order of the checks; an order that lacks one is refused", () => {
    const { commands, commandChecks } = readCli(["--commands", "refused"])?.service ?? {};
    assert.deepEqual([commands, commandChecks], ["refused", ["permission", "body", "players"]]);
    const other = readCli(["--command-checks", "players,body,permission"])?.service;
    assert.deepEqual([other?.commands, other?.commandChecks], ["allowed", ["players", "body", "permission"]]);
    for (const order of ["players,body", "players,body,body", "players,body,permission,body"])
      assert.throws(() => readCli(["--command-checks", order]), /must be one of permission,body,players, /);
  });

  test("--strict-spec changes the defaults that are facts, and an explicit option wins over it", () => {
    assert.equal(readCli(["--strict-spec"])?.service.faults?.moderator, "hidden");
    assert.equal(readCli(["--moderator", "null", "--strict-spec"])?.service.faults?.moderator, "null");
  });

  test("--help gives no settings", () => {
    assert.equal(readCli(["--port", "1", "--help"]), undefined);
  });

  for (const [args, said] of [
    [["--limit", "many"], /--limit must be a whole number of at least 0, not "many"/],
    [["--window-ms", "0"], /--window-ms must be a whole number of at least 1/],
    [["--html", "1.5"], /--html must be a probability from 0 to 1/],
    [["--log-order", "sideways"], /--log-order must be one of newest, oldest, shuffled/],
    [["--port", "70000"], /--port must be at most 65535/],
    [["--intensity", "wild"], /--intensity must be/],
    [["--key", "a", "--key", "a"], /--key names one key twice/],
    [["--frobnicate"], /Unknown option '--frobnicate'/],
    [["stray"], /Unexpected argument 'stray'/],
  ] as const)
    test(`${args.join(" ")} is refused in one clear line`, () => {
      assert.throws(
        () => readCli(args),
        (error) => error instanceof UsageError && said.test(error.message) && !error.message.includes("\n"),
      );
    });
});

describe("npm run service: the process", () => {
  test("prints one JSON line when it listens, serves, and ends cleanly on SIGTERM", async () => {
    const child = spawn(process.execPath, [MAIN, "--port", "0", "--key", "demo-key"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = once(child, "exit");
    let output = "";
    child.stdout.setEncoding("utf8");
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      output += String(chunk);
      if (output.includes("\n")) break;
    }
    const { url, keys } = JSON.parse(output);
    assert.deepEqual(keys, ["demo-key"]);
    const answer = await fetch(`${url}/v1/server`, { headers: { "server-key": "demo-key" } });
    assert.equal(answer.status, 200);
    await answer.text();
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
  });

  test("a bad option is one line on stderr and exit 2", async () => {
    const child = spawn(process.execPath, [MAIN, "--seed", "x"], { stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "exit");
    let errors = "";
    child.stderr.setEncoding("utf8");
    for await (const chunk of child.stderr) errors += String(chunk);
    assert.deepEqual(await ended, [2, null]);
    assert.match(errors, /^service: --seed must be a whole number of at least 0, not "x"\n$/);
  });
});
