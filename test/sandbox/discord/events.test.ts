import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStream } from "../../../src/sandbox/discord/events.ts";
import type { Exchange } from "../../../src/sandbox/discord/types.ts";

test("who waits for one exchange is not asked about those of thousands of others", async () => {
  const events = new EventStream();
  const [own, other] = [{} as Exchange, {} as Exchange];
  let asked = 0;
  let isOver = false;
  const waited = events.untilOf(own, () => {
    asked += 1;
    return isOver;
  });
  for (let n = 0; n < 1_000; n++) events.emit({ type: "interaction-answered", exchange: other });
  events.emit({ type: "commands-registered", commands: [] } as never);
  assert.equal(asked, 1);
  isOver = true;
  events.emit({ type: "interaction-answered", exchange: own });
  await waited;
  assert.equal(asked, 2);
  events.emit({ type: "interaction-answered", exchange: own });
  assert.equal(asked, 2);
});

test("a wait for one exchange ends when the emulated Discord is closed", async () => {
  const events = new EventStream();
  const waited = events.untilOf({} as Exchange, () => false);
  events.close();
  await assert.rejects(waited, /closed while something waited/);
});
