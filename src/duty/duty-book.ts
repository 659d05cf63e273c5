import type { DutyLink } from "../domain/duty.ts";
import type { DutyStore } from "../domain/ports/duty-store.ts";
import type { GameAccounts } from "../domain/ports/game-accounts.ts";
import { endCopiedShifts } from "./copied-shifts.ts";
import { type DutySetup, linkIn, linkRow, NO_SETUP, setupIn, setupRow } from "./duty-rows.ts";

export interface DutyBookPorts {
  readonly store: DutyStore;
  readonly accounts: Pick<GameAccounts, "list">;
  /** The database is an older copy that was put back. */
  readonly isCopy: boolean;
  nowS(): number;
}

/** What a guild has set up, and whose accounts its members have, from when to when. */
interface Page {
  readonly setup: DutySetup;
  readonly links: readonly DutyLink[];
  /** The game ids of who is linked now. */
  readonly staff: ReadonlySet<number>;
}

/** The types and links of each guild: read once, then in memory. Changes of one guild come one after another. */
export class DutyBook {
  readonly #ports: DutyBookPorts;
  readonly #pages = new Map<string, Promise<Page>>();
  /** When accounts of a guild changed first, of changes that are not written yet. */
  readonly #changedS = new Map<string, number>();
  /** Guilds of which shifts of before the copy are over. */
  readonly #endedInCopy = new Set<string>();

  constructor(ports: DutyBookPorts) {
    this.#ports = ports;
  }

  /** Rejects while it cannot be read, and is read again the next time. */
  async page(guildId: string): Promise<Page> {
    const known = this.#pages.get(guildId) ?? this.#read(guildId);
    this.#pages.set(guildId, known);
    try {
      return await known;
    } catch (error) {
      if (this.#pages.get(guildId) === known) this.#pages.delete(guildId);
      throw error;
    }
  }

  /** The member of each game id that is linked now, also where nobody keeps duty. */
  async linkedNow(guildId: string): Promise<ReadonlyMap<number, string>> {
    const accounts = await this.#ports.accounts.list(guildId);
    return new Map(accounts.map(({ userId, player }) => [player.id, userId]));
  }

  async change(guildId: string, change: (setup: DutySetup) => DutySetup): Promise<void> {
    const { setup } = await this.page(guildId);
    await this.#ports.store.write({ put: [setupRow(guildId, change(setup))] });
    this.#pages.delete(guildId);
  }

  /** Somebody linked an account, or unlinked theirs. Where it cannot be written now, the next reading does. */
  async onAccountsChanged(guildId: string): Promise<void> {
    if (!this.#changedS.has(guildId)) this.#changedS.set(guildId, this.#ports.nowS());
    this.#pages.delete(guildId);
    await this.page(guildId).catch(() => undefined);
  }

  async #read(guildId: string): Promise<Page> {
    const [row] = await this.#ports.store.rows({ guildId, kinds: ["setup"] });
    const setup = row === undefined ? NO_SETUP : setupIn(row);
    // Where nobody keeps duty, nobody's links are kept either.
    const links = setup.types.length === 0 ? [] : await this.#readLinks(guildId);
    if (this.#ports.isCopy && setup.types.length > 0 && !this.#endedInCopy.has(guildId)) {
      await endCopiedShifts(this.#ports.store, guildId);
      this.#endedInCopy.add(guildId);
    }
    const staff = new Set(links.flatMap(({ untilS, playerId }) => (untilS === undefined ? [playerId] : [])));
    return { setup, links, staff };
  }

  /** The links as they are kept, after what has changed since: an account that is gone has ended now. */
  async #readLinks(guildId: string): Promise<readonly DutyLink[]> {
    const { store, accounts } = this.#ports;
    const changedS = this.#changedS.get(guildId) ?? this.#ports.nowS();
    const kept = (await store.rows({ guildId, kinds: ["link"] })).map(linkIn);
    const now = await accounts.list(guildId);
    const linked = now.map(({ userId, player, linkedAtMs }) => ({
      userId,
      playerId: player.id,
      fromS: secondOf(linkedAtMs),
    }));
    const [keptKeys, linkedKeys] = [new Set(kept.map(keyOf)), new Set(linked.map(keyOf))];
    const isThere = (link: DutyLink) => linkedKeys.has(keyOf(link));
    const ended = kept
      .filter((link) => link.untilS === undefined && !isThere(link))
      .map((link) => ({ ...link, untilS: Math.max(link.fromS, changedS) }));
    const begun = linked.filter((link) => !keptKeys.has(keyOf(link)));
    const changed = [...ended, ...begun];
    if (changed.length > 0) await store.write({ put: changed.map((link) => linkRow(guildId, link)) });
    this.#changedS.delete(guildId);
    return [...kept.filter((link) => link.untilS !== undefined || isThere(link)), ...changed];
  }
}

/** A community may have 20,000 links: each is looked up, not searched for. */
function keyOf({ userId, playerId, fromS }: DutyLink): string {
  return `${userId} ${playerId} ${fromS}`;
}

function secondOf(atMs: number): number {
  return Math.floor(atMs / 1_000);
}
