import { BackOff } from "../../domain/back-off.ts";
import type { Binding } from "../../domain/guild.ts";
import type { Snapshot, SourceId } from "../../domain/model.ts";
import type { Cases } from "../../domain/ports/cases.ts";
import type { Watches } from "../../domain/ports/watches.ts";
import type { RunRecord } from "../../domain/run.ts";
import { CaseBook, type CaseBookPorts } from "./case-book.ts";
import { CaseMaker, type CaseMakerPorts } from "./case-maker.ts";
import { WatchList, type WatchListPorts } from "./watch-list.ts";

export interface CasesPorts
  extends CaseBookPorts,
    Omit<CaseMakerPorts, "book">,
    Omit<WatchListPorts, "store"> {
  readonly watchStore: WatchListPorts["store"];
  readonly bindings: CaseMakerPorts["bindings"] & WatchListPorts["bindings"];
}

export interface CasesRoom {
  readonly cases: Cases;
  readonly watches: Watches;
  /** A row of the audit was written. Never throws and takes no time. */
  onRun(record: RunRecord): void;
  /** Takes no time either. */
  take(snapshot: Snapshot): void;
  onUnlinked(binding: Pick<Binding, "id">): void;
  /** No guild has this server linked any more: what its last answers showed is dropped. */
  forgetServer(source: SourceId): void;
  /** Cases and watches of a guild were erased from the database. */
  onErased(guildId: string): void;
  /** Takes up what an earlier process left open, as soon as the database answers. */
  start(): void;
  stop(): Promise<void>;
}

/** Cases and the watchlist over one database. */
export function createCases({ watchStore, ...ports }: CasesPorts): CasesRoom {
  const { clock, random } = ports;
  const book = new CaseBook(ports);
  const maker = new CaseMaker({ ...ports, book });
  const watches = new WatchList({ ...ports, store: watchStore });
  const stopping = new AbortController();

  async function open(): Promise<void> {
    const backOff = new BackOff(clock, random);
    const parts = [() => watches.start(), () => book.start()];
    while (!stopping.signal.aborted) {
      try {
        // Each part is started once.
        for (const start of parts.slice()) {
          await start();
          parts.shift();
        }
        return;
      } catch {
        // The history says itself what is the matter with its database.
        await backOff.wait(stopping.signal).catch(() => undefined);
      }
    }
  }

  let opening: Promise<void> = Promise.resolve();
  return {
    cases: book,
    watches,
    onRun: (record) => maker.onRun(record),
    take(snapshot) {
      maker.take(snapshot);
      watches.take(snapshot);
    },
    onUnlinked: (binding) => maker.onUnlinked(binding),
    forgetServer(source) {
      maker.forgetServer(source);
      watches.forgetServer(source);
    },
    onErased: (guildId) => watches.forgetGuild(guildId),
    start() {
      opening = open();
    },
    async stop() {
      stopping.abort();
      watches.stop();
      await opening;
      await maker.stop();
      await book.stop();
    },
  };
}
