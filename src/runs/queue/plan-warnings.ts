import { forManyReason, type ParsedCommand, type ResolvedTarget } from "../../domain/run.ts";
import { WARNED_CHARACTERS } from "../catalogue/parse-command.ts";
import type { People } from "../catalogue/targets.ts";
import { findVerb } from "../catalogue/verbs.ts";

/** What a plan warns of, and why it needs a confirmation. Pure. */

/** Its target is banned, and so not in the server. */
const LIFTS_BANS = "unban";
/** Verbs that need a body in the game, which a remote command lacks. */
const NEEDS_A_BODY: ReadonlySet<string> = new Set(["bring", "to"]);

/** The facts by which a confirmation is decided. */
export interface ConfirmFacts {
  readonly command: ParsedCommand;
  readonly targets: readonly ResolvedTarget[];
  /** The same text has an unknown outcome. */
  readonly repeats: boolean;
  readonly meant: string | undefined;
  readonly ownPlayerId: number | undefined;
}

/** Why the run needs a confirmation; empty: it may be sent at once. */
export function reasonsToConfirm({
  command,
  targets,
  repeats,
  meant,
  ownPlayerId,
}: ConfirmFacts): readonly string[] {
  const isOwn = ({ players }: ResolvedTarget) =>
    players.length > 0 && players.every(({ id }) => id !== undefined && id === ownPlayerId);
  const many = forManyReason({ command, targets });
  const reasons: string[] = [];
  if (meant !== undefined) reasons.push(`The game has no :${command.verb} that Marshal knows.`);
  if (command.danger === "severe") reasons.push(`:${command.verb} cannot be taken back easily.`);
  if (many !== undefined) reasons.push(many);
  if (!command.mass && targets.some((target) => target.staff && !isOwn(target)))
    reasons.push("A target is staff of the server.");
  const nobody = command.verb === LIFTS_BANS ? [] : targets.filter(({ players }) => players.length === 0);
  for (const { text } of nobody) reasons.push(`Nobody in the server matches "${text}".`);
  if (repeats)
    reasons.push("The same command was sent lately with an unknown outcome: it may run a second time.");
  return reasons;
}

interface WarningFacts {
  readonly people: People | undefined;
  readonly haltUntilMs: number | undefined;
  readonly nowMs: number;
}

/** What the plan warns of. */
export function planWarnings(
  command: ParsedCommand,
  { people, haltUntilMs, nowMs }: WarningFacts,
): readonly string[] {
  const said: string[] = [];
  const verb = findVerb(command.verb ?? "");
  if (verb === undefined) said.push(`Marshal does not know :${command.verb}; the game may not either.`);
  if (command.text.length > WARNED_CHARACTERS) {
    said.push(`It is ${command.text.length} characters long; the game may cut or refuse it.`);
  }
  if (verb !== undefined && NEEDS_A_BODY.has(verb.verb)) {
    said.push("It is run by Remote Server, who stands nowhere. Use :tp with two names.");
  }
  if (/,\s|\s,/.test(command.text) && command.targetTexts.length > 1) {
    said.push("There is a space at a comma: the game may read only the names before it.");
  }
  // How old a list is that is known stands above the names.
  if (command.targetTexts.length > 0 && people === undefined) {
    said.push("The player list is not known: the targets were not resolved.");
  }
  if (haltUntilMs !== undefined && haltUntilMs > nowMs) {
    said.push(
      `The service asked to wait until <t:${Math.ceil(haltUntilMs / 1000)}:T>; it is queued until then.`,
    );
  }
  return said;
}
