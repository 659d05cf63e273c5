import type { Case, CaseKind } from "../../../src/domain/case.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { CasePlace, CaseStore, WatchRow, WatchStore } from "../../../src/history/cases/case-store.ts";
import { owing } from "../../../src/history/cases/change-case.ts";
import { opennessOf } from "../../../src/history/cases/receipt.ts";

/** Cases in memory, as the database keeps them; it fails on demand. Outlives the bot. */
export class MemoryCases implements CaseStore {
  readonly rows = new Map<string, { readonly one: Case }>();
  readonly #numbers = new Map<string, number>();
  isDown = false;

  all(guildId = "g1"): readonly Case[] {
    return [...this.rows.values()].map(({ one }) => one).filter((one) => one.guildId === guildId);
  }

  async add(draft: Parameters<CaseStore["add"]>[0], card: Parameters<CaseStore["add"]>[1]) {
    await this.#turn();
    const standing = this.all(draft.guildId).find(
      ({ origin }) => origin !== undefined && origin === draft.origin,
    );
    if (standing !== undefined) return { one: standing, isNew: false };
    const number = (this.#numbers.get(draft.guildId) ?? 0) + 1;
    this.#numbers.set(draft.guildId, number);
    const one: Case = { ...draft, number, edits: [], ...(card === undefined ? {} : { card }) };
    this.rows.set(`${one.guildId} ${number}`, { one });
    return { one, isNew: true };
  }

  async get(guildId: string, number: number) {
    await this.#turn();
    return this.rows.get(`${guildId} ${number}`)?.one;
  }

  async byOrigin(guildId: string, origin: string) {
    await this.#turn();
    return this.all(guildId).find((one) => one.origin === origin);
  }

  async put(one: Case) {
    await this.#turn();
    this.rows.set(`${one.guildId} ${one.number}`, { one });
  }

  async search(guildId: string, { playerId, kind, before, limit }: Parameters<CaseStore["search"]>[1]) {
    await this.#turn();
    return this.all(guildId)
      .filter((one) => kind === undefined || one.kind === kind)
      .filter((one) => before === undefined || one.number < before)
      .filter((one) => playerId === undefined || one.targets.some((target) => target.playerId === playerId))
      .sort((a, b) => b.number - a.number)
      .slice(0, limit);
  }

  async counts(
    guildId: string,
    playerId: number,
    { sinceMs, bindingIds }: { readonly sinceMs: number; readonly bindingIds?: readonly string[] },
  ) {
    const counts: Partial<Record<CaseKind, number>> = {};
    for (const one of await this.search(guildId, { playerId, limit: 1_000 })) {
      const { kind, atMs, revoked, bindingId } = one;
      const isMeant = bindingId === undefined || bindingIds?.includes(bindingId) !== false;
      if (isMeant && atMs >= sinceMs && revoked === undefined) counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  }

  async erasePlayer(
    ...[guildId, number, playerId]: Parameters<CaseStore["erasePlayer"]>
  ): ReturnType<CaseStore["erasePlayer"]> {
    const one = await this.get(guildId, number);
    if (one?.targets.some((target) => target.playerId === playerId) !== true) return undefined;
    const targets = one.targets.filter((target) => target.playerId !== playerId);
    if (targets.length > 0) await this.put(owing({ ...one, targets }));
    else this.rows.delete(`${guildId} ${number}`);
    return targets.length > 0 ? "changed" : "erased";
  }

  async open(sinceMs: number, { limit, after }: Parameters<CaseStore["open"]>[1]) {
    await this.#turn();
    const isBefore = (a: CasePlace, b: CasePlace) =>
      (a.atMs - b.atMs || (a.guildId === b.guildId ? a.number - b.number : a.guildId < b.guildId ? -1 : 1)) <
      0;
    return [...this.rows.values()]
      .map(({ one }) => one)
      .filter((one) => opennessOf(one) > (one.atMs >= sinceMs ? 0 : 1))
      .filter((one) => after === undefined || isBefore(one, after))
      .sort((a, b) => (isBefore(a, b) ? 1 : -1))
      .slice(0, limit);
  }

  async #turn(): Promise<void> {
    await Promise.resolve();
    if (this.isDown) throw new Failure("store", "The history is down for the test.");
  }
}

/** The watchlists in memory. Outlives the bot. */
export class MemoryWatches implements WatchStore {
  readonly rows = new Map<string, WatchRow>();
  isDown = false;

  async put(row: WatchRow) {
    await this.#turn();
    this.rows.set(`${row.watch.guildId} ${row.watch.playerId}`, row);
  }

  async remove(guildId: string, playerId: number) {
    await this.#turn();
    this.rows.delete(`${guildId} ${playerId}`);
  }

  async all() {
    await this.#turn();
    return { rows: [...this.rows.values()], unreadable: 0 };
  }

  async #turn(): Promise<void> {
    await Promise.resolve();
    if (this.isDown) throw new Failure("store", "The history is down for the test.");
  }
}
