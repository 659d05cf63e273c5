import assert from "node:assert/strict";
import { test } from "node:test";
import { explainDatabaseError } from "../../src/history/database/database-errors.ts";

const sqlite = (errcode: number) => Object.assign(new Error("disk I/O error"), { errcode });

test("a full disk is named where sqlite cannot grow its log, or the index beside it; another fault of the disk is not", () => {
  const said = (errcode: number) => explainDatabaseError(sqlite(errcode), "sqlite:history.sqlite");
  for (const code of [13, 4_874])
    assert.match(said(code), /^history\.sqlite cannot be written because the disk is full/);
  assert.match(said(778), /the disk reports an error/);
});
