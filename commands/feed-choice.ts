import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import { type Choice, defineEntry, type Reply, type Typing } from "../src/discord/command.ts";
import { feedChoice } from "../src/discord/render/feed-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Feed } from "../src/domain/guild.ts";
import { choicesOf, chosenOf } from "./numbered-list.ts";

/** How a sub-command of `/feed` names one feed: by a choice, by its number in the list, or by its id. */

/** All feeds, oldest first, so that their numbers stay the same while feeds are added. */
export async function numberedFeeds({ feeds }: Services, guildId: string): Promise<readonly Feed[]> {
  return [...(await feeds.list(guildId))].sort(
    (a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1),
  );
}

async function completeFeed({ actor, typed }: Typing, services: Services): Promise<readonly Choice[]> {
  const bindings = await services.bindings.list(actor.guildId);
  const feeds = await numberedFeeds(services, actor.guildId);
  return choicesOf(feeds, typed, (feed, number) =>
    feedChoice(feed, { number, bindings, hereId: actor.channelId }),
  );
}

const feedOption: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.String,
  name: "feed",
  description: "Which feed, by its number in /feed list",
  required: true,
  autocomplete: true,
};

interface OneFeed {
  readonly feed: string;
}

/** A sub-command about one feed. */
export function feedEntry(
  description: string,
  execute: (actor: Actor, feed: Feed, services: Services) => Promise<Reply>,
) {
  return defineEntry<OneFeed>({
    description,
    first: "ephemeral",
    options: [feedOption],
    parse: (options) => ({ feed: options.string("feed", true).trim() }),
    autocomplete: completeFeed,
    async execute({ actor, args }, services) {
      const feed = chosenOf(await numberedFeeds(services, actor.guildId), args.feed);
      if (feed === undefined) {
        throw new Failure("bad-command", "There is no such feed. Choose one from the list.");
      }
      return await execute(actor, feed, services);
    },
  });
}
