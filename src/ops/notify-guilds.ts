import type { MessageBody } from "../domain/message.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Notifier } from "../domain/ports/notifier.ts";

export interface GuildNotice {
  readonly bindings: Pick<Bindings, "linked">;
  readonly notifier: Pick<Notifier, "guild">;
  readonly body: MessageBody;
  /** Which guilds get the notice. @default all of them */
  readonly concerns?: ((guildId: string) => boolean) | undefined;
}

/**
 * Sends a notice to each guild with a linked server, once, one guild after the other: ten thousand guilds must not be
 * a burst at Discord.
 */
export async function notifyGuilds(notice: GuildNotice): Promise<void> {
  const { bindings, notifier, body, concerns = () => true } = notice;
  const notified = new Set<string>();
  for (const { guildId } of bindings.linked()) {
    if (notified.has(guildId) || !concerns(guildId)) continue;
    notified.add(guildId);
    await notifier.guild(guildId, body);
  }
}
