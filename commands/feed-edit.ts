import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import { defineEntry, type Invocation, type Options, type Reply } from "../src/discord/command.ts";
import { feedText } from "../src/discord/render/feed-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Feed, FeedFilter } from "../src/domain/guild.ts";
import { checkDetails, detailOptions, filterOf, MINUTE_MS, typedFilter } from "./feed-add.ts";
import {
  chosenFeed,
  completeFeed,
  feedOption,
  NO_SUCH_FEED,
  recordFeedEvent,
  strangeFilterLines,
  testButton,
} from "./feed-choice.ts";
import { noPingOption, type PingChange, pingChangeOf, pingRoleAfter } from "./no-ping.ts";
import { feedChannelLines, signOf } from "./not-posted.ts";
import { editChannelOption } from "./post-channel.ts";
import { silentPing } from "./silent-ping.ts";
import { teamsOr } from "./team-choices.ts";

/** `/feed edit`: only what is typed changes. */

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  style: "Lines: compact text. Cards: with links to profiles",
  team: "Only these teams, separated by commas; none for all teams",
  player: "Only these players: names or ids, separated by commas; none for all players",
  command: "Only these commands, such as kick, ban (for command feeds); none for all",
  cooldown: "Minutes between pings",
};

const editOptions: readonly APIApplicationCommandBasicOption[] = [
  feedOption,
  editChannelOption,
  noPingOption,
  ...detailOptions.map((option) => {
    const description = DESCRIPTIONS[option.name] ?? option.description;
    const isMinutes = option.type === ApplicationCommandOptionType.Integer && option.name === "escalate";
    return isMinutes
      ? { ...option, min_value: 0, description: `${description}; 0 for never` }
      : { ...option, description };
  }),
];

interface EditArgs {
  readonly feed: string;
  readonly channelId: string | undefined;
  readonly style: Feed["style"] | undefined;
  readonly filter: FeedFilter;
  readonly ping: PingChange;
  readonly cooldownMs: number | undefined;
  readonly escalateAfterMs: number | undefined;
  readonly silent: boolean | undefined;
}

function parseEdit(options: Options): EditArgs {
  const style = options.string("style");
  const minutes = (name: string) => {
    const typed = options.number(name);
    return typed === undefined ? undefined : typed * MINUTE_MS;
  };
  return {
    feed: options.string("feed", true).trim(),
    channelId: options.id("channel"),
    style: style === undefined ? undefined : style === "cards" ? "cards" : "lines",
    filter: typedFilter(options),
    ping: pingChangeOf(options),
    cooldownMs: minutes("cooldown"),
    escalateAfterMs: minutes("escalate"),
    silent: options.boolean("silent"),
  };
}

/** The feed with what was typed. Failure "bad-command" where that does not go together. */
function edited(feed: Feed, args: EditArgs): Feed {
  const { pingRoleId, pingCooldownMs, escalateAfterMs, ...rest } = feed;
  const roleId = pingRoleAfter(args.ping, pingRoleId);
  // Nobody is pinged, so there is nothing to wait with.
  const cooldownMs = args.cooldownMs ?? (args.ping === "none" ? undefined : pingCooldownMs);
  const afterMs = args.escalateAfterMs ?? escalateAfterMs;
  const next: Feed = {
    ...rest,
    channelId: args.channelId ?? feed.channelId,
    style: feed.kind === "modCalls" ? feed.style : (args.style ?? feed.style),
    filter: filterOf({ ...feed.filter, ...args.filter }),
    silent: args.silent ?? feed.silent,
    ...(roleId === undefined ? {} : { pingRoleId: roleId }),
    ...(cooldownMs === undefined ? {} : { pingCooldownMs: cooldownMs }),
    ...(afterMs === undefined || afterMs === 0 ? {} : { escalateAfterMs: afterMs }),
  };
  checkDetails({ ...next, pingRoleId: roleId });
  return next;
}

function isNothing({ feed: _, filter, ...rest }: EditArgs): boolean {
  return Object.keys(filter).length === 0 && Object.values(rest).every((one) => one === undefined);
}

async function editFeed({ actor, args }: Invocation<EditArgs>, services: Services): Promise<Reply> {
  const { feeds, bindings } = services;
  const found = await chosenFeed(services, actor, args.feed);
  const linked = await bindings.list(actor.guildId);
  if (isNothing(args)) {
    return { content: md`Set now: ${feedText(found, linked)}. Add what to change.` };
  }
  const after = await feeds.edit(actor.guildId, found.id, (feed) => edited(feed, args));
  if (after === undefined) throw new Failure("bad-command", NO_SUCH_FEED);
  const said = feedText(after, linked);
  await recordFeedEvent(services, actor, { action: "feed-edit", text: said });
  const still = after.state === "live" ? [] : [md`-# It does not post now. Start it with \`/feed resume\`.`];
  const about = [
    ...(await feedChannelLines(services, after)),
    ...strangeFilterLines(services, filterOf(args.filter)),
  ];
  const sign = await signOf(services, after);
  return {
    content: joined([md`${sign} Feed changed: ${said}.`, ...about, ...still, ...silentPing(args.ping)], "\n"),
    rows: [[testButton(after)]],
  };
}

export const edit = defineEntry<EditArgs>({
  description: "Change a feed: its channel, style, filters, pings",
  first: "ephemeral",
  options: editOptions,
  parse: parseEdit,
  autocomplete: teamsOr(completeFeed),
  execute: editFeed,
});
