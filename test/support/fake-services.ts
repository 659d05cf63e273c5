import { createHash } from "node:crypto";
import { createPendingLinks } from "../../src/discord/interactions/pending-links.ts";
import type { Services } from "../../src/discord/services.ts";
import { Failure } from "../../src/domain/failure.ts";
import {
  type Actor,
  type Binding,
  DEFAULT_SETTINGS,
  EMPTY_POLICY,
  type GuildSettings,
  withModerators,
} from "../../src/domain/guild.ts";
import type { ServerState, ServerStatus, SourceId } from "../../src/domain/model.ts";
import type { Alerts } from "../../src/domain/ports/alerts.ts";
import type { Appeals } from "../../src/domain/ports/appeals.ts";
import type { AskedBans } from "../../src/domain/ports/asked-bans.ts";
import type { AuditLog } from "../../src/domain/ports/audit-log.ts";
import type { BanEnds } from "../../src/domain/ports/ban-ends.ts";
import type { Bindings } from "../../src/domain/ports/bindings.ts";
import type { KnownPermission } from "../../src/domain/ports/command-permission.ts";
import type { Documents } from "../../src/domain/ports/documents.ts";
import type { Feeds } from "../../src/domain/ports/feeds.ts";
import type { GameAccounts } from "../../src/domain/ports/game-accounts.ts";
import type { ChannelAccess, Guilds } from "../../src/domain/ports/guilds.ts";
import type { WaitingPosts } from "../../src/domain/ports/host-health.ts";
import type { ModCalls } from "../../src/domain/ports/mod-calls.ts";
import type { Panels } from "../../src/domain/ports/panels.ts";
import type { PendingLinks } from "../../src/domain/ports/pending-links.ts";
import type { Permissions } from "../../src/domain/ports/permissions.ts";
import type { Ranks } from "../../src/domain/ports/ranks.ts";
import type { Rules } from "../../src/domain/ports/rules.ts";
import type { Schedules } from "../../src/domain/ports/schedules.ts";
import type { KeyVerifier, TypedTries } from "../../src/domain/ports/service-client.ts";
import type { ServiceHealth } from "../../src/domain/ports/service-health.ts";
import type { Sessions } from "../../src/domain/ports/sessions.ts";
import type { Settings } from "../../src/domain/ports/settings.ts";
import type { Failing, Snapshots } from "../../src/domain/ports/snapshots.ts";
import type { AuditEvent } from "../../src/domain/run.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import { DUTY_OFF, STAFFING_OFF } from "../../src/duty/no-duty.ts";
import { CASES_OFF, WATCHES_OFF } from "../../src/history/cases/no-cases.ts";
import { createNoHistory } from "../../src/history/no-history.ts";
import { WEEKLY_OFF } from "../../src/history/weekly/no-weekly.ts";
import type { Log } from "../../src/log.ts";
import { createMentions, parseAllowedMention } from "../../src/store/mentions.ts";
import { seededRandom, VirtualClock } from "./clock.ts";
import { MemoryDocuments } from "./memory-documents.ts";
import { NOBODY_ON_DUTY } from "./nobody-on-duty.ts";
import { serverStatus } from "./server-status.ts";

/** The world behind the commands, as plain values that a test sets and reads. */
export class FakeWorld {
  readonly clock = new VirtualClock();
  readonly random = seededRandom(7);
  readonly bindingsById = new Map<string, Binding>();
  readonly settingsByGuild = new Map<string, GuildSettings>();
  readonly states = new Map<SourceId, ServerState>();
  readonly events: AuditEvent[] = [];
  readonly hidden: string[] = [];
  readonly calls: string[] = [];
  serversPerGuild = 10;
  /** Keys that the service knows, and whose server they open. */
  readonly keys = new Map<string, ServerStatus>();
  readonly parked = new Map<SourceId, string>();
  halt: ReturnType<ServiceHealth["halt"]>;
  /** What `fresh` throws. */
  failure: Error | undefined;
  readonly pendingLinks: PendingLinks = createPendingLinks(this.clock, this.random);

  readonly bindings: Bindings = {
    list: async (guildId) => [...this.bindingsById.values()].filter((one) => one.guildId === guildId),
    pick: async (guildId, nameOrId) => {
      const all = await this.bindings.list(guildId);
      const wanted = nameOrId?.toLowerCase();
      const found = all.filter(({ id, name }) => id === nameOrId || name.toLowerCase() === wanted);
      const one = nameOrId === undefined ? (all.length === 1 ? all[0] : undefined) : found[0];
      if (one === undefined)
        throw new Failure("not-linked", "No server is linked here.", { wants: "server" });
      return one;
    },
    checkRoom: async (guildId) => {
      const linked = (await this.bindings.list(guildId)).length;
      if (linked >= this.serversPerGuild) throw new Failure("bad-command", `${linked} servers are linked.`);
    },
    link: async ({ guildId, key, status, byUserId, moderatorRoleIds = [] }) => {
      const source = sourceOf(key);
      const before = (await this.bindings.list(guildId)).find(
        ({ ownerId, joinKey }) => ownerId === status.ownerId && joinKey === status.joinKey,
      );
      const binding: Binding = {
        id: before?.id ?? this.random.id(),
        guildId,
        source,
        name: status.name,
        ownerId: status.ownerId,
        joinKey: status.joinKey,
        linkedBy: byUserId,
        linkedAtMs: this.clock.nowMs(),
      };
      this.bindingsById.set(binding.id, binding);
      const linked = { binding, moderatorRoleIds };
      return before === undefined ? linked : { ...linked, replaced: before.source };
    },
    rename: async (guildId, id, name) => {
      const found = this.bindingsById.get(id);
      if (found?.guildId !== guildId) return undefined;
      this.bindingsById.set(id, { ...found, name });
      return { ...found, name };
    },
    unlink: async (guildId, id) => {
      const found = this.bindingsById.get(id);
      if (found?.guildId !== guildId) return undefined;
      this.bindingsById.delete(id);
      return found;
    },
    bySource: async (source) => [...this.bindingsById.values()].filter((one) => one.source === source),
    all: async function* (this: void) {},
    linkedOf: (guildId) => [...this.bindingsById.values()].filter((one) => one.guildId === guildId),
    guildsOf: (source) =>
      [...this.bindingsById.values()].filter((one) => one.source === source).map(({ guildId }) => guildId),
    linked: () => this.bindingsById.values(),
    forgetGuild: async (guildId) => {
      for (const one of await this.bindings.list(guildId)) this.bindingsById.delete(one.id);
    },
  };

  readonly settings: Settings = {
    of: async (guildId) => this.settingsByGuild.get(guildId) ?? DEFAULT_SETTINGS,
    known: (guildId) => this.settingsByGuild.get(guildId),
    change: async (guildId, edit) => {
      const changed = edit(await this.settings.of(guildId));
      this.settingsByGuild.set(guildId, changed);
      return changed;
    },
  };

  readonly keyVerifier: KeyVerifier = {
    verifyKey: async (key) => {
      this.calls.push("verifyKey");
      const status = this.keys.get(key.reveal());
      if (status === undefined)
        throw new Failure("key-rejected", "The service does not know this key.", { wants: "key" });
      return status;
    },
    typedTries: () => this.tries,
    wasRefused: (key) => this.refusedKeys.has(key.reveal()),
  };
  readonly refusedKeys = new Set<string>();
  tries: TypedTries = { left: 2, fromMs: undefined };

  /** Servers whose polls fail. */
  readonly failing = new Map<SourceId, Failing>();

  readonly snapshots: Snapshots = {
    latest: (source) => this.states.get(source),
    failing: (source) => this.failing.get(source),
    fresh: async (source) => {
      this.calls.push("fresh");
      if (this.failure !== undefined) throw this.failure;
      const state = this.states.get(source);
      if (state === undefined) throw new Failure("unreachable", "The service cannot be reached.");
      return state;
    },
  };

  /** Servers that the service does not let the bot read, with its words. */
  readonly readRefusals = new Map<SourceId, string>();

  /** What is known of the owners' permission to run commands. */
  readonly commandPermissions = new Map<SourceId, KnownPermission>();

  readonly health: ServiceHealth = {
    halt: () => this.halt,
    parked: (source) => {
      const why = this.parked.get(source);
      return why === undefined ? undefined : { sinceMs: 0, why };
    },
    held: () => undefined,
    readRefused: (source) => {
      const why = this.readRefusals.get(source);
      return why === undefined ? undefined : { why, untilMs: 3_600_000 };
    },
    commandPermission: (source) => this.commandPermissions.get(source) ?? { kind: "unknown" },
    commandReadyAtMs: () => 0,
  };

  readonly permissions: Permissions = {
    decide: async () => ({ allowed: false, why: "not asked here" }),
    findPlayer: () => undefined,
    known: () => undefined,
    decideCalls: async (actor, binding) =>
      (await this.permissions.isStaff(actor, binding))
        ? { allowed: true, why: "staff" }
        : { allowed: false, wants: "tier", why: "Only Moderators can take calls." },
    decideModerator: async (actor, binding) =>
      (await this.permissions.isStaff(actor, binding))
        ? { allowed: true, why: "staff" }
        : { allowed: false, wants: "tier", why: "Only Moderators can see player records." },
    mayRun: async (actor, binding) => {
      const allowed = await this.permissions.isStaff(actor, binding);
      return () => allowed;
    },
    isStaff: async (actor, { id, guildId }) => {
      const { roleTiers } = (await this.settings.of(guildId)).policies[id] ?? EMPTY_POLICY;
      return actor.roleIds.some((role) => roleTiers[role] !== undefined);
    },
  };

  storeWorks = true;
  waitingPosts: WaitingPosts = { waiting: 0, oldestMs: 0 };
  /** Channels that are not open to the bot. */
  readonly channelAccess = new Map<string, ChannelAccess>();
  /** Names of roles by id, the highest last. */
  readonly roleNames = new Map<string, string>();
  joinedAtMs: number | undefined;
  readonly guilds: Guilds = {
    channelAccess: async (_, channelId, purpose = "posts") =>
      this.channelAccess.get(purpose === "posts" ? channelId : `${purpose} ${channelId}`) ?? { kind: "open" },
    channelName: (_, channelId) => `name-of-${channelId}`,
    hasRole: () => true,
    joinedAtMs: () => this.joinedAtMs,
    topRole: (_, roleIds) => {
      const [id, name] = [...this.roleNames].findLast(([role]) => roleIds.includes(role)) ?? [];
      return id === undefined || name === undefined ? undefined : { id, name };
    },
  };

  /** Nobody has linked one. */
  readonly accounts: GameAccounts = {
    ...unused<GameAccounts>("accounts"),
    ofPlayer: async () => undefined,
    formerOf: async () => [],
    forgetFormer: async () => undefined,
  };

  readonly mentions = createMentions(new MemoryDocuments(parseAllowedMention));

  readonly services: Services = {
    bindings: this.bindings,
    playerMessages: unused("playerMessages"),
    settings: this.settings,
    keyVerifier: this.keyVerifier,
    commandPermission: {
      check: async () => ({ kind: "refused", left: 5 }),
      ownerPage: async () => ({
        kind: "addresses",
        url: "https://service.example/server-owners",
        addresses: [],
      }),
    },
    snapshots: this.snapshots,
    health: this.health,
    permissions: this.permissions,
    refusals: { noteEvent: async (event) => void this.events.push(event) },
    clock: this.clock,
    random: this.random,
    pendingLinks: this.pendingLinks,
    commandId: () => undefined,
    mapCorners: undefined,
    docsUrl: undefined,
    audit: { ...unused<AuditLog>("audit"), event: async (event) => void this.events.push(event) },
    members: unused("members"),
    roster: NOBODY_ON_DUTY.roster,
    mentions: this.mentions,
    grantableRoles: { roleBar: () => undefined, isOwner: () => false },
    guilds: this.guilds,
    host: {
      storeWorks: () => this.storeWorks,
      waitingPosts: () => this.waitingPosts,
    },
    runner: unused("runner"),
    runAuthors: { of: async (_, rows) => rows.map(() => ({ kind: "unknown" })) },
    runAnswers: { remember: async () => undefined, forget: async () => undefined },
    shownAnswers: {
      keep: () => undefined,
      edit: () => undefined,
      forget: () => undefined,
      isEdited: () => false,
    },
    queue: unused("queue"),
    catalogue: unused("catalogue"),
    cases: CASES_OFF,
    watches: WATCHES_OFF,
    weekly: WEEKLY_OFF,
    duty: DUTY_OFF,
    staffing: STAFFING_OFF,
    sessions: { ...unused<Sessions>("sessions"), setupOf: async () => undefined },
    rules: { ...unused<Rules>("rules"), list: () => ({ rules: [], pause: undefined }) },
    ranks: { ...unused<Ranks>("ranks"), list: () => [] },
    appeals: { ...unused<Appeals>("appeals"), ofPlayer: () => [], forgetPlayer: async () => undefined },
    alerts: { ...unused<Alerts>("alerts"), list: async () => [] },
    feeds: { ...unused<Feeds>("feeds"), list: async () => [] },
    askedBans: { ...unused<AskedBans>("askedBans"), list: () => [] },
    banEnds: { ...unused<BanEnds>("banEnds"), list: () => [] },
    schedules: {
      ...unused<Schedules>("schedules"),
      onZoneChanged: async () => undefined,
      list: async () => [],
    },
    modCalls: {
      ...unused<ModCalls>("modCalls"),
      withoutResolved: (_, state) => state,
      openCards: () => [],
      onCards: () => [],
    },
    panels: { ...unused<Panels>("panels"), list: () => [] },
    history: createNoHistory(),
    accounts: this.accounts,
    sourceOf,
    hideTyped: (text) => {
      this.hidden.push(text);
      return () => void this.hidden.splice(this.hidden.indexOf(text), 1);
    },
    onLinked: async ({ binding: { id, source, guildId }, replaced, moderatorRoleIds = [] }) => {
      if (replaced !== undefined) this.calls.push(`replaced ${replaced} by ${source}`);
      this.calls.push(`linked ${id}`);
      // What it writes last is refused as the rest may be: the others have gone along.
      await this.settings.change(guildId, (now) => withModerators(now, id, moderatorRoleIds));
      return { feedsBack: 0 };
    },
    onUnlinked: async ({ id }) => void this.calls.push(`unlinked ${id}`),
  };

  /** A server that is linked to a guild and was just seen. */
  async linkServer(
    guildId: string,
    status: ServerStatus = serverStatus(),
    key = "first-key",
  ): Promise<Binding> {
    this.keys.set(key, status);
    const { binding } = await this.bindings.link({ guildId, key: new ServerKey(key), status, byUserId: "1" });
    this.states.set(binding.source, {
      source: binding.source,
      status,
      statusAtMs: this.clock.nowMs(),
      lists: {},
    });
    return binding;
  }
}

/** An empty server, as `/server status` reads it. */
export function emptyLists(atMs: number): ServerState["lists"] {
  const staff = { admins: new Map(), mods: new Map(), helpers: new Map() };
  return {
    players: { atMs, value: [] },
    staff: { atMs, value: staff },
    queue: { atMs, value: [] },
    modCalls: { atMs, value: [] },
    emergencyCalls: { atMs, value: [] },
  };
}

function sourceOf(key: ServerKey): SourceId {
  return createHash("sha256").update(key.reveal()).digest("hex") as SourceId;
}

/** A port that this test does not expect to be used. */
function unused<T extends object>(name: string): T {
  return new Proxy({} as T, {
    get: (_, property) => () => {
      throw new Error(`${name}.${String(property)} was not expected`);
    },
    ownKeys: () => [],
  });
}

export function actorOf(changes: Partial<Actor> = {}): Actor {
  return {
    userId: "100",
    userName: "mo",
    guildId: "500",
    channelId: "600",
    roleIds: [],
    manageGuild: false,
    askedAtMs: Date.UTC(2026, 0, 1),
    ...changes,
  };
}

export interface LogLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

/** A log that keeps its lines. */
export type KeptLog = Log & { readonly lines: LogLine[]; child(): KeptLog };

export function keptLog(): KeptLog {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  const log: KeptLog = {
    lines,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => log,
  };
  return log;
}

/** One document store that forgets. */
export function textDocuments(): Documents<string> & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
    entries: async function* () {
      yield* kept;
    },
  };
}
