import { ALERT_DEFAULTS, type AlertRule } from "../domain/alert.ts";
import type { ModCallEntry } from "../domain/model.ts";
import { freshSightings, KIND_OF, type Sighting } from "./counted-rows.ts";
import { type Facts, oldestFirst, type Surroundings } from "./facts.ts";
import {
  addRow,
  CALLS_JOIN_S,
  change,
  type Incident,
  type KeptEntry,
  latest,
  type Opening,
  tell,
} from "./incidents.ts";
import { type RuleState, type ServerState, STREAMS } from "./server-state.ts";
import { afterCount, isNews, type PlayerCount } from "./windows/levels.ts";
import { isOver, type SpreeLimit, takeRow } from "./windows/sprees.ts";
import { callId, knownFrom, newlyDue, unchangedSince } from "./windows/waiting-calls.ts";

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
    };
    const limit = limitOf(rule);
    const counting = { opening, limit };
    for (const sighting of fresh.of(rule)) count(its, sighting, counting);
    if (facts.players !== undefined) isChanged = takeCount(its, facts.players, opening) || isChanged;
    if (facts.calls !== undefined && rule.kind === "calls") {
      isChanged = takeCalls(its, oldestFirst(facts.calls), opening, around) || isChanged;
    }
    isChanged = isChanged || versionOf(its) !== before;
    if (isChanged) prune(its, { limit, presentS: facts.presentS, floorS: floorOf(state, rule) });
  }
  return isChanged;
}

/** How much is too much, where the alert does not say. */
function limitOf({ kind, count, withinS }: AlertRule): SpreeLimit {
  const defaults: { readonly count?: number; readonly withinS?: number } = ALERT_DEFAULTS[kind];
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
  const kinds = new Set(rules.map(({ kind }) => kind));
  for (const stream of state.seen.keys()) {
    // Rows that no alert counts begin anew with the next alert that does.
    if (!kinds.has(KIND_OF[stream])) isChanged = state.seen.delete(stream);
  }
  return isChanged;
}

/** Counts one row of a subject: nothing follows, or an alert begins, or one goes on. */
function count(
  state: RuleState,
  { subject, who, row }: Sighting,
  { opening, limit }: { readonly opening: Opening; readonly limit: SpreeLimit },
): void {
  let spree = state.sprees.get(subject);
  if (spree === undefined) {
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
    rows: latest(rows),
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
  calls: readonly ModCallEntry[],
  opening: Opening,
  around: Surroundings,
): boolean {
  if (state.calls === undefined) {
    state.calls = knownFrom(calls);
    return true;
  }
  const { withinS } = limitOf(opening.rule);
  const known = state.calls.doneS.size;
  const isTaken = (call: ModCallEntry) => around.isTaken(call);
  const { rows: unchanged, settled } = unchangedSince(state.calls, calls);
  const due = newlyDue(state.calls, calls, { withinS, presentS: opening.presentS, settled }, isTaken);
  for (const { id, caller, atS, dueS } of due) {
    const entry: KeptEntry = { id, who: caller, count: 1, firstS: atS, lastS: atS, rows: [] };
    tell(state.incidents, entry, { eventS: dueS, opening, withinS });
  }
  // An answer that was looked at before has ended its call.
  const newer = calls.filter(({ moderator }, at) => at >= unchanged || moderator === undefined);
  endCalls(state.incidents, newer, around);
  return due.length > 0 || state.calls.doneS.size !== known;
}

/** Staff has answered or claimed calls that have an alert. */
function endCalls(incidents: Incident[], calls: readonly ModCallEntry[], { isTaken }: Surroundings): void {
  const open = new Map<string, KeptEntry>();
  for (const { entries } of incidents) {
    for (const entry of entries) if (entry.callEnd?.kind !== "answered") open.set(entry.id, entry);
  }
  if (open.size === 0) return;
  for (const call of calls) {
    const id = callId(call);
    const told = open.get(id);
    if (told === undefined) continue;
    const { moderator: by } = call;
    if (by !== undefined) {
      change(incidents, id, (entry) => ({ ...entry, callEnd: { kind: "answered", by } }));
      open.delete(id);
    } else if (told.callEnd === undefined && isTaken(call)) {
      change(incidents, id, (entry) => ({ ...entry, callEnd: { kind: "taken" } }));
      open.delete(id);
    }
  }
}

function versionOf({ incidents }: RuleState): number {
  return incidents.reduce((sum, { version }) => sum + version, incidents.length);
}

/** The second up to which no further row can come that this alert counts. */
function floorOf({ seen }: ServerState, { kind }: AlertRule): number {
  const streams = STREAMS.filter((stream) => KIND_OF[stream] === kind && seen.has(stream));
  return Math.min(...streams.map((stream) => seen.get(stream)?.floorS ?? Number.NEGATIVE_INFINITY));
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
    if (state.calls === undefined) return goingOn.has(id);
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
