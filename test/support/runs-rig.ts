import type { AskedBan } from "../../src/domain/asked-ban.ts";
import type { BanEnd } from "../../src/domain/ban-end.ts";
import { markdownOfOurs } from "../../src/domain/escaped.ts";
import { Failure } from "../../src/domain/failure.ts";
import { type Actor, type Binding, DEFAULT_SETTINGS, type GuildSettings } from "../../src/domain/guild.ts";
import type { KnownPlayer } from "../../src/domain/history.ts";
import type { OutgoingMessage } from "../../src/domain/message.ts";
import type {
  CommandAnswer,
  CommandEntry,
  Demand,
  JoinEntry,
  ListName,
  Player,
  ServerState,
  Snapshot,
  SourceId,
} from "../../src/domain/model.ts";
import type { AuditLog } from "../../src/domain/ports/audit-log.ts";
import type { Bindings } from "../../src/domain/ports/bindings.ts";
import type { Clock } from "../../src/domain/ports/clock.ts";
import type { Demands } from "../../src/domain/ports/demands.ts";
import type { Members } from "../../src/domain/ports/members.ts";
import type { Notifier, OwedMessage, OwedMessages } from "../../src/domain/ports/notifier.ts";
import type { LateAnswers, RunAnswers } from "../../src/domain/ports/run-answers.ts";
import type { RunRenderer } from "../../src/domain/ports/run-renderer.ts";
import type { ServiceClient } from "../../src/domain/ports/service-client.ts";
import type { ServiceHealth } from "../../src/domain/ports/service-health.ts";
import type { Settings } from "../../src/domain/ports/settings.ts";
import type { Sink } from "../../src/domain/ports/sink.ts";
import type { Failing, Snapshots } from "../../src/domain/ports/snapshots.ts";
import type { AuditEvent, DeferredRun, RecentRun, RunRecord } from "../../src/domain/run.ts";
import type { Schedule } from "../../src/domain/schedule.ts";
import { type GuildAccounts, parseGuildAccounts } from "../../src/runs/accounts/account-record.ts";
import { LinkedAccounts } from "../../src/runs/accounts/linked-accounts.ts";
import { parseAskedBan } from "../../src/runs/bans/asked-ban-record.ts";
import { parseBanEnd } from "../../src/runs/bans/ban-end-record.ts";
import type { StandingBan } from "../../src/runs/bans/check-lift.ts";
import { parseDeferredRun } from "../../src/runs/queue/deferred-run-record.ts";
import { createRuns, type Runs } from "../../src/runs/runs.ts";
import type { RunsPorts } from "../../src/runs/runs-ports.ts";
import { parseSchedule } from "../../src/runs/schedules/schedule-record.ts";
import { parseSealedAnswer } from "../../src/store/document-schemas.ts";
import { createRunAnswers } from "../../src/store/run-answers.ts";
import { createVault } from "../../src/store/vault.ts";
import { linkedServer } from "./bindings.ts";
import { seededRandom, VirtualClock } from "./clock.ts";
import { MemoryDocuments } from "./memory-documents.ts";
import { journalTexts, memoryJournal } from "./memory-journal.ts";
import { FakeMetrics } from "./network.ts";
import { outboxOver } from "./outbox.ts";

/** A guild with one linked server and everything that runs/ needs around it, in memory and in virtual time. */

export const sourceId = "a".repeat(64) as SourceId;

export const binding = linkedServer({ source: sourceId, name: "Liberty County", joinKey: "LC" });

export const roles = { viewer: "r-view", mod: "r-mod", admin: "r-admin", manager: "r-man", none: "r-none" };

export function player(name: string, id: number, permission = "Normal"): Player {
  return { player: { name, id }, team: "Civilian", permission, wantedStars: 0 };
}

/** The audit as the store keeps it; survives `crash`. Every put is recorded in order. */
export class MemoryAudit implements AuditLog {
  readonly rows = new Map<string, RunRecord>();
  readonly log: RunRecord[] = [];
  readonly eventRows: AuditEvent[] = [];
  searches = 0;
  failure: Error | undefined;
  /** How long a write takes. */
  pause: () => Promise<void> = () => Promise.resolve();

  async put(record: RunRecord): Promise<void> {
    await this.pause();
    if (this.failure !== undefined) throw this.failure;
    this.rows.set(record.id, record);
    this.log.push(record);
  }
  async get(guildId: string, runId: string): Promise<RunRecord | undefined> {
    const row = this.rows.get(runId);
    return row?.guildId === guildId ? row : undefined;
  }
  async event(event: AuditEvent): Promise<void> {
    if (!this.eventRows.some(({ id }) => id === event.id)) this.eventRows.push(event);
  }
  async search(guildId: string, filter: Parameters<AuditLog["search"]>[1]): ReturnType<AuditLog["search"]> {
    this.searches += 1;
    const rows = [...this.rows.values()]
      .filter((row) => row.guildId === guildId)
      .filter((row) => filter.bindingId === undefined || row.bindingId === filter.bindingId)
      .filter((row) => filter.status === undefined || row.status === filter.status)
      .filter((row) => filter.actorId === undefined || row.actorId === filter.actorId)
      .filter((row) => filter.verb === undefined || row.verb === filter.verb)
      .filter((row) => filter.fromMs === undefined || row.askedAtMs >= filter.fromMs)
      .filter((row) => filter.withoutDenied !== true || row.status !== "denied")
      .reverse();
    const from = Number(filter.after ?? 0);
    const next = from + (filter.limit ?? 1_000);
    return { rows: rows.slice(from, next), ...(next > rows.length ? {} : { next: String(next) }) };
  }
  async recentRuns(source: SourceId, sinceMs: number): Promise<readonly RecentRun[]> {
    return [...this.rows.values()]
      .filter((row) => row.source === source && (row.status === "sending" || row.ran !== "no"))
      .flatMap((row) => (row.sentAtMs === undefined ? [] : [{ ...row, sentAtMs: row.sentAtMs }]))
      .filter(({ sentAtMs }) => sentAtMs >= sinceMs)
      .sort((a, b) => a.sentAtMs - b.sentAtMs);
  }
  async events(): ReturnType<AuditLog["events"]> {
    return { rows: [...this.eventRows].reverse() };
  }
  async *unfinished(): AsyncGenerator<RunRecord> {
    for (const row of this.rows.values()) if (row.status === "waiting" || row.status === "sending") yield row;
  }
  async prune(guildId: string, beforeMs: number): Promise<number> {
    const old = [...this.rows.values()].filter((row) => row.guildId === guildId && row.askedAtMs < beforeMs);
    for (const { id } of old) this.rows.delete(id);
    return old.length;
  }
}

/** What a test decides about one command: an answer, a rejection, or silence until it says so. */
export type Answering = (
  text: string,
  signal: AbortSignal | undefined,
  mayStart: () => boolean,
) => Promise<string>;

export interface Sent {
  readonly text: string;
  readonly atMs: number;
  readonly source: SourceId;
}

/** Where a test has the real thing instead of this rig's. */
export interface RunsRigOptions {
  readonly clock?: VirtualClock;
  readonly client?: Pick<ServiceClient, "command">;
  readonly health?: ServiceHealth;
  readonly members?: Members;
  readonly sink?: Sink;
  readonly notifier?: Notifier & OwedMessages;
  readonly renderer?: RunRenderer;
  readonly lateAnswers?: LateAnswers;
}

/** One for all rigs: deriving its keys would be a tenth of ten thousand interleavings. */
const VAULT = createVault({ secret: new Uint8Array(32).fill(5) });

export class RunsRig {
  readonly clock: VirtualClock;
  readonly audit = new MemoryAudit();
  readonly metrics = new FakeMetrics();
  readonly sent: Sent[] = [];
  readonly posts: { readonly channelId: string; readonly message: OutgoingMessage }[] = [];
  readonly told: { readonly userId: string; readonly content: string }[] = [];
  readonly guildNotices: string[] = [];
  /** Answers that were completed where they stand, by their tokens. */
  readonly edits: { readonly token: string; readonly content: string }[] = [];
  editFails = false;
  /** False: the process ends before anybody is told of an outcome. */
  storesOwed = true;
  /** The owner of the server, who is not in it. */
  readonly ownerId = 1;
  /** Players whom the history knows. */
  history: readonly KnownPlayer[] = [];
  /** As the store keeps them; they survive `crash`. */
  readonly answerTexts = new Map<string, string>();
  readonly reports: { readonly what: string; readonly error: unknown }[] = [];
  readonly demandsPut = new Map<string, readonly Demand[]>();
  readonly memberRoles = new Map<string, readonly string[]>();
  readonly windowMs = 5_000;
  membersRead = 0;
  membersFailure: Error | undefined;
  /** How long a read of a member takes; it tells what was so when it began. */
  membersPause: () => Promise<void> = () => Promise.resolve();
  linked: Binding[] = [binding];
  settingsOf = new Map<string, GuildSettings>();
  players: readonly Player[] = [player("Alice", 11), player("Bob", 12), player("Bobby", 13)];
  /** What a fresh read shows of the log of commands; undefined: nothing. */
  commandLogs: readonly CommandEntry[] | undefined;
  admins = new Map<number, string>([[21, "Ada"]]);
  mods = new Map<number, string>([[22, "Moe"]]);
  haltUntilMs: number | undefined;
  readyAtMs = 0;
  parkedWhy: string | undefined;
  freshFailure: Error | undefined;
  /** Lists that no answer had yet; a fresh read brings what it asks for. */
  unread: readonly ListName[] = [];
  listsKnown = true;
  joinLogs: readonly JoinEntry[] = [];
  /** Before a fresh read is answered. */
  onFresh: () => Promise<void> = async () => undefined;
  answering: Answering = async () => "Success";
  runs: Runs;
  readonly #random = seededRandom(7);
  readonly #owed = new Set<string>();
  /** Message and words of what messages of ours are to say from then on. */
  readonly cardEdits: string[] = [];
  readonly #deferredTexts = new Map<string, string>();
  /** As the store keeps them; they survive `crash`. */
  readonly scheduleTexts = new Map<string, string>();
  /** Those of the process that runs now. */
  scheduleDocuments = new MemoryDocuments<Schedule>(parseSchedule, this.scheduleTexts);
  readonly banEndTexts = new Map<string, string>();
  /** Those of the process that runs now. */
  banEndDocuments = new MemoryDocuments<BanEnd>(parseBanEnd, this.banEndTexts);
  readonly askedTexts = new Map<string, string>();
  askedDocuments = new MemoryDocuments<AskedBan>(parseAskedBan, this.askedTexts);
  /** Whether a case says that somebody was banned again. */
  isBannedAgain: (end: BanEnd) => Promise<boolean> = async () => false;
  /** The case of a ban that somebody had before. */
  standingBan: StandingBan = async () => undefined;
  /** The case of a run, for the process that the next `crash` begins; undefined: no cases are kept. */
  caseOf: RunsPorts["caseOf"];
  /** That the server's polls fail. */
  readFailing: Failing | undefined;
  /** Those of the process that runs now. */
  deferredDocuments = new MemoryDocuments<DeferredRun>(parseDeferredRun, this.#deferredTexts);
  readonly #journalTexts = journalTexts();
  /** Those of the process that runs now. */
  journal = memoryJournal({ clock: new VirtualClock() });
  readonly #accountTexts = new Map<string, string>();
  readonly accountDocuments = new MemoryDocuments<GuildAccounts>(parseGuildAccounts, this.#accountTexts);
  /** What a crashed process still had under way must not be seen by the next. */
  #life = 0;
  /** Processes before this one were killed; those between it and `#life` go on without the lease. */
  #firstAlive = 0;

  readonly #options: RunsRigOptions;

  readonly settings: Settings = {
    of: async (guildId) => this.settingsOf.get(guildId) ?? DEFAULT_SETTINGS,
    known: (guildId) => this.settingsOf.get(guildId),
    change: async (guildId, edit) => {
      const next = edit(this.settingsOf.get(guildId) ?? DEFAULT_SETTINGS);
      this.settingsOf.set(guildId, next);
      return next;
    },
  };

  readonly snapshots: Snapshots = {
    failing: () => this.readFailing,
    latest: () => this.#state(),
    fresh: async (_, lists) => {
      if (this.freshFailure !== undefined) throw this.freshFailure;
      await this.onFresh();
      this.unread = this.unread.filter((list) => !lists.includes(list));
      return this.#state();
    },
  };

  readonly bindings: Bindings = {
    list: async (guildId) => this.linked.filter((one) => one.guildId === guildId),
    pick: async (guildId, nameOrId) => {
      const all = this.linked.filter((one) => one.guildId === guildId);
      const wanted = nameOrId?.toLowerCase();
      const found = all.find(
        ({ id, name }) => wanted === undefined || id === nameOrId || name.toLowerCase() === wanted,
      );
      if (found === undefined) throw new Failure("not-linked", "No such server is linked.");
      return found;
    },
    checkRoom: notHere,
    link: notHere,
    rename: () => Promise.reject(new Error("not expected")),
    unlink: notHere,
    bySource: async (source) => this.linked.filter((one) => one.source === source),
    all: () => this.#allLinked(),
    linkedOf: (guildId) => this.linked.filter((one) => one.guildId === guildId),
    guildsOf: (source) => this.linked.filter((one) => one.source === source).map(({ guildId }) => guildId),
    linked: () => this.linked,
    forgetGuild: async () => undefined,
  };

  readonly runAnswers: RunAnswers;

  constructor(options: RunsRigOptions = {}) {
    this.#options = options;
    this.clock = options.clock ?? new VirtualClock();
    this.runAnswers = createRunAnswers({
      documents: new MemoryDocuments(parseSealedAnswer, this.answerTexts),
      vault: VAULT,
      clock: this.clock,
    });
    this.setPolicy({});
    this.runs = this.#build();
  }

  setPolicy(more: Partial<GuildSettings["policies"][string]>, bindingId = binding.id, guildId = "g1"): void {
    const settings = this.settingsOf.get(guildId) ?? DEFAULT_SETTINGS;
    const policy = {
      roleTiers: {
        [roles.viewer]: "viewer",
        [roles.mod]: "moderator",
        [roles.admin]: "administrator",
        [roles.manager]: "manager",
      } as const,
      allowed: [],
      denied: [],
      protectedPlayers: [],
      ...more,
    };
    this.settingsOf.set(guildId, { ...settings, policies: { ...settings.policies, [bindingId]: policy } });
  }

  actor(role: keyof typeof roles, more: Partial<Actor> = {}): Actor {
    const userId = more.userId ?? `u-${role}`;
    const roleIds = more.roleIds ?? [roles[role]];
    if (!this.memberRoles.has(userId)) this.memberRoles.set(userId, roleIds);
    return {
      userId,
      userName: userId,
      guildId: "g1",
      channelId: "c1",
      roleIds,
      manageGuild: false,
      askedAtMs: this.clock.nowMs(),
      ...more,
    };
  }

  /** The process dies: nothing in memory remains, the store does. */
  crash(options: { readonly isStoreInDoubt?: boolean; readonly isOlderCopy?: boolean } = {}): void {
    this.#life += 1;
    this.#firstAlive = this.#life;
    this.scheduleDocuments.isDead = true;
    this.deferredDocuments.isDead = true;
    this.banEndDocuments.isDead = true;
    this.askedDocuments.isDead = true;
    this.runs = this.#build(options);
  }

  /** Another process has the lease from now on. The one before it goes on, but can neither write nor send. */
  takeOver(): void {
    this.#life += 1;
    this.scheduleDocuments.refuseWrites = new Failure("paused", "Another process serves this server now.");
    this.banEndDocuments.refuseWrites = this.scheduleDocuments.refuseWrites;
    this.askedDocuments.refuseWrites = this.scheduleDocuments.refuseWrites;
    this.runs = this.#build({ isStoreInDoubt: true });
  }

  snapshot(commandLogs?: readonly CommandEntry[], currentPlayers = this.players.length): Snapshot {
    const { statusAtMs: _, ...state } = this.#state();
    return {
      source: sourceId,
      askedAtMs: this.clock.nowMs(),
      takenAtMs: this.clock.nowMs(),
      status: { ...state.status, currentPlayers },
      lists: commandLogs === undefined ? {} : { commandLogs },
      skippedRows: {},
    };
  }

  #build({ isStoreInDoubt = false, isOlderCopy = false } = {}): Runs {
    const life = this.#life;
    const alive = () => life >= this.#firstAlive;
    const isHolding = () => life === this.#life;
    const clock = this.#clockOf(alive);
    const health: ServiceHealth = {
      // As the client's, it is still there after its time, until a request has shown that it is over.
      halt: () =>
        this.haltUntilMs === undefined ? undefined : { untilMs: this.haltUntilMs, why: "rate-limited" },
      parked: () => (this.parkedWhy === undefined ? undefined : { sinceMs: 0, why: this.parkedWhy }),
      held: () => undefined,
      readRefused: () => undefined,
      commandPermission: () => ({ kind: "unknown" }),
      commandReadyAtMs: () => this.readyAtMs,
    };
    const client: Pick<ServiceClient, "command"> = {
      command: async (source, text, { signal, mayStart } = {}) => {
        if (!isHolding()) throw new Failure("paused", "Another process serves this server now.");
        return this.#command(source, text, signal, () => isHolding() && (mayStart?.() ?? true));
      },
    };
    this.journal = memoryJournal({ clock, texts: this.#journalTexts });
    const runs = createRuns({
      metrics: this.metrics,
      isStoreInDoubt,
      isOlderCopy,
      wholeSinceMs: isStoreInDoubt ? clock.nowMs() : undefined,
      client: this.#options.client ?? client,
      health: this.#options.health ?? health,
      snapshots: this.snapshots,
      demands: this.#demands(),
      bindings: this.bindings,
      settings: this.settings,
      guilds: () => this.#guilds(),
      audit: this.#auditOf(alive, isHolding),
      history: {
        findAll: async (_guildId, namesOrIds) =>
          this.history.filter(({ playerId, name, earlierNames }) =>
            [String(playerId), name, ...earlierNames].some((way) =>
              namesOrIds.some((wanted) => wanted.toLowerCase() === way.toLowerCase()),
            ),
          ),
      },
      members: this.#options.members ?? this.#members(),
      posts: outboxOver(this.#sinkOf(alive), clock).posts,
      owed: this.#options.notifier ?? { owe: (message) => this.#owe(message) },
      notifier: this.#options.notifier ?? {
        person: async (_guildId, userId, body) => {
          this.told.push({ userId, content: body.content ?? "" });
        },
        guild: async (_guildId, body) => void this.guildNotices.push(body.content ?? ""),
      },
      renderer: this.#options.renderer ?? plainRenderer,
      answers: this.runAnswers,
      lateAnswers: this.#options.lateAnswers ?? this.#lateAnswers(),
      schedules: this.#newScheduleDocuments(),
      banEnds: this.#newBanEndDocuments(),
      askedBans: this.askedDocuments,
      isBannedAgain: (end) => this.isBannedAgain(end),
      standingBan: (end) => this.standingBan(end),
      caseOf: this.caseOf,
      deferred: this.#newDeferredDocuments(),
      journal: this.journal,
      accounts: new LinkedAccounts(this.accountDocuments),
      clock,
      random: this.#random,
      report: (what, error) => void (alive() && this.reports.push({ what, error })),
    });
    return runs;
  }

  #sinkOf(alive: () => boolean): Sink {
    const kept: Sink = this.#options.sink ?? {
      send: async (channelId, message) => {
        this.posts.push({ channelId, message });
        return { messageId: String(this.posts.length) };
      },
      edit: async () => undefined,
      readBack: async () => [],
    };
    const unlessDead = <T>(work: () => Promise<T>) => (alive() ? work() : new Promise<T>(() => undefined));
    return {
      send: (...given) => unlessDead(() => kept.send(...given)),
      edit: (...given) => unlessDead(() => kept.edit(...given)),
      readBack: (...given) => unlessDead(() => kept.readBack(...given)),
    };
  }

  /** The first way is open; the same twice is one. */
  async #owe({ id, ways: [way], body }: OwedMessage): Promise<boolean> {
    if (!this.storesOwed) return false;
    if (this.#owed.has(id)) return true;
    this.#owed.add(id);
    if (way?.to === "channel") this.posts.push({ channelId: way.channelId, message: { ...body, nonce: id } });
    if (way?.to === "edit") this.cardEdits.push(`${way.messageId} ${way.body.content ?? ""}`);
    if (way?.to === "person") this.told.push({ userId: way.userId, content: body.content ?? "" });
    return true;
  }

  #newScheduleDocuments(): MemoryDocuments<Schedule> {
    this.scheduleDocuments = new MemoryDocuments<Schedule>(parseSchedule, this.scheduleTexts);
    return this.scheduleDocuments;
  }

  #newBanEndDocuments(): MemoryDocuments<BanEnd> {
    this.banEndDocuments = new MemoryDocuments<BanEnd>(parseBanEnd, this.banEndTexts);
    this.askedDocuments = new MemoryDocuments<AskedBan>(parseAskedBan, this.askedTexts);
    return this.banEndDocuments;
  }

  #newDeferredDocuments(): MemoryDocuments<DeferredRun> {
    this.deferredDocuments = new MemoryDocuments<DeferredRun>(parseDeferredRun, this.#deferredTexts);
    return this.deferredDocuments;
  }

  #lateAnswers(): LateAnswers {
    return {
      edit: async ({ token }, body) => {
        if (this.editFails) return "refused";
        this.edits.push({ token, content: body.content ?? "" });
        return "edited";
      },
      replaceThinking: async ({ token }, body) =>
        void this.edits.push({ token, content: body.content ?? "" }),
    };
  }

  /** A dead process's timers never fire. */
  #clockOf(alive: () => boolean): Clock {
    const { clock } = this;
    return {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs, work) => clock.after(delayMs, () => void (alive() && work())),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    };
  }

  /** A dead process writes no more; one without the lease is refused. */
  #auditOf(alive: () => boolean, isHolding: () => boolean): AuditLog {
    const { audit } = this;
    const never = new Promise<never>(() => undefined);
    const writing = async (write: () => Promise<void>) => {
      if (!alive()) return never;
      if (!isHolding()) throw new Failure("paused", "Another process serves this server now.");
      return write();
    };
    return {
      put: (record) => writing(() => audit.put(record)),
      get: async (guildId, id) => audit.get(guildId, id),
      event: (event) => writing(() => audit.event(event)),
      search: async (guildId, filter) => audit.search(guildId, filter),
      events: async () => audit.events(),
      recentRuns: async (source, sinceMs) => audit.recentRuns(source, sinceMs),
      unfinished: () => audit.unfinished(),
      prune: async (guildId, beforeMs) => audit.prune(guildId, beforeMs),
    };
  }

  async #command(
    source: SourceId,
    text: string,
    signal: AbortSignal | undefined,
    mayStart: () => boolean,
  ): Promise<CommandAnswer> {
    const sentAtMs = this.clock.nowMs();
    this.sent.push({ text, atMs: sentAtMs, source });
    const message = await this.answering(text, signal, mayStart);
    const answeredAtMs = this.clock.nowMs();
    this.readyAtMs = answeredAtMs + this.windowMs;
    return { message, sentAtMs, answeredAtMs };
  }

  #state(): ServerState {
    const atMs = this.clock.nowMs();
    const status = {
      name: binding.name,
      ownerId: this.ownerId,
      coOwnerIds: [2],
      currentPlayers: this.players.length,
      maxPlayers: 40,
      joinKey: "LC",
      accVerifiedReq: "Disabled",
      teamBalance: true,
    };
    const lists = {
      players: { atMs, value: this.players },
      staff: { atMs, value: { admins: this.admins, mods: this.mods, helpers: new Map<number, string>() } },
      joinLogs: { atMs, value: this.joinLogs },
      ...(this.commandLogs === undefined ? {} : { commandLogs: { atMs, value: this.commandLogs } }),
    };
    return { source: sourceId, status, statusAtMs: atMs, lists: this.listsKnown ? this.#read(lists) : {} };
  }

  #read(lists: ServerState["lists"]): ServerState["lists"] {
    const read = Object.entries(lists).filter(([list]) => !this.unread.some((name) => name === list));
    return Object.fromEntries(read);
  }

  #demands(): Demands {
    return {
      put: (owner, demands) => {
        if (demands.length === 0) this.demandsPut.delete(owner);
        else this.demandsPut.set(owner, demands);
      },
    };
  }

  #members(): Members {
    return {
      now: async (_guildId, userId) => {
        this.membersRead += 1;
        const roleIds = this.memberRoles.get(userId) ?? [];
        await this.membersPause();
        if (this.membersFailure !== undefined) throw this.membersFailure;
        return { roleIds, manageGuild: false };
      },
    };
  }

  async *#guilds(): AsyncGenerator<string> {
    yield* this.linked.map(({ guildId }) => guildId);
    yield* this.settingsOf.keys();
  }

  async *#allLinked(): AsyncGenerator<Binding> {
    yield* this.linked;
  }
}

function notHere(): Promise<never> {
  return Promise.reject(new Error("not part of this rig"));
}

/** Says what it was given, plainly. */
const plainRenderer: RunRenderer = {
  outcome: ({ record }) => ({
    content: markdownOfOurs(`${record.status} ${record.text} ${record.message ?? ""}`),
  }),
  answer: ({ record }) => ({
    content: markdownOfOurs(`answer ${record.status} ${record.text} ${record.proof}`),
  }),
  outcomeMarks: ({ id }) => [id],
  restarted: () => ({ content: markdownOfOurs("restarted") }),
  restartedRun: () => ({ content: markdownOfOurs("restarted") }),
  auditRow: (record) => markdownOfOurs(`row ${record.status} ${record.text} ${record.proof}`),
  auditEvent: (event) => markdownOfOurs(`event ${event.action} ${event.text}`),
  deferredExpired: (run) => ({ content: markdownOfOurs(`nobody joined: ${run.request.text}`) }),
  schedulesEnded: (ended, why) => ({
    content: markdownOfOurs(`ended ${ended.map(({ text }) => text).join(", ")}: ${why}`),
  }),
  banEndOver: ({ playerName, why }) => ({ content: markdownOfOurs(`over ${playerName}: ${why ?? ""}`) }),
  askedBanOver: ({ player: { name } }, why, { mayAskAgain }) => ({
    content: markdownOfOurs(`not sent ${name}: ${why}${mayAskAgain ? " Ask again." : ""}`),
  }),
  askedBanUnsure: ({ player: { name } }, why) => ({ content: markdownOfOurs(`unsure ${name}: ${why}`) }),
  askedBanEnded: ({ player: { name } }, end) => ({
    content: markdownOfOurs(
      `${name}: ${typeof end === "string" ? end : "unsure" in end ? end.unsure : end.status}`,
    ),
  }),
  askedBanRefused: ({ player: { name } }, byId) => ({
    content: markdownOfOurs(`${name} refused by ${byId}`),
  }),
  banEndsHeld: (ends, why) => ({
    content: markdownOfOurs(`held ${ends.map(({ playerName }) => playerName).join(", ")}: ${why}`),
  }),
  scheduleFailing: ({ text }, why) => ({ content: markdownOfOurs(`failing ${text}: ${why}`) }),
};
