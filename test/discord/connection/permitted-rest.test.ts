import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { REST } from "discord.js";
import { createPermittedRest, permittedRequests } from "../../../src/discord/connection/permitted-rest.ts";
import { RequestLimits } from "../../../src/discord/connection/request-limits.ts";
import { asSinkRefusal } from "../../../src/discord/messages/sink.ts";
import { SinkRefusal } from "../../../src/domain/failure.ts";
import { VirtualClock } from "../../support/clock.ts";

const REFUSED = { message: "Unknown Channel", code: 10003 };
const CHANNEL = "http://127.0.0.1/api/v10/channels/1/messages";
const ANSWERS = [
  "http://127.0.0.1/api/v10/interactions/1/token/callback",
  "http://127.0.0.1/api/v10/webhooks/1/token/messages/@original",
];

function rig() {
  const over = new AbortController();
  let why: string | undefined;
  const sent: { readonly url: string; readonly signal: AbortSignal | null | undefined }[] = [];
  const permit = {
    refusal: () => why,
    granted: async () => undefined,
    othersFirst: async () => undefined,
    over: over.signal,
  };
  const request = permittedRequests(async (url, { signal }) => {
    sent.push({ url, signal });
    return new Response("{}");
  }, permit);
  const end = () => {
    why = "over";
    over.abort(new Error("over"));
  };
  return { request: (url: string) => request(url, { method: "POST" }), sent, end };
}

describe("what @discordjs/rest sends for a process that may lose its right to post", () => {
  test("what was queued is not sent any more, what is in flight is aborted", async () => {
    const { request, sent, end } = rig();
    await request(CHANNEL);
    assert.equal(sent[0]?.signal?.aborted, false);
    end();
    assert.equal(sent[0]?.signal?.aborted, true);
    await assert.rejects(request(CHANNEL), /over/);
    assert.equal(sent.length, 1);
  });

  test("people are answered all the same", async () => {
    const { request, sent, end } = rig();
    end();
    for (const url of ANSWERS) await request(url);
    assert.deepEqual(
      sent.map(({ url }) => url),
      ANSWERS,
    );
  });

  test("Discord's refusal of a message is known for what it is, as without a permit", async () => {
    const over = new AbortController();
    const passes = async () => undefined;
    const permit = { refusal: () => undefined, granted: passes, othersFirst: passes, over: over.signal };
    const send = async () => Response.json(REFUSED, { status: 404 });
    const limits = new RequestLimits(new VirtualClock(), 50);
    const rest = new REST({ hashSweepInterval: 0, handlerSweepInterval: 0 });
    const own = createPermittedRest({ rest, send, limits }, "token", permit);
    await assert.rejects(
      asSinkRefusal(() => own.post("/channels/1/messages")),
      (error) => error instanceof SinkRefusal && error.reason === "gone",
    );
    over.abort();
  });
});
