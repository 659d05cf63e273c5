import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Case } from "../../../src/domain/case.ts";
import type { CaseStore } from "../../../src/history/cases/case-store.ts";
import { showLifted } from "../../../src/history/cases/lifted-bans.ts";
import { kick } from "./case-samples.ts";

const lift = kick({ kind: "unban", number: 2, origin: "run r2", command: ":unban Ann_Lee" });

/** What is shown anew, and what is reported, where the store answers so. */
async function showing(one: Case, search: CaseStore["search"]) {
  const shown: number[] = [];
  const reported: string[] = [];
  const report = (what: string) => void reported.push(what);
  await showLifted({ store: { search }, report }, one, async ({ number }) => {
    shown.push(number);
  });
  return { shown, reported };
}

describe("the cards of bans that an un-ban lifts", () => {
  test("are shown anew", async () => {
    const ban = kick({ kind: "ban" });
    assert.deepEqual(await showing(lift, async () => [ban]), { shown: [1], reported: [] });
  });

  test("wait where the database is away: the un-ban's case is stored, and its maker hears of no failure", async () => {
    const { shown, reported } = await showing(lift, async () => {
      throw new Error("away");
    });
    assert.deepEqual(shown, []);
    assert.equal(reported.length, 1);
  });

  test("are not looked for by a case of another kind", async () => {
    const asked: string[] = [];
    const search: CaseStore["search"] = async (guildId) => {
      asked.push(guildId);
      return [];
    };
    await showing({ ...lift, kind: "kick" }, search);
    assert.deepEqual(asked, []);
  });
});
