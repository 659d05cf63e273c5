import { targetsIn } from "../../domain/command-names.ts";
import { Failure } from "../../domain/failure.ts";
import type { SourceId } from "../../domain/model.ts";
import { namesLike, nearestWords } from "../../domain/near-names.ts";
import type { CommandCatalogue, VerbInfo } from "../../domain/ports/command-catalogue.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import { nearestCommand } from "./did-you-mean.ts";
import { parseCommand } from "./parse-command.ts";
import { readLogged } from "./read-logged.ts";
import {
  type Argument,
  catalogue,
  FIRE_KINDS,
  findVerb,
  leadsSomewhere,
  usageOf,
  type Verb,
} from "./verbs.ts";

/** Discord's limits: choices of an option, and the length of each value and name. */
const MOST_CHOICES = 25;
const LONGEST_CHOICE_CHARACTERS = 100;

type Choices = readonly { readonly name: string; readonly value: string }[];

/** Choices for arguments that are neither people nor free text. */
const FIXED_CHOICES: Readonly<Partial<Record<Argument, readonly string[]>>> = {
  weather: ["clear", "rain", "thunderstorm", "fog", "snow"],
  fire: FIRE_KINDS,
  hour: ["0", "6", "12", "18"],
  seconds: ["0", "60", "120", "300", "600"],
};

export interface CatalogueParts {
  readonly snapshots: Snapshots;
}

/**
 * Completes command texts and describes verbs. A choice replaces the whole option, so its value is the whole text. Typing
 * never asks the service, because a key press must not cost a poll that another community needs.
 */
export function createCommandCatalogue({ snapshots }: CatalogueParts): CommandCatalogue {
  return {
    complete: (source, typed, may) =>
      complete({ typed: typed.trimStart(), players: () => playerNames(snapshots, source), may }),
    verbs: () => catalogue.map(infoOf),
    about: (verbOrText) => {
      const name = /^:*(\S+)/u.exec(verbOrText.trim())?.[1]?.toLowerCase() ?? "";
      const verb = findVerb(name);
      return verb === undefined ? undefined : infoOf(verb);
    },
    nearest: (text, may) => {
      try {
        return nearestCommand(parseCommand(text), (command) => may(command.text));
      } catch (error) {
        // What cannot be read is refused elsewhere, in words of its own.
        if (error instanceof Failure) return {};
        throw error;
      }
    },
    readLogged,
  };
}

function infoOf(verb: Verb): VerbInfo {
  const { aliases, does, tier, danger } = verb;
  return { verb: verb.verb, aliases, usage: usageOf(verb), does, tier, danger };
}

function playerNames(snapshots: Snapshots, source: SourceId | undefined): readonly string[] {
  const players = source === undefined ? undefined : snapshots.latest(source)?.lists.players?.value;
  return (players ?? []).map(({ player }) => player.name).sort((a, b) => a.localeCompare(b));
}

/** Nobody is one slip of a thumb away from these: they are offered once somebody begins to type them. */
const ONLY_WHEN_TYPED: ReadonlySet<string> = new Set(["kill", "down", "shutdown"]);

interface Typed {
  readonly typed: string;
  readonly players: () => readonly string[];
  /** Of a whole text: whether the person who types may run it. */
  readonly may: (text: string) => boolean;
}

/** Pure: the texts that `typed` may be about to become. */
export function complete({ typed, players, may }: Typed): Choices {
  const [, start = "", word = "", gap, rest = ""] = /^(:*(\S*))(\s+)?(.*)$/su.exec(typed) ?? [];
  const name = word.toLowerCase();
  if (gap === undefined) return completeVerb(name, may);
  const verb = findVerb(name);
  if (verb === undefined || !leadsSomewhere(verb) || !may(`:${name}`)) return [];
  const { argument, before, last, named } = partTyped(verb, rest);
  if (argument === undefined) return [];
  const people = argument === "targets" || argument === "player";
  // Who is banned is in no list of the service, and whoever plays is not.
  const names = verb.aim.finds === "banned" ? [] : others(players(), named);
  const options = people ? namesLike(last, names) : startingWith(last, FIXED_CHOICES[argument]);
  const command = `${start.startsWith(":") ? "" : ":"}${start}${gap}${before}`;
  return options
    .map((option) => `${command}${option}`)
    .filter((value) => value.length <= LONGEST_CHOICE_CHARACTERS && may(value))
    .slice(0, MOST_CHOICES)
    .map((value) => ({ name: value, value }));
}

/** Which argument is being typed, what stands before it, what of it, and whom the text names already. */
interface Part {
  readonly argument: Argument | undefined;
  readonly before: string;
  readonly last: string;
  readonly named: readonly string[];
}

function partTyped({ args }: Verb, rest: string): Part {
  const targets = args[0] === "targets" ? targetsIn(rest) : "";
  if (args[0] === "targets" && targets.length === rest.length) {
    const named = targets.split(",").map((name) => name.trim());
    const last = named.pop() ?? "";
    // Without spaces at the commas: the game may read only the names before one.
    return { argument: args[0], before: named.map((name) => `${name},`).join(""), last, named };
  }
  const words = rest.slice(targets.length).trimStart().split(/\s+/u);
  const last = words.at(-1) ?? "";
  const index = words.length - (targets === "" ? 1 : 0);
  const before = rest.slice(0, rest.length - last.length);
  return { argument: args[index], before, last, named: targets === "" ? [] : targets.split(",") };
}

function others(names: readonly string[], named: readonly string[]): readonly string[] {
  const taken = new Set(named.map((name) => name.trim().toLowerCase()));
  return names.filter((name) => !taken.has(name.toLowerCase()));
}

/** Those that begin with it, else those that may have been meant, nearest first. */
function startingWith(prefix: string, options: readonly string[] = []): readonly string[] {
  const begun = options.filter((option) => option.startsWith(prefix.toLowerCase()));
  // A number that is not among the options is no slip.
  return begun.length > 0 || /\d/u.test(prefix) ? begun : namesLike(prefix, options);
}

function completeVerb(prefix: string, may: Typed["may"]): Choices {
  const isOffered = (verb: Verb) =>
    leadsSomewhere(verb) && may(`:${verb.verb}`) && !(prefix === "" && ONLY_WHEN_TYPED.has(verb.verb));
  const allowed = catalogue.filter(isOffered);
  const namesOf = ({ verb, aliases }: Verb) => [verb, ...aliases];
  const starts = allowed.filter((verb) => namesOf(verb).some((name) => name.startsWith(prefix)));
  const exact = allowed.find((verb) => namesOf(verb).includes(prefix));
  // The exact one first: "m" is the message before it is "mod".
  const ordered = exact === undefined ? starts : [exact, ...starts.filter((verb) => verb !== exact)];
  const near = ordered.length > 0 ? [] : nearestWords(prefix, allowed.flatMap(namesOf));
  const meant = near.flatMap((name) => allowed.filter((verb) => namesOf(verb).includes(name)));
  return [...ordered, ...new Set(meant)].slice(0, MOST_CHOICES).map((verb) => ({
    name: `${usageOf(verb)} · ${verb.does}`.slice(0, LONGEST_CHOICE_CHARACTERS),
    value: `:${verb === exact ? prefix : (namesOf(verb).find((name) => name.startsWith(prefix)) ?? verb.verb)}`,
  }));
}
