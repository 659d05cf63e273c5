import type { Watch } from "../../domain/case.ts";
import { serviceAheadS } from "../../domain/clocks-apart.ts";
import { Failure } from "../../domain/failure.ts";
import { LATEST_ROW_AHEAD_MS } from "../../domain/future-rows.ts";
import type { Binding } from "../../domain/guild.ts";
import { guildOf, serverOf } from "../../domain/journal-id.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { JoinEntry, LogEntry, PlayerRef, Snapshot, SourceId } from "../../domain/model.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { JournalLooks, JournalReader } from "../../domain/ports/journal.ts";
import type { Watches } from "../../domain/ports/watches.ts";
import { ServiceTime } from "../../domain/service-time.ts";
import type { PendingAlert, WatchRow, WatchStore } from "./case-store.ts";
import { WatchPosts, type WatchPostsPorts } from "./watch-posts.ts";

/** What one guild may watch at a time. */
const MOST_WATCHES = 200;
/** The row of a join may be read after the list of players; the service's clock differs a little from ours. */
const LATE_ROW_S = 30;
/** Alerts of one watch that wait for Discord; a further join is counted in the last of them. */
const MOST_PENDING = 5;

export interface WatchBookPorts extends Omit<WatchPostsPorts, "rowOf" | "settle"> {
  readonly store: WatchStore;
  readonly bindings: Pick<Bindings, "bySource" | "list">;
  readonly random: Random;
  readonly journal: Pick<JournalLooks, "reader" | "arrived">;
  /** So many watches, of any guild, cannot be read and are left out. */
  onUnreadable(watches: number): void;
  /** Whether this process serves a guild; the watches of others are another process's. */
  isOurs(guildId: string): boolean;
  report(what: string, error: unknown): void;
}

interface Arrival {
  readonly player: Required<PlayerRef>;
  readonly joinedAtS: number;
  /** A row of the join log up to so much later is of the same join. */
  readonly untilS?: number;
}

/** Who is watched, and the message when one of them joins: once for a join, whatever is read twice or restarted. */
export class WatchBook implements Watches {
  readonly #ports: WatchBookPorts;
  readonly #rows = new Map<string, Map<number, WatchRow>>();
  readonly #changes = new KeyedMutex();
  readonly #log: JournalReader;
  readonly #alerts: WatchPosts;
  readonly #serviceTime: ServiceTime;
  #isLoaded = false;
  #isStopped = false;

  constructor(ports: WatchBookPorts) {
    this.#ports = ports;
    this.#serviceTime = new ServiceTime(ports.clock);
    this.#log = ports.journal.reader("watches", "window", { logs: ["joinLogs"] });
    this.#alerts = new WatchPosts({
      ...ports,
      rowOf: (guildId, playerId) => this.#rows.get(guildId)?.get(playerId),
      settle: (guildId, playerId, alert) => this.#settle(guildId, playerId, alert),
    });
  }

  /** Takes up what is stored, and alerts that an earlier process may not have posted. */
  async start(): Promise<void> {
    const { rows, unreadable } = await this.#ports.store.all();
    if (unreadable > 0) this.#ports.onUnreadable(unreadable);
    for (const row of rows) {
      if (!this.#ports.isOurs(row.watch.guildId)) continue;
      this.#keep(row);
      for (const alert of row.alerts ?? []) this.#alerts.doubt(alert);
      this.#alerts.post(row.watch.guildId, row.watch.playerId);
    }
    this.#isLoaded = true;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async put(watch: Watch): Promise<void> {
    this.#mustBeLoaded();
    const { guildId, playerId } = watch;
    await this.#changes.take(guildId, async () => {
      const rows = this.#rows.get(guildId);
      const before = rows?.get(playerId);
      if (before === undefined && (await this.#current(guildId)).length >= MOST_WATCHES) {
        throw new Failure(
          "bad-command",
          `${MOST_WATCHES} players are already watched, the maximum. End a watch first with /player watches.`,
        );
      }
      const row = { ...before, watch, toldS: before?.toldS ?? {} };
      await this.#ports.store.put(row);
      this.#keep(row);
    });
  }

  async remove(guildId: string, playerId: number): Promise<Watch | undefined> {
    this.#mustBeLoaded();
    return await this.#changes.take(guildId, async () => {
      const row = this.#rows.get(guildId)?.get(playerId);
      if (row === undefined) return undefined;
      await this.#ports.store.remove(guildId, playerId);
      this.#drop(guildId, playerId);
      return row.watch;
    });
  }

  async of(guildId: string, playerId: number): Promise<Watch | undefined> {
    this.#mustBeLoaded();
    const row = this.#rows.get(guildId)?.get(playerId);
    return row === undefined || this.#isOver(row.watch) ? undefined : row.watch;
  }

  async list(guildId: string): Promise<readonly Watch[]> {
    this.#mustBeLoaded();
    const rows = await this.#changes.take(guildId, () => this.#current(guildId));
    return rows.map(({ watch }) => watch).sort((a, b) => b.atMs - a.atMs);
  }

  /** What was kept of a guild is erased. */
  forgetGuild(guildId: string): void {
    this.#rows.delete(guildId);
  }

  /** No guild has this server linked any more: what is read next of it is of another time. */
  forgetServer(source: SourceId): void {
    this.#log.readAnew(source);
  }

  /** Posts the joins of watched players that an answer brought. Never rejects, and the caller need not wait for it. */
  take(look: Snapshot): void {
    this.#serviceTime.note(look);
    if (this.#isStopped || !this.#isLoaded) return;
    if (this.#rows.size === 0) this.#log.pass(look);
    else
      this.#read(look).catch((error: unknown) =>
        this.#ports.report("the join of a watched player could not be told", error),
      );
  }

  async #read(look: Snapshot): Promise<void> {
    const { source, lists } = look;
    const nowMs = this.#ports.clock.nowMs();
    // Not by this answer alone: one that is dated minutes ahead would hide joins for as long.
    const aheadS = serviceAheadS({ serviceAtMs: this.#serviceTime.ms() ?? nowMs, takenAtMs: nowMs });
    const arrived = this.#ports.journal.arrived(look);
    const unread = await this.#log.unread(look);
    const failures: unknown[] = [];
    for (const { log, isFirst, items, done, failed } of unread) {
      const entries = items.flatMap((item) => (item.kind === "entry" ? [item.entry] : []));
      const rows = isFirst ? (lists.joinLogs ?? []) : entries;
      await this.#tell(log.source, rows.flatMap(arrivalOf), aheadS).then(done, (error: unknown) => {
        // Where the store is away, that is no fault of this join's.
        if (!(error instanceof Failure)) failed(error);
        failures.push(error);
      });
    }
    // Where the log is read anew, the list before is of another time.
    if (arrived.length > 0 && !unread.some(({ isFirst }) => isFirst)) {
      const newest = newestRows(lists.joinLogs ?? []);
      const joinedAtS = Math.floor(nowMs / 1_000) + aheadS;
      // Where the log has a row of the join, that row makes the alert.
      const unlogged = arrived.filter(({ id }) => newest.get(id)?.joined !== true);
      const arrivals = unlogged.map((player) => ({ player, joinedAtS, untilS: LATE_ROW_S }));
      await this.#tell(source, arrivals, aheadS);
    }
    if (failures.length > 0) throw failures[0];
  }

  /** `journal`: a server's, or that of one guild of it. `aheadS`: the service's clock, by which they are dated, is of ours. */
  async #tell(journal: SourceId, arrivals: readonly Arrival[], aheadS: number): Promise<void> {
    if (arrivals.length === 0) return;
    for (const binding of await this.#ports.bindings.bySource(serverOf(journal))) {
      const rows = this.#rows.get(binding.guildId);
      if (rows === undefined || (guildOf(journal) ?? binding.guildId) !== binding.guildId) continue;
      const seen = arrivals
        .filter(({ player }) => rows.has(player.id))
        .toSorted((a, b) => a.joinedAtS - b.joinedAtS);
      for (const arrival of seen) await this.#tellOne(binding, arrival, aheadS);
    }
  }

  async #tellOne(
    { guildId, id }: Binding,
    { player, joinedAtS, untilS = 0 }: Arrival,
    aheadS: number,
  ): Promise<void> {
    const { settings, random, store, clock } = this.#ports;
    const { watchChannelId } = await settings.of(guildId);
    if (watchChannelId === undefined) return;
    const isTold = await this.#changes.take(guildId, async () => {
      const row = this.#rows.get(guildId)?.get(player.id);
      if (row === undefined || this.#isOver(row.watch)) return false;
      const sinceS = Math.floor(row.watch.atMs / 1_000) + aheadS;
      if (joinedAtS <= Math.max(sinceS, toldUntilS(row, id, { nowMs: clock.nowMs(), aheadS }))) return false;
      const alert: PendingAlert = {
        key: random.id().slice(0, 20),
        nonce: random.id().slice(0, 25),
        sinceMs: clock.nowMs(),
        channelId: watchChannelId,
        bindingId: id,
        joinedAtS,
        name: player.name,
      };
      const toldS = { ...row.toldS, [id]: joinedAtS + untilS };
      const toldAtMs = { ...row.toldAtMs, [id]: clock.nowMs() };
      const next = { ...row, toldS, toldAtMs, alerts: withAlert(row.alerts ?? [], alert) };
      await store.put(next);
      this.#keep(next);
      return true;
    });
    if (isTold) this.#alerts.post(guildId, player.id);
  }

  async #settle(guildId: string, playerId: number, { key }: PendingAlert): Promise<void> {
    await this.#changes.take(guildId, async () => {
      const row = this.#rows.get(guildId)?.get(playerId);
      if (row === undefined) return;
      const next = { ...row, alerts: (row.alerts ?? []).filter((alert) => alert.key !== key) };
      await this.#ports.store.put(next);
      this.#keep(next);
    });
  }

  /** Those that are not over; what is over goes, unless the message of a join is still on its way. */
  async #current(guildId: string): Promise<readonly WatchRow[]> {
    const rows = [...(this.#rows.get(guildId)?.values() ?? [])];
    for (const { watch, alerts = [] } of rows.filter((row) => this.#isOver(row.watch))) {
      if (alerts.length > 0) continue;
      await this.#ports.store.remove(guildId, watch.playerId);
      this.#drop(guildId, watch.playerId);
    }
    return rows.filter((row) => !this.#isOver(row.watch));
  }

  #isOver({ untilMs }: Watch): boolean {
    return untilMs !== undefined && untilMs <= this.#ports.clock.nowMs();
  }

  #keep(row: WatchRow): void {
    const { guildId, playerId } = row.watch;
    const rows = this.#rows.get(guildId) ?? new Map<number, WatchRow>();
    this.#rows.set(guildId, rows.set(playerId, row));
  }

  #drop(guildId: string, playerId: number): void {
    const rows = this.#rows.get(guildId);
    rows?.delete(playerId);
    if (rows?.size === 0) this.#rows.delete(guildId);
  }

  #mustBeLoaded(): void {
    if (!this.#isLoaded) {
      throw new Failure("store", "The watchlist is still loading.", { isRead: true });
    }
  }
}

/** Until when the joins on a server are posted, by the service's clock. */
function toldUntilS(
  { toldS, toldAtMs }: WatchRow,
  bindingId: string,
  { nowMs, aheadS }: { readonly nowMs: number; readonly aheadS: number },
): number {
  const untilS = toldS[bindingId] ?? 0;
  if (untilS * 1_000 <= nowMs + aheadS * 1_000 + LATEST_ROW_AHEAD_MS) return untilS;
  // The answer that showed the join was dated wrongly: when it was read is known by our own clock.
  return Math.floor((toldAtMs?.[bindingId] ?? 0) / 1_000) + aheadS + LATE_ROW_S;
}

/** The first of them may be on its way, so that what is one too many joins the last. */
function withAlert(alerts: readonly PendingAlert[], alert: PendingAlert): readonly PendingAlert[] {
  const last = alerts.at(-1);
  if (last === undefined || alerts.length < MOST_PENDING) return [...alerts, alert];
  return [...alerts.slice(0, -1), { ...alert, earlierJoins: (last.earlierJoins ?? 0) + 1 }];
}

function withId({ name, id }: PlayerRef): readonly Required<PlayerRef>[] {
  return id === undefined ? [] : [{ name, id }];
}

function arrivalOf(row: LogEntry): readonly Arrival[] {
  if (row.kind !== "join") return [];
  const { joined, player, atS } = row;
  return joined ? withId(player).map((known) => ({ player: known, joinedAtS: atS })) : [];
}

/** By player, the newest row of the join log. */
function newestRows(rows: readonly JoinEntry[]): ReadonlyMap<number, JoinEntry> {
  const newest = new Map<number, JoinEntry>();
  for (const row of rows) {
    const { id } = row.player;
    if (id !== undefined && row.atS >= (newest.get(id)?.atS ?? 0)) newest.set(id, row);
  }
  return newest;
}
