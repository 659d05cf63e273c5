import type { Tier } from "../../domain/guild.ts";
import type { Danger } from "../../domain/run.ts";

/** What follows a verb. Only `targets` hits people; `player` names someone without doing anything to them. */
export type Argument = "targets" | "player" | "text" | "seconds" | "hour" | "weather" | "fire" | "layout";

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
 * ("helplers" is how that list spells it). Tiers follow the game's own ranks, or stand one step above them.
 */
const VERB_ROWS: readonly Row[] = [
  ["kill", "targets", "moderator", "serious", "kills the player"],
  ["down", "targets", "moderator", "serious", "knocks the player down"],
  ["heal", "targets", "moderator", "mild", "heals the player", { benign: true }],
  ["view spectate", "targets", "moderator", "mild", "watches the player", { benign: true }],
  ["wanted", "targets", "moderator", "serious", "marks the player as wanted", { inverse: "unwanted" }],
  ["unwanted", "targets", "moderator", "mild", "clears the wanted mark", { inverse: "wanted", benign: true }],
  ["jail arrest", "targets", "moderator", "serious", "puts the player in jail", { inverse: "unjail" }],
  ["unjail free", "targets", "moderator", "mild", "lets the player out", { inverse: "jail", benign: true }],
  ["refresh", "targets", "moderator", "mild", "reloads the player's character in place"],
  ["respawn", "targets", "moderator", "serious", "respawns the player"],
  ["load", "targets", "moderator", "serious", "loads the player's character again"],
  ["bring", "targets", "moderator", "serious", "brings the player here"],
  ["teleport tp", "targets player", "moderator", "serious", "moves the players to another player"],
  ["to", "player", "moderator", "mild", "goes to the player"],
  ["tocar", "targets", "moderator", "serious", "puts the player into their car"],
  ["toatv", "targets", "moderator", "serious", "puts the player onto an ATV"],
  ["kick", "targets text", "moderator", "serious", "removes the player from the server"],
  ["ban", "targets text", "administrator", "severe", "bans the player", { inverse: "unban" }],
  ["unban", "targets", "administrator", "mild", "lifts a ban", { inverse: "ban", benign: true }],
  ["helper", "targets", "administrator", "serious", "makes the player a helper", { inverse: "unhelper" }],
  ["unhelper", "targets", "administrator", "serious", "takes the helper rank away", { inverse: "helper" }],
  ["mod", "targets", "manager", "serious", "makes the player a moderator", { inverse: "unmod" }],
  ["unmod", "targets", "manager", "serious", "takes the moderator rank away", { inverse: "mod" }],
  ["admin", "targets", "manager", "serious", "makes the player an administrator", { inverse: "unadmin" }],
  ["unadmin", "targets", "manager", "serious", "takes the administrator rank away", { inverse: "admin" }],
  ["hint h", "text", "moderator", "mild", "shows a hint to everyone"],
  ["message m", "text", "moderator", "mild", "shows a message to everyone"],
  ["pm privatemessage", "targets text", "moderator", "mild", "sends a private message", { benign: true }],
  ["priority prty", "seconds", "administrator", "mild", "sets the priority timer"],
  ["peacetimer pt", "seconds", "administrator", "mild", "sets the peace timer"],
  ["time", "hour", "administrator", "mild", "sets the time of day"],
  ["weather", "weather", "administrator", "mild", "sets the weather"],
  ["startfire", "fire", "administrator", "serious", "starts a fire", { inverse: "stopfire" }],
  ["startnearfire snf", "fire", "administrator", "serious", "starts a fire nearby", { inverse: "stopfire" }],
  ["stopfire", "", "administrator", "mild", "puts fires out"],
  ["stopdumpsterfire", "", "administrator", "mild", "puts dumpster fires out"],
  ["loadlayout", "layout", "administrator", "serious", "loads a layout", { inverse: "unloadlayout" }],
  ["unloadlayout", "layout", "administrator", "serious", "unloads the layout"],
  ["shutdown", "", "manager", "severe", "shuts the server down and removes everyone"],
  ["log", "text", "moderator", "mild", "writes a line into the log"],
  ["killlogs kl", "", "viewer", "read", "lists kills"],
  ["bans", "", "viewer", "read", "lists bans"],
  ["helpers helplers", "", "viewer", "read", "lists helpers"],
  ["mods moderators", "", "viewer", "read", "lists moderators"],
  ["admins administrators", "", "viewer", "read", "lists administrators"],
  ["logs", "", "viewer", "read", "lists the log"],
  ["commands cmds", "", "viewer", "read", "lists the commands"],
];

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
    ...(more?.inverse === undefined ? {} : { inverse: more.inverse }),
  };
}

const ARGUMENTS: readonly string[] = [
  "targets",
  "player",
  "text",
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

/** `:kick players text` */
export function usageOf(verb: Verb): string {
  return [`:${verb.verb}`, ...verb.args.map((arg) => (arg === "targets" ? "players" : arg))].join(" ");
}
