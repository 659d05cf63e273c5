import type { ShiftNames } from "../src/discord/render/shifts/shift-lines.ts";
import type { Services } from "../src/discord/services.ts";
import type { DutyType } from "../src/domain/duty.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { moderatedServers } from "./moderated-servers.ts";
import { mustBeManager } from "./staff-rights.ts";

/** The names of types and servers, as answers say them; those that are gone too. */
export async function dutyNames(
  { bindings, duty }: Pick<Services, "bindings" | "duty">,
  guildId: string,
  known?: readonly DutyType[],
): Promise<ShiftNames> {
  const servers = new Map((await bindings.list(guildId)).map(({ id, name }) => [id, name]));
  const types = new Map((known ?? (await duty.types(guildId))).map(({ id, name }) => [id, name]));
  return {
    typeName: (typeId) => types.get(typeId) ?? "a type that was removed",
    isOneServer: servers.size === 1,
    serverName: (bindingId) => servers.get(bindingId) ?? "an unlinked server",
  };
}

/** A type by its id or name; the first one where none is named. @throws Failure "bad-command" */
export async function typeNamed(
  { duty }: Services,
  guildId: string,
  typed: string | undefined,
): Promise<DutyType> {
  const types = await duty.types(guildId);
  const wanted = typed?.trim().toLowerCase();
  const meant =
    wanted === undefined
      ? types[0]
      : types.find(({ id, name }) => id === typed || name.toLowerCase() === wanted);
  if (meant !== undefined) return meant;
  const words = types.length === 0 ? "No duty types are set up yet." : "There is no such duty type.";
  throw new Failure("bad-command", words);
}

/** Hours of others are private: Managers see them, and Moderators where the community says so. @throws Failure "denied" */
export async function mustSeeHours(services: Services, actor: Actor): Promise<void> {
  const { staffFiguresFor } = await services.settings.of(actor.guildId);
  if (staffFiguresFor === "moderators") await moderatedServers(services, actor);
  else await mustBeManager(services, actor, "Only Managers can see everybody's hours.");
}
