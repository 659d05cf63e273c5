import assert from "node:assert/strict";
import { test } from "node:test";
import { type Refused, RequestLimits } from "../../../src/discord/connection/request-limits.ts";
import { VirtualClock } from "../../support/clock.ts";

const PLACE = { method: "POST", route: "/channels/:id/messages", major: "1", isAnswer: false };

test("each refusal is told once, with the wait that it asks for: of all channels or of one", () => {
  const limits = new RequestLimits(new VirtualClock(), 50);
  const told: Refused[] = [];
  limits.attach({ onRefused: (refused) => void told.push(refused), onSpent: () => undefined });
  limits.learn(PLACE, 200, new Headers({ "retry-after": "9" }));
  limits.learn(PLACE, 429, new Headers({ "retry-after": "2.5", "x-ratelimit-global": "true" }));
  limits.learn(PLACE, 429, new Headers({ "retry-after": "1" }));
  assert.deepEqual(told, [
    { isGlobal: true, waitMs: 2_500 },
    { isGlobal: false, waitMs: 1_000 },
  ]);
});

test("whoever is attached later hears in the place of the one before", () => {
  const limits = new RequestLimits(new VirtualClock(), 50);
  const told: string[] = [];
  for (const name of ["first", "second"])
    limits.attach({ onRefused: () => void told.push(name), onSpent: () => undefined });
  limits.learn(PLACE, 429, new Headers());
  assert.deepEqual(told, ["second"]);
});

test("a counter that an answer shows as used up is told with the time until it is whole again", () => {
  const limits = new RequestLimits(new VirtualClock(), 50);
  const told: unknown[] = [];
  limits.attach({
    onRefused: () => undefined,
    onSpent: ({ major }, waitMs) => void told.push([major, waitMs >= 4_000 && waitMs < 5_000]),
  });
  const headers = (remaining: string) =>
    new Headers({ "x-ratelimit-remaining": remaining, "x-ratelimit-reset-after": "4" });
  limits.learn(PLACE, 200, headers("1"));
  limits.learn(PLACE, 200, headers("0"));
  assert.deepEqual(told, [["1", true]]);
});
