import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type APIInteraction, GatewayDispatchEvents, type REST } from "discord.js";
import type { Channel, Exchange } from "../../../src/sandbox/discord/types.ts";
import { type BotRig, refusalOf, startBot } from "./rig.ts";

/** A bot that answers by bare REST, so that each refusal can be seen. */
interface RawRig extends BotRig {
  /** Sends the command and gives the interaction as it arrived, before any answer. */
  ask(channel?: Channel): Promise<{ raw: APIInteraction; exchange: Promise<Exchange> }>;
  answer(raw: APIInteraction, type: number, data?: object): Promise<unknown>;
}

async function startRaw(t: TestContext): Promise<RawRig> {
  const rig = await startBot(t);
  await rig.rest.put(`/applications/${rig.discord.applicationId}/commands`, {
    body: [
      {
        name: "ping",
        description: "p",
        options: [{ type: 3, name: "q", description: "q", autocomplete: true }],
      },
    ],
  });
  const arrival = (): Promise<APIInteraction> =>
    new Promise((resolve) => {
      // The client's own listener for raw payloads: what discord.js got, as it got it.
      const listener = (packet: { t: string; d: APIInteraction }): void => {
        if (packet.t !== GatewayDispatchEvents.InteractionCreate) return;
        rig.client.off("raw" as never, listener as never);
        resolve(packet.d);
      };
      rig.client.on("raw" as never, listener as never);
    });
  return {
    ...rig,
    ask: async (channel = rig.channel) => {
      const arrived = arrival();
      const exchange = rig.person.slash(channel, "ping");
      return { raw: await arrived, exchange };
    },
    answer: (raw, type, data) => answer(rig.rest, raw, type, data),
  };
}

function answer(rest: REST, raw: APIInteraction, type: number, data?: object): Promise<unknown> {
  return rest.post(`/interactions/${raw.id}/${raw.token}/callback`, { body: { type, data }, auth: false });
}

const message = { content: "x" };

test("a second answer is refused with 40060", async (t) => {
  const rig = await startRaw(t);
  const { raw, exchange } = await rig.ask();
  await rig.answer(raw, 4, message);
  assert.deepEqual(await refusalOf(rig.answer(raw, 4, message)), { status: 400, code: 40060, paths: [] });
  assert.equal((await exchange).text, "x");
});

test("an answer at 3 s is taken, one after it is refused with 10062 and the person sees none", async (t) => {
  const rig = await startRaw(t);
  const first = await rig.ask();
  rig.clock.nowMs += 3_000;
  await rig.answer(first.raw, 4, message);
  assert.equal((await first.exchange).answeredAfterMs, 3_000);
  const second = await rig.ask();
  rig.clock.nowMs += 3_001;
  assert.deepEqual(await refusalOf(rig.answer(second.raw, 5)), { status: 404, code: 10062, paths: [] });
  assert.equal((await second.exchange).kind, "none");
});

test("an unknown interaction, and a wrong token, are 10062", async (t) => {
  const rig = await startRaw(t);
  const { raw, exchange } = await rig.ask();
  const wrong = { ...raw, token: "aW50ZXJhY3Rpb24" };
  assert.equal((await refusalOf(rig.answer(wrong, 4, message))).code, 10062);
  assert.equal((await refusalOf(rig.answer({ ...raw, id: "1" }, 4, message))).code, 10062);
  await rig.answer(raw, 4, message);
  await exchange;
});

test("the token lives 15 minutes, then 50027; an unknown token is 50027 as well", async (t) => {
  const rig = await startRaw(t);
  const { raw } = await rig.ask();
  await rig.answer(raw, 4, message);
  const original = `/webhooks/${raw.application_id}/${raw.token}/messages/@original` as const;
  rig.clock.nowMs += 15 * 60_000;
  await rig.rest.patch(original, { body: { content: "in time" }, auth: false });
  rig.clock.nowMs += 1;
  const late = await refusalOf(rig.rest.patch(original, { body: { content: "late" }, auth: false }));
  assert.deepEqual(late, { status: 401, code: 50027, paths: [] });
  assert.equal(
    (
      await refusalOf(
        rig.rest.get(`/webhooks/${raw.application_id}/nope/messages/@original`, { auth: false }),
      )
    ).code,
    50027,
  );
  assert.equal(
    (await refusalOf(rig.rest.get(`/webhooks/1/${raw.token}/messages/@original`, { auth: false }))).code,
    10015,
  );
});

test("before the first answer nothing can be edited or followed up: 10015", async (t) => {
  const rig = await startRaw(t);
  const { raw, exchange } = await rig.ask();
  const base = `/webhooks/${raw.application_id}/${raw.token}` as const;
  assert.equal((await refusalOf(rig.rest.post(base, { body: message, auth: false }))).code, 10015);
  assert.equal(
    (await refusalOf(rig.rest.patch(`${base}/messages/@original`, { body: message, auth: false }))).code,
    10015,
  );
  await rig.answer(raw, 4, message);
  await exchange;
  assert.equal((await refusalOf(rig.rest.get(`${base}/messages/123`, { auth: false }))).code, 10008);
  await rig.rest.delete(`${base}/messages/@original`, { auth: false });
  assert.equal((await refusalOf(rig.rest.get(`${base}/messages/@original`, { auth: false }))).code, 10008);
});

test("in a channel that was deleted meanwhile nothing is answered or followed up: 10003; its answer is gone: 10008", async (t) => {
  const rig = await startRaw(t);
  const answered = await rig.ask();
  await rig.answer(answered.raw, 4, message);
  await answered.exchange;
  const open = await rig.ask();
  rig.channel.delete();
  const base = `/webhooks/${answered.raw.application_id}/${answered.raw.token}` as const;
  const edit = rig.rest.patch(`${base}/messages/@original`, { body: message, auth: false });
  assert.equal((await refusalOf(edit)).code, 10008);
  const followUp = rig.rest.post(base, { body: message, auth: false });
  assert.deepEqual(await refusalOf(followUp), { status: 404, code: 10003, paths: [] });
  assert.equal((await refusalOf(rig.answer(open.raw, 5))).code, 10003);
  rig.clock.nowMs += 3_001;
  assert.equal((await refusalOf(rig.answer(open.raw, 5))).code, 10062);
  assert.equal((await open.exchange).kind, "none");
});

test("in a thread that was archived meanwhile no answer is changed, and in a locked one nothing is answered: 50083", async (t) => {
  const rig = await startRaw(t);
  const thread = rig.guild.addChannel({ name: "case", type: "thread", parentId: rig.channel.id });
  const answered = await rig.ask(thread);
  await rig.answer(answered.raw, 4, message);
  await answered.exchange;
  const open = await rig.ask(thread);
  thread.archive();
  const base = `/webhooks/${answered.raw.application_id}/${answered.raw.token}` as const;
  const edit = () => rig.rest.patch(`${base}/messages/@original`, { body: message, auth: false });
  assert.deepEqual(await refusalOf(edit()), { status: 400, code: 50083, paths: [] });
  thread.archive({ locked: true });
  assert.equal((await refusalOf(rig.rest.post(base, { body: message, auth: false }))).code, 50083);
  assert.equal((await refusalOf(rig.answer(open.raw, 5))).code, 50083);
  thread.unarchive();
  await edit();
  await rig.answer(open.raw, 5);
});

test("a bad answer is 50035 or 50006 and leaves the interaction open", async (t) => {
  const rig = await startRaw(t);
  const { raw, exchange } = await rig.ask();
  const refused = async (type: number, data?: object): Promise<unknown> => {
    const { code, paths } = await refusalOf(rig.answer(raw, type, data));
    return [code, ...paths];
  };
  assert.deepEqual(await refused(4, {}), [50006]);
  assert.deepEqual(await refused(4, { content: "x".repeat(2001) }), [50035, "content:BASE_TYPE_MAX_LENGTH"]);
  assert.deepEqual(
    await refused(7, message),
    [50035, "type:BASE_TYPE_CHOICES"],
    "there is no message to update",
  );
  assert.deepEqual(await refused(8, { choices: [] }), [50035, "type:BASE_TYPE_CHOICES"]);
  assert.deepEqual(await refused(9, { custom_id: "m", title: "t".repeat(46), components: [] }), [
    50035,
    "data.title:BASE_TYPE_BAD_LENGTH",
    "data.components:BASE_TYPE_BAD_LENGTH",
  ]);
  await rig.answer(raw, 4, message);
  assert.equal((await exchange).text, "x");
});

test("an autocompletion takes at most 25 choices of at most 100 characters, and nothing else", async (t) => {
  const rig = await startRaw(t);
  const results: unknown[] = [];
  rig.client.on("interactionCreate", async (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const choices = Array.from({ length: 26 }, (_, n) => ({ name: `${n}`, value: `${n}` }));
    results.push((await refusalOf(interaction.respond(choices))).paths);
    results.push((await refusalOf(interaction.respond([{ name: "x", value: "x".repeat(101) }]))).paths);
    results.push(
      (
        await refusalOf(
          answer(rig.rest, { id: interaction.id, token: interaction.token } as APIInteraction, 4, message),
        )
      ).paths,
    );
    await interaction.respond(choices.slice(0, 25));
  });
  const choices = await rig.person.autocomplete(rig.channel, "ping", {}, "q");
  assert.equal(choices.length, 25);
  assert.deepEqual(results, [
    ["data.choices:BASE_TYPE_MAX_LENGTH"],
    ["data.choices.0.value:BASE_TYPE_MAX_LENGTH"],
    ["type:BASE_TYPE_CHOICES"],
  ]);
});

test("a modal cannot be answered with a modal", async (t) => {
  const rig = await startRaw(t);
  const { raw, exchange } = await rig.ask();
  const input = { type: 4, custom_id: "a", label: "A", style: 1 };
  const modal = { custom_id: "m", title: "T", components: [{ type: 1, components: [input] }] };
  await rig.answer(raw, 9, modal);
  const opened = (await exchange).modal;
  assert.ok(opened);
  const refusals: unknown[] = [];
  rig.client.on("interactionCreate", async (interaction) => {
    if (!interaction.isModalSubmit()) return;
    const again = answer(
      rig.rest,
      { id: interaction.id, token: interaction.token } as APIInteraction,
      9,
      modal,
    );
    refusals.push((await refusalOf(again)).paths);
    await interaction.reply("fine");
  });
  assert.equal((await rig.person.submit(opened, { a: "1" })).text, "fine");
  assert.deepEqual(refusals, [["type:BASE_TYPE_CHOICES"]]);
});
