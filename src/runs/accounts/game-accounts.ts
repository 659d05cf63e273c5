import { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type {
  GameAccount,
  GameAccounts,
  Imported,
  LinkOutcome,
  LinkRow,
} from "../../domain/ports/game-accounts.ts";
import { LinkCodes, type LinkCodesPorts } from "./link-codes.ts";
import type { LinkedAccounts } from "./linked-accounts.ts";

/** A list that was checked can be applied for so long. */
const PLAN_LIVES_MS = 15 * 60_000;

export interface GameAccountsPorts extends Omit<LinkCodesPorts, "onTyped"> {
  readonly accounts: LinkedAccounts;
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
  const linkedAccounts = ports.accounts;
  const planned = new Map<string, { readonly manager: Actor; readonly rows: readonly LinkRow[] }>();
  let onChanged: (guildId: string) => void = () => undefined;

  async function recordEvent(actor: Actor, action: string, text: string): Promise<void> {
    const { guildId, userId: actorId, userName: actorName } = actor;
    onChanged(guildId);
    await audit.event({ id: random.id(), guildId, atMs: clock.nowMs(), actorId, actorName, action, text });
  }

  const recordChange = (actor: Actor, action: string, { userId, player }: GameAccount) =>
    recordEvent(actor, action, `<@${userId}> ${player.name}`);

  async function addRows(
    { guildId, userId: vouchedBy }: Actor,
    {
      importId,
      rows,
      dry,
    }: { readonly importId: string; readonly rows: readonly LinkRow[]; readonly dry: boolean },
  ): Promise<Imported> {
    const linkedAtMs = clock.nowMs();
    const accounts = rows.map((row) => ({ ...row, linkedAtMs, vouchedBy, importId }));
    return { importId, ...(await linkedAccounts.addAll(guildId, accounts, { dry })) };
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
        const own = await linkedAccounts.ofUser(actor.guildId, actor.userId);
        // An earlier try stored it, and failed at the audit.
        if (own?.player.id === player.id && own.vouchedBy === undefined) {
          await recordChange(actor, "account-link", own);
          return { kind: "linked", account: own };
        }
        const account = await add(actor, { userId: actor.userId, player, linkedAtMs: clock.nowMs() });
        return { kind: "linked", account };
      } catch (error) {
        if (error instanceof Failure) return { kind: "taken", player, why: error.message };
        throw error;
      }
    },
  });

  const of = (guildId: string, userId: string) => linkedAccounts.ofUser(guildId, userId);
  return {
    codes,
    listen: (listener) => {
      onChanged = listener;
    },
    accounts: {
      of,
      formerOf: (guildId, userId) => linkedAccounts.former.of(guildId, userId, clock.nowMs()),
      async forgetFormer(guildId, playerId) {
        await linkedAccounts.former.forget(guildId, clock.nowMs(), ({ player }) => player.id === playerId);
      },
      ofPlayer: async (guildId, playerId) => (await linkedAccounts.byPlayer(guildId)).get(playerId),
      byPlayer: (guildId) => linkedAccounts.byPlayer(guildId),
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
      async planImport(manager, rows) {
        const importId = random.id();
        planned.set(importId, { manager, rows });
        clock.after(PLAN_LIVES_MS, () => planned.delete(importId));
        return await addRows(manager, { importId, rows, dry: true });
      },
      async applyImport(manager, importId) {
        const plan = planned.get(importId);
        if (plan?.manager.userId !== manager.userId || plan.manager.guildId !== manager.guildId)
          throw new Failure("expired", "That list has expired. Send it again.");
        // At a second press it is under way; where the store fails it may be tried again.
        planned.delete(importId);
        const applied = addRows(manager, { importId, rows: plan.rows, dry: false });
        const done = await applied.catch((error: unknown) => {
          planned.set(importId, plan);
          throw error;
        });
        await recordEvent(manager, "account-import", `${done.added.length} accounts`);
        return done;
      },
      async undoImport(manager, importId) {
        const gone = await linkedAccounts.removeAll(manager.guildId, (one) => one.importId === importId);
        await recordEvent(manager, "account-import-undo", `${gone.length} accounts`);
        return gone.length;
      },
      async confirm(manager, { userId, playerId }) {
        const account = await linkedAccounts.change(manager.guildId, userId, (now) => {
          // It may have been moved to another player since it was shown.
          if (now.player.id !== playerId) return undefined;
          if (now.vouchedBy === undefined || now.vouchedBy === manager.userId) return undefined;
          return { ...now, confirmedBy: manager.userId };
        });
        if (account === undefined) {
          const why =
            "Only a link that another Manager vouched for can be confirmed, as it is now. See /me show.";
          throw new Failure("bad-command", why);
        }
        await recordChange(manager, "account-confirm", account);
        return account;
      },
      async unlink(actor, userId) {
        const { former } = linkedAccounts;
        const { guildId } = actor;
        const nowMs = clock.nowMs();
        if (actor.userId === userId) {
          // First: a link that is gone and not remembered would make them a stranger to their own cases.
          const own = await of(guildId, userId);
          if (own !== undefined) await former.add(guildId, own, nowMs);
        } else await former.forget(guildId, nowMs, (one) => one.userId === userId);
        const gone = await linkedAccounts.remove(guildId, userId);
        if (gone !== undefined) await recordChange(actor, "account-unlink", gone);
        return gone;
      },
    },
  };
}
