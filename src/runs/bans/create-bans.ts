import type { BanEnd } from "../../domain/ban-end.ts";
import type { Binding } from "../../domain/guild.ts";
import type { Snapshot } from "../../domain/model.ts";
import type { AskedBans } from "../../domain/ports/asked-bans.ts";
import type { BanEnds } from "../../domain/ports/ban-ends.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { RunRecord } from "../../domain/run.ts";
import { ServiceTime } from "../../domain/service-time.ts";
import type { AskedBanPorts } from "./asked-ban-ports.ts";
import { AskedBanBook } from "./asked-bans.ts";
import { BanEndBook, type BanEndPorts } from "./ban-end-book.ts";
import { BanLog, type BanLogPorts } from "./ban-log.ts";
import { BanWatch, type BanWatchPorts } from "./ban-watch.ts";
import { KeptBanEnds } from "./kept-ban-ends.ts";

export interface WatchPorts extends Omit<BanWatchPorts, "kept" | "serviceTime"> {
  /** With `parseBanEnd`; durable. */
  readonly banEnds: Documents<BanEnd>;
  owns(guildId: string): boolean;
}

/** What the queue asks, before there is a queue. */
export function createBanWatch({ banEnds: documents, owns, ...ports }: WatchPorts) {
  const serviceTime = new ServiceTime(ports.clock);
  const kept = new KeptBanEnds({ documents, owns });
  return { kept, serviceTime, watch: new BanWatch({ ...ports, kept, serviceTime }) };
}

type Own = "kept" | "bans" | "serviceTime" | "book" | "documents";

export type BansPorts = Omit<BanEndPorts, Own> &
  Omit<AskedBanPorts, Own> &
  Omit<BanLogPorts, Own> & {
    /** With `parseAskedBan`; durable. */
    readonly askedBans: AskedBanPorts["documents"];
  };

export interface Bans {
  readonly ends: BanEnds;
  readonly asked: AskedBans;
  /** How many end by themselves. */
  readonly count: number;
  /** To be called after the runs of an earlier process were concluded. */
  load(): Promise<void>;
  begin(): void;
  stop(): Promise<void>;
  flushed(): Promise<void>;
  /** Notes what time it is by the service's clock. */
  noteTime(look: Snapshot): void;
  /** Takes in an answer whose news are written. Rejects when the store does. */
  take(look: Snapshot): Promise<void>;
  /** A row of the audit was written. Takes no time and never throws. */
  onRun(record: RunRecord): void;
  /** A run is over. Called once for each. */
  onEnded(record: RunRecord): void;
  /** Has the logs of a guild's servers read that have bans to end. Never rejects. */
  watchLogs(guildId: string): Promise<void>;
  onUnlinked(binding: Binding): Promise<void>;
}

/** Bans that end, and bans that are asked for. */
export function createBans(
  ports: BansPorts,
  { kept, serviceTime, watch }: ReturnType<typeof createBanWatch>,
): Bans {
  const ends = new BanEndBook({ ...ports, kept, serviceTime, bans: watch });
  const asked = new AskedBanBook({ ...ports, documents: ports.askedBans });
  const log = new BanLog({ ...ports, kept, book: ends });
  const watchLogs = (guildId: string) =>
    log
      .demand(guildId)
      .catch((error: unknown) => ports.report("a guild's log could not be watched for bans", error));
  return {
    ends,
    asked,
    get count() {
      return ends.count;
    },
    async load() {
      await ends.load();
      await asked.load();
    },
    begin() {
      ends.begin();
      asked.begin();
    },
    stop: () => ends.stop(),
    flushed: async () => void (await Promise.all([ends.changes.flushed(), asked.flushed()])),
    noteTime: (look) => serviceTime.note(look),
    async take(look) {
      await log.take(look);
      asked.take(look);
    },
    onRun(record) {
      ends.onRun(record);
      if (record.verb === "ban") void watchLogs(record.guildId);
    },
    onEnded: (record) => ends.onEnded(record),
    watchLogs,
    async onUnlinked(binding) {
      await ends.onUnlinked(binding);
      log.withdraw(binding.id);
      await asked.onUnlinked(binding.id);
    },
  };
}
