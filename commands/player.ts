import { ApplicationCommandOptionType } from "discord.js";
import {
  defineAction,
  defineCommand,
  defineEntry,
  type Press,
  type Reply,
  type Typing,
} from "../src/discord/command.ts";
import { watchList } from "../src/discord/render/players/watch-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { moderatedServers } from "./moderated-servers.ts";
import { playerActs } from "./player-buttons.ts";
import { chooseWholeName, completePlayer, playerOption } from "./player-choice.ts";
import { placeOf, playerAt, showList, showMore, showPlayer, showTyped, turnPage } from "./player-show.ts";
import { endWatch, watchPlayer } from "./player-watch.ts";
import { completeServer, serverOption } from "./server-option.ts";

/** Who somebody is, what they did before, who dealt with it. For Moderators. */

const { String: text } = ApplicationCommandOptionType;

const complete = (typing: Typing, services: Services) =>
  typing.option === "server" ? completeServer(typing, services) : completePlayer(typing, services);

const show = defineEntry<{ readonly player: string; readonly server: string | undefined }>({
  description: "A player's record: names, visits, kills, calls and cases",
  first: "ephemeral",
  options: [playerOption, serverOption],
  serverIsFilter: true,
  parse: (options) => ({ player: options.string("player", true), server: options.string("server") }),
  autocomplete: complete,
  execute: ({ actor, args }, services) => showTyped(services, actor, args),
});

const watch = defineEntry<{ readonly player: string; readonly reason: string; readonly until: string }>({
  description: "Get an alert when a player joins",
  first: "ephemeral",
  options: [
    playerOption,
    { type: text, name: "reason", description: "Why; shown on the alert", max_length: 200 },
    {
      type: text,
      name: "until",
      description: 'How long, such as "7 days", or the last day, such as 2026-12-24',
      max_length: 40,
    },
  ],
  parse: (options) => ({
    player: options.string("player", true),
    reason: options.string("reason") ?? "",
    until: options.string("until") ?? "",
  }),
  autocomplete: complete,
  async execute({ actor, args }, services) {
    const servers = await moderatedServers(services, actor);
    const { player } = await chooseWholeName(services, actor, { typed: args.player, servers });
    return await watchPlayer(services, actor, { ...args, player });
  },
});

async function listWatches(services: Services, actor: Actor) {
  await moderatedServers(services, actor);
  const { watchChannelId } = await services.settings.of(actor.guildId);
  return watchList(await services.watches.list(actor.guildId), {
    alertChannelId: watchChannelId,
    manages: actor.manageGuild,
  });
}

const watches = defineEntry<undefined>({
  description: "List watched players",
  first: "ephemeral",
  parse: () => undefined,
  execute: ({ actor }, services) => listWatches(services, actor),
});

async function openPlayer({ actor, argument }: Press, services: Services): Promise<Reply> {
  return await showPlayer(services, actor, await playerAt(services, actor, placeOf(argument)));
}

export const player = defineCommand({
  name: "player",
  description: "Player records and the watchlist",
  subcommands: { show, watch, watches },
  actions: {
    ...playerActs,
    "player-more": defineAction({
      first: "ephemeral",
      execute: (press, services) => showMore(services, press),
    }),
    "player-open": defineAction({ first: "ephemeral", execute: openPlayer }),
    /** One of the names that may have been meant. */
    "player-meant": defineAction({ first: "update", execute: openPlayer }),
    /** On the card of a moderator call: who called. */
    "mod-player": defineAction({
      first: "ephemeral",
      async execute({ actor, argument }, services) {
        const call = await services.modCalls.find(actor.guildId, argument);
        if (call?.callerId === undefined) {
          throw new Failure("expired", "This call is too old. Use /player show.", { isRead: true });
        }
        const place = { bindingId: call.bindingId, playerId: call.callerId };
        return await showPlayer(services, actor, await playerAt(services, actor, place));
      },
    }),
    "player-pick": defineAction({
      first: "update",
      async execute({ actor, argument, values }, services) {
        const place = placeOf(`${argument}/${values[0] ?? ""}`);
        return await showPlayer(services, actor, await playerAt(services, actor, place));
      },
    }),
    /** Below an alert that tells of several. */
    "player-choose": defineAction({
      first: "ephemeral",
      async execute({ actor, argument, values }, services) {
        const place = placeOf(`${argument}/${values[0] ?? ""}`);
        return await showPlayer(services, actor, await playerAt(services, actor, place));
      },
    }),
    "player-list": defineAction({
      first: "ephemeral",
      execute: ({ actor, argument, values }, services) =>
        showList(services, actor, { ...placeOf(argument), list: values[0] ?? "" }),
    }),
    "player-older": defineAction({
      first: "update",
      execute: (press, services) => turnPage(services, press),
    }),
    "player-newest": defineAction({
      first: "update",
      execute: (press, services) => turnPage(services, press),
    }),
    "watch-end": defineAction({
      first: "update",
      async execute({ actor, values }, services) {
        await moderatedServers(services, actor);
        const ended = await endWatch(services, actor, Number(values[0] ?? 0));
        return { ...(await listWatches(services, actor)), ...ended };
      },
    }),
  },
});
