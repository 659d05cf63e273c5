import type { Clock } from "../domain/ports/clock.ts";
import type { Facts } from "./readiness.ts";

/** The parts of the bot that readiness looks at. */
export interface FactSources {
  readonly clock: Clock;
  readonly store: { checkWritable(): Promise<void> };
  readonly discord: {
    state(): {
      readonly ready: boolean;
      readonly shards: readonly { readonly id: number; readonly awayForMs: number }[];
      /** Messages and edits that Discord took, and whether the last attempt failed for Discord's sake. */
      readonly sending: { readonly taken: number; readonly failing: boolean };
    };
  };
  readonly feeds: {
    counts(): Promise<{ readonly undelivered: number; readonly cards: { readonly unshown: number } }>;
  };
  readonly watch: { progress(): Promise<Facts["polling"]> };
  readonly outbox: { state(): { readonly posts: number; readonly oldestWaitMs: number } };
  readonly service: {
    badKeys(): { readonly spentUntilMs: number | undefined };
    halt(): { readonly untilMs: number; readonly why: "rate-limited" | "blocked" } | undefined;
  };
}

/** Time limit for the store's answer, so that a store that hangs does not hide the other facts. */
const STORE_ANSWERS_MS = 5_000;

/** Asks every part for its state at this moment. */
export async function collectFacts({
  clock,
  store,
  discord,
  feeds,
  watch,
  outbox,
  service,
}: FactSources): Promise<Facts> {
  const { ready, shards, sending } = discord.state();
  const [{ undelivered, cards }, polling, trouble] = await Promise.all([
    feeds.counts(),
    watch.progress(),
    storeTrouble(store, clock),
  ]);
  const { posts, oldestWaitMs } = outbox.state();
  const halt = service.halt();
  return {
    loggedIn: ready,
    shardsAway: shards
      .filter(({ awayForMs }) => awayForMs > 0)
      .map(({ id, awayForMs: forMs }) => ({ id, forMs })),
    storeTrouble: trouble,
    // A card may wait minutes for its turn to be edited, so waiting cards count only while Discord itself fails.
    sending: { waiting: undelivered + (sending.failing ? cards.unshown : 0), taken: sending.taken },
    backlog: { waiting: undelivered + posts, oldestWaitMs },
    polling,
    blockedUntilMs: halt?.why === "blocked" ? halt.untilMs : undefined,
    badKeysSpentUntilMs: service.badKeys().spentUntilMs,
  };
}

async function storeTrouble(store: FactSources["store"], clock: Clock): Promise<string | undefined> {
  const over = new AbortController();
  const late = clock.sleep(STORE_ANSWERS_MS, over.signal).then(
    () => "it does not answer",
    () => undefined,
  );
  const asked = store.checkWritable().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : "it does not say why"),
  );
  const trouble = await Promise.race([asked, late]);
  over.abort();
  return trouble;
}
