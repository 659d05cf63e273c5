import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import { type Choice, defineEntry, type Reply, type Typing } from "../src/discord/command.ts";
import { cut } from "../src/discord/render/escape.ts";
import { feedChoice } from "../src/discord/render/feed-cards.ts";
import type { Services } from "../src/discord/services.ts";
import type { Escaped } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Feed, FeedFilter } from "../src/domain/guild.ts";
import type { Button } from "../src/domain/message.ts";
import { type AuditWhat, recordEvent } from "./audit-event.ts";
import { choicesOf, chosenOf } from "./numbered-list.ts";
import { unknownVerbLines } from "./staff-verbs.ts";
import { strangeTeamLines } from "./team-choices.ts";

/** How a sub-command of `/feed` names one feed: by a choice, by its number in the list, or by its id. */

export const NO_SUCH_FEED = "That feed no longer exists.";

/** All feeds, oldest first, so that their numbers stay the same while feeds are added. */
export async function numberedFeeds({ feeds }: Services, guildId: string): Promise<readonly Feed[]> {
  return [...(await feeds.list(guildId))].sort(
    (a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1),
  );
}

export async function completeFeed({ actor, typed }: Typing, services: Services): Promise<readonly Choice[]> {
  const bindings = await services.bindings.list(actor.guildId);
  const feeds = await numberedFeeds(services, actor.guildId);
  return choicesOf(feeds, typed, (feed, number) =>
    feedChoice(feed, {
      number,
      bindings,
      channelName: services.guilds.channelName(actor.guildId, feed.channelId),
    }),
  );
}

export const feedOption: APIApplicationCommandBasicOption = {
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
      return await execute(actor, await chosenFeed(services, actor, args.feed), services);
    },
  });
}

/** @throws Failure "bad-command" where there is no such feed. */
export async function chosenFeed(services: Services, { guildId }: Actor, typed: string): Promise<Feed> {
  const feed = chosenOf(await numberedFeeds(services, guildId), typed);
  if (feed === undefined) throw new Failure("bad-command", "Unknown feed. Choose one from the list.");
  return feed;
}

export function testButton(feed: Feed): Button {
  return { kind: "button", style: "secondary", label: "Send a test", id: `feed-test:${feed.id}` };
}

/** A feed with long filters reads as a long text; the audit keeps its beginning. */
const LONGEST_EVENT_TEXT = 400;

export function recordFeedEvent(
  services: Services,
  actor: Actor,
  { action, text }: AuditWhat,
): Promise<void> {
  return recordEvent(services, actor, { action, text: cut(text, LONGEST_EVENT_TEXT) });
}

/** Of a filter that nothing may ever pass: which team or command nobody has heard of. It is set all the same. */
export function strangeFilterLines(
  services: Services,
  { teams = [], verbs = [] }: FeedFilter,
): readonly Escaped[] {
  return [...strangeTeamLines(teams), ...verbs.flatMap((verb) => unknownVerbLines(services, verb))];
}
