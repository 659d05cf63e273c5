// Over 200 lines: one watchlist, whose entries, notices and expiry change the same records.
import type { Watch } from "../../domain/case.ts";
import { Failure, SinkRefusal } from "../../domain/failure.ts";
import type { Binding } from "../../domain/guild.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { JoinEntry, PlayerRef, Snapshot, SourceId } from "../../domain/model.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { CaseRenderer } from "../../domain/ports/case-renderer.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import type { Watches } from "../../domain/ports/watches.ts";
import type { PendingAlert, WatchRow, WatchStore } from "./case-store.ts";
import { postOnce } from "./post-once.ts";

/** What one guild may watch at a time. */
const MOST_WATCHES = 200;
/** The row of a join may be read after the list of players; the service's clock differs a little from ours. */
const LATE_ROW_S = 30;
/** An alert that did not get through is tried again after these waits, and then no more. */
const AGAIN_AFTER_MS = [2_000, 10_000, 60_000, 300_000] as const;

export interface WatchListPorts {
  readonly store: WatchStore;
  readonly bindings: Pick<Bindings, "bySource" | "list">;
  readonly settings: Pick<Settings, "of">;
  readonly sink: Sink;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: CaseRenderer;
  readonly clock: Clock;
  readonly random: Random;
  report(what: string, error: unknown): void;
}

interface Arrival {
  readonly player: Required<PlayerRef>;
  readonly joinedAtS: number;
  /** A row of the join log up to so much later is of the same join. */
  readonly untilS?: number;
}

/** Who is watched, and the message when one of them joins: once for a join, whatever is read twice or restarted. */
export class WatchList implements Watches {
  readonly #ports: WatchListPorts;
  readonly #rows = new Map<string, Map<number, WatchRow>>();
  readonly #changes = new KeyedMutex();
  /** By server the players of the list before; nobody is new in the first one. */
  readonly #listed = new Map<SourceId, ReadonlySet<number>>();
  readonly #doubtful = new Set<string>();
  readonly #notified = new Set<string>();
  #isLoaded = false;
  #isStopped = false;

  constructor(ports: WatchListPorts) {
    this.#ports = ports;
  }

  /** Takes up what is stored, and alerts that an earlier process may not have posted. */
  async start(): Promise<void> {
    for (const row of await this.#ports.store.all()) {
      this.#keep(row);
      const { pending, watch } = row;
      if (pending === undefined) continue;
      this.#doubtful.add(pending.key);
      void this.#post(watch.guildId, watch.playerId, 0);
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
          `${MOST_WATCHES} players are watched already. End a watch first: /player watches.`,
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

  /** Players of this server who have joined. Never rejects, and never holds up whoever read it. */
  take(snapshot: Snapshot): void {
    const { source, lists, takenAtMs } = snapshot;
    const before = this.#listed.get(source);
    const players = lists.players?.flatMap(({ player }) => withId(player));
    if (players !== undefined) this.#listed.set(source, new Set(players.map(({ id }) => id)));
    if (this.#isStopped || !this.#isLoaded || this.#rows.size === 0) return;
    const newest = newestRows(lists.joinLogs ?? []);
    const arrived = before === undefined ? [] : (players ?? []).filter(({ id }) => !before.has(id));
    const arrivals = [
      ...(lists.joinLogs ?? []).flatMap(arrivalOf),
      // Whose row shows the join is told by that.
      ...arrived
        .filter(({ id }) => newest.get(id)?.joined !== true)
        .map((player) => ({ player, joinedAtS: Math.floor(takenAtMs / 1_000), untilS: LATE_ROW_S })),
    ];
    if (arrivals.length === 0) return;
    this.#tell(source, arrivals).catch((error: unknown) =>
      this.#ports.report("the join of a watched player could not be told", error),
    );
  }

  async #tell(source: SourceId, arrivals: readonly Arrival[]): Promise<void> {
    for (const binding of await this.#ports.bindings.bySource(source)) {
      const rows = this.#rows.get(binding.guildId);
      if (rows === undefined) continue;
      const seen = arrivals
        .filter(({ player }) => rows.has(player.id))
        .toSorted((a, b) => a.joinedAtS - b.joinedAtS);
      for (const arrival of seen) await this.#tellOne(binding, arrival);
    }
  }

  async #tellOne({ guildId, id }: Binding, { player, joinedAtS, untilS = 0 }: Arrival): Promise<void> {
    const { settings, random, store } = this.#ports;
    const { watchChannelId } = await settings.of(guildId);
    if (watchChannelId === undefined) return;
    const isTold = await this.#changes.take(guildId, async () => {
      const row = this.#rows.get(guildId)?.get(player.id);
      if (row === undefined || this.#isOver(row.watch)) return false;
      const sinceS = Math.max(row.toldS[id] ?? 0, Math.floor(row.watch.atMs / 1_000));
      if (joinedAtS <= sinceS) return false;
      const pending: PendingAlert = {
        ...{ key: random.id().slice(0, 20), nonce: random.id().slice(0, 25) },
        ...{ channelId: watchChannelId, bindingId: id, joinedAtS, name: player.name },
      };
      const next = { ...row, toldS: { ...row.toldS, [id]: joinedAtS + untilS }, pending };
      await store.put(next);
      this.#keep(next);
      return true;
    });
    if (isTold) await this.#post(guildId, player.id, 0);
  }

  async #post(guildId: string, playerId: number, tries: number): Promise<void> {
    const row = this.#rows.get(guildId)?.get(playerId);
    const pending = row?.pending;
    if (row === undefined || pending === undefined || this.#isStopped) return;
    try {
      await this.#send(row, pending);
      await this.#changes.take(guildId, () => this.#settle(guildId, playerId, pending));
    } catch (error) {
      this.#ports.report("the join of a watched player could not be posted", error);
      const isDoubtful = !(error instanceof SinkRefusal) || error.reason === "unknown";
      if (!isDoubtful) return await this.#onClosed(guildId, playerId, pending);
      this.#doubtful.add(pending.key);
      const waitMs = AGAIN_AFTER_MS[tries];
      if (waitMs !== undefined) {
        this.#ports.clock.after(waitMs, () => void this.#post(guildId, playerId, tries + 1));
      }
    }
  }

  async #send({ watch }: WatchRow, pending: PendingAlert): Promise<void> {
    const { settings, bindings, sink, renderer } = this.#ports;
    const { watchRoleId } = await settings.of(watch.guildId);
    const binding = (await bindings.list(watch.guildId)).find(({ id }) => id === pending.bindingId);
    const body = renderer.watchAlert({
      ...{ watch, bindingId: pending.bindingId, serverName: binding?.name ?? "" },
      player: { name: pending.name, id: watch.playerId },
      ...{ joinedAtS: pending.joinedAtS, key: pending.key, pingRoleId: watchRoleId },
    });
    await postOnce(sink, {
      ...{ channelId: pending.channelId, nonce: pending.nonce, body },
      ...(watchRoleId === undefined ? {} : { pingRoleIds: [watchRoleId] }),
      isDoubtful: this.#doubtful.has(pending.key),
      isIt: (posted) => renderer.alertKeyOf(posted) === pending.key,
    });
    this.#doubtful.delete(pending.key);
    this.#notified.delete(pending.channelId);
  }

  async #onClosed(guildId: string, playerId: number, pending: PendingAlert): Promise<void> {
    await this.#changes.take(guildId, () => this.#settle(guildId, playerId, pending)).catch(() => undefined);
    if (this.#notified.has(pending.channelId)) return;
    this.#notified.add(pending.channelId);
    const { notifier, renderer } = this.#ports;
    await notifier.guild(guildId, renderer.closed("watches", pending.channelId));
  }

  async #settle(guildId: string, playerId: number, { key }: PendingAlert): Promise<void> {
    const row = this.#rows.get(guildId)?.get(playerId);
    if (row?.pending?.key !== key) return;
    const { pending: _, ...rest } = row;
    await this.#ports.store.put(rest);
    this.#keep(rest);
  }

  /** Those that are not over; what is over goes. */
  async #current(guildId: string): Promise<readonly WatchRow[]> {
    const rows = [...(this.#rows.get(guildId)?.values() ?? [])];
    for (const { watch } of rows.filter((row) => this.#isOver(row.watch))) {
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
      throw new Failure("store", "The watchlist has not been read yet.", { isRead: true });
    }
  }
}

function withId({ name, id }: PlayerRef): readonly Required<PlayerRef>[] {
  return id === undefined ? [] : [{ name, id }];
}

function arrivalOf({ joined, player, atS }: JoinEntry): readonly Arrival[] {
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
