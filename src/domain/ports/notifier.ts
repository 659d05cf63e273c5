import type { MessageBody } from "../message.ts";

export interface Notifier {
  /** Tells a person by DM; when that is closed, the guild's notice channel. Never rejects. */
  person(guildId: string, userId: string, body: MessageBody): Promise<void>;
  /** The guild's notice channel, else by DM `userId`, or without one whoever linked the server. Never rejects. */
  guild(guildId: string, body: MessageBody, userId?: string): Promise<void>;
}
