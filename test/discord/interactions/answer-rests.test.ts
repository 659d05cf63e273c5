import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { REST } from "discord.js";
import { createAnswerRests } from "../../../src/discord/interactions/answer-rests.ts";
import { AnswerRefused } from "../../../src/discord/interactions/incoming.ts";
import { createInteractionResponder } from "../../../src/discord/interactions/interaction-responder.ts";
import { md } from "../../../src/domain/escaped.ts";

describe("the ways on which answers go", () => {
  test("answers do not wait behind the requests a second that the bot has for its posts", async (t) => {
    // The second never ends: what waits for the next one waits for as long as the test lasts.
    t.mock.timers.enable({ apis: ["Date"] });
    const sent: string[] = [];
    const rest = new REST({
      globalRequestsPerSecond: 2,
      async makeRequest(url) {
        sent.push(url.replace(/^.*\/v\d+/, ""));
        return new Response("{}", { headers: { "content-type": "application/json" } });
      },
    }).setToken("token");
    const answers = createAnswerRests(rest);

    const posts = [1, 2, 3].map((channel) => rest.post(`/channels/${channel}/messages`));
    await Promise.all(posts.slice(0, 2));
    const edits = ["a", "b", "c"].map((token) => `/webhooks/123456789012345678/${token}/messages/@original`);
    for (const path of edits) await answers.later.patch(path as `/${string}`, { auth: false });
    const callback = "/interactions/123456789012345678/a/callback";
    for (let n = 0; n < 3; n += 1) await answers.callbacks.post(callback, { auth: false });
    const first = ["/channels/1/messages", "/channels/2/messages"];
    assert.deepEqual(sent, [...first, ...edits, callback, callback, callback]);

    t.mock.timers.reset();
    await Promise.all(posts);
    assert.equal(sent.at(-1), "/channels/3/messages");
    answers.close();
    rest.clearHandlerSweeper();
    rest.clearHashSweeper();
  });

  test("words that Discord calls harmful are told apart from what is malformed", async () => {
    for (const code of [200_000, 240_000]) {
      const rest = new REST({
        retries: 0,
        makeRequest: async () => Response.json({ code, message: "blocked" }, { status: 400 }) as never,
      });
      const interaction = { id: "1", token: "t", applicationId: "2", createdTimestamp: 0 };
      const answers = createInteractionResponder({ later: rest, callbacks: rest }, interaction);
      const isWords = (error: unknown) => error instanceof AnswerRefused && error.reason === "words";
      await assert.rejects(answers.edit({ content: md`bad.example` }, "@original"), isWords);
      rest.clearHandlerSweeper();
      rest.clearHashSweeper();
    }
  });

  test("a page in place of Discord's answer calls no answer malformed: it is tried again", async () => {
    const html = { status: 403, headers: { "content-type": "text/html" } };
    const rest = new REST({
      retries: 0,
      makeRequest: async () => new Response("<html>blocked</html>", html),
    });
    const interaction = { id: "1", token: "t", applicationId: "2", createdTimestamp: 0 };
    const answers = createInteractionResponder({ later: rest, callbacks: rest }, interaction);
    const mayPass = (error: unknown) => error instanceof AnswerRefused && error.reason === "unknown";
    await assert.rejects(answers.edit({ content: md`done` }, "@original"), mayPass);
    await assert.rejects(answers.defer("ephemeral"), mayPass);
    rest.clearHandlerSweeper();
    rest.clearHashSweeper();
  });
});
