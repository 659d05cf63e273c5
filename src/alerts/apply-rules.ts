import type { AlertRule } from "../domain/alert.ts";
import { alertKind } from "../domain/alert-kinds.ts";
import { LATEST_ROW_AHEAD_MS } from "../domain/future-rows.ts";
import { floorOf, forgetUncounted, freshSightings, type Sighting } from "./counted-rows.ts";
import type { Facts, Surroundings } from "./facts.ts";
import {
  addBefore,
  addRow,
  beganWith,
  CALLS_JOIN_S,
  change,
  type Incident,
  type KeptEntry,
  type Opening,
  tell,
} from "./incidents.ts";
import type { RuleState, ServerState } from "./server-state.ts";
import { afterCount, isNews, type PlayerCount } from "./windows/levels.ts";
import { isAhead, isOver, type SpreeLimit, takeRow } from "./windows/sprees.ts";
import {
  callId,
  earlierCalls,
  takeDue,
  type WaitingCall,
  type WaitingCalls,
} from "./windows/waiting-calls.ts";

/** One answer of the service through one server's alerts. Changes the state that it is given, and nothing else. */

/** For how long an answer to a call is looked for after its alert was posted. */
const ANSWER_AWAITED_S = 3_600;
/** For how long an incident that is over is kept while its message does not say all of it. */
const UNSHOWN_S = 86_400;
const MOST_INCIDENTS = 60;
/** Takes in what has come to be known; changes the state, and answers whether it has to be stored. */
export function applyRules(
  state: ServerState,
  rules: readonly AlertRule[],
  facts: Facts,
  around: Surroundings,
): boolean {
  const isPruned = pruneRules(state, rules);
  const fresh = freshSightings(state, rules, facts, around);
  let isChanged = isPruned || fresh.isChanged;
  for (const rule of rules) {
    const its = stateOf(state, rule);
    const before = versionOf(its);
    const opening: Opening = {
      rule,
      presentS: facts.presentS,
      nowMs: facts.nowMs,
      isQuiet: around.isQuiet(rule),
      startedMs: around.startedMs,
    };
    const limit = limitOf(rule);
    const counting = { opening, limit };
    for (const sighting of fresh.of(rule)) count(its, sighting, counting);
    if (facts.players !== undefined) isChanged = takeCount(its, facts.players, opening) || isChanged;
    if (rule.kind === "calls") isChanged = takeCalls(its, facts, opening, around) || isChanged;
    isChanged = isChanged || versionOf(its) !== before;
    if (isChanged)
      prune(its, { limit, presentS: facts.presentS, floorS: floorOf(state, rule, facts.presentS) });
  }
  return isChanged;
}

/** How much is too much, where the alert does not say. */
function limitOf({ kind, count, withinS }: AlertRule): SpreeLimit {
  const { defaults } = alertKind(kind);
  return { count: count ?? defaults.count ?? 1, withinS: withinS ?? defaults.withinS ?? 0 };
}

function stateOf(state: ServerState, { id }: Pick<AlertRule, "id">): RuleState {
  const known = state.rules.get(id);
  if (known !== undefined) return known;
  const made: RuleState = { sprees: new Map(), told: 0, incidents: [] };
  state.rules.set(id, made);
  return made;
}

function pruneRules(state: ServerState, rules: readonly AlertRule[]): boolean {
  const ids = new Set(rules.map(({ id }) => id));
  let isChanged = false;
  for (const id of state.rules.keys()) if (!ids.has(id)) isChanged = state.rules.delete(id);
  return forgetUncounted(state, rules) || isChanged;
}

/** Counts one row of a subject: nothing follows, or an alert begins, or one goes on. */
function count(
  state: RuleState,
  { subject, who, row }: Sighting,
  { opening, limit }: { readonly opening: Opening; readonly limit: SpreeLimit },
): void {
  let spree = state.sprees.get(subject);
  if (spree === undefined || isAhead(spree, opening.presentS + LATEST_ROW_AHEAD_MS / 1_000)) {
    spree = { rows: [] };
    state.sprees.set(subject, spree);
  }
  const step = takeRow(spree, row, limit);
  if (step.kind === "none") return;
  const id = `${subject} ${step.firedAtS}`;
  if (step.kind === "more") {
    addRow(state.incidents, id, row);
    return;
  }
  const { rows } = step;
  const entry: KeptEntry = {
    id,
    ...(who === undefined ? {} : { who }),
    count: rows.length,
    firstS: rows[0]?.atS ?? row.atS,
    lastS: rows.at(-1)?.atS ?? row.atS,
    ...beganWith(opening.rule.kind, rows),
  };
  tell(state.incidents, entry, { eventS: step.firedAtS, opening, withinS: limit.withinS });
}

/** @returns whether anything is different now */
function takeCount(state: RuleState, players: PlayerCount, opening: Opening): boolean {
  const { kind, count: most } = opening.rule;
  if (kind !== "full" && kind !== "empty") return false;
  const before = state.level;
  const { level, step } = afterCount(before, { kind, count: most }, players);
  state.level = level;
  if (step.kind === "began") {
    state.told += 1;
    const entry: KeptEntry = {
      id: `${kind} ${state.told}`,
      count: players.current,
      firstS: step.sinceS,
      lastS: players.atS,
      rows: [],
      players: { current: players.current, most: players.most },
    };
    tell(state.incidents, entry, { eventS: players.atS, opening, withinS: 0 });
  } else if (step.kind === "ended") {
    const { endedS } = step;
    change(state.incidents, `${kind} ${state.told}`, (entry) => ({ ...entry, endedS, lastS: endedS }));
  }
  return isNews(before, level);
}

/** @returns whether anything is different now */
function takeCalls(
  state: RuleState,
  { called = [], answered = [], calls }: Facts,
  opening: Opening,
  around: Surroundings,
): boolean {
  const waiting: WaitingCalls = state.waiting ?? new Map();
  const before = [...waiting.keys()].join();
  state.waiting = waiting;
  if (calls !== undefined && state.settled !== undefined) {
    for (const call of calls) {
      if (call.moderator === undefined && !state.settled.has(callId(call))) waiting.set(callId(call), call);
    }
    state.settled = undefined;
  }
  for (const call of called) waiting.set(callId(call), call);
  for (const { atS, caller, moderator: by } of answered) {
    const id = callId({ atS, caller });
    waiting.delete(id);
    change(state.incidents, id, (entry) => ({ ...entry, callEnd: { kind: "answered", by } }));
  }
  noteEnds(state.incidents, around);
  const { withinS } = limitOf(opening.rule);
  const limits = { withinS, presentS: opening.presentS };
  const hasEnd = (call: WaitingCall) => around.callEndOf(call) !== undefined;
  for (const { id, caller, atS, dueS } of takeDue(waiting, calls ?? [], limits, hasEnd)) {
    tell(state.incidents, entryOfCall({ caller, atS }), { eventS: dueS, opening, withinS });
    const isKnown = (call: WaitingCall) =>
      waiting.has(callId(call)) || hasEnd(call) || isTold(state, callId(call));
    for (const call of earlierCalls({ caller, atS }, calls ?? [])) {
      if (!isKnown(call)) addBefore(state.incidents, id, entryOfCall(call));
    }
  }
  return [...waiting.keys()].join() !== before;
}

function entryOfCall({ caller, atS }: WaitingCall): KeptEntry {
  return { id: callId({ caller, atS }), who: caller, count: 1, firstS: atS, lastS: atS, rows: [] };
}

function isTold({ incidents }: RuleState, entryId: string): boolean {
  return incidents.some(({ entries }) => entries.some(({ id }) => id === entryId));
}

/**
 * Of calls that have an alert: staff has claimed them, or let them go again, or somebody answered another call of the same
 * matter. An answer says more than a claim.
 */
function noteEnds(incidents: Incident[], { callEndOf, isFree }: Surroundings): void {
  const entries = incidents.flatMap((incident) => incident.entries);
  for (const { id, who, firstS, callEnd: before } of entries) {
    if (who === undefined || before?.kind === "answered") continue;
    const call = { caller: who, atS: firstS };
    const callEnd = callEndOf(call);
    if (callEnd === undefined) {
      if (before !== undefined && isFree(call)) change(incidents, id, ({ callEnd: _, ...entry }) => entry);
    } else if (callEnd.kind !== before?.kind) change(incidents, id, (entry) => ({ ...entry, callEnd }));
  }
}

function versionOf({ incidents }: RuleState): number {
  return incidents.reduce((sum, { version }) => sum + version, incidents.length);
}

/** Forgets sprees and incidents that no further row can change. */
function prune(
  state: RuleState,
  {
    limit,
    presentS,
    floorS,
  }: { readonly limit: SpreeLimit; readonly presentS: number; readonly floorS: number },
): void {
  const hasIncidents = state.incidents.length > 0;
  const goingOn = new Set<string>();
  for (const [subject, spree] of state.sprees) {
    if (isOver(spree, limit, floorS)) state.sprees.delete(subject);
    else if (hasIncidents && spree.open !== undefined) goingOn.add(`${subject} ${spree.open.firedAtS}`);
  }
  if (!hasIncidents) return;
  const mayChange = ({ id, players, endedS, callEnd, lastS }: KeptEntry) => {
    if (players !== undefined) return endedS === undefined;
    if (state.waiting === undefined) return goingOn.has(id);
    const waitedS = presentS - (lastS + limit.withinS);
    return waitedS <= (callEnd?.kind === "answered" ? CALLS_JOIN_S : ANSWER_AWAITED_S);
  };
  state.incidents = state.incidents
    .filter(({ entries, shown, version, isGone }) => {
      if (entries.some(mayChange)) return true;
      const isShown = isGone === true || shown >= version;
      return !isShown && entries.some(({ lastS }) => presentS - lastS <= UNSHOWN_S);
    })
    .slice(-MOST_INCIDENTS);
}
