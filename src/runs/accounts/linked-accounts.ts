import { Failure } from "../../domain/failure.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { GameAccount } from "../../domain/ports/game-accounts.ts";
import type { GuildAccounts } from "./account-record.ts";
import { FormerAccounts } from "./former-accounts.ts";

const MOST_ACCOUNTS = 20_000;
/** So many stand in the guild's own document; those beyond in pieces, so that a write costs the same however many there are. */
const MOST_IN_HEAD = 100;
const PIECES = 256;

type Kept = GuildAccounts["accounts"][number];

/** The accounts of one guild as they are stored, by document. */
interface Known {
  pieces: readonly number[];
  readonly documents: Map<string, readonly Kept[]>;
  readonly byUser: Map<string, Kept>;
  readonly byPlayer: Map<number, Kept>;
}

/** Why an account cannot be linked, by its member. */
export type Refused = readonly { readonly account: GameAccount; readonly why: string }[];

/** Which member of a guild is which player, in memory as it is stored once somebody asked; changed by one caller at a time. */
export class LinkedAccounts {
  readonly former: FormerAccounts;
  readonly #documents: Documents<GuildAccounts>;
  readonly #mutex = new KeyedMutex();
  readonly #known = new Map<string, Known>();

  constructor(documents: Documents<GuildAccounts>) {
    this.#documents = documents;
    this.former = new FormerAccounts(documents);
  }

  /** In the order of linking. */
  async all(guildId: string): Promise<readonly GameAccount[]> {
    const { byUser } = await this.#of(guildId);
    return [...byUser.values()].sort((a, b) => a.linkedAtMs - b.linkedAtMs);
  }

  async ofUser(guildId: string, userId: string): Promise<GameAccount | undefined> {
    return (await this.#of(guildId)).byUser.get(userId);
  }

  async byPlayer(guildId: string): Promise<ReadonlyMap<number, GameAccount>> {
    return (await this.#of(guildId)).byPlayer;
  }

  /** @throws Failure "bad-command": the member has an account, the account a member, or the guild has too many. */
  async add(guildId: string, account: GameAccount): Promise<void> {
    const [refused] = (await this.addAll(guildId, [account])).refused;
    if (refused !== undefined) throw new Failure("bad-command", refused.why);
  }

  /** Those that can be linked are. Dry: nothing is written. */
  addAll(
    guildId: string,
    accounts: readonly GameAccount[],
    { dry = false } = {},
  ): Promise<{ readonly added: readonly GameAccount[]; readonly refused: Refused }> {
    return this.#mutex.take(guildId, async () => {
      const known = await this.#load(guildId);
      const users = new Map<string, Kept>();
      const players = new Set<number>();
      const refused: { account: GameAccount; why: string }[] = [];
      for (const account of accounts) {
        const { userId, player } = account;
        const own = known.byUser.get(userId);
        const isTaken = known.byPlayer.has(player.id);
        const why =
          whyTwice(account, { users, players }) ??
          whyRefused(account, { own, isTaken, count: known.byUser.size + users.size });
        if (why !== undefined) {
          refused.push({ account, why });
          continue;
        }
        users.set(userId, account);
        players.add(player.id);
      }
      const added = [...users.values()];
      if (!dry) await this.#place(guildId, known, added);
      return { added, refused };
    });
  }

  /** Another one for the same member; undefined: there is none, or `edit` answered none. */
  change(
    guildId: string,
    userId: string,
    edit: (account: GameAccount) => GameAccount | undefined,
  ): Promise<GameAccount | undefined> {
    return this.#mutex.take(guildId, async () => {
      const known = await this.#load(guildId);
      const before = known.byUser.get(userId);
      const after = before && edit(before);
      if (after === undefined) return undefined;
      await this.#rewrite(guildId, known, new Map([[userId, after]]));
      return after;
    });
  }

  remove(guildId: string, userId: string): Promise<GameAccount | undefined> {
    return this.#mutex.take(guildId, async () => {
      const known = await this.#load(guildId);
      const gone = known.byUser.get(userId);
      if (gone !== undefined) await this.#rewrite(guildId, known, new Map([[userId, undefined]]));
      return gone;
    });
  }

  removeAll(guildId: string, isGone: (account: GameAccount) => boolean): Promise<readonly GameAccount[]> {
    return this.#mutex.take(guildId, async () => {
      const known = await this.#load(guildId);
      const gone = [...known.byUser.values()].filter(isGone);
      await this.#rewrite(guildId, known, new Map(gone.map(({ userId }) => [userId, undefined])));
      return gone;
    });
  }

  /** For good. */
  async forgetGuild(guildId: string): Promise<void> {
    await this.former.forgetGuild(guildId);
    await this.#mutex.take(guildId, async () => {
      const { pieces } = await this.#load(guildId);
      this.#known.delete(guildId);
      for (const piece of pieces) await this.#documents.delete(`${guildId}:${piece}`);
      await this.#documents.delete(guildId);
    });
  }

  async #of(guildId: string): Promise<Known> {
    return this.#known.get(guildId) ?? (await this.#mutex.take(guildId, () => this.#load(guildId)));
  }

  async #load(guildId: string): Promise<Known> {
    const found = this.#known.get(guildId);
    if (found !== undefined) return found;
    const head = await this.#documents.get(guildId);
    const known: Known = {
      pieces: head?.pieces ?? [],
      documents: new Map([[guildId, head?.accounts ?? []]]),
      byUser: new Map(),
      byPlayer: new Map(),
    };
    for (const piece of known.pieces) {
      const key = `${guildId}:${piece}`;
      known.documents.set(key, (await this.#documents.get(key))?.accounts ?? []);
    }
    for (const accounts of known.documents.values()) for (const account of accounts) note(known, account);
    this.#known.set(guildId, known);
    return known;
  }

  async #place(guildId: string, known: Known, added: readonly Kept[]): Promise<void> {
    const wanted = new Map<string, Kept[]>();
    const pieces = new Set(known.pieces);
    let left = MOST_IN_HEAD - (known.documents.get(guildId)?.length ?? 0);
    for (const account of added) {
      const piece = pieceOf(account.userId);
      const key = left-- > 0 ? guildId : `${guildId}:${piece}`;
      if (key !== guildId) pieces.add(piece);
      wanted.set(key, [...(wanted.get(key) ?? []), account]);
    }
    // A piece is found by the guild's own document, which is therefore written first.
    if (pieces.size > known.pieces.length) {
      known.pieces = [...pieces];
      if (!wanted.has(guildId))
        await this.#write(guildId, known, { key: guildId, accounts: headOf(guildId, known) });
    }
    for (const [key, some] of wanted) {
      const accounts = [...(known.documents.get(key) ?? []), ...some];
      await this.#write(guildId, known, { key, accounts });
      for (const account of some) note(known, account);
    }
  }

  /** By member: what their account is from now on; undefined: it goes. */
  async #rewrite(
    guildId: string,
    known: Known,
    changed: ReadonlyMap<string, Kept | undefined>,
  ): Promise<void> {
    const keys = new Set([...changed.keys()].flatMap((id) => [guildId, `${guildId}:${pieceOf(id)}`]));
    for (const key of keys) {
      const before = known.documents.get(key) ?? [];
      if (!before.some(({ userId }) => changed.has(userId))) continue;
      const accounts = before.flatMap((one) =>
        changed.has(one.userId) ? (changed.get(one.userId) ?? []) : one,
      );
      await this.#write(guildId, known, { key, accounts });
      for (const { userId, player } of before) {
        known.byUser.delete(userId);
        known.byPlayer.delete(player.id);
      }
      for (const account of accounts) note(known, account);
    }
  }

  async #write(
    guildId: string,
    known: Known,
    { key, accounts }: { readonly key: string; readonly accounts: readonly Kept[] },
  ): Promise<void> {
    const pieces = key === guildId ? known.pieces : [];
    const document = { accounts: [...accounts], ...(pieces.length === 0 ? {} : { pieces: [...pieces] }) };
    try {
      if (accounts.length + pieces.length === 0) await this.#documents.delete(key);
      else await this.#documents.set(key, document);
    } catch (error) {
      // It may stand there or not.
      this.#known.delete(guildId);
      throw error;
    }
    known.documents.set(key, accounts);
  }
}

function headOf(guildId: string, { documents }: Known): readonly Kept[] {
  return documents.get(guildId) ?? [];
}

function note({ byUser, byPlayer }: Known, account: Kept): void {
  byUser.set(account.userId, account);
  byPlayer.set(account.player.id, account);
}

function pieceOf(userId: string): number {
  let hash = 0;
  for (const character of userId) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % PIECES;
  return hash;
}

/** Of what an earlier line of the same list has: neither is linked yet. */
function whyTwice(
  { userId, player }: GameAccount,
  earlier: { readonly users: ReadonlyMap<string, Kept>; readonly players: ReadonlySet<number> },
): string | undefined {
  if (earlier.users.has(userId)) return "This member is in the list twice.";
  return earlier.players.has(player.id) ? `${player.name} is in the list twice.` : undefined;
}

function whyRefused(
  { player }: GameAccount,
  {
    own,
    isTaken,
    count,
  }: { readonly own: Kept | undefined; readonly isTaken: boolean; readonly count: number },
): string | undefined {
  if (own !== undefined) return `This member is already linked to ${own.player.name}. Run /me unlink first.`;
  if (isTaken)
    return `${player.name} is linked to another member here. They or a Manager can undo it with /me unlink.`;
  if (count >= MOST_ACCOUNTS)
    return `This community has ${MOST_ACCOUNTS} linked accounts, the maximum. Unlink one first.`;
  return undefined;
}
