import type { FeedEntry } from "../../domain/changes.ts";
import type { PlayerRef } from "../../domain/model.ts";

/** Which neighbouring entries belong together, so that a burst reads as one thing. Pure. */

/** Fewer need no heading: one sees them at a glance. */
const FEWEST = {
  kill: 3,
  command: 3,
  join: 4,
  modCall: Number.POSITIVE_INFINITY,
  change: Number.POSITIVE_INFINITY,
} as const;
/** Between two neighbours of a burst, seconds. Joins and leaves are one only within a moment, such as a restart's. */
const LONGEST_PAUSE_S = { kill: 30, command: 30, join: 1, modCall: 0, change: 0 } as const;

/** Neighbours from `from` up to, not including, `to`; a burst has a heading, what is not one has none. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly burst: boolean;
}

/** Cuts the entries into stretches, in their order: each entry is in exactly one. */
export function stretchesOf(entries: readonly FeedEntry[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (let from = 0; from < entries.length; ) {
    let to = from + 1;
    while (to < entries.length && belongs(entries[to - 1], entries[to])) to += 1;
    const burst = to - from >= FEWEST[entries[from]?.kind ?? "modCall"];
    const last = stretches.at(-1);
    if (!burst && last?.burst === false) stretches[stretches.length - 1] = { ...last, to };
    else stretches.push({ from, to, burst });
    from = to;
  }
  return stretches;
}

function belongs(a: FeedEntry | undefined, b: FeedEntry | undefined): boolean {
  if (a === undefined || b === undefined || a.kind !== b.kind) return false;
  if (Math.abs(b.atS - a.atS) > LONGEST_PAUSE_S[a.kind]) return false;
  if (a.kind === "kill" && b.kind === "kill") return isSame(a.killer, b.killer);
  if (a.kind === "command" && b.kind === "command") return isSame(a.player, b.player);
  return a.kind === "join" && b.kind === "join" && a.joined === b.joined;
}

function isSame(a: PlayerRef, b: PlayerRef): boolean {
  return a.name === b.name && a.id === b.id;
}

/** Whether these, which belong together, are enough for a heading. */
export function isBurst(entries: readonly FeedEntry[]): boolean {
  return entries.length >= FEWEST[entries[0]?.kind ?? "modCall"];
}

/** From the first to the last, at least one second: people read "in 0 s" as a mistake. */
export function spanS(entries: readonly FeedEntry[]): number {
  const times = entries.map(({ atS }) => atS);
  return Math.max(1, Math.max(...times) - Math.min(...times));
}
