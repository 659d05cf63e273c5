import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import {
  type Answer,
  ChangedSince,
  type Command,
  defineAction,
  defineCommand,
  defineEntry,
  defineFormAction,
  defineFormEntry,
  type Form,
  type MessageEntry,
} from "../../../src/discord/command.ts";
import { createCommandRegistry } from "../../../src/discord/interactions/command-registry.ts";
import { createDispatch, type DispatchPorts } from "../../../src/discord/interactions/dispatch.ts";
import {
  type AnswerRefusal,
  AnswerRefused,
  type IncomingCommand,
} from "../../../src/discord/interactions/incoming.ts";
import type { Services } from "../../../src/discord/services.ts";
import { markdownOfOurs, md } from "../../../src/domain/escaped.ts";
import { Failure, StoreError } from "../../../src/domain/failure.ts";
import type { Actor } from "../../../src/domain/guild.ts";
import type { MessageBody } from "../../../src/domain/message.ts";
import type { OwedMessages } from "../../../src/domain/ports/notifier.ts";
import { settle } from "../../support/clock.ts";
import { FakeAnswers, formOf, optionsOf, textOf } from "../../support/fake-answers.ts";
import { actorOf, FakeWorld, keptLog } from "../../support/fake-services.ts";
import { FakeMetrics } from "../../support/network.ts";

const form: Form = { id: "told:1", title: md`Tell`, fields: [{ kind: "text", id: "word", label: "Word" }] };

interface RigOptions {
  readonly isStoring?: boolean;
  readonly permit?: DispatchPorts["permit"];
}

function rig(commands: readonly Command[], { isStoring = true, permit }: RigOptions = {}) {
  const world = new FakeWorld();
  const log = keptLog();
  const elsewhere: { readonly to: string; readonly body: MessageBody }[] = [];
  const owed: OwedMessages = {
    owe: async ({ ways: [way], body }) => {
      if (!isStoring) return false;
      if (way?.to === "channel") elsewhere.push({ to: `channel ${way.channelId}`, body });
      if (way?.to === "person") elsewhere.push({ to: `person ${way.userId}`, body });
      return true;
    },
  };
  const { clock, random, services } = world;
  const metrics = new FakeMetrics();
  const ports = { services, clock, random, metrics, log, owed };
  const dispatch = createDispatch({
    ...ports,
    registry: createCommandRegistry(commands),
    permit,
  });
  const answers = new FakeAnswers();
  const actor = actorOf({ askedAtMs: clock.nowMs() });
  const slash = (path = "", as: Actor = actor): IncomingCommand => ({
    kind: "command",
    id: random.id(),
    command: "say",
    path,
    actor: as,
    options: optionsOf(),
    answers,
  });
  return {
    world,
    clock,
    log,
    metrics,
    elsewhere,
    dispatch,
    answers,
    actor,
    slash,
    press: (
      customId: string,
      more: { messageId?: string; messageOf?: string; actor?: Actor; word?: string } = {},
    ) =>
      dispatch.handle({
        kind: "press",
        id: random.id(),
        messageOf: more.messageOf,
        customId,
        answers,
        values: [],
        messageId: more.messageId,
        actor: more.actor ?? actor,
        form: formOf({ word: more.word ?? "" }),
      }),
  };
}

function single(execute: () => Answer, changes: Partial<MessageEntry<undefined>> = {}): Command {
  return defineCommand({
    name: "say",
    description: "Says",
    entry: defineEntry<undefined>({
      description: "Says",
      first: "public",
      parse: () => undefined,
      execute,
      ...changes,
    }),
  });
}

/** The ids under which an answer is stored. */
function keptAnswers(world: FakeWorld): ReadonlySet<string> {
  const kept = new Set<string>();
  Object.assign(world.services.runAnswers, {
    remember: async ({ runId }: { runId: string }) => void kept.add(runId),
    forget: async (runId: string) => void kept.delete(runId),
  } satisfies Services["runAnswers"]);
  return kept;
}

test("the first answer is given before the command is even begun", async () => {
  let begun = false;
  const { dispatch, answers, slash } = rig([
    single(() => {
      begun = true;
      return { content: md`hello` };
    }),
  ]);
  const handled = dispatch.handle(slash());
  assert.deepEqual(answers.calls, ["defer public"]);
  assert.equal(begun, false);
  await handled;
  assert.deepEqual(answers.calls, ["defer public", "edit @original"]);
  assert.equal(textOf(answers.original), "hello");
});

test("the time until Discord has taken the first answer is measured once, and not of one that it did not take", async () => {
  const { dispatch, answers, clock, metrics, slash } = rig([single(() => ({ content: md`hello` }))]);
  const take = answers.defer.bind(answers);
  answers.defer = async (first) => {
    await clock.sleep(300);
    await take(first);
  };
  const handled = dispatch.handle(slash());
  await clock.advance(1_000);
  await handled;
  assert.deepEqual(metrics.observed, ["marshal_first_answer_seconds command 0.3"]);

  answers.defer = () => Promise.reject(new AnswerRefused("late", "too late"));
  await dispatch.handle(slash());
  assert.equal(metrics.observed.length, 1);
});

test("of a hundred commands at once in one guild forty are done, the others are told, and other guilds notice nothing", async () => {
  let done = 0;
  const { dispatch, slash, clock } = rig([
    single(() => {
      done += 1;
      return { content: md`hello` };
    }),
  ]);
  const ask = (count: number, guildId: string) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const answers = new FakeAnswers();
        await dispatch.handle({ ...slash("", actorOf({ guildId })), answers });
        return textOf(answers.original);
      }),
    );
  const read = await ask(100, "crowded");
  assert.equal(done, 40);
  assert.equal(read.filter((text) => text === "hello").length, 40);
  assert.equal(read.filter((text) => /Too many people are using Marshal/.test(text)).length, 60);
  await ask(1, "quiet");
  assert.equal(done, 41);
  await clock.advance(1_000);
  await ask(100, "crowded");
  assert.equal(done, 61, "twenty a second");
});

describe("a process that may not work, because another may have its shards by now", () => {
  function cutOff() {
    const lease: { why: string | undefined } = { why: "The database does not answer." };
    const turn = Promise.withResolvers<void>();
    const permit = { refusal: () => lease.why, othersFirst: () => turn.promise };
    let begun = 0;
    const say = single(() => {
      begun += 1;
      return { content: md`hello` };
    });
    return { ...rig([say], { permit }), lease, othersHadTheirTurn: turn.resolve, begun: () => begun };
  }

  test("lets another answer first, and tells why where nobody did", async () => {
    const { dispatch, answers, slash, othersHadTheirTurn, begun } = cutOff();
    const handled = dispatch.handle(slash());
    await settle();
    assert.deepEqual(answers.calls, []);
    othersHadTheirTurn();
    await handled;
    assert.match(textOf(answers.original), /database does not answer/);
    assert.equal(begun(), 0);
  });

  test("takes an answer of another as the answer: nobody reads anything of this one", async () => {
    const { dispatch, answers, slash, othersHadTheirTurn, log, elsewhere } = cutOff();
    answers.refuse.set("reply", "taken");
    othersHadTheirTurn();
    await dispatch.handle(slash());
    assert.deepEqual([answers.original, answers.followUps, elsewhere], [undefined, [], []]);
    assert.deepEqual(
      log.lines.filter(({ level }) => level === "warn" || level === "error"),
      [],
    );
  });

  test("does what was asked where it may work again by then", async () => {
    const { dispatch, answers, slash, lease, othersHadTheirTurn, begun } = cutOff();
    const handled = dispatch.handle(slash());
    lease.why = undefined;
    othersHadTheirTurn();
    await handled;
    assert.equal(textOf(answers.original), "hello");
    assert.equal(begun(), 1);
  });
});

test("nothing is done when Discord did not take the first answer", async () => {
  for (const reason of ["late", "taken", "unknown"] as const) {
    let begun = false;
    const { dispatch, answers, slash, log } = rig([
      single(() => {
        begun = true;
        return {};
      }),
    ]);
    answers.refuse.set("defer", reason);
    await dispatch.handle(slash());
    assert.equal(begun, false, reason);
    // Where Discord did not say, "thinking..." may stand: that is taken back.
    assert.deepEqual(answers.calls, ["defer public", ...(reason === "unknown" ? ["edit @original"] : [])]);
    if (reason === "unknown") assert.match(textOf(answers.original), /Nothing was done/);
    assert.equal(log.lines.at(-1)?.level, "warn");
  }
});

test("where thinking... may stand is stored before the first answer, until something stands there or nothing can", async () => {
  const cases: readonly (readonly [AnswerRefusal | undefined, isStopping: boolean, isKept: boolean])[] = [
    [undefined, false, false],
    ["late", false, false],
    ["taken", false, false],
    ["unknown", false, false],
    // The next process replaces it.
    ["unknown", true, true],
  ];
  for (const [refusal, isStopping, isKept] of cases) {
    const { dispatch, answers, slash, world } = rig([single(() => ({ content: md`hello` }))]);
    const kept = keptAnswers(world);
    if (refusal !== undefined) answers.refuse.set("defer", refusal);
    if (isStopping) answers.refuse.set("edit", "unknown");
    const handled = dispatch.handle(slash());
    assert.deepEqual(answers.calls, ["defer public"]);
    assert.equal(kept.size, 1, "before Discord has answered");
    if (isStopping) await dispatch.stop(0);
    await handled;
    await settle();
    assert.equal(kept.size, Number(isKept), `${refusal} ${isStopping}`);
  }
});

test("an answer or error that Discord takes nowhere while the bot stops stays stored, for the next process", async () => {
  const answer = async () => ({ content: md`hello` });
  const fail = async () => {
    throw new Failure("unreachable", "The service is away.");
  };
  for (const execute of [answer, fail])
    for (const first of ["public", "ephemeral"] as const)
      for (const isStoring of [true, false]) {
        const { dispatch, answers, slash, world } = rig([single(execute, { first })], { isStoring });
        const kept = keptAnswers(world);
        for (const call of ["edit", "followUp", "remove"]) answers.refuse.set(call, "unknown");
        const handled = dispatch.handle(slash());
        await settle();
        await dispatch.stop(0);
        await handled;
        await settle();
        const about = `${execute.name}, ${first}, owed is stored: ${isStoring}`;
        assert.equal(kept.size, isStoring ? 0 : 1, about);
      }
});

test("each yielded reply edits the answer", async () => {
  const seen: string[] = [];
  const { dispatch, answers, slash } = rig([
    single(async function* () {
      yield { content: md`place 2` };
      seen.push(textOf(answers.original));
      yield { content: md`place 1` };
      seen.push(textOf(answers.original));
      yield { content: md`done` };
    }),
  ]);
  await dispatch.handle(slash());
  assert.deepEqual(seen, ["place 2", "place 1"]);
  assert.equal(textOf(answers.original), "done");
});

test("the first answer may depend on what was typed", async () => {
  const { dispatch, answers, slash } = rig([
    single(() => ({ content: md`for you` }), { firstFor: () => "ephemeral" }),
  ]);
  await dispatch.handle(slash());
  assert.equal(answers.calls[0], "defer ephemeral");
});

test("a failure after a public deferral deletes it and follows up for the person who asked", async () => {
  const { dispatch, answers, slash } = rig([
    single(async () => {
      throw new Failure("platform", "The platform was silent.", { commandId: "c-77", ran: "unknown" });
    }),
  ]);
  await dispatch.handle(slash());
  assert.deepEqual(answers.calls, ["defer public", "remove", "followUp ephemeral"]);
  const text = textOf(answers.followUps[0]?.body);
  const order = ["did not answer", "It may have run.", "The platform was silent", "Reference"];
  const places = order.map((words) => text.indexOf(words));
  assert.ok(
    places.every((place, at) => place >= 0 && place > (places[at - 1] ?? -1)),
    text,
  );
  assert.match(text, /c-77/);
});

test("a failure reaches who asked also where the public answer is gone already: only the answer to its deletion was lost", async () => {
  const { dispatch, answers, slash } = rig([
    single(async () => {
      throw new Failure("unreachable", "The service is away.");
    }),
  ]);
  answers.refuse.set("remove", "gone");
  await dispatch.handle(slash());
  assert.deepEqual(answers.calls, ["defer public", "remove", "followUp ephemeral"]);
});

test("a failure after an ephemeral deferral is shown in that answer", async () => {
  const failing = single(() => Promise.reject(new Failure("denied", "Not a moderator.")), {
    first: "ephemeral",
  });
  const { dispatch, answers, slash } = rig([failing]);
  await dispatch.handle(slash());
  assert.deepEqual(answers.calls, ["defer ephemeral", "edit @original"]);
  assert.match(textOf(answers.original), /Not a moderator/);
});

test("a failure after an update leaves the message as it was and follows up for the person who pressed", async () => {
  const { press, answers } = rig([
    {
      ...single(() => ({})),
      actions: {
        go: defineAction({
          first: "update",
          execute: () => {
            throw new Failure("expired", "Too late.");
          },
        }),
      },
    },
  ]);
  await press("go:1", { messageId: "9" });
  assert.deepEqual(answers.calls, ["defer update", "followUp ephemeral"]);
});

test("a failure tells when, as a time of day that stays true once it has passed", async () => {
  const { dispatch, answers, slash } = rig([
    single(() => Promise.reject(new Failure("rate-limited", "Wait.", { retryAtMs: 1_800_000_000_500 }))),
  ]);
  await dispatch.handle(slash());
  assert.match(textOf(answers.followUps[0]?.body), /after <t:1800000001:T>/);
});

test("a defect is logged with its stack and answered with the reference only", async () => {
  const { dispatch, answers, slash, log } = rig([
    single(() => Promise.reject(new TypeError("secret detail"))),
  ]);
  await dispatch.handle(slash());
  const line = log.lines.find(({ level }) => level === "error");
  assert.ok(line !== undefined && "err" in line.fields && line.fields.err instanceof TypeError);
  const reference = "reference" in line.fields ? String(line.fields.reference) : "";
  const text = textOf(answers.followUps[0]?.body);
  assert.ok(reference.length > 3 && text.includes(reference), text);
  assert.doesNotMatch(text, /secret detail/);
});

test("a reply that only the person who asked may see replaces a public answer, and later ones edit it", async () => {
  const { dispatch, answers, slash } = rig([
    single(async function* () {
      yield { content: md`for you`, ephemeral: true };
      yield { content: md`still for you`, ephemeral: true };
    }),
  ]);
  await dispatch.handle(slash());
  assert.deepEqual(answers.calls, ["defer public", "remove", "followUp ephemeral", "edit 0"]);
  assert.equal(textOf(answers.followUps[0]?.body), "still for you");
});

test("an aside is sent once, only to the person who asked", async () => {
  const { dispatch, answers, slash } = rig([
    single(async function* () {
      yield { content: md`all`, aside: { content: md`you` } };
      yield { content: md`all again`, aside: { content: md`you` } };
    }),
  ]);
  await dispatch.handle(slash());
  assert.deepEqual(answers.followUps, [{ body: { content: md`you` }, ephemeral: true }]);
});

test("a form is shown at once, and a failure before it is answered at once", async () => {
  const opens = (open: () => Form): Command => ({
    name: "say",
    description: "Says",
    entry: defineFormEntry<undefined>({
      description: "d",
      first: "modal",
      parse: () => undefined,
      form: open,
    }),
  });
  const good = rig([opens(() => form)]);
  await good.dispatch.handle(good.slash());
  assert.deepEqual(good.answers.calls, ["form"]);
  assert.equal(good.answers.given?.id, "told:1");
  const bad = rig([
    opens(() => {
      throw new Failure("expired", "Gone.");
    }),
  ]);
  await bad.dispatch.handle(bad.slash());
  assert.deepEqual(bad.answers.calls, ["reply ephemeral"]);
  const malformed = rig([opens(() => form)]);
  malformed.answers.refuse.set("form", "form");
  await malformed.dispatch.handle(malformed.slash());
  assert.deepEqual(malformed.answers.calls, ["form", "reply ephemeral"]);
  assert.match(textOf(malformed.answers.original), /Something went wrong inside/);
});

test("a wrong argument is answered at once, without a deferral", async () => {
  const wrong = single(() => ({}), {
    parse: () => {
      throw new Failure("bad-command", "A colon is missing.");
    },
  });
  const { dispatch, answers, slash } = rig([wrong]);
  await dispatch.handle(slash());
  assert.deepEqual(answers.calls, ["reply ephemeral"]);
  assert.match(textOf(answers.original), /A colon is missing/);
});

test("buttons and forms find their action by the prefix of the custom_id", async () => {
  const told: string[] = [];
  const { press, answers } = rig([
    {
      ...single(() => ({})),
      actions: {
        tell: defineFormAction({
          first: "modal",
          form: ({ argument }) => ({ ...form, id: `told:${argument}` }),
        }),
        told: defineAction({
          first: "update",
          execute({ argument, form: values }) {
            told.push(`${argument} ${values.text("word")}`);
            return { content: md`ok` };
          },
        }),
      },
    },
  ]);
  await press("tell:a:b");
  assert.equal(answers.given?.id, "told:a:b");
  await press("told:a:b", { word: "hi" });
  assert.deepEqual(told, ["a:b hi"]);
  assert.equal(answers.calls.at(-2), "defer ephemeral", "a form of a slash command updates no message");
});

test("a press that changes a message ends what was still to come in it, if that is a picture; other work goes on", async () => {
  const ended: string[] = [];
  const waiting = (name: string) =>
    defineAction({
      first: "update",
      ...(name === "draw" ? { redraws: true } : {}),
      async *execute({ signal, argument }) {
        yield { content: md`words` };
        if (!signal.aborted) await once(signal, "abort");
        ended.push(`${name} ${argument} ${signal.reason instanceof ChangedSince ? "changed" : "stopped"}`);
      },
    });
  const actions = { draw: waiting("draw"), work: waiting("work") };
  const { press, dispatch, slash } = rig([
    { ...single(() => ({ content: md`ok` }), { redraws: true }), actions },
  ]);
  const typed = slash();
  await dispatch.handle(typed);
  const on = { messageId: "m1", messageOf: typed.id };
  const others = [
    press("draw:elsewhere", { messageId: "m2" }),
    press("work:here", on),
    press("draw:first", on),
  ];
  const last = press("draw:last", on);
  await settle();
  assert.deepEqual(ended, ["draw first changed"]);
  await dispatch.stop(0);
  await Promise.all([...others, last]);
  assert.deepEqual(ended.toSorted(), [
    "draw elsewhere stopped",
    "draw first changed",
    "draw last stopped",
    "work here stopped",
  ]);
});

test("a button of an older version is answered as expired", async () => {
  const { press, answers } = rig([single(() => ({}))]);
  await press("old:1");
  assert.deepEqual(answers.calls, ["reply ephemeral"]);
  assert.match(textOf(answers.original), /older version/);
});

test("commands and actions for managers refuse everybody else before anything runs", async () => {
  let ran = 0;
  const execute = () => {
    ran += 1;
    return { content: md`done` };
  };
  const command: Command = {
    ...single(execute),
    manageGuild: true,
    actions: { set: defineAction({ first: "update", manageGuild: true, execute }) },
  };
  const { dispatch, press, answers, slash, actor } = rig([command]);
  await dispatch.handle(slash());
  await press("set");
  assert.equal(ran, 0);
  assert.deepEqual(answers.calls, ["reply ephemeral", "reply ephemeral"]);
  await dispatch.handle(slash("", { ...actor, manageGuild: true }));
  assert.equal(ran, 1);
});

test("after the token's 15 minutes an edit is dropped with a log line", async () => {
  const { dispatch, answers, slash, clock, log, elsewhere } = rig([
    single(async function* () {
      yield { content: md`waiting` };
      await clock.advance(15 * 60_000);
      yield { content: md`place 1` };
    }),
  ]);
  await dispatch.handle(slash());
  assert.equal(textOf(answers.original), "waiting");
  assert.match(log.lines.at(-1)?.message ?? "", /dropped/);
  assert.deepEqual(elsewhere, []);
});

test("a first reply after the token's end is sent by direct message, so that nobody is left with thinking...", async () => {
  const { dispatch, answers, slash, clock, elsewhere } = rig([
    single(
      async () => {
        await clock.advance(16 * 60_000);
        return { content: md`the status` };
      },
      { first: "ephemeral" },
    ),
  ]);
  await dispatch.handle(slash());
  assert.equal(answers.original, undefined);
  assert.deepEqual(
    elsewhere.map(({ to, body }) => [to, textOf(body)]),
    [["person 100", "<@100> the status"]],
  );
});

test("an edit that Discord does not take is repeated, and sent as a message at the token's end", async () => {
  for (const [failsForMs, told] of [
    [60_000, "here"],
    [16 * 60_000, "elsewhere"],
  ] as const) {
    const { dispatch, answers, slash, clock, elsewhere } = rig([
      single(() => ({ content: md`done` }), { first: "ephemeral" }),
    ]);
    answers.refuse.set("edit", "unknown");
    clock.after(failsForMs, () => answers.refuse.delete("edit"));
    const handled = dispatch.handle(slash());
    await clock.advance(16 * 60_000);
    await handled;
    assert.equal(textOf(answers.original), told === "here" ? "done" : "");
    assert.equal(elsewhere.length, told === "here" ? 0 : 1);
    assert.ok(answers.calls.length < 30, `${answers.calls.length} calls`);
  }
});

test("a step of the wall clock does not age a token", async () => {
  const { dispatch, answers, slash, clock, elsewhere } = rig([
    single(async function* () {
      yield { content: md`waiting` };
      clock.step(3_600_000);
      yield { content: md`done`, important: true };
    }),
  ]);
  await dispatch.handle(slash());
  assert.equal(textOf(answers.original), "done");
  assert.deepEqual(elsewhere, []);
});

test("an outcome that matters reaches the channel, or the person, when the token is over", async () => {
  for (const [first, to] of [
    ["public", ["channel 600", "person 100"]],
    ["ephemeral", ["person 100"]],
  ] as const) {
    const { dispatch, slash, clock, elsewhere } = rig([
      single(
        async () => {
          await clock.advance(16 * 60_000);
          return {
            content: md`it ran`,
            important: true,
            rows: [[{ kind: "button", style: "primary", label: "Again", id: "again:1" }]],
          };
        },
        { first },
      ),
    ]);
    await dispatch.handle(slash());
    assert.deepEqual(
      elsewhere.map((one) => one.to),
      to,
    );
    assert.match(textOf(elsewhere[0]?.body), /<@100> it ran/);
    assert.equal(elsewhere[0]?.body.rows, undefined, "buttons belong to the answer that is gone");
  }
});

test("a token that Discord calls expired is treated as one, whatever our clock says", async () => {
  const { dispatch, answers, slash, elsewhere } = rig([
    single(() => ({ content: md`it ran`, important: true }), { first: "ephemeral" }),
  ]);
  answers.refuse.set("edit", "late");
  await dispatch.handle(slash());
  assert.equal(elsewhere[0]?.to, "person 100");
});

test("a reply that Discord finds malformed is shown as a defect", async () => {
  const { dispatch, answers, slash, log } = rig([
    single(() => ({ content: markdownOfOurs("x".repeat(3_000)) })),
  ]);
  answers.refuse.set("edit", "form");
  await dispatch.handle(slash());
  assert.ok(log.lines.some(({ level }) => level === "error"));
  assert.match(textOf(answers.followUps[0]?.body), /Something went wrong inside/);
});

test("a reply whose words Discord calls harmful is said so, and is no defect", async () => {
  for (const runs of [false, true]) {
    const { dispatch, answers, slash, log } = rig([single(() => ({ content: md`bad.example` }), { runs })]);
    answers.refuse.set("edit", "words");
    await dispatch.handle(slash());
    assert.deepEqual(
      log.lines.filter(({ level }) => level === "error"),
      [],
    );
    const said = textOf(answers.followUps[0]?.body);
    assert.match(said, /Discord blocked the answer[\s\S]*harmful/);
    assert.equal(/It may have run\./.test(said), runs);
  }
});

test("an error whose words Discord calls harmful is said without them, with what ran", async () => {
  for (const ran of ["no", "unknown"] as const) {
    const failure = new Failure("bad-command", 'Nobody is called "bad.example".', { ran });
    const { dispatch, answers, slash } = rig([single(() => Promise.reject(failure), { runs: true })]);
    answers.harmful = "bad.example";
    await dispatch.handle(slash());
    const said = textOf(answers.followUps[0]?.body);
    assert.match(said, /Discord blocked the answer[\s\S]*It was an error/);
    assert.equal(/It may have run\./.test(said), ran === "unknown");
  }
});

test("a store that refuses is answered in plain words, and logged with its cause", async () => {
  const full = new StoreError("the store refused feeds: database or disk is full");
  const { dispatch, answers, slash, log } = rig([single(() => Promise.reject(full))]);
  await dispatch.handle(slash());
  const said = textOf(answers.followUps[0]?.body);
  assert.match(said, /can't write to its database[\s\S]*Not everything was saved[\s\S]*Tell Marshal's host/);
  assert.ok(log.lines.some(({ level }) => level === "error"));
});

test("a person who may link a server is offered the button when none is linked", async () => {
  const none = new Failure("not-linked", "None.", { wants: "server" });
  const failing = single(() => Promise.reject(none));
  const member = rig([failing]);
  await member.dispatch.handle(member.slash());
  assert.equal(member.answers.followUps[0]?.body.rows, undefined);
  const manager = rig([failing]);
  await manager.dispatch.handle(manager.slash("", { ...manager.actor, manageGuild: true }));
  const button = manager.answers.followUps[0]?.body.rows?.[0]?.[0];
  assert.equal(button?.id, "guide-open");
});

test("choices of a command for managers are offered to nobody else", async () => {
  const entry = defineEntry<undefined>({
    description: "Says",
    first: "public",
    parse: () => undefined,
    execute: () => ({}),
    autocomplete: () => [{ name: "Bob", value: "11" }],
  });
  const command = defineCommand({ name: "say", description: "Says", manageGuild: true, entry });
  for (const manageGuild of [true, false]) {
    const { dispatch, answers, actor } = rig([command]);
    const typing = { kind: "typing", command: "say", path: "", option: "word", typed: "" } as const;
    await dispatch.handle({ ...typing, options: optionsOf(), answers, actor: { ...actor, manageGuild } });
    assert.equal(answers.offered?.length, manageGuild ? 1 : 0);
  }
});

test("choices come within two seconds, or there are none; a throw gives none", async () => {
  const typing = (autocomplete: NonNullable<MessageEntry<undefined>["autocomplete"]>) => {
    const made = rig([single(() => ({}), { autocomplete })]);
    const { answers, actor } = made;
    const handled = made.dispatch.handle({
      kind: "typing",
      command: "say",
      path: "",
      option: "word",
      typed: "a",
      options: optionsOf(),
      answers,
      actor,
    });
    return { ...made, handled };
  };
  const many = typing(() => Array.from({ length: 40 }, (_, n) => ({ name: `n${n}`, value: `v${n}` })));
  await many.handled;
  assert.equal(many.answers.offered?.length, 25);

  const long = typing(() => [
    { name: "n".repeat(200), value: md`v` },
    { name: "too long to be chosen", value: md`v`.repeat(101) },
  ]);
  await long.handled;
  assert.deepEqual(
    long.answers.offered?.map(({ name }) => name.length),
    [100],
  );

  const broken = typing(() => {
    throw new Error("no snapshot");
  });
  await broken.handled;
  assert.deepEqual(broken.answers.offered, []);

  const never = typing(() => new Promise(() => {}));
  await never.clock.advance(2_000);
  await never.handled;
  assert.deepEqual(never.answers.offered, []);
  assert.equal(never.clock.pending, 0);
});

test("stopping waits for commands under way, refuses new ones, and then aborts", async () => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let signal: AbortSignal | undefined;
  const slow = single(() => ({}), {
    async execute(invocation) {
      signal = invocation.signal;
      await held;
      return { content: md`finished` };
    },
  });
  const { dispatch, answers, slash } = rig([slow]);
  const first = dispatch.handle(slash());
  await settle();
  const stopped = dispatch.stop(10_000);
  await dispatch.handle(slash());
  assert.match(textOf(answers.original), /restarting/);
  assert.equal(signal?.aborted, false);
  release();
  await Promise.all([first, stopped]);
  assert.equal(textOf(answers.original), "finished");
  assert.equal(signal?.aborted, true);
  assert.equal(dispatch.underWay, 0);
});

test("stopping does not wait longer than it is given", async () => {
  const { dispatch, slash, clock } = rig([single(() => new Promise(() => {}))]);
  void dispatch.handle(slash());
  await settle();
  const stopped = dispatch.stop(5_000);
  await clock.advance(5_000);
  await stopped;
  assert.equal(dispatch.underWay, 1);
});

test("two commands or actions of one name are refused when the registry is made", () => {
  const one = single(() => ({}));
  assert.throws(() => createCommandRegistry([one, one]), /"say"/);
});
