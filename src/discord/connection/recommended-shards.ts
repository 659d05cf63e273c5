import { DiscordAPIError, REST, Routes } from "discord.js";
import { z } from "zod";
import { LoginError } from "./bot.ts";
import { makeRequest } from "./make-request.ts";

const answer = z.object({ shards: z.int().min(1) });

/**
 * How many shards Discord recommends for this bot at this moment. Rejects with LoginError when Discord refuses the token.
 */
export async function recommendedShards(token: string, apiUrl: string): Promise<number> {
  const rest = new REST({ api: apiUrl, makeRequest, handlerSweepInterval: 0, hashSweepInterval: 0 });
  try {
    return answer.parse(await rest.setToken(token).get(Routes.gatewayBot())).shards;
  } catch (error) {
    if (error instanceof DiscordAPIError && error.status === 401) {
      throw new LoginError("Discord does not accept DISCORD_TOKEN (Developer Portal, Bot, Reset Token).");
    }
    throw error;
  }
}
