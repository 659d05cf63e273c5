import { namesLike, nearestWords } from "../../domain/near-names.ts";
import type { MeantCommand } from "../../domain/ports/command-catalogue.ts";
import type { NearText, ParsedCommand, ResolvedTarget } from "../../domain/run.ts";
import { ELSEWHERE } from "../../domain/words-of-other-bots.ts";
import { parseCommand, withGoal, withTarget } from "./parse-command.ts";
import { leftLately, type People, resolveGoal } from "./targets.ts";
import { catalogue, findVerb, inGameOnly, leadsSomewhere } from "./verbs.ts";

/** What somebody may have meant by a verb or a name that is not known. Pure. */

/** More would not fit beside the other buttons. */
const MOST_NAMES = 3;

/** For a verb that the catalogue has: nothing. Of several that are near, rather one that `may` lets through. */
export function nearestCommand(
  command: ParsedCommand,
  may: (command: ParsedCommand) => boolean,
): MeantCommand {
  const typed = /^:+(\S+)/u.exec(command.text)?.[1];
  if (command.known || typed === undefined) return {};
  const elsewhere = ELSEWHERE.get(typed.toLowerCase());
  if (elsewhere !== undefined) return { instead: elsewhere };
  const names = catalogue.flatMap(({ verb, aliases }) => [verb, ...aliases]);
  // What takes back is no slip of what does it: who types :unkill wants no :kill.
  const takesBack = (name: string) => name.startsWith("un");
  const slips = nearestWords(typed, names).filter(
    (name) => !takesBack(typed.toLowerCase()) || takesBack(name),
  );
  // Other bots have short forms that the game has not: `k` for :kick.
  const near = slips.length > 0 ? slips : begunOrHeld(typed.toLowerCase(), names);
  const isSent = (name: string) => {
    const verb = findVerb(name);
    return verb !== undefined && leadsSomewhere(verb);
  };
  const texts = near
    .filter(isSent)
    .map((name) => `:${name}${command.text.slice(command.text.indexOf(typed) + typed.length)}`);
  const meant = texts.find((text) => may(parseCommand(text))) ?? texts[0];
  const [nearest] = near;
  return {
    ...(meant === undefined ? {} : { meant }),
    ...(nearest === undefined || isSent(nearest)
      ? {}
      : { instead: `Did you mean :${nearest}? ${inGameOnly(nearest, "It")}` }),
  };
}

/** Shorter words stand in many names by chance. */
const LEAST_HELD_LETTERS = 4;

/** The names that begin with it, else those that hold it: `fire` for :startfire. */
function begunOrHeld(typed: string, names: readonly string[]): readonly string[] {
  const begun = names.filter((name) => name.startsWith(typed));
  if (begun.length > 0 || typed.length < LEAST_HELD_LETTERS) return begun;
  return names.filter((name) => name.includes(typed));
}

/** The command with the nearest names in the place of the first one that nobody has. Who is banned is not known. */
export function nearestNames(
  command: ParsedCommand,
  { targets, people }: { readonly targets: readonly ResolvedTarget[]; readonly people: People | undefined },
): readonly NearText[] {
  if (people === undefined || command.finds === "banned") return [];
  const goal = resolveGoal(command, people);
  const wrongTarget = targets.find(({ players }) => players.length === 0)?.text;
  const wrong = wrongTarget ?? (goal?.players.length === 0 ? goal.text : undefined);
  if (wrong === undefined) return [];
  // Who has just left was typed right: a button with another's name would only hit somebody else.
  if (leftLately(wrong, people) !== undefined) return [];
  const here = people.players.map(({ player }) => player);
  const away = command.finds === "anyone" ? [...people.seen.values()] : [];
  // Of an id where the game takes names alone.
  const named = here.filter(({ id }) => String(id) === wrong).map(({ name }) => name);
  const inGame = shortestFirst(here.map(({ name }) => name));
  const near = named.length > 0 ? named : namesLike(wrong, [...inGame, ...shortestFirst(away)]);
  const withName = (name: string) =>
    wrongTarget === undefined ? withGoal(command.text, name) : withTarget(command.text, wrongTarget, name);
  return near.slice(0, MOST_NAMES).map((name) => ({ name, text: withName(name) }));
}

/** So that of two that are as near the shorter one is named. */
function shortestFirst(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => a.length - b.length);
}
