import type { Binding } from "../../src/domain/guild.ts";
import type { SourceId } from "../../src/domain/model.ts";

/** A server that guild g1 has linked, with what a test says of it. */
export function linkedServer(over: Partial<Binding> = {}): Binding {
  return {
    id: "b1",
    guildId: "g1",
    source: "s1" as SourceId,
    name: "Town",
    ownerId: 1,
    joinKey: "k",
    linkedBy: "u1",
    linkedAtMs: 0,
    ...over,
  };
}
