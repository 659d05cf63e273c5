import { ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import { checkWords } from "../src/discord/render/map/map-check.ts";
import { type MapFilter, mapMessage, mapPicture, mapPlaceOf } from "../src/discord/render/map/map-message.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Binding } from "../src/domain/guild.ts";
import type { ServerState } from "../src/domain/model.ts";
import { mustTakeCalls } from "./may-take-calls.ts";
import { chooseOnePlayer, completePlayer, playerOption } from "./player-choice.ts";
import { completeTeam, teamOption } from "./server-lists.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { type ShownState, serverStates } from "./server-state.ts";
import { drawn } from "./stats-picture.ts";

/** `/server map`, and the *Map* buttons: who is where. For staff who take calls. */

const LISTS = ["players", "modCalls", "emergencyCalls"] as const;

interface Mapped {
  readonly binding: Binding;
  readonly filter: MapFilter;
  readonly isCheck?: boolean | undefined;
}

async function* mapReplies(
  services: Services,
  { actor, signal }: Pick<Press, "actor" | "signal">,
  { binding, filter, isCheck = false }: Mapped,
): AsyncGenerator<Reply> {
  await mustTakeCalls(services, { actor, binding }, "/server map");
  const { pictureLook: look = "dark" } = await services.settings.of(actor.guildId);
  const messageOf = ({ state, seen }: ShownState) => ({
    bindingId: binding.id,
    state: services.modCalls.withoutResolved(binding.id, state),
    seen,
    filter,
    look,
    isCheck,
  });
  let shown: ShownState | undefined;
  for await (const next of serverStates(services, { binding, lists: LISTS, needed: ["players"], signal })) {
    // Another community may have had this server before: where people were then is not this one's to see.
    if (!isSince(next.state, binding)) continue;
    shown = next;
    yield mapMessage(messageOf(next), { png: undefined });
  }
  if (shown === undefined) {
    yield { content: md`This server was linked a moment ago. Ask again in a few seconds.` };
    return;
  }
  const message = messageOf(shown);
  const picture = mapPicture(message);
  const words = isCheck ? checkWords(picture.points, services.mapCorners) : undefined;
  // The check is for measuring: an earlier picture would not be of what its words say.
  const subject = isCheck
    ? {}
    : { subject: `map ${look} ${binding.id} ${filter.playerId ?? ""} ${filter.team ?? ""}` };
  const asked = { pictures: [picture], ...subject, signal };
  for await (const { pngs, pictureWords } of drawn(services, actor.guildId, asked)) {
    yield mapMessage(message, { png: pngs?.[0], pictureWords: words ?? pictureWords });
  }
}

function isSince({ lists }: ServerState, { linkedAtMs }: Binding): boolean {
  return (lists.players?.atMs ?? 0) >= linkedAtMs;
}

interface MapArgs {
  readonly player: string | undefined;
  readonly team: string | undefined;
  readonly server: string | undefined;
  readonly check: boolean;
}

export const map = defineEntry<MapArgs>({
  description: "Where everyone is right now, as a picture and in words",
  first: "ephemeral",
  redraws: true,
  options: [
    { ...playerOption, required: false, description: "Only this player and who is nearby" },
    teamOption,
    serverOption,
    {
      type: ApplicationCommandOptionType.Boolean,
      name: "check",
      description: "For the host: check the map picture against what was seen",
    },
  ],
  parse: (options) => ({
    player: options.string("player"),
    team: options.string("team"),
    server: options.string("server"),
    check: options.boolean("check") ?? false,
  }),
  autocomplete: (typing, services) => {
    if (typing.option === "player") return completePlayer(typing, services);
    return typing.option === "team" ? completeTeam(typing, services) : completeServer(typing, services);
  },
  async *execute({ actor, args, signal }, services) {
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const typed = args.player?.trim() ?? "";
    // The right comes first: who was ever seen here is not everybody's to know.
    if (typed !== "") await mustTakeCalls(services, { actor, binding }, "/server map");
    const player =
      typed === ""
        ? undefined
        : (await chooseOnePlayer(services, actor, { typed, servers: [binding] })).player;
    const filter = { playerId: player?.id, team: args.team };
    yield* mapReplies(services, { actor, signal }, { binding, filter, isCheck: args.check });
  },
});

/** `map-open:PLACE`, and `map-here:PLACE` for the same map again. */
async function* openMap({ actor, argument, signal }: Press, services: Services): AsyncGenerator<Reply> {
  const { bindingId, isCheck, ...filter } = mapPlaceOf(argument);
  const binding = await services.bindings.pick(actor.guildId, bindingId);
  yield* mapReplies(services, { actor, signal }, { binding, filter, isCheck });
}

export const mapActions = {
  "map-open": defineAction({ first: "ephemeral", redraws: true, execute: openMap }),
  "map-here": defineAction({ first: "update", redraws: true, execute: openMap }),
  /** On the card of a moderator call: around who called. */
  "mod-map": defineAction({
    first: "ephemeral",
    async *execute({ actor, argument, signal }, services) {
      const call = await services.modCalls.find(actor.guildId, argument);
      if (call === undefined) {
        throw new Failure("expired", "This call is too old. Use /server map.", { isRead: true });
      }
      const binding = await services.bindings.pick(actor.guildId, call.bindingId);
      const filter = { playerId: call.callerId };
      yield* mapReplies(services, { actor, signal }, { binding, filter });
    },
  }),
};
