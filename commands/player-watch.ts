import type { Form, Reply } from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import { noChannelLine, watchBegun } from "../src/discord/render/players/watch-cards.ts";
import type { Services } from "../src/discord/services.ts";
import type { Watch } from "../src/domain/case.ts";
import { md } from "../src/domain/escaped.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { PlayerRef } from "../src/domain/model.ts";
import { throughOf } from "../src/domain/moment.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { recordEvent } from "./audit-event.ts";
import { LONGEST_REASON } from "./case-args.ts";

/** The watchlist, for the command and for the buttons on the card of a player. */

export interface NewWatch {
  readonly player: Required<PlayerRef>;
  readonly reason: string;
  readonly until: string;
}

/** Puts somebody on the watchlist, in the audit too. */
export async function watchPlayer(services: Services, actor: Actor, made: NewWatch): Promise<Reply> {
  const { player, reason, until } = made;
  const { timeZone: zone = DEFAULT_ZONE, watchChannelId } = await services.settings.of(actor.guildId);
  const nowMs = services.clock.nowMs();
  const watch: Watch = {
    guildId: actor.guildId,
    playerId: player.id,
    name: player.name,
    byId: actor.userId,
    atMs: nowMs,
    ...(reason.trim() === "" ? {} : { reason: reason.trim().slice(0, LONGEST_REASON) }),
    ...(until.trim() === "" ? {} : { untilMs: throughOf(until, { nowMs, zone }) }),
  };
  await services.watches.put(watch);
  await recordEvent(services, actor, { action: "watch-add", text: player.name });
  const where = watchChannelId === undefined ? md`\n⚠️ ${noChannelLine(actor.manageGuild)}` : md``;
  return { content: md`${watchBegun(watch)}${where}` };
}

export async function endWatch(services: Services, actor: Actor, playerId: number): Promise<Reply> {
  const watch = await services.watches.remove(actor.guildId, playerId);
  if (watch === undefined) return { content: md`This player is not watched.` };
  await recordEvent(services, actor, { action: "watch-end", text: watch.name });
  return { content: md`✅ **${inlineName(watch.name)}** is no longer watched.` };
}

export function watchForm(place: string, title: string): Form {
  return {
    id: `player-watched:${place}`,
    title,
    fields: [
      {
        kind: "text",
        id: "reason",
        label: "Why",
        required: false,
        long: true,
        maxLength: 200,
        description: "Shown in the message when they join",
      },
      {
        kind: "text",
        id: "until",
        label: "For how long",
        required: false,
        maxLength: 40,
        description: "Leave empty for no end",
        placeholder: "7 days",
      },
    ],
  };
}
