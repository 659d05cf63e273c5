import type { AlertRule, CallEnd } from "../domain/alert.ts";
import type { WhoToPing } from "../domain/duty-roster.ts";
import { Failure } from "../domain/failure.ts";
import type { Binding } from "../domain/guild.ts";
import type { ModCallEntry } from "../domain/model.ts";
import type { AlertRenderer } from "../domain/ports/alert-renderer.ts";
import type { Alerts } from "../domain/ports/alerts.ts";
import type { AuditLog } from "../domain/ports/audit-log.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { JournalLooks, LookFollower } from "../domain/ports/journal.ts";
import type { OpenCallCard } from "../domain/ports/mod-calls.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Posts } from "../domain/ports/posts.ts";
import type { Settings } from "../domain/ports/settings.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";
import type { RunRecord } from "../domain/run.ts";
import { ServiceTime } from "../domain/service-time.ts";
import { DEFAULT_ZONE } from "../domain/time-zones.ts";
import { AlertFollower } from "./alert-follower.ts";
import { AlertPosts } from "./alert-posts.ts";
import { AlertRules, type GuildAlerts } from "./alert-rules.ts";
import type { OutsideRow } from "./facts.ts";
import { type Incident, takeOut } from "./incidents.ts";
import { punishmentTest, type ReadCommand } from "./punishments.ts";
import { isQuiet } from "./quiet-hours.ts";
import { RunCount } from "./run-count.ts";
import type { RuleState, StoredServerState } from "./server-state.ts";
import { WatchedServers } from "./watched-servers.ts";
import { whereaboutsOf } from "./whereabouts.ts";

export interface AlertsParts {
  /** With `parseGuildAlerts`; durable. By guild. */
  readonly rules: Documents<GuildAlerts>;
  /** With `parseServerState`. By binding. */
  readonly states: Documents<StoredServerState>;
  readonly bindings: Pick<Bindings, "list">;
  readonly snapshots: Pick<Snapshots, "latest">;
  readonly settings: Pick<Settings, "of">;
  readonly accounts: Pick<GameAccounts, "of" | "ofPlayer">;
  readonly audit: Pick<AuditLog, "recentRuns" | "get">;
  readonly demands: Demands;
  readonly journal: Pick<JournalLooks, "reader">;
  readonly posts: Posts;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: AlertRenderer;
  readonly clock: Clock;
  readonly random: Random;
  readonly whoToPing: WhoToPing;
  /** Guilds that record where people are. */
  readonly tracked: ReadonlySet<string>;
  /** A command as the game's log shows it; undefined: none can be read. */
  readonly read: ReadCommand;
  /** How a call ended by its card, where the game's log may show nothing of it; undefined: it waits, or has no card. */
  callEndOf(bindingId: string, call: Pick<ModCallEntry, "caller" | "atS">): CallEnd | undefined;
  /** The cards that show open moderator calls of a server. */
  callCardsOf(bindingId: string): readonly OpenCallCard[];
  /** Whether this process serves the guild. */
  isOurs(guildId: string): boolean;
  report(what: string, error: unknown): void;
}

export interface AlertsState {
  readonly servers: number;
  readonly alerts: number;
}

export interface AlertsWing {
  readonly alerts: Alerts;
  readonly follower: LookFollower;
  /** After the bindings are loaded: takes up alerts, and messages that an earlier process may not have finished. */
  start(): Promise<void>;
  /** The audit row of a run has changed. Never throws. */
  onRun(record: RunRecord): void;
  /** Commands that no run of ours accounts for. Rejects when the store fails; they may come again then. */
  onOutside(binding: Pick<Binding, "guildId" | "id">, rows: readonly OutsideRow[]): Promise<void>;
  /** A guild has linked a server or replaced a key. */
  onLinksChanged(guildId: string): Promise<void>;
  /** A server was unlinked: its alerts go. */
  onUnlinked(binding: Pick<Binding, "guildId" | "id">): Promise<void>;
  /** The bot was removed from a guild: its alerts rest until it is back. */
  onGuildRemoved(guildId: string, linked: readonly Pick<Binding, "id">[]): Promise<void>;
  state(): AlertsState;
}

/** What the channel of before refused says nothing about this one, and what it refused is posted here. */
function leaveChannel(state: RuleState, channelId: string): void {
  const { refused } = state;
  state.refused = undefined;
  // Where Discord was away instead, what waits may stand in the channel of before.
  if (refused === undefined) return;
  state.incidents = state.incidents.map((one) =>
    one.messageId === undefined && one.isGone !== true
      ? { ...one, channelId, moves: (one.moves ?? 0) + 1 }
      : one,
  );
}

/** Builds the wing that alerts staff to what they would otherwise have to watch for. It punishes nobody. */
export function createAlerts(parts: AlertsParts): AlertsWing {
  const { bindings, posts: lines, notifier, renderer, clock, random, report } = parts;
  const rules = new AlertRules({ documents: parts.rules, clock, random });
  const servers = new WatchedServers({ ...parts, rulesOf: (guildId) => rules.of(guildId) });
  const isPunishment = punishmentTest((text) => parts.read(text));
  const serviceTime = new ServiceTime(clock);
  const follower: AlertFollower = new AlertFollower({
    ...parts,
    servers,
    serviceTime,
    isPunishment,
    callEndOf: (bindingId, call) => parts.callEndOf(bindingId, call),
    isFree: (bindingId, { caller, atS }) =>
      parts
        .callCardsOf(bindingId)
        .filter(({ claimedBy, calledAtS }) => claimedBy === undefined && calledAtS.includes(atS))
        .some((card) => card.caller.name === caller.name && card.caller.id === caller.id),
    show: (ref) => posts.show(ref),
    report,
  });
  const ruleOf = (guildId: string, ruleId: string) => rules.of(guildId).find(({ id }) => id === ruleId);
  async function isPostedQuiet({ guildId, quiet }: AlertRule, incident: Incident): Promise<boolean> {
    if (quiet === undefined) return false;
    const nowMs = clock.nowMs();
    const { messageId, openedAtMs, postedAtMs = openedAtMs } = incident;
    const agoMs = messageId === undefined ? 0 : nowMs - postedAtMs;
    const { timeZone = DEFAULT_ZONE } = await parts.settings.of(guildId);
    return isQuiet(quiet, timeZone, (serviceTime.ms() ?? nowMs) - agoMs);
  }
  const posts = new AlertPosts({
    posts: lines,
    renderer,
    clock,
    whoToPing: parts.whoToPing,
    async find({ guildId, bindingId, ruleId, key }) {
      const rule = ruleOf(guildId, ruleId);
      if (rule === undefined) return undefined;
      const incident = (await follower.ruleState(rule))?.incidents.find((one) => one.key === key);
      const server = servers.ofBinding(guildId, bindingId);
      if (incident === undefined || server === undefined) return undefined;
      const [binding] = (await bindings.list(guildId)).filter(({ id }) => id === bindingId);
      const whereabouts = whereaboutsOf(parts, binding, incident.entries);
      const hasReplay = parts.tracked.has(guildId);
      const callCards = rule.kind === "calls" ? parts.callCardsOf(bindingId) : [];
      const serverName = binding?.name ?? server.binding.name;
      const isInQuiet = await isPostedQuiet(rule, incident);
      return { rule, incident, serverName, whereabouts, callCards, hasReplay, isQuiet: isInQuiet };
    },
    note: ({ bindingId, ruleId, key }, shown) =>
      follower.note({ bindingId, id: ruleId }, (state) => {
        const incident = state.incidents.find((one) => one.key === key);
        if (incident !== undefined) Object.assign(incident, shown);
      }),
    async takeOut(ref, standing) {
      const rule = ruleOf(ref.guildId, ref.ruleId);
      if (rule === undefined) return { own: [], isNoted: true };
      let keys: readonly string[] = [];
      const isNoted = await follower.note(rule, ({ incidents }) => {
        keys = takeOut(incidents, ref.key, { rule, standing });
      });
      return { own: keys.map((key) => ({ ...ref, key })), isNoted };
    },
    noteEdit({ bindingId, ruleId, key }, version) {
      const its = follower.ruleStateAtHand({ bindingId, id: ruleId });
      const incident = its?.incidents.find((one) => one.key === key);
      if (incident !== undefined) incident.shown = version;
    },
    async onOutcome(rule, refused) {
      const before = follower.ruleStateAtHand(rule)?.refused;
      if ((before === undefined) === (refused === undefined)) return;
      await follower.note(rule, (state) => {
        state.refused = refused;
      });
      if (refused !== undefined)
        await notifier.guild(rule.guildId, renderer.refused(rule, refused), rule.createdBy);
    },
  });
  const runs = new RunCount({ ...parts, servers, isPunishment, onRun: (of, run) => follower.onRun(of, run) });

  async function removeWhere(guildId: string, isMeant: (rule: AlertRule) => boolean) {
    const removed = await rules.remove(guildId, isMeant);
    await servers.refresh(guildId);
    for (const bindingId of new Set(removed.map((rule) => rule.bindingId))) {
      if (servers.ofBinding(guildId, bindingId) === undefined) await follower.drop(bindingId);
    }
    return removed;
  }

  return {
    alerts: {
      list: async (guildId) => rules.of(guildId),
      async add(wanted) {
        const rule = await rules.add(wanted);
        await servers.refresh(wanted.guildId);
        return rule;
      },
      async edit(guildId, alertId, changed) {
        const before = ruleOf(guildId, alertId);
        const rule = await rules.edit(guildId, alertId, changed);
        await servers.refresh(guildId);
        if (rule === undefined || before === undefined) return rule;
        await follower.note(rule, (state) => {
          if (rule.channelId !== before.channelId) leaveChannel(state, rule.channelId);
          // A number that was reached already is no news, as with a new alert. What was told has yet to end.
          if (rule.count !== before.count && state.level?.isArmed === true) state.level = undefined;
        });
        return rule;
      },
      async remove(guildId, alertId) {
        const [removed] = await removeWhere(guildId, ({ id }) => id === alertId);
        return removed;
      },
      async test(guildId, alertId) {
        const rule = ruleOf(guildId, alertId);
        if (rule === undefined) throw new Failure("bad-command", "That alert no longer exists.");
        const binding = (await bindings.list(guildId)).find(({ id }) => id === rule.bindingId);
        const body = renderer.example(rule, binding?.name ?? "");
        await lines.tryOnce(rule.channelId, body);
      },
      status(rule) {
        const refused = follower.ruleStateAtHand(rule)?.refused;
        return refused === undefined ? {} : { refused };
      },
    },
    follower,
    async start() {
      await rules.load();
      for (const guildId of rules.guilds) await servers.refresh(guildId);
      for (const ref of await follower.unshown()) posts.show(ref, true);
      await runs.recover();
    },
    onRun: (record) => runs.onRun(record),
    onOutside: ({ guildId, id }, rows) => follower.onOutside({ guildId, bindingId: id }, rows),
    async onLinksChanged(guildId) {
      await rules.restore(guildId);
      await servers.refresh(guildId);
    },
    async onUnlinked({ guildId, id }) {
      await removeWhere(guildId, ({ bindingId }) => bindingId === id);
    },
    async onGuildRemoved(guildId, linked) {
      rules.forget(guildId);
      await servers.refresh(guildId);
      for (const { id } of linked) await follower.drop(id);
    },
    state: () => ({
      servers: servers.all().length,
      alerts: servers.all().flatMap((server) => server.rules).length,
    }),
  };
}
