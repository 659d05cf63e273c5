import { type DayWords, daysIn } from "../src/discord/render/day-words.ts";
import { isGameStaff } from "../src/discord/render/server/view.ts";
import type { ShiftNames } from "../src/discord/render/shifts/shift-lines.ts";
import type { Services } from "../src/discord/services.ts";
import type { DutyType } from "../src/domain/duty.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { moderatedServers } from "./moderated-servers.ts";
import { isManager, mustBeManager, staffedServers } from "./staff-rights.ts";

/** The names of types and servers, as answers say them; those that are gone too. */
export async function dutyNames(
  { bindings, duty, settings }: Pick<Services, "bindings" | "duty" | "settings">,
  guildId: string,
  known?: readonly DutyType[],
): Promise<ShiftNames & { readonly days: DayWords }> {
  const servers = new Map((await bindings.list(guildId)).map(({ id, name }) => [id, name]));
  const types = new Map((known ?? (await duty.types(guildId))).map(({ id, name }) => [id, name]));
  return {
    days: await daysOf({ settings }, guildId),
    typeName: (typeId) => types.get(typeId) ?? "a type that was removed",
    isOneServer: servers.size === 1,
    serverName: (bindingId) => servers.get(bindingId) ?? "an unlinked server",
  };
}

/** Days of the community. */
export async function daysOf({ settings }: Pick<Services, "settings">, guildId: string): Promise<DayWords> {
  return daysIn((await settings.of(guildId)).timeZone ?? DEFAULT_ZONE);
}

/** Where they cannot be read, or the host records nothing: none. */
export async function typesOrNone(
  { duty }: Pick<Services, "duty">,
  guildId: string,
): Promise<readonly DutyType[]> {
  try {
    return await duty.types(guildId);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
}

/** That nobody can be on duty here yet, and who adds the first type. */
export async function noDutyTypes(services: Services, actor: Actor): Promise<Failure> {
  const next = (await isManager(services, actor)) ? "Add one" : "A Manager adds one";
  const words = `No duty types are set up yet. ${next} with /duty type add.`;
  return new Failure("bad-command", words, { isRead: true });
}

/** A type by its id or name; the first one where none is named. @throws Failure "bad-command" */
export async function typeNamed(
  services: Services,
  actor: Actor,
  typed: string | undefined,
): Promise<DutyType> {
  const types = await services.duty.types(actor.guildId);
  const wanted = typed?.trim().toLowerCase();
  const meant =
    wanted === undefined
      ? types[0]
      : types.find(({ id, name }) => id === typed || name.toLowerCase() === wanted);
  if (meant !== undefined) return meant;
  if (types.length === 0) throw await noDutyTypes(services, actor);
  throw new Failure("bad-command", "There is no such duty type.");
}

/** Hours of others are private: Managers see them, and Moderators where the community says so. @throws Failure "denied" */
export async function mustSeeHours(services: Services, actor: Actor): Promise<void> {
  const { staffFiguresFor } = await services.settings.of(actor.guildId);
  if (staffFiguresFor === "moderators") await moderatedServers(services, actor, "see everybody's hours");
  else await mustBeManager(services, actor, "Only Managers can see everybody's hours.");
}

/**
 * Who starts a shift has a tier here, the role that its type asks for, or a rank in the game. What is wrong with the type is
 * said by who starts it. @throws Failure "denied", or "not-linked" where there is no server
 */
export async function mustBeStaff(
  services: Services,
  actor: Actor,
  typed: string | undefined,
): Promise<void> {
  if ((await isManager(services, actor)) || (await staffedServers(services, actor)).length > 0) return;
  const wanted = typed?.trim().toLowerCase();
  const type = (await services.duty.types(actor.guildId)).find(({ id, name, start }) =>
    wanted === undefined
      ? start === "declared" || start === "outside"
      : id === typed || name.toLowerCase() === wanted,
  );
  if (type?.requiredRoleId !== undefined && actor.roleIds.includes(type.requiredRoleId)) return;
  if (await hasRank(services, actor)) return;
  // Without a server nobody has a tier or a rank.
  if ((await services.bindings.list(actor.guildId)).length === 0)
    throw new Failure("not-linked", "No game server is linked here yet.", { wants: "server" });
  throw new Failure("denied", "Only staff can start a shift.");
}

/** The last looks showed their account with a rank. */
async function hasRank(
  { accounts, bindings, snapshots }: Services,
  { guildId, userId }: Actor,
): Promise<boolean> {
  const account = await accounts.of(guildId, userId);
  if (account === undefined) return false;
  return (await bindings.list(guildId)).some(({ source }) =>
    snapshots
      .latest(source)
      ?.lists.players?.value.some((one) => one.player.id === account.player.id && isGameStaff(one)),
  );
}
