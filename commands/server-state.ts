import { cut, escapeMarkdown } from "../src/discord/render/escape.ts";
import { waitEndSecond } from "../src/discord/render/fine-print.ts";
import { notReadWords } from "../src/discord/render/server/not-read.ts";
import type { Freshness } from "../src/discord/render/server/view.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Binding } from "../src/domain/guild.ts";
import type { ListName, ServerState } from "../src/domain/model.ts";
import { HALTED, haltAt } from "../src/domain/ports/service-health.ts";
import { underItsName } from "../src/domain/server-names.ts";

/** Reads a server for a person: the last known state while the service is slow, and the new one when it answers. */

/** A state this young counts as current, so that two people who ask at once cost one request. */
const MAX_AGE_MS = 10_000;
/** After this long without an answer the last state is shown, with its age. */
const LAST_STATE_AFTER_MS = 700;

export interface ShownState {
  readonly state: ServerState;
  readonly seen: Freshness;
}

interface StateQuery {
  readonly binding: Binding;
  readonly lists: readonly ListName[];
  /** Lists without which an old state says nothing, and whose age is its age. @default lists */
  readonly needed?: readonly ListName[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Yields the state of a server once or twice: while the answer takes long, the last known state comes first. A list that
 * was never read is waited for. Throws a Failure where nothing is known and nothing can be read.
 */
export async function* serverStates(
  { snapshots, health, clock }: Pick<Services, "snapshots" | "health" | "clock">,
  query: StateQuery,
): AsyncGenerator<ShownState> {
  const { binding, lists, needed = lists, signal } = query;
  const lastState = (wanted: readonly ListName[]) => {
    const state = snapshots.latest(binding.source);
    return state !== undefined && wanted.every((list) => state.lists[list] !== undefined) ? state : undefined;
  };

  const refused = whyNotAsked({ health, clock }, binding);
  const asked =
    refused === undefined
      ? snapshots
          .fresh(binding.source, lists, { maxAgeMs: MAX_AGE_MS, signal, guildId: binding.guildId })
          .then(
            (state) => ({ state }),
            (error: unknown) => ({ error }),
          )
      : Promise.resolve({ error: refused });

  const last = lastState(lists);
  if (last !== undefined && refused === undefined) {
    const waiting = new AbortController();
    const soon = await Promise.race([
      asked,
      clock.sleep(LAST_STATE_AFTER_MS, waiting.signal).catch(() => undefined),
    ]);
    waiting.abort();
    if (soon === undefined) {
      const waits = md`Still waiting for the game service. This is the last known state.`;
      const why = whyNotNewer({ snapshots, health, clock }, binding) ?? waits;
      yield shown(last, { binding, lists: needed }, why);
    }
  }

  const answer = await asked;
  if ("state" in answer) {
    const missing = lists.find((list) => answer.state.lists[list] === undefined);
    if (missing !== undefined)
      throw new Failure("bad-response", "The game service's answer was incomplete.", { isRead: true });
    yield shown(answer.state, query);
    return;
  }
  if (!(answer.error instanceof Failure)) throw answer.error;
  const failure = inOurWords(answer.error);
  const state = lastState(needed);
  if (state === undefined) throw withoutSnapshot(failure);
  yield shown(state, { binding, lists: needed }, staleWhy(failure, clock.nowMs()));
}

const NOT_UP_TO_DATE = md`Not up to date`;

/**
 * Why nothing newer than the last known state is there; undefined: nothing has failed. `what`: what is not up to date,
 * where several servers are meant.
 */
export function whyNotNewer(
  { snapshots, health, clock }: Pick<Services, "snapshots" | "health" | "clock">,
  binding: Binding,
  what = NOT_UP_TO_DATE,
): Escaped | undefined {
  const refused = whyNotAsked({ health, clock }, binding);
  if (refused !== undefined) return staleWhy(refused, clock.nowMs(), what);
  const failing = snapshots.failing(binding.source);
  return failing && md`${what}: ${notReadWords(failing.code)}`;
}

/** A state with its age, which is that of the oldest of these lists. */
function shown(
  state: ServerState,
  { binding, lists }: Pick<StateQuery, "binding" | "lists">,
  why?: Escaped,
): ShownState {
  const ages = lists.map((list) => state.lists[list]?.atMs ?? state.statusAtMs);
  return {
    state: underItsName(state, binding),
    seen: { atMs: Math.min(state.statusAtMs, ...ages), staleWhy: why },
  };
}

/** Why there is no state at all, of what `serverStates` threw; undefined: it was something else. */
export function whyNoState(
  { snapshots, clock }: Pick<Services, "snapshots" | "clock">,
  { source }: Binding,
  error: unknown,
): Escaped | undefined {
  const cause = error instanceof Failure ? error.cause : undefined;
  const isWithout = cause instanceof Failure && snapshots.latest(source) === undefined;
  return isWithout ? staleWhy(cause, clock.nowMs()) : undefined;
}

/** A block as Marshal says it: the service's sentence is for whoever programmed Marshal, and its times are for programs. */
function inOurWords(failure: Failure): Failure {
  const { code, message, retryAtMs, serviceCode } = failure;
  const isOurs = message.startsWith("The game service ");
  if (code !== "blocked" || isOurs) return failure;
  return new Failure(code, `${HALTED[code]}.`, { retryAtMs, serviceCode, isRead: true, cause: failure });
}

/** Why asking would only wait in the gate: a halt, or a refused key. Then the last state is shown at once. */
function whyNotAsked(
  { health, clock }: Pick<Services, "health" | "clock">,
  { source }: Binding,
): Failure | undefined {
  const halt = haltAt(health, clock.nowMs());
  if (halt !== undefined) {
    const details = { retryAtMs: halt.untilMs, isRead: true };
    return inOurWords(new Failure(halt.why, halt.message ?? "", details));
  }
  const parked = health.parked(source);
  return parked && new Failure("key-rejected", parked.why, { isRead: true });
}

function withoutSnapshot(failure: Failure): Failure {
  const { code, retryAtMs, serviceCode } = failure;
  // The title of the error says these two already.
  const why = code === "unreachable" || code === "rate-limited" ? [] : [failure.message];
  const words = [...why, "There is no earlier state to show."].join(" ");
  return new Failure(code, words, {
    isRead: true,
    ...(retryAtMs === undefined ? {} : { retryAtMs }),
    ...(serviceCode === undefined ? {} : { serviceCode }),
    cause: failure,
  });
}

/** Why the state is old, and when it is read again. A time that has passed is left out. */
function staleWhy(failure: Failure, nowMs: number, what = NOT_UP_TO_DATE): Escaped {
  const { retryAtMs } = failure;
  const again =
    retryAtMs === undefined || retryAtMs <= nowMs ? md`` : md` Next try: ${waitEndSecond(retryAtMs)}.`;
  return md`${what}: ${staleWords(failure)}${again}`;
}

function staleWords({ code, serviceCode, message }: Failure): Escaped {
  switch (code) {
    case "blocked":
      // The message tells a block of the service from a page of a proxy in front of it.
      return escapeMarkdown(cut(message, 300).replace(/^The /, "the "));
    case "read-refused":
      return refusedWords(serviceCode);
    default:
      return notReadWords(code);
  }
}

/** Why the service does not let Marshal read a server, by its own code. */
function refusedWords(serviceCode: number | undefined): Escaped {
  if (serviceCode === 4000)
    return md`the game service says Marshal is not allowed on this server (code 4000).`;
  if (serviceCode === 9998) return md`the game service restricts access to this server (code 9998).`;
  if (serviceCode === undefined) return md`the game service does not let Marshal read this server.`;
  return md`the game service does not let Marshal read this server (code ${serviceCode}).`;
}
