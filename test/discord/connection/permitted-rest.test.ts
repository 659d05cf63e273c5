import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { permittedRequests } from "../../../src/discord/connection/permitted-rest.ts";

const CHANNEL = "http://127.0.0.1/api/v10/channels/1/messages";
const ANSWERS = [
  "http://127.0.0.1/api/v10/interactions/1/token/callback",
  "http://127.0.0.1/api/v10/webhooks/1/token/messages/@original",
];

function rig() {
  const over = new AbortController();
  let why: string | undefined;
  const sent: { readonly url: string; readonly signal: AbortSignal | null | undefined }[] = [];
  const permit = { refusal: () => why, granted: async () => undefined, over: over.signal };
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
});
