import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import { type Choice, defineEntry, type Reply, type Typing } from "../src/discord/command.ts";
import { feedChoice } from "../src/discord/render/feed-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Feed } from "../src/domain/guild.ts";

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
  return feeds
    .map((feed, index) => ({
      name: feedChoice(feed, { number: index + 1, bindings, hereId: actor.channelId }),
      value: feed.id,
    }))
    .filter(({ name, value }) => value === typed || name.toLowerCase().includes(typed.toLowerCase()));
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
      const all = await numberedFeeds(services, actor.guildId);
      // Digits alone are a number of the list. A choice that was offered before its feed went is an id, and an id
      // may begin with digits: it must not reach the feed that has that number now.
      const feed = /^\d{1,3}$/.test(args.feed)
        ? all[Number(args.feed) - 1]
        : all.find(({ id }) => id === args.feed);
      if (feed === undefined) {
        throw new Failure("bad-command", "There is no such feed. Choose one from the list.");
      }
      return await execute(actor, feed, services);
    },
  });
}
