import type { CaseDraft } from "../domain/case.ts";
import type { SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Demands } from "../domain/ports/demands.ts";
import type { DutyStore } from "../domain/ports/duty-store.ts";
import type { History } from "../domain/ports/history.ts";
import type { JournalLooks } from "../domain/ports/journal.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import { ServiceTime } from "../domain/service-time.ts";
import type { Log } from "../log.ts";
import { isOfRow } from "./cases/case-of-command.ts";
import type { CaseStore, WatchStore } from "./cases/case-store.ts";
import { storedCases, storedWatches } from "./cases/stored-cases.ts";
import { Eraser } from "./eraser.ts";
import { type AimedAtPorts, aimedAt } from "./ingest/aimed-at.ts";
import type { CardAnswerPorts } from "./ingest/card-answers.ts";
import { Recorder } from "./ingest/recorder.ts";
import { RecordingState } from "./ingest/recording-state.ts";
import { createDrawingThread } from "./pictures/drawing-thread.ts";
import type { MapImageFile } from "./pictures/map/map-image.ts";
import { FinerCalls } from "./positions/finer-calls.ts";
import { RecordedServers } from "./recorded-servers.ts";
import { createStats } from "./stats/create-stats.ts";
import { storedDuty } from "./stored-duty.ts";
import { WhoWasThere } from "./who-was-there.ts";
import { createHistoryThread } from "./worker/history-thread.ts";
import { operatorsWords } from "./worker/worker-client.ts";

export interface HistoryParts {
  /** `sqlite:PATH` or `postgres://...` */
  readonly url: string;
  /** Marks forgotten players; independent of every other use of the bot's secret. */
  readonly markKey: Uint8Array;
  readonly bindings: Pick<Bindings, "all" | "list">;
  readonly demands: Demands;
  readonly journal: JournalLooks;
  /** The calls on the cards of a server, and the account in the game of who took them. */
  readonly callsOnCards: CardAnswerPorts["callsOnCards"];
  readonly accountOf: CardAnswerPorts["accountOf"];
  /** Guilds that record where people are; it keeps them. */
  readonly tracked: Set<string>;
  /** Whether this process serves a guild. */
  isOurs(guildId: string): boolean;
  readonly read: AimedAtPorts["read"];
  /** Names of verbs that do nobody harm: they are not against anybody. */
  readonly harmless: readonly string[];
  /** The operator's picture of the map. */
  readonly mapImage: MapImageFile | undefined;
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
  /** After the bindings are loaded. Does not wait for the database. */
  start(): Promise<void>;
  /** A guild has linked or unlinked a server, replaced a key, or removed the bot. */
  onLinksChanged(guildId: string): Promise<void>;
  stop(): Promise<void>;
  state(): HistoryState;
  /** Cases and watches of a guild are erased, since it went long ago. */
  onGuildErased(listener: (guildId: string) => void): void;
  /** A player was forgotten for a guild: what is remembered of them from before must not be written again. */
  onForgotten(listener: (guildId: string, playerId: number) => void): void;
  /** Who was in the servers, by the answers that it has heard. */
  readonly there: WhoWasThere;
  /** Where cases and the watchlist are kept. */
  readonly caseStores: { readonly store: CaseStore; readonly watchStore: WatchStore };
  /** Where duty keeps what it knows. */
  readonly dutyStore: DutyStore;
  /** What was looked at on a server up to now stands in the database. */
  onRecorded(listener: (source: SourceId) => void): void;
}

/** One answer of the service may hold hundreds of rows for several guilds. */
const STORE_WITHIN_MS = 60_000;
/** A command waits for the names of those whom it may hit. */
const FIND_WITHIN_MS = 1_000;
/** Erasing a player of years touches many rows. */
const ERASE_WITHIN_MS = 60_000;

/** The minutes around a case are over and gathered. */
const EVIDENCE_AFTER_MS = 10 * 60_000;

/** Builds the wing that keeps what happened on the game servers and answers from it; its database is in a thread, its drawing in another. */
export function createHistory(parts: HistoryParts): HistoryWing {
  const { url, markKey, harmless, clock, random, metrics, log } = parts;
  const serviceTime = new ServiceTime(clock);
  const there = new WhoWasThere();
  const state: RecordingState = new RecordingState({
    metrics,
    log,
    queued: () => recorder.queued,
    // A failure means that the database or the bot has stopped again, which is reported elsewhere.
    onWorking: () =>
      void onOpened().catch((err: unknown) => log.debug({ err }, "the history could not read its settings")),
  });

  const client = createHistoryThread({
    options: { url, markKey },
    clock,
    random,
    onTrouble: (message) => state.onTrouble(message),
    onDefect: (message) => log.error({ stack: message }, "a history query failed unexpectedly"),
  });
  const drawing = createDrawingThread({
    mapImage: parts.mapImage,
    clock,
    random,
    onTrouble: (reason) => {
      if (reason !== undefined) log.warn({ reason }, "pictures cannot be drawn for a moment");
    },
    onDefect: (message) => log.error({ stack: message }, "a picture could not be drawn"),
  });
  let onRecorded: (source: SourceId) => void = () => undefined;
  const recorder: Recorder = new Recorder({
    clock,
    random,
    journal: parts.journal.reader("history", "window"),
    presentS: () => serviceTime.seconds(),
    servers: () => recorded.servers,
    linksOf: (source) => recorded.of(source),
    tracks: (guildId) => recorded.tracks(guildId),
    hitBy: (source, row) => aimedAt({ read: (text) => parts.read(text), there }, source, row),
    callsOnCards: (bindingId) => parts.callsOnCards(bindingId),
    accountOf: (guildId, userId) => parts.accountOf(guildId, userId),
    store: (answers) => client.call("ingest.take", { answers }, { withinMs: STORE_WITHIN_MS }),
    onStored(stored, sources) {
      state.onStored(stored);
      for (const source of sources) onRecorded(source);
    },
    onFailed: (error) => state.onFailed(error, operatorsWords(error)),
    onDropped: (answers) => state.onDropped(answers),
  });
  const recorded = new RecordedServers({
    bindings: parts.bindings,
    demands: parts.demands,
    tracked: parts.tracked,
    isOurs: (guildId) => parts.isOurs(guildId),
    onChanged(source) {
      recorder.forget(source);
      finer.onLinksChanged(source);
    },
  });
  const finer: FinerCalls = new FinerCalls({
    clock,
    demands: parts.demands,
    presentS: () => serviceTime.seconds(),
    linksOf: (source) => recorded.of(source),
    tracks: (guildId) => recorded.tracks(guildId),
    callsOnCards: (bindingId) => parts.callsOnCards(bindingId),
  });
  const stats = createStats({
    clock,
    ask: (name, args, within) => client.call(name, args, within),
    draw: (pictures, within) => drawing.draw(pictures, within),
  });
  let onErased: (guildId: string) => void = () => undefined;
  let onForgotten: Parameters<HistoryWing["onForgotten"]>[0] = () => undefined;
  const eraser = new Eraser({
    clock,
    presentS: () => serviceTime.seconds(),
    erase: (args) => client.call("retention.erase", args, { withinMs: ERASE_WITHIN_MS }),
    keepEvidence: (args) => client.call("cases.keepEvidence", args, { withinMs: ERASE_WITHIN_MS }),
    erasePersons: (args) => client.call("retention.erasePersons", args, { withinMs: ERASE_WITHIN_MS }),
    async departed({ nowMs }) {
      const linked = [...new Set(recorded.all().map(({ guildId }) => guildId))];
      const guildIds = await client.call("cases.departed", { nowMs, linked }, { withinMs: ERASE_WITHIN_MS });
      return guildIds.filter((guildId) => parts.isOurs(guildId));
    },
    eraseDeparted: (guildId) =>
      client.call("cases.eraseDeparted", { guildId }, { withinMs: ERASE_WITHIN_MS }),
    onErased: (guildId) => onErased(guildId),
    onFailed: (err) => log.warn({ err }, "old rows could not be erased from the history"),
  });

  async function onOpened(): Promise<void> {
    recorded.setOff(await client.call("guild.turnedOff", {}));
    for (const guildId of await client.call("positions.guilds", {})) recorded.track(guildId, true);
    // Which of the others' servers are linked, their own processes say.
    const guildIds = (await client.call("guild.kept", {})).filter((guildId) => parts.isOurs(guildId));
    await client.call("guild.linked", { links: recorded.all(), guildIds, endedMs: clock.nowMs() });
  }

  async function tellOfMap(): Promise<void> {
    const reason = await drawing.mapImage().catch(String);
    if (reason !== null) log.warn({ reason }, "MAP_IMAGE is not used; maps have plain ground");
  }

  /** When a case was made, by the service's clock: our own, which tells when we sent something, may be off by hours. */
  function serviceSecondOf({ atMs, origin }: Pick<CaseDraft, "atMs" | "origin">): number {
    const presentS = isOfRow(origin) ? undefined : serviceTime.seconds();
    return Math.floor(presentS === undefined ? atMs / 1_000 : presentS - (clock.nowMs() - atMs) / 1_000);
  }

  parts.journal.follow({
    async take({ look, written }) {
      serviceTime.note(look);
      there.see(look);
      finer.take(look);
      await written;
      recorder.take(look);
    },
  });

  return {
    players: {
      search: (guildId, typed, limit) => client.call("players.search", { guildId, typed, limit }),
      find: (guildId, nameOrId) => client.call("players.find", { guildId, nameOrId }),
      findAll: (guildId, namesOrIds) =>
        client.call("players.findAll", { guildId, namesOrIds }, { withinMs: FIND_WITHIN_MS }),
    },
    cards: {
      card: (guildId, playerId, options) =>
        client.call("cards.card", { guildId, playerId, harmless, ...options }),
      page: (guildId, options) => client.call("cards.page", { guildId, harmless, ...options }),
    },
    rewind: {
      at: (guildId, bindingId, times) => client.call("rewind.at", { guildId, bindingId, ...times }),
      unrecorded: (guildId, sinceS) => client.call("rewind.unrecorded", { guildId, sinceS }),
    },
    stats,
    positions: {
      days: (guildId) => client.call("positions.days", { guildId }),
      async setDays(guildId, days) {
        await client.call("positions.setDays", { guildId, days }, { withinMs: ERASE_WITHIN_MS });
        recorded.track(guildId, days > 0);
        if (days === 0) stats.forgetGuild(guildId);
      },
      track: (guildId, bindingId, span) => client.call("positions.track", { guildId, bindingId, ...span }),
      ofCase: (guildId, number) => client.call("cases.evidence", { guildId, number }),
      hasReplay: async ({ guildId, number, atMs }) =>
        clock.nowMs() - atMs < EVIDENCE_AFTER_MS
          ? parts.tracked.has(guildId)
          : await client.call("cases.hasTrack", { guildId, number }),
    },
    privacy: {
      retention: (guildId) => client.call("guild.retention", { guildId }),
      async setRetention(guildId, days) {
        await client.call("guild.setRetention", { guildId, days });
        recorded.turnOff(guildId, days === "off");
        if (days === "off") recorded.track(guildId, false);
        stats.forgetGuild(guildId);
      },
      async forget(guildId, playerId, nowS) {
        const args = { guildId, playerId, nowS: serviceTime.seconds() ?? nowS };
        const forgotten = await client.call("privacy.forget", args, { withinMs: ERASE_WITHIN_MS });
        stats.forgetGuild(guildId);
        if (forgotten !== undefined) onForgotten(guildId, playerId);
        return forgotten;
      },
      export: (guildId, playerId) => client.call("privacy.export", { guildId, playerId }),
    },
    async start() {
      await recorded.load();
      client.start();
      eraser.start();
      if (parts.mapImage !== undefined) void tellOfMap();
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
    there,
    caseStores: {
      store: storedCases((name, args) => client.call(name, args), serviceSecondOf),
      watchStore: storedWatches((name, args) => client.call(name, args)),
    },
    dutyStore: storedDuty((name, args) => client.call(name, args)),
    onRecorded(listener) {
      onRecorded = listener;
    },
    onForgotten(listener) {
      onForgotten = listener;
    },
    onGuildErased(listener) {
      onErased = listener;
    },
    state: () => ({ trouble: state.trouble ?? null, queued: recorder.queued, rowsStored: state.rowsStored }),
  };
}
