// Over 200 lines: puts the parts of the wing together behind its port; each part is a few lines.
import type { Snapshot } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";
import type { History } from "../domain/ports/history.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { SnapshotListener } from "../domain/ports/snapshots.ts";
import type { Log } from "../log.ts";
import type { CaseStore, WatchStore } from "./cases/case-store.ts";
import { storedCases, storedWatches } from "./cases/stored-cases.ts";
import { Eraser } from "./eraser.ts";
import { Recorder } from "./ingest/recorder.ts";
import { createDrawingThread } from "./pictures/drawing-thread.ts";
import { RecordedServers } from "./recorded-servers.ts";
import { ServiceTime } from "./service-time.ts";
import { createStats } from "./stats/create-stats.ts";
import { createHistoryThread } from "./worker/history-thread.ts";

export interface HistoryParts {
  /** `sqlite:PATH` or `postgres://...` */
  readonly url: string;
  /** Marks forgotten players; independent of every other use of the bot's secret. */
  readonly markKey: Uint8Array;
  readonly bindings: Pick<Bindings, "all" | "list">;
  readonly demands: Demands;
  /** Whether this process serves a guild; absent ones are another process's, in the same database. */
  isOurs(guildId: string): boolean;
  /** The names at which a command aims. */
  targetsOf(text: string): readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly log: Log;
}

export interface HistoryState {
  /** Why nothing can be recorded at present; null: it can. */
  readonly trouble: string | null;
  /** Answers that wait to be stored. */
  readonly queued: number;
  readonly rowsStored: number;
}

export interface HistoryWing extends History {
  readonly listener: SnapshotListener;
  /** After the bindings are loaded. Does not wait for the database. */
  start(): Promise<void>;
  /** A guild has linked or unlinked a server, replaced a key, or removed the bot. */
  onLinksChanged(guildId: string): Promise<void>;
  stop(): Promise<void>;
  state(): HistoryState;
  /** Cases and watches of a guild are erased, since it went long ago. */
  onGuildErased(listener: (guildId: string) => void): void;
  /** Where cases and the watchlist are kept. */
  readonly caseStores: { readonly store: CaseStore; readonly watchStore: WatchStore };
}

/** A database that fails this often in a row is away; one failure may be a lock of a moment. */
const FAILED_IN_ROW = 2;
/** One answer of the service may hold hundreds of rows for several guilds. */
const STORE_WITHIN_MS = 60_000;
/** Erasing a player of years touches many rows. */
const ERASE_WITHIN_MS = 60_000;

/** Builds the wing that keeps what happened on the game servers and answers from it; its database is in a thread, its drawing in another. */
export function createHistory(parts: HistoryParts): HistoryWing {
  const { url, markKey, clock, random, metrics, log } = parts;
  const serviceTime = new ServiceTime(clock);
  let trouble: string | undefined = "it is being opened";
  let rowsStored = 0;
  let failedInRow = 0;

  const client = createHistoryThread({
    options: { url, markKey },
    clock,
    random,
    onTrouble,
    onDefect: (message) =>
      log.error({ stack: message }, "a question to the history failed in a way that was not expected"),
  });
  const drawing = createDrawingThread({
    clock,
    random,
    onTrouble: (reason) => {
      if (reason !== undefined) log.warn({ reason }, "no pictures can be drawn for a moment");
    },
    onDefect: (message) => log.error({ stack: message }, "a picture could not be drawn"),
  });
  const recorder: Recorder = new Recorder({
    clock,
    random,
    presentS: () => serviceTime.seconds(),
    linksOf: (source) => recorded.of(source),
    targetsOf: (text) => parts.targetsOf(text),
    store: (answers) => client.call("ingest.take", { answers }, { withinMs: STORE_WITHIN_MS }),
    onStored(rows) {
      if (failedInRow >= FAILED_IN_ROW) onTrouble(undefined);
      failedInRow = 0;
      rowsStored += rows;
      metrics.count("marshal_history_rows_total", {}, rows);
    },
    onFailed(err) {
      metrics.count("marshal_history_failures_total");
      log.debug({ err }, "answers of the service could not be recorded; they are tried again");
      failedInRow += 1;
      if (failedInRow >= FAILED_IN_ROW) onTrouble(err instanceof Error ? err.message : String(err));
    },
    onDropped: (answers) => metrics.count("marshal_history_dropped_total", {}, answers),
  });
  const recorded = new RecordedServers({
    bindings: parts.bindings,
    demands: parts.demands,
    isOurs: (guildId) => parts.isOurs(guildId),
    onChanged: (source) => recorder.forget(source),
  });
  const stats = createStats({
    clock,
    ask: (name, args, within) => client.call(name, args, within),
    draw: (pictures, within) => drawing.draw(pictures, within),
  });
  let onErased: (guildId: string) => void = () => undefined;
  const eraser = new Eraser({
    clock,
    presentS: () => serviceTime.seconds(),
    erase: (args) => client.call("retention.erase", args, { withinMs: ERASE_WITHIN_MS }),
    erasePersons: (args) => client.call("retention.erasePersons", args, { withinMs: ERASE_WITHIN_MS }),
    async departed({ nowMs }) {
      const linked = [...new Set(recorded.all().map(({ guildId }) => guildId))];
      const guildIds = await client.call("cases.departed", { nowMs, linked }, { withinMs: ERASE_WITHIN_MS });
      return guildIds.filter((guildId) => parts.isOurs(guildId));
    },
    eraseDeparted: (guildId) =>
      client.call("cases.eraseDeparted", { guildId }, { withinMs: ERASE_WITHIN_MS }),
    onErased: (guildId) => onErased(guildId),
    onFailed: (err) => log.warn({ err }, "what is too old could not be erased from the history"),
  });

  /** What keeps the history from being recorded; undefined: nothing does any more. */
  function onTrouble(message: string | undefined): void {
    const before = trouble;
    trouble = message;
    if (message === undefined) {
      log.info({}, "the history is recorded");
      // A failure means that the database or the bot has stopped again, which is reported elsewhere.
      void onOpened().catch((err: unknown) => log.debug({ err }, "the history could not read its settings"));
    } else if (message !== before) log.warn({ reason: message }, "the history is not recorded");
  }

  async function onOpened(): Promise<void> {
    recorded.setOff(await client.call("guild.turnedOff", {}));
    // Which of the others' servers are linked, their own processes say.
    const guildIds = (await client.call("guild.kept", {})).filter((guildId) => parts.isOurs(guildId));
    await client.call("guild.linked", { links: recorded.all(), guildIds, endedMs: clock.nowMs() });
  }

  return {
    listener: {
      async take(snapshot: Snapshot) {
        serviceTime.note(snapshot);
        recorder.take(snapshot);
      },
    },
    players: {
      search: (guildId, typed, limit) => client.call("players.search", { guildId, typed, limit }),
      find: (guildId, nameOrId) => client.call("players.find", { guildId, nameOrId }),
    },
    cards: {
      card: (guildId, playerId, options) => client.call("cards.card", { guildId, playerId, ...options }),
      page: (guildId, options) => client.call("cards.page", { guildId, ...options }),
    },
    rewind: {
      at: (guildId, bindingId, times) => client.call("rewind.at", { guildId, bindingId, ...times }),
      unrecorded: (guildId, sinceS) => client.call("rewind.unrecorded", { guildId, sinceS }),
    },
    stats,
    privacy: {
      retention: (guildId) => client.call("guild.retention", { guildId }),
      async setRetention(guildId, days) {
        await client.call("guild.setRetention", { guildId, days });
        recorded.turnOff(guildId, days === "off");
        stats.forgetGuild(guildId);
      },
      async forget(guildId, playerId, nowS) {
        const args = { guildId, playerId, nowS: serviceTime.seconds() ?? nowS };
        const forgotten = await client.call("privacy.forget", args, { withinMs: ERASE_WITHIN_MS });
        stats.forgetGuild(guildId);
        return forgotten;
      },
      export: (guildId, playerId) => client.call("privacy.export", { guildId, playerId }),
    },
    async start() {
      await recorded.load();
      client.start();
      eraser.start();
    },
    async onLinksChanged(guildId) {
      await recorded.refresh(guildId);
      const change = { links: recorded.all(guildId), guildIds: [guildId], endedMs: clock.nowMs() };
      // Not waited for: nobody's link waits for the history, and the next start makes up for what is missed.
      void client
        .call("guild.linked", change)
        .catch((err: unknown) => log.debug({ err }, "the history was not told of an unlinked server"));
    },
    async stop() {
      eraser.stop();
      await recorder.stop();
      await Promise.all([client.stop(), drawing.stop()]);
    },
    caseStores: {
      store: storedCases((name, args) => client.call(name, args)),
      watchStore: storedWatches((name, args) => client.call(name, args)),
    },
    onGuildErased(listener) {
      onErased = listener;
    },
    state: () => ({ trouble: trouble ?? null, queued: recorder.queued, rowsStored }),
  };
}
