import assert from "node:assert/strict";
import { RoleBook } from "../../../src/discord/connection/known-roles.ts";
import { markdownOfOurs } from "../../../src/domain/escaped.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { Binding } from "../../../src/domain/guild.ts";
import type { ListName, Lists, PlayerRef, ServerState, Snapshot, Staff } from "../../../src/domain/model.ts";
import type { KnownRoles } from "../../../src/domain/ports/known-roles.ts";
import type { Rank } from "../../../src/domain/rank.ts";
import { createRanks, type RanksWing } from "../../../src/rules/ranks/create-ranks.ts";
import {
  parseRankKeeping,
  parseServerRanks,
  type RankKeeping,
  type ServerRanks,
} from "../../../src/rules/ranks/rank-records.ts";
import { Prng } from "../../../src/sandbox/service/prng.ts";
import { DEFAULT_COMMAND_RULES, runCommand } from "../../../src/sandbox/service/town/commands.ts";
import type { Role } from "../../../src/sandbox/service/town/player.ts";
import { World } from "../../../src/sandbox/service/town/world.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { binding, RunsRig, roles as rigRoles, sourceId } from "../../support/runs-rig.ts";

/** Roles of Discord, and the rank that each gives. */
export const ROLE_OF: Readonly<Record<Rank, string>> = {
  helper: "r-helper",
  mod: "r-mod2",
  admin: "r-admin2",
};
const GUILD = binding.guildId;
const REMOTE = { id: 0, name: "Remote Server" };
/** A rank may rest on a look and on roles that are so old. */
const GOOD_FOR_MS = 16_000;

export interface RankWorldOptions {
  readonly seed: number;
  /** Time between two looks. @default 5 s */
  readonly everyMs?: number;
  /** Shares of looks that are lost, and whose answers come late. */
  readonly lost?: number;
  readonly late?: number;
}

type Person = Required<PlayerRef>;

/** What is true of one player, and until when it was: by the monotonic clock. */
interface Truth {
  /** The rank that their roles give by a link that is good enough. */
  wanted: Rank | undefined;
  /** When each rank was last what they should have; undefined stands for none. */
  readonly wasMs: Map<Rank | undefined, number>;
}

/** A game, its Discord, and Marshal's ranks with the real queue of commands; the judge is the game's own resolver. */
export class RankWorld {
  readonly clock: VirtualClock;
  readonly rig: RunsRig;
  readonly town: World;
  readonly people: readonly Person[];
  readonly random: ReturnType<typeof seededRandom>;
  /** Roles of members, by member; as Discord has them. */
  readonly held = new Map<string, Set<string>>();
  readonly memberOf = (id: number) => `m${id}`;
  readonly hits: { readonly text: string; readonly atMs: number; readonly changed: readonly number[] }[] = [];
  readonly wrong: string[] = [];
  /** Whom Marshal has given which rank, by what the game did. */
  readonly given = new Map<number, Rank>();
  /** Whose rank somebody else took away after Marshal gave it. */
  readonly takenByHand = new Set<number>();
  readonly notices: string[] = [];
  readonly gone = new Set<string>();
  roleReadsFail = false;
  /** What answers show instead of the list of staff. */
  staffAs: "whole" | "absent" | "empty" = "whole";
  holdMs: number | undefined;
  /** People whose rights are known only once this is resolved. */
  readonly slowFor = new Map<string, Promise<void>>();
  ranks: RanksWing;
  linked: Binding = binding as Binding;
  /** Keeps the ranks of other communities, too. */
  texts = { ranks: new Map<string, string>(), keepings: new Map<string, string>() };
  readonly #truth = new Map<number, Truth>();
  /** Whom somebody took a rank of Marshal's from by hand, and gave one by hand: the latest. */
  readonly #handTook = new Map<number, { readonly rank: Rank; readonly atMs: number }>();
  readonly #handGave = new Map<number, { readonly rank: Rank; readonly atMs: number }>();
  readonly #options: Required<RankWorldOptions>;
  #documents: MemoryDocuments<unknown>[] = [];
  #isOlderCopy = false;
  #life = 0;
  #seconds = 0;

  constructor(options: RankWorldOptions) {
    this.#options = { everyMs: 5_000, lost: 0, late: 0, ...options };
    this.clock = new VirtualClock();
    this.random = seededRandom(options.seed);
    this.rig = new RunsRig({ clock: this.clock });
    const windows = { joins: 40, kills: 40, commands: 40, modCalls: 40 };
    const info = {
      name: "Liberty County",
      ownerId: 1,
      coOwnerIds: [2],
      maxPlayers: 60,
      joinKey: "LC",
      accVerifiedReq: "Disabled",
      teamBalance: true,
    };
    this.town = new World(options.seed, new Prng(options.seed), info, windows, this.clock.nowMs());
    const names = ["Ann", "Annabel", "Rex", "Tim", "Una", "all", "1005", "1006x"];
    const more = Array.from({ length: 16 }, (_, n) => `Player_${n}x`);
    this.people = [...names, ...more].map((name, n) => ({ name, id: 1_000 + n }));
    const staff: readonly [number, string, Role][] = [
      [1, "Owner", "owner"],
      [2, "Co", "co-owner"],
      [900, "HandAdmin", "admin"],
      [901, "HandMod", "mod"],
      [902, "HandHelper", "helper"],
      [1_003, "Tim", "mod"],
    ];
    for (const [id, name, role] of staff) this.town.staff.set(id, { name, role });
    this.rig.memberRoles.set("u-manager", [rigRoles.manager]);
    this.rig.snapshots.fresh = (_, lists) => this.#fresh(lists);
    this.rig.answering = (text, _, mayStart) => this.#run(text, mayStart);
    this.ranks = this.#build();
  }

  get actor() {
    return this.rig.actor("manager");
  }

  async start(): Promise<void> {
    for (const person of this.people) this.held.set(this.memberOf(person.id), new Set());
    for (const person of this.people) await this.link(person);
    await this.ranks.start();
    for (const [rank, roleId] of Object.entries(ROLE_OF) as [Rank, string][])
      await this.ranks.ranks.set(this.actor, this.linked, { roleId, rank });
  }

  /** By a code that was typed in the game. */
  async link({ name, id }: Person, userId = this.memberOf(id)): Promise<void> {
    await this.rig.runs.accounts.vouch(this.actor, userId, { name, id });
    const second = this.rig.actor("manager", { userId: "u-second" });
    await this.rig.runs.accounts.confirm(second, { userId, playerId: id });
  }

  /** By one Manager's word only. */
  async vouch({ name, id }: Person, userId = this.memberOf(id)): Promise<void> {
    await this.rig.runs.accounts.vouch(this.actor, userId, { name, id });
  }

  unlink(id: number) {
    return this.rig.runs.accounts.unlink(this.actor, this.memberOf(id));
  }

  person(name: string): Person {
    return this.people.find((one) => one.name === name) ?? assert.fail(name);
  }

  give(name: string, rank: Rank): void {
    this.held.get(this.memberOf(this.person(name).id))?.add(ROLE_OF[rank]);
  }

  takeRole(name: string, rank: Rank): void {
    this.held.get(this.memberOf(this.person(name).id))?.delete(ROLE_OF[rank]);
  }

  rankOf(name: string): Role | undefined {
    return this.town.staff.get(this.person(name).id)?.role;
  }

  /** Somebody with the right to do so types it in the game. */
  byHand(text: string): void {
    const before = this.#roles();
    runCommand(this.town, { id: 900, name: "HandAdmin" }, text, DEFAULT_COMMAND_RULES);
    const nowMs = this.clock.monotonicMs();
    for (const { id, name } of this.people) {
      const role = this.town.staff.get(id)?.role;
      const given = this.given.get(id);
      if (given !== undefined && role !== given) {
        this.given.delete(id);
        this.#handTook.set(id, { rank: given, atMs: nowMs });
        this.takenByHand.add(id);
      } else if (role !== undefined && role !== before.get(id)) this.#givenByHand(id, name, role as Rank);
    }
  }

  /** What was taken and given back before answers could show it long enough never happened, as far as Marshal can know. */
  #givenByHand(id: number, name: string, rank: Rank): void {
    const taken = this.#handTook.get(id);
    this.#handTook.delete(id);
    const nowMs = this.clock.monotonicMs();
    const unseenMs = 20 * (60_000 + this.#options.everyMs);
    const isNoticed = this.ranks.ranks.list(GUILD)[0]?.left.some((one) => one.name === name) ?? false;
    if (taken?.rank === rank && nowMs - taken.atMs < unseenMs && !isNoticed) {
      this.given.set(id, rank);
      this.takenByHand.delete(id);
    } else this.#handGave.set(id, { rank, atMs: nowMs });
  }

  /** Lets time pass until this has ended. */
  async ended<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    await this.clock.advance(0);
    while (!isOver) await this.live(1_000);
    return await over;
  }

  check(server = this.linked) {
    return this.ended(this.ranks.ranks.check(server));
  }

  async apply(): Promise<void> {
    const { key } = await this.check();
    await this.ended(this.ranks.ranks.apply(this.actor, this.linked, key));
  }

  /** Until the list of staff can be believed, then confirmed. */
  async turnOn(): Promise<void> {
    await this.live(Math.max(45_000, 2.5 * this.#options.everyMs));
    await this.apply();
  }

  /** What is stored of ranks. */
  copy(): RankWorld["texts"] {
    const { ranks, keepings } = this.texts;
    return { ranks: new Map(ranks), keepings: new Map(keepings) };
  }

  /** The process is killed and starts again, on a copy of before where one is given. */
  async crash(restored?: RankWorld["texts"]): Promise<void> {
    this.#isOlderCopy = restored !== undefined;
    if (restored !== undefined) this.texts = restored;
    this.#life += 1;
    for (const one of this.#documents) one.isDead = true;
    this.rig.crash();
    this.rig.answering = (text, _, mayStart) => this.#run(text, mayStart);
    await this.rig.runs.start();
    this.ranks = this.#build();
    await this.ranks.start();
  }

  /** Lets the game go on for so long, one second at a time. */
  async live(ms: number, each: (second: number) => Promise<void> | void = () => undefined): Promise<void> {
    for (let second = 0; second < ms / 1_000; second++) {
      await this.clock.advance(1_000);
      this.town.nowMs = this.clock.nowMs();
      await each(second);
      await this.noteTruth();
      this.#seconds += 1;
      if ((this.#seconds * 1_000) % this.#options.everyMs === 0) void this.#look();
    }
  }

  /** Something happens in the game or in Discord. */
  async anything(): Promise<void> {
    const { random, town } = this;
    const pick = <T>(all: readonly T[]) => all[Math.floor(random.next() * all.length)] as T;
    const person = pick(this.people);
    const { id } = person;
    const userId = this.memberOf(id);
    const roll = random.next();
    const here = town.find(id);
    if (roll < 0.45) {
      if (here === undefined) town.arrive({ ...person });
      else if (roll < 0.2) town.depart(id);
      return;
    }
    if (roll < 0.85) {
      const role = pick(Object.values(ROLE_OF));
      const own = this.held.get(userId) ?? new Set();
      if (own.has(role)) own.delete(role);
      else own.add(role);
      return;
    }
    if (roll < 0.93) {
      const account = await this.rig.runs.accounts.of(GUILD, userId);
      if (account !== undefined) await this.unlink(id);
      else if (random.next() < 0.5) await this.link(person);
      else await this.vouch(person);
      return;
    }
    const verb = pick(["mod", "unmod", "helper", "unhelper", "admin", "unadmin"]);
    this.byHand(`:${verb} ${id}`);
  }

  /** What the people of the world should have, as of this second. */
  async noteTruth(): Promise<void> {
    const linked = await this.rig.runs.accounts.byPlayer(GUILD);
    for (const { id } of this.people) {
      const link = linked.get(id);
      const roles = this.held.get(link?.userId ?? "") ?? new Set();
      const isProven = link !== undefined && (link.vouchedBy === undefined || link.confirmedBy !== undefined);
      const ranks = (["admin", "mod", "helper"] as const).filter(
        (rank) =>
          roles.has(ROLE_OF[rank]) && !this.gone.has(ROLE_OF[rank]) && (isProven || rank === "helper"),
      );
      const truth = this.#truth.get(id) ?? { wanted: undefined, wasMs: new Map() };
      truth.wanted = link === undefined ? undefined : ranks[0];
      truth.wasMs.set(truth.wanted, this.clock.monotonicMs());
      this.#truth.set(id, truth);
    }
  }

  #roles(): ReadonlyMap<number, Role> {
    return new Map([...this.town.staff].map(([id, { role }]) => [id, role]));
  }

  #staff(): Staff {
    const of = (role: Role) =>
      new Map(
        [...this.town.staff].filter(([, one]) => one.role === role).map(([id, { name }]) => [id, name]),
      );
    if (this.staffAs === "empty") return { admins: new Map(), mods: new Map(), helpers: new Map() };
    return { admins: of("admin"), mods: of("mod"), helpers: of("helper") };
  }

  #lists(): Partial<Lists> {
    const { town } = this;
    const permissions = { owner: "Server Owner", "co-owner": "Server Co-Owner" } as const;
    return {
      players: town.players.map(({ ref: player, team }) => {
        const role = town.staff.get(player.id)?.role;
        const permission =
          role === "owner" || role === "co-owner"
            ? permissions[role]
            : role === undefined
              ? "Normal"
              : `Server ${role}`;
        return { player, team, permission, wantedStars: 0 };
      }),
      queue: town.queue.map(({ id }) => id),
      ...(this.staffAs !== "absent" && { staff: this.#staff() }),
    };
  }

  async #look(): Promise<void> {
    const { lost, late } = this.#options;
    const life = this.#life;
    const askedAtMs = this.clock.nowMs();
    const lists = this.#lists();
    if (this.random.next() < lost) return;
    if (this.random.next() < late) await this.clock.sleep(1_000 + this.random.next() * 8_000);
    if (life !== this.#life) return;
    const { status } = this.rig.snapshot();
    const look: Snapshot = {
      source: this.linked.source,
      askedAtMs,
      takenAtMs: this.clock.nowMs(),
      status,
      lists,
      skippedRows: {},
    };
    this.rig.players = lists.players ?? [];
    this.#tellStaff();
    this.ranks.take(look);
  }

  #tellStaff(): void {
    const { admins, mods } = this.#staff();
    this.rig.admins = new Map(admins);
    this.rig.mods = new Map(mods);
  }

  /** Answered a little later, as of the moment of asking. */
  async #fresh(wanted: readonly ListName[]): Promise<ServerState> {
    const atMs = this.clock.nowMs();
    const { status } = this.rig.snapshot();
    const shown = Object.entries(this.#lists()).filter(([name]) => wanted.some((one) => one === name));
    await this.clock.sleep(300 + this.random.next() * 700);
    if (this.random.next() < this.#options.lost) throw new Failure("unreachable", "lost");
    const lists: ServerState["lists"] = Object.fromEntries(
      shown.map(([name, value]) => [name, { atMs, value }]),
    );
    this.rig.players = lists.players?.value ?? [];
    this.#tellStaff();
    return { source: sourceId, status, statusAtMs: atMs, lists };
  }

  /** The gate holds it for a while; then it is on its way, and changes whom the game says. */
  async #run(text: string, mayStart: () => boolean): Promise<string> {
    const { clock, random, town } = this;
    if (this.holdMs !== undefined) await clock.sleep(this.holdMs);
    else await clock.sleep(random.next() < 0.1 ? random.next() * 30_000 : random.next() * 400);
    if (!mayStart()) throw new Failure("expired", "held back", { ran: "no" });
    if (town.players.length === 0) throw new Failure("server-empty", "nobody is there", { ran: "no" });
    const before = this.#roles();
    runCommand(town, REMOTE, text, DEFAULT_COMMAND_RULES);
    const after = this.#roles();
    const ids = new Set([...before.keys(), ...after.keys()]);
    const changed = [...ids].filter((id) => before.get(id) !== after.get(id));
    this.hits.push({ text, atMs: clock.monotonicMs(), changed });
    this.#judge(text, changed, before);
    if (random.next() < this.#options.lost)
      throw new Failure("unreachable", "the answer was lost", { ran: "unknown" });
    return "Success";
  }

  #judge(text: string, changed: readonly number[], before: ReadonlyMap<number, Role>): void {
    const [, un = "", verb = "", digits = ""] = /^:(un)?(helper|mod|admin) (\d+)$/.exec(text) ?? [];
    const rank = verb as Rank;
    if (digits === "") this.wrong.push(`what is ${text}?`);
    const hand = this.#handGave.get(Number(digits));
    const isJustGiven = hand?.rank === rank && this.clock.monotonicMs() - hand.atMs <= GOOD_FOR_MS;
    // Somebody gave the same rank in the seconds since the last look.
    if (un === "" && changed.length === 0 && isJustGiven) this.given.set(Number(digits), rank);
    for (const id of changed) {
      if (id !== Number(digits)) this.wrong.push(`${text} changed ${id}`);
      const truth = this.#truth.get(id);
      const wasMs = truth?.wasMs.get(rank) ?? Number.NEGATIVE_INFINITY;
      const nowMs = this.clock.monotonicMs();
      if (un === "") {
        if (nowMs - wasMs > GOOD_FOR_MS) this.wrong.push(`${text} raised ${id}, who has no such role`);
        if (before.get(id) !== undefined) this.wrong.push(`${text} changed ${id}, who was ${before.get(id)}`);
        if (this.takenByHand.has(id)) this.wrong.push(`${text} put back ${id}, whose rank was taken by hand`);
        this.given.set(id, rank);
        continue;
      }
      if (this.given.get(id) !== rank) this.wrong.push(`${text} took from ${id} what Marshal did not give`);
      const isWanted = truth?.wanted === rank && !this.#hasLately(id, rank);
      if (isWanted) this.wrong.push(`${text} took from ${id}, who has the role`);
      this.given.delete(id);
    }
  }

  /** Whether they had something else than this rank a moment ago. */
  #hasLately(id: number, rank: Rank): boolean {
    const nowMs = this.clock.monotonicMs();
    const others = [...(this.#truth.get(id)?.wasMs ?? [])].filter(([one]) => one !== rank);
    return others.some(([, atMs]) => nowMs - atMs <= GOOD_FOR_MS);
  }

  /** Who was ever in the server, or is linked, and has a name that begins so. */
  #seenBefore(beginning: string): readonly Person[] {
    const seen = new Set(this.town.record.joins.map(({ player }) => player));
    return this.people.filter(
      ({ name, id }) => seen.has(`${name}:${id}`) && name.toLowerCase().startsWith(beginning.toLowerCase()),
    );
  }

  #build(): RanksWing {
    const { clock, rig, random } = this;
    const life = this.#life;
    const alive = () => life === this.#life;
    const ranks = new MemoryDocuments<ServerRanks>(parseServerRanks, this.texts.ranks);
    const keepings = new MemoryDocuments<RankKeeping>(parseRankKeeping, this.texts.keepings);
    this.#documents = [ranks, keepings] as MemoryDocuments<unknown>[];
    const body = (text: string) => ({ content: markdownOfOurs(text) });
    return createRanks({
      ranks,
      keepings,
      bindings: rig.bindings,
      settings: rig.settings,
      accounts: rig.runs.accounts,
      permissions: {
        decide: async (...asked) => {
          await this.slowFor.get(asked[0].userId);
          return await rig.runs.permissions.decide(...asked);
        },
      },
      runner: rig.runs.runner,
      audit: rig.audit,
      isOlderCopy: this.#isOlderCopy,
      snapshots: rig.snapshots,
      members: {
        now: async (_, userId) => ({ roleIds: rig.memberRoles.get(userId) ?? [], manageGuild: false }),
      },
      roles: this.#roleBook(),
      demands: { put: () => undefined },
      notifier: { guild: async (_, { content }) => void (alive() && this.notices.push(content ?? "")) },
      renderer: {
        paused: (_, { why }) => body(`paused: ${why}`),
        left: (_, { player }) => body(`left: ${player.name}`),
        stuck: (_, { player }, why) => body(`stuck: ${player.name}: ${why}`),
        unlinked: (_, raised) => body(`unlinked: ${raised.map(({ player }) => player.name).join(", ")}`),
      },
      clock,
      random,
      isOurs: () => true,
      roleState: (_, roleId) => (this.gone.has(roleId) ? "deleted" : "there"),
      namesLike: async (_, beginning) => this.#seenBefore(beginning),
      namesOf: async (_, ids) => ids.flatMap((id) => this.people.find((one) => one.id === id) ?? []),
      report: (what, error) => {
        if (alive()) this.wrong.push(`${what}: ${String(error)}`);
      },
    });
  }

  #roleBook(): KnownRoles {
    const { clock } = this;
    const read = (userId: string): readonly string[] =>
      [...(this.held.get(userId) ?? [])].filter((roleId) => !this.gone.has(roleId));
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
