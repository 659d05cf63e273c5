import type { BanEnd } from "../../domain/ban-end.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Documents } from "../../domain/ports/documents.ts";

export interface KeptEndsPorts {
  /** With `parseBanEnd`; durable. */
  readonly documents: Documents<BanEnd>;
  /** Whether this process serves the guild. */
  owns(guildId: string): boolean;
}

/** The ends of bans of this process, in memory and in the store. */
export class KeptBanEnds {
  readonly #ports: KeptEndsPorts;
  readonly #byId = new Map<string, BanEnd>();
  readonly #byServer = new Map<string, Set<string>>();
  /** The store does not say yet what memory says. */
  readonly #unwritten = new Map<string, BanEnd>();
  readonly #writes = new KeyedMutex();

  constructor(ports: KeptEndsPorts) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#byId.size;
  }

  get isUnwritten(): boolean {
    return this.#unwritten.size > 0;
  }

  async load(): Promise<readonly BanEnd[]> {
    for await (const [, end] of this.#ports.documents.entries()) {
      if (this.#ports.owns(end.guildId)) this.note(end);
    }
    return [...this.#byId.values()];
  }

  get(id: string): BanEnd | undefined {
    return this.#byId.get(id);
  }

  /** Of a guild, the next to end first. */
  of(guildId: string): readonly BanEnd[] {
    return [...this.#byId.values()].filter((end) => end.guildId === guildId).toSorted(byEnd);
  }

  /** Of a linked server, the next to end first. */
  ofServer(bindingId: string): readonly BanEnd[] {
    const ids = this.#byServer.get(bindingId) ?? [];
    return [...ids].flatMap((id) => this.#byId.get(id) ?? []).toSorted(byEnd);
  }

  isAnyOf(bindingId: string): boolean {
    return this.#byServer.has(bindingId);
  }

  /** Servers that have one. */
  servers(): readonly string[] {
    return [...this.#byServer.keys()];
  }

  /** A change, known at once, also where the store fails: then it rejects, and `writeAgain` takes it up. */
  async put(end: BanEnd): Promise<void> {
    this.note(end);
    await this.#write(end, true);
  }

  /** In memory alone. */
  note(end: BanEnd): void {
    this.#byId.set(end.id, end);
    const ids = this.#byServer.get(end.bindingId) ?? new Set();
    this.#byServer.set(end.bindingId, ids.add(end.id));
  }

  /** Known at once; where the store fails it rejects, and `writeAgain` takes it up. */
  async delete(end: BanEnd): Promise<void> {
    this.#byId.delete(end.id);
    const ids = this.#byServer.get(end.bindingId);
    ids?.delete(end.id);
    if (ids?.size === 0) this.#byServer.delete(end.bindingId);
    await this.#write(end, false);
  }

  /** Writes what the store refused. Rejects when it still does. */
  async writeAgain(): Promise<void> {
    for (const [id, end] of [...this.#unwritten]) {
      const latest = this.#byId.get(id);
      await this.#write(latest ?? end, latest !== undefined);
    }
  }

  /** One after the other, so that the last change of an end is what stands in the store. */
  async #write(end: BanEnd, isKept: boolean): Promise<void> {
    const key = `${end.guildId}:${end.id}`;
    const { documents } = this.#ports;
    await this.#writes.take(key, async () => {
      try {
        await (isKept ? documents.set(key, end) : documents.delete(key));
        this.#unwritten.delete(end.id);
      } catch (error) {
        this.#unwritten.set(end.id, end);
        throw error;
      }
    });
  }
}

function byEnd(one: BanEnd, other: BanEnd): number {
  return one.endsAtMs - other.endsAtMs || (one.id < other.id ? -1 : 1);
}
