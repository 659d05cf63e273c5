import { REST } from "@discordjs/rest";
import { commands } from "../commands/index.ts";
import { ConfigError, environment, readConfig } from "../src/config.ts";
import { explainLoginError } from "../src/discord/connection/log-in.ts";
import { ownApplicationId, register } from "../src/discord/interactions/registration.ts";

/** `npm run deploy`: registers the slash commands, whether they have changed or not. */
try {
  const { discordToken, discordApiUrl } = readConfig(environment());
  const rest = new REST({ api: discordApiUrl, handlerSweepInterval: 0, hashSweepInterval: 0 }).setToken(
    discordToken,
  );
  const applicationId = await ownApplicationId(rest);
  const { now, hash } = await register(rest, applicationId, commands);
  process.stdout.write(
    `registered ${now.length} commands (${hash.slice(0, 12)}) for application ${applicationId}\n`,
  );
} catch (error) {
  const explained = error instanceof ConfigError ? error : explainLoginError(error);
  const why = explained instanceof Error ? explained.message : String(explained);
  process.stderr.write(
    `${error instanceof ConfigError ? "" : "the commands could not be registered: "}${why}\n`,
  );
  process.exitCode = 1;
}
