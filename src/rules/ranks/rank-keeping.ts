import type { SourceId } from "../../domain/model.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { RuledServer } from "../rule-book.ts";
import type { RankKeeping } from "./rank-records.ts";

/**
 * Which community keeps the ranks of a server: two would undo each other's. It stands in the store under the server
 * itself, because another process may serve the other community, and is read anew each time.
 */
export class RankKeepings {
  readonly #documents: Documents<RankKeeping>;

  /** With `parseRankKeeping`; durable, of all guilds. */
  constructor(documents: Documents<RankKeeping>) {
    this.#documents = documents;
  }

  /** Whether another community has it. Rejects when the store does. */
  async isOthers(source: SourceId, server: RuledServer): Promise<boolean> {
    const kept = await this.#documents.get(source);
    return kept !== undefined && !isOf(kept, server);
  }

  /** Takes it where nobody has it. False: another community does; of two that take it at once one stays. */
  async take(source: SourceId, server: RuledServer): Promise<boolean> {
    const { guildId, bindingId } = server;
    const kept = await this.#documents.get(source);
    if (kept === undefined) await this.#documents.set(source, { guildId, bindingId });
    return !(await this.isOthers(source, server));
  }

  /** Gives up whatever is theirs, also under a key that the server no longer has. */
  async releaseAll(server: RuledServer): Promise<void> {
    const own: SourceId[] = [];
    for await (const [source, kept] of this.#documents.entries())
      if (isOf(kept, server)) own.push(source as SourceId);
    for (const source of own) await this.release(source, server);
  }

  /** Gives it up, where it is theirs. */
  async release(source: SourceId, server: RuledServer): Promise<void> {
    const kept = await this.#documents.get(source);
    if (kept !== undefined && isOf(kept, server)) await this.#documents.delete(source);
  }
}

function isOf(kept: RankKeeping, { guildId, bindingId }: RuledServer): boolean {
  return kept.guildId === guildId && kept.bindingId === bindingId;
}
