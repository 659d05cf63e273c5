import { ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import {
  REWIND_AROUND_S,
  type RewindPlace,
  rewindPlaceOf,
} from "../src/discord/render/players/rewind-buttons.ts";
import { rewindCard, whichMoment } from "../src/discord/render/players/rewind-card.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { PlayerRef } from "../src/domain/model.ts";
import { momentsOf } from "../src/domain/moment.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { callTakers } from "./call-takers.ts";
import { commandAuthors } from "./command-authors.ts";
import { positionDaysOf } from "./history-positions.ts";
import { mustTakeCalls } from "./may-take-calls.ts";
import { chooseOnePlayer, completePlayer, playerOption } from "./player-choice.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { replayAt } from "./server-replay.ts";

/** `/server at`: who was there at a time, and what happened in the minutes around it. For staff who take calls. */

const DAY_S = 86_400;

interface Rewound extends RewindPlace {
  readonly player?: Required<PlayerRef> | undefined;
  /** Whom the view can be narrowed to. */
  readonly offered?: Required<PlayerRef> | undefined;
}

async function rewindTo(
  services: Services,
  actor: Actor,
  { bindingId, atS, openedFrom, player, offered }: Rewound,
): Promise<Reply> {
  const binding = await services.bindings.pick(actor.guildId, bindingId);
  await mustTakeCalls(services, { actor, binding }, "/server at");
  const view = await services.history.rewind.at(actor.guildId, binding.id, {
    atS,
    fromS: Math.max(0, atS - REWIND_AROUND_S),
    toS: atS + REWIND_AROUND_S,
    player,
  });
  const nowS = Math.floor(services.clock.nowMs() / 1_000);
  const authors = await commandAuthors(services, actor.guildId, view.rows);
  const takers = await callTakers(services, actor.guildId, view.rows);
  const days = (await positionDaysOf(services, actor.guildId)) ?? 0;
  const hasReplay = days > 0 && nowS - atS <= days * DAY_S;
  const shown = { view, serverName: binding.name, nowS, authors, takers, openedFrom, player, offered };
  return rewindCard({ ...shown, hasReplay });
}

/** What a button leads to. */
async function turnTo({ actor, argument }: Press, services: Services): Promise<Reply> {
  const place = rewindPlaceOf(argument);
  if (place === undefined) {
    throw new Failure("expired", "This button is from an older version of Marshal.", { isRead: true });
  }
  const player = place.playerId === undefined ? undefined : await nameOf(services, actor, place.playerId);
  const { offeredId } = place;
  const offered = offeredId === undefined ? undefined : await nameOf(services, actor, offeredId);
  return await rewindTo(services, actor, { ...place, player, offered });
}

/** By the history, which the rows come from too. */
async function nameOf(services: Services, { guildId }: Actor, id: number): Promise<Required<PlayerRef>> {
  const [known] = await services.history.players.find(guildId, String(id));
  return { id, name: known?.name ?? "this player" };
}

/** The right comes first: who was ever seen here is not everybody's to know. */
async function playerOf(
  services: Services,
  actor: Actor,
  { typed, binding }: { readonly typed: string; readonly binding: Binding },
): Promise<Required<PlayerRef>> {
  await mustTakeCalls(services, { actor, binding }, "/server at");
  return (await chooseOnePlayer(services, actor, { typed, servers: [binding] })).player;
}

interface AtArgs {
  readonly time: string;
  readonly player: string | undefined;
  readonly server: string | undefined;
  readonly replay: boolean;
}

export const at = defineEntry<AtArgs>({
  description: "Who was in the server at a given time, and what happened then",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.String,
      name: "time",
      description: 'For example "20:14", "25 min ago" or "2026-11-21 20:14"',
      required: true,
      max_length: 40,
    },
    { ...playerOption, required: false, description: "Only what this player did, or what was done to them" },
    serverOption,
    {
      type: ApplicationCommandOptionType.Boolean,
      name: "replay",
      description: "Two minutes on the map instead, if positions are saved",
    },
  ],
  parse: (options) => ({
    time: options.string("time", true),
    player: options.string("player"),
    server: options.string("server"),
    replay: options.boolean("replay") ?? false,
  }),
  autocomplete: (typing, services) =>
    typing.option === "player" ? completePlayer(typing, services) : completeServer(typing, services),
  async *execute({ actor, args, signal }, services) {
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const { id } = binding;
    const { timeZone: zone = DEFAULT_ZONE } = await services.settings.of(actor.guildId);
    const moments = momentsOf(args.time, { nowMs: services.clock.nowMs(), zone });
    const [atS = 0, secondS] = moments.map((atMs) => Math.floor(atMs / 1_000));
    const wanted = args.player?.trim() ?? "";
    const player = wanted === "" ? undefined : await playerOf(services, actor, { typed: wanted, binding });
    if (secondS !== undefined) {
      yield whichMoment({ bindingId: id, zone, times: [atS, secondS], playerId: player?.id });
      return;
    }
    const playerIds = player === undefined ? [] : [player.id];
    if (args.replay) yield* replayAt(services, { actor, signal }, { binding, atS, playerIds });
    else yield await rewindTo(services, actor, { bindingId: id, atS, player });
  },
});

export const rewindActions = {
  "rewind-earlier": defineAction({ first: "update", execute: turnTo }),
  "rewind-later": defineAction({ first: "update", execute: turnTo }),
  "rewind-here": defineAction({ first: "update", execute: turnTo }),
  "rewind-only": defineAction({ first: "update", execute: turnTo }),
  "rewind-all": defineAction({ first: "update", execute: turnTo }),
  /** On an alert: the minutes around what it tells of, from its beginning on. */
  "rewind-open": defineAction({ first: "ephemeral", execute: turnTo }),
  /** On the card of a moderator call: the minutes around it. */
  "mod-rewind": defineAction({
    first: "ephemeral",
    async execute({ actor, argument }, services) {
      const [cardId = "", second = ""] = argument.split("/");
      const call = await services.modCalls.find(actor.guildId, cardId);
      const all = await services.bindings.list(actor.guildId);
      // A card outlives what is kept of its call; where one server is linked it can only be that one's.
      const bindingId = call?.bindingId ?? (all.length === 1 ? all[0]?.id : undefined);
      if (bindingId === undefined || !/^\d{1,11}$/.test(second)) {
        throw new Failure("expired", "This call is too old. Use /server at with its time.", { isRead: true });
      }
      const { callerId, callerName = "" } = call ?? {};
      const offered = callerId === undefined ? undefined : { id: callerId, name: callerName };
      const place = { bindingId, atS: Number(second), openedFrom: "call" } as const;
      return await rewindTo(services, actor, { ...place, offered });
    },
  }),
};
