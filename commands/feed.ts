import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import {
  type Choice,
  defineAction,
  defineCommand,
  defineEntry,
  type NamedRole,
  type Press,
  type Reply,
  type Typing,
} from "../src/discord/command.ts";
import { cut } from "../src/discord/render/escape.ts";
import {
  feedChoice,
  feedListCard,
  feedText,
  notOpenText,
  refusalText,
  resumeRows,
} from "../src/discord/render/feed-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, type Escaped, joined, md, roleMention } from "../src/domain/escaped.ts";
import { Failure, SinkRefusal } from "../src/domain/failure.ts";
import type { Actor, Feed } from "../src/domain/guild.ts";
import type { Button } from "../src/domain/message.ts";
import { type AddArgs, addOptions, completeTeam, MOST_FEEDS, parseAdd } from "./feed-add.ts";
import { modCallRunActions } from "./mod-call-runs.ts";
import { modCallActions } from "./mod-calls.ts";
import { completeServer } from "./server-option.ts";

async function addFeed(actor: Actor, args: AddArgs, services: Services): Promise<Reply> {
  const { feeds, bindings } = services;
  const { guildId, userId } = actor;
  const { server, channelId, ping, ...rest } = args;
  const binding = await bindings.pick(guildId, server);
  if ((await feeds.list(guildId)).length >= MOST_FEEDS) {
    throw new Failure("bad-command", `A community has at most ${MOST_FEEDS} feeds; remove one first.`);
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
  await note(services, actor, "feed-add", said);
  const start = feeds.status(feed.id).waitsForStore ? notOpenText(said) : md`✅ From now on: ${said}.`;
  return {
    content: joined([start, ...(ping === undefined ? [] : silentPing(ping))], "\n"),
    rows: [[testButton(feed)]],
  };
}

/** Discord shows such a mention and notifies nobody: better said now than found out by an unanswered call. */
function silentPing({ roleId, pingable }: NamedRole): Escaped[] {
  if (pingable) return [];
  return [
    md`⚠ **${roleMention(roleId)} would not be notified:** Discord lets Marshal ping a role only if anyone may mention it. Turn on “Allow anyone to @mention this role” in the role's settings, or give Marshal the permission Mention Everyone.`,
  ];
}

function testButton(feed: Feed): Button {
  return { kind: "button", style: "secondary", label: "Post a test message", id: `feed-test:${feed.id}` };
}

async function testFeed(guildId: string, feedId: string, { feeds }: Services): Promise<Reply> {
  const feed = (await feeds.list(guildId)).find((one) => one.id === feedId);
  if (feed === undefined) throw new Failure("bad-command", "There is no such feed any more.");
  try {
    await feeds.test(guildId, feedId);
  } catch (error) {
    if (!(error instanceof SinkRefusal)) throw error;
    return {
      content: md`⚠ The test message did not arrive in ${channelMention(feed.channelId)}: ${refusalText(error.reason)}`,
      rows: [[testButton(feed)]],
    };
  }
  return { content: md`✅ A test message stands in ${channelMention(feed.channelId)}.` };
}

/** Oldest first: the numbers that people see stay the same while feeds are added. */
async function numbered({ feeds }: Services, guildId: string): Promise<readonly Feed[]> {
  return [...(await feeds.list(guildId))].sort(
    (a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1),
  );
}

async function completeFeed({ actor, typed }: Typing, services: Services): Promise<readonly Choice[]> {
  const bindings = await services.bindings.list(actor.guildId);
  const feeds = await numbered(services, actor.guildId);
  return feeds
    .map((feed, index) => ({ name: feedChoice(feed, index + 1, bindings, actor.channelId), value: feed.id }))
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

/** A sub-command about one feed, which is named by a choice, its number or its id. */
function feedEntry(
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
      const all = await numbered(services, actor.guildId);
      // Digits alone are a number of the list. A choice that was offered before its feed went is an id, and an id
      // may begin with digits: it must not reach the feed that has that number now.
      const feed = /^\d{1,3}$/.test(args.feed)
        ? all[Number(args.feed) - 1]
        : all.find(({ id }) => id === args.feed);
      if (feed === undefined) {
        throw new Failure("bad-command", "There is no such feed; choose one from the list.");
      }
      return await execute(actor, feed, services);
    },
  });
}

/** Pauses or resumes; `state` is what it then is. */
function pauseEntry(description: string, paused: boolean, words: "⏸ Paused" | "▶ From now on") {
  return feedEntry(description, async (actor, feed, services) => {
    const after = await services.feeds.pause(actor.guildId, feed.id, paused);
    if (after === undefined) throw new Failure("bad-command", "There is no such feed any more.");
    const said = feedText(after, await services.bindings.list(actor.guildId));
    await note(services, actor, paused ? "feed-pause" : "feed-resume", said);
    const isWaiting = !paused && services.feeds.status(feed.id).waitsForStore === true;
    const content = isWaiting ? notOpenText(said) : md`${words}: ${said}.`;
    return { content, ...(paused ? {} : { rows: [[testButton(after)]] }) };
  });
}

/** All feeds; those that stopped or are paused have a button that posts them again. */
async function listReply({ guildId }: Actor, services: Services): Promise<Reply> {
  const feeds = await numbered(services, guildId);
  const bindings = await services.bindings.list(guildId);
  return {
    cards: [feedListCard(feeds, bindings, ({ id }) => services.feeds.status(id))],
    rows: resumeRows(feeds),
  };
}

/** `feed-resume:FEED` */
async function resumeInList({ actor, argument }: Press, services: Services): Promise<Reply> {
  const after = await services.feeds.pause(actor.guildId, argument, false);
  if (after === undefined) throw new Failure("bad-command", "There is no such feed any more.");
  await note(services, actor, "feed-resume", feedText(after, await services.bindings.list(actor.guildId)));
  return await listReply(actor, services);
}

export const feed = defineCommand({
  name: "feed",
  description: "Post joins, kills, calls and commands of the game server into channels",
  manageGuild: true,
  subcommands: {
    add: defineEntry<AddArgs>({
      description: "Start posting something into a channel, from now on",
      first: "ephemeral",
      options: addOptions,
      parse: parseAdd,
      autocomplete: (typing, services) =>
        typing.option === "team" ? completeTeam(typing) : completeServer(typing, services),
      execute: ({ actor, args }, services) => addFeed(actor, args, services),
    }),
    list: defineEntry<undefined>({
      description: "All feeds, where they post and how they are doing",
      first: "ephemeral",
      parse: () => undefined,
      execute: ({ actor }, services) => listReply(actor, services),
    }),
    remove: feedEntry("Stop a feed for good", async (actor, found, services) => {
      await services.feeds.remove(actor.guildId, found.id);
      const said = feedText(found, await services.bindings.list(actor.guildId));
      await note(services, actor, "feed-remove", said);
      return { content: md`🗑 Removed: ${said}.` };
    }),
    test: feedEntry("Post a test message into a feed's channel", (actor, found, services) =>
      testFeed(actor.guildId, found.id, services),
    ),
    pause: pauseEntry("Stop posting until it is resumed", true, "⏸ Paused"),
    resume: pauseEntry("Post again, from now on, what was paused or has stopped", false, "▶ From now on"),
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

async function note(
  { audit, clock, random }: Services,
  { guildId, userId, userName }: Actor,
  action: string,
  said: string,
): Promise<void> {
  const actor = { actorId: userId, actorName: userName };
  await audit.event({
    id: random.id(),
    guildId,
    atMs: clock.nowMs(),
    ...actor,
    action,
    text: cut(said, 400),
  });
}
