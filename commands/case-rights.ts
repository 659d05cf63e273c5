import { escapeButRoles } from "../src/discord/render/own-markup.ts";
import type { Services } from "../src/discord/services.ts";
import { type Case, type CaseKind, runKinds } from "../src/domain/case.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { GameAccount } from "../src/domain/ports/game-accounts.ts";
import { moderatedServers } from "./moderated-servers.ts";

/** Whose cases somebody sees, and which they may change. */

export interface SeenCases {
  /** Where they are Moderator. */
  readonly servers: readonly Binding[];
  /** Only cases of these servers, and of none, are theirs to see; undefined: they are Moderator wherever one is linked. */
  readonly bindingIds: readonly string[] | undefined;
}

/** @throws Failure as `moderatedServers` does. */
export async function seenCases(services: Services, actor: Actor): Promise<SeenCases> {
  const servers = await moderatedServers(services, actor);
  const linked = await services.bindings.list(actor.guildId);
  const isOfAll = linked.length === servers.length;
  return { servers, bindingIds: isOfAll ? undefined : servers.map(({ id }) => id) };
}

/** A case that they may see. @throws Failure "bad-command" where there is none, "denied" where it is another server's. */
export async function caseOf(services: Services, actor: Actor, number: number): Promise<Case> {
  const seen = await seenCases(services, actor);
  const one = await services.cases.get(actor.guildId, number);
  if (one === undefined) {
    throw new Failure("bad-command", `There is no case ${number}.`, { isRead: true });
  }
  refuseUnseen(seen, one);
  return one;
}

function refuseUnseen({ bindingIds }: SeenCases, { number, bindingId, serverName }: Case): void {
  if (bindingIds === undefined || bindingId === undefined || bindingIds.includes(bindingId)) return;
  const where = serverName === undefined ? "another server" : serverName;
  throw new Failure("denied", `Only Moderators of ${where} can see case ${number}.`, {
    isRead: true,
    wants: "tier",
    bindingId,
  });
}

/** Staff of the server may give the reason of what they did themselves; everybody else has to be Moderator there. */
export async function refuseReason(services: Services, actor: Actor, one: Case): Promise<void> {
  const linked = await services.bindings.list(actor.guildId);
  const binding = linked.find(({ id }) => id === one.bindingId);
  const isOwn = one.author.userId === actor.userId;
  if (isOwn && binding !== undefined && (await services.permissions.isStaff(actor, binding))) return;
  refuseUnseen(await seenCases(services, actor), one);
}

/** Nobody decides about a case against themselves. @throws Failure "denied" */
export async function refuseAgainstOneself(
  { accounts }: Pick<Services, "accounts">,
  { guildId, userId }: Actor,
  { number, targets }: Case,
): Promise<void> {
  const isTarget = ({ player }: GameAccount) => targets.some(({ playerId }) => playerId === player.id);
  const account = await accounts.of(guildId, userId);
  if (account !== undefined && isTarget(account))
    throw new Failure("denied", `Case ${number} is against you. Somebody else has to change it.`);
  const former = (await accounts.formerOf(guildId, userId)).find(isTarget);
  if (former === undefined) return;
  const whom = `${former.player.name}, whom you unlinked less than 90 days ago`;
  throw new Failure("denied", `Case ${number} is against ${whom}. Somebody else has to change it.`);
}

/** Of a revoked case: that its punishment stays in the game, and how to take it back there, or who can. */
export async function staysWords(
  { bindings, permissions }: Pick<Services, "bindings" | "permissions">,
  actor: Actor,
  { kind, bindingId }: Case,
): Promise<Escaped> {
  if (kind !== "ban" && kind !== "jail") return md``;
  const stays = md` This changes nothing in the game.`;
  const binding = (await bindings.list(actor.guildId)).find(({ id }) => id === bindingId);
  if (binding === undefined) return stays;
  const { allowed, why } = await permissions.decide(actor, binding, `:un${kind}`);
  return allowed
    ? md`${stays} Use \`/run command\` for that.`
    : md`${stays} ${escapeButRoles(why, actor.roleIds)}`;
}

/**
 * Nobody writes down a punishment that they may not give: a case by hand counts like one of a command.
 * @throws Failure "denied" where no role of theirs may run the verb on any of these servers
 */
export async function refuseKind(
  { permissions }: Pick<Services, "permissions">,
  actor: Actor,
  { kind, servers }: { readonly kind: CaseKind; readonly servers: readonly Binding[] },
): Promise<void> {
  if (!runKinds.some((one) => one === kind)) return;
  let refused: Failure | undefined;
  for (const binding of servers) {
    const decision = await permissions.decide(actor, binding, `:${kind}`);
    if (decision.allowed) return;
    const instead = kind === "ban" ? "Write a note, or ask with /case ask." : "Write a note instead.";
    refused ??= new Failure("denied", `${decision.why} ${instead}`, {
      isRead: true,
      wants: decision.wants,
      bindingId: binding.id,
    });
  }
  if (refused !== undefined) throw refused;
}
