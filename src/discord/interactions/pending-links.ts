import type { Actor } from "../../domain/guild.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { PendingLink, PendingLinks } from "../command.ts";

const livesMs = 5 * 60_000;
/** More than any host has at once; the oldest goes first. */
const mostPending = 1_000;

/**
 * Typed keys between the form and the Yes: in memory only, so that a key that nobody confirmed is never written
 * down. They go after five minutes, or with the process.
 */
export function createPendingLinks(clock: Clock, random: Random): PendingLinks {
  const waiting = new Map<string, { readonly link: PendingLink; readonly drop: () => void }>();
  const remove = (id: string) => {
    waiting.get(id)?.drop();
    waiting.delete(id);
  };
  return {
    put(link) {
      const oldest = waiting.keys().next().value;
      if (waiting.size >= mostPending && oldest !== undefined) remove(oldest);
      const id = random.id();
      waiting.set(id, { link, drop: clock.after(livesMs, () => waiting.delete(id)) });
      return id;
    },
    take(id, actor: Actor) {
      const found = waiting.get(id)?.link;
      if (found === undefined || found.userId !== actor.userId || found.guildId !== actor.guildId)
        return undefined;
      remove(id);
      return found;
    },
  };
}
