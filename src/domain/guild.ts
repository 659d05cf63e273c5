import type { FeedKind } from "./feed-kinds.ts";
import type { SourceId } from "./model.ts";

/** What a guild has set up: linked servers, feeds, staff. Discord ids are strings (snowflakes). */

/** One linked server of a guild. The key itself is sealed in the store and not part of this. */
export interface Binding {
  readonly id: string;
  readonly guildId: string;
  readonly source: SourceId;
  /** Short and unique in the guild: the server's own name, or the one that people gave it. They choose servers by it. */
  readonly name: string;
  /** People gave it that name, so it no longer follows the server's own. */
  readonly isRenamed?: boolean;
  /** Former names, newest first; older messages of its feeds carry them. */
  readonly formerNames?: readonly string[];
  /** The last four characters of its key, so that people can tell which one is in use; absent for short keys. */
  readonly keyEnd?: string;
  readonly ownerId: number;
  readonly joinKey: string;
  readonly linkedBy: string;
  readonly linkedAtMs: number;
}

export type FeedStyle = "lines" | "cards";

export interface FeedFilter {
  readonly teams?: readonly string[];
  /** Names, lower case, matched whole; or ids in digits. */
  readonly players?: readonly string[];
  /** Command verbs without the colon, lower case. */
  readonly verbs?: readonly string[];
}

export interface Feed {
  readonly id: string;
  readonly guildId: string;
  readonly bindingId: string;
  readonly kind: FeedKind;
  readonly channelId: string;
  readonly style: FeedStyle;
  readonly filter: FeedFilter;
  /** Pinged by a new mod-call card, at most once per cooldown. */
  readonly pingRoleId?: string;
  readonly pingCooldownMs?: number;
  /** Pings again when a mod call is unclaimed for this time; absent: off. */
  readonly escalateAfterMs?: number;
  readonly silent: boolean;
  readonly state: "live" | "paused" | "parked";
  /** Why it is parked, in words for the person who configured it. */
  readonly parkedWhy?: string;
  readonly createdBy: string;
  readonly createdAtMs: number;
}

export type Tier = "viewer" | "moderator" | "administrator" | "manager";

/** Stands for a verb: the right to claim, release and resolve moderator calls. No verb of the game begins with a colon. */
export const CALLS_RIGHT = ":calls";

export interface VerbRule {
  readonly roleId: string;
  /** Canonical verb without the colon, or CALLS_RIGHT. */
  readonly verb: string;
}

/** Who may run what on one linked server. Deny by default: a role without a tier may nothing. */
export interface StaffPolicy {
  readonly roleTiers: Readonly<Record<string, Tier>>;
  readonly allowed: readonly VerbRule[];
  /** A denial beats every tier and every allowance. */
  readonly denied: readonly VerbRule[];
  /** Players (names, compared in any case, or ids in digits) that nobody may target. */
  readonly protectedPlayers: readonly string[];
  /** By such an entry the other way to name the same player (the id of a name, the name of an id), where it is known. */
  readonly protectedAliases?: Readonly<Record<string, string>>;
}

export interface Preset {
  readonly name: string;
  /** With typed placeholders: `:pm {player} {text}`. */
  readonly text: string;
  readonly createdBy: string;
}

/** The steps of the guided set-up, in their order. */
export const GUIDE_STEPS = [
  "link",
  "staff",
  "logs",
  "notices",
  "allow",
  "zone",
  "cases",
  "alerts",
  "panel",
  "weekly",
  "positions",
  "test",
  "done",
] as const;
export type GuideStep = (typeof GUIDE_STEPS)[number];

/** The position of a guild in the guided set-up, where it goes on after a restart too. */
export interface GuideProgress {
  readonly step: GuideStep;
  /** The steps of this server at which somebody pressed Skip, and that were not done since. */
  readonly skipped?: readonly GuideStep[];
  /** The server that it sets up. */
  readonly bindingId?: string;
  /** Its last tests all arrived; false: not all of them did. */
  readonly isTested?: boolean;
  /** Commands ran with the key that this server had before. */
  readonly hadCommands?: boolean;
}

export interface GuildSettings {
  readonly guide?: GuideProgress;
  /** The time of joining for which the set-up was offered already, epoch milliseconds, as Discord gives it. */
  readonly guideOfferedForJoinMs?: number;
  /** An IANA name; absent: UTC. */
  readonly timeZone?: string;
  /** The binding that is meant where a command names none. */
  readonly defaultServer?: string;
  /** The same for one channel, by its id. */
  readonly channelServers?: Readonly<Record<string, string>>;
  /** Where Marshal tells the guild about parked keys, blocks and closed feeds. */
  readonly noticeChannelId?: string;
  readonly auditChannelId?: string;
  /** Where cases are posted and complete themselves. */
  readonly caseChannelId?: string;
  /** Where appeals are posted for staff; absent: nobody can appeal. */
  readonly appealChannelId?: string;
  /** Where players press the button, and staff talk with them in private threads. */
  readonly appealButtonChannelId?: string;
  /** Who is warned is told so in the game. */
  readonly tellsWarned?: boolean;
  /** Where it is posted that a watched player has joined, and the role that is pinged then. */
  readonly watchChannelId?: string;
  readonly watchRoleId?: string;
  /** Of pictures; absent: dark. */
  readonly pictureLook?: "dark" | "light";
  /** Who sees the figures of all of staff; absent: Managers. One's own are everybody's of staff. */
  readonly staffFiguresFor?: "managers" | "moderators";
  /** Alerts and calls that wait ping who is on duty and allowed it, and their role where nobody is. */
  readonly pingsOnDuty?: boolean;
  /** Nothing is run by itself meanwhile: no schedule, no end of a ban. */
  readonly automaticPause?: { readonly byId: string; readonly atMs: number };
  readonly auditRetentionDays: number;
  /** By binding id. */
  readonly policies: Readonly<Record<string, StaffPolicy>>;
  /** Command texts kept by Managers for the whole guild. */
  readonly presets: readonly Preset[];
}

export const EMPTY_POLICY: StaffPolicy = { roleTiers: {}, allowed: [], denied: [], protectedPlayers: [] };
export const DEFAULT_SETTINGS: GuildSettings = { auditRetentionDays: 90, policies: {}, presets: [] };

/** A role that holds a higher tier keeps it: linking again must not lower anybody. */
export function withModerators(
  settings: GuildSettings,
  bindingId: string,
  roleIds: readonly string[],
): GuildSettings {
  const policy = settings.policies[bindingId] ?? EMPTY_POLICY;
  const raised = roleIds.filter((id) => (policy.roleTiers[id] ?? "viewer") === "viewer");
  const moderators = Object.fromEntries(raised.map((id) => [id, "moderator" as const]));
  const roleTiers = { ...policy.roleTiers, ...moderators };
  return { ...settings, policies: { ...settings.policies, [bindingId]: { ...policy, roleTiers } } };
}

/** The person who presses or types, as the interaction names them. */
export interface Actor {
  readonly userId: string;
  readonly userName: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly roleIds: readonly string[];
  readonly manageGuild: boolean;
  /** When the interaction was made, epoch milliseconds (from its snowflake). */
  readonly askedAtMs: number;
}
