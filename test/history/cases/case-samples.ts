import type { Case } from "../../../src/domain/case.ts";
import type { SourceId } from "../../../src/domain/model.ts";
import type { RunRecord } from "../../../src/domain/run.ts";

/** A run that went well, with what a test says of it. */
export function runRecord(with_: Partial<RunRecord> = {}): RunRecord {
  return {
    id: "r1",
    guildId: "g1",
    bindingId: "b1",
    source: "s1" as SourceId,
    serverName: "Town",
    actorId: "u1",
    actorName: "Mo",
    actorRoleIds: [],
    origin: "command",
    text: ":kick Ann_Lee",
    askedAtMs: 1_000_000,
    channelId: "c1",
    status: "done",
    sentAtMs: 1_000_000,
    endedAtMs: 1_000_400,
    ran: "yes",
    proof: "unchecked",
    ...with_,
  };
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
