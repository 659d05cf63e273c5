import { type APIApplicationCommandStringOption, ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineEntry, type Reply } from "../src/discord/command.ts";
import {
  periodButtons,
  periodTitle,
  serverPictures,
  serverStatsMessage,
} from "../src/discord/render/stats/server-stats.ts";
import { PERIODS, type PeriodDays, periodWords } from "../src/discord/render/stats/stats-words.ts";
import type { Services } from "../src/discord/services.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { StatsSpan } from "../src/domain/stats.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { notModerator } from "./moderated-servers.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { drawn } from "./stats-picture.ts";

/** `/stats server`: how full a server was and whether staff was there. For Moderators. */

const DAY_S = 86_400;
/** Who asks again within it gets the same figures and the same picture. */
const SAME_FOR_S = 10;

export const periodOption: APIApplicationCommandStringOption = {
  type: ApplicationCommandOptionType.String,
  name: "period",
  description: "How far back (default 7 days)",
  choices: PERIODS.map(({ days, label }) => ({ name: label, value: String(days) })),
};

/** Of what was chosen, or stands in a button. */
export function periodOf(text: string | undefined): PeriodDays {
  return PERIODS.find(({ days }) => String(days) === text)?.days ?? 7;
}

/** Up to now, nearly: what was seen a moment ago belongs to it. */
export function spanUpToNow(nowMs: number, days: PeriodDays): Pick<StatsSpan, "fromS" | "toS"> {
  const toS = Math.floor(nowMs / 1_000 / SAME_FOR_S) * SAME_FOR_S;
  return { fromS: toS - days * DAY_S, toS };
}

interface Asked {
  readonly actor: Actor;
  readonly signal: AbortSignal;
  readonly binding: Binding;
  readonly days: PeriodDays;
}

async function* showServer(
  services: Services,
  { actor, signal, binding, days }: Asked,
): AsyncGenerator<Reply> {
  const { permissions, settings, history, clock } = services;
  const decision = await permissions.decideModerator(actor, binding);
  if (!decision.allowed) throw notModerator(binding, "see the statistics of a server");
  const { timeZone: zone = DEFAULT_ZONE, pictureLook = "dark" } = await settings.of(actor.guildId);
  const stats = await history.stats.server(actor.guildId, {
    bindingId: binding.id,
    zone,
    ...spanUpToNow(clock.nowMs(), days),
  });
  const pictures = serverPictures(stats, pictureLook, `last ${periodWords(days)}`);
  const shown = { stats, serverName: binding.name, title: periodTitle(days) };
  const rows = [periodButtons(binding.id, days)];
  for await (const one of drawn(services, actor.guildId, { pictures, signal })) {
    yield { ...serverStatsMessage({ ...shown, ...one }), rows };
  }
}

interface ServerArgs {
  readonly server: string | undefined;
  readonly days: PeriodDays;
}

export const serverEntry = defineEntry<ServerArgs>({
  description: "How full the server was, and whether staff were on",
  first: "ephemeral",
  redraws: true,
  options: [periodOption, serverOption],
  parse: (options) => ({ server: options.string("server"), days: periodOf(options.string("period")) }),
  autocomplete: completeServer,
  async *execute({ actor, args, signal }, services) {
    const binding = await services.bindings.pick(actor.guildId, args.server);
    yield* showServer(services, { actor, signal, binding, days: args.days });
  },
});

export const serverStatsActions = {
  /** `binding/days` */
  "stats-server": defineAction({
    first: "update",
    redraws: true,
    async *execute({ actor, argument, signal }, services) {
      const [bindingId = "", days] = argument.split("/");
      const binding = await services.bindings.pick(actor.guildId, bindingId);
      yield* showServer(services, { actor, signal, binding, days: periodOf(days) });
    },
  }),
};
