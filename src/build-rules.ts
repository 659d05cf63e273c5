import { RoleBook } from "./discord/connection/known-roles.ts";
import type { Discord } from "./discord/create-discord.ts";
import { ruleRenderer } from "./discord/render/rule-cards.ts";
import { Failure } from "./domain/failure.ts";
import type { PlayerRef } from "./domain/model.ts";
import type { JournalLooks } from "./domain/ports/journal.ts";
import type { HistoryWing } from "./history/create-history.ts";
import type { Outbox } from "./outbox/create-outbox.ts";
import { createRules, type RulesPorts, type RulesWing } from "./rules/create-rules.ts";
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
  > {
  /** Undefined: no history is kept, and only names of who is there or linked are known. */
  readonly wing: Pick<HistoryWing, "players"> | undefined;
  readonly runs: Pick<Runs, "accounts" | "permissions" | "runner">;
  readonly journal: Pick<JournalLooks, "follow">;
  readonly discord: Pick<Discord, "members" | "memberRequests" | "listenToRoles" | "guilds" | "isOurs">;
  readonly outbox: Pick<Outbox, "members">;
  warn(what: string, error: unknown): void;
}

/** Of those whose name begins like somebody's, so many are enough to know that it does not name one alone. */
const MOST_LIKE = 25;

/** Builds rules and lets them hear of looks and of roles. Starts nothing. */
export function buildRules(parts: RulesBuildParts): RulesWing {
  const { wing, runs, journal, discord, outbox, clock, warn } = parts;
  const { accounts, permissions, runner } = runs;
  const roles = new RoleBook({
    requests: discord.memberRequests,
    members: outbox.members(discord.members, "round"),
    clock,
  });
  discord.listenToRoles(roles);
  const refOf = ({ playerId: id, name }: { readonly playerId: number; readonly name: string }) => ({
    id,
    name,
  });
  const rules = createRules({
    rules: parts.rules,
    states: parts.states,
    messages: parts.messages,
    bindings: parts.bindings,
    settings: parts.settings,
    snapshots: parts.snapshots,
    demands: parts.demands,
    owed: parts.owed,
    notifier: parts.notifier,
    random: parts.random,
    clock,
    accounts,
    permissions,
    runner,
    roles,
    members: outbox.members(discord.members, "round"),
    renderer: ruleRenderer,
    isOurs: (guildId) => discord.isOurs(guildId),
    isRole: (guildId, roleId) => discord.guilds.hasRole(guildId, roleId),
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
    report: warn,
  });
  journal.follow({
    async take({ look }) {
      rules.take(look);
    },
  });
  return rules;
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
