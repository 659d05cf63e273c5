import { feedRenderer } from "../../src/discord/render/feed.ts";
import { SinkRefusal } from "../../src/domain/failure.ts";
import type { Binding } from "../../src/domain/guild.ts";
import type { LogList, Snapshot, SourceId } from "../../src/domain/model.ts";
import type { Random } from "../../src/domain/ports/clock.ts";
import type { Documents, Rows, WriteTogether } from "../../src/domain/ports/documents.ts";
import type { FeedStore } from "../../src/domain/ports/feed-store.ts";
import type { ServiceClient } from "../../src/domain/ports/service-client.ts";
import type { ServiceHealth } from "../../src/domain/ports/service-health.ts";
import type { Sink } from "../../src/domain/ports/sink.ts";
import { parseCard } from "../../src/feeds/cards/card-records.ts";
import { createFeeds, type FeedsWing } from "../../src/feeds/feeds.ts";
import { parseOffset } from "../../src/feeds/positions/offsets.ts";
import { logLists } from "../../src/journal/compare/window-facts.ts";
import { createJournal } from "../../src/journal/create-journal.ts";
import {
  headKey,
  type JournalChange,
  parseJournalChunk,
  parseJournalHead,
  parseJournalRow,
} from "../../src/journal/journal-records.ts";
import type { Outbox } from "../../src/outbox/create-outbox.ts";
import { createCleanStop, parseCleanEnd } from "../../src/store/clean-stop.ts";
import { createDiskWait, parseDiskMark } from "../../src/store/on-disk.ts";
import { createWatch, type Watch } from "../../src/watch/watch.ts";
import { NOBODY_ON_DUTY } from "../support/nobody-on-duty.ts";
import { outboxOver } from "../support/outbox.ts";
import type { SimDiscord } from "./discord.ts";
import { Injected, type Life } from "./life.ts";
import { changeTogether, type Disk, DiskDocuments, DiskFeeds, DiskRows } from "./store.ts";

/** What a process keeps, as it sees it. */
export interface Storage {
  documents<T>(name: string, parse: (value: unknown) => T, durability?: "full" | "normal"): Documents<T>;
  rows<T>(name: string, parse: (value: unknown) => T): Rows<T>;
  /** Of namespaces of which `documents` was made before. */
  readonly write: WriteTogether;
  readonly feedStore: FeedStore;
}

/** The client of the service, with what it must do before the first request. */
export type SimClient = Pick<ServiceClient, "read" | "command"> &
  ServiceHealth & { restore(): Promise<void> };

export interface ProcessParts {
  readonly life: Life;
  readonly storage: Storage;
  readonly client: SimClient;
  readonly discord: SimDiscord;
  readonly random: Random;
  /** By guild: each has linked one server. */
  readonly bindings: ReadonlyMap<string, Binding>;
  /** An answer reached this process. */
  readonly onAnswer: (snapshot: Snapshot) => void;
  /** The journal of one log has written what an answer brought, which came at `takenAtMs`. */
  readonly onWritten: (source: SourceId, list: LogList, takenAtMs: number) => void;
  /** The feeds wing has kept an answer. */
  readonly onKept: (snapshot: Snapshot) => void;
  readonly onDefect: (error: unknown) => void;
}

export interface Process {
  readonly watch: Watch;
  readonly feeds: FeedsWing;
  readonly outbox: Pick<Outbox, "stop">;
  /** Rejects when the store fails meanwhile. */
  start(): Promise<void>;
}

/** Builds watch and feeds as main.ts does, over things that can end it at any call. Nothing is started. */
export function buildProcess(parts: ProcessParts): Process {
  const { life, storage, client, discord, random, bindings } = parts;
  const clock = life.clock();
  const metrics = { count: () => undefined, observe: () => undefined };
  const report = (error: unknown) => {
    if (!isInjected(error)) parts.onDefect(error);
  };
  const watch: Watch = createWatch({
    client: {
      read: async (source, lists, options) => {
        const read = () => client.read(source, lists, options);
        const snapshot = await life.call(`read ${source} ${lists.join()}`, read);
        parts.onAnswer(snapshot);
        return snapshot;
      },
      command: (...given) => client.command(...given),
    },
    health: client,
    clock,
    random,
    metrics,
    onDefect: report,
  });
  const { documents } = storage;
  const outbox = outboxOver(mortalSink(discord, life), clock);
  const journal = createJournal({
    followedOf: () => [],
    heads: documents("journal-heads", parseJournalHead),
    chunks: documents("journal-chunks", parseJournalChunk),
    rows: storage.rows("journal-rows", parseJournalRow),
    write: told(storage.write, parts),
    clock,
    random,
    warn: (_message, error) => report(error),
  });
  const feeds: FeedsWing = createFeeds({
    ...NOBODY_ON_DUTY,
    journalOwner: "server",
    clock,
    random,
    posts: outbox.posts,
    batches: outbox.batches,
    renderer: feedRenderer,
    guilds: { channelAccess: async () => ({ kind: "unknown" }) },
    notifier: { person: async () => undefined, guild: async () => undefined },
    metrics,
    snapshots: watch.snapshots,
    demands: watch.demands,
    health: client,
    bindings: {
      list: async (guildId) => [bindings.get(guildId) ?? []].flat(),
      *linked() {
        yield* bindings.values();
      },
    },
    feedStore: storage.feedStore,
    journal,
    offsets: documents("offsets", parseOffset),
    cards: documents("cards", parseCard),
    cleanStop: createCleanStop(
      { flush: async () => true },
      { documents: documents("clean-stop", parseCleanEnd, "full"), key: "end" },
      clock,
    ),
    onDisk: createDiskWait(
      { flush: async () => true },
      documents("disk-marks", parseDiskMark, "full"),
      clock,
    ),
    nonceKey: "the simulation's nonce key",
    warn: (_message, error) => report(error),
  });
  watch.listen({
    take: async (snapshot) => {
      await journal.take(snapshot);
      if (!life.dead) parts.onKept(snapshot);
    },
  });
  return {
    watch,
    outbox,
    feeds,
    async start() {
      await client.restore();
      await feeds.start();
      watch.start();
    },
  };
}

/** Tells of each row that is written with what an answer brought. */
function told(write: WriteTogether<JournalChange>, { onWritten }: ProcessParts) {
  return async (changes: readonly JournalChange[]) => {
    await write(changes);
    for (const change of changes) {
      if (!("row" in change)) continue;
      const list = logLists.find(
        (one) => change.list === headKey(change.list.slice(0, -one.length - 1), one),
      );
      if (list === undefined) continue;
      onWritten(change.list.slice(0, -list.length - 1) as SourceId, list, change.row.seenAtMs);
    }
  };
}

/** What a process keeps on a simulated disk. */
export function diskStorage(disk: Disk, life: Life): Storage {
  return {
    documents: (name, parse, durability = "normal") =>
      new DiskDocuments(disk, life, name, { parse, durability }),
    rows: (name, parse) => new DiskRows(disk, life, name, parse),
    write: (changes) =>
      life.call(`write ${changes.length}`, () => disk.use(() => changeTogether(disk, changes))),
    feedStore: new DiskFeeds(disk, life),
  };
}

function mortalSink(discord: SimDiscord, life: Life): Sink {
  return {
    send: (channelId, message) =>
      life.call(`send ${channelId} ${message.nonce}`, () => discord.send(channelId, message)),
    edit: (channelId, messageId, body) =>
      life.call(`edit ${channelId} ${messageId}`, () => discord.edit(channelId, messageId, body)),
    readBack: (channelId, after, limit) =>
      life.call(`readBack ${channelId} ${after}`, () => discord.readBack(channelId, after, limit)),
  };
}

function isInjected(error: unknown): boolean {
  if (error instanceof Injected || error instanceof SinkRefusal) return true;
  return error instanceof Error && error.cause !== undefined && isInjected(error.cause);
}
