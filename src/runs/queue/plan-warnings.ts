import type { PlayerRef } from "../../domain/model.ts";
import { forManyReason, type ParsedCommand, type ResolvedTarget } from "../../domain/run.ts";
import { WARNED_CHARACTERS } from "../catalogue/parse-command.ts";
import { leftLately, namedAlike, type People, resolveGoal } from "../catalogue/targets.ts";
import { findVerb, inGameOnly, leadsSomewhere } from "../catalogue/verbs.ts";

/** What a plan warns of, and why it needs a confirmation. Pure. */

/** Its target is banned, and so not in the server. */
const LIFTS_BANS = "unban";

/** The facts by which a confirmation is decided. */
export interface ConfirmFacts {
  readonly command: ParsedCommand;
  readonly targets: readonly ResolvedTarget[];
  /** The same text has an unknown outcome. */
  readonly repeats: boolean;
  readonly meant: string | undefined;
  readonly instead: string | undefined;
  readonly ownPlayerId: number | undefined;
  /** Undefined where it is not known who is in the server. */
  readonly people: People | undefined;
  /** The case of a ban from before that lasts longer than this one. */
  readonly earlierBan: number | undefined;
  /** Its question says when it ends. */
  readonly hasEnd: boolean;
}

/** Why the run needs a confirmation. A severe one needs it without a reason too. */
export function reasonsToConfirm({
  command,
  targets,
  repeats,
  meant,
  instead,
  ownPlayerId,
  people,
  earlierBan,
  hasEnd,
}: ConfirmFacts): readonly string[] {
  const isOwn = ({ players }: ResolvedTarget) =>
    players.length > 0 && players.every(({ id }) => id !== undefined && id === ownPlayerId);
  const many = forManyReason({ command, targets });
  const reasons: string[] = [];
  const isSlip = meant !== undefined || instead !== undefined;
  if (isSlip) reasons.push([`There is no :${command.verb}.`, instead ?? ""].join(" ").trimEnd());
  const nothing = whyNothingHappens(command);
  if (nothing !== undefined) reasons.push(nothing);
  if (command.danger === "severe" && !hasEnd) reasons.push(howLong(command));
  if (many !== undefined) reasons.push(many);
  if (earlierBan !== undefined)
    reasons.push(
      `They are banned for longer already: case ${earlierBan}. When this one ends, a Manager decides.`,
    );
  if (people === undefined && !areIds(command) && command.targetTexts.length > 0)
    reasons.push("Marshal could not read who is in the server, so it can't tell whom this hits.");
  const staff = command.mass ? [] : targets.filter((target) => !isOwn(target)).flatMap((one) => one.staff);
  if (staff.length > 0) reasons.push(staffWords(staff));
  if (command.danger === "serious" || command.danger === "severe")
    reasons.push(...alikeWords(command, people));
  const goal = people && resolveGoal(command, people);
  const named = [...(command.verb === LIFTS_BANS ? [] : targets), ...(goal === undefined ? [] : [goal])];
  const nobody = named.filter(({ players }) => players.length === 0);
  for (const { text } of nobody) reasons.push(whyNobody(text, people));
  if (command.finds === "present" && nobody.some(({ text }) => /^\d{5,}$/.test(text)))
    reasons.push(`:${command.verb} takes a name, not an id.`);
  if (repeats) reasons.push("The same command was sent recently and may have run. It could run twice.");
  return reasons;
}

const MOST_NAMED = 3;

function staffWords(staff: readonly PlayerRef[]): string {
  const names = [...new Set(staff.map(({ name }) => name))];
  return `${namesIn(names)} ${names.length === 1 ? "is" : "are"} staff in the game.`;
}

function namesIn(names: readonly string[]): string {
  const left = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** Of a whole name with which those of others begin. */
function alikeWords(command: ParsedCommand, people: People | undefined): readonly string[] {
  const names = namedAlike(command, people).map(({ name }) => name);
  if (names.length === 0) return [];
  const begin = names.length === 1 ? "begins" : "begin";
  const advice = command.finds === "anyone" ? " Use the id to be sure." : "";
  return [
    `It may hit ${namesIn(names)} too, whose ${names.length === 1 ? "name" : "names"} ${begin} the same.${advice}`,
  ];
}

/** Who has just left was typed right. */
function whyNobody(text: string, people: People | undefined): string {
  const gone = people && leftLately(text, people);
  return gone === undefined
    ? `Nobody in the server matches "${text}".`
    : `${gone.player.name} left <t:${gone.atS}:R>.`;
}

/** Of a severe verb. Where Undo is offered later, nothing says that it is hard. */
function howLong({ verb = "" }: ParsedCommand): string {
  const inverse = findVerb(verb)?.inverse;
  return inverse === undefined ? `:${verb} can't be undone.` : `:${verb} lasts until :${inverse} lifts it.`;
}

/** Of a verb that needs somebody in the game behind it. */
function whyNothingHappens(command: ParsedCommand): string | undefined {
  const verb = findVerb(command.verb ?? "");
  if (verb === undefined || leadsSomewhere(verb)) return undefined;
  // In the person's own word: who typed :help does not look for :commands.
  const typed = /^:+(\S+)/u.exec(command.text)?.[1]?.toLowerCase() ?? verb.verb;
  return inGameOnly(typed);
}

/** An id is of one player, whoever is in the server. */
function areIds({ finds, targetTexts }: ParsedCommand): boolean {
  return finds !== "present" && targetTexts.every((text) => /^\d+$/.test(text));
}

interface WarningFacts {
  readonly haltUntilMs: number | undefined;
  readonly nowMs: number;
  /** It is asked already whether another verb was meant. */
  readonly isSlip: boolean;
  readonly people: People | undefined;
  /** It ends by itself, which nothing does while automatic commands are paused. */
  readonly waitsForResume: boolean;
}

/** What the plan warns of. */
export function planWarnings(
  command: ParsedCommand,
  { haltUntilMs, nowMs, isSlip, people, waitsForResume }: WarningFacts,
): readonly string[] {
  const said: string[] = [];
  const verb = findVerb(command.verb ?? "");
  if (verb === undefined && !isSlip)
    said.push(`Marshal doesn't know :${command.verb}. The game may not either.`);
  if (command.text.length > WARNED_CHARACTERS) {
    said.push(`It is ${command.text.length} characters long. The game may cut it off or refuse it.`);
  }
  if (/,\s|\s,/.test(command.text) && command.targetTexts.length > 1) {
    said.push("There is a space next to a comma. The game may ignore the names after it.");
  }
  // Of what does more than that it is a reason to ask.
  if (command.danger === "mild") said.push(...alikeWords(command, people));
  if (waitsForResume)
    said.push("Automatic commands are paused: it ends only after they are resumed in /run queue.");
  if (haltUntilMs !== undefined && haltUntilMs > nowMs) {
    said.push(
      `The game service asked Marshal to wait. It is queued until <t:${Math.ceil(haltUntilMs / 1000)}:T>.`,
    );
  }
  return said;
}
