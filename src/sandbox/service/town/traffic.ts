import { Prng, seedOf } from "../prng.ts";
import type { CommandRules } from "./commands.ts";
import { runCommand } from "./commands.ts";
import type { Player } from "./player.ts";
import type { ModCallEntry, PlayerRef } from "./record.ts";
import type { World } from "./world.ts";

/** How much happens: a word, or log entries per minute in the mean. 0 is a town at rest. */
export type Intensity = "quiet" | "normal" | "busy" | "frenzy" | number;

/** How many players (with those who wait) a town's comings and goings keep it between. */
export interface PlayerRange {
  readonly min: number;
  readonly max: number;
}

const ENTRIES_PER_MINUTE: Readonly<Record<Exclude<Intensity, number>, number>> = {
  quiet: 1.5,
  normal: 8,
  busy: 30,
  frenzy: 240,
};

type Kind = "move" | "kill" | "command" | "modCall" | "emergency" | "life";

// Shares of what happens. The first four make a log entry each; the rest only changes what is seen.
const MIX: readonly { readonly kind: Kind; readonly share: number }[] = [
  { kind: "move", share: 0.5 },
  { kind: "kill", share: 0.27 },
  { kind: "command", share: 0.18 },
  { kind: "modCall", share: 0.05 },
  { kind: "emergency", share: 0.06 },
  { kind: "life", share: 0.5 },
];
const TOTAL_SHARE = MIX.reduce((sum, { share }) => sum + share, 0);

const EMERGENCIES = [
  { team: "Police", words: ["Robbery in progress", "Shots fired", "Suspicious vehicle", null] },
  { team: "Sheriff", words: ["Reckless driving", "Trespassing on the farm", null] },
  { team: "Fire", words: ["Structure fire", "Car crash with injuries", "Someone is unconscious", null] },
  { team: "DOT", words: ["Broken down car", "Tree on the road", null] },
] as const;

const ANSWER_MEAN_S = 45;
const UNANSWERED_SHARE = 0.15;

/** What staff come for. forgets: to end their shift. still: they stand where they are, and forget to leave too. */
const HABITS = ["duty", "duty", "duty", "forgets", "still", "plays", "plays"] as const;

interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

/**
 * What happens in a town by itself: one stream of independent events (its mix above) and an agenda of what follows
 * from them. Each event has its own time and is drawn when the one before happened, so the record does not depend on
 * how often, or in which steps, the town is advanced.
 */
export class Traffic {
  readonly #world: World;
  readonly #range: PlayerRange;
  readonly #rules: CommandRules;
  readonly #regulars: number;
  #intensity: Intensity;
  #open = true;
  #nextMs = Number.POSITIVE_INFINITY;
  #agenda: Due[] = [];
  #order = 0;
  /** Of its own: what else happens does not depend on it. */
  readonly #habits: Prng;
  readonly #still = new Set<number>();

  constructor(world: World, options: { range: PlayerRange; rules: CommandRules; intensity: Intensity }) {
    this.#world = world;
    this.#range = options.range;
    this.#rules = options.rules;
    // Regulars come back: a community is larger than its server, but not endless.
    this.#regulars = Math.max(12, world.info.maxPlayers * 3);
    this.#intensity = options.intensity;
    this.#habits = new Prng(seedOf(world.person(0).id, "habits"));
    this.#draw();
  }

  /** How busy the town is. */
  get intensity(): Intensity {
    return this.#intensity;
  }

  /** Changes how busy the town is, from now on. */
  setIntensity(intensity: Intensity): void {
    this.#intensity = intensity;
    this.#draw();
  }

  /** Whether people come by themselves; a closed town keeps what it has. */
  setOpen(open: boolean): void {
    this.#open = open;
  }

  /** Forgets what was to follow, as when the game server restarts. */
  forgetAgenda(): void {
    this.#agenda = [];
  }

  /** Lets someone come in. */
  arriveSomeone(): boolean {
    const world = this.#world;
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const person = world.person(world.random.int(0, this.#regulars - 1));
      if (world.isHere(person.id) || world.bans.has(person.id)) continue;
      world.arrive(person);
      if (world.staff.has(person.id)) this.#comesForDuty(person);
      return true;
    }
    return false;
  }

  /** Staff say in the game that they are on duty, or don't; whoever stands still drives no more. */
  #comesForDuty(person: PlayerRef): void {
    const habit = this.#habits.pick(HABITS);
    this.#still.delete(person.id);
    if (habit === "plays") return;
    const types = (text: string) => {
      const here = this.#world.players.find(({ ref }) => ref.id === person.id);
      if (here === undefined) return;
      this.#world.logCommand(here.ref, text, false);
      if (habit !== "still" || text !== ":log duty") return;
      this.#still.add(person.id);
      here.path = { ...here.path, unitsPerSecond: 0 };
    };
    this.#later(10 + this.#habits.exponential(30), () => types(":log duty"));
    if (habit === "duty") this.#later(1_800 + this.#habits.exponential(1_800), () => types(":log off"));
  }

  /** Has a moderator who is here answer this call after a while. */
  expectAnswer(call: ModCallEntry, caller: PlayerRef): void {
    const { random } = this.#world;
    if (random.chance(UNANSWERED_SHARE)) return;
    this.#later(5 + random.exponential(ANSWER_MEAN_S), () => {
      const able = this.#world.staffHere().filter((member) => member.ref.id !== caller.id);
      if (able.length > 0) this.#world.answerModCall(call, random.pick(able).ref);
    });
  }

  /** Makes an emergency call; units join it and it ends. */
  emergency(caller: Player): void {
    const world = this.#world;
    const { random } = world;
    const kind = random.pick(EMERGENCIES);
    const description = random.pick<string | null>(kind.words);
    const call = world.emergency({ team: kind.team, caller, description, described: random.chance(0.85) });
    const lastsS = 60 + random.exponential(120);
    for (let unit = random.int(0, 3); unit > 0; unit -= 1) {
      this.#later(3 + random.next() * lastsS * 0.8, () => {
        const able = world.players.filter(
          (player) => player.team === call.team && !call.players.includes(player.ref.id) && player !== caller,
        );
        if (able.length > 0 && call.endedAtS === undefined) call.players.push(random.pick(able).ref.id);
      });
    }
    this.#later(lastsS, () => world.endEmergency(call));
  }

  /** Lives through everything up to and including this time. */
  advanceTo(nowMs: number): void {
    for (;;) {
      const due = this.#agenda[0];
      const atMs = Math.min(this.#nextMs, due?.atMs ?? Number.POSITIVE_INFINITY);
      if (atMs > nowMs) break;
      // After a pause the agenda holds what is overdue: it happens now, time never runs back.
      this.#world.nowMs = Math.max(this.#world.nowMs, atMs);
      if (due && due.atMs <= this.#nextMs) {
        this.#agenda.shift();
        due.act();
      } else {
        this.#happen();
        this.#draw();
      }
    }
    this.#world.nowMs = Math.max(this.#world.nowMs, nowMs);
  }

  #draw(): void {
    const entries =
      typeof this.#intensity === "number" ? this.#intensity : ENTRIES_PER_MINUTE[this.#intensity];
    // Rates are told in entries; the mix holds events without an entry too, which come on top.
    const meanMs = entries > 0 ? 60_000 / (entries * TOTAL_SHARE) : Number.POSITIVE_INFINITY;
    this.#nextMs = Number.isFinite(meanMs)
      ? this.#world.nowMs + this.#world.random.exponential(meanMs)
      : Number.POSITIVE_INFINITY;
  }

  #later(seconds: number, act: () => void): void {
    this.#order += 1;
    this.#agenda.push({ atMs: this.#world.nowMs + seconds * 1_000, order: this.#order, act });
    this.#agenda.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
  }

  #happen(): void {
    let roll = this.#world.random.next() * TOTAL_SHARE;
    const kind = MIX.find(({ share }) => {
      roll -= share;
      return roll < 0;
    })?.kind;
    if (kind === "kill") this.#kill();
    else if (kind === "command") this.#staffCommand();
    else if (kind === "modCall") this.#modCall();
    else if (kind === "emergency") this.#emergency();
    else if (kind === "life") this.#life();
    else this.#move();
  }

  #move(): void {
    const { world, range } = { world: this.#world, range: this.#range };
    const here = world.players.length + world.queue.length;
    if (here === 0 && !this.#open) return;
    const filled =
      range.max > range.min ? (here - range.min) / (range.max - range.min) : here < range.min ? 0 : 1;
    const comes = here < range.min || (here < range.max && world.random.chance(0.9 - 0.8 * filled));
    if (comes && this.#open) this.arriveSomeone();
    else if (!comes && here > range.min) this.#leaveSomeone();
  }

  #leaveSomeone(): void {
    const { players, random } = this.#world;
    if (players.length === 0) return;
    const { id } = random.pick(players).ref;
    if (!this.#still.has(id) || this.#habits.chance(0.05)) this.#world.depart(id);
  }

  #kill(): void {
    const { players, random } = this.#world;
    if (players.length < 2) return;
    const killer = random.pick(players);
    const victim = random.pick(players.filter((player) => player !== killer));
    this.#world.kill(killer.ref, victim.ref);
    if (random.chance(0.4)) killer.wantedStars = Math.min(5, killer.wantedStars + 1);
  }

  #modCall(): void {
    const { players, random } = this.#world;
    if (players.length === 0) return;
    const caller = random.pick(players);
    this.expectAnswer(this.#world.modCall(caller.ref), caller.ref);
  }

  #emergency(): void {
    const { players, random } = this.#world;
    if (players.length > 0) this.emergency(random.pick(players));
  }

  /** Staff work in the game too, with commands that throw nobody out. */
  #staffCommand(): void {
    const world = this.#world;
    const { random } = world;
    const staff = world.staffHere();
    if (staff.length === 0) return;
    const actor = random.pick(staff).ref;
    const target = random.pick(world.players).ref.name;
    const text = random.pick([
      `:pm ${target} please follow the rules`,
      ":h Roleplay starts in five minutes",
      ":m Welcome, read the rules board",
      `:to ${target}`,
      `:bring ${target}`,
      `:heal ${target}`,
      `:refresh ${target}`,
      `:wanted ${target}`,
      `:jail ${target}`,
      `:unjail ${target}`,
      `:view ${target}`,
      ":weather rain",
      ":logs",
    ]);
    runCommand(world, actor, text, { ...this.#rules, restricted: [] });
    world.logCommand(actor, text, false);
  }

  /** What is seen but not logged: vehicles, teams, ways, wounds, stars. */
  #life(): void {
    const world = this.#world;
    const { random } = world;
    if (world.players.length === 0) return;
    const player = random.pick(world.players);
    const roll = random.next();
    if (roll < 0.4) {
      const path = world.somePath();
      if (!this.#still.has(player.ref.id)) player.path = path;
    } else if (roll < 0.65) {
      if (player.vehicle) player.vehicle = null;
      else world.spawnVehicle(player);
    } else if (roll < 0.8 && player.team !== "Jail")
      world.setTeam(player, random.pick(["Civilian", "Police", "Sheriff", "Fire", "DOT"]));
    else if (roll < 0.9) player.wantedStars = Math.max(0, player.wantedStars - 1);
    else if (player.team === "Jail") world.setTeam(player, player.teamBeforeJail);
  }
}
