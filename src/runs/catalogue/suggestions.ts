import type { SourceId } from "../../domain/model.ts";
import type { RunWords, VerbInfo } from "../../domain/ports/run-words.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import { type Argument, catalogue, findVerb, usageOf, type Verb } from "./verbs.ts";

/** Discord's limits: choices of an option, and the length of each value and name. */
const maxChoices = 25;
const maxLength = 100;

type Choices = readonly { readonly name: string; readonly value: string }[];

/** What stands to choose for arguments that are neither people nor free text. */
const fixed: Readonly<Partial<Record<Argument, readonly string[]>>> = {
  weather: ["clear", "rain", "thunderstorm", "fog", "snow"],
  hour: ["0", "6", "12", "18"],
  seconds: ["0", "60", "120", "300", "600"],
};

export interface WordsPorts {
  readonly snapshots: Snapshots;
}

/**
 * Autocompletion and facts from the catalogue. A choice replaces the whole option, so its value is the whole text.
 * Typing neither waits for the service nor asks it: a key press must not cost a poll that another community needs.
 */
export function createRunWords({ snapshots }: WordsPorts): RunWords {
  return {
    complete: (source, typed, may) =>
      complete({ typed: typed.trimStart(), players: () => playerNames(snapshots, source), may }),
    verbs: () => catalogue.map(infoOf),
    about: (verbOrText) => {
      const name = /^:*(\S+)/u.exec(verbOrText.trim())?.[1]?.toLowerCase() ?? "";
      const verb = findVerb(name);
      return verb === undefined ? undefined : infoOf(verb);
    },
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

interface Typed {
  readonly typed: string;
  readonly players: () => readonly string[];
  /** Of a canonical verb: whether the person who types may run it. */
  readonly may: (verb: string) => boolean;
}

/** Pure: the texts that `typed` may be about to become. */
export function complete({ typed, players, may }: Typed): Choices {
  const parts = /^:*(\S*)(\s+)?(.*)$/su.exec(typed);
  const name = (parts?.[1] ?? "").toLowerCase();
  if (parts?.[2] === undefined) return completeVerb(name, may);
  const verb = findVerb(name);
  if (verb === undefined || !may(verb.verb)) return [];
  const words = (parts[3] ?? "").split(/\s+/u);
  const argument = verb.args[words.length - 1];
  if (argument === undefined) return [];
  const last = words.at(-1) ?? "";
  const people = argument === "targets" || argument === "player";
  const options = people ? players() : (fixed[argument] ?? []);
  const from = people ? last.lastIndexOf(",") + 1 : 0;
  const before = typed.slice(0, typed.length - last.length + from);
  const colon = before.startsWith(":") ? "" : ":";
  const prefix = last.slice(from).toLowerCase();
  return options
    .filter((option) => option.toLowerCase().startsWith(prefix))
    .map((option) => `${colon}${before}${option}`)
    .filter((value) => value.length <= maxLength)
    .slice(0, maxChoices)
    .map((value) => ({ name: value, value }));
}

function completeVerb(prefix: string, may: Typed["may"]): Choices {
  const starts = catalogue.filter(
    ({ verb, aliases }) => [verb, ...aliases].some((name) => name.startsWith(prefix)) && may(verb),
  );
  // The exact one first: "m" is the message before it is "mod".
  const found = findVerb(prefix);
  const exact = found !== undefined && may(found.verb) ? found : undefined;
  const ordered = exact === undefined ? starts : [exact, ...starts.filter((verb) => verb !== exact)];
  return ordered.slice(0, maxChoices).map((verb) => ({
    name: `${usageOf(verb)} · ${verb.does}`.slice(0, maxLength),
    value: `:${verb === exact ? prefix : ([verb.verb, ...verb.aliases].find((name) => name.startsWith(prefix)) ?? verb.verb)}`,
  }));
}
