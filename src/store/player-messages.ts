import { z } from "zod";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { PlayerMessages } from "../domain/ports/player-messages.ts";

/** And a minute, because a message leaves a few seconds after it was counted. */
const DAY_MS = (24 * 60 + 1) * 60_000;
const MOST_A_DAY = 3;

const schema = z.object({ atMs: z.array(z.number()) });

export type SentToPlayer = z.infer<typeof schema>;

/** For the store: checks on reading. */
export function parseSentToPlayer(value: unknown): SentToPlayer {
  return schema.parse(value);
}

/** One document for each player who was written to within a day. */
export function createPlayerMessages(documents: Documents<SentToPlayer>, clock: Clock): PlayerMessages {
  const turns = new KeyedMutex();
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  /** What is later than now was sent before the clock was set back: it counts. */
  const ofDay = (atMs: readonly number[], nowMs: number) => atMs.filter((sentMs) => nowMs - sentMs < DAY_MS);

  async function sweep(nowMs: number): Promise<void> {
    if (clock.monotonicMs() - sweptAtMs < DAY_MS) return;
    sweptAtMs = clock.monotonicMs();
    const old: string[] = [];
    for await (const [key, { atMs }] of documents.entries())
      if (ofDay(atMs, nowMs).length === 0) old.push(key);
    for (const key of old) await turns.take(key, () => forgetOld(key, nowMs));
  }

  async function forgetOld(key: string, nowMs: number): Promise<void> {
    if (ofDay((await documents.get(key))?.atMs ?? [], nowMs).length === 0) await documents.delete(key);
  }

  return {
    async take({ playerId, visitFromMs }) {
      const nowMs = clock.nowMs();
      await sweep(nowMs);
      const key = String(playerId);
      return await turns.take(key, async () => {
        const sent = ofDay((await documents.get(key))?.atMs ?? [], nowMs);
        const isOfVisit = sent.some((atMs) => visitFromMs === undefined || atMs >= visitFromMs);
        if (isOfVisit || sent.length >= MOST_A_DAY) return false;
        await documents.set(key, { atMs: [...sent, nowMs] });
        return true;
      });
    },
  };
}
