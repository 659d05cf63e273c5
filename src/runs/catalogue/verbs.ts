import type { Aim } from "../../domain/command-hits.ts";
import type { Tier } from "../../domain/guild.ts";
import type { Danger } from "../../domain/run.ts";

/**
 * What follows a verb. Only `targets` hits people; `player` names someone without doing anything to them; a `message`
 * has to be there, a `text` (a reason) may be left out.
 */
export type Argument =
  | "targets"
  | "player"
  | "text"
  | "message"
  | "seconds"
  | "hour"
  | "weather"
  | "fire"
  | "layout";

/** One in-game command: what it is called, who may run it by default, and what it does to whom. */
export interface Verb {
  readonly verb: string;
  readonly aliases: readonly string[];
  readonly args: readonly Argument[];
  readonly does: string;
  readonly tier: Tier;
  readonly danger: Danger;
  /** Does its target no harm, so neither rank nor protection forbids it. */
  readonly benign: boolean;
  readonly aim: Omit<Aim, "targetTexts">;
  /** The verb that undoes it; it takes the same targets where `args` starts with them, else nothing. */
  readonly inverse?: string;
}

type Row = readonly [
  names: string,
  args: string,
  tier: Tier,
  danger: Danger,
  does: string,
  more?: { readonly inverse?: string; readonly benign?: true },
];

/**
 * Every verb of the public list of command names; the first name of a row is the canonical one, the others its aliases
 * ("helplers" is how that list spells it). What people use every day stands first. Tiers follow the game's own ranks, or stand one step above them.
 */
const VERB_ROWS: readonly Row[] = [
  ["hint h", "message", "moderator", "mild", "shows a hint to everyone"],
  ["message m", "message", "moderator", "mild", "shows a message to everyone"],
  ["pm privatemessage", "targets message", "moderator", "mild", "sends a private message", { benign: true }],
  ["kick", "targets text", "moderator", "serious", "removes the player from the server"],
  ["teleport tp", "targets player", "moderator", "serious", "teleports players to another player"],
  ["heal", "targets", "moderator", "mild", "heals the player", { benign: true }],
  ["jail arrest", "targets", "moderator", "serious", "puts the player in jail", { inverse: "unjail" }],
  ["unjail free", "targets", "moderator", "mild", "releases the player", { inverse: "jail", benign: true }],
  ["wanted", "targets", "moderator", "serious", "marks the player as wanted", { inverse: "unwanted" }],
  ["unwanted", "targets", "moderator", "mild", "clears the wanted mark", { inverse: "wanted", benign: true }],
  ["respawn", "targets", "moderator", "serious", "respawns the player"],
  ["refresh", "targets", "moderator", "mild", "reloads the player's character in place"],
  ["load", "targets", "moderator", "serious", "reloads the player's character"],
  ["kill", "targets", "moderator", "serious", "kills the player"],
  ["down", "targets", "moderator", "serious", "knocks the player down"],
  ["ban", "targets text", "administrator", "severe", "bans the player", { inverse: "unban" }],
  ["unban", "targets", "administrator", "mild", "lifts a ban", { inverse: "ban", benign: true }],
  ["weather", "weather", "administrator", "mild", "sets the weather"],
  ["time", "hour", "administrator", "mild", "sets the time of day"],
  ["priority prty", "seconds", "administrator", "mild", "sets the priority timer"],
  ["peacetimer pt", "seconds", "administrator", "mild", "sets the peace timer"],
  ["startfire", "fire", "administrator", "serious", "starts a fire", { inverse: "stopfire" }],
  ["stopfire", "", "administrator", "mild", "puts fires out"],
  ["stopdumpsterfire", "", "administrator", "mild", "puts dumpster fires out"],
  ["log", "text", "moderator", "mild", "writes a line to the log"],
  ["helper", "targets", "administrator", "serious", "makes the player a helper", { inverse: "unhelper" }],
  ["unhelper", "targets", "administrator", "serious", "removes the helper rank", { inverse: "helper" }],
  ["mod", "targets", "manager", "serious", "makes the player a moderator", { inverse: "unmod" }],
  ["unmod", "targets", "manager", "serious", "removes the moderator rank", { inverse: "mod" }],
  ["admin", "targets", "manager", "serious", "makes the player an administrator", { inverse: "unadmin" }],
  ["unadmin", "targets", "manager", "serious", "removes the administrator rank", { inverse: "admin" }],
  ["loadlayout", "layout", "administrator", "serious", "loads a layout", { inverse: "unloadlayout" }],
  ["unloadlayout", "layout", "administrator", "serious", "unloads the layout"],
  ["shutdown", "", "manager", "severe", "shuts the server down and removes everyone"],
  ["bring", "targets", "moderator", "serious", "brings the player to you"],
  ["to", "player", "moderator", "mild", "goes to the player"],
  ["view spectate", "targets", "moderator", "mild", "watches the player", { benign: true }],
  ["tocar", "", "moderator", "serious", "puts you in your car"],
  ["toatv", "", "moderator", "serious", "puts you on an ATV"],
  ["startnearfire snf", "fire", "administrator", "serious", "starts a fire nearby", { inverse: "stopfire" }],
  ["killlogs kl", "", "viewer", "read", "lists kills"],
  ["bans", "", "viewer", "read", "lists bans"],
  ["helpers helplers", "", "viewer", "read", "lists helpers"],
  ["mods moderators", "", "viewer", "read", "lists moderators"],
  ["admins administrators", "", "viewer", "read", "lists administrators"],
  ["logs", "", "viewer", "read", "lists the log"],
  ["commands cmds help", "", "viewer", "read", "lists the commands"],
];

/** Every kind of fire that the game has, what people use most first. */
export const FIRE_KINDS: readonly string[] = ["house", "brush", "building", "dumpster"];

/** Verbs that take ids, and so reach people who are not in the server. */
const TAKE_IDS: ReadonlySet<string> = new Set("ban unban helper unhelper mod unmod admin unadmin".split(" "));
/** Verbs of whose targets only the first counts. */
const TAKE_ONE: ReadonlySet<string> = new Set(["unban", "view"]);
/** Verbs that without a target are for whoever typed them in the game. */
const FOR_AUTHOR: ReadonlySet<string> = new Set(
  "kill down heal view wanted jail refresh respawn load bring".split(" "),
);

/** Verbs that need a body or a screen in the game, so from Remote Server they do nothing. */
const NEED_A_BODY: ReadonlySet<string> = new Set(
  "bring to view tocar toatv startnearfire killlogs bans helpers mods admins logs commands".split(" "),
);

/** Whether the verb does something for Remote Server, who stands nowhere and sees nothing. */
export function leadsSomewhere({ verb }: Verb): boolean {
  return !NEED_A_BODY.has(verb);
}

/** What does instead of a verb that needs a body or a screen. */
const INSTEAD: Readonly<Record<string, string>> = {
  commands: "/help shows what Marshal can do",
  bring: "use :tp with two names",
  to: "use :tp with two names",
};

/** Of a verb that needs somebody in the game behind it, by the name that was typed or meant; `called`: how it begins. */
export function inGameOnly(name: string, called = `:${name}`): string {
  const instead = INSTEAD[findVerb(name)?.verb ?? name];
  const more = instead === undefined ? "" : `; ${instead}`;
  return `${called} works only for a person in the game${more}.`;
}

/** A verb that the catalogue lacks may hit anybody whom its first word names. */
export const UNKNOWN_AIM: Verb["aim"] = { finds: "anyone", takesOne: false, authorIfNone: false };

function aimOf(verb: string): Verb["aim"] {
  const finds = verb === "unban" ? "banned" : TAKE_IDS.has(verb) ? "anyone" : "present";
  return { finds, takesOne: TAKE_ONE.has(verb), authorIfNone: FOR_AUTHOR.has(verb) };
}

function build(row: Row): Verb {
  const [names, args, tier, danger, does, more] = row;
  const [verb = names, ...aliases] = names.split(" ");
  return {
    verb,
    aliases,
    args: args.split(" ").filter(isArgument),
    does,
    tier,
    danger,
    benign: danger === "read" || more?.benign === true,
    aim: aimOf(verb),
    ...(more?.inverse === undefined ? {} : { inverse: more.inverse }),
  };
}

const ARGUMENTS: readonly string[] = [
  "targets",
  "player",
  "text",
  "message",
  "seconds",
  "hour",
  "weather",
  "fire",
  "layout",
] satisfies Argument[];

function isArgument(word: string): word is Argument {
  return ARGUMENTS.includes(word);
}

/** All verbs, in the order in which they are worth showing. */
export const catalogue: readonly Verb[] = VERB_ROWS.map(build);

const byName: ReadonlyMap<string, Verb> = new Map(
  catalogue.flatMap((verb) => [verb.verb, ...verb.aliases].map((name) => [name, verb] as const)),
);

/** The verb of that name or alias (lower case, without the colon); undefined when it is not in the catalogue. */
export function findVerb(name: string): Verb | undefined {
  return byName.get(name);
}

/** All names of verbs that do their target no harm, such as a private message. */
export const HARMLESS_NAMES: readonly string[] = catalogue
  .filter(({ benign, args }) => benign && args[0] === "targets")
  .flatMap(({ verb, aliases }) => [verb, ...aliases]);

/** `:kick players text` */
export function usageOf(verb: Verb): string {
  return [`:${verb.verb}`, ...verb.args.map((arg) => (arg === "targets" ? "players" : arg))].join(" ");
}
