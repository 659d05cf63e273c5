import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { type Choice, defineEntry, type Typing } from "../src/discord/command.ts";
import { cut, inlineName, plainText } from "../src/discord/render/escape.ts";
import { typeLine, typeList } from "../src/discord/render/shifts/duty-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { DUTY_STARTS, type DutyStart } from "../src/domain/duty.ts";
import { joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { NewDutyType } from "../src/domain/ports/duty.ts";
import type { RoleBar } from "../src/domain/ports/member-roles.ts";
import { recordEvent } from "./audit-event.ts";
import { isManager, mustBeManager } from "./staff-rights.ts";
import { completeTeams, strangeTeamLines } from "./team-choices.ts";

/** `/duty type`: what kinds of shifts there are, and how they start. */

const { String: text, Role: role, Integer: integer, Channel: channel } = ApplicationCommandOptionType;

const STARTS = [
  { name: "Staff start it themselves (/duty start)", value: "declared" },
  { name: "By team or callsign in the game", value: "team" },
  { name: "By being in the game with a rank", value: "presence" },
  { name: "Work outside the game", value: "outside" },
] as const;

/** Teams of one type. */
const MOST_TEAMS = 6;

function startOf(value: string | undefined): DutyStart {
  return DUTY_STARTS.find((start) => start === value) ?? "declared";
}

/** @throws Failure "bad-command" for what does not go together. */
function draftOf(draft: NewDutyType): NewDutyType {
  const isByTeam = draft.start === "team";
  const isByItself = isByTeam || draft.start === "presence";
  if (isByTeam && draft.teams.length === 0 && draft.callsign === undefined) {
    throw new Failure("bad-command", "Name the team: or the callsign: that counts as being on duty.");
  }
  if (!isByTeam && (draft.teams.length > 0 || draft.callsign !== undefined)) {
    throw new Failure("bad-command", "team: and callsign: are only for shifts that start by team.");
  }
  if (isByItself && (draft.requiredRoleId !== undefined || draft.most !== undefined)) {
    throw new Failure(
      "bad-command",
      "required-role: and most: are only for shifts that staff start themselves.",
    );
  }
  if (draft.teams.length > MOST_TEAMS) {
    throw new Failure("bad-command", `A type can have at most ${MOST_TEAMS} teams.`);
  }
  return draft;
}

const BARS: Readonly<Record<RoleBar, string>> = {
  everyone: "Everybody has @everyone. Choose a role for people on duty.",
  managed: "That role belongs to an app, so I can't give it. Choose another one.",
  powers: "That role can manage, kick, ban or mute. I only give roles without such powers.",
  "marshal-lacks":
    "I need Manage Roles to give a role. Turn it on for my role in the server settings, or ask someone who can.",
  "above-marshal": "That role is above mine. Drag my role above it in the server settings.",
  "asker-lacks": "Only people with Manage Roles can choose a role to give.",
  "above-asker": "That role is above yours. Choose one below.",
  unknown: "I can't see that role yet. Try again in a moment.",
};

/** Nobody gives through Marshal what they could not give themselves. @throws Failure "denied" */
function refuseRole({ grantableRoles }: Services, { guildId, userId, roleIds }: Actor, roleId: string): void {
  const bar = grantableRoles.roleBar(guildId, roleId, { userId, roleIds });
  if (bar === undefined) return;
  const isTheirs = bar === "asker-lacks" || bar === "above-asker";
  throw new Failure(isTheirs ? "denied" : "bad-command", BARS[bar]);
}

export const typeAddEntry = defineEntry<NewDutyType>({
  description: "Add a kind of shift (Managers)",
  first: "ephemeral",
  options: [
    { type: text, name: "name", description: "Such as Patrol", required: true, max_length: 40 },
    { type: text, name: "starts", description: "How a shift starts", required: true, choices: [...STARTS] },
    {
      type: text,
      name: "team",
      description: "Teams in the game, separated by commas",
      max_length: 100,
      autocomplete: true,
    },
    { type: text, name: "callsign", description: "What the callsign starts with", max_length: 20 },
    { type: role, name: "required-role", description: "Only members with this role can start it" },
    {
      type: channel,
      name: "channel",
      description: "Where each shift is posted",
      channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
    },
    { type: role, name: "role", description: "A role to have while on duty" },
    {
      type: integer,
      name: "most",
      description: "How many can be on duty at once",
      min_value: 1,
      max_value: 100,
    },
  ],
  parse(options) {
    const name = plainText(options.string("name", true)).trim();
    if (name === "") throw new Failure("bad-command", "Give the type a name.");
    return draftOf({
      name,
      start: startOf(options.string("starts", true)),
      teams: (options.string("team") ?? "")
        .split(",")
        .map((team) => team.trim().toLowerCase())
        .filter((team) => team !== ""),
      callsign: options.string("callsign")?.trim() || undefined,
      requiredRoleId: options.id("required-role"),
      most: options.number("most"),
      channelId: options.id("channel"),
      roleId: options.id("role"),
    });
  },
  autocomplete: async (typing) => completeTeams(typing),
  async execute({ actor, args }, services) {
    await mustBeManager(services, actor, "Only Managers can add duty types.");
    if (args.requiredRoleId === actor.guildId) {
      throw new Failure("bad-command", "Everybody has @everyone. Leave required-role: out.");
    }
    if (args.roleId !== undefined) refuseRole(services, actor, args.roleId);
    const type = await services.duty.addType(actor.guildId, args);
    await recordEvent(services, actor, { action: "duty-type-add", text: type.name });
    return { content: joined([md`✅ ${typeLine(type)}`, ...strangeTeamLines(args.teams)], "\n") };
  },
});

export const typeListEntry = defineEntry<object>({
  description: "Show the kinds of shifts",
  first: "ephemeral",
  parse: () => ({}),
  async execute({ actor }, services) {
    const setsUp = await isManager(services, actor);
    return typeList(await services.duty.types(actor.guildId), { setsUp });
  },
});

export const typeRemoveEntry = defineEntry<{ readonly type: string }>({
  description: "Remove a kind of shift; past shifts stay (Managers)",
  first: "ephemeral",
  options: [
    { type: text, name: "type", description: "The type to remove", required: true, autocomplete: true },
  ],
  parse: (options) => ({ type: options.string("type", true) }),
  autocomplete: completeType,
  async execute({ actor, args }, services) {
    await mustBeManager(services, actor, "Only Managers can remove duty types.");
    const wanted = args.type.trim().toLowerCase();
    const types = await services.duty.types(actor.guildId);
    const meant = types.find(({ id, name }) => id === args.type || name.toLowerCase() === wanted);
    const { on } = await services.duty.now(actor.guildId);
    const running = on.filter(({ type }) => type.id === meant?.id).length;
    const gone = meant && (await services.duty.removeType(actor.guildId, meant.id));
    if (gone === undefined) throw new Failure("bad-command", "There is no such duty type.");
    await recordEvent(services, actor, { action: "duty-type-remove", text: gone.name });
    const ended =
      running === 0 ? md`` : md` ${running} ${running === 1 ? "running shift" : "running shifts"} ended.`;
    return { content: md`✅ **${inlineName(gone.name)}** was removed. Its past shifts stay.${ended}` };
  },
});

/** The types whose names hold what was typed. */
export async function completeType({ actor, typed }: Typing, { duty }: Services): Promise<readonly Choice[]> {
  const wanted = typed.toLowerCase();
  const types = await duty.types(actor.guildId);
  return types
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map(({ id, name }) => ({ name: cut(plainText(name), 100), value: id }));
}
