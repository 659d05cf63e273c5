import assert from "node:assert/strict";
import { test } from "node:test";
import { createLateAnswers, type LateAnswersPorts } from "../../../src/discord/interactions/late-answers.ts";
import { md } from "../../../src/domain/escaped.ts";
import { settle, VirtualClock } from "../../support/clock.ts";
import { keptLog } from "../../support/fake-services.ts";

const THINKING = 128;

type Rest = LateAnswersPorts["rest"];

function contentOf(body: unknown): string {
  return typeof body === "object" && body !== null && "content" in body ? String(body.content) : "";
}

function rig(rest: Rest) {
  const clock = new VirtualClock();
  const late = createLateAnswers({
    clock,
    log: keptLog(),
    signal: new AbortController().signal,
    rest,
  });
  const place = { applicationId: "a", token: "t", untilMs: clock.nowMs() + 900_000 };
  return { clock, late, place };
}

test("what another process has shown since stays, also where the first try was not taken", async () => {
  let shown = "thinking";
  let patches = 0;
  const rest: Rest = {
    get: async () => ({ flags: shown === "thinking" ? THINKING : 0 }),
    patch: async (_route, change) => {
      patches += 1;
      if (patches === 1) throw new Error("502");
      shown = contentOf(change?.body);
      return {};
    },
  };
  const { clock, late, place } = rig(rest);
  const done = late.replaceThinking(place, { content: md`restarted` });
  await settle();
  shown = "the answer of the process that lost its lease";
  await clock.advance(5_000);
  await done;
  assert.equal(shown, "the answer of the process that lost its lease");
});

test("a message whose cards say it already is left", async () => {
  const embeds = [{ description: "It failed\n-# Reference `r1` · Command ID `c`" }];
  const components = [{ type: 1, components: [{ type: 2, custom_id: "run-again:r3" }] }];
  const rest: Rest = { get: async () => ({ flags: 0, embeds, components }), patch: async () => ({}) };
  const { late, place } = rig(rest);
  const edit = (...unlessSaid: string[]) => late.edit(place, { content: md`x` }, { unlessSaid });
  assert.equal(await edit("-# Reference `r1`"), "left");
  assert.equal(await edit("-# Reference `r3`", "run-again:r3"), "left");
  assert.equal(await edit("-# Reference `r2`", "run-again:r2"), "edited");
  assert.equal(await edit(), "edited");
});
