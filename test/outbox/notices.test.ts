import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lateGiven, tooManyWaitNotice } from "../../src/discord/render/notices.ts";
import { markdownOfOurs, md } from "../../src/domain/escaped.ts";
import type { MessageBody } from "../../src/domain/message.ts";
import type { Posts } from "../../src/domain/ports/posts.ts";
import type { Outbox } from "../../src/outbox/create-outbox.ts";
import type { Notices } from "../../src/outbox/notices.ts";
import { type OwedNotice, parseOwedNotice } from "../../src/outbox/owed-notice.ts";
import { VirtualClock } from "../support/clock.ts";
import { discordsClock, FakeSink, type SinkFault } from "../support/fake-sink.ts";
import { MemoryDocuments } from "../support/memory-documents.ts";
import { outboxOver } from "../support/outbox.ts";

const PARKED: MessageBody = { content: markdownOfOurs("the key is parked") };

/** A community with a notice channel, whose server "linker" has linked; processes come and go. */
class Community {
  readonly clock = new VirtualClock();
  readonly sink = new FakeSink(discordsClock(this.clock));
  noticeChannelId: string | undefined = "notices";
  readTakesMs = 0;
  readonly #stored = new Map<string, string>();
  #documents = new MemoryDocuments<OwedNotice>(parseOwedNotice, this.#stored);
  #outbox = this.#open();
  #notices = this.#begin();

  get documents(): MemoryDocuments<OwedNotice> {
    return this.#documents;
  }

  get notices(): Notices {
    return this.#notices;
  }

  get posts(): Posts {
    return this.#outbox.posts;
  }

  get owed(): number {
    return this.#stored.size;
  }

  set isAway(isAway: boolean) {
    this.sink.fault = () => (isAway ? "unknown" : undefined);
  }

  said(channelId = "notices"): readonly (string | undefined)[] {
    return this.sink.messages(channelId).map(({ body }) => body.content);
  }

  /** As by kill -9: nothing more of the old process reaches store or Discord. */
  async killAndRestart(): Promise<void> {
    this.#documents.isDead = true;
    this.#documents = new MemoryDocuments<OwedNotice>(parseOwedNotice, this.#stored);
    this.#outbox = this.#open();
    this.#notices = this.#begin();
    await this.#notices.recover();
  }

  #open(): Outbox {
    const documents = this.#documents;
    const { sink } = this;
    const alive = <T>(work: () => Promise<T>) => (documents.isDead ? new Promise<T>(() => {}) : work());
    return outboxOver(
      {
        send: (...given) => alive(() => sink.send(...given)),
        edit: (...given) => alive(() => sink.edit(...given)),
        readBack: (channelId, after, limit) =>
          alive(async () => {
            if (this.readTakesMs > 0) await this.clock.sleep(this.readTakesMs);
            return await sink.readBack(channelId, after, limit);
          }),
      },
      this.clock,
    );
  }

  #begin(): Notices {
    return this.#outbox.notices({
      owed: this.#documents,
      noticeChannelOf: async () => this.noticeChannelId,
      linkerOf: async () => "linker",
      late: lateGiven,
      tooManyWait: tooManyWaitNotice(),
    });
  }
}

describe("a notice", () => {
  for (const minutes of [1, 8, 60, 360]) {
    test(`given while Discord is away for ${minutes} minutes stands once when it is back`, async () => {
      const community = new Community();
      community.isAway = true;
      await community.notices.guild("g", PARKED);
      await community.clock.advance(minutes * 60_000);
      community.isAway = false;
      await community.clock.advance(120_000);
      assert.equal(community.said().length, 1);
      assert.match(community.said()[0] ?? "", /^the key is parked/);
      assert.equal(/Late: this is from/.test(community.said()[0] ?? ""), minutes > 10);
      assert.equal(community.owed, 0);
    });

    test(`given while Discord is away for ${minutes} minutes stands once, though the process is killed meanwhile`, async () => {
      const community = new Community();
      community.isAway = true;
      await community.notices.guild("g", PARKED);
      await community.clock.advance((minutes * 60_000) / 2);
      await community.killAndRestart();
      await community.clock.advance((minutes * 60_000) / 2);
      community.isAway = false;
      await community.clock.advance(120_000);
      assert.equal(community.said().length, 1);
      assert.equal(community.owed, 0);
    });
  }

  test("is sent only when it is written down", async () => {
    const community = new Community();
    const { documents, clock } = community;
    const set = documents.set.bind(documents);
    documents.set = async (...given) => {
      await clock.sleep(5_000);
      await set(...given);
    };
    void community.notices.guild("guild", PARKED);
    await clock.advance(4_000);
    assert.deepEqual(community.said(), []);
    await clock.advance(10_000);
    assert.equal(community.said().length, 1);
  });

  test("that stood already when the process was killed does not stand twice", async () => {
    const community = new Community();
    community.sink.nonceMemoryMs = 0;
    let fault: SinkFault = "lost";
    community.sink.fault = (call) => (call === "send" ? fault : "unknown");
    await community.notices.guild("g", PARKED);
    await community.clock.advance(100);
    assert.equal(community.said().length, 1);
    await community.killAndRestart();
    fault = undefined;
    community.sink.fault = () => undefined;
    await community.clock.advance(3_600_000);
    assert.deepEqual(community.said(), ["the key is parked"]);
    assert.equal(community.owed, 0);
  });

  for (const [isSetRight, agoMs] of [
    ["before the kill", 0],
    ["after the kill", 0],
    ["before the kill", 7_200_000],
  ] as const) {
    test(`that became owed by a clock an hour ahead, set right ${isSetRight}, stands once ${agoMs} ms later`, async () => {
      const community = new Community();
      community.sink.nonceMemoryMs = 0;
      await community.notices.guild("g", { content: markdownOfOurs("an earlier one") });
      await community.clock.advance(10_000);
      community.clock.step(3_600_000);
      community.sink.fault = (call) => (call === "send" ? "lost" : "unknown");
      await community.notices.guild("g", PARKED);
      await community.clock.advance(50);
      if (isSetRight === "before the kill") community.clock.step(-3_600_000);
      community.sink.fault = () => "unknown";
      await community.clock.advance(agoMs);
      await community.killAndRestart();
      if (isSetRight === "after the kill") community.clock.step(-3_600_000);
      community.sink.fault = () => undefined;
      await community.clock.advance(120_000);
      assert.equal(community.said().filter((text) => text?.includes("parked")).length, 1);
    });
  }

  test("is not taken for one with the same words that stood before it was given", async () => {
    for (const end of ["kill", "none"] as const) {
      const community = new Community();
      for (const content of ["the log has stopped", "the log is back"]) {
        await community.notices.guild("g", { content: markdownOfOurs(content) });
        await community.clock.advance(60_000);
      }
      community.isAway = true;
      await community.notices.guild("g", { content: markdownOfOurs("the log has stopped") });
      await community.clock.advance(180_000);
      if (end === "kill") await community.killAndRestart();
      community.isAway = false;
      await community.clock.advance(120_000);
      const texts = ["the log has stopped", "the log is back", "the log has stopped"];
      assert.deepEqual(community.said(), texts, end);
    }
  });

  for (const stood of [0, 1, 2, 3]) {
    test(`of three in the same words that a kill left in doubt each stands once, also where ${stood} of them stood already`, async () => {
      const community = new Community();
      let left = stood;
      community.sink.fault = (call) => {
        if (call !== "send") return undefined;
        left -= 1;
        return left >= 0 ? "lost" : "unknown";
      };
      await Promise.all([1, 2, 3].map(() => community.notices.guild("g", PARKED)));
      await community.clock.advance(300);
      community.isAway = true;
      assert.equal(community.said().length, stood);
      await community.clock.advance(200_000);
      // Those that come while the channel is read for the first share the next read.
      community.readTakesMs = 500;
      community.isAway = false;
      await community.killAndRestart();
      await community.clock.advance(60_000);
      assert.deepEqual([community.said().length, community.owed], [3, 0]);
    });
  }

  test("is posted again as possibly repeated only where the channel cannot tell", async () => {
    for (const [agoMs, isMarked] of [
      [30_000, false],
      [300_000, true],
    ] as const) {
      const community = new Community();
      community.isAway = true;
      await community.notices.guild("g", PARKED);
      await community.clock.advance(agoMs);
      await community.killAndRestart();
      community.sink.fault = (call) => (call === "readBack" ? "no-history" : undefined);
      await community.clock.advance(60_000);
      // As long as Discord remembers its nonce, that is guard enough.
      assert.equal(community.said().length, 1);
      assert.equal(/Possibly repeated/.test(community.said()[0] ?? ""), isMarked);
    }
  });

  test("goes to the one who linked the server where the channel is closed, and is then over", async () => {
    const community = new Community();
    community.sink.fault = (_, channelId) => (channelId === "notices" ? "no-access" : undefined);
    await community.notices.guild("g", PARKED);
    await community.clock.advance(60_000);
    assert.deepEqual(community.said("direct linker"), ["the key is parked"]);
    assert.equal(community.owed, 0);
  });

  test("to a person with closed direct messages stands in the notice channel", async () => {
    const community = new Community();
    community.sink.fault = (_, channelId) => (channelId === "direct ann" ? "dm-closed" : undefined);
    await community.notices.person("g", "ann", PARKED);
    await community.clock.advance(60_000);
    assert.deepEqual(community.said(), ["the key is parked"]);
  });

  const OUTCOME = {
    guildId: "g",
    id: "outcome 1",
    ways: [
      { to: "channel", channelId: "asked-in" },
      { to: "person", userId: "ann" },
      { to: "notice-channel" },
    ],
    body: { content: markdownOfOurs("it ran, Reference `1`") },
    marks: ["Reference `1`"],
  } as const;

  for (const [closed, where] of [
    [[], "asked-in"],
    [["asked-in"], "direct ann"],
    [["asked-in", "direct ann"], "notices"],
  ] as const) {
    test(`of an outcome stands once in ${where} where ${closed.join(" and ") || "nothing"} is closed, however often it is owed`, async () => {
      const community = new Community();
      const isClosed = (channelId: string) => closed.some((name) => name === channelId);
      community.sink.fault = (_, channelId) => (isClosed(channelId) ? "dm-closed" : undefined);
      assert.equal(await community.notices.owe(OUTCOME), true);
      await community.notices.owe(OUTCOME);
      await community.clock.advance(60_000);
      await community.killAndRestart();
      // The process before ended between the message and the note that it is told.
      await community.notices.owe({ ...OUTCOME, isDoubtful: true });
      await community.clock.advance(60_000);
      const all = ["asked-in", "direct ann", "notices"].flatMap((name) => community.said(name));
      assert.deepEqual([all.length, community.said(where).length], [1, 1]);
    });
  }

  test("that every way refuses is given up and not tried again", async () => {
    const community = new Community();
    community.noticeChannelId = undefined;
    community.sink.fault = () => "dm-closed";
    await community.notices.guild("g", PARKED);
    await community.clock.advance(600_000);
    assert.equal(community.sink.calls.length, 1);
    assert.equal(community.owed, 0);
  });

  test("that every way refuses is given up once where the store is full, and again by the next process", async () => {
    const community = new Community();
    community.noticeChannelId = undefined;
    community.sink.fault = () => "dm-closed";
    let tries = 0;
    community.documents.delete = async () => {
      tries += 1;
      // Else a loop that nothing interrupts would never end here.
      if (tries < 100) throw new Error("the disk is full");
    };
    await community.notices.guild("g", PARKED);
    await community.clock.advance(600_000);
    assert.deepEqual([tries, community.owed], [1, 1]);
    await community.killAndRestart();
    await community.clock.advance(600_000);
    assert.equal(community.owed, 0);
  });

  test("that the store could not take is not looked for again and again while it takes nothing", async () => {
    const community = new Community();
    community.documents.refuseWrites = new Error("the disk is full");
    await community.notices.guild("g", PARKED);
    await community.clock.advance(600_000);
    assert.deepEqual([community.said().length, community.sink.calls], [1, ["send notices"]]);
    // One that was stored stays owed until it is known to be told.
    community.documents.refuseWrites = undefined;
    community.isAway = true;
    await community.notices.guild("g", { content: markdownOfOurs("another") });
    community.documents.refuseWrites = new Error("the disk is full");
    community.isAway = false;
    await community.clock.advance(600_000);
    assert.deepEqual([community.said().length, community.owed], [2, 1]);
    community.documents.refuseWrites = undefined;
    await community.clock.advance(600_000);
    assert.equal(community.owed, 0);
  });

  test("with a picture stands with it, and after a kill without", async () => {
    const body: MessageBody = {
      content: markdownOfOurs("the week"),
      cards: [{ title: markdownOfOurs("Week"), imageName: "week.png" }],
      files: [
        { name: "week.png", data: new Uint8Array(2_000_000) },
        { name: "rows.txt", data: "one\ntwo" },
      ],
    };
    for (const isKilled of [false, true]) {
      const community = new Community();
      community.isAway = true;
      await community.notices.owe({ guildId: "g", id: "1", ways: [{ to: "notice-channel" }], body });
      await community.clock.advance(1_000);
      if (isKilled) await community.killAndRestart();
      community.isAway = false;
      await community.clock.advance(120_000);
      const [stands] = community.sink.messages("notices");
      const names = stands?.sent.files?.map(({ name }) => name);
      assert.deepEqual(names, isKilled ? ["rows.txt"] : ["week.png", "rows.txt"]);
      assert.equal(stands?.body.cards?.[0]?.imageName, isKilled ? undefined : "week.png");
    }
  });

  test("tells a community that more messages of it wait than are kept, once, and takes on newer ones afterwards", async () => {
    const community = new Community();
    community.isAway = true;
    const posted = new Set<string>();
    const line = community.posts.line<string>({
      name: "a message",
      classes: { post: "first", edit: "change" },
      keyOf: (ref) => ref,
      guildOf: (ref) => ref.split(" ")[0] ?? "",
      wanted: async (ref) =>
        posted.has(ref)
          ? undefined
          : { channelId: `c ${ref}`, nonce: ref, body: { content: markdownOfOurs(ref) } },
      isIt: () => false,
      onStands: async (ref) => void posted.add(ref),
      onRefused: async () => "over",
    });
    for (let n = 0; n < 22_500; n++) line.show(`g ${n}`);
    line.show("other 1");
    await community.clock.advance(60_000);
    assert.equal(community.owed, 1);
    community.isAway = false;
    await community.clock.advance(900_000);
    assert.equal(posted.size, 22_001);
    assert.deepEqual(community.said(), [tooManyWaitNotice().content]);
    line.show("g 22499");
    await community.clock.advance(10_000);
    assert.equal(posted.has("g 22499"), true);
  });

  test("is bounded for one community, and the others keep theirs", async () => {
    const community = new Community();
    community.isAway = true;
    for (let nth = 0; nth < 150; nth++) await community.notices.guild("g", { content: md`notice ${nth}` });
    await community.notices.guild("h", PARKED);
    assert.equal(community.owed, 101);
    community.isAway = false;
    await community.clock.advance(3_600_000);
    assert.equal(community.said().length, 101);
  });
});
