import type { Case } from "../../../src/domain/case.ts";
import type { RunRecord } from "../../../src/domain/run.ts";
import { runRecord } from "../../support/run-record.ts";

/** A kick that went well, with what a test says of it. */
export function kickRun(over: Partial<RunRecord> = {}): RunRecord {
  return runRecord({
    text: ":kick Ann_Lee",
    verb: "kick",
    askedAtMs: 1_000_000,
    sentAtMs: 1_000_000,
    endedAtMs: 1_000_400,
    ...over,
  });
}

/** A kick that Marshal sent, with what a test says of it. */
export function kick(with_: Partial<Case> = {}): Case {
  return {
    guildId: "g1",
    number: 1,
    kind: "kick",
    bindingId: "b1",
    serverName: "Town",
    targets: [{ name: "Ann_Lee", playerId: 11 }],
    mass: false,
    author: { name: "Mo", userId: "u1" },
    atMs: 1_000_000,
    command: ":kick Ann_Lee",
    origin: "run r1",
    receipt: { sentAtMs: 1_000_000, left: [] },
    edits: [],
    ...with_,
  };
}
