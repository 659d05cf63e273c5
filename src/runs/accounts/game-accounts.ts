import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { GameAccount, GameAccounts, LinkOutcome } from "../../domain/ports/game-accounts.ts";
import { LinkCodes, type LinkCodesPorts } from "./link-codes.ts";
import { type GuildAccounts, LinkedAccounts } from "./linked-accounts.ts";

export interface GameAccountsPorts extends Omit<LinkCodesPorts, "onTyped"> {
  /** With `parseGuildAccounts`; durable. */
  readonly accounts: Documents<GuildAccounts>;
  readonly audit: Pick<AuditLog, "event">;
}

/** Links members to their accounts in the game, by a code or by the word of a Manager. Every change is audited. */
export function createGameAccounts(ports: GameAccountsPorts): {
  readonly accounts: GameAccounts;
  readonly codes: LinkCodes;
  /** Hears of each account that was linked or unlinked, after it was stored. */
  listen(listener: (guildId: string) => void): void;
} {
  const { audit, clock, random } = ports;
  const linkedAccounts = new LinkedAccounts(ports.accounts);
  let onChanged: (guildId: string) => void = () => undefined;

  async function recordChange(actor: Actor, action: string, { userId, player }: GameAccount): Promise<void> {
    onChanged(actor.guildId);
    await audit.event({
      id: random.id(),
      guildId: actor.guildId,
      atMs: clock.nowMs(),
      actorId: actor.userId,
      actorName: actor.userName,
      action,
      text: `<@${userId}> ${player.name}`,
    });
  }

  async function add(actor: Actor, account: GameAccount): Promise<GameAccount> {
    await linkedAccounts.add(actor.guildId, account);
    await recordChange(actor, "account-link", account);
    return account;
  }

  const codes = new LinkCodes({
    ...ports,
    async onTyped(actor, player): Promise<LinkOutcome> {
      try {
        const account = await add(actor, { userId: actor.userId, player, linkedAtMs: clock.nowMs() });
        return { kind: "linked", account };
      } catch (error) {
        if (error instanceof Failure) return { kind: "taken", player, why: error.message };
        throw error;
      }
    },
  });

  const of = async (guildId: string, userId: string): Promise<GameAccount | undefined> =>
    (await linkedAccounts.all(guildId)).find((account) => account.userId === userId);
  return {
    codes,
    listen: (listener) => {
      onChanged = listener;
    },
    accounts: {
      of,
      ofPlayer: async (guildId, playerId) =>
        (await linkedAccounts.all(guildId)).find(({ player }) => player.id === playerId),
      list: async (guildId) => (await linkedAccounts.all(guildId)).toReversed(),
      async begin(actor, binding) {
        const linked = await of(actor.guildId, actor.userId);
        if (linked !== undefined) {
          throw new Failure(
            "bad-command",
            `You are already linked to ${linked.player.name}. Run /me unlink first.`,
          );
        }
        return codes.begin(actor, binding);
      },
      vouch: (manager, userId, player) =>
        add(manager, { userId, player, linkedAtMs: clock.nowMs(), vouchedBy: manager.userId }),
      async unlink(actor, userId) {
        const gone = await linkedAccounts.remove(actor.guildId, userId);
        if (gone !== undefined) await recordChange(actor, "account-unlink", gone);
        return gone;
      },
    },
  };
}
