import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type FeedsRig, joined, withRig } from "../../support/feeds-rig.ts";

/** A rig whose feed of joins has taken its baseline, in a Discord that forgets nonces soon. */
function withFeed(
  run: (rig: FeedsRig) => Promise<void>,
  feed: Parameters<FeedsRig["add"]>[0] = {},
): Promise<void> {
  return withRig(run, { feeds: [feed], nonceMemoryMs: 3_000 });
}

async function joinAndPost(rig: FeedsRig, ...names: readonly string[]): Promise<void> {
  for (const name of names) rig.join(name);
  await rig.pollAndFlush();
}

describe("after a power cut that set the store back", () => {
  for (const style of ["lines", "cards"] as const) {
    test(`what stands in the channel is not posted again, whatever batches it was posted in (${style})`, () =>
      withFeed(
        async (rig) => {
          await joinAndPost(rig, "A");
          const saved = rig.saved();
          await joinAndPost(rig, "B");
          await joinAndPost(rig, "C", "D");
          await rig.powerCut(saved);
          rig.join("E");
          await rig.pollAndFlush();
          await joinAndPost(rig, "F");
          const text = rig.sink
            .messages("channel-1")
            .flatMap(({ body }) => [body.content ?? "", body.cards?.[0]?.description ?? ""])
            .join("\n");
          const names = [...text.matchAll(/\*\*(.)\*\*/g)].map(([, name]) => name);
          assert.deepEqual(names, ["A", "B", "C", "D", "E", "F"]);
          assert.doesNotMatch(text, /Possibly repeated/);
        },
        { style },
      ));
  }

  test("two cuts within seconds lose nothing: no two messages ever have the same nonce", () =>
    withFeed(async (rig) => {
      rig.sink.nonceMemoryMs = 180_000;
      const saved = rig.saved();
      await joinAndPost(rig, "A");
      await rig.powerCut(saved);
      await joinAndPost(rig, "B");
      await rig.powerCut(saved);
      await joinAndPost(rig, "C");
      assert.deepEqual(joined(rig), ["A", "B", "C"]);
      const nonces = rig.sink.messages("channel-1").map(({ nonce }) => nonce);
      assert.equal(new Set(nonces).size, nonces.length);
    }));

  test("an old answer that is served first after the cut brings nothing back twice", () =>
    withFeed(async (rig) => {
      const saved = rig.saved();
      await joinAndPost(rig, "A");
      const old = structuredClone(rig.log.joinLogs);
      await joinAndPost(rig, "B");
      const now = [...rig.log.joinLogs];
      await rig.powerCut(saved);
      rig.log.joinLogs.splice(0, rig.log.joinLogs.length, ...old);
      await rig.pollAndFlush();
      rig.log.joinLogs.splice(0, rig.log.joinLogs.length, ...now);
      await joinAndPost(rig, "C");
      assert.deepEqual(joined(rig), ["A", "B", "C"]);
    }));

  test("what stands in the channel and has not come back yet is remembered over a kill", () =>
    withFeed(async (rig) => {
      const saved = rig.saved();
      await joinAndPost(rig, "A");
      const old = structuredClone(rig.log.joinLogs);
      await joinAndPost(rig, "B");
      const now = [...rig.log.joinLogs];
      await rig.powerCut(saved);
      rig.log.joinLogs.splice(0, rig.log.joinLogs.length, ...old);
      await rig.pollAndFlush();
      await rig.crash();
      rig.log.joinLogs.splice(0, rig.log.joinLogs.length, ...now);
      await joinAndPost(rig, "C");
      assert.deepEqual(joined(rig), ["A", "B", "C"]);
    }));

  test("entries that are equal to a reader are counted: of two, the one that stands is left out", () =>
    withFeed(async (rig) => {
      const saved = rig.saved();
      rig.join("A");
      await rig.poll();
      await rig.clock.advance(5_000);
      rig.log.joinLogs.push(...rig.log.joinLogs.slice(-1));
      await rig.powerCut(saved);
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["A", "A"]);
    }));

  test("a batch that was frozen again goes out without the entries that stand already", () =>
    withFeed(async (rig) => {
      const saved = rig.saved();
      await joinAndPost(rig, "A");
      await rig.powerCut(saved);
      // The channel cannot be read at first, so the next batch is frozen with A in it.
      rig.sink.fault = (call) => (call === "readBack" ? "no-history" : "unknown");
      await joinAndPost(rig, "B");
      await rig.crash();
      rig.sink.fault = () => undefined;
      await rig.clock.advance(300_000);
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["A", "B"]);
    }));

  test("where history may not be read, entries from before the start are marked, later ones are not", () =>
    withFeed(async (rig) => {
      rig.sink.fault = (call) => (call === "readBack" ? "no-history" : undefined);
      const saved = rig.saved();
      await joinAndPost(rig, "A");
      await rig.powerCut(saved);
      await rig.pollAndFlush();
      await joinAndPost(rig, "B");
      assert.deepEqual(joined(rig), ["A", "A", "B"]);
      const marked = rig.sink
        .messages("channel-1")
        .map(({ body }) => (body.content ?? "").includes("Possibly repeated"));
      assert.deepEqual(marked, [false, true, false]);
    }));

  test("they are marked as well where a stop in order came between, before the server was read", () =>
    withFeed(async (rig) => {
      rig.sink.fault = (call) => (call === "readBack" ? "no-history" : undefined);
      const saved = rig.saved();
      await joinAndPost(rig, "A");
      await rig.powerCut(saved);
      await rig.stop();
      await rig.restart();
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["A", "A"]);
      assert.equal(rig.sink.text("channel-1").match(/Possibly repeated/g)?.length, 1);
    }));

  test("those that wait are marked after a stop in order, too, though their channel was looked at before it", () =>
    withFeed(async (rig) => {
      rig.sink.fault = (call) => (call === "readBack" ? "no-history" : undefined);
      const saved = rig.saved();
      await joinAndPost(rig, "A");
      await rig.powerCut(saved);
      // Read and looked at, and stopped before it is posted.
      await rig.poll();
      await rig.clock.advance(500);
      await rig.stop();
      await rig.restart();
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["A", "A"]);
      assert.equal(rig.sink.text("channel-1").match(/Possibly repeated/g)?.length, 1);
    }));

  test("a digest is known again by its file's name, once the journal holds its entries again", () =>
    withFeed(async (rig) => {
      rig.sink.fault = () => "unknown";
      for (let n = 0; n < 2_400; n++) rig.join(`P${n}`);
      await rig.pollAndFlush(60_000);
      const saved = rig.saved();
      for (let n = 0; n < 100; n++) rig.join(`Q${n}`);
      await rig.pollAndFlush();
      rig.sink.fault = () => undefined;
      await rig.clock.advance(120_000);
      const files = () => rig.sink.messages("channel-1").filter(({ body }) => body.files !== undefined);
      const before = rig.sink.messages("channel-1").length;
      assert.equal(files().length, 1);
      await rig.powerCut(saved);
      await rig.clock.advance(60_000);
      await rig.pollAndFlush(120_000);
      assert.equal(files().length, 1);
      assert.equal(rig.sink.messages("channel-1").length, before);
      await joinAndPost(rig, "New");
      assert.deepEqual(joined(rig).at(-1), "New");
    }));

  describe("where a digest stands in the channel", () => {
    const refusesA: FeedsRig["sink"]["fault"] = (call, _, body) => {
      const isOfA = body?.files === undefined && /\*\*A\*\*/.test(body?.content ?? "");
      return call === "send" && isOfA ? "form" : undefined;
    };

    /** Discord refuses the form of lines with A, so that they become a file; then the store loses all that it was given. */
    async function digestAndCut(rig: FeedsRig, meanwhile: () => void): Promise<void> {
      rig.sink.fault = refusesA;
      const saved = rig.saved();
      rig.join("A");
      await rig.clock.advance(4_000);
      rig.join("C");
      await rig.pollAndFlush();
      meanwhile();
      await rig.powerCut(saved);
      rig.sink.fault = () => undefined;
      await rig.pollAndFlush();
    }
    const filesOf = (rig: FeedsRig) =>
      rig.sink
        .messages("channel-1")
        .flatMap(({ body }) => body.files ?? [])
        .map(({ data }) => [...String(data).matchAll(/\t(\w) \(/g)].map(([, name]) => name).join(""));

    test("its entries are known again where a late row has come between them", () =>
      withFeed(async (rig) => {
        await digestAndCut(rig, () => {
          const [first, last] = rig.log.joinLogs.slice(-2);
          assert.ok(first?.kind === "join" && last !== undefined);
          const late = { ...first, atS: first.atS + 2, player: { name: "B", id: 1 } };
          rig.log.joinLogs.splice(-1, 1, late, last);
        });
        await joinAndPost(rig, "D");
        assert.deepEqual([filesOf(rig), joined(rig)], [["AC"], ["B", "D"]]);
        assert.deepEqual(rig.warnings, []);
        assert.doesNotMatch(rig.sink.text("channel-1"), /Possibly repeated/);
      }));

    test("its entries are known again behind the gap of a log that has moved on", () =>
      withFeed(async (rig) => {
        await joinAndPost(rig, "Before");
        rig.log.joinLogs.splice(0);
        await digestAndCut(rig, () => undefined);
        await joinAndPost(rig, "D");
        assert.deepEqual([filesOf(rig), joined(rig)], [["AC"], ["Before", "D"]]);
        assert.equal(rig.sink.text("channel-1").match(/⚠ Gap/g)?.length, 1);
        assert.doesNotMatch(rig.sink.text("channel-1"), /Possibly repeated/);
      }));

    test("nothing is marked and nothing is said where the log no longer shows any of its entries", () =>
      withFeed(async (rig) => {
        await joinAndPost(rig, "Before");
        await digestAndCut(rig, () => {
          rig.log.joinLogs.splice(0);
          rig.join("X");
        });
        assert.deepEqual([filesOf(rig), joined(rig)], [["AC"], ["Before", "X"]]);
        assert.deepEqual(rig.warnings, []);
      }));

    test("none of its entries come again though the log shows only a part of them: its batch was on the disk before it was sent", () =>
      withFeed(async (rig) => {
        let saved = rig.saved();
        rig.onDisk = () => {
          saved = rig.saved();
        };
        rig.sink.fault = refusesA;
        rig.join("A");
        await rig.clock.advance(4_000);
        rig.join("C");
        await rig.pollAndFlush();
        const now = rig.log.joinLogs.splice(-2, 1);
        await rig.powerCut(saved);
        await rig.pollAndFlush();
        assert.equal(now.length, 1);
        await joinAndPost(rig, "D");
        assert.deepEqual([filesOf(rig), joined(rig)], [["AC"], ["D"]]);
        assert.doesNotMatch(rig.sink.text("channel-1"), /Possibly repeated/);
      }));

    test("those that the log shows only in part come again marked, over a kill too", () =>
      withFeed(async (rig) => {
        let now: (typeof rig.log.joinLogs)[number][] = [];
        await digestAndCut(rig, () => {
          now = rig.log.joinLogs.splice(-1);
        });
        await rig.crash();
        rig.log.joinLogs.push(...now);
        await rig.pollAndFlush();
        await joinAndPost(rig, "D");
        assert.deepEqual([filesOf(rig), joined(rig)], [["AC"], ["A", "C", "D"]]);
        const marked = rig.sink
          .messages("channel-1")
          .map(({ body }) => (body.content ?? "").includes("a file above may already have some"));
        assert.deepEqual(marked.slice(-3), [true, true, false]);
      }));
  });

  test("a notice of a gap is not said again", () =>
    withFeed(async (rig) => {
      await joinAndPost(rig, "A", "B", "C");
      const saved = rig.saved();
      rig.log.joinLogs.splice(0);
      await joinAndPost(rig, "X", "Y");
      assert.equal(rig.sink.text("channel-1").match(/⚠ Gap/g)?.length, 1);
      await rig.powerCut(saved);
      await joinAndPost(rig, "Z");
      assert.equal(rig.sink.text("channel-1").match(/⚠ Gap/g)?.length, 1);
      assert.deepEqual(joined(rig), ["A", "B", "C", "X", "Y", "Z"]);
    }));

  test("a notice of a gap is known on the disk before it is sent: its times hang on when this process looked", () =>
    withFeed(async (rig) => {
      await joinAndPost(rig, "A", "B", "C");
      const known: string[] = [];
      rig.onDisk = () => known.push(rig.sink.text("channel-1"));
      rig.log.joinLogs.splice(0);
      await joinAndPost(rig, "X", "Y");
      assert.match(rig.sink.text("channel-1"), /⚠ Gap/);
      assert.deepEqual(
        known.map((text) => text.includes("⚠ Gap")),
        [false],
      );
    }));

  test("two servers in one channel: the lines of one are never taken for the other's", () =>
    withFeed(async (rig) => {
      rig.link("binding-2", "Other", "source-b" as never);
      await rig.add({ bindingId: "binding-2" });
      await rig.poll("source-b" as never);
      const saved = rig.saved();
      rig.join("A");
      await rig.pollAndFlush();
      await rig.powerCut(saved);
      await rig.poll();
      await rig.poll("source-b" as never);
      await rig.clock.advance(10_000);
      assert.deepEqual(joined(rig), ["A", "A"]);
      assert.match(rig.sink.text("channel-1"), /-# Town\n.*A.*\n[\s\S]*-# Other\n.*A/);
    }));
});

describe("lateness after the store was set back", () => {
  type Saved = ReturnType<FeedsRig["saved"]>;

  async function quietMinutes(rig: FeedsRig, minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) await rig.pollAndFlush(60_000);
  }

  /** What is stored now, but for the documents of some names. */
  function storedNow(rig: FeedsRig, but: Readonly<Record<string, Saved[number][1] | undefined>>): Saved {
    return rig.saved().map(([name, texts]) => [name, but[name] ?? texts]);
  }

  /** The seconds that notices of lateness name. */
  function lateSince(rig: FeedsRig): readonly number[] {
    return [...rig.sink.text("channel-1").matchAll(/⏳.*?<t:(\d+):/g)].map(([, seconds]) => Number(seconds));
  }

  test("what stands in the channel already makes nothing late", () =>
    withFeed(async (rig) => {
      rig.join("A");
      await rig.poll();
      const saved = rig.saved();
      await rig.clock.advance(10_000);
      await quietMinutes(rig, 10);
      await rig.powerCut(saved);
      await joinAndPost(rig, "B");
      assert.deepEqual(joined(rig), ["A", "B"]);
      assert.deepEqual(lateSince(rig), []);
    }));

  test("what is owed makes it late since it was seen, not since what was posted before it", () =>
    withFeed(async (rig) => {
      rig.join("A");
      await rig.poll();
      const saved = rig.saved();
      rig.sink.fault = (call) => (call === "send" && joined(rig).length === 0 ? "lost" : "unknown");
      await rig.clock.advance(10_000);
      await quietMinutes(rig, 10);
      const seenAtMs = rig.clock.nowMs();
      rig.join("B");
      await rig.pollAndFlush();
      const offsets = saved.find(([name]) => name === "offsets")?.[1];
      await rig.powerCut(storedNow(rig, { offsets }));
      await quietMinutes(rig, 10);
      rig.sink.fault = () => undefined;
      await quietMinutes(rig, 3);
      assert.deepEqual(joined(rig), ["A", "B"]);
      assert.deepEqual(lateSince(rig), [Math.floor(seenAtMs / 1_000)]);
    }));

  test("what the journal has lost does not wait: no notice names a time before anything happened", () =>
    withFeed(
      async (rig) => {
        const beganS = Math.floor(rig.clock.nowMs() / 1_000);
        const { id } = await rig.add();
        const record = await rig.stores.offsets.get(id);
        await joinAndPost(rig, "A");
        await quietMinutes(rig, 20);
        assert.ok(record !== undefined);
        await rig.stores.offsets.set(id, record);
        await rig.powerCut(storedNow(rig, { heads: new Map(), rows: new Map() }));
        await quietMinutes(rig, 3);
        const text = rig.sink.text("channel-1");
        assert.match(text, /may be missing/);
        const times = [...text.matchAll(/<t:(\d+)/g)].map(([, seconds]) => Number(seconds));
        assert.ok(Math.min(...times) >= beganS, text);
        assert.deepEqual(lateSince(rig), []);
      },
      { channelId: "channel-2" },
    ));
});
