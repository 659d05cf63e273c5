import type { DutyLink, DutyMark, DutyType, Shift } from "../domain/duty.ts";
import type { OnRoster } from "../domain/duty-roster.ts";
import type { DutyKey, DutyRow, DutyStore } from "../domain/ports/duty-store.ts";
import { markIn, shiftIn, shiftRow, stateIn } from "./duty-rows.ts";
import { deriveShifts } from "./shift-derive.ts";
import { knownUntilS } from "./shift-presence.ts";

/** Works out the shifts of a guild and writes what has changed. */

const DAY_S = 86_400;

export interface Settling {
  readonly guildId: string;
  readonly types: readonly DutyType[];
  readonly links: readonly DutyLink[];
  /** The present. */
  readonly nowS: number;
}

export interface Settled {
  /** All shifts that are not over for good, as they are known now. */
  readonly open: readonly Shift[];
  /** Shifts that are over for good since the last time. */
  readonly closed: readonly Shift[];
  /** All is known up to here. */
  readonly knownS: number;
  /** What was looked at, also where nobody has linked an account. */
  readonly lookedS: number | undefined;
}

/** Answers the shifts as they are now. Rejects where the history cannot be read; the next time makes up for it. */
export async function settle(store: DutyStore, settling: Settling): Promise<Settled> {
  const { guildId, types, links, nowS } = settling;
  const stored = await store.rows({ guildId, kinds: ["shift"], isOpen: true });
  const sinceS = Math.min(nowS - DAY_S, ...stored.map(({ fromS }) => fromS)) - DAY_S;
  const rows = await store.rows({ guildId, kinds: ["mark", "state", "shift"], sinceS });
  const playerIds = [...new Set(links.map(({ playerId }) => playerId))];
  const facts = await store.facts({ guildId, playerIds, fromS: sinceS });
  const ofKind = (kind: DutyRow["kind"]) => rows.filter((row) => row.kind === kind);
  const closedRows = ofKind("shift").filter(({ untilS }) => untilS !== undefined);
  const marks = Map.groupBy(ofKind("mark").map(markIn), ({ userId }) => userId);
  const shiftsBefore = Map.groupBy(closedRows.map(shiftIn), ({ userId }) => userId);
  const states = ofKind("state").map(stateIn);
  const declared = stored.map(shiftIn).filter(({ lastMark }) => lastMark !== undefined);

  const open: Shift[] = [];
  const closed: Shift[] = [];
  let knownS = 0;
  for (const userId of new Set([...marks.keys(), ...links.map((link) => link.userId)])) {
    const own = links.filter((link) => link.userId === userId);
    const ids = new Set(own.map(({ playerId }) => playerId));
    const derived = deriveShifts({
      userId,
      facts: { ...facts, sessions: facts.sessions.filter(({ playerId }) => ids.has(playerId)) },
      nowS,
      links: own,
      marks: sorted(marks.get(userId) ?? []),
      states: states.filter(({ playerId }) => ids.has(playerId)),
      types,
      closed: shiftsBefore.get(userId) ?? [],
      before: declared.filter((shift) => shift.userId === userId).flatMap(({ parts }) => parts),
    });
    knownS = derived.knownS;
    for (const shift of derived.shifts) (isOver(shift, knownS) ? closed : open).push(shift);
  }
  await write(store, guildId, { stored, open, closed });
  return { open, closed, knownS, lookedS: knownUntilS(facts) };
}

/** Nothing that comes to be known later changes it. */
function isOver({ decidedS }: Shift, knownS: number): boolean {
  return decidedS !== undefined && decidedS <= knownS;
}

function sorted(marks: readonly DutyMark[]): readonly DutyMark[] {
  return marks.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function write(
  store: DutyStore,
  guildId: string,
  {
    stored,
    open,
    closed,
  }: {
    readonly stored: readonly DutyRow[];
    readonly open: readonly Shift[];
    readonly closed: readonly Shift[];
  },
): Promise<void> {
  const bodies = new Map(stored.map(({ id, body }) => [id, body]));
  const rows = [
    ...open.map((shift) => shiftRow(guildId, shift, false)),
    ...closed.map((shift) => shiftRow(guildId, shift, true)),
  ];
  const put = rows.filter(({ id, body, untilS }) => untilS !== undefined || bodies.get(id) !== body);
  const ids = new Set(rows.map(({ id }) => id));
  const drop = stored
    .filter(({ id }) => !ids.has(id))
    .map((row): DutyKey => ({ guildId, kind: "shift", id: row.id }));
  if (put.length + drop.length > 0) await store.write({ put, drop });
}

/** Shifts that nobody has ended, as far as known. */
export function running({ open }: Pick<Settled, "open">): readonly Shift[] {
  return open.filter(({ decidedS }) => decidedS === undefined);
}

/** Who is on duty, for what cannot wait. */
export function rosterOf(settled: Pick<Settled, "open">): readonly OnRoster[] {
  return running(settled).map(({ userId, parts, breaks }) => ({
    userId,
    isOnBreak: isOnBreak(breaks),
    seen: parts.findLast(({ playerId }) => playerId !== 0),
  }));
}

function isOnBreak(breaks: Shift["breaks"]): boolean {
  return breaks.some(({ untilS }) => untilS === undefined);
}

/** Who is to have which role now: whoever is on duty and not on a break. */
export function rolesWanted(
  settled: Pick<Settled, "open">,
  types: readonly DutyType[],
): readonly { readonly userId: string; readonly roleId: string }[] {
  return running(settled).flatMap(({ userId, typeId, breaks }) => {
    const roleId = types.find(({ id }) => id === typeId)?.roleId;
    return roleId === undefined || isOnBreak(breaks) ? [] : [{ userId, roleId }];
  });
}
