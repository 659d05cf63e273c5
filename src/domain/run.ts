import type { BanTerm } from "./ban-end.ts";
import type { Aim } from "./command-hits.ts";
import type { Failure, Ran } from "./failure.ts";
import type { Actor, Binding, Tier } from "./guild.ts";
import type { PlayerRef, SourceId } from "./model.ts";

/** In-game commands: plan, audit row, outcome. */

/** How much harm a verb can do: "read" shows only, "mild" is undone easily, "serious" hits a person, "severe" needs a confirmation. */
export type Danger = "read" | "mild" | "serious" | "severe";

export const RUN_ORIGINS = [
  "command",
  "button",
  "preset",
  "undo",
  "on-join",
  "schedule",
  "ban-end",
  "asked-ban",
  "rule",
  "rank",
  "appeal",
] as const;
export type RunOrigin = (typeof RUN_ORIGINS)[number];

/** Nobody asked for it at that moment: it keeps to the share of the automatic runs, and counts as nobody's work. */
export function isAutomatic(origin: RunOrigin): boolean {
  return origin === "schedule" || origin === "ban-end" || origin === "rule" || origin === "rank";
}

/** Asks right before a command leaves whether it is still right. */
export interface SendGuard {
  /** Rejects with a Failure that says why it is not sent. May be asked again where the command has to wait. */
  check(): Promise<void>;
  /** At the first byte; false: it is checked anew. */
  isWanted(): boolean;
}

export interface RunRequest {
  readonly actor: Actor;
  readonly binding: Binding;
  /** Exactly what will be sent. */
  readonly text: string;
  readonly origin: RunOrigin;
  /** The asker's own account in the game, where it is linked: nobody needs a rank or a confirmation to move themselves. */
  readonly ownPlayerId?: number;
  /** The id that its row in the audit gets, where who asks has to know it before. */
  readonly runId?: string;
  /** When the ban that it sends ends. Only for one player whose id is known, and then the id is sent. */
  readonly term?: BanTerm | undefined;
  /** The one player whom it may hit: where it would hit anybody else, it is not sent. */
  readonly only?: Required<PlayerRef> | undefined;
  /** The run that it takes back, which the same text takes back once. */
  readonly undoes?: Pick<RunRecord, "id" | "askedAtMs">;
  /** The number of the warning that it tells its player of. */
  readonly tells?: number;
  /** Of a run that nobody asked for at that moment. */
  readonly guard?: SendGuard;
  /** Who asked for it, where somebody else approved it: both must still be who they were when it is sent. */
  readonly askedBy?: string;
}

/** The meaning of a command text. The text itself is never rewritten. */
export interface ParsedCommand extends Aim {
  readonly text: string;
  /** Canonical verb without the colon; undefined when the text has none. */
  readonly verb?: string;
  readonly known: boolean;
  readonly tier: Tier;
  readonly danger: Danger;
  /** What the verb does, in words: "kills the player"; absent for unknown ones. */
  readonly does?: string;
  /** It needs somebody in the game behind it, so sent by Marshal it does nothing. */
  readonly isInGameOnly?: true;
  /** "all" or "others" stands among the targets. */
  readonly mass: boolean;
  readonly rest?: string;
}

export type Decision =
  | { readonly allowed: true; readonly why: string }
  /** `wants`: a role with a tier, or a higher one, would change it. */
  | {
      readonly allowed: false;
      readonly why: string;
      readonly wants?: "tier";
      /** The verb does not exist: a slip, which is no attempt at what is not allowed. */
      readonly isSlip?: true;
    };

export interface ResolvedTarget {
  readonly text: string;
  readonly players: readonly PlayerRef[];
  /** Those of them who stand in the staff lists or have a staff permission. */
  readonly staff: readonly PlayerRef[];
}

/** A name that was probably meant, and the whole text with it. */
export interface NearText {
  readonly name: string;
  readonly text: string;
}

/** The check of a command before it is sent: what `dry` shows and a confirmation relies on. */
export interface RunPlan {
  readonly id: string;
  readonly request: RunRequest;
  readonly command: ParsedCommand;
  readonly decision: Decision;
  readonly targets: readonly ResolvedTarget[];
  /** When the player list was seen that the targets were resolved with, and its age then; absent: there was none. */
  readonly playersSeen?: { readonly atMs: number; readonly ageMs: number };
  /** "name": the server's name must be typed (mass targets). */
  readonly confirm: "none" | "button" | "name";
  readonly confirmReasons: readonly string[];
  readonly warnings: readonly string[];
  /** The same text with the verb that was probably meant; absent: the catalogue has the verb, or none like it. */
  readonly meant?: string;
  /** Of a verb that does not exist: what to use in its place, in words. */
  readonly instead?: string;
  /** The same command with the nearest names in the place of one that nobody has, nearest first. */
  readonly near: readonly NearText[];
  readonly expectedWaitMs: number;
  /** The texts that together would undo it; empty: nothing does. */
  readonly inverse: readonly string[];
  readonly expiresAtMs: number;
}

/** `gone`: its time was over before anybody answered it, or another process made it. */
export type PlanFate = "awaiting" | "answered" | "gone";

/** Why an undo is not sent where the same run was undone before. */
export const UNDONE_ALREADY = "It was undone already.";

/** Of a verb that does not exist: what is wrong, and what to do. */
export function slipWords({ decision, instead }: Pick<RunPlan, "decision" | "instead">): string {
  return `${decision.why} ${instead ?? "Type : in /run command to see what you can run."}`;
}

/** Why a command for many is asked about; the title of the question says the same. */
export function forManyReason(plan: Pick<RunPlan, "command" | "targets">): string | undefined {
  if (plan.command.mass) return "It is for everyone in the server.";
  const players = plan.targets.flatMap((target) => target.players);
  const count = new Set(players.map(({ name, id }) => `${name}:${id ?? ""}`)).size;
  return count > 1 ? `It is for ${count} players.` : undefined;
}

export type RunStatus =
  | "waiting"
  | "sending"
  | "done"
  | "failed"
  | "unknown"
  | "cancelled"
  | "expired"
  | "denied";

/** After a command ended its game's log is read for it this long; what the log shows later is noted too. */
export const LOG_SOUGHT_MS = 90_000;

export type ProofState = "unchecked" | "seen" | "seen-twice" | "not-seen";

/** The audit row, written before sending and completed after. Nothing else tells who ran a command. */
export interface RunRecord {
  readonly id: string;
  readonly guildId: string;
  readonly bindingId: string;
  readonly source: SourceId;
  readonly serverName: string;
  readonly actorId: string;
  readonly actorName: string;
  readonly actorRoleIds: readonly string[];
  readonly origin: RunOrigin;
  readonly text: string;
  readonly verb?: string;
  readonly askedAtMs: number;
  readonly channelId: string;
  readonly status: RunStatus;
  readonly sentAtMs?: number;
  readonly endedAtMs?: number;
  /** Whether it ran in the game. */
  readonly ran: Ran;
  /** The service's message, or why it did not run. */
  readonly message?: string;
  readonly failureCode?: string;
  /** An earlier answer refused it, epoch milliseconds: nothing was asked this time. */
  readonly knownSinceMs?: number;
  readonly commandId?: string;
  readonly proof: ProofState;
  /** Names of those whom it hit when it was sent, where its text has only the beginning of them, or an id. */
  readonly hit?: readonly string[];
  /** Names of others who were there then, and whose names begin with one in its text: the game may have taken it for theirs. */
  readonly alike?: readonly string[];
  /** Players whose id stands in the text, so that people read their names. */
  readonly byId?: readonly Required<PlayerRef>[];
  /** The texts that together would undo it, with the players' exact names of that moment; where there are any. */
  readonly inverse?: readonly string[];
  /** The id of the run that it takes back. */
  readonly undoes?: string;
  /** The number of the warning that it tells its player of. */
  readonly tells?: number;
  /** It ended because Marshal itself was stopped. */
  readonly interrupted?: true;
  /** The ban ends by itself; `atMs`: when, once it was sent. */
  readonly ends?: { readonly term: BanTerm; readonly atMs?: number };
  /** The member who asked for it, where it is somebody else who approved it. */
  readonly askedBy?: string;
  /** Its verb does nothing from outside the game. */
  readonly isInGameOnly?: true;
}

/** It ran: the game said so, or its log shows it and nobody else can have sent it. */
export function surelyRan({ status, proof }: Pick<RunRecord, "status" | "proof">): boolean {
  return status === "done" || (status === "unknown" && proof === "seen");
}

/** The part of the row of a run that was, or may have been, sent which matching with the server's log needs. */
export interface RecentRun
  extends Pick<
    RunRecord,
    "id" | "guildId" | "bindingId" | "text" | "status" | "ran" | "proof" | "endedAtMs"
  > {
  readonly sentAtMs: number;
}

export interface RunOutcome {
  readonly record: RunRecord;
  /** Absent after a 200. */
  readonly failure?: Failure;
}

/** The place of a waiting run (1 is next) and when it is expected to be sent. */
export interface RunProgress {
  readonly record: RunRecord;
  readonly place: number;
  readonly expectedAtMs: number;
  /** Why nothing at all is sent now; absent: only its place holds it. */
  readonly heldBy?: "rate-limited" | "blocked";
}

export interface SubmittedRun {
  readonly id: string;
  /** Each change of place until it is sent; ends with the outcome. */
  progress(): AsyncIterable<RunProgress>;
  readonly outcome: Promise<RunOutcome>;
}

/** "Run when someone joins": one per person and server, expiring. */
export interface DeferredRun {
  readonly id: string;
  readonly request: RunRequest;
  /** Players whose id stands in the text. */
  readonly byId?: RunRecord["byId"];
  readonly expiresAtMs: number;
}

/** A row of the audit that is not a run: somebody configured something, or a command was run outside this bot. */
export interface AuditEvent {
  readonly id: string;
  readonly guildId: string;
  readonly atMs: number;
  readonly actorId: string;
  readonly actorName: string;
  /** `link`, `unlink`, `feed-add`, `staff-allow`, `outside-run` ... */
  readonly action: string;
  readonly text: string;
}

export interface AuditFilter {
  readonly actorId?: string;
  readonly bindingId?: string;
  readonly verb?: string;
  readonly text?: string;
  readonly status?: RunStatus;
  /** Leaves out what was refused for want of a right. */
  readonly withoutDenied?: boolean;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly limit?: number;
  /** `stoppedAt` of an earlier search with the same filter, which is continued there. */
  readonly after?: string;
}

/** The result of a search. */
export interface AuditFound<T> {
  /** Newest first. */
  readonly rows: readonly T[];
  /** Present where as many fit as were asked for: `after` for the next page, which may be empty. */
  readonly next?: string;
  /** Present when the search ended early, because it had read as many rows as one search may. */
  readonly stoppedAt?: string;
}
