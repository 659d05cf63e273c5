import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { type Choice, defineEntry, type Typing } from "../src/discord/command.ts";
import { cut, plainText } from "../src/discord/render/escape.ts";
import { quotaLine, quotaList, resultCard } from "../src/discord/render/shifts/staffing-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { QUOTA_PERIODS, type Quota, type QuotaPeriod } from "../src/domain/quota.ts";
import { recordEvent } from "./audit-event.ts";
import { daysOf, dutyNames, mustSeeHours, typeNamed } from "./duty-rights.ts";
import { completeType } from "./duty-type.ts";
import { isManager, mustBeManager } from "./staff-rights.ts";

/** `/duty quota`: how much duty a role is asked for, and who met it. */

const { String: text, Role: role, Number: decimal, Channel: channel } = ApplicationCommandOptionType;
const HOUR_S = 3_600;
const PERIOD_HOURS: Readonly<Record<QuotaPeriod, number>> = { week: 168, fortnight: 336, month: 672 };
const RESULTS_SHOWN = 3;

interface SetArgs {
  readonly roleId: string;
  readonly hours: number;
  readonly period: QuotaPeriod;
  readonly type: string | undefined;
  readonly channelId: string | undefined;
}

export const quotaSetEntry = defineEntry<SetArgs>({
  description: "Set how many hours a role has to do (Managers)",
  first: "ephemeral",
  options: [
    { type: role, name: "role", description: "Whose quota", required: true },
    { type: decimal, name: "hours", description: "Such as 5 or 2.5", required: true },
    {
      type: text,
      name: "each",
      description: "The period (default: a week)",
      choices: [
        { name: "Week, from Monday", value: "week" },
        { name: "Two weeks", value: "fortnight" },
        { name: "Month", value: "month" },
      ],
    },
    { type: text, name: "type", description: "Only this kind of shift counts", autocomplete: true },
    {
      type: channel,
      name: "channel",
      description: "Where the results are posted when a period ends or is reset",
      channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
    },
  ],
  parse(options) {
    const period = QUOTA_PERIODS.find((one) => one === options.string("each")) ?? "week";
    const hours = options.number("hours", true);
    if (!(hours > 0)) throw new Failure("bad-command", "A quota needs more than 0 hours.");
    if (hours > PERIOD_HOURS[period]) {
      throw new Failure("bad-command", `That is more than the ${PERIOD_HOURS[period]} hours of the period.`);
    }
    return {
      roleId: options.id("role", true),
      hours,
      period,
      type: options.string("type"),
      channelId: options.id("channel"),
    };
  },
  autocomplete: completeType,
  async execute({ actor, args: { roleId, hours, period, type, channelId } }, services) {
    await mustBeManager(services, actor, "Only Managers can set quotas.");
    const { guildId } = actor;
    if (roleId === guildId) throw new Failure("bad-command", "Choose a staff role, not @everyone.");
    const typeId = type === undefined ? undefined : (await typeNamed(services, actor, type)).id;
    const needS = Math.round(hours * HOUR_S);
    const quota = await services.staffing.setQuota(guildId, { roleId, needS, period, typeId, channelId });
    await recordEvent(services, actor, { action: "duty-quota-set", text: `<@&${roleId}> ${hours} h` });
    const { typeName } = await dutyNames(services, guildId);
    return { content: md`✅ ${quotaLine(quota, typeName)}` };
  },
});

export const quotaListEntry = defineEntry<object>({
  description: "Quotas, and who met the last ones (Managers, or Moderators if allowed)",
  first: "ephemeral",
  parse: () => ({}),
  async execute({ actor }, services) {
    await mustSeeHours(services, actor);
    const { guildId } = actor;
    const [quotas, results] = await Promise.all([
      services.staffing.quotas(guildId),
      services.staffing.results(guildId, RESULTS_SHOWN),
    ]);
    return quotaList(quotas, results, await dutyNames(services, guildId));
  },
});

const quotaOption = {
  type: text,
  name: "quota",
  description: "Which quota",
  required: true,
  autocomplete: true,
} as const;

/** As the list offers it; or by the name of its role, where only one quota is of that role. */
async function quotaMeant(services: Services, guildId: string, typed: string): Promise<Quota> {
  const quotas = await services.staffing.quotas(guildId);
  const wanted = typed.trim().replace(/^@/, "").toLowerCase();
  const named = quotas.filter((quota) => roleName(services, guildId, quota).toLowerCase() === wanted);
  const found = quotas.find(({ id }) => id === typed) ?? (named.length === 1 ? named[0] : undefined);
  if (found === undefined)
    throw new Failure("bad-command", "There is no such quota. Choose one from the list.");
  return found;
}

function roleName({ guilds }: Services, guildId: string, { roleId }: Quota): string {
  return guilds.topRole(guildId, [roleId])?.name ?? "a role";
}

export const quotaRemoveEntry = defineEntry<{ readonly quota: string }>({
  description: "Remove a quota (Managers)",
  first: "ephemeral",
  options: [quotaOption],
  parse: (options) => ({ quota: options.string("quota", true) }),
  autocomplete: completeQuota,
  async execute({ actor, args }, services) {
    await mustBeManager(services, actor, "Only Managers can remove quotas.");
    const quota = await quotaMeant(services, actor.guildId, args.quota);
    await services.staffing.removeQuota(actor.guildId, quota.id);
    await recordEvent(services, actor, { action: "duty-quota-remove", text: `<@&${quota.roleId}>` });
    const { typeName } = await dutyNames(services, actor.guildId);
    return { content: md`✅ Removed: ${quotaLine(quota, typeName)}` };
  },
});

export const quotaResetEntry = defineEntry<{ readonly quota: string }>({
  description: "Save who met a quota and start over (Managers)",
  first: "ephemeral",
  options: [quotaOption],
  parse: (options) => ({ quota: options.string("quota", true) }),
  autocomplete: completeQuota,
  async execute({ actor, args }, services) {
    await mustBeManager(services, actor, "Only Managers can reset quotas.");
    const quota = await quotaMeant(services, actor.guildId, args.quota);
    const result = await services.staffing.resetQuota(actor.guildId, quota.id);
    if (result === undefined) throw new Failure("bad-command", "There is no such quota.");
    await recordEvent(services, actor, { action: "duty-quota-reset", text: `<@&${quota.roleId}>` });
    const posted =
      quota.channelId === undefined ? md`` : md` The list is posted in ${channelMention(quota.channelId)}.`;
    return {
      content: md`✅ Reset: hours count from now on. The rest of this period only needs its share of them.${posted}`,
      cards: [resultCard(result, quota, { days: await daysOf(services, actor.guildId) })],
    };
  },
});

async function completeQuota({ actor }: Typing, services: Services): Promise<readonly Choice[]> {
  if (!(await isManager(services, actor))) return [];
  const { guildId } = actor;
  const [quotas, { typeName }] = await Promise.all([
    services.staffing.quotas(guildId),
    dutyNames(services, guildId),
  ]);
  return quotas.map((quota) => {
    const { id, needS, period, typeId } = quota;
    const type = typeId === undefined ? "" : ` of ${typeName(typeId)}`;
    return {
      name: cut(
        plainText(`${roleName(services, guildId, quota)}: ${needS / HOUR_S} h${type}, ${period}`),
        100,
      ),
      value: id,
    };
  });
}
