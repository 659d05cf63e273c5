import { defineAction, defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import { banCard, banList } from "../src/discord/render/ban-cards.ts";
import { escapeMarkdown, inlineName } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { BanEndView } from "../src/domain/ports/ban-ends.ts";
import { recordEvent } from "./audit-event.ts";
import { withPauseOf } from "./automatic.ts";
import { ask } from "./run-flow.ts";
import { isManagerOf, mustBeManager, staffedServers } from "./staff-rights.ts";

/** `/run bans`: bans that end by themselves, and what can be done about each. For staff; decided by Managers. */

const GONE = "That ban no longer ends by itself.";
const FOR_MANAGERS = "Only Managers can decide about the end of a ban.";

/** Those of servers on which they are staff, and for Managers those of servers that are no longer linked. */
async function endsFor(services: Services, actor: Actor): Promise<readonly BanEndView[]> {
  const staffed = new Set((await staffedServers(services, actor)).map(({ id }) => id));
  const linked = new Set((await services.bindings.list(actor.guildId)).map(({ id }) => id));
  const manages = await isManager(services, actor);
  if (staffed.size === 0 && !manages) {
    throw linked.size > 0
      ? new Failure("denied", "Only staff can see bans that end.", { wants: "tier", isRead: true })
      : new Failure("not-linked", "No game server is linked here yet.", { wants: "server", isRead: true });
  }
  return services.banEnds.list(actor.guildId).filter(({ end: { bindingId } }) => {
    return staffed.has(bindingId) || (manages && !linked.has(bindingId));
  });
}

async function isManager(services: Services, actor: Actor): Promise<boolean> {
  try {
    await mustBeManager(services, actor, FOR_MANAGERS);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

interface Shown {
  /** From 0. */
  readonly page: number;
  readonly notice?: Escaped;
}

async function listReply(services: Services, actor: Actor, shown: Shown): Promise<Reply> {
  const views = await endsFor(services, actor);
  const servers = await staffedServers(services, actor);
  const staffed = new Set(servers.map(({ id }) => id));
  const asked = services.askedBans.list(actor.guildId).filter(({ bindingId }) => staffed.has(bindingId));
  const mayBan = await Promise.all(servers.map((binding) => mayBanOn(services, actor, binding)));
  const list = banList({ views, asked, ...shown, mayBan: mayBan.includes(true) });
  return await withPauseOf(services, actor.guildId, list);
}

async function cardReply(services: Services, actor: Actor, id: string): Promise<Reply> {
  return await withPauseOf(services, actor.guildId, banCard(await viewOf(services, actor, id)));
}

/** @throws Failure "expired" where it ends nothing any more. */
async function viewOf(services: Services, actor: Actor, id: string): Promise<BanEndView> {
  const view = (await endsFor(services, actor)).find(({ end }) => end.id === id);
  if (view === undefined) throw new Failure("expired", GONE);
  return view;
}

export const bans = defineEntry<undefined>({
  description: "Bans that end by themselves, and bans waiting for approval",
  first: "ephemeral",
  parse: () => undefined,
  execute: ({ actor }, services) => listReply(services, actor, { page: 0 }),
});

/** Managers of its server; of one that is no longer linked, of any. @throws Failure "denied" */
async function mustDecide(services: Services, actor: Actor, { end }: BanEndView): Promise<void> {
  const { bindingId, serverName } = end;
  const isLinked = (await services.bindings.list(actor.guildId)).some(({ id }) => id === bindingId);
  if (!isLinked) return await mustBeManager(services, actor, FOR_MANAGERS);
  if (await isManagerOf(services, actor, bindingId)) return;
  throw new Failure("denied", `Only Managers of ${serverName} can decide about the end of a ban there.`);
}

/** Who set it, as long as they may ban without an end. */
async function hasSet(services: Services, actor: Actor, { end }: BanEndView): Promise<boolean> {
  if (end.byId !== actor.userId) return false;
  const binding = (await services.bindings.list(actor.guildId)).find(({ id }) => id === end.bindingId);
  return binding !== undefined && (await mayBanOn(services, actor, binding));
}

async function mayBanOn({ permissions }: Services, actor: Actor, binding: Binding): Promise<boolean> {
  return (await permissions.decide(actor, binding, ":ban")).allowed;
}

async function keep({ actor, argument }: Press, services: Services): Promise<Reply> {
  const view = await viewOf(services, actor, argument);
  if (!(await hasSet(services, actor, view))) await mustDecide(services, actor, view);
  const kept = await services.banEnds.keepBanned(actor, argument);
  if (kept === undefined) throw new Failure("expired", GONE);
  await recordEvent(services, actor, { action: "ban-end-remove", text: kept.playerName });
  const name = inlineName(kept.playerName);
  // Of these nobody knows whether they are banned now.
  const isUnsure = kept.heldFor === "lift-unknown" || kept.heldFor === "ban-unknown";
  const notice = isUnsure
    ? md`⏹ The ban of ${name} no longer ends by itself. ${escapeMarkdown(kept.why ?? "")}`
    : md`⏹ ${name} stays banned.`;
  return await listReply(services, actor, { page: 0, notice });
}

async function letEnd({ actor, argument }: Press, services: Services): Promise<Reply> {
  await mustDecide(services, actor, await viewOf(services, actor, argument));
  const end = await services.banEnds.letEnd(actor, argument);
  if (end === undefined) throw new Failure("expired", GONE);
  await recordEvent(services, actor, { action: "ban-end-let", text: end.playerName });
  return await cardReply(services, actor, argument);
}

export const banActions = {
  "run-bans": defineAction({
    first: "update",
    execute: ({ actor, argument }, services) =>
      listReply(services, actor, { page: Number.parseInt(argument, 10) || 0 }),
  }),
  /** Under a notice, which stays. */
  "run-bans-open": defineAction({
    first: "ephemeral",
    execute: ({ actor }, services) => listReply(services, actor, { page: 0 }),
  }),
  "run-ban": defineAction({
    first: "update",
    execute: ({ actor, values }, services) => cardReply(services, actor, values[0] ?? ""),
  }),
  "run-ban-keep": defineAction({ first: "update", execute: keep }),
  "run-ban-let": defineAction({ first: "update", execute: letEnd }),
  /** A command of theirs like any other. */
  "run-ban-lift": defineAction({
    first: "ephemeral",
    runs: true,
    async *execute({ actor, argument, ...on }, services) {
      const { end } = await viewOf(services, actor, argument);
      const binding = (await services.bindings.list(actor.guildId)).find(({ id }) => id === end.bindingId);
      if (binding === undefined)
        throw new Failure("not-linked", `${end.serverName} is no longer linked here.`);
      yield* ask(services, { actor, binding, text: `:unban ${end.playerId}`, origin: "button", on });
    },
  }),
};
