import type { SourceId } from "../../src/domain/model.ts";
import type { RunRecord } from "../../src/domain/run.ts";

/** A run that went well, with what a test says of it. */
export function runRecord(over: Partial<RunRecord> = {}): RunRecord {
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
    text: ":h hello",
    verb: "h",
    askedAtMs: 0,
    channelId: "c1",
    status: "done",
    ran: "yes",
    proof: "unchecked",
    ...over,
  };
}
