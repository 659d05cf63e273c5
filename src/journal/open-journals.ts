import type { JournalList } from "../domain/changes.ts";
import { serverOf } from "../domain/journal-id.ts";
import type { SourceId } from "../domain/model.ts";
import { headKey } from "./journal-records.ts";
import { type Open, opened } from "./open-journal.ts";

/** The journals that somebody reads or works on. One that nobody does leaves the memory. */
export class OpenJournals {
  readonly #open = new Map<string, Open>();
  readonly #byServer = new Map<SourceId, Set<Open>>();

  get(source: SourceId, list: JournalList): Open | undefined {
    return this.#open.get(headKey(source, list));
  }

  /** Of one server, whoever they belong to. */
  ofServer(server: SourceId): readonly Open[] {
    return [...(this.#byServer.get(server) ?? [])];
  }

  /** The newest second of the service that some journal of a server has in the store. */
  storedS(server: SourceId): number {
    const heads = this.ofServer(server).map(({ head }) => head);
    return Math.max(0, ...heads.map((head) => head?.looked?.lookS ?? head?.retained?.reachedS ?? 0));
  }

  all(): Iterable<Open> {
    return this.#open.values();
  }

  opened(source: SourceId, list: JournalList): Open {
    const key = headKey(source, list);
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const open = opened(source, list);
    this.#open.set(key, open);
    const server = serverOf(source);
    this.#byServer.set(server, (this.#byServer.get(server) ?? new Set()).add(open));
    return open;
  }

  /** One thing at a time on each journal. */
  exclusive<T>(open: Open, work: () => Promise<T>): Promise<T> {
    const guarded = async () => {
      try {
        return await work();
      } finally {
        open.queued -= 1;
        if (open.queued === 0) open.chain = undefined;
        if (open.queued === 0 && open.feeds.size === 0 && !open.isFollowed) this.#close(open);
      }
    };
    open.queued += 1;
    const result = (open.chain ?? Promise.resolve()).then(guarded, guarded);
    open.chain = result.catch(() => undefined);
    return result;
  }

  #close(open: Open): void {
    this.#open.delete(open.key);
    const server = serverOf(open.source);
    const others = this.#byServer.get(server);
    others?.delete(open);
    if (others?.size === 0) this.#byServer.delete(server);
  }
}
