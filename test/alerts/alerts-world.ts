import { parseGuildAlerts } from "../../src/alerts/alert-rules.ts";
import { type AlertsWing, createAlerts } from "../../src/alerts/create-alerts.ts";
import { parseServerState } from "../../src/alerts/server-state.ts";
import { alertRenderer } from "../../src/discord/render/alert-cards.ts";
import type { AlertRule, CallEnd } from "../../src/domain/alert.ts";
import { type Binding, DEFAULT_SETTINGS, type GuildSettings } from "../../src/domain/guild.ts";
import { type JournalOwner, journalOf } from "../../src/domain/journal-id.ts";
import type { MessageBody, OutgoingMessage } from "../../src/domain/message.ts";
import type {
  CommandEntry,
  Demand,
  KillEntry,
  Lists,
  ModCallEntry,
  PlayerRef,
  ServerState,
  Snapshot,
  SourceId,
} from "../../src/domain/model.ts";
import type { NewAlert } from "../../src/domain/ports/alerts.ts";
import type { GameAccount } from "../../src/domain/ports/game-accounts.ts";
import type { OpenCallCard } from "../../src/domain/ports/mod-calls.ts";
import type { Sink } from "../../src/domain/ports/sink.ts";
import type { RunRecord } from "../../src/domain/run.ts";
import { createJournal, type JournalWing } from "../../src/journal/create-journal.ts";
import type { JournalChange } from "../../src/journal/journal-records.ts";
import type { Outbox } from "../../src/outbox/create-outbox.ts";
import { readLogged } from "../../src/runs/catalogue/read-logged.ts";
import { linkedServer } from "../support/bindings.ts";
import { seededRandom, settle, VirtualClock } from "../support/clock.ts";
import { FakeSink } from "../support/fake-sink.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { journalTexts, MemoryJournalStore } from "../support/memory-journal.ts";
import { outboxOver } from "../support/outbox.ts";
import { serverStatus } from "../support/server-status.ts";

const SOURCE = "s1" as SourceId;
export const CHANNEL = "alerts";

export const binding = linkedServer({ source: SOURCE });

/** A process of the bot that was killed waits for ever, and does nothing more. */
interface Process {
  readonly wing: AlertsWing;
  readonly journal: JournalWing;
  readonly outbox: Outbox;
  readonly states: MemoryDocuments<ReturnType<typeof parseServerState>>;
  readonly rules: MemoryDocuments<ReturnType<typeof parseGuildAlerts>>;
  isDead: boolean;
}

/** The wing of alerts over a store, a Discord and a town that outlive it. */
export class AlertsWorld {
  readonly clock = new VirtualClock();
  readonly sink = new FakeSink(this.clock);
  readonly texts = {
    rules: new Map<string, string>(),
    states: new Map<string, string>(),
    journal: journalTexts(),
  };
  readonly demands = new Map<string, readonly Demand[]>();
  readonly notices: MessageBody[] = [];
  /** On duty, and mentioned gladly. */
  onDuty: readonly string[] = [];
  /** Guilds that record where people are. */
  readonly tracked = new Set<string>();
  readonly reports: string[] = [];
  readonly runs = new Map<string, RunRecord>();
  readonly callEnds = new Map<string, CallEnd>();
  /** Of moderator calls, in a log channel. */
  callCards: OpenCallCard[] = [];
  accounts: readonly GameAccount[] = [];
  settings: GuildSettings = DEFAULT_SETTINGS;
  bindings: readonly Binding[] = [binding];
  journalOwner: JournalOwner = "server";
  kills: KillEntry[] = [];
  commands: CommandEntry[] = [];
  calls: ModCallEntry[] = [];
  players: PlayerRef[] = [];
  /** What was read last, beside what is taken in. */
  latest: ServerState | undefined;
  teams = new Map<string, string>();
  /** Asked before each call of Discord or the store; true: the process is killed there. */
  dies: () => boolean = () => false;
  ours: (guildId: string) => boolean = () => true;
  /** How far the service's clock is ahead of this machine's. */
  serviceAheadS = 0;
  process: Process;
  #started = 0;

  constructor() {
    this.process = this.#process();
  }

  get nowS(): number {
    return Math.floor(this.clock.nowMs() / 1_000);
  }

  /** By the service's clock, which dates its rows. */
  get serviceS(): number {
    return this.nowS + this.serviceAheadS;
  }

  get wing(): AlertsWing {
    return this.process.wing;
  }

  async start(): Promise<void> {
    await this.wing.start();
  }

  /** `kill -9`, and a start on what was stored. */
  async restart(): Promise<void> {
    this.#kill();
    this.process = this.#process();
    await this.start();
  }

  async add(alert: Partial<NewAlert> & Pick<NewAlert, "kind">): Promise<AlertRule> {
    return await this.wing.alerts.add({
      guildId: "g1",
      bindingId: "b1",
      channelId: CHANNEL,
      createdBy: "u1",
      ...alert,
    });
  }

  kill(killer: PlayerRef, times = 1, atS = this.nowS): void {
    for (let nth = 0; nth < times; nth += 1) {
      this.kills.push({ kind: "kill", atS, killer, killed: { name: `Victim${nth}`, id: 900 + nth } });
    }
  }

  type(player: PlayerRef, text: string, atS = this.nowS): void {
    this.commands.push({ kind: "command", atS, player, text });
  }

  snapshot(lists: Partial<Lists> = this.lists()): Snapshot {
    const nowMs = this.clock.nowMs();
    return {
      source: SOURCE,
      askedAtMs: nowMs,
      takenAtMs: nowMs,
      serviceAtMs: this.serviceS * 1_000,
      status: serverStatus({ name: "Town", currentPlayers: this.players.length, maxPlayers: 10 }),
      lists,
      skippedRows: {},
    };
  }

  lists(): Partial<Lists> {
    return {
      killLogs: [...this.kills],
      commandLogs: [...this.commands],
      modCalls: [...this.calls],
      players: this.players.map((player) => ({
        player,
        permission: "Normal",
        wantedStars: 0,
        team: this.teams.get(player.name) ?? "Civilian",
      })),
    };
  }

  /** An answer of the service, and what follows from it at once. Rejects when the store does. */
  async look(snapshot = this.snapshot()): Promise<void> {
    await this.process.journal.take(snapshot);
    await settle();
    await settle();
  }

  messages(channelId = CHANNEL) {
    return this.sink.messages(channelId);
  }

  /** All that a reader sees, message by message. */
  shown(channelId = CHANNEL): readonly string[] {
    return this.messages(channelId).map(({ body }) =>
      [body.content, ...(body.cards ?? []).flatMap(({ title, description }) => [title, description])].join(
        "\n",
      ),
    );
  }

  #kill(): void {
    const { process } = this;
    process.isDead = true;
    process.states.isDead = true;
    process.rules.isDead = true;
  }

  #process(): Process {
    const states = new MemoryDocuments(parseServerState, this.texts.states);
    const rules = new MemoryDocuments(parseGuildAlerts, this.texts.rules);
    this.#started += 1;
    const process: { wing?: AlertsWing; isDead: boolean } = { isDead: false };
    const alive = async (): Promise<void> => {
      if (process.isDead) await new Promise(() => undefined);
      if (this.process?.wing === process.wing && this.dies()) {
        this.#kill();
        await new Promise(() => undefined);
      }
    };
    const outbox = outboxOver(mortalSink(this.sink, alive), this.clock);
    const { heads, chunks, rows, write } = new MemoryJournalStore(this.texts.journal);
    const journal = createJournal({
      heads: mortal(heads, alive),
      chunks: mortal(chunks, alive),
      rows,
      async write(changes: readonly JournalChange[]) {
        await alive();
        await write(changes);
        await alive();
      },
      followedOf: (source) =>
        this.bindings.map(({ guildId }) => journalOf(this.journalOwner, source, guildId)),
      clock: this.clock,
      random: seededRandom(this.#started + 1_000),
      warn: (what) => void this.reports.push(what),
    });
    journal.trimFromNow();
    const wing = createAlerts({
      whoToPing: async () => this.onDuty,
      tracked: this.tracked,
      journal,
      rules: mortal(rules, alive),
      states: mortal(states, alive),
      posts: outbox.posts,
      bindings: { list: async () => this.bindings },
      snapshots: { latest: () => this.latest },
      settings: { of: async () => this.settings },
      accounts: {
        of: async (_, userId) => this.accounts.find((account) => account.userId === userId),
        ofPlayer: async (_, playerId) => this.accounts.find(({ player }) => player.id === playerId),
      },
      audit: {
        recentRuns: async (source, sinceMs) =>
          [...this.runs.values()].flatMap(({ sentAtMs, ...run }) =>
            run.source === source && sentAtMs !== undefined && sentAtMs >= sinceMs
              ? [{ ...run, sentAtMs }]
              : [],
          ),
        get: async (_, id) => this.runs.get(id),
      },
      demands: { put: (owner, demands) => void this.demands.set(owner, demands) },
      notifier: { guild: async (_, body) => void this.notices.push(body) },
      renderer: alertRenderer,
      clock: this.clock,
      random: seededRandom(this.#started),
      read: readLogged,
      isOurs: (guildId) => this.ours(guildId),
      callEndOf: (_, { caller, atS }) => this.callEnds.get(`${caller.name} ${atS}`),
      callCardsOf: () => this.callCards,
      report: (what) => void this.reports.push(what),
    });
    journal.follow(wing.follower);
    process.wing = wing;
    return Object.assign(process, { wing, journal, outbox, states, rules });
  }
}

type Alive = () => Promise<void>;

function mortal<T>(documents: MemoryDocuments<T>, alive: Alive) {
  return {
    async get(key: string) {
      await alive();
      return await documents.get(key);
    },
    async set(key: string, value: T) {
      await alive();
      await documents.set(key, value);
      await alive();
    },
    async delete(key: string) {
      await alive();
      await documents.delete(key);
    },
    entries: () => documents.entries(),
  };
}

function mortalSink(sink: Sink, alive: Alive): Sink {
  return {
    async send(channelId: string, message: OutgoingMessage) {
      await alive();
      const sent = await sink.send(channelId, message);
      await alive();
      return sent;
    },
    async edit(channelId: string, messageId: string, body: MessageBody) {
      await alive();
      await sink.edit(channelId, messageId, body);
      await alive();
    },
    async readBack(channelId: string, afterMessageId: string | undefined, limit: number) {
      await alive();
      return await sink.readBack(channelId, afterMessageId, limit);
    },
  };
}
