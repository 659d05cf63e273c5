import type { Choice, Options, Typing } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";

/** Players who are in the game now, as choices while somebody types. */

/** The linked server that an autocompletion is about: the one that was chosen, or the only one. */
export async function serverBeingTyped(
  { actor, options }: { readonly actor: Actor; readonly options: Options },
  { bindings }: Services,
): Promise<Binding | undefined> {
  const all = await bindings.list(actor.guildId);
  const wanted = options.string("server");
  if (wanted === undefined) return all.length === 1 ? all[0] : undefined;
  return all.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase());
}

/** Live players of a server by the beginning of their names, as choices. */
export function livePlayerChoices({ snapshots }: Services, binding: Binding | undefined, typed: string) {
  const players = binding && snapshots.latest(binding.source)?.lists.players?.value;
  const wanted = typed.toLowerCase();
  return (players ?? [])
    .map(({ player }) => player.name)
    .filter((name) => name.toLowerCase().startsWith(wanted))
    .map((name) => ({ name, value: name }));
}

/** The same of the server that is being typed, for its staff only. */
export async function completeStaffPlayer(typing: Typing, services: Services): Promise<readonly Choice[]> {
  const binding = await serverBeingTyped(typing, services);
  if (binding === undefined || !(await services.permissions.isStaff(typing.actor, binding))) return [];
  return livePlayerChoices(services, binding, typing.typed);
}
