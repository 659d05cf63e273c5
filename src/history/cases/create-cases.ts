import { BackOff } from "../../domain/back-off.ts";
import { Failure } from "../../domain/failure.ts";
import type { Snapshot, SourceId } from "../../domain/model.ts";
import type { Cases } from "../../domain/ports/cases.ts";
import type { Watches } from "../../domain/ports/watches.ts";
import type { RunRecord } from "../../domain/run.ts";
import { CaseBook, type CaseBookPorts } from "./case-book.ts";
import { CaseMaker, type CaseMakerPorts } from "./case-maker.ts";
import { WatchBook, type WatchBookPorts } from "./watch-book.ts";

export interface CasesPorts
  extends Omit<CaseBookPorts, "onChanged">,
    Omit<CaseMakerPorts, "book">,
    Omit<WatchBookPorts, "store"> {
  readonly watchStore: WatchBookPorts["store"];
  readonly bindings: CaseMakerPorts["bindings"] & WatchBookPorts["bindings"];
  readonly journal: WatchBookPorts["journal"];
}

export interface CasesRoom {
  readonly cases: Cases;
  readonly watches: Watches;
  /** A row of the audit was written. Never throws and takes no time. */
  onRun(record: RunRecord): void;
  /** An answer whose news are written. Takes no time either. */
  take(snapshot: Snapshot): void;
  /** No guild has this server linked any more: what its last answers showed is dropped. */
  forgetServer(source: SourceId): void;
  /** Hears of each case that may say something else now. */
  onCaseChanged(listener: CaseBookPorts["onChanged"]): void;
  /** Cases and watches of a guild were erased from the database. */
  onErased(guildId: string): void;
  /** Takes up what an earlier process left open, as soon as the database answers. */
  start(): void;
  stop(): Promise<void>;
}

/** Cases and the watchlist over one database. */
export function createCases({ watchStore, ...ports }: CasesPorts): CasesRoom {
  const { clock, random } = ports;
  let onChanged: CaseBookPorts["onChanged"] = () => undefined;
  const book = new CaseBook({ ...ports, onChanged: (guildId, number) => onChanged(guildId, number) });
  const maker = new CaseMaker({ ...ports, book });
  const watches = new WatchBook({ ...ports, store: watchStore });
  const stopping = new AbortController();

  /** Once: of the watches and the cases, one may be read where the other fails. */
  async function open(what: string, start: () => Promise<void>): Promise<void> {
    const backOff = new BackOff(clock, random);
    let isTold = false;
    while (!stopping.signal.aborted) {
      try {
        await start();
        return;
      } catch (error) {
        // Where its database is away, the history says so itself.
        if (!isTold && !(error instanceof Failure)) ports.report(`${what} could not be read`, error);
        isTold ||= !(error instanceof Failure);
        await backOff.wait(stopping.signal).catch(() => undefined);
      }
    }
  }

  let opening: readonly Promise<void>[] = [];
  return {
    cases: book,
    watches,
    onRun: (record) => maker.onRun(record),
    take(snapshot) {
      maker.take(snapshot);
      watches.take(snapshot);
    },
    forgetServer(source) {
      maker.forgetServer(source);
      watches.forgetServer(source);
    },
    onCaseChanged(listener) {
      onChanged = listener;
    },
    onErased: (guildId) => watches.forgetGuild(guildId),
    start() {
      opening = [
        open("the watchlists", () => watches.start()),
        open("the cases that are open", () => book.start()),
        open("the runs without a case", () => maker.recover()),
      ];
    },
    async stop() {
      stopping.abort();
      watches.stop();
      book.stop();
      await Promise.all(opening);
      await maker.stop();
    },
  };
}
