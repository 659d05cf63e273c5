import { dutyRenderer } from "./discord/render/shifts/duty-renderer.ts";
import type { DutyRoster, WhoToPing } from "./domain/duty-roster.ts";
import type { Duty } from "./domain/ports/duty.ts";
import type { JournalLooks } from "./domain/ports/journal.ts";
import type { GrantableRoles, MemberRoles } from "./domain/ports/member-roles.ts";
import type { Members } from "./domain/ports/members.ts";
import type { Mentions } from "./domain/ports/mentions.ts";
import type { Notifier } from "./domain/ports/notifier.ts";
import type { Settings } from "./domain/ports/settings.ts";
import { type DutyWeek, type Staffing, weekOfBoard } from "./domain/ports/staffing.ts";
import { DEFAULT_ZONE } from "./domain/time-zones.ts";
import { createDuty, type DutyPorts } from "./duty/create-duty.ts";
import { DUTY_OFF, STAFFING_OFF } from "./duty/no-duty.ts";
import type { HistoryWing } from "./history/create-history.ts";
import type { Outbox } from "./outbox/create-outbox.ts";
import { tierOf } from "./runs/permission/permission-rules.ts";
import type { Runs } from "./runs/runs.ts";

export interface DutyBuildParts extends Pick<DutyPorts, "bindings" | "snapshots" | "clock" | "random"> {
  /** The store was put back from a copy. */
  readonly isCopy: boolean;
  /** Where the history is kept. */
  readonly historyUrl: string | undefined;
  /** Undefined: no history is kept, and duty is made of it. */
  readonly wing: HistoryWing | undefined;
  readonly runs: Pick<Runs, "accounts" | "listenAccounts">;
  readonly journal: Pick<JournalLooks, "follow">;
  readonly discord: {
    readonly members: Members;
    readonly roles: GrantableRoles & MemberRoles;
    isOurs(guildId: string): boolean;
  };
  readonly outbox: Pick<Outbox, "members" | "roles" | "posts">;
  readonly notifier: Pick<Notifier, "guild" | "person">;
  readonly settings: Settings;
  readonly roster: DutyRoster;
  warn(what: string, error: unknown): void;
}

export interface BuiltDuty {
  readonly duty: Duty;
  readonly staffing: Staffing;
  /** What the summary of a week says of it; undefined: no duty is kept. Rejects as `staffing` does. */
  weekOf(
    guildId: string,
    week: { readonly fromS: number; readonly toS: number },
  ): Promise<DutyWeek | undefined>;
  /** From now on the lists of quotas are kept when their periods end. */
  start(): void;
  /** Waits for what is being written. */
  stop(): Promise<void>;
}

/** Builds duty and lets it hear of looks, of what the history has, and of accounts. Starts nothing. */
export function buildDuty(parts: DutyBuildParts): BuiltDuty {
  const {
    wing,
    runs,
    journal,
    bindings,
    snapshots,
    discord,
    outbox,
    notifier,
    settings,
    roster,
    clock,
    random,
    warn,
  } = parts;
  if (wing === undefined) {
    return {
      duty: DUTY_OFF,
      staffing: STAFFING_OFF,
      weekOf: async () => undefined,
      start: () => undefined,
      stop: () => Promise.resolve(),
    };
  }
  const duty = createDuty({
    bindings,
    snapshots,
    members: outbox.members(discord.members, "run"),
    roles: outbox.roles(discord.roles),
    grantable: discord.roles,
    posts: outbox.posts,
    renderer: dutyRenderer,
    notifier,
    roster,
    clock,
    random,
    // A history on PostgreSQL is not put back with the store.
    isCopy: parts.isCopy && parts.historyUrl?.startsWith("sqlite:") === true,
    isOurs: (guildId) => discord.isOurs(guildId),
    async isManager(guildId, { roleIds, manageGuild }) {
      const policies = Object.values((await settings.of(guildId)).policies);
      return manageGuild || policies.some((policy) => tierOf(policy, roleIds) === "manager");
    },
    zoneOf: async (guildId) => (await settings.of(guildId)).timeZone ?? DEFAULT_ZONE,
    report: warn,
    accounts: runs.accounts,
    store: wing.dutyStore,
    isRecorded: async (guildId) => (await wing.privacy.retention(guildId)) !== "off",
  });
  journal.follow({
    async take({ look }) {
      duty.take(look);
    },
  });
  wing.onRecorded((source) => duty.onRecorded(source));
  wing.onForgotten((guildId, playerId) => duty.onForgotten(guildId, playerId));
  runs.listenAccounts((guildId) => duty.onAccountsChanged(guildId));
  return {
    ...duty,
    async weekOf(guildId, { fromS, toS }) {
      if ((await duty.duty.types(guildId)).length === 0) return undefined;
      return weekOfBoard(await duty.staffing.board(guildId, { fromS, untilS: toS }));
    },
  };
}

const MOST_PINGED = 5;

/** Pings of alerts and of calls that wait go to who is on duty and allowed it, where the community wants that. */
export function whoToPing({
  roster,
  settings,
  mentions,
}: {
  readonly roster: DutyRoster;
  readonly settings: Pick<Settings, "of">;
  readonly mentions: Pick<Mentions, "whoAllowed">;
}): WhoToPing {
  return async (guildId) => {
    const onDuty = roster.of(guildId).filter(({ isOnBreak }) => !isOnBreak);
    if (onDuty.length === 0 || (await settings.of(guildId)).pingsOnDuty !== true) return [];
    return await mentions.whoAllowed(
      guildId,
      onDuty.map(({ userId }) => userId),
      MOST_PINGED,
    );
  };
}
