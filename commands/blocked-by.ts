import type { BlockedBy } from "../src/discord/render/blocked-words.ts";
import type { Services } from "../src/discord/services.ts";
import type { SourceId } from "../src/domain/model.ts";

/** Why no command of a server can run now, as far as is known without asking the service. */
export function blockedBy({ health }: Pick<Services, "health">, source: SourceId): BlockedBy | undefined {
  if (health.parked(source) !== undefined) return "key";
  return health.commandPermission(source).kind === "refused" ? "owner" : undefined;
}
