import { Failure } from "../../domain/failure.ts";
import { EMPTY_POLICY } from "../../domain/guild.ts";
import type { ServerState } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { ServiceHealth } from "../../domain/ports/service-health.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { ParsedCommand, ResolvedTarget, RunPlan, RunRequest } from "../../domain/run.ts";
import { nearestWords } from "../catalogue/did-you-mean.ts";
import { parseCommand, WARNED_CHARACTERS } from "../catalogue/parse-command.ts";
import { type People, peopleOf, resolveTargets } from "../catalogue/targets.ts";
import { catalogue, findVerb, type Verb } from "../catalogue/verbs.ts";
import { decide, decideVerb } from "../permission/policy.ts";
import { PLAN_LIVES_MS } from "./pending-plans.ts";

/** A player list this young is not asked for again. */
const FRESH_PEOPLE_MS = 10_000;
/** Whom it names is banned, and so not in the server. */
const LIFTS_BANS = "unban";
/** They move people to whoever runs them, or the other way round. */
const NEEDS_A_BODY: ReadonlySet<string> = new Set(["bring", "to"]);
/** An interaction waits: rather an older list than a late card. */
const READ_WITHIN_MS = 2_500;
/** Beyond this age of the player list the plan says so. */
const OLD_PEOPLE_MS = 60_000;
/** The same text with an unknown outcome this recently may have run: asking again is asked about. */
const UNKNOWN_WITHIN_MS = 30 * 60_000;

export interface PlanPorts {
  readonly snapshots: Snapshots;
  readonly settings: Settings;
  readonly audit: AuditLog;
  readonly health: ServiceHealth;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Reads, resolves and judges; sends no command. May read players and staff (one call, shared).
 * @throws Failure "bad-command"; or what kept the lists from being read, where nothing can be judged without them.
 */
export async function makePlan(
  ports: PlanPorts,
  request: RunRequest,
  expectedWaitMs: number,
): Promise<RunPlan> {
  const command = parseCommand(request.text);
  refuseWithoutTarget(command);
  const { actor, ownPlayerId } = request;
  const policy = (await ports.settings.of(actor.guildId)).policies[request.binding.id] ?? EMPTY_POLICY;
  const mayVerb = decideVerb(policy, actor.roleIds, command);
  // Whoever may not use the verb at all costs the service nothing.
  const { people, unread } = await readPeople(ports, request, command, mayVerb.allowed);
  const decision = decide(policy, { ...actor, ownPlayerId }, command, people);
  if (mayVerb.allowed && !decision.allowed && people === undefined && unread !== undefined) throw unread;
  const targets = people === undefined ? [] : resolveTargets(command.targetTexts, people);
  const repeats = await earlierUnknown(ports, request);
  const meant = meantText(command, (verb) => decideVerb(policy, actor.roleIds, verb).allowed);
  const confirmReasons = reasonsToConfirm({ command, targets, repeats, meant, ownPlayerId });
  const inverse = inverseOf(command, targets);
  const nowMs = ports.clock.nowMs();
  return {
    id: ports.random.id(),
    request,
    command,
    decision,
    targets,
    ...(people === undefined ? {} : { playersAgeMs: people.ageMs }),
    confirm: command.mass ? "name" : confirmReasons.length > 0 ? "button" : "none",
    confirmReasons,
    warnings: warnings(command, { people, unread, haltUntilMs: ports.health.halt()?.untilMs, nowMs }),
    expectedWaitMs,
    ...(meant === undefined ? {} : { meant }),
    ...(inverse === undefined ? {} : { inverse }),
    expiresAtMs: nowMs + PLAN_LIVES_MS,
  };
}

async function readPeople(
  ports: PlanPorts,
  { binding }: RunRequest,
  command: ParsedCommand,
  allowed: boolean,
): Promise<{ readonly people: People | undefined; readonly unread: Failure | undefined }> {
  const known = () => peopleOf(ports.snapshots.latest(binding.source), ports.clock.nowMs());
  if (command.targetTexts.length === 0 || !allowed) return { people: known(), unread: undefined };
  const abort = new AbortController();
  const cancel = ports.clock.after(READ_WITHIN_MS, () =>
    abort.abort(new Failure("unreachable", "The player list could not be read in time.")),
  );
  try {
    const state: ServerState = await ports.snapshots.fresh(
      binding.source,
      ["players", "staff"],
      FRESH_PEOPLE_MS,
      { signal: abort.signal, guildId: binding.guildId },
    );
    return { people: peopleOf(state, ports.clock.nowMs()), unread: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { people: known(), unread: error };
  } finally {
    cancel();
  }
}

/** Whether this guild sent the same text to this server lately and does not know what came of it. */
async function earlierUnknown({ audit, clock }: PlanPorts, { binding, text }: RunRequest): Promise<boolean> {
  const runs = await audit.recentRuns(binding.source, clock.nowMs() - UNKNOWN_WITHIN_MS);
  return runs.some((run) => run.status === "unknown" && run.guildId === binding.guildId && run.text === text);
}

/** What the game would refuse, or take for somebody else. @throws Failure "bad-command" */
function refuseWithoutTarget(command: ParsedCommand): void {
  const verb = findVerb(command.verb ?? "");
  const [first, second] = verb?.args ?? [];
  if (verb === undefined) return;
  const named = first === "targets" ? command.targetTexts.length > 0 : command.rest !== undefined;
  const needsFirst = first === "targets" || first === "player";
  if ((needsFirst && !named) || (second === "player" && command.rest === undefined)) {
    const which = needsFirst && !named ? "no player" : "no second player";
    const word = /^:+\S+/u.exec(command.text)?.[0] ?? `:${verb.verb}`;
    throw new Failure(
      "bad-command",
      `${word} names ${which}. Write it like ${[word, ...exampleOf(verb)].join(" ")}`,
    );
  }
}

function exampleOf({ args }: Verb): readonly string[] {
  return args.map((argument, index) => {
    if (argument === "player") return index === 0 ? "Alice" : "Bob";
    return argument === "targets" ? "Alice" : argument;
  });
}

/** The text with the nearest verb that this person may use. */
function meantText(command: ParsedCommand, may: (command: ParsedCommand) => boolean): string | undefined {
  const typed = /^:+(\S+)/u.exec(command.text)?.[1];
  if (command.known || typed === undefined) return undefined;
  const names = catalogue.flatMap(({ verb, aliases }) => [verb, ...aliases]);
  return nearestWords(typed, names)
    .map((name) => `:${name}${command.text.slice(command.text.indexOf(typed) + typed.length)}`)
    .find((text) => may(parseCommand(text)));
}

interface Judged {
  readonly command: ParsedCommand;
  readonly targets: readonly ResolvedTarget[];
  /** The same text has an unknown outcome. */
  readonly repeats: boolean;
  readonly meant: string | undefined;
  readonly ownPlayerId: number | undefined;
}

/** Empty: it may be sent at once. */
function reasonsToConfirm({ command, targets, repeats, meant, ownPlayerId }: Judged): readonly string[] {
  const isOwn = ({ players }: ResolvedTarget) =>
    players.length > 0 && players.every(({ id }) => id !== undefined && id === ownPlayerId);
  const hit = new Set(targets.flatMap(({ players }) => players.map(({ name, id }) => `${name}:${id ?? ""}`)));
  const reasons: string[] = [];
  if (meant !== undefined) reasons.push(`The game has no :${command.verb} that Marshal knows.`);
  if (command.danger === "severe") reasons.push(`:${command.verb} cannot be taken back easily.`);
  if (command.mass) reasons.push("It is for everyone in the server.");
  else if (hit.size > 1) reasons.push(`It is for ${hit.size} players.`);
  if (!command.mass && targets.some((target) => target.staff && !isOwn(target)))
    reasons.push("A target is staff of the server.");
  const nobody = command.verb === LIFTS_BANS ? [] : targets.filter(({ players }) => players.length === 0);
  for (const { text } of nobody) reasons.push(`Nobody in the server matches "${text}".`);
  if (repeats)
    reasons.push("The same command was sent lately with an unknown outcome: it may run a second time.");
  return reasons;
}

interface Known {
  readonly people: People | undefined;
  /** Why the lists could not be read just now. */
  readonly unread: Failure | undefined;
  readonly haltUntilMs: number | undefined;
  readonly nowMs: number;
}

function warnings(command: ParsedCommand, { people, unread, haltUntilMs, nowMs }: Known): readonly string[] {
  const said: string[] = [];
  const verb = findVerb(command.verb ?? "");
  if (verb === undefined) said.push(`:${command.verb} is not in the catalogue; the game may not know it.`);
  if (command.text.length > WARNED_CHARACTERS) {
    said.push(`It is ${command.text.length} characters long; the game may cut or refuse it.`);
  }
  if (verb !== undefined && NEEDS_A_BODY.has(verb.verb)) {
    said.push("It is run by Remote Server, who stands nowhere. Use :tp with two names.");
  }
  if (/,\s|\s,/.test(command.text) && command.targetTexts.length > 1) {
    said.push("There is a space at a comma: the game may read only the names before it.");
  }
  if (command.targetTexts.length > 0) {
    if (people === undefined) said.push("The player list is not known: the targets were not resolved.");
    else if (unread !== undefined || people.ageMs > OLD_PEOPLE_MS) {
      said.push(`The player list is ${Math.round(people.ageMs / 1000)} s old.`);
    }
  }
  if (haltUntilMs !== undefined && haltUntilMs > nowMs) {
    said.push(
      `The service asked to wait until <t:${Math.ceil(haltUntilMs / 1000)}:T>; it is queued until then.`,
    );
  }
  return said;
}

/** The text that would undo it, with the exact names of this moment: a banned player matches no prefix any more. */
function inverseOf(command: ParsedCommand, targets: readonly ResolvedTarget[]): string | undefined {
  const inverse = findVerb(findVerb(command.verb ?? "")?.inverse ?? "");
  if (inverse === undefined) return undefined;
  if (inverse.args[0] === "targets") {
    const names = command.targetTexts.flatMap((text) => {
      const found = targets.find((target) => target.text === text)?.players ?? [];
      const keep = found.length === 0 || /^(all|others|\d+)$/i.test(text);
      return keep ? [text] : found.map(({ name }) => name);
    });
    return names.length === 0 ? undefined : `:${inverse.verb} ${[...new Set(names)].join(",")}`;
  }
  const rest = inverse.args.length > 0 && command.rest !== undefined ? ` ${command.rest}` : "";
  return `:${inverse.verb}${rest}`;
}
