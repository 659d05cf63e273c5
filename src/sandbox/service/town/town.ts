import { Prng } from "../prng.ts";
import { type CommandEffect, type CommandRules, DEFAULT_COMMAND_RULES, runCommand } from "./commands.ts";
import { HOSTILE_NAMES, personOf } from "./people.ts";
import type { Player, Role } from "./player.ts";
import { type ModCallEntry, type PlayerRef, REMOTE_SERVER, refText, type TownRecord } from "./record.ts";
import { type Intensity, type PlayerRange, Traffic } from "./traffic.ts";
import { type LogWindows, type TownInfo, World } from "./world.ts";

/** What may be chosen about a town. */
export interface TownOptions {
  readonly info?: Partial<TownInfo>;
  readonly intensity?: Intensity;
  /** Players and waiting together; default: 15 % of the places up to three more than there are. */
  readonly range?: PlayerRange;
  /** Who is there at the start; default: half the places. */
  readonly initialPlayers?: number;
  /** Rows of each log that are served; default 100. */
  readonly windows?: Partial<LogWindows>;
  readonly rules?: Partial<CommandRules>;
}

// Whom the community trusts, by the index of its regulars.
const STAFF: readonly { readonly index: number; readonly role: Role }[] = [
  { index: 0, role: "owner" },
  { index: 1, role: "co-owner" },
  { index: 2, role: "admin" },
  { index: 3, role: "admin" },
  { index: 4, role: "mod" },
  { index: 5, role: "mod" },
  { index: 6, role: "mod" },
  { index: 7, role: "helper" },
];

/**
 * The world behind one key: it lives by itself, obeys commands, and has levers for tests and the sandbox. Levers act
 * at the present of the clock that it was given. `record` holds every entry that ever was.
 */
export class Town {
  readonly world: World;
  readonly #traffic: Traffic;
  readonly #rules: CommandRules;
  readonly #nowMs: () => number;
  #paused = false;
  #guests = 0;

  constructor(seed: number, nowMs: () => number, options: TownOptions = {}) {
    this.#nowMs = nowMs;
    const random = new Prng(seed);
    const windows = { joins: 100, kills: 100, commands: 100, modCalls: 100, ...options.windows };
    const world = new World(seed, random, infoOf(seed, options.info ?? {}), windows, nowMs());
    this.world = world;
    for (const { index, role } of STAFF)
      world.staff.set(world.person(index).id, { name: world.person(index).name, role });
    this.#rules = { ...DEFAULT_COMMAND_RULES, ...options.rules };
    const { maxPlayers } = world.info;
    this.#traffic = new Traffic(world, {
      range: options.range ?? { min: Math.floor(maxPlayers * 0.15), max: maxPlayers + 3 },
      rules: this.#rules,
      intensity: options.intensity ?? "normal",
    });
    const initial = Math.min(options.initialPlayers ?? Math.floor(maxPlayers / 2), maxPlayers);
    for (let here = 0; here < initial; here += 1) this.#traffic.arriveSomeone();
    for (const player of world.players) if (random.chance(0.5)) world.spawnVehicle(player);
  }

  /** Everything that ever was logged here. */
  get record(): TownRecord {
    return this.world.record;
  }

  /** Who is in the server now. */
  get players(): readonly PlayerRef[] {
    return this.world.players.map((player) => player.ref);
  }

  /** How many rows of each log are served; may be changed. */
  get windows(): LogWindows {
    return this.world.windows;
  }

  /** How busy it is. */
  get intensity(): Intensity {
    return this.#traffic.intensity;
  }

  /** Lives through everything up to this time. Going back does nothing. */
  advanceTo(nowMs: number): void {
    if (this.#paused) this.world.nowMs = Math.max(this.world.nowMs, nowMs);
    else this.#traffic.advanceTo(nowMs);
  }

  /** Makes it more or less busy; a town that was emptied opens again. */
  setIntensity(intensity: Intensity): void {
    this.#sync();
    this.#traffic.setOpen(true);
    this.#traffic.setIntensity(intensity);
  }

  /** Stops everything that happens by itself; levers and commands still act. */
  pause(): void {
    this.#sync();
    this.#paused = true;
  }

  /** Lets things happen by themselves again, from now on. */
  resume(): void {
    this.#sync();
    this.#paused = false;
    this.#traffic.setIntensity(this.#traffic.intensity);
  }

  /** Someone comes in (or into the queue); without a name, one of the regulars. */
  join(name?: string, id?: number): PlayerRef {
    this.#sync();
    this.#guests += 1;
    const ref = { name: name ?? `Guest_${this.#guests}`, id: id ?? 7_000_000_000 + this.#guests };
    this.world.arrive(ref);
    return ref;
  }

  /** Someone goes. False when they were not here. */
  leave(player: PlayerRef | string): boolean {
    this.#sync();
    const ref = typeof player === "string" ? this.players.find((here) => here.name === player) : player;
    return ref !== undefined && this.world.depart(ref.id);
  }

  /** One player kills another; they need not be here. */
  kill(killer: PlayerRef, victim: PlayerRef): void {
    this.#sync();
    this.world.kill(killer, victim);
  }

  /** `count` kills at once among those who are here; returns how many happened (none with fewer than two players). */
  killSpree(count: number): number {
    this.#sync();
    const { players, random } = this.world;
    if (players.length < 2) return 0;
    const killer = random.pick(players);
    for (let left = count; left > 0; left -= 1) {
      const victim: Player = random.pick(players.filter((player) => player !== killer));
      this.world.kill(killer.ref, victim.ref);
    }
    return count;
  }

  /** Somebody who is here goes this way from now on: points with the second at which each is reached. */
  lead(player: PlayerRef, way: NonNullable<Player["path"]["way"]>): void {
    this.#sync();
    const found = this.world.find(player.id);
    if (found) found.path = { street: 0, startUnits: 0, unitsPerSecond: 0, sinceS: this.world.nowS, way };
  }

  /** A player types a command in the game. It stands in the log and does nothing else. */
  say(player: PlayerRef, command: string): void {
    this.#sync();
    this.world.logCommand(player, command, false);
  }

  /** Calls a moderator, who answers only by `answerModCall`, or, with `answerLater`, by themselves after a while. */
  modCall(caller?: PlayerRef, options: { answerLater?: boolean } = {}): ModCallEntry {
    this.#sync();
    const who = caller ?? this.#someone().ref;
    const call = this.world.modCall(who);
    if (options.answerLater) this.#traffic.expectAnswer(call, who);
    return call;
  }

  /** A moderator answers a call: the newest open one when none is named. Returns it, or nothing when none is open. */
  answerModCall(call?: ModCallEntry, moderator?: PlayerRef): ModCallEntry | undefined {
    this.#sync();
    const open = call ?? this.record.modCalls.findLast((entry) => entry.moderator === undefined);
    if (!open) return undefined;
    const { random } = this.world;
    const able = this.world.staffHere().filter((player) => refText(player.ref) !== open.caller);
    const answering = moderator ?? (able.length > 0 ? random.pick(able).ref : this.world.person(4));
    return this.world.answerModCall(open, answering) ? open : undefined;
  }

  /** Makes an emergency call; units join it and it ends by itself. */
  emergencyCall(caller?: PlayerRef): void {
    this.#sync();
    const player = caller ? this.world.find(caller.id) : undefined;
    this.#traffic.emergency(player ?? this.#someone());
  }

  /** Someone comes in whose name is meant to ping, link, spoof or break a line. */
  hostileName(): PlayerRef {
    return this.join(HOSTILE_NAMES[this.#guests % HOSTILE_NAMES.length] ?? "@everyone");
  }

  /** Everyone leaves, and nobody comes by themselves until `setIntensity`. */
  empty(): void {
    this.#sync();
    this.#traffic.setOpen(false);
    this.world.queue.length = 0;
    for (const player of [...this.world.players]) this.world.depart(player.ref.id);
  }

  /** The game server restarts: nobody is in it any more, without leave rows, and its logs begin anew. */
  restart(): void {
    this.#sync();
    this.#traffic.forgetAgenda();
    this.world.restart();
  }

  /** Runs a command as the virtual server management and, when it had its effect, logs it. */
  runRemote(text: string): CommandEffect {
    this.#sync();
    const effect = runCommand(this.world, REMOTE_SERVER, text, this.#rules);
    if (effect.outcome === "done") this.world.logCommand(REMOTE_SERVER, text, true);
    return effect;
  }

  #sync(): void {
    this.advanceTo(this.#nowMs());
  }

  /** Someone who is here; in an empty server someone comes in first, so that a lever always does something. */
  #someone(): Player {
    const { players, random } = this.world;
    if (players.length === 0) this.join();
    return random.pick(players);
  }
}

/** The base facts: the owner and the co-owner are the first two regulars, the join key follows from the seed. */
function infoOf(seed: number, given: Partial<TownInfo>): TownInfo {
  const letters = new Prng(seed);
  const joinKey = Array.from({ length: 7 }, () => String.fromCharCode(97 + letters.int(0, 25))).join("");
  return {
    name: "River City Roleplay",
    ownerId: personOf(seed, 0).id,
    coOwnerIds: [personOf(seed, 1).id],
    maxPlayers: 40,
    joinKey,
    accVerifiedReq: "Disabled",
    teamBalance: true,
    ...given,
  };
}
