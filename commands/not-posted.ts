import { HOW_TO_MEND, obstacle } from "../src/discord/render/channel-access.ts";
import { refusalText } from "../src/discord/render/feed-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, type Escaped, md } from "../src/domain/escaped.ts";
import type { SinkRefusal } from "../src/domain/failure.ts";

/** Why a message did not arrive: the permissions that are missing there where they are known, else Discord's reason. */
export async function notPostedText(
  { guilds }: Pick<Services, "guilds">,
  { guildId, channelId }: { readonly guildId: string; readonly channelId: string },
  { reason }: SinkRefusal,
): Promise<Escaped> {
  const where = channelMention(channelId);
  const access = reason === "no-access" ? await guilds.channelAccess(guildId, channelId) : undefined;
  return access?.kind === "missing"
    ? md`⚠ I can't post there: ${where} ${obstacle(access)}.\n${HOW_TO_MEND}`
    : md`⚠ I can't post in ${where}: ${refusalText(reason)}`;
}
