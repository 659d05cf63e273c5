import { DefaultRestOptions } from "@discordjs/rest";
import { DiscordAPIError, REST, Routes } from "discord.js";
import { z } from "zod";
import { LoginError, TOKEN_REFUSED } from "./log-in.ts";
import { makeRequest } from "./make-request.ts";
import { withTokenGuard } from "./token-guard.ts";

const answer = z.object({ shards: z.int().min(1) });

/**
 * How many shards Discord recommends for this bot at this moment. Rejects with LoginError when Discord refuses the token.
 */
export async function recommendedShards(token: string, apiUrl: string): Promise<number> {
  const send = withTokenGuard({
    send: makeRequest,
    whoAmIUrl: `${apiUrl}/v${DefaultRestOptions.version}${Routes.user()}`,
    // The 401 that is handed on says it, and one that was wrong changes nothing.
    onRefused: () => undefined,
    onWronglyRefused: () => undefined,
  });
  const rest = new REST({ api: apiUrl, makeRequest: send, handlerSweepInterval: 0, hashSweepInterval: 0 });
  try {
    return answer.parse(await rest.setToken(token).get(Routes.gatewayBot())).shards;
  } catch (error) {
    if (error instanceof DiscordAPIError && error.status === 401) throw new LoginError(TOKEN_REFUSED);
    throw error;
  }
}
