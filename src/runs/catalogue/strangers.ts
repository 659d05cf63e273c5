import { type Hit, hitByBeginning, isMassWord, isSamePlayer } from "../../domain/command-hits.ts";
import { Failure } from "../../domain/failure.ts";
import type { PlayerRef } from "../../domain/model.ts";
import type { ParsedCommand, ResolvedTarget, RunRequest } from "../../domain/run.ts";
import { withTarget } from "./parse-command.ts";
import { mayHit, type People } from "./targets.ts";

/** Keeps a command from hitting somebody who was not meant: names match by their beginning, and people come and go. Pure. */

/**
 * The text with ids in the place of names that the game may take for the beginning of somebody else's; undefined: it has
 * none. @throws Failure "bad-command" where several players have had such a name
 */
export function withIds(command: ParsedCommand, people: People): string | undefined {
  if (!command.known || command.finds !== "anyone") return undefined;
  let { text } = command;
  for (const hit of mayHit(command, people)) {
    const [other] = isMassWord(hit.text) ? [] : hitByBeginning(hit);
    const named = hit.players.filter((player) => !hitByBeginning(hit).includes(player));
    const [only, ...more] = named;
    if (other === undefined || only === undefined) continue;
    if (only.id === undefined || more.length > 0)
      throw new Failure(
        "bad-command",
        `The game may take "${hit.text}" for ${other.name}, who is in the server. Use the id instead.`,
      );
    text = withTarget(text, hit.text, String(only.id));
  }
  return text === command.text ? undefined : text;
}

/**
 * The words behind the name of one player may begin with a comma, and the game reads what follows as another name, of
 * somebody of whom nobody here needs to know.
 * @throws Failure "bad-command"
 */
export function refuseSecondName({ targetTexts }: ParsedCommand): void {
  const [, second] = targetTexts;
  if (second === undefined) return;
  throw new Failure(
    "bad-command",
    `The game would read "${second}" as another name. Begin the text without a comma.`,
  );
}

/**
 * What a button is for one player may not hit another, and what takes something back only whom that hit, and what
 * waits for somebody to join only them: by whole names.
 * @throws Failure "bad-command"
 */
export function refuseWhoIsNotMeant(
  request: RunRequest,
  { targets, goal }: { readonly targets: readonly ResolvedTarget[]; readonly goal: Hit | undefined },
): void {
  const { only, origin, term } = request;
  if (only !== undefined && origin === "button" && term === undefined) {
    const hit = targets.flatMap(({ players }) => players);
    const other = hit.find(({ id }) => id !== only.id);
    if (other !== undefined) throw new Failure("bad-command", takenFor(only.name, other));
    if (hit.length === 0) throw new Failure("bad-command", notThere(only.name));
    const [stranger] = goal === undefined ? [] : hitByBeginning(goal);
    if (goal !== undefined && stranger !== undefined)
      throw new Failure("bad-command", takenFor(goal.text, stranger));
    if (goal?.players.length === 0) throw new Failure("bad-command", notThere(goal.text));
  }
  if (origin !== "undo" && origin !== "on-join") return;
  for (const hit of targets) {
    const [other] = hitByBeginning(hit);
    if (other !== undefined) throw new Failure("bad-command", takenFor(hit.text, other));
  }
}

function notThere(name: string): string {
  return `${name} is not in the server.`;
}

function takenFor(name: string, other: PlayerRef): string {
  return `${notThere(name)} The game would take the name for ${other.name}, so nothing was sent.`;
}

/**
 * Why a command may not leave any more: by now it may hit somebody whom it did not when it was asked for. `shown`: whom
 * it hit then; empty: nobody was known.
 */
export function whyStrangers(
  shown: readonly ResolvedTarget[],
  command: ParsedCommand,
  people: People | undefined,
): string | undefined {
  if (people === undefined || shown.length === 0) return undefined;
  for (const hit of mayHit(command, people)) {
    if (isMassWord(hit.text)) continue;
    const before = shown.find(({ text }) => text === hit.text)?.players ?? [];
    // Where nobody matched and it was sent anyway, it is for whoever has that whole name.
    const strangers =
      before.length === 0
        ? hitByBeginning(hit)
        : hit.players.filter((one) => !before.some((other) => isSamePlayer(other, one)));
    const [other] = strangers;
    if (other !== undefined)
      return `By now it would hit ${other.name}, so it was not sent. Type the whole name.`;
  }
  return undefined;
}
