import assert from "node:assert/strict";
import { sessionRenderer } from "../../src/discord/render/sessions/session-cards.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { Binding } from "../../src/domain/guild.ts";
import type { Demand, Player, ServerState, Snapshot } from "../../src/domain/model.ts";
import type { Clock } from "../../src/domain/ports/clock.ts";
import type { SessionFigures, SessionSetup } from "../../src/domain/session.ts";
import { createSessions, type SessionsWing } from "../../src/sessions/create-sessions.ts";
import {
  type KeptSession,
  parseSession,
  parseSessionPage,
  type SessionPage,
} from "../../src/sessions/session-records.ts";
import { linkedServer } from "../support/bindings.ts";
import { seededRandom, VirtualClock } from "../support/clock.ts";
import { actorOf } from "../support/fake-services.ts";
import { FakeSink, type StoredMessage } from "../support/fake-sink.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { outboxOver } from "../support/outbox.ts";
import { serverStatus } from "../support/server-status.ts";

export const CHANNEL = "sessions";
export const SERVER = linkedServer();
const SETUP: SessionSetup = { channelId: CHANNEL, roleId: "77", needed: 2, cooldownMinutes: 30 };
const FIGURES: SessionFigures = { calls: 4, answered: 3, timed: 3, medianAnswerS: 60, staff: 2, knownS: 1e6 };

export const host = actorOf({ userId: "1", guildId: SERVER.guildId });
export const voter = (userId: string) => actorOf({ userId, guildId: SERVER.guildId });

/** A process of the bot, which can be killed: then it writes, sends and answers nothing more. */
export interface Process {
  readonly wing: SessionsWing;
  readonly sessions: MemoryDocuments<KeptSession>;
  readonly pages: MemoryDocuments<SessionPage>;
  kill(): void;
}

/** A community with one server and one channel for its sessions, on a clock of the test. */
export class SessionWorld {
  readonly clock = new VirtualClock(Date.UTC(2026, 9, 24, 18));
  readonly sink = new FakeSink(this.clock);
  readonly allowed = new Set<string>();
  readonly demands = new Map<string, readonly Demand[]>();
  readonly told: string[] = [];
  linked: readonly Binding[] = [SERVER];
  state: ServerState | undefined;
  /** What the history answers. */
  figures: SessionFigures | "away" | "off" | "silent" = FIGURES;
  /** Called at each step that a process takes in the world: before and after each write and each message. */
  onStep: () => void = () => undefined;
  process: Process;
  readonly #texts = { sessions: new Map<string, string>(), pages: new Map<string, string>() };
  readonly #random = seededRandom(3);

  private constructor() {
    this.process = this.#boot();
  }

  static async open(setup: Partial<SessionSetup> = {}): Promise<SessionWorld> {
    const world = new SessionWorld();
    await world.process.wing.start();
    await world.sessions.setUp(SERVER.guildId, SERVER.id, () => ({ ...SETUP, ...setup }));
    return world;
  }

  get sessions() {
    return this.process.wing.sessions;
  }

  get current() {
    return this.sessions.current(SERVER.guildId, SERVER.id);
  }

  get messages(): readonly StoredMessage[] {
    return this.sink.messages(CHANNEL);
  }

  /** The one message whose title holds these words. */
  message(words: string): StoredMessage {
    const found = this.messages.filter(({ body }) => body.cards?.[0]?.title?.includes(words));
    const [one, ...others] = found;
    assert.ok(one !== undefined && others.length === 0, `${found.length} messages say ${words}`);
    return one;
  }

  /** What the message whose title holds these words says now. */
  text(words: string): string {
    const { body } = this.message(words);
    return [body.content, body.cards?.[0]?.title, body.cards?.[0]?.description].join("\n");
  }

  /** Resolves with the answer of what somebody asked, while time goes on. */
  async asks<T>(work: Promise<T>, withinMs = 30_000): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    await this.clock.until(() => isDone, withinMs);
    return await work;
  }

  /** Refused for a reason that a person can mend. */
  async refuses(work: Promise<unknown>, words: RegExp): Promise<void> {
    await assert.rejects(this.asks(work), (error) => error instanceof Failure && words.test(error.message));
  }

  vote(minutes = 60) {
    return this.asks(this.sessions.vote(host, SERVER, { minutes }));
  }

  start(wish: { readonly text?: string; readonly pictureUrl?: string } = {}) {
    return this.asks(this.sessions.start(host, SERVER, wish));
  }

  /** An answer of the server, which the bot sees now. */
  look(players: readonly Player[]): void {
    const takenAtMs = this.clock.nowMs();
    const status = serverStatus({ currentPlayers: players.length });
    const { source } = SERVER;
    this.state = {
      source,
      status,
      statusAtMs: takenAtMs,
      lists: { players: { atMs: takenAtMs, value: players } },
    };
    const look: Snapshot = {
      source,
      askedAtMs: takenAtMs,
      takenAtMs,
      status,
      lists: { players: [...players] },
      skippedRows: {},
    };
    this.process.wing.take(look);
  }

  /** The process is gone in this moment, and another one begins. */
  async restart(): Promise<void> {
    this.process.kill();
    this.process = this.#boot();
    await this.process.wing.start();
  }

  /** What the store holds now, to be put back later. */
  backUp(): () => Promise<void> {
    const [sessions, pages] = [new Map(this.#texts.sessions), new Map(this.#texts.pages)];
    return async () => {
      this.process.kill();
      for (const [now, then] of [
        [this.#texts.sessions, sessions],
        [this.#texts.pages, pages],
      ] as const) {
        now.clear();
        for (const [key, text] of then) now.set(key, text);
      }
      this.process = this.#boot({ isOlderCopy: true });
      await this.process.wing.start();
    };
  }

  #boot({ isOlderCopy = false } = {}): Process {
    let isDead = false;
    const sessions = new MemoryDocuments(parseSession, this.#texts.sessions);
    const pages = new MemoryDocuments(parseSessionPage, this.#texts.pages);
    const unlessDead = async <T>(work: () => Promise<T>): Promise<T> => {
      this.onStep();
      if (isDead) await new Promise(() => undefined);
      try {
        return await work();
      } finally {
        this.onStep();
        if (isDead) await new Promise(() => undefined);
      }
    };
    sessions.onWrite = () => this.onStep();
    pages.onWrite = () => this.onStep();
    const clock: Clock = {
      nowMs: () => this.clock.nowMs(),
      monotonicMs: () => this.clock.monotonicMs(),
      after: (delayMs, work) => this.clock.after(delayMs, () => isDead || work()),
      sleep: (delayMs, signal) => this.clock.sleep(delayMs, signal),
    };
    const sink = {
      send: (...given: Parameters<FakeSink["send"]>) => unlessDead(() => this.sink.send(...given)),
      edit: (...given: Parameters<FakeSink["edit"]>) => unlessDead(() => this.sink.edit(...given)),
      readBack: (...given: Parameters<FakeSink["readBack"]>) =>
        unlessDead(() => this.sink.readBack(...given)),
      remove: (channelId: string, messageId: string) =>
        unlessDead(async () => {
          const others = this.sink.messages(channelId).filter((one) => one.messageId !== messageId);
          this.sink.channels.set(channelId, others);
        }),
    };
    const wing = createSessions({
      sessions,
      pages,
      clock,
      messages: outboxOver(sink, clock).posts,
      renderer: sessionRenderer,
      notifier: { person: async (_, userId, body) => void this.told.push(`${userId}: ${body.content}`) },
      mentions: {
        whoAllowed: async (_, ids, most) => ids.filter((id) => this.allowed.has(id)).slice(0, most),
      },
      bindings: {
        linkedOf: (guildId) => this.linked.filter((one) => one.guildId === guildId),
        guildsOf: (source) =>
          this.linked.filter((one) => one.source === source).map(({ guildId }) => guildId),
      },
      demands: {
        put: (owner, wanted) => {
          if (!isDead) this.demands.set(owner, wanted);
        },
      },
      random: this.#random,
      isOlderCopy,
      latest: () => this.state,
      lookedS: async () => (this.figures === "off" ? "off" : this.clock.nowMs() / 1_000),
      figures: async () => {
        if (this.figures === "silent") await new Promise(() => undefined);
        if (typeof this.figures === "string") throw new Failure("store", "away for the test");
        return this.figures;
      },
      report: (what, error) => {
        throw new Error(what, { cause: error });
      },
    });
    return {
      wing,
      sessions,
      pages,
      kill: () => {
        isDead = true;
        sessions.isDead = true;
        pages.isDead = true;
      },
    };
  }
}

/** Nobody asks for answers of a server any more. */
export function nothingDemanded(world: SessionWorld): boolean {
  return [...world.demands.values()].every((wanted) => wanted.length === 0);
}
