import type { ServerStatus } from "../../src/domain/model.ts";

/** What a game server says of itself, with what a test says of it. */
export function serverStatus(changes: Partial<ServerStatus> = {}): ServerStatus {
  return {
    name: "Riverside Roleplay",
    ownerId: 4_001,
    coOwnerIds: [4_002, 4_003],
    currentPlayers: 12,
    maxPlayers: 40,
    joinKey: "rvrsd",
    accVerifiedReq: "Email",
    teamBalance: true,
    ...changes,
  };
}
