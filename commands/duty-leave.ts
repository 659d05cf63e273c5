import { ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineEntry, type NamedPerson, type Reply } from "../src/discord/command.ts";
import { daysIn } from "../src/discord/render/day-words.ts";
import { leaveLine, leaveList } from "../src/discord/render/shifts/staffing-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { MessageBody } from "../src/domain/message.ts";
import { fromOf, throughOf } from "../src/domain/moment.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { recordEvent } from "./audit-event.ts";
import { daysOf } from "./duty-rights.ts";
import { isManager, mustBeManager } from "./staff-rights.ts";

/** `/duty leave`: to be away, or to do less for a while; somebody else approves it. */

const { String: text, Integer: integer, User: user } = ApplicationCommandOptionType;

interface AskArgs {
  readonly until: string;
  readonly from: string | undefined;
  readonly reason: string;
  readonly percent: number;
}

const untilOption = {
  type: text,
  name: "until",
  description: 'How long, such as "7 days", or the last day, such as "2026-12-24"',
  required: true,
  max_length: 40,
} as const;
const fromOption = {
  type: text,
  name: "from",
  description: "When it starts, such as 2026-12-24 (default: now)",
  max_length: 40,
} as const;
const reasonOption = { type: text, name: "reason", description: "Why", max_length: 200 } as const;

async function ask(services: Services, actor: Actor, args: AskArgs): Promise<Reply> {
  const { timeZone: zone = DEFAULT_ZONE } = await services.settings.of(actor.guildId);
  const nowMs = services.clock.nowMs();
  const fromMs = args.from === undefined ? nowMs : fromOf(args.from, { nowMs, zone });
  const untilMs = throughOf(args.until, { nowMs: fromMs, zone });
  const leave = await services.staffing.askLeave(actor, {
    fromS: Math.floor(fromMs / 1_000),
    untilS: Math.floor(untilMs / 1_000),
    percent: args.percent,
    reason: args.reason,
  });
  await recordEvent(services, actor, { action: "duty-leave-ask", text: args.reason });
  const told = leave.isTold
    ? md`Managers have been told. They decide with \`/duty leave list\`, and you get a message.`
    : md`Managers got no new message, but it is in \`/duty leave list\`. They decide there, and you get a message.`;
  return { content: md`✅ Asked: ${leaveLine(leave, daysIn(zone))}\n${told}` };
}

export const leaveAskEntry = defineEntry<AskArgs>({
  description: "Ask to be away for a while",
  first: "ephemeral",
  options: [untilOption, fromOption, reasonOption],
  parse: (options) => ({
    until: options.string("until", true),
    from: options.string("from"),
    reason: options.string("reason")?.trim() ?? "",
    percent: 0,
  }),
  execute: ({ actor, args }, services) => ask(services, actor, args),
});

export const leaveReduceEntry = defineEntry<AskArgs>({
  description: "Ask to do less for a while",
  first: "ephemeral",
  options: [
    untilOption,
    {
      type: integer,
      name: "percent",
      description: "How much of your quota you can do",
      required: true,
      min_value: 1,
      max_value: 99,
    },
    fromOption,
    reasonOption,
  ],
  parse: (options) => ({
    until: options.string("until", true),
    from: options.string("from"),
    reason: options.string("reason")?.trim() ?? "",
    percent: options.number("percent", true),
  }),
  execute: ({ actor, args }, services) => ask(services, actor, args),
});

/** All of it for Managers, who decide; one's own for everybody else. */
async function list(services: Services, actor: Actor): Promise<MessageBody> {
  const all = await services.staffing.leaves(actor.guildId);
  const decides = await isManager(services, actor);
  const shown = decides ? all : all.filter(({ userId }) => userId === actor.userId);
  return leaveList(shown, { mayDecide: decides, days: await daysOf(services, actor.guildId) });
}

export const leaveListEntry = defineEntry<object>({
  description: "Who is on leave, and open requests (Managers can decide them)",
  first: "ephemeral",
  parse: () => ({}),
  execute: ({ actor }, services) => list(services, actor),
});

export const leaveEndEntry = defineEntry<{ readonly member: NamedPerson | undefined }>({
  description: "End your leave, or withdraw your request",
  first: "ephemeral",
  options: [{ type: user, name: "member", description: "Somebody else (Managers)" }],
  parse: (options) => ({ member: options.person("member") }),
  async execute({ actor, args: { member } }, services) {
    const userId = member?.userId ?? actor.userId;
    if (userId !== actor.userId) {
      await mustBeManager(services, actor, "Only Managers can end somebody else's leave.");
    }
    const ended = await services.staffing.endLeave(actor, userId);
    if (ended === undefined) throw new Failure("bad-command", "There is no leave to end.");
    await recordEvent(services, actor, { action: "duty-leave-end", text: `<@${userId}>` });
    return {
      content: md`✅ ${ended.state === "ended" ? md`Ended` : md`Withdrawn`}: ${leaveLine(ended, await daysOf(services, actor.guildId))}`,
    };
  },
});

function decide(isApproved: boolean) {
  return defineAction({
    first: "update",
    async execute({ actor, argument }, services) {
      await mustBeManager(services, actor, "Only Managers can decide about leave.");
      const leave = await services.staffing.decideLeave(actor, argument, isApproved);
      if (leave === undefined)
        return {
          ...(await list(services, actor)),
          content: md`That request was decided already, or is gone.`,
        };
      const word = isApproved ? "approved" : "denied";
      await recordEvent(services, actor, { action: "duty-leave-decide", text: `<@${leave.userId}> ${word}` });
      // The buttons move up: what was decided is said, so that nobody presses for the next one unseen.
      const line = leaveLine(leave, await daysOf(services, actor.guildId));
      const decided = isApproved ? md`✅ Approved: ${line}` : md`⛔ Denied: ${line}`;
      return { ...(await list(services, actor)), content: decided };
    },
  });
}

export const leaveActions = { "duty-leave-yes": decide(true), "duty-leave-no": decide(false) } as const;
