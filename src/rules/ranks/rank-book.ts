import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { Raised } from "../../domain/rank.ts";
import type { RuledServer } from "../rule-book.ts";
import type { ServerRanks } from "./rank-records.ts";

export interface RankBookPorts {
  /** With `parseServerRanks`; durable. */
  readonly ranks: Documents<ServerRanks>;
}

const KEPT_EVENTS = 20;

/** The ranks of servers, in memory as they are stored. */
export class RankBook {
  readonly #ports: RankBookPorts;
  readonly #servers = new Map<string, ServerRanks>();
  readonly #mutex = new KeyedMutex();

  constructor(ports: RankBookPorts) {
    this.#ports = ports;
  }

  /** Rejects when the store fails. */
  async load(): Promise<void> {
    for await (const [key, kept] of this.#ports.ranks.entries()) this.#servers.set(key, kept);
  }

  of({ guildId, bindingId }: RuledServer): ServerRanks | undefined {
    return this.#servers.get(`${guildId}:${bindingId}`);
  }

  ofGuild(guildId: string): readonly ServerRanks[] {
    return [...this.#servers.values()].filter((one) => one.guildId === guildId);
  }

  all(): readonly ServerRanks[] {
    return [...this.#servers.values()];
  }

  /**
   * What `edit` answers is stored, and then so. Without a role and without anybody whom Marshal raised nothing is kept.
   * Rejects when the store does.
   */
  change(server: RuledServer, edit: (kept: ServerRanks) => ServerRanks): Promise<ServerRanks | undefined> {
    const { guildId, bindingId } = server;
    const key = `${guildId}:${bindingId}`;
    return this.#mutex.take(key, async () => {
      const none = { guildId, bindingId, mappings: [], raised: [], left: [], taken: [], events: [] };
      const before = this.#servers.get(key);
      const after = edit(before ?? none);
      if (after === (before ?? none)) return before;
      if (after.mappings.length === 0 && after.raised.length === 0) {
        await this.#ports.ranks.delete(key);
        this.#servers.delete(key);
        return undefined;
      }
      const kept = { ...after, events: after.events.slice(-KEPT_EVENTS) };
      await this.#ports.ranks.set(key, kept);
      this.#servers.set(key, kept);
      return kept;
    });
  }

  /** For good. */
  forget({ guildId, bindingId }: RuledServer): Promise<void> {
    const key = `${guildId}:${bindingId}`;
    return this.#mutex.take(key, async () => {
      await this.#ports.ranks.delete(key);
      this.#servers.delete(key);
    });
  }
}

/** The records with this one in the place of that of the same player; undefined: without it. */
export function withRecord(
  raised: readonly Raised[],
  playerId: number,
  record: Raised | undefined,
): readonly Raised[] {
  const others = raised.filter((one) => one.playerId !== playerId);
  return record === undefined ? others : [...others, record];
}
