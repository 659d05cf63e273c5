import type { Appeal } from "../domain/appeal.ts";
import { Failure } from "../domain/failure.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Documents } from "../domain/ports/documents.ts";

/** Appeals in memory as they are stored. Changes of one guild come one after another. */
export class AppealBook {
  readonly #documents: Documents<Appeal>;
  readonly #byId = new Map<string, Appeal>();
  readonly #mutex = new KeyedMutex();

  constructor(documents: Documents<Appeal>) {
    this.#documents = documents;
  }

  /** Rejects when the store fails. */
  async load(isOurs: (guildId: string) => boolean): Promise<readonly Appeal[]> {
    for await (const [, appeal] of this.#documents.entries())
      if (isOurs(appeal.guildId)) this.#byId.set(appeal.id, appeal);
    return [...this.#byId.values()];
  }

  find(id: string): Appeal | undefined {
    return this.#byId.get(id);
  }

  /** @throws Failure "expired" where it is gone. */
  get(guildId: string, id: string): Appeal {
    const appeal = this.#byId.get(id);
    if (appeal?.guildId === guildId) return appeal;
    throw new Failure("expired", "This appeal is over or too old. They can appeal again.", { isRead: true });
  }

  of(guildId: string): readonly Appeal[] {
    return [...this.#byId.values()].filter((appeal) => appeal.guildId === guildId);
  }

  take<T>(guildId: string, work: () => Promise<T>): Promise<T> {
    return this.#mutex.take(guildId, work);
  }

  async keep(appeal: Appeal): Promise<Appeal> {
    await this.#documents.set(keyOf(appeal), appeal);
    this.#byId.set(appeal.id, appeal);
    return appeal;
  }

  async drop(appeal: Appeal): Promise<void> {
    await this.#documents.delete(keyOf(appeal));
    this.#byId.delete(appeal.id);
  }
}

function keyOf({ guildId, id }: Appeal): string {
  return `${guildId}:${id}`;
}
