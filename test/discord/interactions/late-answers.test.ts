import assert from "node:assert/strict";
import { test } from "node:test";
import { createLateAnswers, type LateAnswersPorts } from "../../../src/discord/interactions/late-answers.ts";
import { md } from "../../../src/domain/escaped.ts";
import { Failure } from "../../../src/domain/failure.ts";
import type { Reach } from "../../../src/domain/ports/notifier.ts";
import { settle, VirtualClock } from "../../support/clock.ts";
import { keptLog } from "../../support/fake-services.ts";

const THINKING = 128;
const asker = { guildId: "g1", userId: "u1", channelId: "c1" };

type Rest = LateAnswersPorts["rest"];

const unasked: Rest = {
  get: () => Promise.reject(new Error("nobody looks")),
  patch: () => Promise.reject(new Error("nobody edits")),
};

function contentOf(body: unknown): string {
  return typeof body === "object" && body !== null && "content" in body ? String(body.content) : "";
}

function rig({ rest = unasked, reach = [] }: { rest?: Rest; reach?: Reach[] } = {}) {
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const nonces: string[] = [];
  const late = createLateAnswers({
    clock,
    log: keptLog(),
    signal: stopping.signal,
    rest,
    notifier: {
      tellAsker: async (_asker, _body, nonce) => {
        nonces.push(nonce);
        return reach.shift() ?? "away";
      },
    },
  });
  const place = { applicationId: "a", token: "t", untilMs: clock.nowMs() + 900_000 };
  return { clock, late, place, stopping, nonces };
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
  const { clock, late, place } = rig({ rest });
  const done = late.replaceThinking(place, { content: md`restarted` });
  await settle();
  shown = "the answer of the process that lost its lease";
  await clock.advance(5_000);
  await done;
  assert.equal(shown, "the answer of the process that lost its lease");
});

test("a message whose cards say it already is left", async () => {
  const embeds = [{ description: "It ran\n-# Reference `r1` · Command ID `c`" }];
  const rest: Rest = { get: async () => ({ flags: 0, embeds }), patch: async () => ({}) };
  const { late, place } = rig({ rest });
  const edit = (unlessSaid?: string) => late.edit(place, { content: md`x` }, { unlessSaid });
  assert.equal(await edit("-# Reference `r1`"), "left");
  assert.equal(await edit("-# Reference `r2`"), "edited");
  assert.equal(await edit(), "edited");
});

test("who can be reached by no way is told again a few times within an hour while Discord is away, as one message; a refusal ends it", async () => {
  const passing = rig({ reach: ["away", "away", "told"] });
  const told = passing.late.tell(asker, { content: md`x` }, "r1");
  await passing.clock.advance(3 * 60_000);
  await told;
  assert.equal(passing.nonces.length, 3);

  const refused = rig({ reach: ["away", "refused"] });
  const ended = refused.late.tell(asker, { content: md`x` }, "r1");
  await refused.clock.advance(60_000);
  await ended;
  assert.equal(refused.nonces.length, 2);

  const lasting = rig();
  const given = lasting.late.tell(asker, { content: md`x` }, "r1");
  await lasting.clock.advance(3_600_000);
  await given;
  assert.deepEqual(
    lasting.nonces,
    Array.from({ length: 6 }, () => "r1"),
  );
});

test("a stop ends the telling, and says so to who would forget it", async () => {
  const { late, stopping } = rig();
  const told = late.tell(asker, { content: md`x` }, "r1");
  await settle();
  stopping.abort();
  await assert.rejects(told, (error) => error instanceof Failure && error.code === "expired");
});
