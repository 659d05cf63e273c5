import { defineAction, type Press, type Reply } from "../src/discord/command.ts";
import { type AutomaticView, automaticAnswer, withPaused } from "../src/discord/render/automatic-cards.ts";
import type { Services } from "../src/discord/services.ts";
import type { GuildSettings } from "../src/domain/guild.ts";
import { recordEvent } from "./audit-event.ts";
import { mustBeManager } from "./staff-rights.ts";

/** What runs by itself in a community, and the one press that stops it. */

const FOR_MANAGERS = "Only Managers can pause automatic commands.";

export async function automaticOf(services: Services, guildId: string): Promise<AutomaticView> {
  const { automaticPause: pause } = await services.settings.of(guildId);
  // As of ranks: what is paused does not run by itself.
  const { rules: all, pause: rulePause } = services.rules.list(guildId);
  const rules = rulePause === undefined ? all.flatMap(({ rule }) => rule.step ?? []) : [];
  const ranks = services.ranks
    .list(guildId)
    .flatMap(({ keeper, pause: rankPause }) =>
      keeper !== undefined && rankPause === undefined ? keeper : [],
    );
  const schedules = await services.schedules.list(guildId);
  return { schedules, bans: services.banEnds.list(guildId), rules, ranks, pause };
}

/** The answer of a room in which something runs by itself; it says so while that is paused. */
export async function withPauseOf(services: Services, guildId: string, reply: Reply): Promise<Reply> {
  const { automaticPause } = await services.settings.of(guildId);
  return automaticPause === undefined ? reply : { ...reply, ...withPaused(reply) };
}

async function pause({ actor }: Press, services: Services): Promise<Reply> {
  await mustBeManager(services, actor, FOR_MANAGERS);
  const automaticPause = { byId: actor.userId, atMs: services.clock.nowMs() };
  await services.settings.change(actor.guildId, (own) => ({ automaticPause, ...own }));
  await recordEvent(services, actor, {
    action: "automatic-pause",
    text: "schedules, ends of bans, rules, ranks",
  });
  return automaticAnswer(await automaticOf(services, actor.guildId));
}

async function resume({ actor }: Press, services: Services): Promise<Reply> {
  await mustBeManager(services, actor, FOR_MANAGERS);
  const running = ({ automaticPause: _, ...own }: GuildSettings): GuildSettings => own;
  await services.settings.change(actor.guildId, running);
  services.banEnds.onResumed(actor.guildId);
  await recordEvent(services, actor, {
    action: "automatic-resume",
    text: "schedules, ends of bans, rules, ranks",
  });
  return automaticAnswer(await automaticOf(services, actor.guildId));
}

export const automaticActions = {
  "automatic-pause": defineAction({ first: "ephemeral", execute: pause }),
  "automatic-resume": defineAction({ first: "ephemeral", execute: resume }),
};
