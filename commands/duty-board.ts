import { ApplicationCommandOptionType } from "discord.js";
import { defineAction, defineEntry, type NamedPerson } from "../src/discord/command.ts";
import { daysIn } from "../src/discord/render/day-words.ts";
import { boardCard, boardCsv } from "../src/discord/render/shifts/board-cards.ts";
import { correctionCard } from "../src/discord/render/shifts/staffing-cards.ts";
import type { Services } from "../src/discord/services.ts";
import type { DutyType } from "../src/domain/duty.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { momentOf } from "../src/domain/moment.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { recordEvent } from "./audit-event.ts";
import { daysOf, mustSeeHours, typeNamed } from "./duty-rights.ts";
import { completeType } from "./duty-type.ts";
import { mustBeManager } from "./staff-rights.ts";

/** `/duty board`: the hours of everybody. `/duty edit`: a Manager's correction of somebody's time. */

const { String: text, Integer: integer, Boolean: yes, User: user } = ApplicationCommandOptionType;
const DAY_S = 86_400;
const USUAL_DAYS = 7;
const LONGEST_MINUTES = 24 * 60;

export const boardEntry = defineEntry<{ readonly days: number | undefined; readonly isFile: boolean }>({
  description: "Everyone's hours, calls and quotas (Managers, or Moderators if allowed)",
  first: "ephemeral",
  options: [
    {
      type: integer,
      name: "days",
      description: "How many days back (default: the current quota period, or 7 days)",
      min_value: 1,
      max_value: 366,
    },
    { type: yes, name: "file", description: "As a CSV file" },
  ],
  parse: (options) => ({ days: options.number("days"), isFile: options.boolean("file") ?? false }),
  async execute({ actor, args: { days, isFile } }, services) {
    await mustSeeHours(services, actor);
    // This second belongs to it too.
    const untilS = Math.floor(services.clock.nowMs() / 1_000) + 1;
    // The hours of the same time for which the quotas ask.
    const began = days === undefined ? await services.staffing.periodBegan(actor.guildId) : undefined;
    const fromS = began === undefined ? untilS - (days ?? USUAL_DAYS) * DAY_S : Math.min(began, untilS - 1);
    const board = await services.staffing.board(actor.guildId, { fromS, untilS });
    const card = boardCard(board);
    if (!isFile) return card;
    const accounts = await services.accounts.list(actor.guildId);
    const players = new Map(accounts.map(({ userId, player }) => [userId, player.name]));
    return { ...card, files: [{ name: "duty.csv", data: boardCsv(board, players) }] };
  },
});

interface EditArgs {
  readonly member: NamedPerson | undefined;
  readonly minutes: number;
  readonly reason: string;
  readonly type: string | undefined;
  readonly when: string | undefined;
}

export const editEntry = defineEntry<EditArgs>({
  description: "Add minutes to somebody's hours or take some off, with a reason (Managers)",
  first: "ephemeral",
  options: [
    { type: user, name: "member", description: "Whose time", required: true },
    {
      type: integer,
      name: "minutes",
      description: "Minutes to add, such as 30, or to take off, such as -30",
      required: true,
      min_value: -LONGEST_MINUTES,
      max_value: LONGEST_MINUTES,
    },
    { type: text, name: "reason", description: "Why", required: true, max_length: 200 },
    {
      type: text,
      name: "type",
      description: "Which kind of shift (default: their last one)",
      autocomplete: true,
    },
    { type: text, name: "when", description: 'When it was, such as "yesterday 20:00" (default: now)' },
  ],
  parse: (options) => ({
    member: options.person("member"),
    minutes: options.number("minutes", true),
    reason: options.string("reason", true).trim(),
    type: options.string("type"),
    when: options.string("when"),
  }),
  autocomplete: completeType,
  async execute({ actor, args: { member, minutes, reason, type, when } }, services) {
    await mustBeManager(services, actor, "Only Managers can change somebody's time.");
    if (minutes === 0) throw new Failure("bad-command", "Give the minutes to add or to take.");
    if (reason === "" || member === undefined) throw new Failure("bad-command", "Give a reason.");
    const meant = await typeMeant(services, actor, { userId: member.userId, typed: type });
    const { timeZone: zone = DEFAULT_ZONE } = await services.settings.of(actor.guildId);
    const atMs =
      when === undefined ? services.clock.nowMs() : momentOf(when, { nowMs: services.clock.nowMs(), zone });
    const correction = await services.staffing.correct(actor, {
      userId: member.userId,
      typeId: meant.id,
      atS: Math.floor(atMs / 1_000),
      seconds: minutes * 60,
      reason,
    });
    await recordEvent(services, actor, {
      action: "duty-edit",
      text: `<@${member.userId}> ${minutes} min: ${reason}`,
    });
    return correctionCard(correction, meant.name, daysIn(zone));
  },
});

const LOOKED_BACK_DAYS = 30;

/** The kind of shift that is named; else of which their last shift was; else the first one. */
async function typeMeant(
  services: Services,
  actor: Actor,
  { userId, typed }: { readonly userId: string; readonly typed: string | undefined },
): Promise<DutyType> {
  if (typed !== undefined) return await typeNamed(services, actor, typed);
  const { guildId } = actor;
  const untilS = Math.ceil(services.clock.nowMs() / 1_000) + 1;
  const span = { fromS: untilS - LOOKED_BACK_DAYS * DAY_S, untilS };
  const { shifts, types } = await services.duty.shifts(guildId, { ...span, userId });
  const kept = new Set((await services.duty.types(guildId)).map(({ id }) => id));
  const last = shifts.find(({ typeId }) => kept.has(typeId))?.typeId;
  return types.find(({ id }) => id === last) ?? (await typeNamed(services, actor, undefined));
}

export const boardActions = {
  "duty-confirm": defineAction({
    first: "update",
    async execute({ actor, argument }, services) {
      await mustBeManager(services, actor, "Only Managers can confirm this.");
      const confirmed = await services.staffing.confirm(actor, argument);
      if (confirmed === undefined)
        throw new Failure("bad-command", "This was confirmed already, or is gone.");
      const types = await services.duty.types(actor.guildId);
      const type = types.find(({ id }) => id === confirmed.typeId);
      await recordEvent(services, actor, { action: "duty-confirm", text: `<@${confirmed.userId}>` });
      const days = await daysOf(services, actor.guildId);
      return correctionCard(confirmed, type?.name ?? "a type that was removed", days);
    },
  }),
} as const;
