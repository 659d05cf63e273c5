import { LOG_SOUGHT_MS } from "./run.ts";

/** What staff did to players or said of them, numbered within a Discord server. */

/** What a person writes, and what commands of the game leave by themselves. */
const writtenKinds = ["note", "warning"] as const;
export const runKinds = ["kick", "ban", "jail", "unban"] as const;
export const caseKinds = [...writtenKinds, ...runKinds] as const;
export type CaseKind = (typeof caseKinds)[number];
export type RunKind = (typeof runKinds)[number];

export interface CaseTarget {
  /** The player's name, or what was typed where that named nobody, or several. */
  readonly name: string;
  readonly playerId?: number;
}

/** Who did it: a member, a player who is linked to none, or both. */
export interface CaseAuthor {
  readonly name: string;
  readonly userId?: string;
  readonly playerId?: number;
}

export interface CaseEdit {
  readonly atMs: number;
  readonly byId: string;
  readonly field: "reason" | "evidence";
  /** What stood there; absent: nothing did. */
  readonly from?: string;
}

/** What is known of a punishment's way into the game; it only ever grows. */
export interface Receipt {
  /** When Marshal sent it; absent for what somebody typed in the game. */
  readonly sentAtMs?: number;
  readonly answer?: {
    readonly kind: "answered" | "unknown";
    readonly atMs: number;
    readonly message?: string;
  };
  /** `row`: it was read there in the first place. */
  readonly log?: "seen" | "not-seen" | "row";
  /** Of the targets, who left the server soon after, and when, epoch seconds. */
  readonly left: readonly { readonly playerId: number; readonly atS: number }[];
}

/** A press on *Undo* that took the punishment back; the case itself stays as it was. */
export interface CaseUndo {
  readonly runId: string;
  /** Without the players, whom the case names itself. */
  readonly verb: string;
  readonly atMs: number;
  readonly byId: string;
}

/** The message in the game by which a warned player learned of it. */
export interface CaseTold {
  readonly atMs: number;
  readonly byId: string;
}

/** The message of a case in the case channel. */
export interface CaseCard {
  readonly channelId: string;
  /** Makes a repeat of the post harmless. */
  readonly nonce: string;
  /** It cannot stand there from before, epoch milliseconds by Discord's clock; absent: of an older release. */
  readonly sinceMs?: number;
  /** Absent until Discord has named it. */
  readonly messageId?: string;
  /** It says that it may stand there twice. */
  readonly isMarked?: boolean;
  /** Discord refuses what people chose on it: it leaves that out. */
  readonly isWithoutWords?: boolean;
  /** Changes that it does not show yet are counted up; absent: it shows them all. */
  readonly owed?: number;
}

export interface Case {
  readonly guildId: string;
  /** From 1, in the order in which they came to be. */
  readonly number: number;
  readonly kind: CaseKind;
  /** Absent for notes and warnings about nobody's behaviour on one server. */
  readonly bindingId?: string;
  readonly serverName?: string;
  readonly targets: readonly CaseTarget[];
  /** The command named everyone. */
  readonly mass: boolean;
  readonly author: CaseAuthor;
  /** The member who asked for the ban that its author approved. */
  readonly askedBy?: string;
  readonly atMs: number;
  readonly reason?: string;
  /** A link. */
  readonly evidence?: string;
  /** The command as it was run. */
  readonly command?: string;
  /** Where it came from, so that the same punishment is one case: a run of ours or a row of the game's log. */
  readonly origin?: string;
  readonly receipt?: Receipt;
  /** When the ban was set to end by itself, epoch milliseconds. */
  readonly endsAtMs?: number;
  readonly edits: readonly CaseEdit[];
  /** Edits that made room for later ones. */
  readonly editsLeftOut?: number;
  /** By what ran in the game, oldest first; several commands may be needed for several players. */
  readonly undone?: readonly CaseUndo[];
  /** Of a warning; absent: as far as is known, its player does not know of it. */
  readonly told?: CaseTold;
  readonly revoked?: { readonly atMs: number; readonly byId: string; readonly why?: string };
  readonly card?: CaseCard;
}

/** Until when the game's log is read for the command of a case; undefined: it is not, or it has shown it. */
export function soughtUntilMs({ receipt }: Pick<Case, "receipt">): number | undefined {
  if (receipt?.answer === undefined || receipt.log !== undefined) return undefined;
  return receipt.answer.atMs + LOG_SOUGHT_MS;
}

/** A punishment that somebody wrote down: no command of which Marshal knows stands behind it. */
export function isByHand({ kind, origin }: Pick<Case, "kind" | "origin">): boolean {
  return origin === undefined && runKinds.some((one) => one === kind);
}

/** Whether a case is another ban that counts, on the same server: to lift one ban lifts what came after it too. */
export function isOtherBan(one: Case, other: Case): boolean {
  const { number, kind, bindingId, revoked } = other;
  return kind === "ban" && number !== one.number && bindingId === one.bindingId && revoked === undefined;
}

/** Its command ran as far as anybody can know; a case by hand has none that might not have. */
export function surelyRan({ receipt }: Pick<Case, "receipt">): boolean {
  return receipt?.answer?.kind !== "unknown" || receipt.log === "seen";
}

/** Its command got no answer, and the game's log does not show it. */
function surelyDidNotRun({ receipt }: Pick<Case, "receipt">): boolean {
  return receipt?.answer?.kind === "unknown" && receipt.log === "not-seen";
}

/**
 * Whether one of these cases is a ban on that server that surely ran, other than that of this origin. One that may not
 * have run was put before a Manager, whose decision stands.
 */
export function isBannedAgain(
  cases: readonly Case[],
  { bindingId, origin }: Required<Pick<Case, "bindingId" | "origin">>,
): boolean {
  const here = cases.filter((one) => one.kind === "ban" && one.bindingId === bindingId);
  return here.some((one) => one.origin !== origin && surelyRan(one));
}

export interface StandingWhere {
  readonly bindingId: string;
  readonly untilMs: number;
  /** They joined that server after this: no ban from before kept them out. */
  readonly joinedMs: number | undefined;
}

/** Of cases of one player, a ban on that server that counts, was not lifted since, and lasts for longer than until then. */
export function standingBan(
  cases: readonly Case[],
  { bindingId, untilMs, joinedMs = Number.NEGATIVE_INFINITY }: StandingWhere,
): Case | undefined {
  const here = cases.filter((one) => one.bindingId === bindingId && one.revoked === undefined);
  const lifts = here.filter((one) => one.kind === "unban" && surelyRan(one));
  return here.find(
    (one) =>
      one.kind === "ban" &&
      !surelyDidNotRun(one) &&
      one.atMs >= joinedMs &&
      (one.endsAtMs ?? Number.POSITIVE_INFINITY) > untilMs &&
      // One clock dates what Marshal sends, another what is typed in the game: their order has to agree with the numbers.
      !lifts.some((lift) => lift.atMs >= one.atMs && lift.number > one.number),
  );
}

/** A case before it has its number. */
export type CaseDraft = Omit<
  Case,
  "number" | "edits" | "editsLeftOut" | "undone" | "told" | "revoked" | "card"
>;

/** A player whose joining is posted. */
export interface Watch {
  readonly guildId: string;
  readonly playerId: number;
  /** As they were called when it was set. */
  readonly name: string;
  readonly reason?: string;
  readonly byId: string;
  readonly atMs: number;
  /** Epoch milliseconds; absent: until it is ended. */
  readonly untilMs?: number;
}
