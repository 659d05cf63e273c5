import type { MessageBody } from "../message.ts";

export interface Notifier {
  /** Notifies a person by DM; when that is closed, in the guild's notice channel. False: neither took it. Never rejects. */
  person(guildId: string, userId: string, body: MessageBody): Promise<boolean>;
  /** Notifies the guild in its notice channel, else by DM: `userId`, or the person who linked the server. Never rejects. */
  guild(guildId: string, body: MessageBody, userId?: string): Promise<void>;
}
