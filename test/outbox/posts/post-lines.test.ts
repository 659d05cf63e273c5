import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { markdownOfOurs } from "../../../src/domain/escaped.ts";
import { SinkRefusal } from "../../../src/domain/failure.ts";
import type { PostKind, PostLine } from "../../../src/domain/ports/posts.ts";
import { createOutbox, type Outbox } from "../../../src/outbox/create-outbox.ts";
import { createCleanStop, parseCleanEnd } from "../../../src/store/clean-stop.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { discordsClock, FakeSink, type SinkFault } from "../../support/fake-sink.ts";
import { MemoryDocuments } from "../../support/memory-documents.ts";
import { FakeMetrics } from "../../support/network.ts";

/** One message over the real outbox: what it is to say, and the record of where it stands. */
class Message {
  readonly clock = new VirtualClock();
  readonly sink = new FakeSink(discordsClock(this.clock));
  says = "one";
  isWanted = true;
  isStoring = true;
  isDoubtful = false;
  isMarked = false;
  messageId: string | undefined;
  shown: string | undefined;
  onRefused: "over" | "closed" = "over";
  readonly refusals: string[] = [];
  /** While a refusal is being written. */
  onNoting: () => void = () => undefined;
  readonly reported: string[] = [];
  readonly #ends = new MemoryDocuments(parseCleanEnd);
  outbox: Outbox = this.#open();
  line: PostLine<string> = this.outbox.posts.line(this.#kind());

  get texts(): readonly (string | undefined)[] {
    return this.sink.messages("c").map(({ body }) => body.content);
  }

  /** The process ends in order, or by a kill, and the next one begins. */
  async restart(how: "stop" | "kill"): Promise<void> {
    if (how === "stop") await this.outbox.stop();
    this.isDoubtful = true;
    this.outbox = this.#open();
    this.line = this.outbox.posts.line(this.#kind());
    await this.outbox.start();
  }

  get reads(): number {
    return this.sink.calls.filter((call) => call.startsWith("readBack")).length;
  }

  #open(): Outbox {
    const { sink, clock } = this;
    return createOutbox({
      cleanStop: createCleanStop({ flush: async () => true }, { documents: this.#ends, key: "posts" }, clock),
      sink: {
        send: (...given) => sink.send(...given),
        edit: (...given) => sink.edit(...given),
        readBack: (channelId, after, limit) => sink.readBack(channelId, after, limit),
        remove: async () => undefined,
      },
      direct: { open: async (userId) => `direct ${userId}`, bodyFrom: (_, body) => body },
      clock,
      random: seededRandom(5),
      metrics: new FakeMetrics(),
      guildOf: () => "g",
      possiblyRepeated: (body) => ({ ...body, content: markdownOfOurs(`again? ${body.content}`) }),
      isPossiblyRepeated: ({ content }) => content.startsWith("again?"),
      report: (what) => void this.reported.push(what),
    });
  }

  #kind(): PostKind<string> {
    return {
      name: "a message",
      classes: { post: "first", edit: "change" },
      keyOf: (ref) => ref,
      guildOf: () => "g",
      wanted: async (ref) =>
        this.isWanted && this.shown !== this.says
          ? {
              channelId: "c",
              nonce: ref,
              messageId: this.messageId,
              isMarked: this.isMarked,
              body: { content: markdownOfOurs(this.says) },
              isDoubtful: this.isDoubtful,
            }
          : undefined,
      isIt: (_, { content }) => content.includes("one"),
      onStands: async (_, { kind, messageId, isMarked }) => {
        if (!this.isStoring) throw new Error("the disk is full");
        this.isMarked = isMarked;
        this.messageId = messageId;
        this.shown = kind === "found" ? undefined : this.says;
      },
      onRefused: async (_, { reason }) => {
        this.refusals.push(reason);
        this.onNoting();
        return this.onRefused;
      },
    };
  }
}

describe("a message that is to stand in its channel once", () => {
  test("whose attempt had no answer, which is then not wanted for a while, is looked for before it is posted again", async () => {
    const made = new Message();
    made.sink.fault = () => "lost";
    made.line.show("n");
    await made.clock.advance(1_000);
    made.isWanted = false;
    await made.clock.advance(600_000);
    made.sink.fault = () => undefined;
    made.isWanted = true;
    made.line.show("n");
    await made.clock.advance(10_000);
    assert.deepEqual(made.texts, ["one"]);
    assert.equal(made.reads, 1);
  });

  test("that cannot be looked for before the login has not failed: nothing of it is reported", async () => {
    const made = new Message();
    made.isDoubtful = true;
    const readBack = made.sink.readBack.bind(made.sink);
    let isLoggedIn = false;
    made.sink.readBack = async (...given) => {
      if (!isLoggedIn) throw new SinkRefusal("unknown", "known after the login", { request: "none" });
      return await readBack(...given);
    };
    made.line.show("n");
    await made.clock.advance(1_000);
    isLoggedIn = true;
    await made.clock.advance(60_000);
    assert.deepEqual([made.texts, made.reported], [["one"], []]);
  });

  test("that was found and was not wanted just then is looked for once more when it is", async () => {
    const made = new Message();
    made.sink.fault = () => "lost";
    made.line.show("n");
    await made.clock.advance(1_000);
    const readBack = made.sink.readBack.bind(made.sink);
    made.sink.readBack = async (...given) => {
      const posted = await readBack(...given);
      made.isWanted = false;
      return posted;
    };
    made.sink.fault = (what) => (what === "send" ? "unknown" : undefined);
    await made.clock.advance(1_200_000);
    assert.equal(made.reads, 1);
    made.sink.readBack = readBack;
    made.sink.fault = () => undefined;
    made.isWanted = true;
    made.line.show("n");
    await made.clock.advance(10_000);
    assert.deepEqual(made.texts, ["one"]);
    assert.equal(made.messageId !== undefined, true);
  });

  test("is posted, and edited when something else is wanted", async () => {
    const made = new Message();
    made.line.show("n");
    await made.clock.advance(1_000);
    made.says = "one and two";
    made.line.show("n");
    await made.clock.advance(1_000);
    assert.deepEqual(made.texts, ["one and two"]);
  });

  test("says what is wanted when its turn comes, however long Discord was away", async () => {
    for (const minutes of [1, 30, 360]) {
      const made = new Message();
      made.sink.fault = () => "unknown";
      made.line.show("n");
      await made.clock.advance(minutes * 60_000);
      made.says = "one, late";
      made.sink.fault = () => undefined;
      await made.clock.advance(90_000);
      assert.deepEqual(made.texts, ["one, late"], `${minutes} minutes`);
    }
  });

  test("is not posted after an outage where nothing is wanted any more", async () => {
    const made = new Message();
    made.sink.fault = () => "unknown";
    made.line.show("n");
    await made.clock.advance(600_000);
    made.isWanted = false;
    made.sink.fault = () => undefined;
    await made.clock.advance(120_000);
    assert.deepEqual(made.texts, []);
  });

  for (const forMs of [1_000, 60_000, 121_000, 600_000]) {
    test(`whose answer was lost ${forMs} ms ago is known by its nonce, or found in its channel, and brought up to date`, async () => {
      const made = new Message();
      made.sink.nonceMemoryMs = 180_000;
      let sends = 0;
      let isOver = false;
      made.sink.fault = (call) =>
        isOver ? undefined : call === "send" && sends++ === 0 ? "lost" : "unknown";
      made.line.show("n");
      await made.clock.advance(forMs);
      isOver = true;
      made.says = "one, newer";
      await made.clock.advance(90_000);
      assert.deepEqual(made.texts, ["one, newer"]);
      assert.equal(
        made.sink.calls.some((call) => call.startsWith("readBack")),
        forMs > 60_000,
      );
    });
  }

  test("that an earlier process may have posted is looked for first", async () => {
    const made = new Message();
    await made.sink.send("c", { content: markdownOfOurs("one, from before"), nonce: "old" });
    made.isDoubtful = true;
    made.line.show("n");
    await made.clock.advance(5_000);
    assert.deepEqual(made.texts, ["one"]);
  });

  test("says that it is possibly repeated where the channel may not be read and the nonce is too old", async () => {
    const made = new Message();
    made.sink.fault = (call) => (call === "readBack" ? "no-history" : "unknown");
    made.line.show("n");
    await made.clock.advance(600_000);
    made.sink.fault = (call) => (call === "readBack" ? "no-history" : undefined);
    await made.clock.advance(90_000);
    assert.deepEqual(made.texts, ["again? one"]);
    made.says = "one, edited";
    made.line.show("n");
    await made.clock.advance(1_000);
    assert.deepEqual(made.texts, ["again? one, edited"]);
  });

  test("whose later attempt did its work unheard is brought up to date in a channel that may not be read", async () => {
    const made = new Message();
    let at: SinkFault = "unknown";
    made.sink.fault = (call) => (call === "readBack" ? "no-history" : at);
    made.line.show("n");
    await made.clock.advance(60_000);
    at = "lost";
    await made.clock.advance(59_000);
    assert.deepEqual(made.texts, ["one"]);
    at = undefined;
    made.says = "one, newer";
    await made.clock.advance(90_000);
    assert.equal(made.texts.length, 1);
    assert.match(made.texts[0] ?? "", /one, newer$/);
  });

  test("goes on saying that it is possibly repeated where a later process finds it", async () => {
    const made = new Message();
    await made.sink.send("c", { content: markdownOfOurs("again? one"), nonce: "old" });
    made.isDoubtful = true;
    made.says = "one, edited";
    made.line.show("n");
    await made.clock.advance(5_000);
    assert.deepEqual(made.texts, ["again? one, edited"]);
  });

  test("that somebody waits for is tried once, and a refusal is theirs to read", async () => {
    const made = new Message();
    const { posts } = made.outbox;
    await posts.tryOnce("c", { content: markdownOfOurs("a test") });
    made.sink.fault = () => "no-access";
    await assert.rejects(posts.tryOnce("c", { content: markdownOfOurs("a test") }), /no-access/);
    await made.clock.advance(600_000);
    assert.deepEqual(made.texts, ["a test"]);
    assert.equal(made.sink.calls.length, 2);
  });

  test("is read back after a kill, and after a stop in order only where an attempt had no answer", async () => {
    for (const [how, isTried, reads] of [
      ["kill", false, 1],
      ["stop", false, 0],
      ["stop", true, 1],
    ] as const) {
      const made = new Message();
      await made.outbox.start();
      await made.clock.advance(1_000_000);
      await made.restart("stop");
      made.isDoubtful = false;
      made.isWanted = isTried;
      made.sink.fault = (call) => (call === "send" ? "lost" : "unknown");
      made.line.show("n");
      await made.clock.advance(50);
      made.isWanted = true;
      await made.restart(how);
      made.sink.nonceMemoryMs = 0;
      made.sink.fault = () => undefined;
      const before = made.reads;
      made.line.show("n");
      await made.clock.advance(60_000);
      assert.equal(made.reads - before, reads, `${how}, tried: ${isTried}`);
      assert.deepEqual(made.texts, ["one"]);
    }
  });

  test("trusts no stop of a process that followed a kill and hardly lived: nobody may have asked for it", async () => {
    for (const [forMs, reads] of [
      [60_000, 1],
      [1_000_000, 0],
    ] as const) {
      const made = new Message();
      await made.outbox.start();
      await made.restart("kill");
      await made.clock.advance(forMs);
      await made.restart("stop");
      made.line.show("n");
      await made.clock.advance(60_000);
      assert.equal(made.reads, reads);
    }
  });

  test("that stands while the disk takes nothing is noted when it does, and stands once", async () => {
    const made = new Message();
    made.sink.nonceMemoryMs = 0;
    made.isStoring = false;
    made.line.show("n");
    await made.clock.advance(3_600_000);
    assert.equal(made.messageId, undefined);
    made.isStoring = true;
    await made.clock.advance(120_000);
    assert.deepEqual(made.texts, ["one"]);
    assert.equal(made.messageId, made.sink.messages("c")[0]?.messageId);
  });

  test("in a channel that is deleted while it waits is refused once, and nothing more is asked there", async () => {
    const made = new Message();
    made.sink.fault = () => "unknown";
    made.line.show("n");
    await made.clock.advance(600_000);
    made.sink.fault = () => "gone";
    await made.clock.advance(90_000);
    assert.deepEqual(made.refusals, ["gone"]);
    const { length } = made.sink.calls;
    await made.clock.advance(3_600_000);
    assert.equal(made.sink.calls.length, length);
    assert.equal(made.outbox.state().posts, 0);
  });

  test("waits for a channel that is closed to us, and goes on when permissions change", async () => {
    const made = new Message();
    made.onRefused = "closed";
    made.sink.fault = () => "no-access";
    made.line.show("n");
    await made.clock.advance(1_000);
    made.sink.fault = () => undefined;
    made.outbox.permissionsChanged("g");
    await made.clock.advance(1_000);
    assert.deepEqual(made.texts, ["one"]);
    assert.deepEqual(made.refusals, ["no-access"]);
  });

  test("goes on when permissions changed while it was refused, or while that was being written", async () => {
    for (const moment of ["asked", "noted"] as const) {
      const made = new Message();
      made.onRefused = "closed";
      const change = () => {
        made.sink.fault = () => undefined;
        made.outbox.permissionsChanged("g");
      };
      made.sink.fault = () => {
        if (moment === "asked") change();
        return "no-access";
      };
      if (moment === "noted") made.onNoting = change;
      made.line.show("n");
      await made.clock.advance(10_000);
      assert.deepEqual(made.texts, ["one"], moment);
      assert.deepEqual(made.refusals, ["no-access"]);
    }
  });

  test("a stop waits for what is on its way and not for what waits", async () => {
    const made = new Message();
    made.sink.fault = () => "unknown";
    made.line.show("n");
    await made.clock.advance(600_000);
    let isStopped = false;
    void made.outbox.stop().then(() => {
      isStopped = true;
    });
    await made.clock.advance(1);
    assert.equal(isStopped, true);
  });
});

describe("many messages that wait for one channel", () => {
  test("end with a stop, are reported by nobody, and stand once each after the next start", async () => {
    const made = new Message();
    const stands = new Set<string>();
    const open = () =>
      made.outbox.posts.line<string>({
        name: "a message",
        classes: { post: "first", edit: "change" },
        keyOf: (ref) => ref,
        guildOf: () => "g",
        wanted: async (ref) =>
          stands.has(ref)
            ? undefined
            : { channelId: "c", nonce: ref, body: { content: markdownOfOurs(`${ref}.`) } },
        isIt: (ref, { content }) => content === `${ref}.`,
        onStands: async (ref) => void stands.add(ref),
        onRefused: async () => "over",
      });
    const refs = Array.from({ length: 20 }, (_, n) => `n${n}`);
    const line = open();
    for (const ref of refs) line.show(ref);
    await made.clock.advance(1_000);
    assert.ok(stands.size > 0 && stands.size < 20, `${stands.size} stand`);
    await made.restart("stop");
    const next = open();
    for (const ref of refs) next.show(ref);
    await made.clock.advance(60_000);
    assert.deepEqual(made.texts.toSorted(), refs.map((ref) => `${ref}.`).toSorted());
    assert.deepEqual(made.reported, []);
  });

  test("stand there once each, however the clock of the machine is set meanwhile", async () => {
    const { clock, sink, outbox } = new Message();
    const owedMs = clock.nowMs();
    const stands = new Map<string, string>();
    const line = outbox.posts.line<string>({
      name: "a message",
      classes: { post: "first", edit: "change" },
      keyOf: (ref) => ref,
      guildOf: () => "g",
      wanted: async (ref) =>
        stands.has(ref)
          ? undefined
          : {
              channelId: "c",
              nonce: ref,
              body: { content: markdownOfOurs(`${ref}.`) },
              sinceMs: owedMs,
            },
      isIt: (ref, { content }) => content === `${ref}.`,
      onStands: async (ref, { messageId }) => void stands.set(ref, messageId),
      onRefused: async () => "over",
    });
    let sends = 0;
    // Every fourth is posted and its answer is lost.
    sink.fault = (call) => (call === "send" && sends++ % 4 === 3 ? "lost" : undefined);
    for (let n = 0; n < 40; n++) line.show(`n${n}`);
    for (const stepMs of [-3_600_000, 7_200_000, -3_600_000, 86_400_000]) {
      await clock.advance(5_000);
      clock.step(stepMs);
    }
    await clock.advance(300_000);
    const texts = sink.messages("c").map(({ body }) => body.content);
    assert.equal(texts.length, 40);
    assert.equal(new Set(texts).size, 40);
    await outbox.stop();
  });
});

describe("many messages that may stand in one channel already", () => {
  test("share one read, and each is posted once", async () => {
    const made = new Message();
    const { clock, sink } = made;
    const refs = Array.from({ length: 200 }, (_, at) => `n${at}`);
    for (const ref of refs.slice(0, 150)) {
      await sink.send("c", { nonce: ref, content: markdownOfOurs(`one ${ref}.`) });
      await clock.advance(1);
    }
    const stands = new Map<string, string>();
    const line = made.outbox.posts.line<string>({
      name: "an inherited message",
      classes: { post: "first", edit: "change" },
      keyOf: (ref) => ref,
      guildOf: () => "g",
      wanted: async (ref) =>
        stands.has(ref)
          ? undefined
          : {
              channelId: "c",
              nonce: ref,
              body: { content: markdownOfOurs(`one ${ref}.`) },
              isDoubtful: true,
              sinceMs: 0,
            },
      isIt: (ref, { content }) => content.endsWith(` ${ref}.`),
      onStands: async (ref, { messageId }) => void stands.set(ref, messageId),
      onRefused: async () => "over",
    });
    await clock.advance(600_000);
    for (const ref of refs) line.show(ref);
    await clock.advance(120_000);
    assert.equal(stands.size, 200);
    assert.equal(new Set(stands.values()).size, 200);
    assert.equal(sink.messages("c").length, 200);
    assert.equal(sink.calls.filter((call) => call.startsWith("readBack")).length, 1);
    await made.outbox.stop();
  });

  test("is found however many of ours were posted since it can stand there", async () => {
    const made = new Message();
    const { clock, sink } = made;
    const send = (text: string) => sink.send("c", { nonce: text, content: markdownOfOurs(text) });
    const texts = Array.from({ length: 2_500 }, (_, at) => `row ${at}.`);
    for (const text of [...texts, "one late.", "one latest."]) await send(text);
    const stands = new Map<string, string>();
    const line = made.outbox.posts.line<string>({
      name: "an inherited message",
      classes: { post: "first", edit: "change" },
      keyOf: (ref) => ref,
      guildOf: () => "g",
      wanted: async (ref) =>
        stands.has(ref)
          ? undefined
          : {
              channelId: "c",
              nonce: ref,
              body: { content: markdownOfOurs(`one ${ref}.`) },
              isDoubtful: true,
              sinceMs: 0,
            },
      isIt: (ref, { content }) => content.endsWith(` ${ref}.`),
      onStands: async (ref, { messageId }) => void stands.set(ref, messageId),
      onRefused: async () => "over",
    });
    await clock.advance(600_000);
    for (const ref of ["late", "latest", "new"]) line.show(ref);
    await clock.advance(120_000);
    assert.equal(stands.size, 3);
    assert.equal(sink.messages("c").length, texts.length + 3);
    assert.equal(sink.calls.filter((call) => call.startsWith("readBack")).length, 3);
    await made.outbox.stop();
  });
});
