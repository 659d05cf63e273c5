import type { ShiftNames } from "../src/discord/render/shifts/shift-lines.ts";
import type { Services } from "../src/discord/services.ts";
import type { DutyType } from "../src/domain/duty.ts";

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
    serverName: (bindingId) => servers.get(bindingId) ?? "an unlinked server",
  };
}
