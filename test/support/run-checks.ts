import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { text } from "node:stream/consumers";

/** Runs the checks at once, because each waits for its files in turn. Prints what each says; ends with 1 where one fails. */
const CHECKS = ["lint", "types", "unused"];
const NPM = process.env.npm_execpath;
if (NPM === undefined) throw new Error("to be run by npm: npm run check");

async function run(check: string, npm: string): Promise<boolean> {
  const child = spawn(process.execPath, [npm, "run", "--silent", check], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [said, complained, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  process.stdout.write(said);
  process.stderr.write(complained);
  if (code !== 0) process.stderr.write(`npm run ${check} failed\n`);
  return code === 0;
}

const passed = await Promise.all(CHECKS.map((check) => run(check, NPM)));
process.exitCode = passed.every(Boolean) ? 0 : 1;
