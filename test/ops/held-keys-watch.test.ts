import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceId } from "../../src/domain/model.ts";
import { watchHeldKeys } from "../../src/ops/held-keys-watch.ts";
import { VirtualClock } from "../support/clock.ts";

const MINUTE_MS = 60_000;

test("a guild whose server waits because of others' keys is notified once after minutes, and once when it goes on", async () => {
  const clock = new VirtualClock();
  const held = new Set<string>();
  const told: string[] = [];
  const logged: string[] = [];
  const note = (_: object, words: string) => void logged.push(words);
  const log = { warn: note, error: note };
  const watch = watchHeldKeys({
    clock,
    log,
    bindings: {
      all: async function* () {
        for (const n of [1, 2])
          yield { guildId: `g${n}`, source: `s${n}` as SourceId, name: `Town ${n}` } as never;
      },
    },
    notifier: { guild: async (guildId, body) => void told.push(`${guildId} ${body.content}`) },
    service: {
      held: (source) => (held.has(source) ? { untilMs: 99 } : undefined),
      badKeys: () => ({ waitingKeys: held.size }),
    },
    words: {
      keyWaits: (name, untilMs) => ({ content: `${name} waits until ${untilMs}` as never }),
      keyGoesOn: (name) => ({ content: `${name} goes on` as never }),
    },
  });
  held.add("s1").add("s2");
  await clock.advance(3 * MINUTE_MS);
  held.delete("s2");
  await clock.advance(30 * MINUTE_MS);
  assert.deepEqual(told, ["g1 Town 1 waits until 99"]);
  assert.equal(logged.length, 1);
  held.clear();
  await clock.advance(10 * MINUTE_MS);
  assert.deepEqual(told.slice(1), ["g1 Town 1 goes on"]);
  watch.stop();
  assert.equal(clock.pending, 0);
});
