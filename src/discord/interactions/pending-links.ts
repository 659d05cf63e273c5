import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { JustLinked, PendingLink, PendingLinks } from "../../domain/ports/pending-links.ts";

const LIVES_MS = 5 * 60_000;
/** Of one guild, each of another person. */
const MOST_OF_GUILD = 5;

interface Waiting {
  readonly id: string;
  readonly link: PendingLink;
  /** Ends its time. */
  readonly cancel: () => void;
}

/**
 * Typed keys between the form and the Yes: in memory only, so that a key that nobody confirmed is never written
 * down. They go after five minutes, or with the process. Counted by guild, so that none forgets another's.
 */
export function createPendingLinks(clock: Clock, random: Random): PendingLinks {
  const byGuild = new Map<string, readonly Waiting[]>();
  const of = (guildId: string) => byGuild.get(guildId) ?? [];
  /** What is being linked, by the pending one's id and its person. */
  const linking = new Map<string, Promise<JustLinked>>();

  function keep(guildId: string, waiting: readonly Waiting[]): void {
    if (waiting.length === 0) byGuild.delete(guildId);
    else byGuild.set(guildId, waiting);
  }

  function remove({ id, link, cancel }: Waiting): void {
    cancel();
    keep(
      link.guildId,
      of(link.guildId).filter((other) => other.id !== id),
    );
  }

  function checkRoom(guildId: string, userId: string): void {
    const others = of(guildId).filter(({ link }) => link.userId !== userId);
    if (others.length < MOST_OF_GUILD) return;
    const why = `${MOST_OF_GUILD} people here are already linking a server. Finish those first or wait five minutes.`;
    throw new Failure("bad-command", why);
  }

  function take(id: string, actor: Actor): PendingLink | undefined {
    const found = of(actor.guildId).find((one) => one.id === id && one.link.userId === actor.userId);
    if (found !== undefined) remove(found);
    return found?.link;
  }

  return {
    checkRoom,
    take,
    put(link) {
      checkRoom(link.guildId, link.userId);
      const before = of(link.guildId).find(({ link: { userId } }) => userId === link.userId);
      if (before !== undefined) remove(before);
      const id = random.id();
      const waiting: Waiting = { id, link, cancel: clock.after(LIVES_MS, () => remove(waiting)) };
      keep(link.guildId, [...of(link.guildId), waiting]);
      return id;
    },
    once(id, actor, link) {
      const name = `${id}/${actor.guildId}/${actor.userId}`;
      const pending = take(id, actor);
      if (pending === undefined) return linking.get(name);
      const linked = link(pending).finally(() => linking.delete(name));
      linking.set(name, linked);
      return linked;
    },
  };
}
