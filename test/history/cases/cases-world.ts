import { caseRenderer } from "../../../src/discord/render/players/watch-cards.ts";
import { DEFAULT_SETTINGS, type GuildSettings } from "../../../src/domain/guild.ts";
import type { CommandEntry, JoinEntry, PlayerRef, Snapshot, SourceId } from "../../../src/domain/model.ts";
import type { GameAccount } from "../../../src/domain/ports/game-accounts.ts";
import type { RunRecord } from "../../../src/domain/run.ts";
import { type CasesRoom, createCases } from "../../../src/history/cases/create-cases.ts";
import { parseUnstoredCase } from "../../../src/history/cases/unstored-case.ts";
import { WhoWasThere } from "../../../src/history/who-was-there.ts";
import type { Notices } from "../../../src/outbox/notices.ts";
import { parseOwedNotice } from "../../../src/outbox/owed-notice.ts";
import { readLogged } from "../../../src/runs/catalogue/read-logged.ts";
import { linkedServer } from "../../support/bindings.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { FakeSink } from "../../support/fake-sink.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { journalTexts, memoryJournal } from "../../support/memory-journal.ts";
import { noticesOf, outboxOver } from "../../support/outbox.ts";
import { serverStatus } from "../../support/server-status.ts";
import { MemoryCases, MemoryWatches } from "./memory-stores.ts";

const source = "s1" as SourceId;

/** A server with its logs, two channels, and the room of cases, which can be killed and started again. */
export class CasesWorld {
  readonly clock = new VirtualClock();
  readonly random = seededRandom(3);
  readonly sink = new FakeSink(this.clock);
  there = new WhoWasThere();
  readonly cases = new MemoryCases();
  /** Of every case. */
  hasReplay = false;
  readonly watches = new MemoryWatches();
  /** Rows of the audit; they outlive the bot, as `unstored` does. */
  readonly audit = new Map<string, RunRecord>();
  readonly unstored = new MemoryDocuments(parseUnstoredCase);
  readonly owed = new MemoryDocuments(parseOwedNotice);
  readonly told: string[] = [];
  /** Who vouched for the link of the member u14; nothing: it is proven. */
  link: Pick<GameAccount, "vouchedBy" | "confirmedBy"> = {};
  readonly reported: string[] = [];
  settings: GuildSettings = { ...DEFAULT_SETTINGS, caseChannelId: "cases", watchChannelId: "watches" };
  players: PlayerRef[] = [];
  joins: JoinEntry[] = [];
  /** A guild that another process serves. */
  anothersGuild = "";
  commands: CommandEntry[] = [];
  room: CasesRoom;
  journal = memoryJournal({ clock: this.clock });
  /** By how much the service's clock, by which rows are dated, is ahead of ours. */
  serviceAheadS = 0;
  readonly #texts = journalTexts();
  #notices: Notices | undefined;
  /** The room of an earlier life may not be heard any more. */
  #life = 0;

  constructor() {
    this.room = this.#build();
  }

  get nowS(): number {
    return Math.floor(this.clock.nowMs() / 1_000);
  }

  join(player: PlayerRef): void {
    this.players.push(player);
    this.joins.push({ kind: "join", atS: this.nowS + this.serviceAheadS, player, joined: true });
  }

  leave(player: PlayerRef): void {
    this.players = this.players.filter(({ id }) => id !== player.id);
    this.joins.push({ kind: "join", atS: this.nowS + this.serviceAheadS, player, joined: false });
  }

  types(player: PlayerRef, text: string): void {
    this.commands.push({ kind: "command", atS: this.nowS, player, text });
  }

  snapshot(): Snapshot {
    const players = this.players.map((player) => ({
      player,
      team: "",
      permission: "Normal",
      wantedStars: 0,
    }));
    return {
      source,
      askedAtMs: this.clock.nowMs(),
      takenAtMs: this.clock.nowMs(),
      serviceAtMs: this.clock.nowMs() + this.serviceAheadS * 1_000,
      status: serverStatus(),
      lists: { players, joinLogs: [...this.joins], commandLogs: [...this.commands] },
      skippedRows: {},
    };
  }

  /** The server is read, and what follows is done. */
  async look(
    logged: (rows: readonly CommandEntry[]) => readonly CommandEntry[] = (rows) => rows,
  ): Promise<void> {
    const snapshot = this.snapshot();
    this.there.see(snapshot);
    const commandLogs = logged(snapshot.lists.commandLogs ?? []);
    const look = { ...snapshot, lists: { ...snapshot.lists, commandLogs } };
    await this.journal.take(look);
    this.room.take(look);
    await this.settle();
  }

  async settle(ms = 200): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await this.clock.advance(ms / 20);
  }

  async start(): Promise<void> {
    await this.#notices?.recover();
    this.room.start();
    await this.settle();
  }

  /** kill -9: what it was doing is not done any more, what it has stored stays. */
  async kill(): Promise<void> {
    this.#life += 1;
    this.there = new WhoWasThere();
    this.room = this.#build();
    await this.start();
  }

  #build(): CasesRoom {
    const life = this.#life;
    const alive = <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== "function") return value;
          // A process that was killed waits for ever.
          return (...args: unknown[]) =>
            this.#life === life ? Reflect.apply(value, target, args) : new Promise(() => undefined);
        },
      });
    const outbox = outboxOver(alive(this.sink), alive(this.clock));
    this.#notices = noticesOf(outbox, "notices", alive(this.owed));
    const binding = linkedServer({ source, linkedAtMs: this.clock.nowMs() - 60_000 });
    this.journal = memoryJournal({ clock: this.clock, texts: this.#texts });
    return createCases({
      journal: this.journal,
      store: alive(this.cases),
      watchStore: alive(this.watches),
      owed: this.#notices,
      hasReplay: async () => this.hasReplay,
      posts: outbox.posts,
      settings: { of: async () => this.settings },
      bindings: { bySource: async () => [binding], list: async () => [binding] },
      there: this.there,
      accounts: {
        of: async (_, userId) =>
          userId === "u14"
            ? { ...this.link, userId, player: { name: "Mo", id: 14 }, linkedAtMs: 0 }
            : undefined,
        ofPlayer: async (_, playerId) =>
          playerId === 14 ? { userId: "u14", player: { name: "Mo", id: 14 }, linkedAtMs: 0 } : undefined,
      },
      audit: { get: async (_, runId) => this.audit.get(runId) },
      unstored: alive(this.unstored),
      notifier: { guild: async (_, { content = "" }) => void this.told.push(content) },
      renderer: caseRenderer,
      read: readLogged,
      findPlayers: async (_, name) => (name === "Long_Gone" ? [{ name, id: 99 }] : []),
      keeps: async () => true,
      isOurs: (guildId) => guildId !== this.anothersGuild,
      clock: this.clock,
      random: this.random,
      onUnreadable: (watches) => void this.reported.push(`${watches} watches`),
      report: (what) => void this.reported.push(what),
    });
  }
}
