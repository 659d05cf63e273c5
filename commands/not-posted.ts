import { isShut, publicLines, publicLogLines, shutLines } from "../src/discord/render/channel-access.ts";
import { refusedText } from "../src/discord/render/refused-text.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, type Escaped, joined, md } from "../src/domain/escaped.ts";
import type { SinkRefusal } from "../src/domain/failure.ts";
import type { Feed } from "../src/domain/guild.ts";

/** Why a message did not arrive: the permissions that are missing there where they are known, else Discord's reason. */
export async function notPostedText(
  { guilds }: Pick<Services, "guilds">,
  { guildId, channelId }: { readonly guildId: string; readonly channelId: string },
  { refusal: { reason }, chooseWith }: { readonly refusal: SinkRefusal; readonly chooseWith: Escaped },
): Promise<Escaped> {
  const where = channelMention(channelId);
  const access = reason === "no-access" ? await guilds.channelAccess(guildId, channelId) : undefined;
  return access?.kind === "missing" || access?.kind === "timed-out"
    ? joined(shutLines(channelId, access), "\n")
    : md`⚠ I can't post in ${where}: ${refusedText(reason, chooseWith)}`;
}

/** Why no posts will come in a channel that somebody chose for them; nothing where they can. */
async function shutLinesOf(
  { guilds }: Pick<Services, "guilds">,
  { guildId, channelId }: { readonly guildId: string; readonly channelId: string },
): Promise<readonly Escaped[]> {
  return shutLines(channelId, await guilds.channelAccess(guildId, channelId));
}

/** What to add to the answer of whoever chose a feed's channel: why nothing comes there, who else reads it. */
export async function feedChannelLines(
  { guilds }: Pick<Services, "guilds">,
  feed: Pick<Feed, "guildId" | "channelId" | "kind">,
): Promise<readonly Escaped[]> {
  const access = await guilds.channelAccess(feed.guildId, feed.channelId);
  return [...shutLines(feed.channelId, access), ...publicLogLines([feed], () => access)];
}

/** A tick, where it can be posted: what is saved and can't be posted is not done. */
export async function signOf(
  { guilds }: Pick<Services, "guilds">,
  { guildId, channelId }: { readonly guildId: string; readonly channelId: string },
): Promise<Escaped> {
  return isShut(await guilds.channelAccess(guildId, channelId)) ? md`⚠` : md`✅`;
}

interface SetChannel {
  readonly guildId: string;
  readonly channelId: string | undefined;
  /** What is posted there is for staff alone. @default false */
  readonly isForStaff?: boolean;
  /** What `off:` of the command does. @default it stops the posts */
  readonly offDoes?: Escaped;
}

/** `✅ Cases are posted in #cases.`, and who else reads it; or that it is saved and why nothing can be posted there. */
export async function chosenText(
  { guilds }: Pick<Services, "guilds">,
  { guildId, channelId, isForStaff = false }: SetChannel,
  said: Escaped,
): Promise<Escaped> {
  if (channelId === undefined) return md`✅ ${said}`;
  const access = await guilds.channelAccess(guildId, channelId);
  const shut = shutLines(channelId, access, md`Saved, but I can't post there`);
  if (shut.length > 0) return joined(shut, "\n");
  const seen = isForStaff ? publicLines([channelId], () => access) : [];
  return joined([md`✅ ${said}`, ...seen], "\n");
}

/** What is set, why nothing can be posted there now, and how to change it: by `channel:` and `off:` of the command. */
export async function setText(
  services: Pick<Services, "guilds">,
  { guildId, channelId, offDoes = md`stops them` }: SetChannel,
  said: Escaped,
): Promise<Escaped> {
  if (channelId === undefined) return said;
  const change = md`-# \`channel:\` moves these posts, \`off:\` ${offDoes}.`;
  return joined([said, ...(await shutLinesOf(services, { guildId, channelId })), change], "\n");
}
