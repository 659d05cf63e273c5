import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { memoryDisk } from "../support/memory-disk.ts";
import { EVERY_MUTANT } from "./mutants/every-mutant.ts";
import type { Mutant } from "./mutants/planted.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".git", "data", "test-output"]);
/** A test that waits for ever with the fault in it has found it. */
const HUNG_MS = 240_000;

/**
 * Plants one fault after the other in a copy of the tree, and sees that a test fails: what the tests are worth, when some
 * of them are made shorter. First the copy must pass them without a fault.
 *
 *   npm run soak -- mutants [--only PART OF FILE OR WORDS] [--copies 2]
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: "string", default: "" }, copies: { type: "string", default: "2" } },
  });
  const mutants = EVERY_MUTANT.filter(({ file, what }) => `${file} ${what}`.includes(values.only));
  const copies = Array.from({ length: Number(values.copies) }, copyOfTree);
  try {
    const healthy = await passes(copies[0] ?? ROOT, [...new Set(mutants.flatMap(({ tests }) => tests))]);
    if (!healthy.passed) {
      console.log(`without a fault:\n${healthy.output}`);
      return false;
    }
    const waiting = [...mutants];
    let found = 0;
    const work = async (copy: string) => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const verdict = await judged(copy, mutant);
        if (verdict === "found") found += 1;
        console.log(`${verdict.padEnd(9)}  ${mutant.file}: ${mutant.what}`);
      }
    };
    await Promise.all(copies.map(work));
    console.log(`${found} of ${mutants.length} found`);
    return found === mutants.length;
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  }
}

function copyOfTree(): string {
  const copy = mkdtempSync(join(memoryDisk() ?? tmpdir(), "marshal-mutants-"));
  for (const name of readdirSync(ROOT))
    if (!LEFT_OUT.has(name)) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

async function judged(
  copy: string,
  { file, from, to, tests }: Mutant,
): Promise<"found" | "NOT FOUND" | "NOT THERE"> {
  const path = join(copy, file);
  const whole = readFileSync(path, "utf8");
  if (whole.split(from).length !== 2) return "NOT THERE";
  writeFileSync(
    path,
    whole.replace(from, () => to),
  );
  try {
    return (await passes(copy, tests)).passed ? "NOT FOUND" : "found";
  } finally {
    writeFileSync(path, whole);
  }
}

async function passes(copy: string, tests: readonly string[]) {
  const imports = tests.map((name) => `await import(${JSON.stringify(join(copy, `test/${name}.test.ts`))});`);
  const child = spawn(
    process.execPath,
    [
      ...["--import", "./test/support/before-node-test.ts", "--test-reporter=./test/support/reporter.ts"],
      ...["--input-type=module", "--eval", imports.join("\n")],
    ],
    { cwd: copy, stdio: ["ignore", "pipe", "pipe"] },
  );
  const timer = setTimeout(() => child.kill("SIGKILL"), HUNG_MS);
  const [output, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  clearTimeout(timer);
  return { passed: code === 0, output: output + complaint };
}
