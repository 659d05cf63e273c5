import {
  defineAction,
  defineCommand,
  defineEntry,
  type Invocation,
  type Press,
  type Reply,
} from "../src/discord/command.ts";
import {
  feedListCard,
  feedText,
  firstLookText,
  notOpenText,
  resumeRows,
} from "../src/discord/render/feed-cards.ts";
import { BY_FEED_EDIT } from "../src/discord/render/refused-text.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, type Escaped, joined, md } from "../src/domain/escaped.ts";
import { Failure, SinkRefusal } from "../src/domain/failure.ts";
import type { Actor, Feed } from "../src/domain/guild.ts";
import { isStill } from "../src/domain/ports/service-health.ts";
import { type AddArgs, addOptions, MOST_FEEDS, parseAdd } from "./feed-add.ts";
import {
  feedEntry,
  NO_SUCH_FEED,
  numberedFeeds,
  recordFeedEvent,
  strangeFilterLines,
  testButton,
} from "./feed-choice.ts";
import { edit } from "./feed-edit.ts";
import { modCallRunActions } from "./mod-call-runs.ts";
import { modCallActions } from "./mod-calls.ts";
import { feedChannelLines, notPostedText, signOf } from "./not-posted.ts";
import { completeServer } from "./server-option.ts";
import { channelAccessOf } from "./setup-guide.ts";
import { silentPing } from "./silent-ping.ts";
import { teamsOr } from "./team-choices.ts";

async function addFeed({ actor, args }: Invocation<AddArgs>, services: Services): Promise<Reply> {
  const { feeds, bindings } = services;
  const { guildId, userId } = actor;
  const { server, channelId, ping, ...rest } = args;
  const binding = await bindings.pick(guildId, server);
  if ((await feeds.list(guildId)).length >= MOST_FEEDS) {
    throw new Failure(
      "bad-command",
      `This community has ${MOST_FEEDS} feeds, the maximum. Remove one first.`,
    );
  }
  const wanted = {
    ...rest,
    guildId,
    bindingId: binding.id,
    channelId: channelId ?? actor.channelId,
    createdBy: userId,
    ...(ping === undefined ? {} : { pingRoleId: ping.roleId }),
  };
  const feed = await feeds.add(wanted);
  const said = feedText(feed, await bindings.list(guildId));
  await recordFeedEvent(services, actor, { action: "feed-add", text: said });
  const sign = await signOf(services, feed);
  const start = feeds.status(feed.id).waitsForStore ? notOpenText(said) : md`${sign} Feed added: ${said}.`;
  const about = [...(await feedChannelLines(services, feed)), ...strangeFilterLines(services, feed.filter)];
  const begins = firstLook(services, feed);
  return {
    content: joined([start, ...about, ...begins, ...silentPing(ping)], "\n"),
    rows: [[testButton(feed)]],
  };
}

/** What the feed takes for the past, where nothing of that log has been read yet. */
function firstLook({ feeds, health }: Services, { id }: Feed): Escaped[] {
  return feeds.status(id).waitsForFirstLook === true ? [firstLookText(health.halt()?.untilMs)] : [];
}

async function testFeed(guildId: string, feedId: string, services: Services): Promise<Reply> {
  const { feeds } = services;
  const feed = (await feeds.list(guildId)).find((one) => one.id === feedId);
  if (feed === undefined) throw new Failure("bad-command", NO_SUCH_FEED);
  try {
    await feeds.test(guildId, feedId);
  } catch (error) {
    if (!(error instanceof SinkRefusal)) throw error;
    return {
      content: await notPostedText(services, feed, { refusal: error, chooseWith: BY_FEED_EDIT }),
      rows: [[testButton(feed)]],
    };
  }
  return { content: md`✅ Test posted in ${channelMention(feed.channelId)}.` };
}

const pause = feedEntry("Pause a feed until you resume it", async (actor, found, services) => {
  const after = await services.feeds.pause(actor.guildId, found.id);
  if (after === undefined) throw new Failure("bad-command", NO_SUCH_FEED);
  const said = feedText(after, await services.bindings.list(actor.guildId));
  await recordFeedEvent(services, actor, { action: "feed-pause", text: said });
  return { content: md`⏸ Paused: ${said}.` };
});

const resume = feedEntry("Resume a feed that is paused or stopped", async (actor, found, services) => {
  const after = await resumeFeed(services, actor, found.id);
  const said = feedText(after, await services.bindings.list(actor.guildId));
  const isWaiting = services.feeds.status(after.id).waitsForStore === true;
  const start = isWaiting ? notOpenText(said) : md`▶ Resumed: ${said}.`;
  const content = joined([start, ...firstLook(services, after)], "\n");
  return { content, rows: [[testButton(after)]] };
});

/** @throws Failure "bad-command" when the feed is gone. */
async function resumeFeed(services: Services, actor: Actor, feedId: string): Promise<Feed> {
  const after = await services.feeds.resume(actor.guildId, feedId);
  if (after === undefined) throw new Failure("bad-command", NO_SUCH_FEED);
  const text = feedText(after, await services.bindings.list(actor.guildId));
  await recordFeedEvent(services, actor, { action: "feed-resume", text });
  return after;
}

/** All feeds; those that stopped or are paused have a button that posts them again. */
async function listReply({ guildId }: Actor, services: Services): Promise<Reply> {
  const feeds = await numberedFeeds(services, guildId);
  const bindings = await services.bindings.list(guildId);
  const channelIds = feeds.map(({ channelId }) => channelId);
  const accesses = await channelAccessOf(services, guildId, channelIds);
  const isStillOf = (bindingId: string) => {
    const source = bindings.find(({ id }) => id === bindingId)?.source;
    return source !== undefined && isStill(services.health, source);
  };
  return {
    cards: [
      feedListCard(feeds, bindings, ({ id, bindingId, channelId }) => ({
        ...services.feeds.status(id),
        isStill: isStillOf(bindingId),
        access: accesses.get(channelId),
      })),
    ],
    rows: resumeRows(feeds, (channelId) => accesses.get(channelId)?.kind === "gone"),
  };
}

/** `feed-resume:FEED` */
async function resumeInList({ actor, argument }: Press, services: Services): Promise<Reply> {
  await resumeFeed(services, actor, argument);
  return await listReply(actor, services);
}

export const feed = defineCommand({
  name: "feed",
  description: "Post joins, kills, calls and commands in channels",
  manageGuild: true,
  subcommands: {
    add: defineEntry<AddArgs>({
      description: "Start posting something in a channel",
      first: "ephemeral",
      options: addOptions,
      parse: parseAdd,
      autocomplete: teamsOr(completeServer),
      execute: addFeed,
    }),
    edit,
    list: defineEntry<undefined>({
      description: "All feeds, where they post and whether that works",
      first: "ephemeral",
      parse: () => undefined,
      execute: ({ actor }, services) => listReply(actor, services),
    }),
    remove: feedEntry("Remove a feed", async (actor, found, services) => {
      await services.feeds.remove(actor.guildId, found.id);
      const said = feedText(found, await services.bindings.list(actor.guildId));
      await recordFeedEvent(services, actor, { action: "feed-remove", text: said });
      return { content: md`🗑 Removed: ${said}.` };
    }),
    test: feedEntry("Post a test in a feed's channel", (actor, found, services) =>
      testFeed(actor.guildId, found.id, services),
    ),
    pause,
    resume,
  },
  actions: {
    "feed-test": defineAction({
      first: "ephemeral",
      manageGuild: true,
      execute: ({ actor, argument }, services) => testFeed(actor.guildId, argument, services),
    }),
    "feed-resume": defineAction({ first: "update", manageGuild: true, execute: resumeInList }),
    ...modCallActions,
    ...modCallRunActions,
  },
});
