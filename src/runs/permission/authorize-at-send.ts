import { hitByBeginning, unnamedIn } from "../../domain/command-hits.ts";
import { Failure } from "../../domain/failure.ts";
import { type Actor, type Binding, EMPTY_POLICY, type StaffPolicy } from "../../domain/guild.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Members } from "../../domain/ports/members.ts";
import type { ServiceHealth } from "../../domain/ports/service-health.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import { isAutomatic, type ParsedCommand, type ResolvedTarget, type RunRequest } from "../../domain/run.ts";
import { whyNotAsked } from "../bans/asked-rules.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import { whyStrangers } from "../catalogue/strangers.ts";
import { mayHit, namedAlike, type People, resolveGoal, resolveTargets } from "../catalogue/targets.ts";
import { type KnownPeoplePorts, knownPeople } from "./known-people.ts";
import { type CommandAtServer, decide, decideModerator } from "./permission-rules.ts";

/** Roles this young are used as they are; older ones are read again. */
export const ROLES_GOOD_FOR_MS = 10_000;
/** The same of who is in the server, for a command that names somebody. */
const PEOPLE_GOOD_FOR_MS = 10_000;
/** Time limit for reading them; then the older ones are used. */
const READ_WITHIN_MS = 2_500;

export interface AuthorizeParts extends KnownPeoplePorts {
  readonly bindings: Bindings;
  readonly members: Members;
  readonly settings: Settings;
  readonly snapshots: Pick<Snapshots, "latest" | "fresh">;
  readonly health: ServiceHealth;
  readonly clock: Clock;
}

/** The result of the check right before sending: the roles of this moment, and the linked server as it is now. */
export interface Authorized {
  readonly actor: Actor;
  readonly binding: Binding;
  /** By the monotonic clock. */
  readonly rolesReadAtMs: number;
  /** Whom it hits, where its text does not name them in full. */
  readonly hit: readonly PlayerRef[];
  /** Who else the game may take for one whom it names in full. */
  readonly alike: readonly PlayerRef[];
}

/** What was known when it was asked for. */
export interface AskedThen {
  /** The age of the roles in the request, by the monotonic clock. */
  readonly rolesReadAtMs: number;
  /** Whom it hit; empty: nobody knew. */
  readonly shown: readonly ResolvedTarget[];
}

/**
 * Checks right before sending that the server is still linked, its key good, the person still allowed, and that it hits
 * nobody else than it did when it was asked for.
 * @throws Failure "not-linked", "key-rejected", "denied" or "target-changed"; "paused" where the member cannot be read: nothing is sent then.
 */
export async function authorizeAtSend(
  ports: AuthorizeParts,
  request: RunRequest,
  { rolesReadAtMs, shown }: AskedThen,
): Promise<Authorized> {
  const now = await actorNow(ports, request, rolesReadAtMs);
  const { actor } = now;
  const bindings = await ports.bindings.list(request.actor.guildId);
  const binding = bindings.find(({ id }) => id === request.binding.id);
  if (binding === undefined) throw new Failure("not-linked", "The server was unlinked. Nothing was sent.");
  const parked = ports.health.parked(binding.source);
  if (parked !== undefined) throw new Failure("key-rejected", parked.why);
  const { automaticPause, policies } = await ports.settings.of(actor.guildId);
  if (automaticPause !== undefined && isAutomatic(request.origin))
    throw new Failure("paused", "Automatic commands are paused. It was not sent.");
  // The end of a ban belongs to the community: it needs the rights of nobody.
  if (request.origin === "ban-end")
    return { ...now, binding, hit: unnamedHits(request.text, shown), alike: [] };
  const policy = policies[binding.id] ?? EMPTY_POLICY;
  const command = parseCommand(request.text);
  const people = await peopleNow(ports, { request, binding, command });
  const asker = { ...actor, ownPlayerId: request.ownPlayerId };
  const decision = decide(policy, asker, { command, people });
  if (!decision.allowed)
    throw new Failure("denied", decision.why, { wants: decision.wants, bindingId: binding.id });
  refuseOthers(request.only, command, people);
  const strangers = whyStrangers(shown, command, people);
  if (strangers !== undefined) throw new Failure("expired", strangers);
  if (request.askedBy !== undefined) await refuseAsked(ports, request, { policy, command, people });
  const hits = people === undefined || command.mass ? [] : resolveTargets(command, people);
  return { ...now, binding, hit: unnamedHits(request.text, hits), alike: namedAlike(command, people) };
}

function unnamedHits(text: string, hits: readonly ResolvedTarget[]): readonly PlayerRef[] {
  return unnamedIn(
    text,
    hits.flatMap(({ players }) => players),
  );
}

/** What has its own last look, or was planned just now for a server as it was then, takes what is known. */
async function peopleNow(
  ports: AuthorizeParts,
  {
    request,
    binding,
    command,
  }: Pick<RunRequest, "binding"> & {
    readonly request: RunRequest;
    readonly command: ParsedCommand;
  },
): Promise<People | undefined> {
  const { snapshots, clock } = ports;
  const { source, guildId } = binding;
  const about = { guildId, command };
  const people = await knownPeople(ports, snapshots.latest(source), about);
  const isYoung = people !== undefined && people.ageMs <= PEOPLE_GOOD_FOR_MS;
  if (isYoung || command.targetTexts.length === 0 || isAutomatic(request.origin)) return people;
  const abort = new AbortController();
  const cancel = clock.after(READ_WITHIN_MS, () =>
    abort.abort(new Failure("unreachable", "The player list could not be read in time.")),
  );
  try {
    const options = { maxAgeMs: PEOPLE_GOOD_FOR_MS, signal: abort.signal, guildId };
    return await knownPeople(ports, await snapshots.fresh(source, ["players", "staff"], options), about);
  } catch (error) {
    if (error instanceof Failure) return people;
    throw error;
  } finally {
    cancel();
  }
}

/** Of a ban that was asked for: who asked may still ask, and the player is no staff by now. */
async function refuseAsked(
  { members }: AuthorizeParts,
  { actor: { guildId }, askedBy = "", only }: RunRequest,
  about: CommandAtServer & { readonly policy: StaffPolicy },
): Promise<void> {
  const why = whyNotAsked(about.policy, about.command, about.people);
  if (why !== undefined) throw new Failure("denied", why);
  const asker = await members.now(guildId, askedBy).catch((cause: unknown) => {
    throw new Failure("paused", "Marshal could not check the roles of who asked, so nothing was sent.", {
      cause,
    });
  });
  if (decideModerator(about.policy, asker.roleIds).allowed) return;
  throw new Failure(
    "denied",
    `Whoever asked for the ban of ${only?.name ?? "them"} is no longer a Moderator.`,
  );
}

/** Whom a name or an id hits may have changed since it was asked for. */
function refuseOthers(only: RunRequest["only"], command: ParsedCommand, people: People | undefined): void {
  if (only === undefined) return;
  // An id is of one player, whoever is in the server; a name is not.
  if (people === undefined && command.targetTexts.every((text) => text === String(only.id))) return;
  if (people === undefined)
    throw new Failure(
      "target-changed",
      `Marshal could not read who is in the server, so it was not sent. It may hit others than ${only.name}.`,
    );
  const hit = mayHit(command, people).flatMap(({ players }) => players);
  if (hit.length !== 1 || hit[0]?.id !== only.id)
    throw new Failure("target-changed", whyNotOnly(only, hit, { command, people }));
  const goal = resolveGoal(command, people);
  if (goal !== undefined && goal.players.length === hitByBeginning(goal).length)
    throw new Failure("target-changed", `${goal.text} left the server, so it was not sent.`);
}

function whyNotOnly(
  only: Required<PlayerRef>,
  hit: readonly PlayerRef[],
  { command: { verb }, people }: { readonly command: ParsedCommand; readonly people: People },
): string {
  if (!people.players.some(({ player }) => player.id === only.id))
    return `${only.name} left the server, so it was not sent.`;
  const reach = verb === "pm" ? "reach" : "hit";
  const other = hit.find(({ id }) => id !== only.id);
  if (other === undefined) return `By now it would not ${reach} ${only.name}, so it was not sent.`;
  const too = hit.some(({ id }) => id === only.id) ? " too" : "";
  return `By now it would ${reach} ${other.name}${too}, so it was not sent.`;
}

async function actorNow(
  { members, clock }: AuthorizeParts,
  { actor, origin }: RunRequest,
  rolesReadAtMs: number,
): Promise<Pick<Authorized, "actor" | "rolesReadAtMs">> {
  const nowMs = clock.monotonicMs();
  if (origin === "ban-end") return { actor, rolesReadAtMs: nowMs };
  if (origin !== "on-join" && nowMs - rolesReadAtMs <= ROLES_GOOD_FOR_MS) return { actor, rolesReadAtMs };
  try {
    // Their age counts from the request, because a change during the request may be missing in the answer.
    const read = await members.now(actor.guildId, actor.userId);
    return { actor: { ...actor, ...read }, rolesReadAtMs: nowMs };
  } catch (error) {
    const why = "Marshal could not check your roles again, so nothing was sent.";
    throw new Failure("paused", why, { cause: error });
  }
}
