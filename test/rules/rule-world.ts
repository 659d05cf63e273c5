import assert from "node:assert/strict";
import { RoleBook } from "../../src/discord/connection/known-roles.ts";
import { markdownOfOurs } from "../../src/domain/escaped.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { Binding } from "../../src/domain/guild.ts";
import type { ListName, Lists, PlayerRef, ServerState, Snapshot } from "../../src/domain/model.ts";
import type { KnownRoles } from "../../src/domain/ports/known-roles.ts";
import type { RuleStep } from "../../src/domain/rule.ts";
import { createRules, type RulesWing } from "../../src/rules/create-rules.ts";
import {
  type GuildRules,
  parseGuildRules,
  parseServerRules,
  type ServerRules,
} from "../../src/rules/rule-records.ts";
import { Prng } from "../../src/sandbox/service/prng.ts";
import type { Player, Team } from "../../src/sandbox/service/town/player.ts";
import { aim } from "../../src/sandbox/service/town/targets.ts";
import { World } from "../../src/sandbox/service/town/world.ts";
import {
  createPlayerMessages,
  parseSentToPlayer,
  type SentToPlayer,
} from "../../src/store/player-messages.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { binding, RunsRig, roles as rigRoles, sourceId } from "../support/runs-rig.ts";

export const COP = "r-cop";
/** A role that was deleted. */
export const GONE_ROLE = "r-gone";
const GUILD = binding.guildId;
const REMOTE = { id: 0, name: "Remote Server" };
/** A step may rest on a look that is so old. */
const LOOK_GOOD_FOR_MS = 15_000;

export interface RuleWorldOptions {
  readonly seed: number;
  /** Time between two looks. */
  readonly everyMs: number;
  readonly step?: RuleStep;
  /** What the rule is about. @default team */
  readonly kind?: "team" | "vehicle" | "callsign";
  /** Shares of looks that are lost, and whose answers come late. */
  readonly lost?: number;
  readonly late?: number;
}

interface Hit {
  readonly text: string;
  readonly named: PlayerRef | undefined;
  readonly hit: readonly PlayerRef[];
}

const WHAT = { team: "Police", vehicle: "SWAT Truck", callsign: "1A" } as const;
const NAMES = [
  "all",
  "others",
  "me",
  "12",
  "Ann",
  "Annabel",
  "ann_b",
  "M",
  "oth",
  "Rex",
  "Tim",
  "Tom",
  "Una",
];

/** A game, its Discord, and Marshal's rules with the real queue of commands; the judge is the game's own resolver. */
export class RuleWorld {
  readonly clock: VirtualClock;
  readonly rig: RunsRig;
  readonly town: World;
  readonly people: readonly Required<PlayerRef>[];
  readonly random: ReturnType<typeof seededRandom>;
  /** Roles of members, by member; as Discord has them. */
  readonly held = new Map<string, Set<string>>();
  readonly memberOf = (id: number) => `m${id}`;
  readonly hits: Hit[] = [];
  /** When each player got messages, by the monotonic clock. */
  readonly messages = new Map<number, number[]>();
  readonly wrong: string[] = [];
  /** When each player broke the rule last, by the monotonic clock. */
  readonly #brokeAtMs = new Map<number, number>();
  readonly #options: RuleWorldOptions;
  #texts = { rules: new Map(), states: new Map(), messages: new Map() };
  #isStoreInDoubt = false;
  #documents: MemoryDocuments<unknown>[] = [];
  roleReadsFail = false;
  /** Discord shows nothing of the guild, as in an outage. */
  isGuildAway = false;
  /** How long the gate holds a command. @default now and then for long */
  holdMs: number | undefined;
  rules: RulesWing;
  #life = 0;
  #seconds = 0;
  reports = 0;

  constructor(options: RuleWorldOptions) {
    this.#options = options;
    this.clock = new VirtualClock();
    this.random = seededRandom(options.seed);
    this.rig = new RunsRig({ clock: this.clock });
    const windows = { joins: 40, kills: 40, commands: 40, modCalls: 40 };
    const info = {
      name: "Liberty County",
      ownerId: 1,
      coOwnerIds: [2],
      maxPlayers: 30,
      joinKey: "LC",
      accVerifiedReq: "Disabled",
      teamBalance: true,
    };
    this.town = new World(options.seed, new Prng(options.seed), info, windows, this.clock.nowMs());
    const pairs = Array.from({ length: 6 }, (_, n) => [`Kit${n}x`, `Kit${n}x_b`]).flat();
    const plain = Array.from({ length: 20 }, (_, n) => `Player_${n}x`);
    this.people = [...NAMES, ...pairs, ...plain].map((name, n) => ({ name, id: 1_000 + n }));
    this.rig.memberRoles.set("u-manager", [rigRoles.manager]);
    this.rig.snapshots.fresh = (_, lists) => this.#fresh(lists);
    this.rig.answering = (text, _, mayStart) => this.#run(text, mayStart);
    this.rules = this.#build();
  }

  async start(): Promise<void> {
    const { kind = "team" } = this.#options;
    const what = WHAT[kind];
    for (const [n, { id, name }] of this.people.entries()) {
      this.held.set(this.memberOf(id), new Set(n % 2 === 0 ? [COP] : []));
      if (n % 5 !== 4) await this.link(this.memberOf(id), { id, name });
    }
    await this.rules.start();
    const actor = this.rig.actor("manager");
    const wish = { kind, what, roleIds: [COP], channelId: "c-rules" };
    await this.rules.rules.add(actor, binding as Binding, wish);
    // A week ago, as far as the record goes.
    const { step } = this.#options;
    if (step === undefined) return;
    if (step !== "pm") this.clock.step(8 * 24 * 3_600_000);
    await this.rules.rules.setStep(actor, 1, step);
  }

  /** Its Manager has looked why Marshal turned its step off. */
  async turnOnAgain(): Promise<void> {
    const { step } = this.#options;
    const [view] = this.rules.rules.list(GUILD).rules;
    if (step !== undefined && view?.rule.step === undefined)
      await this.rules.rules.setStep(this.rig.actor("manager"), 1, step);
  }

  async link(userId: string, player: Required<PlayerRef>): Promise<void> {
    await this.rig.runs.accounts.vouch(this.rig.actor("manager"), userId, player);
  }

  unlink(userId: string) {
    return this.rig.runs.accounts.unlink(this.rig.actor("manager"), userId);
  }

  /** What is stored of the rules and of messages to players. */
  copy() {
    const { rules, states, messages } = this.#texts;
    return { rules: new Map(rules), states: new Map(states), messages: new Map(messages) };
  }

  /** The process is killed and starts again, on a copy of before where one is given. */
  async crash(restored?: ReturnType<RuleWorld["copy"]>): Promise<void> {
    this.#isStoreInDoubt = restored !== undefined;
    if (restored !== undefined) this.#texts = restored;
    this.#life += 1;
    for (const one of this.#documents) one.isDead = true;
    this.rig.crash();
    this.rig.answering = (text, _, mayStart) => this.#run(text, mayStart);
    await this.rig.runs.start();
    this.rules = this.#build();
    await this.rules.start();
  }

  /** Lets the game go on for so long, one second at a time. */
  async live(ms: number, each: (second: number) => Promise<void> | void = () => undefined): Promise<void> {
    for (let second = 0; second < ms / 1_000; second++) {
      await this.clock.advance(1_000);
      this.town.nowMs = this.clock.nowMs();
      await each(second);
      this.#noteBreakers();
      this.#seconds += 1;
      if ((this.#seconds * 1_000) % this.#options.everyMs === 0) void this.#look();
    }
  }

  /** Something happens in the game or in Discord. */
  async anything(): Promise<string> {
    const { random, town } = this;
    const person = this.people[Math.floor(random.next() * this.people.length)];
    assert.ok(person);
    const here = town.find(person.id ?? 0);
    const roll = random.next();
    const userId = this.memberOf(person.id ?? 0);
    if (here === undefined && roll < 0.7) {
      town.arrive({ name: person.name, id: person.id ?? 0 });
      return "join";
    }
    if (roll < 0.12) {
      town.depart(person.id ?? 0);
      return "leave";
    }
    if (roll < 0.55 && here !== undefined) {
      const pick = <T>(all: readonly T[]) => all[Math.floor(random.next() * all.length)] as T;
      here.team = pick(["Police", "Police", "Police", "Civilian", "Jail"] as Team[]);
      here.callsign = pick([null, "1A-3", "1a", "2B"]);
      const plain = { plate: "x", texture: null, colour: null };
      const names = pick([[], ["SWAT Truck"], ["SWAT Truck"], ["Van"]]);
      here.vehicle = names[0] === undefined ? null : { ...plain, name: names[0], owner: here.ref.name };
      return "team";
    }
    if (roll < 0.65 && here !== undefined) {
      town.kill(REMOTE, here.ref);
      return "spawn";
    }
    if (roll < 0.9) {
      const own = this.held.get(userId) ?? new Set();
      if (own.has(COP)) own.delete(COP);
      else own.add(COP);
      return "role";
    }
    if ((await this.rig.runs.accounts.of(GUILD, userId)) !== undefined) await this.unlink(userId);
    else await this.link(userId, { name: person.name, id: person.id ?? 0 });
    return "link";
  }

  #isBroken({ team, callsign, vehicle, ref }: Player): boolean {
    const { kind = "team" } = this.#options;
    const link = this.#linked.get(ref.id);
    const lacksRole = link !== undefined && !(this.held.get(link.userId)?.has(COP) ?? false);
    if (!lacksRole || team === "Jail") return false;
    if (kind === "team") return team === WHAT.team;
    if (kind === "callsign") return callsign?.toUpperCase().startsWith(WHAT.callsign) ?? false;
    return vehicle?.name === WHAT.vehicle;
  }

  #linked: ReadonlyMap<number, { readonly userId: string }> = new Map();

  #noteBreakers(): void {
    void this.rig.runs.accounts.byPlayer(GUILD).then((linked) => {
      this.#linked = linked;
    });
    for (const player of this.town.players) {
      if (this.#isBroken(player)) this.#brokeAtMs.set(player.ref.id, this.clock.monotonicMs());
    }
  }

  #lists(): Lists {
    const { town } = this;
    const { joins, kills } = town.record;
    const ref = (text: string) => ({
      name: text.slice(0, text.lastIndexOf(":")),
      id: Number(text.split(":").at(-1)),
    });
    return {
      players: town.players.map(({ ref: player, team, callsign }) => ({
        player,
        team,
        permission: "Normal",
        wantedStars: 0,
        ...(callsign === null ? {} : { callsign }),
      })),
      staff: { admins: new Map(), mods: new Map(), helpers: new Map() },
      queue: town.queue.map(({ id }) => id),
      joinLogs: joins
        .slice(-40)
        .map(({ join, atS, player }) => ({ kind: "join", joined: join, atS, player: ref(player) })),
      killLogs: kills
        .slice(-40)
        .map(({ atS, killer, killed }) => ({ kind: "kill", atS, killer: ref(killer), killed: ref(killed) })),
      commandLogs: [],
      modCalls: [],
      emergencyCalls: [],
      vehicles: town.players.flatMap(({ vehicle }) =>
        vehicle === null ? [] : [{ name: vehicle.name, owner: vehicle.owner }],
      ),
    };
  }

  async #look(): Promise<void> {
    const { lost = 0, late = 0 } = this.#options;
    const life = this.#life;
    const askedAtMs = this.clock.nowMs();
    const lists = this.#lists();
    if (this.random.next() < lost) return;
    if (this.random.next() < late) await this.clock.sleep(1_000 + this.random.next() * 8_000);
    if (life !== this.#life) return;
    const { status } = this.rig.snapshot();
    const look: Snapshot = {
      source: sourceId,
      askedAtMs,
      takenAtMs: this.clock.nowMs(),
      status,
      lists,
      skippedRows: {},
    };
    this.rig.players = lists.players;
    this.rules.take(look);
  }

  /** Answered a second later, as of the moment of asking. */
  async #fresh(wanted: readonly ListName[]): Promise<ServerState> {
    const { statusAtMs: atMs, ...state } = this.#stateOf();
    await this.clock.sleep(300 + this.random.next() * 700);
    if (this.random.next() < (this.#options.lost ?? 0)) throw new Failure("unreachable", "lost");
    const lists: ServerState["lists"] = Object.fromEntries(
      Object.entries(state.lists).filter(([name]) => wanted.some((one) => one === name)),
    );
    this.rig.players = lists.players?.value ?? [];
    return { ...state, statusAtMs: atMs, lists };
  }

  #stateOf(): ServerState {
    const atMs = this.clock.nowMs();
    const { status } = this.rig.snapshot();
    const lists = Object.fromEntries(
      Object.entries(this.#lists()).map(([name, value]) => [name, { atMs, value }]),
    );
    return { source: sourceId, status, statusAtMs: atMs, lists };
  }

  /** The gate holds it for a while; then it is on its way, and hits whom the game says. */
  async #run(text: string, mayStart: () => boolean): Promise<string> {
    const { clock, random } = this;
    const [, rest = ""] = /^:\w+ (.*)$/u.exec(text) ?? [];
    const [name = ""] = rest.split(" ");
    const named = this.people.find((one) => one.name === name);
    if (this.holdMs === undefined && random.next() < 0.3) this.#mischief(named);
    if (this.holdMs !== undefined) await clock.sleep(this.holdMs);
    else await clock.sleep(random.next() < 0.3 ? random.next() * 40_000 : random.next() * 400);
    if (!mayStart()) throw new Failure("expired", "held back", { ran: "no" });
    const hit = aim(this.town, REMOTE, rest).people;
    this.hits.push({ text, named, hit });
    for (const { id } of hit) {
      if (id !== named?.id) this.wrong.push(`${text} hit ${id}`);
      if (text.startsWith(":pm"))
        this.messages.set(id, [...(this.messages.get(id) ?? []), clock.monotonicMs()]);
      const brokeMs = this.#brokeAtMs.get(id) ?? Number.NEGATIVE_INFINITY;
      if (clock.monotonicMs() - brokeMs > LOOK_GOOD_FOR_MS)
        this.wrong.push(`${text} hit ${id}, who kept the rule`);
    }
    if (text.startsWith(":kick")) for (const { id } of hit) this.town.depart(id);
    if (random.next() < 0.1) throw new Failure("unreachable", "the answer was lost", { ran: "unknown" });
    return "Success";
  }

  /** Who was ever in the server and has a name that begins so. */
  #seenBefore(beginning: string): readonly Required<PlayerRef>[] {
    const seen = new Set(this.town.record.joins.map(({ player }) => player));
    return this.people.filter(
      ({ name, id }) => seen.has(`${name}:${id}`) && name.toLowerCase().startsWith(beginning.toLowerCase()),
    );
  }

  /** While a command waits, its target mends their ways, or leaves, and somebody with a longer name comes. */
  #mischief(named: Required<PlayerRef> | undefined): void {
    if (named === undefined) return;
    if (this.random.next() < 0.5) {
      const link = this.#linked.get(named.id);
      this.held.get(link?.userId ?? "")?.add(COP);
      return;
    }
    this.town.depart(named.id);
    const [longer] = this.#seenBefore(named.name).filter(({ id }) => id !== named.id);
    if (longer !== undefined) this.town.arrive({ ...longer });
  }

  #build(): RulesWing {
    const { clock, rig, random } = this;
    const life = this.#life;
    const alive = () => life === this.#life;
    const rules = new MemoryDocuments<GuildRules>(parseGuildRules, this.#texts.rules);
    const states = new MemoryDocuments<ServerRules>(parseServerRules, this.#texts.states);
    const sent = new MemoryDocuments<SentToPlayer>(parseSentToPlayer, this.#texts.messages);
    this.#documents = [rules, states, sent] as MemoryDocuments<unknown>[];
    return createRules({
      rules,
      states,
      bindings: rig.bindings,
      settings: rig.settings,
      accounts: rig.runs.accounts,
      permissions: rig.runs.permissions,
      runner: rig.runs.runner,
      snapshots: rig.snapshots,
      members: {
        now: async (_, userId) => {
          const roleIds = rig.memberRoles.get(userId) ?? [];
          await rig.membersPause();
          return { roleIds, manageGuild: false };
        },
      },
      messages: createPlayerMessages(sent, clock),
      roles: this.#roles(),
      demands: { put: () => undefined },
      owed: { owe: async (message) => alive() && this.#owe(message.id) },
      notifier: { guild: async (_, body) => void this.notices.push(body.content ?? "") },
      renderer: {
        breach: ({ unconfirmedBy }) => {
          if (unconfirmedBy !== undefined) this.unconfirmed.push(unconfirmedBy);
          return { content: markdownOfOurs("broken") };
        },
        held: () => ({ content: markdownOfOurs("held") }),
        toPlayer: () => "Please change your team.",
      },
      clock,
      random,
      isStoreInDoubt: this.#isStoreInDoubt,
      audit: { get: async (guildId, id) => rig.audit.get(guildId, id) },
      isOurs: () => true,
      roleState: (_, roleId) => {
        if (this.isGuildAway) return "unknown";
        return roleId === GONE_ROLE ? "deleted" : "there";
      },
      namesLike: async (_, beginning) => this.#seenBefore(beginning),
      namesOf: async (_, ids) => ids.flatMap((id) => this.people.find((one) => one.id === id) ?? []),
      report: (what, error) => {
        if (alive()) this.wrong.push(`${what}: ${String(error)}`);
      },
    });
  }

  readonly told: string[] = [];
  /** Whose word for a link was not enough, by what was told. */
  readonly unconfirmed: string[] = [];
  readonly notices: string[] = [];
  readonly #told = new Set<string>();

  #owe(id: string): boolean {
    if (!this.#told.has(id)) this.told.push(id);
    this.#told.add(id);
    return true;
  }

  #roles(): KnownRoles {
    const { clock } = this;
    const read = (userId: string): readonly string[] => [...(this.held.get(userId) ?? [])];
    return new RoleBook({
      clock,
      requests: {
        ask: async (_, ids) => {
          const readAtMs = clock.monotonicMs();
          const found = new Map(ids.map((id) => [id, read(id)] as const));
          await clock.sleep(this.random.next() * 900);
          return this.roleReadsFail ? undefined : { roles: found, readAtMs };
        },
      },
      members: {
        now: async (_, userId) => {
          const roleIds = read(userId);
          await clock.sleep(this.random.next() * 900);
          if (this.roleReadsFail) throw new Failure("paused", "Discord is away");
          return { roleIds, manageGuild: false };
        },
      },
    });
  }
}
