import { type REST, Routes } from "discord.js";
import { joined, md } from "../../domain/escaped.ts";
import { SinkRefusal } from "../../domain/failure.ts";
import type { DirectMessages } from "../../domain/ports/notifier.ts";
import { escapeMarkdown } from "../render/escape.ts";
import { asSinkRefusal } from "./sink.ts";

export interface DirectMessagesPorts {
  readonly rest: REST;
  /** The guild's name, which a direct message shows as its origin. */
  guildName(guildId: string): string | undefined;
}

/** Direct messages over REST. */
export function createDirectMessages({ rest, guildName }: DirectMessagesPorts): DirectMessages {
  return {
    async open(userId) {
      const channel = await asSinkRefusal(() =>
        rest.post(Routes.userChannels(), { body: { recipient_id: userId } }),
      );
      if (
        typeof channel !== "object" ||
        channel === null ||
        !("id" in channel) ||
        typeof channel.id !== "string"
      ) {
        throw new SinkRefusal("unknown", "Discord opened no direct-message channel");
      }
      return channel.id;
    },
    bodyFrom(guildId, { rows: _, ...body }) {
      const from = guildName(guildId);
      const heading = from === undefined ? [] : [md`-# From **${escapeMarkdown(from)}**`];
      const content = joined([...heading, ...(body.content === undefined ? [] : [body.content])], "\n");
      return { ...body, content };
    },
  };
}
