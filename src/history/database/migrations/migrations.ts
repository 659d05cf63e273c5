import type { Migration } from "kysely/migration";
import { rows } from "./0001-rows.ts";
import { cases } from "./0002-cases.ts";
import { ends } from "./0003-ends.ts";
import { answerTimes } from "./0004-answer-times.ts";
import { fewerIndexes } from "./0005-fewer-indexes.ts";
import { lastLooks } from "./0006-last-looks.ts";
import { caseServers } from "./0007-case-servers.ts";
import { duty } from "./0008-duty.ts";
import { looksBefore } from "./0009-looks-before.ts";
import { positions } from "./0010-positions.ts";
import { caseIndexes } from "./0011-case-indexes.ts";
import { positionPages } from "./0012-position-pages.ts";

export type DatabaseKind = "sqlite" | "postgres";

/** All changes of the tables, in order. What stands here was run somewhere: add a new one, never change an old one. */
export function migrations(kind: DatabaseKind): Record<string, Migration> {
  return {
    "0001-rows": rows(kind),
    "0002-cases": cases(kind),
    "0003-ends": ends(kind),
    "0004-answer-times": answerTimes(),
    "0005-fewer-indexes": fewerIndexes(),
    "0006-last-looks": lastLooks(),
    "0007-case-servers": caseServers(),
    "0008-duty": duty(kind),
    "0009-looks-before": looksBefore(),
    "0010-positions": positions(kind),
    "0011-case-indexes": caseIndexes(),
    "0012-position-pages": positionPages(kind),
  };
}
