import { RoleBook } from "./discord/connection/known-roles.ts";
import type { Discord } from "./discord/create-discord.ts";
import { rankRenderer } from "./discord/render/rank-cards.ts";
import { ruleRenderer } from "./discord/render/rule-cards.ts";
import { Failure } from "./domain/failure.ts";
import type { PlayerRef } from "./domain/model.ts";
import type { GameAccounts } from "./domain/ports/game-accounts.ts";
import type { JournalLooks } from "./domain/ports/journal.ts";
import type { Ranks } from "./domain/ports/ranks.ts";
import type { HistoryWing } from "./history/create-history.ts";
import type { Outbox } from "./outbox/create-outbox.ts";
import { createRules, type RulesPorts, type RulesWing } from "./rules/create-rules.ts";
import { createRanks, type RanksPorts, type RanksWing } from "./rules/ranks/create-ranks.ts";
import type { RoleState } from "./rules/ranks/wanted-rank.ts";
import type { RuledServer } from "./rules/rule-book.ts";
import type { Runs } from "./runs/runs.ts";

export interface RulesBuildParts
  extends Pick<
    RulesPorts,
    | "rules"
    | "states"
    | "messages"
    | "bindings"
    | "settings"
    | "snapshots"
    | "demands"
    | "owed"
    | "notifier"
    | "clock"
    | "random"
    | "isStoreInDoubt"
  > {
  readonly ranks: RanksPorts["ranks"];
  readonly rankKeepings: RanksPorts["keepings"];
  readonly isOlderCopy: RanksPorts["isOlderCopy"];
  /** Undefined: no history is kept, and only names of who is there or linked are known. */
  readonly wing: Pick<HistoryWing, "players"> | undefined;
  readonly runs: Pick<Runs, "accounts" | "audit" | "permissions" | "runner">;
  readonly journal: Pick<JournalLooks, "follow">;
  readonly discord: Pick<Discord, "members" | "memberRequests" | "listenToRoles" | "guilds" | "isOurs">;
  readonly outbox: Pick<Outbox, "members">;
  warn(what: string, error: unknown): void;
}

/** Of those whose name begins like somebody's, so many are enough to know that it does not name one alone. */
const MOST_LIKE = 25;

export interface BuiltRules extends Omit<RulesWing, "onUnlinked" | "take"> {
  readonly ranks: Ranks;
  /** People took the server away. */
  onUnlinked(server: RuledServer, name: string): Promise<void>;
  /** The guild has removed the bot, and may invite it again. */
  onGuildRemoved(server: RuledServer): Promise<void>;
}

/** Builds rules and ranks, and lets them hear of looks and of roles. Starts nothing. */
export function buildRules(parts: RulesBuildParts): BuiltRules {
  const { wing, runs, journal, discord, outbox, clock, warn } = parts;
  const { accounts, permissions, runner } = runs;
  const members = outbox.members(discord.members, "round");
  const roles = new RoleBook({ requests: discord.memberRequests, members, clock });
  discord.listenToRoles(roles);
  const { guilds } = discord;
  const shared = {
    bindings: parts.bindings,
    settings: parts.settings,
    snapshots: parts.snapshots,
    demands: parts.demands,
    notifier: parts.notifier,
    random: parts.random,
    clock,
    accounts,
    permissions,
    runner,
    roles,
    members,
    isOurs: (guildId: string) => discord.isOurs(guildId),
    ...knownNames(wing, accounts),
    roleState(guildId: string, roleId: string): RoleState {
      if (guilds.hasRole(guildId, roleId)) return "there";
      // @everyone, whose id is the guild's, is there wherever the guild is known.
      return guilds.hasRole(guildId, guildId) ? "deleted" : "unknown";
    },
    report: warn,
  };
  const rules = createRules({
    ...shared,
    rules: parts.rules,
    states: parts.states,
    messages: parts.messages,
    owed: parts.owed,
    isStoreInDoubt: parts.isStoreInDoubt,
    audit: runs.audit,
    renderer: ruleRenderer,
  });
  const ranks = createRanks({
    ...shared,
    ranks: parts.ranks,
    keepings: parts.rankKeepings,
    isOlderCopy: parts.isOlderCopy,
    audit: runs.audit,
    renderer: rankRenderer,
  });
  journal.follow({
    async take({ look }) {
      rules.take(look);
      ranks.take(look);
    },
  });
  return together(rules, ranks);
}

function together(rules: RulesWing, ranks: RanksWing): BuiltRules {
  return {
    rules: rules.rules,
    ranks: ranks.ranks,
    async start() {
      await rules.start();
      await ranks.start();
    },
    onLinksChanged(guildId) {
      rules.onLinksChanged(guildId);
      ranks.onLinksChanged(guildId);
    },
    async onUnlinked(server, name) {
      await rules.onUnlinked(server);
      await ranks.onUnlinked(server, name);
    },
    async onGuildRemoved(server) {
      await rules.onUnlinked(server);
      await ranks.onGuildRemoved(server);
    },
    stop: async () => void (await Promise.all([rules.stop(), ranks.stop()])),
  };
}

/** Names of people whom a command could mean instead of whom it is for. */
function knownNames(
  wing: RulesBuildParts["wing"],
  accounts: Pick<GameAccounts, "byPlayer">,
): Pick<RulesPorts, "namesLike" | "namesOf"> {
  const refOf = ({ playerId: id, name }: { readonly playerId: number; readonly name: string }) => ({
    id,
    name,
  });
  return {
    namesLike: (guildId, beginning) =>
      unlessOff(async () => (await wing?.players.search(guildId, beginning, MOST_LIKE)) ?? []).then((found) =>
        found.map(refOf),
      ),
    async namesOf(guildId, ids) {
      if (ids.length === 0) return [];
      const linked = await accounts.byPlayer(guildId);
      const unlinked = ids.filter((id) => !linked.has(id));
      const known = await unlessOff(
        async () => (await wing?.players.findAll(guildId, unlinked.map(String))) ?? [],
      );
      const names = new Map<number, PlayerRef>(known.map((one) => [one.playerId, refOf(one)]));
      const found = ids.flatMap((id) => linked.get(id)?.player ?? names.get(id) ?? []);
      return found.length === ids.length ? found : undefined;
    },
  };
}

/** Where the operator keeps no history nobody is known by it; where it can't be read nothing is done. */
async function unlessOff<T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.code === "bad-command") return [];
    throw error;
  }
}
