import { knownUntilS, LOOK_VALID_S } from "../stats/hours.ts";
import type { Interval } from "../stats/intervals.ts";
import type { QueryContext } from "./context.ts";
import { type Scope, scopesOf } from "./scopes.ts";
import { eachLook } from "./server-stats.ts";

interface Span {
  readonly guildId: string;
  readonly fromS: number;
  readonly untilS: number;
}

/** Seconds of a time in which none of a guild's servers was read, from when on the first of them is recorded. */
export async function unreadS(context: QueryContext, { guildId, fromS, untilS }: Span): Promise<number> {
  const scopes = await scopesOf(context, guildId);
  const starts = scopes.flatMap(({ startS }) => startS ?? []);
  if (starts.length === 0) return 0;
  const span = { fromS: Math.max(fromS, Math.min(...starts)), toS: untilS };
  const read: Interval[] = [];
  for (const scope of scopes) read.push(...(await readTimes(context, scope, span)));

  let unread = 0;
  let reachedS = span.fromS;
  for (const one of read.sort((a, b) => a.fromS - b.fromS)) {
    unread += Math.max(0, Math.min(one.fromS, span.toS) - reachedS);
    reachedS = Math.max(reachedS, one.toS);
  }
  return unread + Math.max(0, span.toS - reachedS);
}

/** Oldest first; a pause between two looks that says nothing of the time in it ends one. */
async function readTimes(context: QueryContext, scope: Scope, span: Interval): Promise<readonly Interval[]> {
  const times: { fromS: number; toS: number }[] = [];
  await eachLook(context, scope, { ...span, zone: "UTC" }, ({ atS }) => {
    const last = times.at(-1);
    const toS = Math.min(atS + LOOK_VALID_S, knownUntilS({ atS }, scope.lookedS));
    if (last !== undefined && atS <= last.toS) last.toS = toS;
    else times.push({ fromS: atS, toS });
  });
  return times;
}
