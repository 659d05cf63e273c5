import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/sandbox/main.ts", import.meta.url));

test("the tour sees each of its steps: its patterns are the words that people read today", async () => {
  const tour = spawn(process.execPath, [MAIN, "--tour"], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  tour.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const [code] = await once(tour, "exit");
  assert.equal(code, 0, printed.slice(-3_000));
  assert.match(printed, /All \d+ steps were seen\.\s*$/);
});
