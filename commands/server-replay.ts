import { defineAction, type Press, type Reply } from "../src/discord/command.ts";
import { replayMessage } from "../src/discord/render/map/replay-message.ts";
import {
  REPLAY_AFTER_S,
  REPLAY_BEFORE_S,
  replayPicture,
  type Scene,
} from "../src/discord/render/map/replay-picture.ts";
import { rewindPlaceOf } from "../src/discord/render/players/rewind-buttons.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { positionDaysOf } from "./history-positions.ts";
import { mustTakeCalls } from "./may-take-calls.ts";
import { moderatedServers } from "./moderated-servers.ts";
import { drawn } from "./stats-picture.ts";

/** Two minutes on the map, from `/server at` and from buttons on calls, kills and cases. For staff who take calls. */

interface Moment {
  readonly binding: Binding;
  readonly atS: number;
  /** Whom it is about; empty: whom the nearest kill names. */
  readonly playerIds: readonly number[];
}

export async function* replayAt(
  services: Services,
  { actor, signal }: Pick<Press, "actor" | "signal">,
  { binding, atS, playerIds }: Moment,
): AsyncGenerator<Reply> {
  await mustTakeCalls(services, { actor, binding }, "the replay");
  const { guildId } = actor;
  const { history } = services;
  const span = { fromS: Math.max(0, atS - REPLAY_BEFORE_S), toS: atS + REPLAY_AFTER_S };
  const [track, { rows }] = await Promise.all([
    history.positions.track(guildId, binding.id, span),
    history.rewind.at(guildId, binding.id, { atS, ...span }),
  ]);
  yield* shown(
    services,
    { actor, signal },
    { ...(await looks(services, actor)), track, rows, atS, playerIds, serverName: binding.name },
  );
}

async function looks({ settings }: Services, { guildId }: Actor) {
  const { pictureLook: look = "dark", timeZone: zone = DEFAULT_ZONE } = await settings.of(guildId);
  return { look, zone };
}

async function* shown(
  services: Services,
  { actor, signal }: Pick<Press, "actor" | "signal">,
  { serverName, ...scene }: Scene & { readonly serverName: string },
): AsyncGenerator<Reply> {
  const isEmpty = scene.track.looksS.length === 0;
  const positionDays = isEmpty ? await positionDaysOf(services, actor.guildId) : undefined;
  const nowS = Math.floor(services.clock.nowMs() / 1_000);
  const message = { scene, serverName, positionDays, manages: actor.manageGuild, nowS };
  const pictures = isEmpty ? [] : [replayPicture(scene)];
  if (pictures.length > 0) yield replayMessage(message, { image: undefined });
  for await (const { pngs, pictureWords } of drawn(services, actor.guildId, { pictures, signal })) {
    yield replayMessage(message, { image: pngs?.[0], pictureWords });
  }
}

async function* openReplay({ actor, argument, signal }: Press, services: Services): AsyncGenerator<Reply> {
  const place = rewindPlaceOf(argument);
  if (place === undefined) {
    throw new Failure("expired", "This button is from an older version of Marshal.", { isRead: true });
  }
  const binding = await services.bindings.pick(actor.guildId, place.bindingId);
  const playerIds = place.playerId === undefined ? [] : [place.playerId];
  yield* replayAt(services, { actor, signal }, { binding, atS: place.atS, playerIds });
}

/** By what the case keeps, so that it is there when positions of that day are gone. */
async function* replayCase({ actor, argument, signal }: Press, services: Services): AsyncGenerator<Reply> {
  const { guildId } = actor;
  const one = /^\d{1,9}$/.test(argument) ? await services.cases.get(guildId, Number(argument)) : undefined;
  if (one === undefined) throw new Failure("expired", "This case no longer exists.", { isRead: true });
  const servers = await moderatedServers(services, actor);
  if (servers.every(({ id }) => id !== one.bindingId)) {
    throw new Failure("denied", "Only Moderators of that server can replay this case.", { isRead: true });
  }
  const kept = await services.history.positions.ofCase(guildId, one.number);
  if (kept === undefined) {
    throw new Failure("bad-command", "Nothing was recorded around this case.", { isRead: true });
  }
  const { atS, rows } = kept;
  const track = kept.track ?? { bindingId: one.bindingId ?? "", looksS: [], players: [] };
  const playerIds = one.targets.flatMap(({ playerId }) => (playerId === undefined ? [] : [playerId]));
  const scene = { ...(await looks(services, actor)), track, rows, atS, playerIds };
  yield* shown(services, { actor, signal }, { ...scene, serverName: one.serverName ?? "" });
}

export const replayActions = {
  "replay-open": defineAction({ first: "ephemeral", execute: openReplay }),
  "case-replay": defineAction({ first: "ephemeral", execute: replayCase }),
  /** `CARD/SECOND`, on the card of a moderator call. */
  "mod-replay": defineAction({
    first: "ephemeral",
    async *execute({ actor, argument, signal }, services) {
      const [cardId = "", second = ""] = argument.split("/");
      const call = await services.modCalls.find(actor.guildId, cardId);
      if (call === undefined || !/^\d{1,11}$/.test(second)) {
        throw new Failure("expired", "This call is too old. Use /server at with its time.", { isRead: true });
      }
      const binding = await services.bindings.pick(actor.guildId, call.bindingId);
      const playerIds = call.callerId === undefined ? [] : [call.callerId];
      yield* replayAt(services, { actor, signal }, { binding, atS: Number(second), playerIds });
    },
  }),
};
