import { feedRenderer } from "../../src/discord/render/feed.ts";
import { DutyRoster } from "../../src/domain/duty-roster.ts";
import type { Binding, Feed } from "../../src/domain/guild.ts";
import type { JournalOwner } from "../../src/domain/journal-id.ts";
import type { MessageBody } from "../../src/domain/message.ts";
import type {
  CommandEntry,
  Demand,
  EmergencyCall,
  JoinEntry,
  KillEntry,
  Lists,
  ModCallEntry,
  Player,
  ServerState,
  Snapshot,
  SourceId,
  Vehicle,
} from "../../src/domain/model.ts";
import type { Clock } from "../../src/domain/ports/clock.ts";
import type { FeedStore } from "../../src/domain/ports/feed-store.ts";
import type { NewFeed } from "../../src/domain/ports/feeds.ts";
import type { ChannelAccess } from "../../src/domain/ports/guilds.ts";
import type { Sink } from "../../src/domain/ports/sink.ts";
import { parseCard } from "../../src/feeds/cards/card-records.ts";
import { createFeeds, type FeedsWing } from "../../src/feeds/feeds.ts";
import { parseOffset } from "../../src/feeds/positions/offsets.ts";
import { createJournal, type JournalWing } from "../../src/journal/create-journal.ts";
import type { Outbox } from "../../src/outbox/create-outbox.ts";
import { createCleanStop, parseCleanEnd } from "../../src/store/clean-stop.ts";
import { linkedServer } from "./bindings.ts";
import { seededRandom, VirtualClock } from "./clock.ts";
import { entryLinesOf } from "./entry-lines.ts";
import { FakeSink } from "./fake-sink.ts";
import { MemoryDocuments } from "./memory-documents.ts";
import { journalTexts, MemoryJournalStore } from "./memory-journal.ts";
import { FakeMetrics } from "./network.ts";
import { outboxOver } from "./outbox.ts";
import { serverStatus } from "./server-status.ts";

export const source = "source-a" as SourceId;
export const guildId = "guild-1";

export const status = serverStatus({ name: "Town" });

/** The feeds wing between a hand-fed service and a Discord in memory; what a restart keeps outlives the wing. */
export class FeedsRig {
  readonly clock = new VirtualClock();
  readonly random = seededRandom(7);
  readonly sink = new FakeSink(this.clock);
  readonly told: { readonly userId: string; readonly body: MessageBody }[] = [];
  readonly channelAccess = new Map<string, ChannelAccess>();
  readonly demands = new Map<string, readonly Demand[]>();
  readonly bindings = new Map<string, Binding>();
  /** What was measured, in order. */
  readonly counts = new FakeMetrics();
  readonly observed: { readonly name: string; readonly value: number; readonly kind: string | undefined }[] =
    [];
  readonly warnings: string[] = [];
  /** Called before a message is sent whose batch must survive a power cut. */
  onDisk: () => void = () => undefined;
  readonly #texts = {
    ...journalTexts(),
    offsets: new Map<string, string>(),
    cards: new Map<string, string>(),
    feeds: new Map<string, string>(),
    // What ran before this rig ended in order, just now.
    cleanStop: new Map([["end", JSON.stringify({ unsettled: [], endedAtMs: this.clock.nowMs() })]]),
  };
  readonly journalStore = new MemoryJournalStore(this.#texts);
  readonly stores = {
    heads: this.journalStore.heads,
    offsets: new MemoryDocuments(parseOffset, this.#texts.offsets),
    cards: new MemoryDocuments(parseCard, this.#texts.cards),
    feeds: new MemoryDocuments((value) => value as Feed, this.#texts.feeds),
  };
  readonly cleanStops = new MemoryDocuments(parseCleanEnd, this.#texts.cleanStop);
  /** Of the processes to come: "guild" with several, which serve a part of the guilds each. */
  journalOwner: JournalOwner = "server";
  latest: ServerState | undefined;
  parkedKey = false;
  /** How far the service's clock is ahead of this machine's; undefined: its answers do not say. */
  serviceAheadMs: number | undefined;
  wing: FeedsWing;
  journal: JournalWing;
  outbox: Outbox;
  #life: Life = { dead: false, callsLeft: Number.POSITIVE_INFINITY };
  /** Rows that the service shows; each poll serves them all again. */
  readonly log: {
    joinLogs: JoinEntry[];
    killLogs: KillEntry[];
    commandLogs: CommandEntry[];
    modCalls: ModCallEntry[];
  } = {
    joinLogs: [],
    killLogs: [],
    commandLogs: [],
    modCalls: [],
  };
  calls: EmergencyCall[] = [];
  players: Player[] = [];
  vehicles: Vehicle[] = [];
  queue: number[] = [];
  /** Nobody is on duty. */
  readonly roster = new DutyRoster(this.clock);
  /** Guilds that record where people are. */
  readonly tracked = new Set<string>();

  constructor() {
    this.link("binding-1", "Town", source);
    [this.journal, this.wing, this.outbox] = this.#build();
  }

  link(id: string, name: string, of: SourceId): void {
    this.bindings.set(id, linkedServer({ id, guildId, source: of, name, joinKey: "join" }));
  }

  get nowS(): number {
    return Math.floor(this.clock.nowMs() / 1_000);
  }

  async add(feed: Partial<NewFeed> = {}): Promise<Feed> {
    return await this.wing.feeds.add({
      guildId,
      bindingId: "binding-1",
      kind: "joins",
      channelId: "channel-1",
      style: "lines",
      filter: {},
      silent: false,
      createdBy: "user-1",
      ...feed,
    });
  }

  join(name: string, joined = true, id = 1): void {
    this.log.joinLogs.push({ kind: "join", atS: this.nowS, player: { name, id }, joined });
  }

  /** Somebody calls moderators in the game; the next poll shows it. */
  callModerators(name: string, atS = this.nowS): void {
    this.log.modCalls.push({ kind: "modCall", atS, caller: { name, id: name.length } });
  }

  /** One poll: the answer holds everything that stands in the logs. */
  async poll(of: SourceId = source): Promise<void> {
    const nowMs = this.clock.nowMs();
    const lists: Partial<Lists> = {
      ...this.log,
      emergencyCalls: this.calls,
      players: this.players,
      vehicles: this.vehicles,
      queue: this.queue,
    };
    const snapshot: Snapshot = {
      source: of,
      askedAtMs: nowMs,
      takenAtMs: nowMs,
      ...(this.serviceAheadMs === undefined ? {} : { serviceAtMs: nowMs + this.serviceAheadMs }),
      status,
      lists: structuredClone(lists),
      skippedRows: {},
    };
    this.latest = {
      source: of,
      status,
      statusAtMs: nowMs,
      lists: {
        players: { atMs: nowMs, value: this.players },
        killLogs: { atMs: nowMs, value: [...this.log.killLogs] },
        modCalls: { atMs: nowMs, value: [...this.log.modCalls] },
      },
    };
    await this.journal.take(snapshot);
  }

  /** A poll, then time for batches to be flushed. */
  async pollAndFlush(ms = 10_000): Promise<void> {
    await this.poll();
    await this.clock.advance(ms);
  }

  /** A poll and that much time; a process that died in it is followed by a new one. */
  async pollUnlessDead(ms: number): Promise<void> {
    // In a process that dies the poll waits for ever.
    const poll = this.poll();
    await this.clock.advance(ms);
    if (this.dead) await this.restart();
    else await poll;
  }

  /** Nothing fails and nobody dies any more, for long enough that all that waits is posted. */
  async calmDown(): Promise<void> {
    this.sink.fault = () => undefined;
    this.dieAfter(Number.POSITIVE_INFINITY);
    await this.pollAndFlush(300_000);
    await this.pollAndFlush(300_000);
  }

  /** kill -9: nothing of the old process goes on, and a new one starts from the store. */
  async crash(): Promise<void> {
    this.#life.dead = true;
    await this.restart();
  }

  /** All that the store holds now, for a power cut that sets it back to this. */
  saved(): Saved {
    return Object.entries(this.#texts).map(([name, texts]) => [name, new Map(texts)] as const);
  }

  /** The power goes: the process ends, the store has lost what was written since `saved`, a new process starts. */
  async powerCut(saved: Saved): Promise<void> {
    this.#life.dead = true;
    for (const [name, texts] of Object.entries(this.#texts)) {
      texts.clear();
      for (const [key, text] of saved.find(([of]) => of === name)?.[1] ?? []) texts.set(key, text);
    }
    await this.restart();
  }

  /** A new process after the old one has died (or was stopped). */
  async restart(): Promise<void> {
    this.#life = { dead: false, callsLeft: Number.POSITIVE_INFINITY };
    [this.journal, this.wing, this.outbox] = this.#build();
    await this.wing.start();
  }

  /** The process dies at the n-th call of store or Discord from now: before it, or with n - 0.5 after its effect. */
  dieAfter(calls: number): void {
    this.#life.callsLeft = calls;
  }

  get dead(): boolean {
    return this.#life.dead;
  }

  async start(): Promise<this> {
    await this.wing.start();
    return this;
  }

  /** A stop in order: the outbox and its senders together, as in stop-order.ts. */
  async stop(): Promise<void> {
    await Promise.all([this.outbox.stop(), this.wing.stop(2_500)]);
  }

  #build(): [JournalWing, FeedsWing, Outbox] {
    const life = this.#life;
    const { offsets, cards, feeds } = this.stores;
    const { heads, chunks, rows, write } = this.journalStore;
    const feedStore: FeedStore = {
      list: async (ofGuild) => {
        const all: Feed[] = [];
        for await (const [, feed] of feeds.entries()) if (feed.guildId === ofGuild) all.push(feed);
        return all;
      },
      async *all() {
        for await (const [, feed] of feeds.entries()) yield feed;
      },
      save: (feed) => feeds.set(feed.id, feed),
      remove: (_guildId, feedId) => feeds.delete(feedId),
    };
    const bindings = this.bindings;
    const clock: Clock = {
      nowMs: () => this.clock.nowMs(),
      monotonicMs: () => this.clock.monotonicMs(),
      after: (delayMs, work) => this.clock.after(delayMs, () => (life.dead ? undefined : work())),
      sleep: (delayMs, signal) => this.clock.sleep(delayMs, signal),
    };
    const outbox = outboxOver(mortal<Sink>(this.sink, life), clock);
    const journal = createJournal({
      followedOf: () => [],
      heads: mortal(heads, life),
      chunks: mortal(chunks, life),
      rows: mortal(rows, life),
      write: mortal({ write }, life).write,
      clock,
      random: this.random,
      warn: (message) => void this.warnings.push(message),
    });
    const wing = createFeeds({
      roster: this.roster,
      tracked: this.tracked,
      whoToPing: async () => this.roster.of(guildId).map(({ userId }) => userId),
      journalOwner: this.journalOwner,
      journal,
      offsets: mortal(offsets, life),
      cards: mortal(cards, life),
      clock,
      random: this.random,
      onDisk: async () => this.onDisk(),
      posts: outbox.posts,
      batches: outbox.batches,
      renderer: feedRenderer,
      notifier: {
        person: async (_guildId, userId, body) => {
          this.told.push({ userId, body });
        },
        // Without a notice channel: who is named, or whoever linked the server.
        guild: async (_guildId, body, userId = "linker") => {
          this.told.push({ userId, body });
        },
      },
      guilds: {
        channelAccess: async (_guildId, channelId) =>
          this.channelAccess.get(channelId) ?? { kind: "unknown" },
      },
      metrics: {
        count: (name, labels) => this.counts.count(name, labels),
        observe: (name, value, labels = {}) => void this.observed.push({ name, value, kind: labels.kind }),
      },
      snapshots: { latest: () => this.latest, failing: () => undefined },
      demands: {
        put: (owner, demands) => {
          if (demands.length === 0) this.demands.delete(owner);
          else this.demands.set(owner, demands);
        },
      },
      health: {
        parked: () => (this.parkedKey ? { sinceMs: 0, why: "regenerated" } : undefined),
        halt: () => undefined,
      },
      bindings: {
        list: async (ofGuild) => [...bindings.values()].filter((one) => one.guildId === ofGuild),
        *linked() {
          yield* bindings.values();
        },
      },
      feedStore,
      cleanStop: createCleanStop(
        { flush: async () => true },
        { documents: mortal(this.cleanStops, life), key: "end" },
        this.clock,
      ),
      nonceKey: "nonce key of the test",
      warn: (message) => {
        this.warnings.push(message);
      },
    });
    return [journal, wing, outbox];
  }
}

type Saved = readonly (readonly [name: string, texts: ReadonlyMap<string, string>])[];

interface Life {
  dead: boolean;
  callsLeft: number;
}

/** Calls of a dead process neither happen nor return. A process may die between the effect of a call and its answer. */
function mortal<T extends object>(target: T, life: Life): T {
  const never = () => new Promise<never>(() => undefined);
  return new Proxy(target, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name, of);
      if (typeof member !== "function") return member;
      if (name === "entries") return member.bind(of);
      return async (...given: unknown[]) => {
        if (life.dead) return await never();
        life.callsLeft -= 1;
        // A whole number dies before the effect, a half one after it.
        if (life.callsLeft === 0) life.dead = true;
        if (life.dead) return await never();
        const result: unknown = await Reflect.apply(member, of, given);
        if (life.callsLeft < 0) life.dead = true;
        return life.dead ? await never() : result;
      };
    },
  });
}

export interface RigOptions {
  /** Feeds that are there, their baselines taken. Default none. */
  readonly feeds?: readonly Partial<NewFeed>[];
  /** How long Discord remembers a nonce. Default three minutes. */
  readonly nonceMemoryMs?: number;
}

/** Runs a test on a started rig, and stops the rig however the test ends. */
export async function withRig(
  run: (rig: FeedsRig) => Promise<void>,
  { feeds = [], nonceMemoryMs }: RigOptions = {},
): Promise<void> {
  const rig = await new FeedsRig().start();
  rig.sink.nonceMemoryMs = nonceMemoryMs ?? rig.sink.nonceMemoryMs;
  try {
    for (const feed of feeds) await rig.add(feed);
    if (feeds.length > 0) await rig.pollAndFlush(30_000);
    await run(rig);
  } finally {
    await rig.stop();
  }
}

/** Names of the players whose joining stands in a channel, in order. */
export function joined(rig: FeedsRig, channelId = "channel-1"): string[] {
  const lines = entryLinesOf(rig.sink.text(channelId));
  return lines.flatMap((line) => /\*\*(.+?)\*\* joined/.exec(line)?.[1] ?? []);
}
