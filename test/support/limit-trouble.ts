import type { LimitSettings } from "../../src/sandbox/service/service.ts";
import { seededRandom } from "./clock.ts";
import { World, type WorldOptions } from "./limit-run.ts";

export interface TroubleOptions extends Partial<WorldOptions> {
  readonly seed: number;
  /** Of the app-wide counter; more in `service.limits`. */
  readonly limit: number;
  readonly windowMs: number;
  /** How much is measured, and how much before it is not. */
  readonly windows: number;
  readonly learningWindows?: number;
  readonly limits?: Partial<LimitSettings>;
  /** Reads a minute that people ask for beside the polls. @default 0 */
  readonly peoplePerMinute?: number;
  /** Called ten times a second, with the time since the beginning. */
  readonly atMs?: ((world: World, ms: number) => void) | undefined;
}

export interface TroubleResult {
  readonly requests: number;
  readonly answers429: number;
  /** Share of the limit that was answered. */
  readonly used: number;
  /** The longest time in which nothing reached the service, and when it ended. */
  readonly silenceS: number;
  readonly silenceEndS: number;
  /** The longest that a person waited. */
  readonly personWaitS: number;
}

const KEYS = 20;
/** As many polls wait at any time: whatever the limit lets through is used. */
const POLLS_AT_ONCE = 40;
const TICK_MS = 100;

/** Polls that use whatever they get, and people beside them, at a service with something wrong. */
export async function underTrouble(options: TroubleOptions): Promise<TroubleResult> {
  const { limit, windowMs, windows, learningWindows = 0, limits, peoplePerMinute = 0 } = options;
  const keys = options.keys ?? KEYS;
  const world = new World({
    badKeyBudget: 200,
    ...options,
    keys,
    service: {
      ...options.service,
      limits: { global: { limit, windowMs }, banAfter: 1_000_000, ...limits },
    },
  });
  const { clock, client, service } = world;
  const random = seededRandom(options.seed);
  const startMs = clock.monotonicMs();
  const endMs = startMs + (learningWindows + windows) * windowMs;
  let asked = 0;
  let isOver = false;
  const poll = (): void => {
    if (isOver) return;
    asked += 1;
    const source = world.source(asked % keys);
    client.read(source, [], { priority: "poll" }).then(poll, () => clock.after(TICK_MS, poll));
  };
  for (let n = 0; n < POLLS_AT_ONCE; n++) poll();
  let personWaitMs = 0;
  const person = () => {
    const n = Math.floor(random.next() * keys);
    const sinceMs = clock.monotonicMs();
    const ended = () => {
      if (isMeasured) personWaitMs = Math.max(personWaitMs, clock.monotonicMs() - sinceMs);
    };
    client.read(world.source(n), [], { priority: "person", guildId: `guild${n}` }).then(ended, ended);
  };

  const seen = () => ({ ...pick(service.counts), ok: service.counts.byStatus.get(200) ?? 0 });
  let before = seen();
  let isMeasured = learningWindows === 0;
  let [requests, lastMs, silenceMs, silenceEndMs] = [0, startMs, 0, 0];
  // One in each of equal spans, anywhere in it.
  const spanMs = peoplePerMinute === 0 ? Number.POSITIVE_INFINITY : 60_000 / peoplePerMinute;
  let people = 0;
  const nextPersonMs = () => startMs + spanMs * (people + random.next());
  let personAtMs = nextPersonMs();
  while (clock.monotonicMs() < endMs) {
    await clock.advance(TICK_MS);
    const nowMs = clock.monotonicMs();
    if (!isMeasured && nowMs >= startMs + learningWindows * windowMs) {
      isMeasured = true;
      before = seen();
      lastMs = Math.max(lastMs, nowMs - windowMs);
    }
    if (service.counts.requests > requests) {
      requests = service.counts.requests;
      lastMs = nowMs;
    } else if (isMeasured && nowMs - lastMs > silenceMs) [silenceMs, silenceEndMs] = [nowMs - lastMs, nowMs];
    options.atMs?.(world, nowMs - startMs);
    while (personAtMs <= nowMs) {
      person();
      people += 1;
      personAtMs = nextPersonMs();
    }
  }
  isOver = true;
  const after = seen();
  await world.close();
  return {
    requests: after.requests - before.requests,
    answers429: after.answers429 - before.answers429,
    used: (after.ok - before.ok) / (limit * windows),
    silenceS: silenceMs / 1_000,
    silenceEndS: (silenceEndMs - startMs) / 1_000,
    personWaitS: personWaitMs / 1_000,
  };
}

function pick({ requests, answers429 }: World["service"]["counts"]) {
  return { requests, answers429 };
}
