import { ApplicationCommandOptionType } from "discord.js";
import {
  defineAction,
  defineEntry,
  type NamedPerson,
  type Press,
  type Reply,
} from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import { endedCard, nowCard, ownCard, shiftsCard } from "../src/discord/render/shifts/duty-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { OnDuty } from "../src/domain/ports/duty.ts";
import { dutyNames, mustBeStaff, mustSeeHours, noDutyTypes } from "./duty-rights.ts";
import { completeType } from "./duty-type.ts";
import { moderatedServers } from "./moderated-servers.ts";
import { oneTarget } from "./one-target.ts";
import { ask } from "./run-flow.ts";
import { whyNotNewer } from "./server-state.ts";
import { isManager } from "./staff-rights.ts";

/** `/duty start`, `break`, `end`: one's own shift. `/duty now` and `/duty show`: who is on, and who was. */

const DAY_S = 86_400;
const ASK_TO_LINK = "Please link your account: type /me link in our Discord. Then your time on duty counts.";

const nothing = { parse: () => ({}), first: "ephemeral" } as const;

export const startEntry = defineEntry<{ readonly type: string | undefined }>({
  description: "Start your shift",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.String,
      name: "type",
      description: "What kind of shift, if there are several",
      autocomplete: true,
    },
  ],
  parse: (options) => ({ type: options.string("type") }),
  autocomplete: completeType,
  async execute({ actor, args }, services) {
    await mustBeStaff(services, actor, args.type);
    if ((await services.duty.types(actor.guildId)).length === 0) throw await noDutyTypes(services, actor);
    const own = await services.duty.start(actor, args.type);
    return await ownReply(services, actor, own);
  },
});

/** Where their server can't be read, the last look says nothing of where they are. */
async function ownReply(services: Services, actor: Actor, own: OnDuty): Promise<Reply> {
  const unread = await whyUnread(services, actor.guildId, own.bindingId);
  return ownCard(own, await dutyNames(services, actor.guildId), unread);
}

/** Why their server can't be read now, or one of all where it is not known which is theirs; undefined: nothing failed. */
async function whyUnread(
  services: Services,
  guildId: string,
  bindingId: string | undefined,
): Promise<Escaped | undefined> {
  const servers = await services.bindings.list(guildId);
  const meant = bindingId === undefined ? servers : servers.filter(({ id }) => id === bindingId);
  return unreadOf(services, meant)[0];
}

/** Of each of these servers that can't be read now, why. */
function unreadOf(services: Services, servers: readonly Binding[]): readonly Escaped[] {
  return servers.flatMap((server) => {
    const what = md`**${inlineName(server.name)}** can't be read right now`;
    return whyNotNewer(services, server, what) ?? [];
  });
}

/** Changes one's own shift. Who has none reads how to start one, where they can. */
async function changed(services: Services, actor: Actor, change: () => Promise<OnDuty>): Promise<OnDuty> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "bad-command") throw error;
    const { on } = await services.duty.now(actor.guildId);
    if (on.some(({ shift }) => shift.userId === actor.userId)) throw error;
    if ((await services.duty.types(actor.guildId)).length === 0) throw await noDutyTypes(services, actor);
    await mustBeStaff(services, actor, undefined).catch((why: unknown) => {
      throw why instanceof Failure ? error : why;
    });
    throw new Failure("bad-command", `${error.message} Start with /duty start.`);
  }
}

async function pause(services: Services, actor: Actor, isOnBreak?: boolean): Promise<Reply> {
  const own = await changed(services, actor, () => services.duty.pause(actor, isOnBreak));
  return await ownReply(services, actor, own);
}

async function end(services: Services, actor: Actor): Promise<Reply> {
  const own = await changed(services, actor, () => services.duty.end(actor));
  const unread = await whyUnread(services, actor.guildId, own.bindingId);
  return { ...endedCard(own, await dutyNames(services, actor.guildId), unread), important: true };
}

export const breakEntry = defineEntry<object>({
  ...nothing,
  description: "Take a break, or end the one you are on",
  execute: ({ actor }, services) => pause(services, actor),
});

export const endEntry = defineEntry<object>({
  ...nothing,
  description: "End your shift",
  execute: ({ actor }, services) => end(services, actor),
});

export const nowEntry = defineEntry<object>({
  ...nothing,
  description: "Who is on duty, since when and where (Moderators)",
  async execute({ actor }, services) {
    await moderatedServers(services, actor, "see who is on duty");
    const [now, types] = await Promise.all([
      services.duty.now(actor.guildId),
      services.duty.types(actor.guildId),
    ]);
    const names = await dutyNames(services, actor.guildId, types);
    const setsUp = await isManager(services, actor);
    const unread = unreadOf(services, await services.bindings.list(actor.guildId));
    return nowCard(now, names, { untyped: types.length === 0 ? { setsUp } : undefined, unread });
  },
});

export const showEntry = defineEntry<{ readonly member: NamedPerson | undefined; readonly days: number }>({
  description: "Your shifts, with where you were seen",
  first: "ephemeral",
  options: [
    { type: ApplicationCommandOptionType.User, name: "member", description: "Somebody else (Managers)" },
    {
      type: ApplicationCommandOptionType.Integer,
      name: "days",
      description: "How many days back (default 7)",
      min_value: 1,
      max_value: 90,
    },
  ],
  parse: (options) => ({ member: options.person("member"), days: options.number("days") ?? 7 }),
  async execute({ actor, args: { member, days } }, services) {
    const userId = member?.userId ?? actor.userId;
    if (userId !== actor.userId) {
      await mustSeeHours(services, actor);
    }
    const untilS = Math.ceil(services.clock.nowMs() / 1_000) + 1;
    const span = { fromS: untilS - days * DAY_S, untilS };
    const { shifts, stills, types } = await services.duty.shifts(actor.guildId, { ...span, userId });
    if (types.length === 0) throw await noDutyTypes(services, actor);
    const corrections = await services.staffing.corrections(actor.guildId, { ...span, userId });
    const now = shifts.find((shift) => shift.untilS === undefined);
    const isInGame = now !== undefined && types.find(({ id }) => id === now.typeId)?.start !== "outside";
    const unread = isInGame ? await whyUnread(services, actor.guildId, undefined) : undefined;
    const isDeciding = userId !== actor.userId;
    return shiftsCard(
      { userId, shifts, stills, unread, days, fromS: span.fromS, corrections, isDeciding },
      await dutyNames(services, actor.guildId, types),
    );
  },
});

export const dutyActions = {
  "duty-break": defineAction({
    first: "update",
    // A button of the release before does not say which it was.
    execute: ({ actor, argument }, services) =>
      pause(services, actor, argument === "" ? undefined : argument === "take"),
  }),
  /** A message in the game to staff without an account; whoever presses it has to be allowed to send one. */
  "duty-ask-link": defineAction({
    first: "ephemeral",
    runs: true,
    async *execute(press: Press, services: Services): AsyncGenerator<Reply> {
      const [bindingId = "", id = ""] = press.argument.split("/");
      const binding = await services.bindings.pick(press.actor.guildId, bindingId);
      const players = services.snapshots.latest(binding.source)?.lists.players?.value ?? [];
      const here = players.find(({ player }) => String(player.id) === id)?.player;
      if (here === undefined) throw new Failure("bad-command", "They are no longer in the game.");
      const text = `:pm ${oneTarget(here.name)} ${ASK_TO_LINK}`;
      const only = { name: here.name, id: Number(id) };
      yield* ask(services, { actor: press.actor, binding, text, origin: "button", only, on: press });
    },
  }),
  "duty-end": defineAction({
    first: "update",
    execute: ({ actor }, services) => end(services, actor),
  }),
} as const;
