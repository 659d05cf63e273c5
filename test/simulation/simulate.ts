import type { FeedKind } from "../../src/domain/feed-kinds.ts";
import type { Binding, FeedFilter } from "../../src/domain/guild.ts";
import type { LogList } from "../../src/domain/model.ts";
import type { Clock, Random } from "../../src/domain/ports/clock.ts";
import { cardIdIn } from "../support/card-id.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { isModCallCard } from "./card-calls.ts";
import { SimDiscord } from "./discord.ts";
import { Judge, type Verdict, type Wants } from "./judge.ts";
import { Life, Trace } from "./life.ts";
import { buildProcess, diskStorage, type Process, type SimClient, type Storage } from "./process.ts";
import { openRealStore, type RealStore } from "./real-store.ts";
import { SimService } from "./service.ts";
import { Disk } from "./store.ts";
import { wireClient } from "./wire-service.ts";
import {
  exponential,
  isPolice,
  lists,
  makeServers,
  type SimServer,
  serverOf,
  shownBy,
  sourceOf,
  type WorldOptions,
} from "./world.ts";

export interface Plan extends WorldOptions {
  readonly seed: number;
  readonly pollsPerS: number;
  /** Calls over the process's border between two deaths, on average. */
  readonly meanCalls: number;
  /** Which share of the deaths are power cuts, and how much of the store's log such a cut takes at most. */
  readonly powerCuts?: { readonly share: number; readonly longestMs: number };
  /** Every third feed shows only some entries: by team, by player, by command. */
  readonly filters?: boolean;
  readonly emergencies?: boolean;
  /** sqlite over a file instead of the simulated disk. */
  readonly realStore?: boolean;
  /** The real client with its gate between watch and the simulated service. */
  readonly realGate?: boolean;
  /** How long Discord remembers a nonce. Default three minutes. */
  readonly nonceMs?: number;
  /** Discord answers every call and shows every channel: what then stands twice, the bot has posted twice. */
  readonly calmDiscord?: boolean;
  /** Share of the messages with lines whose form Discord refuses, so that they become a file. Default one in 500. */
  readonly refusing?: number;
  /** How often the process is stopped in order, on average. Default three hours. */
  readonly stopsEveryMs?: number;
}

export interface Outcome extends Verdict {
  readonly seed: number;
  readonly crashes: number;
  readonly powerCuts: number;
  readonly messages: number;
  readonly polls: number;
  /** How often the gate set a timer. */
  readonly gateTimers: number;
  readonly unknownSends: number;
  readonly undelivered: number;
  readonly defects: readonly string[];
  readonly trace: string;
}

const kinds: Readonly<Record<LogList, FeedKind>> = {
  joinLogs: "joins",
  killLogs: "kills",
  commandLogs: "commands",
  modCalls: "modCalls",
};
const EMERGENCIES: FeedKind = "emergencyCalls";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** After the last entry: faults are over, everything must come to rest. */
const DRAIN_MS = 15 * MINUTE_MS;

/** Watch, diff, journal and delivery through a time full of faults; the same plan gives the same outcome. */
export async function simulate(plan: Plan): Promise<Outcome> {
  const store = plan.realStore ? await openRealStore() : undefined;
  try {
    const simulation = new Simulation(plan, store);
    await simulation.prepare();
    return await simulation.run();
  } finally {
    await store?.close();
  }
}

/** A process on its disk between a service and a Discord, and everything that happens to them. */
class Simulation {
  readonly #plan: Plan;
  readonly #clock = new VirtualClock();
  readonly #random: Random;
  /** What people do: it does not shift what else happens. */
  readonly #people: Random;
  readonly #trace = new Trace();
  readonly #servers: readonly SimServer[];
  readonly #judge = new Judge(() => this.#clock.nowMs());
  readonly #service: SimService;
  readonly #discord: SimDiscord;
  readonly #disk: Disk;
  readonly #bindings = new Map<string, Binding>();
  readonly #startMs: number;
  readonly #endMs: number;
  readonly #defects: string[] = [];
  readonly #store: RealStore | undefined;
  #life: Life;
  #process: Process;
  #crashes = 0;
  #powerCuts = 0;
  #gateTimers = 0;
  #draining = false;

  constructor(plan: Plan, store: RealStore | undefined) {
    this.#plan = plan;
    this.#store = store;
    const seed = seededRandom(plan.seed);
    const fork = () => seededRandom(Math.floor(seed.next() * 2 ** 32));
    this.#random = fork();
    this.#startMs = this.#clock.nowMs();
    this.#endMs = this.#startMs + 5 * MINUTE_MS + plan.hours * HOUR_MS;
    this.#servers = makeServers(plan, this.#startMs + 5 * MINUTE_MS, fork());
    this.#service = new SimService({
      clock: this.#clock,
      random: fork(),
      servers: this.#servers,
      pollsPerS: plan.pollsPerS,
    });
    this.#discord = new SimDiscord(this.#clock, fork(), this.#judge);
    this.#discord.nonceMs = plan.nonceMs ?? this.#discord.nonceMs;
    this.#discord.refusing = plan.refusing ?? this.#discord.refusing;
    if (plan.calmDiscord === true) this.#discord.losing = 0;
    this.#disk = new Disk(fork(), () => this.#clock.nowMs());
    this.#people = fork();
    [this.#life, this.#process] = this.#build(Number.POSITIVE_INFINITY);
  }

  /** Guilds, channels and feeds: one guild a server, every tenth server read by a second one. */
  async prepare(): Promise<void> {
    for (const server of this.#servers) {
      await this.#addGuild(`g${server.index}`, server);
      if (server.index % 10 === 3) await this.#addGuild(`h${server.index}`, server);
    }
  }

  async run(): Promise<Outcome> {
    this.#life.die();
    for (const [atMs, work] of this.#faults(this.#endMs)) {
      this.#clock.after(atMs - this.#clock.nowMs(), work);
    }
    await this.#clock.advanceTo(this.#endMs);
    this.#calm();
    await this.#clock.advance(DRAIN_MS);
    const outcome = {
      ...this.#judge.verdict(),
      seed: this.#plan.seed,
      crashes: this.#crashes,
      powerCuts: this.#powerCuts,
      messages: this.#judge.messages,
      polls: this.#service.answers,
      gateTimers: this.#gateTimers,
      unknownSends: this.#discord.unknown,
      undelivered: (await this.#process.feeds.counts()).undelivered,
      defects: this.#defects.slice(0, 5),
      trace: this.#trace.hash,
    };
    this.#life.dead = true;
    return outcome;
  }

  #build(meanCalls: number): [Life, Process] {
    const seams = { clock: this.#clock, random: this.#random, trace: this.#trace };
    const life: Life = new Life(seams, meanCalls, () => {
      this.#crashes += 1;
      this.#maybeCutPower();
      // Mostly a supervisor is quick; now and then the machine is away for longer than Discord remembers a nonce.
      const meanMs = this.#random.next() < 0.05 ? 6 * MINUTE_MS : 6_000;
      const awayMs = this.#draining
        ? 1_000
        : 500 + Math.min(7 * MINUTE_MS, exponential(meanMs, this.#random));
      this.#clock.after(awayMs, () => this.#boot());
    });
    const storage = this.#store?.of(life, this.#disk) ?? diskStorage(this.#disk, life);
    const random = seededRandom(Math.floor(this.#random.next() * 2 ** 32));
    const process = buildProcess({
      life,
      storage,
      client: this.#plan.realGate ? this.#gatedClient(life, storage, random) : this.#service,
      discord: this.#discord,
      random,
      bindings: this.#bindings,
      onAnswer: (snapshot) => {
        const server = serverOf(this.#servers, snapshot.source);
        if (server !== undefined) this.#judge.answered(server, shownBy(server, snapshot), snapshot);
      },
      onWritten: (source, list, takenAtMs) => {
        const server = serverOf(this.#servers, source);
        if (server !== undefined) this.#judge.written(server, list, takenAtMs);
      },
      onKept: (snapshot) => {
        const server = serverOf(this.#servers, snapshot.source);
        if (server !== undefined) this.#judge.kept(server, shownBy(server, snapshot), snapshot);
      },
      onDefect: (error) => this.#defect(error),
    });
    return [life, process];
  }

  #gatedClient(life: Life, { documents }: Storage, random: Random): SimClient {
    return wireClient({
      service: this.#service,
      life,
      clock: this.#counted(life.clock()),
      random,
      pollsPerS: this.#plan.pollsPerS,
      absurdTimes: this.#plan.absurdTimes === true,
      sources: () => new Set([...this.#bindings.values()].map(({ source }) => source)),
      documents,
    });
  }

  #counted(clock: Clock): Clock {
    return {
      ...clock,
      after: (delayMs, work) => {
        this.#gateTimers += 1;
        return clock.after(delayMs, work);
      },
    };
  }

  #maybeCutPower(): void {
    const { powerCuts } = this.#plan;
    if (powerCuts === undefined || this.#random.next() >= powerCuts.share) return;
    const toMs = this.#clock.nowMs() - this.#random.next() * powerCuts.longestMs;
    this.#powerCuts += 1;
    this.#disk.setBack(toMs);
    this.#judge.setBack(toMs);
  }

  #boot(): void {
    [this.#life, this.#process] = this.#build(
      this.#draining ? Number.POSITIVE_INFINITY : this.#plan.meanCalls,
    );
    // The disk failed while the process started: its supervisor starts it again.
    const { life } = { life: this.#life };
    this.#process.start().catch(() => life.die());
  }

  #defect(error: unknown): void {
    this.#defects.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }

  async #addGuild(guildId: string, server: SimServer): Promise<void> {
    const binding: Binding = {
      id: `b${guildId}`,
      guildId,
      source: sourceOf(server),
      name: `Server ${server.index}`,
      ownerId: server.index,
      joinKey: "join",
      linkedBy: "owner",
      linkedAtMs: this.#startMs,
    };
    this.#bindings.set(guildId, binding);
    for (const list of lists) {
      // Some guilds put everything into one channel; in some channels the bot may not read.
      const channelId = server.index % 4 === 1 ? `c-${guildId}` : `c-${guildId}-${kinds[list]}`;
      if (!this.#discord.channels.has(channelId)) this.#discord.open(channelId, this.#isUnreadable());
      if (this.#discord.channels.get(channelId)?.unreadable === true) this.#judge.cannotRead(channelId);
      const [filter, wants] = this.#filterOf(server, list);
      this.#judge.follow(channelId, server, list, wants);
      await this.#process.feeds.feeds.add({
        guildId,
        bindingId: binding.id,
        kind: kinds[list],
        channelId,
        style: server.index % 3 === 0 ? "cards" : "lines",
        filter,
        silent: false,
        createdBy: "owner",
      });
    }
    if (!this.#plan.emergencies) return;
    const channelId = `c-${guildId}-${EMERGENCIES}`;
    this.#discord.open(channelId, false);
    this.#judge.emergencies.follow(channelId, server, this.#clock.nowMs());
    await this.#process.feeds.feeds.add({
      guildId,
      bindingId: binding.id,
      kind: EMERGENCIES,
      channelId,
      style: "lines",
      filter: {},
      silent: false,
      createdBy: "owner",
    });
  }

  /** Every third server's feeds are narrowed; teams are known of those in the latest answer only, others pass. */
  #filterOf(server: SimServer, list: LogList): readonly [FeedFilter, Wants] {
    const strict: Wants = (token) => (isPolice(token) ? "must" : "never");
    if (!this.#plan.filters || server.index % 3 !== 1) return [{}, () => "must"];
    if (list === "joinLogs") return [{ teams: ["police"] }, (token) => (isPolice(token) ? "must" : "may")];
    if (list === "killLogs") return [{ players: ["victim"] }, strict];
    if (list === "commandLogs") return [{ verbs: ["wanted"] }, strict];
    return [{}, () => "must"];
  }

  #isUnreadable(): boolean {
    return this.#random.next() < 0.08 && this.#plan.calmDiscord !== true;
  }

  /** What goes wrong, and when; drawn beforehand, so that it does not depend on what the bot does. */
  #faults(endMs: number): readonly (readonly [atMs: number, work: () => void])[] {
    const faults: (readonly [number, () => void])[] = [];
    const often = (meanMs: number, work: (nowMs: number) => void, random = this.#random) => {
      for (let atMs = this.#clock.nowMs() + exponential(meanMs, random); atMs < endMs; ) {
        const nowMs = atMs;
        faults.push([nowMs, () => work(nowMs)]);
        atMs += exponential(meanMs, random);
      }
    };
    const draw = () => this.#random.next();
    often(5 * HOUR_MS, (nowMs) => {
      this.#service.outageUntilMs = nowMs + (5 + 55 * draw()) * MINUTE_MS;
    });
    often(4 * HOUR_MS, (nowMs) => {
      if (this.#plan.calmDiscord === true) return;
      this.#discord.outageUntilMs = nowMs + (1 + 59 * draw() * draw()) * MINUTE_MS;
    });
    often(HOUR_MS, () => {
      this.#disk.failing = 0.5;
      this.#clock.after((0.2 + 2 * draw()) * MINUTE_MS, () => {
        this.#disk.failing = 0;
      });
    });
    often(2 * HOUR_MS, () => this.#rotate(this.#servers[Math.floor(draw() * this.#servers.length)]));
    often(3 * HOUR_MS, () => this.#pauseSomewhere());
    often(6 * HOUR_MS, () => this.#deleteChannel());
    often(12 * HOUR_MS, () => this.#removeGuild());
    often(this.#plan.stopsEveryMs ?? 3 * HOUR_MS, () => this.#restartPolitely());
    often(2 * MINUTE_MS, () => this.#takeSomeCall(), this.#people);
    return faults;
  }

  #calm(): void {
    this.#draining = true;
    this.#life.spare();
    this.#service.outageUntilMs = 0;
    this.#service.failing = 0;
    this.#service.stale = 0;
    this.#discord.outageUntilMs = 0;
    this.#discord.losing = 0;
    this.#disk.failing = 0;
  }

  /** The owner makes a new key; each guild links it again sometime in the next half hour. */
  #rotate(server: SimServer | undefined): void {
    if (server === undefined) return;
    server.keys += 1;
    const leftMs = this.#endMs - this.#clock.nowMs();
    for (const guildId of [`g${server.index}`, `h${server.index}`]) {
      this.#clock.after(this.#random.next() * Math.min(30 * MINUTE_MS, leftMs), () => {
        const binding = this.#bindings.get(guildId);
        if (binding === undefined) return;
        this.#bindings.set(guildId, { ...binding, source: sourceOf(server) });
        this.#act(() => this.#process.feeds.replaced(binding.source));
      });
    }
  }

  #pauseSomewhere(): void {
    const [guildId, server] = this.#someGuild();
    const list = lists[Math.floor(this.#random.next() * lists.length)] ?? "joinLogs";
    this.#act(async () => {
      const { feeds } = this.#process.feeds;
      const feed = (await feeds.list(guildId)).find((one) => one.kind === kinds[list]);
      if (feed === undefined || feed.state !== "live") return;
      this.#judge.stopExpecting(feed.channelId, list);
      await feeds.pause(guildId, feed.id);
      this.#clock.after(this.#random.next() * HOUR_MS, () => {
        this.#act(async () => {
          await this.#process.feeds.feeds.resume(guildId, feed.id);
          if (this.#discord.channels.get(feed.channelId)?.gone === true) return;
          this.#judge.resumed(feed.channelId, list);
        });
      });
      return server;
    });
  }

  #deleteChannel(): void {
    const channels = [...this.#discord.channels.values()].filter((channel) => !channel.gone);
    const channel = channels[Math.floor(this.#random.next() * channels.length)];
    if (channel === undefined) return;
    channel.gone = true;
    for (const list of lists) this.#judge.stopExpecting(channel.id, list);
    this.#judge.emergencies.stopExpecting(channel.id);
  }

  #removeGuild(): void {
    const [guildId] = this.#someGuild();
    for (const channel of this.#discord.channels.values()) {
      if (channel.id !== `c-${guildId}` && !channel.id.startsWith(`c-${guildId}-`)) continue;
      channel.gone = true;
      for (const list of lists) this.#judge.stopExpecting(channel.id, list);
      this.#judge.emergencies.stopExpecting(channel.id);
    }
    this.#bindings.delete(guildId);
    this.#act(() => this.#process.feeds.forgetGuild(guildId));
  }

  /** Somebody claims or resolves one of the latest calls. */
  #takeSomeCall(): void {
    const cards = [...this.#discord.channels.values()].flatMap(({ id, cards: ofChannel }) =>
      ofChannel
        .filter(({ body }) => isModCallCard(body))
        .slice(-2)
        .map(({ body }) => ({ guildId: id.split("-")[1] ?? "", cardId: cardIdIn(body) })),
    );
    const card = cards[Math.floor(this.#people.next() * cards.length)];
    const act = this.#people.next() < 0.4 ? "claim" : "resolve";
    if (card === undefined) return;
    const actor = { userId: "u", userName: "u", guildId: card.guildId, channelId: "c", roleIds: [] };
    const { modCalls } = this.#process.feeds;
    this.#act(() => modCalls.act({ ...actor, manageGuild: true, askedAtMs: 0 }, card.cardId, { do: act }));
  }

  #restartPolitely(): void {
    const { life, process } = { life: this.#life, process: this.#process };
    this.#act(async () => {
      await process.watch.stop();
      await Promise.all([process.outbox.stop(), process.feeds.stop(2_500)]);
      life.die();
    });
  }

  /** What somebody does to the running process; it may die of it half way, and the disk may refuse. */
  #act(work: () => Promise<unknown>): void {
    if (this.#life.dead) return;
    work().catch((error: unknown) => {
      if (!String(error).includes("the disk fails")) this.#defect(error);
    });
  }

  #someGuild(): readonly [string, SimServer | undefined] {
    const index = Math.floor(this.#random.next() * this.#servers.length);
    return [`g${index}`, this.#servers[index]];
  }
}
