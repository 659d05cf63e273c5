import { type Client, DiscordjsError, DiscordjsErrorCodes, Events } from "discord.js";

/** The bot cannot log in; the message tells its operator why. */
export class LoginError extends Error {
  override readonly name = "LoginError";
}

export const TOKEN_REFUSED =
  "Discord refuses DISCORD_TOKEN. Get a new one: Developer Portal, Bot, Reset Token.";

/** Why Discord closed a connection of the gateway for good, and what the operator can do. */
export function describeClose(code: number): string {
  switch (code) {
    case 4004:
      return TOKEN_REFUSED;
    case 4010:
    case 4011:
      return `Discord refuses the shards (${code}): check SHARDS; large bots need more of them.`;
    case 4012:
      return "Discord has retired the gateway version that Marshal uses (4012). Update Marshal.";
    case 4013:
    case 4014:
      return `Discord refuses the intents (${code}); Marshal only needs Guilds. Is this an old application?`;
    default:
      return `Discord closed the connection (${code}). Restart Marshal.`;
  }
}

/** Logs in and resolves when every shard is ready. Rejects with LoginError where the operator can mend it. */
export async function logIn(client: Client, token: string): Promise<void> {
  const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
  const lost = new Promise<never>((_, reject) =>
    client.once(Events.ShardDisconnect, ({ code }) => reject(new LoginError(describeClose(code)))),
  );
  try {
    await Promise.race([Promise.all([client.login(token), ready]), lost]);
  } catch (error) {
    await client.destroy();
    throw explainLoginError(error);
  }
}

/** In words for the operator. */
export function explainLoginError(error: unknown): unknown {
  if (error instanceof LoginError) return error;
  if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) {
    return new LoginError("DISCORD_TOKEN is not a bot token. Get one: Developer Portal, Bot, Reset Token.");
  }
  // By its shape: discord.js has a copy of this class of its own.
  if (error instanceof Error && "status" in error && error.status === 401) {
    return new LoginError(TOKEN_REFUSED);
  }
  const why = error instanceof Error ? error.message : String(error);
  return new LoginError(`Discord cannot be reached or refuses Marshal: ${why}`, { cause: error });
}
