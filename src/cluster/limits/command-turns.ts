import { z } from "zod";

/** A command whose process died frees its server after this. */
const COMMAND_HELD_MS = 15_000;
/** A process that waits asks again after this: the command under way may end at any moment. */
const ASKED_AGAIN_MS = 1_000;
/** The process whose turn it is goes within moments. */
const SOON_MS = 100;
/** A process that has not asked again for this long has given its command up, or is dead. */
const WAITS_MS = 2_500;

export const claim = z.object({ token: z.string(), untilMs: z.number() });
type Claim = z.infer<typeof claim>;

/** The last command of a server, until its window is over, and the processes that wait for the next one, in turn. */
export const commandTurns = claim.extend({ waiting: z.array(claim).optional() });
type CommandTurns = z.infer<typeof commandTurns>;

/** Whether another process holds it at this moment. */
export function isOthers(claimed: Claim | undefined, token: string, nowMs: number): boolean {
  return claimed !== undefined && claimed.token !== token && claimed.untilMs > nowMs;
}

/** Without processes that wait no more; undefined when nothing is left. */
export function prunedTurns(turns: CommandTurns, nowMs: number): CommandTurns | undefined {
  const waiting = turns.waiting?.filter(({ untilMs }) => untilMs > nowMs) ?? [];
  return turns.untilMs > nowMs || waiting.length > 0 ? { ...turns, waiting } : undefined;
}

/**
 * How long a process has to wait before it asks again for a command; 0: it may go. Another's command or its window holds
 * it, and so does a process that waited before it: one with many to send would else go first each time.
 */
export function turnInMs(turns: CommandTurns | undefined, token: string, nowMs: number): number {
  if (turns === undefined) return 0;
  const leftMs = isOthers(turns, token, nowMs) ? turns.untilMs - nowMs : 0;
  const [first] = turns.waiting ?? [];
  const isOthersTurn = first !== undefined && first.token !== token;
  return Math.min(ASKED_AGAIN_MS, isOthersTurn ? Math.max(leftMs, SOON_MS) : leftMs);
}

/** With a process that waits; it keeps the place that it has. */
export function withWaiting(turns: CommandTurns, token: string, nowMs: number): CommandTurns {
  const { waiting = [] } = turns;
  const asked = { token, untilMs: nowMs + WAITS_MS };
  const isThere = waiting.some((one) => one.token === token);
  const after = isThere ? waiting.map((one) => (one.token === token ? asked : one)) : [...waiting, asked];
  return { ...turns, waiting: after };
}

/** A command of this process leaves. */
export function turnTaken(turns: CommandTurns | undefined, token: string, nowMs: number): CommandTurns {
  const waiting = turns?.waiting?.filter((one) => one.token !== token) ?? [];
  return { token, untilMs: nowMs + COMMAND_HELD_MS, waiting };
}
