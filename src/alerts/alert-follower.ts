import type { AlertRule, CallEnd } from "../domain/alert.ts";
import { alertKind } from "../domain/alert-kinds.ts";
import { isState } from "../domain/changes.ts";
import { serviceAheadS } from "../domain/clocks-apart.ts";
import { guildOf } from "../domain/journal-id.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { CommandEntry, ModCallEntry, Snapshot } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { JournalItem, JournalLooks, JournalReader, Told } from "../domain/ports/journal.ts";
import type { Settings } from "../domain/ports/settings.ts";
import type { ServiceTime } from "../domain/service-time.ts";
import { DEFAULT_ZONE } from "../domain/time-zones.ts";
import { type MessageRef, unshownIn } from "./alert-posts.ts";
import { applyRules } from "./apply-rules.ts";
import { type LogNews, takeNews } from "./counted-rows.ts";
import type { Facts, MemberRun, OutsideRow, Surroundings } from "./facts.ts";
import { PlayerTeams } from "./player-teams.ts";
import type { PunishmentTest } from "./punishments.ts";
import { isQuiet } from "./quiet-hours.ts";
import { RunsAwaitingLog } from "./runs-awaiting-log.ts";
import {
  fromStored,
  newState,
  type RuleState,
  type ServerState,
  type StoredServerState,
  storedForm,
} from "./server-state.ts";
import type { WatchedServer, WatchedServers } from "./watched-servers.ts";

export interface AlertFollowerPorts {
  /** With `parseServerState`. By binding. */
  readonly states: Documents<StoredServerState>;
  readonly servers: WatchedServers;
  readonly serviceTime: Pick<ServiceTime, "note" | "seconds">;
  readonly settings: Pick<Settings, "of">;
  readonly accounts: Pick<GameAccounts, "of" | "ofPlayer">;
  readonly clock: Clock;
  readonly journal: Pick<JournalLooks, "reader">;
  /** Whether a command of the game's log punishes somebody. */
  readonly isPunishment: PunishmentTest;
  /** Whether staff took a call in hand on its card. */
  callEndOf(bindingId: string, call: Pick<ModCallEntry, "caller" | "atS">): CallEnd | undefined;
  isFree(bindingId: string, call: Pick<ModCallEntry, "caller" | "atS">): boolean;
  /** A message is to say what is known now. */
  show(ref: MessageRef): void;
  report(what: string, error: unknown): void;
}

/** What has come to be known, with what the journal brought as it is. */
interface Observed extends Omit<Facts, "kills" | "punishing" | "changes" | "called" | "answered"> {
  readonly logs?: readonly LogNews[];
}

/** Takes in what happens on servers with alerts: each row once, written before anything is posted. */
export class AlertFollower {
  readonly #ports: AlertFollowerPorts;
  readonly #startedMs: number;
  readonly #turns = new KeyedMutex();
  /** By binding. Absent: to be read from the store. */
  readonly #states = new Map<string, ServerState>();
  readonly #log: JournalReader;
  readonly #teams = new PlayerTeams();
  readonly #runs = new RunsAwaitingLog();

  constructor(ports: AlertFollowerPorts) {
    this.#ports = ports;
    this.#startedMs = ports.clock.nowMs();
    const statesOf = ({ rules }: WatchedServer) =>
      rules.flatMap(({ kind }) => alertKind(kind).counts ?? []).filter(isState);
    this.#log = ports.journal.reader("alerts", "head", {
      states: (server) => ports.servers.of(server).flatMap(statesOf),
    });
  }

  /** An answer of the service. Rejects when the store fails: the same rows then come again. */
  async take({ look, written }: Told): Promise<void> {
    await written;
    const servers = this.#ports.servers.of(look.source);
    if (servers.length === 0) {
      this.#log.pass(look);
      return;
    }
    this.#ports.serviceTime.note(look);
    // One answer that is dated hours ahead makes no call due.
    const presentS = this.#ports.serviceTime.seconds() ?? Math.floor(look.takenAtMs / 1_000);
    if (servers.some(({ rules }) => rules.some((rule) => rule.withoutTeams))) this.#teams.note(look);
    const places = this.#log.places(look);
    const unread = await this.#log.unread(look);
    const logs = places.map((place) => {
      const { source, list } = place.log;
      const items = unread.find(({ log }) => log.source === source && log.list === list)?.items ?? [];
      // What is yet to be handed out is not counted.
      const last = items.at(-1);
      return { ...place, source, list, items, nextSeq: last === undefined ? place.nextSeq : last.seq + 1 };
    });
    const done = await Promise.allSettled(
      servers.map((server) => {
        const isOf = ({ source }: { readonly source: typeof look.source }) =>
          (guildOf(source) ?? server.binding.guildId) === server.binding.guildId;
        return this.#takeFor(server, { look, presentS, logs: logs.filter(isOf) });
      }),
    );
    for (const result of done) {
      if (result.status === "fulfilled") continue;
      for (const one of unread) one.failed(result.reason);
      throw result.reason;
    }
    for (const one of unread) one.done();
  }

  /** A run of a member was sent. It is counted with the answer whose log reaches up to it, so in its turn. */
  onRun(of: { readonly guildId: string; readonly bindingId: string }, run: MemberRun): void {
    const server = this.#ports.servers.ofBinding(of.guildId, of.bindingId);
    if (server?.rules.some(({ kind }) => kind === "punishments") !== true) return;
    this.#runs.add(of.bindingId, run);
  }

  /** Commands on a server that no run of ours accounts for. Rejects when the store fails. */
  async onOutside(
    of: { readonly guildId: string; readonly bindingId: string },
    outside: readonly OutsideRow[],
  ): Promise<void> {
    const server = this.#ports.servers.ofBinding(of.guildId, of.bindingId);
    if (server?.rules.some(({ kind }) => kind === "outside") !== true) return;
    const { clock, serviceTime } = this.#ports;
    const nowMs = clock.nowMs();
    const presentS = serviceTime.seconds() ?? Math.floor(nowMs / 1_000);
    await this.#advance(server, { presentS, nowMs, outside });
  }

  /** The posts of an alert, with its state; undefined: it has posted nothing. */
  async ruleState({ bindingId, id }: Pick<AlertRule, "bindingId" | "id">): Promise<RuleState | undefined> {
    return await this.#turns.take(bindingId, async () => (await this.#stateOf(bindingId))?.rules.get(id));
  }

  /** As far as it is at hand: nothing is read. */
  ruleStateAtHand({ bindingId, id }: Pick<AlertRule, "bindingId" | "id">): RuleState | undefined {
    return this.#states.get(bindingId)?.rules.get(id);
  }

  /**
   * Changes what is noted of an alert's messages: they stand in Discord, whether it can be written now or not. Answers
   * whether it was written; never rejects.
   */
  async note(
    { bindingId, id }: Pick<AlertRule, "bindingId" | "id">,
    change: (state: RuleState) => void,
  ): Promise<boolean> {
    return await this.#turns.take(bindingId, async () => {
      try {
        const state = await this.#stateOf(bindingId);
        const its = state?.rules.get(id);
        if (state === undefined || its === undefined) return true;
        change(its);
        await this.#ports.states.set(bindingId, storedForm(state));
        return true;
      } catch (error) {
        this.#ports.report("what stands in an alert's channel could not be noted", error);
        return false;
      }
    });
  }

  /** Messages of every linked server that do not say all there is to say. Called after a start. */
  async unshown(): Promise<readonly MessageRef[]> {
    const refs: MessageRef[] = [];
    for (const { binding } of this.#ports.servers.all()) {
      const state = await this.#turns.take(binding.id, () => this.#stateOf(binding.id));
      if (state !== undefined) refs.push(...unshownIn(state, binding.id));
    }
    return refs;
  }

  /** A server was unlinked, or none of its alerts is left. Rejects when the store fails. */
  async drop(bindingId: string): Promise<void> {
    await this.#turns.take(bindingId, async () => {
      this.#states.delete(bindingId);
      this.#runs.forget(bindingId);
      await this.#ports.states.delete(bindingId);
    });
  }

  async #takeFor(
    server: WatchedServer,
    {
      look,
      presentS,
      logs,
    }: { readonly look: Snapshot; readonly presentS: number; readonly logs: readonly LogNews[] },
  ): Promise<void> {
    const { lists, status, takenAtMs } = look;
    const { commandLogs = [], modCalls } = lists;
    const times = { presentS, serviceAheadS: serviceAheadS(look) };
    const reached = this.#runs.reached(server.binding.id, commandLogs, times);
    await this.#advance(server, {
      ...times,
      runs: await this.#onOthers(server, reached),
      nowMs: takenAtMs,
      logs,
      ...(modCalls === undefined ? {} : { calls: modCalls }),
      players: { current: status.currentPlayers, most: status.maxPlayers, atS: presentS },
    });
    this.#runs.remove(server.binding.id, reached);
  }

  async #advance({ binding: { guildId, id } }: WatchedServer, observed: Observed): Promise<void> {
    const refs = await this.#turns.take(id, async () => {
      // Its alerts may have been changed or removed while it waited for its turn.
      const server = this.#ports.servers.ofBinding(guildId, id);
      if (server === undefined) return [];
      const { binding, rules } = server;
      const state = (await this.#stateOf(binding.id)) ?? newState(binding.guildId);
      // What was changed counts once it is written: until then the store knows better.
      this.#states.delete(binding.id);
      const { logs = [], ...others } = observed;
      const { items, isBegun } = takeNews(state, rules, logs);
      const facts = { ...others, ...this.#rowsIn(items) };
      const around = await this.#surroundings(server, facts);
      if (!applyRules(state, rules, facts, around) && !isBegun) {
        this.#states.set(binding.id, state);
        return [];
      }
      await this.#ports.states.set(binding.id, storedForm(state));
      this.#states.set(binding.id, state);
      return unshownIn(state, binding.id);
    });
    for (const ref of refs) this.#ports.show(ref);
  }

  async #stateOf(bindingId: string): Promise<ServerState | undefined> {
    const known = this.#states.get(bindingId);
    if (known !== undefined) return known;
    const stored = await this.#ports.states.get(bindingId);
    if (stored === undefined) return undefined;
    const state = fromStored(stored);
    this.#states.set(bindingId, state);
    return state;
  }

  async #surroundings({ binding, rules }: WatchedServer, facts: Facts): Promise<Surroundings> {
    const { settings, callEndOf, isFree } = this.#ports;
    const hasQuiet = rules.some(({ quiet }) => quiet !== undefined);
    const zone = hasQuiet ? (await settings.of(binding.guildId)).timeZone : undefined;
    const members = await this.#membersAmong(binding.guildId, facts.punishing ?? []);
    return {
      startedMs: this.#startedMs,
      isQuiet: ({ quiet }) =>
        quiet !== undefined && isQuiet(quiet, zone ?? DEFAULT_ZONE, facts.presentS * 1_000),
      teamOf: (player) => this.#teams.of(binding.source, player),
      memberOf: ({ id }) => (id === undefined ? undefined : members.get(id)),
      callEndOf: (call) => callEndOf(binding.id, call),
      isFree: (call) => isFree(binding.id, call),
    };
  }

  async #membersAmong(guildId: string, rows: readonly CommandEntry[]): Promise<ReadonlyMap<number, string>> {
    const members = new Map<number, string>();
    for (const id of new Set(rows.map(({ player }) => player.id))) {
      if (id === undefined) continue;
      const account = await this.#ports.accounts.ofPlayer(guildId, id);
      if (account !== undefined) members.set(id, account.userId);
    }
    return members;
  }

  /** Without those by which members punish their own account. */
  async #onOthers({ binding }: WatchedServer, runs: readonly MemberRun[]): Promise<readonly MemberRun[]> {
    const onOthers: MemberRun[] = [];
    for (const run of runs) {
      const account = await this.#ports.accounts.of(binding.guildId, run.userId);
      if (this.#ports.isPunishment(run.text, { self: account?.player })) onOthers.push(run);
    }
    return onOthers;
  }

  #rowsIn(
    items: readonly JournalItem[],
  ): Required<Pick<Facts, "kills" | "punishing" | "changes" | "called" | "answered">> {
    const entries = items.flatMap((item) => (item.kind === "entry" ? [item.entry] : []));
    return {
      kills: entries.filter((entry) => entry.kind === "kill"),
      punishing: entries.filter((entry) => entry.kind === "command").filter((row) => this.#isPunishment(row)),
      changes: items.flatMap((item) => (item.kind === "change" ? [item.entry] : [])),
      called: entries.filter((entry) => entry.kind === "modCall"),
      answered: items.flatMap((item) => (item.kind === "answer" ? [item.entry] : [])),
    };
  }

  #isPunishment({ player, text }: CommandEntry): boolean {
    // A row of a program is counted as the run that it was, or as one of others.
    const isPersons = player.id !== undefined || player.name.toLowerCase() !== "remote server";
    return isPersons && this.#ports.isPunishment(text, { author: player });
  }
}
