import type { Case, Receipt } from "../../domain/case.ts";
import type { JoinEntry } from "../../domain/model.ts";
import type { RunRecord } from "../../domain/run.ts";

/** How a receipt completes itself. It only ever grows, whatever comes twice, late or out of turn. Pure. */

/** The two clocks differ a little; a kick is felt within seconds, and a slow log shows it within a minute. */
const LEFT_EARLY_S = 3;
const LEFT_LATE_S = 60;
/** After this long nothing more is waited for. */
export const RECEIPT_OPEN_MS = 10 * 60_000;

/** What the row of a run shows of it. */
export function ofRunRecord(record: RunRecord): Receipt {
  const { status, sentAtMs, endedAtMs, message, proof } = record;
  const atMs = endedAtMs ?? sentAtMs ?? record.askedAtMs;
  const answered = status === "done" || status === "unknown";
  return {
    ...(sentAtMs === undefined ? {} : { sentAtMs }),
    ...(answered
      ? {
          answer: {
            kind: status === "done" ? "answered" : "unknown",
            atMs,
            ...(message === undefined ? {} : { message }),
          },
        }
      : {}),
    ...(proof === "unchecked" ? {} : { log: proof === "not-seen" ? "not-seen" : "seen" }),
    left: [],
  };
}

const ANSWERS = { unknown: 1, answered: 2 } as const;
const LOGS = { "not-seen": 1, seen: 2, row: 3 } as const;

/** Both together: of two answers or findings the one that says more; everyone whom either saw leave. */
export function merged(one: Receipt, other: Receipt): Receipt {
  const sentAtMs = least(one.sentAtMs, other.sentAtMs);
  const answer = better(one.answer, other.answer);
  const log =
    one.log === undefined || other.log === undefined ? (one.log ?? other.log) : higher(one.log, other.log);
  const left = new Map<number, number>();
  for (const { playerId, atS } of [...one.left, ...other.left]) {
    left.set(playerId, Math.min(atS, left.get(playerId) ?? atS));
  }
  return {
    ...(sentAtMs === undefined ? {} : { sentAtMs }),
    ...(answer === undefined ? {} : { answer }),
    ...(log === undefined ? {} : { log }),
    left: [...left].map(([playerId, atS]) => ({ playerId, atS })).sort((a, b) => a.playerId - b.playerId),
  };
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

type Log = NonNullable<Receipt["log"]>;

function higher(one: Log, other: Log): Log {
  return LOGS[one] >= LOGS[other] ? one : other;
}

type Answer = Receipt["answer"];

function better(one: Answer, other: Answer): Answer {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.kind !== other.kind) return ANSWERS[one.kind] > ANSWERS[other.kind] ? one : other;
  if (one.atMs !== other.atMs) return one.atMs < other.atMs ? one : other;
  return (one.message ?? "") >= (other.message ?? "") ? one : other;
}

/** Whom of the targets the join log shows leaving soon after, by the clock that the case goes by. */
export function leavesIn(
  { kind, targets, atMs, receipt }: Pick<Case, "kind" | "targets" | "atMs" | "receipt">,
  rows: readonly JoinEntry[],
  aheadS = 0,
): Receipt["left"] {
  if (!removes(kind)) return [];
  // When a run was sent our clock says; a command that was typed in the game has the service's time.
  const shiftS = receipt?.sentAtMs === undefined ? 0 : aheadS;
  const fromS = Math.floor((receipt?.sentAtMs ?? atMs) / 1_000) - LEFT_EARLY_S;
  const toS = Math.ceil((receipt?.answer?.atMs ?? atMs) / 1_000) + LEFT_LATE_S;
  const wanted = new Set(targets.flatMap(({ playerId }) => playerId ?? []));
  const left = new Map<number, number>();
  for (const { joined, player, atS: rowS } of rows) {
    const atS = rowS - shiftS;
    if (joined || player.id === undefined || !wanted.has(player.id) || atS < fromS || atS > toS) continue;
    left.set(player.id, Math.min(atS, left.get(player.id) ?? atS));
  }
  return [...left].map(([playerId, atS]) => ({ playerId, atS })).sort((a, b) => a.playerId - b.playerId);
}

/** Whether its target leaves the server by it. */
function removes(kind: Case["kind"]): boolean {
  return kind === "kick" || kind === "ban";
}

/** Whether nothing more can come of it. */
export function isComplete({ kind, targets, receipt }: Pick<Case, "kind" | "targets" | "receipt">): boolean {
  if (receipt === undefined) return true;
  const known = targets.filter(({ playerId }) => playerId !== undefined).length;
  return (
    (receipt.log === "seen" || receipt.log === "row") && (!removes(kind) || receipt.left.length >= known)
  );
}

/**
 * Whether a start has to look at a case again. 0: no. 1: while it is young, since its card may be missing or its receipt may
 * grow. 2: however old it is, since its card does not show all of it.
 */
export function opennessOf(one: Pick<Case, "kind" | "targets" | "receipt" | "card">): 0 | 1 | 2 {
  if (one.card?.owed !== undefined) return 2;
  return (one.card !== undefined && one.card.messageId === undefined) || !isComplete(one) ? 1 : 0;
}
