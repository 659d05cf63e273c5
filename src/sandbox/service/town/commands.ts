import type { Role } from "./player.ts";
import type { PlayerRef } from "./record.ts";
import { type Given, type Handler, SURROUNDINGS } from "./surroundings.ts";
import { type Aim, type AimRule, aim } from "./targets.ts";
import type { World } from "./world.ts";

/** What became of a command text. Only `done` had an effect and stands in the log. */
export interface CommandEffect {
  readonly outcome: "done" | "unknown" | "incomplete" | "restricted" | "prohibited";
  readonly message: string;
}

/** Rules that a town may change. */
export interface CommandRules {
  /** Verbs that the service refuses with 4002: those that need a body in the game. */
  readonly restricted: readonly string[];
  /** A message that contains one of these is refused with 4003. */
  readonly prohibitedWords: readonly string[];
}

/** The rules of a town that was told none. */
export const DEFAULT_COMMAND_RULES: CommandRules = {
  restricted: ["view", "spectate", "to", "tocar", "toatv"],
  prohibitedWords: ["prohibited-word"],
};

const ALIASES: Readonly<Record<string, string>> = {
  kl: "killlogs",
  spectate: "view",
  arrest: "jail",
  free: "unjail",
  teleport: "tp",
  helplers: "helpers",
  moderators: "mods",
  administrators: "admins",
  hint: "h",
  message: "m",
  privatemessage: "pm",
  priority: "prty",
  peacetimer: "pt",
  snf: "startnearfire",
  stopdumpsterfire: "stopfire",
  log: "logs",
  cmds: "commands",
};

const MESSAGE_VERBS: ReadonlySet<string> = new Set(["h", "m", "pm"]);

/**
 * Runs one command text on the town, as `actor`. It does not log it: the caller knows under which name.
 * Verbs are those of the game's public clients (facts: command names).
 */
export function runCommand(world: World, actor: PlayerRef, text: string, rules: CommandRules): CommandEffect {
  const parsed = /^:(\S+)\s*([\s\S]*)$/.exec(text.trim());
  const typed = parsed?.[1]?.toLowerCase() ?? "";
  const verb = ALIASES[typed] ?? typed;
  const handler = Object.hasOwn(HANDLERS, verb) ? HANDLERS[verb] : undefined;
  if (!handler) return { outcome: "unknown", message: "You did not provide a valid command." };
  const rest = parsed?.[2] ?? "";
  if (rules.restricted.includes(typed) || rules.restricted.includes(verb))
    return { outcome: "restricted", message: "The command is restricted." };
  const lower = rest.toLowerCase();
  if (MESSAGE_VERBS.has(verb) && rules.prohibitedWords.some((word) => lower.includes(word)))
    return { outcome: "prohibited", message: "The message is prohibited." };
  const said = handler({ world, actor, text: rest });
  if (said === undefined)
    return { outcome: "incomplete", message: `The command :${typed} needs more arguments.` };
  return { outcome: "done", message: said };
}

interface TargetedRule extends AimRule {
  /** Words have to follow the targets. */
  readonly rest?: true;
}

/** Verbs that without a name are for whoever typed them. */
const SELF: TargetedRule = { self: true };
/** Verbs that take ids. */
const IDS: TargetedRule = { ids: true };

/** A handler that needs at least one target word, unless the verb is for its author then. */
function targeted(act: (given: Given, aimed: Aim) => void, did: string, rule: TargetedRule = {}): Handler {
  return (given) => {
    const aimed = aim(given.world, given.actor, given.text, rule);
    const isNamed = aimed.words.length > 0 || rule.self === true;
    if (!isNamed || (rule.rest === true && aimed.rest === "")) return undefined;
    act(given, aimed);
    return `${did} ${aimed.people.length} player(s).`;
  };
}

function appoint(role: Role, did: string): Handler {
  return targeted(
    ({ world }, { people }) => {
      for (const { id, name } of people) {
        // The owner's and co-owners' standing cannot be changed from within the game.
        const held = world.staff.get(id)?.role;
        if (held !== "owner" && held !== "co-owner") world.staff.set(id, { name, role });
      }
    },
    did,
    IDS,
  );
}

function dismiss(role: Role, did: string): Handler {
  return targeted(
    ({ world }, { people }) => {
      for (const { id } of people) if (world.staff.get(id)?.role === role) world.staff.delete(id);
    },
    did,
    IDS,
  );
}

function say(kind: "hint" | "message"): Handler {
  return ({ world, text }) => {
    if (text.trim() === "") return undefined;
    const to = world.players.map((player) => player.ref.name);
    world.record.messages.push({ kind, text: text.trim(), to, atS: world.nowS });
    return `Shown to ${to.length} player(s).`;
  };
}

function listing(what: string): Handler {
  return () => `Listed ${what}.`;
}

function expel({ world }: Given, { players }: Aim): void {
  for (const { ref } of players) world.depart(ref.id);
}

function ban(given: Given, aimed: Aim): void {
  for (const { id, name } of aimed.people) given.world.bans.set(id, name);
  expel(given, aimed);
}

/** Whoever is banned is not here: they are named whole, or by id. */
function unban({ world }: Given, { words: [word = ""] }: Aim): void {
  const isId = /^\d{1,15}$/.test(word);
  const isMeant = (id: number, name: string) =>
    isId ? id === Number(word) : name.toLowerCase() === word.toLowerCase();
  for (const [id, name] of [...world.bans]) if (isMeant(id, name)) world.bans.delete(id);
}

function respawnAll({ world }: Given, { players }: Aim): void {
  for (const player of players) world.respawn(player);
}

function mend(_: Given, { players }: Aim): void {
  for (const player of players) player.downed = false;
}

function jail({ world }: Given, { players }: Aim): void {
  for (const player of players) {
    if (player.team === "Jail") continue;
    player.teamBeforeJail = player.team;
    world.setTeam(player, "Jail");
    player.wantedStars = 0;
  }
}

function unjail({ world }: Given, { players }: Aim): void {
  for (const player of players) if (player.team === "Jail") world.setTeam(player, player.teamBeforeJail);
}

/** `:tp who whom`: both by prefix; the second is one player. */
function teleport({ world, actor }: Given, { players, rest }: Aim): void {
  const goal = aim(world, actor, rest).players[0];
  if (goal) for (const player of players) player.path = { ...goal.path };
}

/** The virtual server management has no body to which anybody could be brought. */
function bring({ world, actor }: Given, { players }: Aim): void {
  const goal = world.find(actor.id);
  if (goal) for (const player of players) player.path = { ...goal.path };
}

/** Only whoever typed it gets in. */
function getIn({ text }: Given): string | undefined {
  return text.trim() === "" ? "Got in." : undefined;
}

function privateMessage({ world }: Given, { players, rest }: Aim): void {
  const to = players.map((player) => player.ref.name);
  world.record.messages.push({ kind: "private", text: rest, to, atS: world.nowS });
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  kick: targeted(expel, "Kicked"),
  ban: targeted(ban, "Banned", IDS),
  unban: targeted(unban, "Unbanned; known are", { ids: true, one: true }),
  pm: targeted(privateMessage, "Messaged", { rest: true }),
  h: say("hint"),
  m: say("message"),
  kill: targeted(respawnAll, "Killed", SELF),
  down: targeted(
    (_, { players }) => {
      for (const player of players) player.downed = true;
    },
    "Downed",
    SELF,
  ),
  heal: targeted(mend, "Healed", SELF),
  wanted: targeted(
    (_, { players, rest }) => {
      const stars = /^[1-5]$/.test(rest) ? Number(rest) : 5;
      for (const player of players) player.wantedStars = stars;
    },
    "Made wanted",
    SELF,
  ),
  unwanted: targeted((_, { players }) => {
    for (const player of players) player.wantedStars = 0;
  }, "Cleared"),
  jail: targeted(jail, "Jailed", SELF),
  unjail: targeted(unjail, "Released"),
  load: targeted(respawnAll, "Loaded", SELF),
  respawn: targeted(respawnAll, "Respawned", SELF),
  // A refresh gives a new body at the same place.
  refresh: targeted(mend, "Refreshed", SELF),
  bring: targeted(bring, "Brought", SELF),
  tp: targeted(teleport, "Teleported", { rest: true }),
  mod: appoint("mod", "Made moderators of"),
  unmod: dismiss("mod", "Took moderator from"),
  admin: appoint("admin", "Made administrators of"),
  unadmin: dismiss("admin", "Took administrator from"),
  helper: appoint("helper", "Made helpers of"),
  unhelper: dismiss("helper", "Took helper from"),
  ...SURROUNDINGS,
  shutdown: ({ world }) => {
    world.queue.length = 0;
    for (const player of [...world.players]) world.depart(player.ref.id);
    return "The server was shut down.";
  },
  view: targeted(() => {}, "Viewing", { one: true, self: true }),
  to: targeted(
    ({ world, actor }, { players }) => {
      const self = world.find(actor.id);
      const goal = players[0];
      if (self && goal) self.path = { ...goal.path };
    },
    "Went to",
    { one: true, self: true },
  ),
  tocar: getIn,
  toatv: getIn,
  killlogs: listing("the kill log"),
  bans: listing("the bans"),
  helpers: listing("the helpers"),
  mods: listing("the moderators"),
  admins: listing("the administrators"),
  logs: listing("the command log"),
  commands: listing("the commands"),
};
