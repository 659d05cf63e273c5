import { ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import { REWIND_AROUND_S, rewindCard } from "../src/discord/render/players/rewind-card.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { momentOf } from "../src/domain/moment.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { mustTakeCalls } from "./call-rights.ts";
import { commandAuthors } from "./command-authors.ts";
import { completeServer, serverOption } from "./server-option.ts";

/** `/server at`: who was there at a time, and what happened in the minutes around it. For staff who take calls. */

async function rewindTo(
  services: Services,
  actor: Actor,
  { bindingId, atS }: { readonly bindingId: string; readonly atS: number },
): Promise<Reply> {
  const binding = await services.bindings.pick(actor.guildId, bindingId);
  await mustTakeCalls(services, { actor, binding }, "Views of what happened");
  const view = await services.history.rewind.at(actor.guildId, binding.id, {
    atS,
    fromS: Math.max(0, atS - REWIND_AROUND_S),
    toS: atS + REWIND_AROUND_S,
  });
  const nowS = Math.floor(services.clock.nowMs() / 1_000);
  const authors = await commandAuthors(services, actor.guildId, view.rows);
  return rewindCard({ view, serverName: binding.name, nowS, authors });
}

/** `binding/second` of a button. */
function turnTo({ actor, argument }: Press, services: Services): Promise<Reply> {
  const [, bindingId, second] = /^([^/]+)\/(\d{1,11})$/.exec(argument) ?? [];
  if (bindingId === undefined || second === undefined) {
    throw new Failure("expired", "This button is of an older form.", { isRead: true });
  }
  return rewindTo(services, actor, { bindingId, atS: Number(second) });
}

interface AtArgs {
  readonly time: string;
  readonly server: string | undefined;
}

export const at = defineEntry<AtArgs>({
  description: "Who was in the server at a time, and what happened around it",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.String,
      name: "time",
      description: 'For example "20:14", "25 min ago" or "2026-11-21 20:14"',
      required: true,
      max_length: 40,
    },
    serverOption,
  ],
  parse: (options) => ({ time: options.string("time", true), server: options.string("server") }),
  autocomplete: completeServer,
  async execute({ actor, args }, services) {
    const { id } = await services.bindings.pick(actor.guildId, args.server);
    const { timeZone: zone = DEFAULT_ZONE } = await services.settings.of(actor.guildId);
    const atMs = momentOf(args.time, { nowMs: services.clock.nowMs(), zone });
    return await rewindTo(services, actor, { bindingId: id, atS: Math.floor(atMs / 1_000) });
  },
});

export const rewindActions = {
  "rewind-earlier": defineAction({ first: "update", execute: turnTo }),
  "rewind-later": defineAction({ first: "update", execute: turnTo }),
  "rewind-here": defineAction({ first: "update", execute: turnTo }),
  /** On an alert: the minutes around what it tells of. */
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
        throw new Failure("expired", "This call is too old. Type its time: /server at.", { isRead: true });
      }
      return await rewindTo(services, actor, { bindingId, atS: Number(second) });
    },
  }),
};
