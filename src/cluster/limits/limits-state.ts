import { z } from "zod";
import type { SourceId } from "../../domain/model.ts";
import {
  type Departing,
  type Departure,
  SHARE_MS,
  type SharedUnits,
} from "../../domain/ports/shared-limits.ts";
import {
  claim,
  commandTurns,
  isOthers,
  prunedTurns,
  turnInMs,
  turnTaken,
  withWaiting,
} from "./command-turns.ts";

const HOUR_MS = 3_600_000;
/** A process that is well looks each second. */
const SEEN_WITHIN_MS = SHARE_MS;
/** First refusals of linked keys within this time count together. */
const FIRSTS_MS = 600_000;
const PROBE_HELD_MS = 12_000;
/** Until a request has ended that an outage covers, or its process is dead. */
const COVERED_HELD_MS = 12_000;
/** From its end to the next one of any process: one process alone asks no faster. */
const COVERED_APART_MS = 3_000;
const ASKED_AGAIN_MS = 1_000;

const guildId = z.string().optional();
const flag = z.boolean().optional();
const source = z.custom<SourceId>((value) => typeof value === "string" && value !== "");
const member = z.object({
  seenMs: z.number(),
  refusals: z.array(z.object({ atMs: z.number(), guildId })),
  open: z.array(
    z.object({ source, atMs: z.number(), guildId, isHeld: z.boolean(), isSoft: flag, isLone: flag }),
  ),
  answers: z.object({ lastMs: z.number().optional(), outageMs: z.number().optional() }).optional(),
  firstsMs: z.array(z.number()),
  wave: z.object({ id: z.string(), openedMs: z.number(), lastMs: z.number() }).optional(),
});
const grant = z.object({ share: z.number(), demand: z.number(), untilMs: z.number() });
const schema = z.object({
  members: z.record(z.string(), member),
  shares: z.record(z.string(), z.record(z.string(), grant)),
  commands: z.record(z.string(), commandTurns),
  probe: claim.optional(),
  /** The latest request that an outage covers, until the next one may leave. */
  covered: claim.optional(),
});

type Member = z.infer<typeof member>;
/** What processes share of the game service's limits; times are Redis's own. */
export type LimitsState = z.infer<typeof schema>;

const NO_LIMITS: LimitsState = { members: {}, shares: {}, commands: {} };

/** Throws on any other shape. */
export function parseLimits(text: string): LimitsState {
  return text === "" ? NO_LIMITS : schema.parse(JSON.parse(text));
}

/** Without what is over, so that it stays small. Pure, as all here. */
export function pruned(state: LimitsState, nowMs: number): LimitsState {
  const members = Object.entries(state.members).flatMap(([token, one]) => {
    const kept = prunedMember(one, nowMs);
    const isEmpty = kept.refusals.length + kept.open.length + kept.firstsMs.length === 0;
    const isGone = nowMs - one.seenMs > SEEN_WITHIN_MS && isEmpty && kept.wave === undefined;
    return isGone ? [] : [[token, kept] as const];
  });
  const commands = Object.entries(state.commands).flatMap(([of, turns]) => {
    const kept = prunedTurns(turns, nowMs);
    return kept === undefined ? [] : [[of, kept] as const];
  });
  // One from far in the future is of a clock that was set back since.
  const coveredMs = (state.covered?.untilMs ?? nowMs) - nowMs;
  const covered = coveredMs > 0 && coveredMs <= 2 * COVERED_HELD_MS ? { covered: state.covered } : {};
  const probe = state.probe !== undefined && state.probe.untilMs > nowMs ? { probe: state.probe } : {};
  return {
    members: Object.fromEntries(members),
    shares: state.shares,
    commands: Object.fromEntries(commands),
    ...probe,
    ...covered,
  };
}

function prunedMember(one: Member, nowMs: number): Member {
  const { wave, ...rest } = one;
  const isOpen = wave !== undefined && nowMs - wave.lastMs < HOUR_MS;
  return {
    ...rest,
    refusals: one.refusals.filter(({ atMs }) => nowMs - atMs < HOUR_MS),
    open: one.open.filter(({ atMs }) => nowMs - atMs < HOUR_MS),
    firstsMs: one.firstsMs.filter((atMs) => nowMs - atMs < FIRSTS_MS),
    ...(isOpen ? { wave } : {}),
  };
}

/** With what a process has spent, as it says itself. */
export function withMember(state: LimitsState, token: string, own: SharedUnits, nowMs: number): LimitsState {
  const { refusals, open, firstsAgeMs, answers, wave } = own;
  const kept: Member = {
    seenMs: nowMs,
    refusals: refusals.map(({ ageMs, guildId }) => ({ atMs: nowMs - ageMs, guildId })),
    open: open.map(({ ageMs, ...one }) => ({ ...one, atMs: nowMs - ageMs })),
    firstsMs: firstsAgeMs.map((ageMs) => nowMs - ageMs),
    ...(answers === undefined
      ? {}
      : {
          answers: { lastMs: timeOf(answers.lastAgeMs, nowMs), outageMs: timeOf(answers.outageAgeMs, nowMs) },
        }),
    ...(wave === undefined
      ? {}
      : { wave: { id: wave.id, openedMs: nowMs - wave.openedAgeMs, lastMs: nowMs - wave.lastAgeMs } }),
  };
  const { covered } = state;
  const isEnded = covered?.token === token && own.isAskingCovered !== true;
  return {
    ...state,
    members: { ...state.members, [token]: kept },
    ...(isEnded ? { covered: { token, untilMs: Math.min(covered.untilMs, nowMs + COVERED_APART_MS) } } : {}),
  };
}

/** What all but one process have spent. What a process had under way that is not seen any more is held. */
export function othersOf(state: LimitsState, token: string, nowMs: number): SharedUnits {
  const others = Object.entries(state.members).flatMap(([of, one]) => (of === token ? [] : one));
  const waves = others.flatMap(({ wave }) => wave ?? []).sort((a, b) => b.lastMs - a.lastMs);
  const [latest] = waves;
  const running = others.filter((one) => isRunning(one, nowMs));
  // What one was answered that does not say it may have been after any silence.
  const isTold = running.every(({ answers }) => answers !== undefined);
  return {
    refusals: others.flatMap(({ refusals }) =>
      refusals.map(({ atMs, guildId }) => ({ ageMs: nowMs - atMs, guildId })),
    ),
    open: others.flatMap((member) =>
      member.open.map(({ atMs, isHeld, isSoft, ...one }) => ({
        ...one,
        ageMs: nowMs - atMs,
        isHeld: isHeld || nowMs - member.seenMs > SEEN_WITHIN_MS,
        ...(isSoft && isTold && atMs <= nowMs && isRunning(member, nowMs) ? { isSoft } : {}),
      })),
    ),
    answers: {
      lastAgeMs: latestAgeMs(
        running.map(({ answers }) => answers?.lastMs),
        nowMs,
      ),
      outageAgeMs: latestAgeMs(
        running.map(({ answers }) => answers?.outageMs),
        nowMs,
      ),
    },
    firstsAgeMs: others.flatMap(({ firstsMs }) => firstsMs.map((atMs) => nowMs - atMs)),
    wave: latest && {
      id: latest.id,
      openedAgeMs: nowMs - latest.openedMs,
      lastAgeMs: nowMs - latest.lastMs,
    },
  };
}

/** Whether it was seen lately; a time from the future is of a clock that was set since, and shows nothing. */
function isRunning({ seenMs }: Member, nowMs: number): boolean {
  return seenMs <= nowMs && nowMs - seenMs <= SEEN_WITHIN_MS;
}

function timeOf(ageMs: number | undefined, nowMs: number): number | undefined {
  return ageMs === undefined ? undefined : nowMs - ageMs;
}

function latestAgeMs(times: readonly (number | undefined)[], nowMs: number): number | undefined {
  const past = times.flatMap((atMs) => (atMs !== undefined && atMs <= nowMs ? nowMs - atMs : []));
  return past.length === 0 ? undefined : Math.min(...past);
}

/** Takes from processes that are not seen any more the requests whose key is `isOurs`: asking it again settles them. */
export function takenOver(
  state: LimitsState,
  token: string,
  { isOurs, nowMs }: { readonly isOurs: (source: SourceId) => boolean; readonly nowMs: number },
): { readonly state: LimitsState; readonly units: SharedUnits } {
  const open: SharedUnits["open"][number][] = [];
  const members = Object.entries(state.members).map(([of, one]) => {
    const isDead = of !== token && nowMs - one.seenMs > SEEN_WITHIN_MS;
    if (!isDead) return [of, one] as const;
    const ours = one.open.filter((unit) => isOurs(unit.source));
    // What was answered since its end is not known to who takes them over.
    for (const { source, atMs, guildId, isHeld } of ours)
      open.push({ source, ageMs: nowMs - atMs, guildId, isHeld });
    return [of, { ...one, open: one.open.filter((unit) => !ours.includes(unit)) }] as const;
  });
  const units: SharedUnits = { refusals: [], open, firstsAgeMs: [], answers: {} };
  return {
    state: withMember({ ...state, members: Object.fromEntries(members) }, token, units, nowMs),
    units,
  };
}

/** Who asks, when, and whether a halt is stored. */
interface Asker {
  readonly token: string;
  readonly nowMs: number;
  readonly isHalted: boolean;
  /** Of the stored halt; 0: only its probe is missing. */
  readonly haltLeftMs: number;
}

/** Whether a request may leave, and the state if it does; without a state nothing changes. */
export function departed(
  state: LimitsState,
  request: Departing,
  { token, nowMs, isHalted, haltLeftMs }: Asker,
): { readonly departure: Departure; readonly state?: LimitsState } {
  if (isHalted && (!request.isProbe || haltLeftMs > 0)) return { departure: { kind: "halted" } };
  if (isHalted && isOthers(state.probe, token, nowMs)) return { departure: { kind: "halted" } };

  const { source, isCommand, isCovered, own, mostTogether } = request;
  if (isCovered && state.covered !== undefined && state.covered.untilMs > nowMs) {
    const leftMs = Math.min(ASKED_AGAIN_MS, state.covered.untilMs - nowMs);
    return { departure: { kind: "outage-waits", forMs: leftMs } };
  }
  const turns = state.commands[source];
  const forMs = isCommand ? turnInMs(turns, token, nowMs) : 0;
  if (turns !== undefined && forMs > 0) {
    const commands = { ...state.commands, [source]: withWaiting(turns, token, nowMs) };
    return { departure: { kind: "command-waits", forMs }, state: { ...state, commands } };
  }

  const others = othersOf(state, token, nowMs);
  const together = [own, others].reduce((sum, { refusals, open }) => sum + refusals.length + open.length, 0);
  if (together > mostTogether) return { departure: { kind: "spent" } };

  const noted = withMember(state, token, own, nowMs);
  return {
    departure: { kind: "go" },
    state: {
      ...noted,
      ...(isCommand ? { commands: { ...noted.commands, [source]: turnTaken(turns, token, nowMs) } } : {}),
      ...(isCovered ? { covered: { token, untilMs: nowMs + COVERED_HELD_MS } } : {}),
      ...(isHalted ? { probe: { token, untilMs: nowMs + PROBE_HELD_MS } } : {}),
    },
  };
}

/** A command of this process has ended; the next one of any may start after `waitMs`. */
export function commandEnded(
  state: LimitsState,
  token: string,
  { source, waitMs, nowMs }: { readonly source: SourceId; readonly waitMs: number; readonly nowMs: number },
): LimitsState {
  const turns = state.commands[source];
  if (turns?.token !== token) return state;
  return { ...state, commands: { ...state.commands, [source]: { ...turns, untilMs: nowMs + waitMs } } };
}
