import type { Role } from "./player.ts";
import type { PlayerRef } from "./record.ts";
import { type Aim, aim } from "./targets.ts";
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

interface Given {
  readonly world: World;
  readonly actor: PlayerRef;
  readonly text: string;
}

/** Does the work and says what it did in words, or nothing when an argument is missing. */
type Handler = (given: Given) => string | undefined;

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

/** A handler that needs at least one target word, and words after it when `needsRest`. */
function targeted(act: (given: Given, aimed: Aim) => void, did: string, needsRest = false): Handler {
  return (given) => {
    const aimed = aim(given.world, given.actor, given.text);
    if (aimed.words.length === 0 || (needsRest && aimed.rest === "")) return undefined;
    act(given, aimed);
    return `${did} ${aimed.players.length} player(s).`;
  };
}

/** A handler that needs a number of seconds. */
function timer(set: (world: World, seconds: number) => void, did: string): Handler {
  return ({ world, text }) => {
    const seconds = Number(text.trim() === "" ? Number.NaN : text);
    if (!Number.isFinite(seconds) || seconds < 0) return undefined;
    set(world, seconds);
    return `${did} ${seconds} seconds.`;
  };
}

function appoint(role: Role, did: string): Handler {
  return targeted(({ world }, { players }) => {
    for (const { ref } of players) {
      // The owner's and co-owners' standing cannot be changed from within the game.
      const held = world.staff.get(ref.id)?.role;
      if (held !== "owner" && held !== "co-owner") world.staff.set(ref.id, { name: ref.name, role });
    }
  }, did);
}

function dismiss(role: Role, did: string): Handler {
  return targeted(({ world }, { players, words }) => {
    for (const [id, member] of [...world.staff]) {
      const named = players.some((player) => player.ref.id === id) || words.includes(String(id));
      if (named && member.role === role) world.staff.delete(id);
    }
  }, did);
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
  for (const { ref } of aimed.players) given.world.bans.set(ref.id, ref.name);
  for (const word of aimed.words)
    if (/^\d+$/.test(word) && !given.world.bans.has(Number(word))) given.world.bans.set(Number(word), "");
  expel(given, aimed);
}

function unban({ world }: Given, { words }: Aim): void {
  for (const [id, name] of [...world.bans])
    if (
      words.some(
        (word) => word === String(id) || (name !== "" && name.toLowerCase().startsWith(word.toLowerCase())),
      )
    )
      world.bans.delete(id);
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

function bring({ world, actor }: Given, { players }: Aim): void {
  // The virtual server management has no body: it brings people to the middle of the map's main road.
  const path = world.find(actor.id)?.path ?? {
    street: 1,
    startUnits: 1_160,
    unitsPerSecond: 0,
    sinceS: world.nowS,
  };
  for (const player of players) player.path = { ...path };
}

function privateMessage({ world }: Given, { players, rest }: Aim): void {
  const to = players.map((player) => player.ref.name);
  world.record.messages.push({ kind: "private", text: rest, to, atS: world.nowS });
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  kick: targeted(expel, "Kicked"),
  ban: targeted(ban, "Banned"),
  unban: targeted(unban, "Unbanned; here are"),
  pm: targeted(privateMessage, "Messaged", true),
  h: say("hint"),
  m: say("message"),
  kill: targeted(({ world }, { players }) => {
    for (const player of players) world.respawn(player);
  }, "Killed"),
  down: targeted((_, { players }) => {
    for (const player of players) player.downed = true;
  }, "Downed"),
  heal: targeted((_, { players }) => {
    for (const player of players) player.downed = false;
  }, "Healed"),
  wanted: targeted((_, { players, rest }) => {
    const stars = /^[1-5]$/.test(rest) ? Number(rest) : 5;
    for (const player of players) player.wantedStars = stars;
  }, "Made wanted"),
  unwanted: targeted((_, { players }) => {
    for (const player of players) player.wantedStars = 0;
  }, "Cleared"),
  jail: targeted(jail, "Jailed"),
  unjail: targeted(unjail, "Released"),
  load: targeted(({ world }, { players }) => {
    for (const player of players) world.respawn(player);
  }, "Loaded"),
  respawn: targeted(({ world }, { players }) => {
    for (const player of players) world.respawn(player);
  }, "Respawned"),
  refresh: targeted((_, { players }) => {
    // A refresh gives a new body at the same place.
    for (const player of players) player.downed = false;
  }, "Refreshed"),
  bring: targeted(bring, "Brought"),
  tp: targeted(teleport, "Teleported", true),
  mod: appoint("mod", "Made moderators of"),
  unmod: dismiss("mod", "Took moderator from"),
  admin: appoint("admin", "Made administrators of"),
  unadmin: dismiss("admin", "Took administrator from"),
  helper: appoint("helper", "Made helpers of"),
  unhelper: dismiss("helper", "Took helper from"),
  weather: ({ world, text }) => {
    if (text.trim() === "") return undefined;
    world.environment.weather = text.trim();
    return `Weather is ${world.environment.weather}.`;
  },
  time: ({ world, text }) => {
    if (text.trim() === "") return undefined;
    world.environment.time = text.trim();
    return `Time is ${world.environment.time}.`;
  },
  prty: timer((world, seconds) => {
    world.environment.priorityTimerS = seconds;
  }, "Priority timer set to"),
  pt: timer((world, seconds) => {
    world.environment.peaceTimerS = seconds;
  }, "Peace timer set to"),
  startfire: ({ world }) => {
    world.environment.fires += 1;
    return "Started a fire.";
  },
  startnearfire: ({ world }) => {
    world.environment.fires += 1;
    return "Started a fire nearby.";
  },
  stopfire: ({ world }) => {
    world.environment.fires = 0;
    return "Stopped all fires.";
  },
  loadlayout: ({ world, text }) => {
    if (text.trim() === "") return undefined;
    world.environment.layout = text.trim();
    return `Loaded the layout ${world.environment.layout}.`;
  },
  unloadlayout: ({ world }) => {
    world.environment.layout = null;
    return "Unloaded the layout.";
  },
  shutdown: ({ world }) => {
    world.queue.length = 0;
    for (const player of [...world.players]) world.depart(player.ref.id);
    return "The server was shut down.";
  },
  view: targeted(() => {}, "Viewing"),
  to: targeted(({ world, actor }, { players }) => {
    const self = world.find(actor.id);
    const goal = players[0];
    if (self && goal) self.path = { ...goal.path };
  }, "Went to"),
  tocar: listing("nothing; it needs a body in the game"),
  toatv: listing("nothing; it needs a body in the game"),
  killlogs: listing("the kill log"),
  bans: listing("the bans"),
  helpers: listing("the helpers"),
  mods: listing("the moderators"),
  admins: listing("the administrators"),
  logs: listing("the command log"),
  commands: listing("the commands"),
};
