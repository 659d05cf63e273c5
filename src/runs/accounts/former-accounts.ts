import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { GameAccount } from "../../domain/ports/game-accounts.ts";
import type { GuildAccounts } from "./account-record.ts";

/** Longer than most people wait for a reason that is against them. */
const KEPT_MS = 90 * 24 * 60 * 60_000;
const MOST = 2_000;

/** Accounts that members unlinked themselves, for as long as that must not make them strangers to their own cases. */
export class FormerAccounts {
  readonly #documents: Documents<GuildAccounts>;
  readonly #mutex = new KeyedMutex();

  constructor(documents: Documents<GuildAccounts>) {
    this.#documents = documents;
  }

  async of(guildId: string, userId: string, nowMs: number): Promise<readonly GameAccount[]> {
    return (await this.#read(guildId, nowMs)).filter((one) => one.userId === userId);
  }

  /** The oldest go where there are too many. */
  async add(guildId: string, account: GameAccount, nowMs: number): Promise<void> {
    const { userId, player } = account;
    await this.#change(guildId, nowMs, (kept) => {
      const others = kept.filter((one) => one.userId !== userId || one.player.id !== player.id);
      return [...others, { ...account, unlinkedAtMs: nowMs }].slice(-MOST);
    });
  }

  async forget(guildId: string, nowMs: number, isGone: (account: GameAccount) => boolean): Promise<void> {
    await this.#change(guildId, nowMs, (kept) => kept.filter((one) => !isGone(one)));
  }

  async forgetGuild(guildId: string): Promise<void> {
    await this.#mutex.take(guildId, () => this.#documents.delete(keyOf(guildId)));
  }

  #change(
    guildId: string,
    nowMs: number,
    edit: (kept: GuildAccounts["accounts"]) => GuildAccounts["accounts"],
  ): Promise<void> {
    return this.#mutex.take(guildId, async () => {
      const accounts = edit(await this.#read(guildId, nowMs));
      if (accounts.length > 0) await this.#documents.set(keyOf(guildId), { accounts });
      else await this.#documents.delete(keyOf(guildId));
    });
  }

  async #read(guildId: string, nowMs: number): Promise<GuildAccounts["accounts"]> {
    const kept = (await this.#documents.get(keyOf(guildId)))?.accounts ?? [];
    return kept.filter(({ unlinkedAtMs = 0 }) => nowMs - unlinkedAtMs < KEPT_MS);
  }
}

function keyOf(guildId: string): string {
  return `${guildId}:former`;
}
