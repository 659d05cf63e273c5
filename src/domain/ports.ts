import type { Failure } from "./failure.ts";
import type { Actor, Binding, Feed, FeedKind, GuildSettings, Tier } from "./guild.ts";
import type { MessageBody, OutgoingMessage, PostedMessage } from "./message.ts";
import type {
  CommandAnswer,
  Demand,
  EmergencyCall,
  ListName,
  LogEntry,
  ServerState,
  ServerStatus,
  Snapshot,
  SourceId,
} from "./model.ts";
import type {
  AuditEvent,
  AuditFilter,
  Danger,
  Decision,
  DeferredRun,
  RunOutcome,
  RunPlan,
  RunRecord,
  RunRequest,
  RunTicket,
} from "./run.ts";
import type { ServerKey } from "./secret.ts";

/** The interfaces between the wings. Each is implemented in one wing and used in others; main.ts ties them. */

export interface Clock {
  /** Epoch milliseconds. */
  nowMs(): number;
  /** Runs `work` once after `delayMs`; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, work: () => void): () => void;
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A fresh opaque id, safe in a custom_id. */
  id(): string;
}

/**
 * One namespace of the store. Values are checked with zod on reading; a value of an unreadable shape is a defect.
 * Calls reject when the store fails; they never answer as if nothing were there.
 */
export interface Documents<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T): Promise<void>;
  delete(key: string): Promise<void>;
  entries(): AsyncIterable<readonly [key: string, value: T]>;
}

export interface Bindings {
  list(guildId: string): Promise<readonly Binding[]>;
  /** By name (case-insensitive) or id; the only one, where nothing is said. Failure "not-linked" when there is none. */
  pick(guildId: string, nameOrId?: string): Promise<Binding>;
  /** Seals the key for this guild and keeps it; linking a known server again (same owner and join key) replaces its key. */
  link(link: NewLink): Promise<Linked>;
  unlink(guildId: string, bindingId: string): Promise<Binding | undefined>;
  bySource(source: SourceId): Promise<readonly Binding[]>;
  all(): AsyncIterable<Binding>;
  /** A bot was removed from a guild: its keys go. */
  forgetGuild(guildId: string): Promise<void>;
}

export interface NewLink {
  readonly guildId: string;
  readonly key: ServerKey;
  readonly status: ServerStatus;
  readonly byUserId: string;
}

export interface Linked {
  readonly binding: Binding;
  /** The source that this binding had before: its key was replaced (design 5, Source). */
  readonly replaced?: SourceId;
}

/** Gives an open key; only api/ receives this port. */
export interface KeyRing {
  keyOf(source: SourceId): Promise<ServerKey | undefined>;
  /** HMAC of the key under the host's secret. */
  sourceOf(key: ServerKey): SourceId;
}

export interface Settings {
  of(guildId: string): Promise<GuildSettings>;
  /** Read, change, write; changes of one guild never interleave. */
  change(guildId: string, edit: (settings: GuildSettings) => GuildSettings): Promise<GuildSettings>;
}

/** A feed as somebody asks for it; the registry gives it an id, a state and a time. */
export type NewFeed = Omit<Feed, "id" | "state" | "parkedWhy" | "createdAtMs">;

export interface FeedStore {
  list(guildId: string): Promise<readonly Feed[]>;
  all(): AsyncIterable<Feed>;
  save(feed: Feed): Promise<void>;
  remove(guildId: string, feedId: string): Promise<void>;
}

export interface AuditLog {
  /** Writes the row durably; called before sending and again with what came of it. */
  put(record: RunRecord): Promise<void>;
  get(guildId: string, runId: string): Promise<RunRecord | undefined>;
  event(event: AuditEvent): Promise<void>;
  /** Newest first. */
  search(guildId: string, filter: AuditFilter): Promise<readonly RunRecord[]>;
  events(
    guildId: string,
    filter: Pick<AuditFilter, "actorId" | "fromMs" | "toMs" | "limit">,
  ): Promise<readonly AuditEvent[]>;
  /** Rows that were being sent or waited when the process ended. */
  unfinished(): AsyncIterable<RunRecord>;
  prune(guildId: string, beforeMs: number): Promise<number>;
}

/** People waiting go before polls (design 4, Order). */
export type Priority = "person" | "poll";

export interface ReadOptions {
  readonly priority: Priority;
  readonly signal?: AbortSignal;
  /**
   * Called when the gate let the request through and it is being written. The poller keeps one read waiting at the
   * gate and chooses the next source only then, so that the choice is made as late as it can be. At most once for a
   * read, though a halt or a 429 may send it back to wait again; never for one that is refused or given up there.
   */
  readonly onSent?: () => void;
}

/** Every call passes the gate; rejects with Failure. */
export interface ServiceClient {
  read(source: SourceId, lists: readonly ListName[], options: ReadOptions): Promise<Snapshot>;
  /**
   * Sent at most once; after an unknown outcome the Failure says ran "unknown". `mayStart` is asked synchronously
   * right before the first byte is written, however long the gate held the command: false rejects with Failure
   * "expired" (ran "no"), so that a permission which was withdrawn meanwhile still counts (design 6).
   */
  command(
    source: SourceId,
    text: string,
    signal?: AbortSignal,
    mayStart?: () => boolean,
  ): Promise<CommandAnswer>;
}

/** Proves a key that no guild has linked yet by one `GET /v1/server`, within the guild's budget for wrong keys. */
export interface KeyProver {
  prove(key: ServerKey, guildId: string): Promise<ServerStatus>;
}

/** What the gate knows, for people and for /state. */
export interface ServiceHealth {
  /** Epoch milliseconds until which nothing is sent, and why. */
  halt(): { readonly untilMs: number; readonly why: "rate-limited" | "blocked" } | undefined;
  /** A key that the service rejected is parked until it is linked again. */
  parked(source: SourceId): { readonly sinceMs: number; readonly why: string } | undefined;
  /** When a command of this source could be sent, epoch milliseconds; now or earlier when nothing stands in the way. */
  commandReadyAtMs(source: SourceId): number;
}

export interface Snapshots {
  latest(source: SourceId): ServerState | undefined;
  /** The latest if it is young enough for each list, else one call, shared by all who ask at once. */
  fresh(
    source: SourceId,
    lists: readonly ListName[],
    maxAgeMs: number,
    signal?: AbortSignal,
  ): Promise<ServerState>;
}

export interface Demands {
  /** Replaces whatever `owner` demanded before; an empty array withdraws it. */
  put(owner: string, demands: readonly Demand[]): void;
}

/** The road from an answer to the feeds: awaited by the poller, so a slow store slows polling, never loses. */
export interface SnapshotListener {
  take(snapshot: Snapshot): Promise<void>;
}

/** Posts on the bot's own account. Rejects with SinkRefusal. */
export interface Sink {
  send(channelId: string, message: OutgoingMessage): Promise<{ readonly messageId: string }>;
  edit(channelId: string, messageId: string, body: MessageBody): Promise<void>;
  /** Our own messages after `afterMessageId` (or the latest), oldest first, all of them up to `limit`. */
  readBack(
    channelId: string,
    afterMessageId: string | undefined,
    limit: number,
  ): Promise<readonly PostedMessage[]>;
}

export interface Notifier {
  /** Tells a person by DM; when that is closed, the guild's notice channel (design 5, refusals). Never rejects. */
  person(guildId: string, userId: string, body: MessageBody): Promise<void>;
  /** The guild's notice channel, else the person who linked the server. Never rejects. */
  guild(guildId: string, body: MessageBody): Promise<void>;
}

export interface Members {
  /** One REST read of the member: the roles of this moment. Rejects when it cannot be read. */
  now(guildId: string, userId: string): Promise<Pick<Actor, "roleIds" | "manageGuild">>;
}

/** Pure rendering of log entries, implemented in discord/render, used by feeds/. */
export interface FeedRenderer {
  /** As many leading entries as fit one message; `taken` is at least 1. */
  lines(
    feed: Feed,
    entries: readonly LogEntry[],
    context: LineContext,
  ): { readonly body: MessageBody; readonly taken: number };
  modCall(view: ModCallView): MessageBody;
  emergencyCall(view: EmergencyCallView): MessageBody;
  gap(kind: FeedKind, fromS: number | undefined, toS: number): MessageBody;
  /** A batch that Discord refused (50035), or a backlog past 2,000: everything is in the attachment. */
  digest(feed: Feed, entries: readonly LogEntry[], why: "backlog" | "refused"): MessageBody;
  late(kind: FeedKind, sinceMs: number): MessageBody;
  /** Marks a body as possibly posted before (at-least-once, history unreadable). */
  possiblyRepeated(body: MessageBody): MessageBody;
  /** For whoever configured a feed that Discord no longer lets us post to. */
  parked(kind: FeedKind, channelId: string, why: string): MessageBody;
  /** A reply to a mod-call card that nobody has claimed. */
  escalation(callerName: string, waitedMs: number): MessageBody;
  test(kind: FeedKind, serverName: string | undefined): MessageBody;
  /** Entries that Discord took neither as lines nor as a file. */
  unpostable(kind: FeedKind, count: number, fromS: number, toS: number): MessageBody;
}

export interface LineContext {
  /** For a leave whose join was seen: how long they stayed, by entry index. */
  readonly stayedS: ReadonlyMap<number, number>;
  readonly serverName?: string;
}

export interface ModCallView {
  readonly cardId: string;
  readonly caller: ModCallPerson;
  readonly calledAtS: number;
  readonly answeredBy?: ModCallPerson;
  readonly claimedBy?: { readonly userId: string; readonly atMs: number };
  readonly resolved?: { readonly userId: string; readonly atMs: number; readonly note?: string };
  readonly escalated: boolean;
  readonly serverName?: string;
}

export interface ModCallPerson {
  readonly name: string;
  readonly id?: number;
}

export interface EmergencyCallView {
  /** Stands on the card, so that it is known again when it is read back. */
  readonly cardId: string;
  readonly call: EmergencyCall;
  readonly endedAtMs?: number;
  readonly callerName?: string;
  readonly unitNames: readonly string[];
  readonly serverName?: string;
}

export interface Feeds {
  list(guildId: string): Promise<readonly Feed[]>;
  /** Starts at the head: posts nothing of the past. */
  add(feed: NewFeed): Promise<Feed>;
  remove(guildId: string, feedId: string): Promise<Feed | undefined>;
  pause(guildId: string, feedId: string, paused: boolean): Promise<Feed | undefined>;
  /** Posts one test message into the feed's channel; rejects with SinkRefusal. */
  test(guildId: string, feedId: string): Promise<void>;
  /** Undelivered entries and last poll, for lists and /state. */
  status(feedId: string): { readonly undelivered: number; readonly lateSinceMs?: number };
}

export type ModCallAct =
  | { readonly do: "claim" }
  | { readonly do: "release" }
  | { readonly do: "resolve"; readonly note?: string };

export interface ModCalls {
  /** The first claim wins; the answer says in words what happened. Cards follow by themselves. */
  act(
    actor: Actor,
    cardId: string,
    act: ModCallAct,
  ): Promise<{ readonly ok: boolean; readonly text: string; readonly view?: ModCallView }>;
}

export interface Runner {
  /** Reads, resolves and judges; sends nothing. Failure "bad-command" for control characters or an empty text. */
  plan(request: RunRequest): Promise<RunPlan>;
  /** A plan made earlier that awaits its confirmation: only by who asked, within its time. Failure "expired"/"denied". */
  confirmed(planId: string, actor: Actor, typedName?: string): Promise<RunTicket>;
  /** For plans that need no confirmation. Failure "denied" or "queue-full". */
  submit(plan: RunPlan): Promise<RunTicket>;
}

export interface RunQueue {
  waiting(
    guildId: string,
  ): Promise<
    readonly { readonly record: RunRecord; readonly place: number; readonly expectedAtMs: number }[]
  >;
  /** One's own; a Manager's: any. */
  cancel(actor: Actor, runId: string): Promise<{ readonly ok: boolean; readonly text: string }>;
  /** Stores "run when someone joins" for a run that met an empty server; one per person and server. */
  defer(actor: Actor, runId: string): Promise<{ readonly ok: boolean; readonly text: string }>;
  /** What waits for someone to join; `cancel` takes their ids too. */
  deferred(guildId: string): Promise<readonly DeferredRun[]>;
  /** Drops a plan that awaits its confirmation; false: it was answered already, or is another person's. */
  discard(actor: Actor, planId: string): Promise<boolean>;
}

export interface Permissions {
  decide(actor: Actor, binding: Binding, text: string): Promise<Decision>;
  /** Any tier at all on this server: sees the join key, the audit of it. */
  isStaff(actor: Actor, binding: Binding): Promise<boolean>;
}

export interface VerbInfo {
  /** Canonical, without the colon. */
  readonly verb: string;
  readonly aliases: readonly string[];
  /** `:kick players [reason]` */
  readonly usage: string;
  readonly does: string;
  readonly tier: Tier;
  readonly danger: Danger;
}

/** What the catalogue of in-game commands knows, for autocompletion and for /staff; never a call of the service. */
export interface RunWords {
  /** Whole texts for what was typed so far: verbs, then live players of the latest snapshot. At most 25 of at most 100 characters. */
  complete(
    source: SourceId | undefined,
    typed: string,
  ): readonly { readonly name: string; readonly value: string }[];
  verbs(): readonly VerbInfo[];
  /** Of a verb, an alias or a whole text, with or without the colon; undefined: not in the catalogue. */
  about(verbOrText: string): VerbInfo | undefined;
}

/** Pure rendering of what runs/ tells of its own accord (channels, DMs), implemented in discord/render. */
export interface RunRenderer {
  outcome(outcome: RunOutcome): MessageBody;
  auditRow(record: RunRecord): MessageBody;
  auditEvent(event: AuditEvent): MessageBody;
  /** Nobody joined in time: it was not sent. */
  deferredExpired(run: DeferredRun): MessageBody;
}

/** Counters and gauges by name; the names live in ops/metrics.ts. Labels never hold a key or a name of a player. */
export interface Metrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  observe(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
}

/** What happened to the service as a whole or to one key: told to the operator's log and to guilds. */
export type ServiceEvent =
  | {
      readonly kind: "halted";
      readonly untilMs: number;
      readonly why: "rate-limited" | "blocked";
      readonly message: string;
    }
  | { readonly kind: "resumed" }
  | { readonly kind: "key-parked"; readonly source: SourceId; readonly failure: Failure }
  | { readonly kind: "global-key-rejected" }
  | { readonly kind: "shared-limits"; readonly bucketHash: string };
