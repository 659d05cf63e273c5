import { CALLS_RIGHT, type StaffPolicy, type Tier } from "../../domain/guild.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { Asker } from "../../domain/ports/permissions.ts";
import type { Decision, ParsedCommand } from "../../domain/run.ts";
import { higherTier, TIER_NAMES, tierLevel } from "../../domain/tiers.ts";
import { findPerson, mayMean, type People, rankName, rankOf, resolveTargets } from "../catalogue/targets.ts";
import { findVerb } from "../catalogue/verbs.ts";

/** Who may run what. Pure; every answer says why, in words for the person who asked. */

/** The highest tier of the roles; undefined: none. Manage Guild configures, it does not run (deny by default). */
export function tierOf(policy: StaffPolicy, roleIds: readonly string[]): Tier | undefined {
  return roleIds.reduce<Tier | undefined>((best, id) => higherTier(best, ownTier(policy, id)), undefined);
}

function ownTier(policy: StaffPolicy, roleId: string): Tier | undefined {
  return Object.hasOwn(policy.roleTiers, roleId) ? policy.roleTiers[roleId] : undefined;
}

/** Any tier, or at least one verb of their own; the right to take calls alone runs nothing. */
export function isStaff(policy: StaffPolicy, roleIds: readonly string[]): boolean {
  return (
    tierOf(policy, roleIds) !== undefined ||
    policy.allowed.some(({ roleId, verb }) => verb !== CALLS_RIGHT && roleIds.includes(roleId))
  );
}

type Roles = Pick<Asker, "roleIds" | "ownPlayerId">;

export interface CommandAtServer {
  readonly command: ParsedCommand;
  /** Undefined while the lists of the server are not known. */
  readonly people: People | undefined;
}

/** Whether this person may run this command. */
export function decide(policy: StaffPolicy, actor: Roles, { command, people }: CommandAtServer): Decision {
  const byVerb = decideVerb(policy, actor.roleIds, command);
  if (!byVerb.allowed || command.targetTexts.length === 0) return byVerb;
  const refusal = refuseTargets(policy, actor, { command, people });
  return refusal === undefined ? byVerb : { allowed: false, why: refusal };
}

/** The decision by roles and verb alone. */
export function decideVerb(
  policy: StaffPolicy,
  roleIds: readonly string[],
  command: ParsedCommand,
): Decision {
  const verb = command.verb ?? "";
  const names = (rule: { readonly roleId: string; readonly verb: string }) =>
    rule.verb === verb && roleIds.includes(rule.roleId);
  const denied = policy.denied.find(names);
  if (denied !== undefined) {
    return { allowed: false, why: `<@&${denied.roleId}> can't run :${verb} on this server.` };
  }
  const allowed = policy.allowed.find(names);
  if (allowed !== undefined) {
    return { allowed: true, why: `<@&${allowed.roleId}> can run :${verb} on this server.` };
  }
  const tier = tierOf(policy, roleIds);
  // In the person's own word: who typed :h does not look for :hint.
  const word = /^:\S+/u.exec(command.text)?.[0] ?? `:${verb}`;
  const can = `${TIER_NAMES[command.tier]}s can run ${word}. ${heldWords(tier)}`;
  if (tierLevel(tier) < tierLevel(command.tier)) {
    if (!command.known) return { allowed: false, isSlip: true, why: `There is no ${word}.` };
    return { allowed: false, wants: "tier", why: `Only ${can}` };
  }
  const unknown = command.known ? "" : `Marshal doesn't know ${word}. `;
  return { allowed: true, why: `${unknown}${can}` };
}

/** Of nobody: the same sentence is read by the person and by who checks them. */
function heldWords(tier: Tier | undefined): string {
  return `Current tier: ${tier === undefined ? "none" : TIER_NAMES[tier]}.`;
}

/** Claim, release and resolve of moderator calls: from Moderator on, or by a rule of their own. */
export function decideCalls(policy: StaffPolicy, roleIds: readonly string[]): Decision {
  const rule = (rules: StaffPolicy["allowed"]) =>
    rules.find(({ roleId, verb }) => verb === CALLS_RIGHT && roleIds.includes(roleId));
  const denied = rule(policy.denied);
  if (denied !== undefined) {
    return { allowed: false, why: `<@&${denied.roleId}> can't take calls on this server.` };
  }
  const allowed = rule(policy.allowed);
  if (allowed !== undefined) {
    return {
      allowed: true,
      why: `<@&${allowed.roleId}> can take calls on this server.`,
    };
  }
  if (tierLevel(tierOf(policy, roleIds)) >= tierLevel("moderator")) {
    return { allowed: true, why: "Moderators can take calls." };
  }
  return {
    allowed: false,
    wants: "tier",
    why: "Only Moderators can take calls.",
  };
}

/** Cases, the watchlist and what is kept of players: from Moderator on. */
export function decideModerator(policy: StaffPolicy, roleIds: readonly string[]): Decision {
  if (tierLevel(tierOf(policy, roleIds)) >= tierLevel("moderator")) {
    return { allowed: true, why: "Moderators can see player records." };
  }
  return {
    allowed: false,
    wants: "tier",
    why: "Only Moderators can see player records.",
  };
}

/** The verb that a person may use on themselves whatever their rank in the game is. */
const MOVES_ONESELF = "teleport";

function refuseTargets(
  policy: StaffPolicy,
  actor: Roles,
  { command, people }: CommandAtServer,
): string | undefined {
  // Nobody needs shielding from a heal or a private message; "kill all" is another matter than "heal all".
  if (findVerb(command.verb ?? "")?.benign === true) return undefined;
  const typed = command.targetTexts.find((text) => isProtected(policy, [text.toLowerCase()]));
  if (typed !== undefined)
    return `${shownTyped(policy, typed, people)} is protected. Nobody can target them.`;
  if (people === undefined) {
    if (tierOf(policy, actor.roleIds) === "manager" && policy.protectedPlayers.length === 0) return undefined;
    return "Marshal has not read the player and staff lists yet, so it can't check the targets.";
  }
  const hits = resolveTargets(command, people);
  for (const text of command.targetTexts) {
    const hit = hits.find((one) => one.text === text)?.players ?? [];
    const players = [...hit, ...mayMean(text, people)];
    const target = { text, players, mayBeOneself: command.verb === MOVES_ONESELF };
    const reason = refuseOne(policy, actor, { target, people });
    if (reason !== undefined) return reason;
  }
  return undefined;
}

interface JudgedTarget {
  readonly text: string;
  /** Everybody whom it may mean. */
  readonly players: readonly PlayerRef[];
  readonly mayBeOneself: boolean;
}

function refuseOne(
  policy: StaffPolicy,
  { roleIds, ownPlayerId }: Roles,
  { target, people }: { readonly target: JudgedTarget; readonly people: People },
): string | undefined {
  const tier = tierOf(policy, roleIds);
  if (target.players.every(isOnlyAnId)) {
    // The list may be some seconds old: who is meant may have joined since.
    const prefix = target.text.toLowerCase();
    const near = policy.protectedPlayers.find((entry) =>
      waysOfEntry(policy, entry).some((way) => way.toLowerCase().startsWith(prefix)),
    );
    if (near !== undefined)
      return `"${target.text}" may mean ${shownEntry(policy, near)}, who is protected. Nobody can target them.`;
  }
  for (const player of target.players) {
    // An id means nobody else, and where somebody asked for a ban nobody has typed it.
    const isExact = player.name === target.text || String(player.id) === target.text;
    const via = isExact ? "" : ` (matched by "${target.text}")`;
    if (isProtected(policy, waysOf(player)))
      return `${player.name}${via} is protected. Nobody can target them.`;
    // A rank shields from others: it must not keep anyone from moving themselves.
    const isOneself = player.id !== undefined && player.id === ownPlayerId;
    if (target.mayBeOneself && isOneself) continue;
    if (tierLevel(rankOf(player, people)) > tierLevel(tier)) {
      const rank = `(${rankName(player, people)} in the game)`;
      // Nobody outranks themselves. A link may be wrong, so it lifts no more than that.
      return isOneself
        ? `${player.name}${via} is your own account ${rank}. Below that rank only :tp works on it.`
        : `${player.name}${via} outranks you ${rank}.`;
    }
  }
  return undefined;
}

/** An id that nobody who is known has. */
function isOnlyAnId({ name, id }: PlayerRef): boolean {
  return name === String(id);
}

/** By name, whole and in any case, or by id: whichever of the two was protected, the other counts once it is known. */
function isProtected(policy: StaffPolicy, ways: readonly string[]): boolean {
  return policy.protectedPlayers.some((entry) =>
    waysOfEntry(policy, entry).some((way) => ways.includes(way.toLowerCase())),
  );
}

/** The entry, and the other way to name the same player where it is known; spelled as they were given. */
function waysOfEntry({ protectedAliases }: StaffPolicy, entry: string): readonly string[] {
  const other =
    protectedAliases !== undefined && Object.hasOwn(protectedAliases, entry)
      ? protectedAliases[entry]
      : undefined;
  return other === undefined ? [entry] : [entry, other];
}

/** By name where one is known: nobody reads ids. */
function shownEntry(policy: StaffPolicy, entry: string): string {
  return nameAmong(waysOfEntry(policy, entry)) ?? "a player";
}

/** The same for who was named in a command, by one of the ways of an entry. */
function shownTyped(policy: StaffPolicy, typed: string, people: People | undefined): string {
  if (nameAmong([typed]) !== undefined) return typed;
  const entry = policy.protectedPlayers.find((one) => waysOfEntry(policy, one).includes(typed)) ?? typed;
  const known = people === undefined ? undefined : findPerson(typed, people);
  return known?.name ?? nameAmong(waysOfEntry(policy, entry)) ?? typed;
}

function nameAmong(ways: readonly string[]): string | undefined {
  return ways.find((way) => !/^\d+$/.test(way));
}

function waysOf({ name, id }: PlayerRef): readonly string[] {
  return id === undefined ? [name.toLowerCase()] : [name.toLowerCase(), String(id)];
}
