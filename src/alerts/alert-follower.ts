import type { AlertRule } from "../domain/alert.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { CommandEntry, KillEntry, ModCallEntry, Snapshot } from "../domain/model.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import type { Settings } from "../domain/ports/settings.ts";
import { DEFAULT_ZONE } from "../domain/time-zones.ts";
import { isShown, type MessageRef } from "./alert-posts.ts";
import { applyRules } from "./apply-rules.ts";
import type { CommandLog, Facts, MemberRun, OutsideRow, Surroundings } from "./facts.ts";
import { PlayerTeams } from "./player-teams.ts";
import type { PunishmentTest } from "./punishments.ts";
import { isQuiet } from "./quiet-hours.ts";
import { RunsAwaitingLog } from "./runs-awaiting-log.ts";
import {
  fromStored,
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
  readonly settings: Pick<Settings, "of">;
  readonly accounts: Pick<GameAccounts, "of" | "ofPlayer">;
  readonly clock: Clock;
  /** Whether a command of the game's log punishes somebody. */
  readonly isPunishment: PunishmentTest;
  /** Whether staff took a call in hand on its card. */
  isCallTaken(bindingId: string, call: ModCallEntry): boolean;
  /** A message is to say what is known now. */
  show(ref: MessageRef): void;
  report(what: string, error: unknown): void;
}

interface Counted extends Pick<Snapshot["lists"], "killLogs" | "commandLogs"> {
  /** The alerts that counted them: a new one has seen nothing yet. */
  readonly rules: readonly AlertRule[];
}

/** The facts of an answer, with all rows that the log of commands shows. */
type Observed = Omit<Facts, "commands"> & { readonly commands?: readonly CommandEntry[] };

/** Takes in what happens on servers with alerts: each row once, written before anything is posted. */
export class AlertFollower {
  readonly #ports: AlertFollowerPorts;
  readonly #turns = new KeyedMutex();
  /** By binding. Absent: to be read from the store. */
  readonly #states = new Map<string, ServerState>();
  /** By binding: the windows that are counted and written. */
  readonly #counted = new Map<string, Counted>();
  readonly #teams = new PlayerTeams();
  readonly #runs = new RunsAwaitingLog();

  constructor(ports: AlertFollowerPorts) {
    this.#ports = ports;
  }

  /** An answer of the service. Rejects when the store fails: the same rows then come again. */
  async take(snapshot: Snapshot): Promise<void> {
    const servers = this.#ports.servers.of(snapshot.source);
    if (servers.length === 0) return;
    if (servers.some(({ rules }) => rules.some((rule) => rule.withoutTeams))) this.#teams.note(snapshot);
    const done = await Promise.allSettled(servers.map((server) => this.#takeFor(server, snapshot)));
    for (const result of done) if (result.status === "rejected") throw result.reason;
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
    const nowMs = this.#ports.clock.nowMs();
    await this.#advance(server, { presentS: Math.floor(nowMs / 1_000), nowMs, outside });
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
      this.#counted.delete(bindingId);
      this.#runs.forget(bindingId);
      await this.#ports.states.delete(bindingId);
    });
  }

  async #takeFor(server: WatchedServer, snapshot: Snapshot): Promise<void> {
    const { lists, status, serviceAtMs, takenAtMs } = snapshot;
    const { killLogs, commandLogs, modCalls } = lists;
    const known = this.#counted.get(server.binding.id);
    const counted = known?.rules === server.rules ? known : undefined;
    const atS = Math.floor((serviceAtMs ?? takenAtMs) / 1_000);
    const kills = isSame(killLogs, counted?.killLogs) ? undefined : killLogs;
    const commands = isSame(commandLogs, counted?.commandLogs) ? undefined : commandLogs;
    const reached = this.#runs.reached(server.binding.id, commandLogs ?? [], atS);
    const runs = await this.#onOthers(server, reached);
    await this.#advance(server, {
      ...(runs.length === 0 ? {} : { runs }),
      presentS: atS,
      nowMs: takenAtMs,
      ...(kills === undefined ? {} : { kills }),
      ...(commands === undefined ? {} : { commands }),
      ...(modCalls === undefined ? {} : { calls: modCalls }),
      players: { current: status.currentPlayers, most: status.maxPlayers, atS },
    });
    this.#runs.remove(server.binding.id, reached);
    this.#counted.set(server.binding.id, {
      ...counted,
      rules: server.rules,
      ...(killLogs === undefined ? {} : { killLogs }),
      ...(commandLogs === undefined ? {} : { commandLogs }),
    });
  }

  async #advance({ binding: { guildId, id } }: WatchedServer, observed: Observed): Promise<void> {
    const refs = await this.#turns.take(id, async () => {
      // Its alerts may have been changed or removed while it waited for its turn.
      const server = this.#ports.servers.ofBinding(guildId, id);
      if (server === undefined) return [];
      const { binding, rules } = server;
      const state = (await this.#stateOf(binding.id)) ?? newState(binding.guildId);
      const { commands: log, ...others } = observed;
      const commands = log && this.#punishing(server, state, log);
      const facts: Facts = { ...others, ...(commands === undefined ? {} : { commands }) };
      const around = await this.#surroundings(server, facts);
      if (!applyRules(state, rules, facts, around)) {
        this.#states.set(binding.id, state);
        return [];
      }
      // What was changed counts once it is written: until then the store knows better.
      this.#states.delete(binding.id);
      this.#counted.delete(binding.id);
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
    const { settings, isCallTaken } = this.#ports;
    const hasQuiet = rules.some(({ quiet }) => quiet !== undefined);
    const zone = hasQuiet ? (await settings.of(binding.guildId)).timeZone : undefined;
    const members = await this.#membersAmong(binding.guildId, facts.commands?.punishing ?? []);
    return {
      isQuiet: ({ quiet }) =>
        quiet !== undefined && isQuiet(quiet, zone ?? DEFAULT_ZONE, facts.presentS * 1_000),
      teamOf: (player) => this.#teams.of(binding.source, player),
      memberOf: ({ id }) => (id === undefined ? undefined : members.get(id)),
      isTaken: (call) => isCallTaken(binding.id, call),
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

  /** Undefined where no alert counts them. Only what may be new is read. */
  #punishing(
    { rules }: WatchedServer,
    { seen }: ServerState,
    log: readonly CommandEntry[],
  ): CommandLog | undefined {
    if (!rules.some(({ kind }) => kind === "punishments")) return undefined;
    const countedS = seen.get("commands")?.floorS ?? Number.NEGATIVE_INFINITY;
    return {
      punishing: log.filter((row) => row.atS > countedS && this.#isPunishment(row)),
      newestS: log.reduce((newestS, { atS }) => Math.max(newestS, atS), 0),
    };
  }

  #isPunishment({ player, text }: CommandEntry): boolean {
    // A row of a program is counted as the run that it was, or as one of others.
    const isPersons = player.id !== undefined || player.name.toLowerCase() !== "remote server";
    return isPersons && this.#ports.isPunishment(text, { author: player });
  }
}

function newState(guildId: string): ServerState {
  return { guildId, seen: new Map(), rules: new Map() };
}

function unshownIn({ guildId, rules }: ServerState, bindingId: string): MessageRef[] {
  const refs: MessageRef[] = [];
  for (const [ruleId, { incidents }] of rules) {
    for (const incident of incidents) {
      if (!isShown(incident)) refs.push({ guildId, bindingId, ruleId, key: incident.key });
    }
  }
  return refs;
}

/** Nothing new: the same rows in the same places, as the reader of answers keeps them. */
function isSame<T extends KillEntry | CommandEntry>(
  now: readonly T[] | undefined,
  before: readonly T[] | undefined,
): boolean {
  return (
    now !== undefined &&
    before !== undefined &&
    now.length === before.length &&
    now.every((row, index) => row === before[index])
  );
}
