import type { Binding, GuildSettings } from "./guild.ts";

/** Which linked server is meant where nobody names one: the only one, else the channel's, else the guild's default. */
export function meantServer(
  bindings: readonly Binding[],
  { defaultServer, channelServers }: Pick<GuildSettings, "defaultServer" | "channelServers">,
  channelId: string,
): Binding | undefined {
  if (bindings.length === 1) return bindings[0];
  const byId = (id: string | undefined) =>
    id === undefined ? undefined : bindings.find((binding) => binding.id === id);
  return byId(channelServers?.[channelId]) ?? byId(defaultServer);
}
