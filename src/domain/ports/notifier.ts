import type { MessageBody } from "../message.ts";

/** away: Discord did not say that it refuses, so a later try may pass. */
export type Reach = "told" | "refused" | "away";

export interface Notifier {
  /** Notifies a person by DM; when that is closed, in the guild's notice channel. Never rejects. */
  person(guildId: string, userId: string, body: MessageBody): Promise<Reach>;
  /** Notifies the guild in its notice channel, else by DM: `userId`, or the person who linked the server. Never rejects. */
  guild(guildId: string, body: MessageBody, userId?: string): Promise<void>;
}
