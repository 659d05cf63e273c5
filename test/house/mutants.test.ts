import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { EVERY_MUTANT } from "../soak/mutants/every-mutant.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Nobody plants them each day: without this, a change of the code takes them away unseen. */
describe("The planted faults of npm run soak -- mutants", () => {
  test("each stands where it is planted, once", () => {
    const lost = EVERY_MUTANT.filter(
      ({ file, from }) => !existsSync(at(file)) || readFileSync(at(file), "utf8").split(from).length !== 2,
    );
    assert.deepEqual(
      lost.map(({ file, what }) => `${file}: ${what}`),
      [],
    );
  });

  test("each names tests that there are", () => {
    const missing = EVERY_MUTANT.flatMap(({ tests }) => tests).filter(
      (name) => !existsSync(at(`test/${name}.test.ts`)),
    );
    assert.deepEqual(missing, []);
  });
});
