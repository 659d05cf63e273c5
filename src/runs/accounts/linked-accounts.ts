import { z } from "zod";
import { Failure } from "../../domain/failure.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { GameAccount } from "../../domain/ports/game-accounts.ts";

/** Accounts of one guild. They are one document, so that a crash cannot break the rules between them. */
const MOST_ACCOUNTS = 1_000;

const schema = z.object({
  accounts: z.array(
    z.object({
      userId: z.string(),
      player: z.object({ name: z.string(), id: z.number() }),
      linkedAtMs: z.number(),
      vouchedBy: z.string().exactOptional(),
    }),
  ),
});

export type GuildAccounts = z.infer<typeof schema>;

/** For the store: checks on reading. */
export function parseGuildAccounts(value: unknown): GuildAccounts {
  return schema.parse(value);
}

/** Which member of a guild is which player: one document for each guild, changed by one caller at a time. */
export class LinkedAccounts {
  readonly #documents: Documents<GuildAccounts>;
  readonly #mutex = new KeyedMutex();

  constructor(documents: Documents<GuildAccounts>) {
    this.#documents = documents;
  }

  /** In the order of linking. */
  async all(guildId: string): Promise<readonly GameAccount[]> {
    return (await this.#documents.get(guildId))?.accounts ?? [];
  }

  /** @throws Failure "bad-command": the member has an account, the account a member, or the guild has too many. */
  add(guildId: string, account: GameAccount): Promise<void> {
    return this.#mutex.take(guildId, async () => {
      const before = await this.all(guildId);
      refuseSecond(before, account);
      await this.#documents.set(guildId, { accounts: [...before, account] });
    });
  }

  remove(guildId: string, userId: string): Promise<GameAccount | undefined> {
    return this.#mutex.take(guildId, async () => {
      const before = await this.all(guildId);
      const gone = before.find((account) => account.userId === userId);
      if (gone === undefined) return undefined;
      const accounts = before.filter((account) => account !== gone);
      await (accounts.length === 0
        ? this.#documents.delete(guildId)
        : this.#documents.set(guildId, { accounts }));
      return gone;
    });
  }
}

function refuseSecond(before: readonly GameAccount[], { userId, player }: GameAccount): void {
  const own = before.find((account) => account.userId === userId);
  if (own !== undefined) {
    throw new Failure(
      "bad-command",
      `This member is already linked to ${own.player.name}. Run /me unlink first.`,
    );
  }
  if (before.some((account) => account.player.id === player.id)) {
    throw new Failure(
      "bad-command",
      `${player.name} is linked to another member here. They or a Manager can undo it with /me unlink.`,
    );
  }
  if (before.length >= MOST_ACCOUNTS) {
    throw new Failure(
      "bad-command",
      `This community has ${MOST_ACCOUNTS} linked accounts, the maximum. Unlink one first.`,
    );
  }
}
