import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seededRandom } from "../../support/clock.ts";
import { FeedsRig, joined, source, withRig } from "../../support/feeds-rig.ts";

describe("delivery", () => {
  test("a new feed starts at the head: what was in the log before is not posted", () =>
    withRig(async (rig) => {
      rig.join("Old");
      await rig.add();
      await rig.pollAndFlush();
      rig.join("New");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["New"]);
    }));

  test("entries of polls in quick succession share a message; it leaves after 2 s of quiet or 5 s in all", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      for (const name of ["A", "B", "C", "D"]) {
        rig.join(name);
        await rig.poll();
        await rig.clock.advance(1_500);
      }
      assert.deepEqual(joined(rig), ["A", "B", "C", "D"].slice(0, joined(rig).length));
      await rig.clock.advance(3_000);
      assert.deepEqual(joined(rig), ["A", "B", "C", "D"]);
      assert.equal(rig.sink.messages("channel-1").length, 1);
      rig.join("E");
      await rig.poll();
      await rig.clock.advance(1_999);
      assert.equal(rig.sink.messages("channel-1").length, 1);
      await rig.clock.advance(1);
      assert.equal(rig.sink.messages("channel-1").length, 2);
    }));

  test("a burst is packed by measured size, each entry once and in order", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      const names = Array.from({ length: 300 }, (_, n) => `Player${n}`);
      for (const name of names) rig.join(name);
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), names);
      for (const { body } of rig.sink.messages("channel-1")) assert.ok((body.content ?? "").length <= 2_000);
      assert.ok(rig.sink.messages("channel-1").length < 15);
    }));

  test("a repeat that waits for its turn in the channel until its nonce is forgotten looks there first: one message", () =>
    withRig(
      async (rig) => {
        let lost = 0;
        rig.sink.fault = (call) => (call === "send" && lost++ === 0 ? "lost" : undefined);
        rig.join("A");
        const send = rig.sink.send.bind(rig.sink);
        // Another feed of the channel holds the turn for longer than Discord remembers.
        rig.sink.send = async (channelId, message) => {
          if (message.content?.includes("killed") === true) await rig.clock.sleep(200_000);
          return await send(channelId, message);
        };
        await rig.poll();
        rig.log.killLogs.push({
          kind: "kill",
          atS: rig.nowS,
          killer: { name: "K", id: 2 },
          killed: { name: "V", id: 3 },
        });
        await rig.poll();
        await rig.clock.advance(400_000);
        assert.deepEqual(joined(rig), ["A"]);
        assert.doesNotMatch(rig.sink.text("channel-1"), /Possibly repeated/);
      },
      { feeds: [{}, { kind: "kills" }] },
    ));

  test("an answer that is lost is asked for again under the same nonce: one message", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      let lost = 0;
      rig.sink.fault = (call) => (call === "send" && lost++ < 3 ? "lost" : undefined);
      rig.join("A");
      await rig.pollAndFlush(60_000);
      assert.equal(lost, 4);
      assert.deepEqual(joined(rig), ["A"]);
      assert.ok(!rig.sink.calls.includes("readBack channel-1 "));
    }));

  test("after two minutes without an answer the channel is read back before anything is sent again", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      const outageEndsMs = rig.clock.nowMs() + 3_600_000;
      let first = true;
      rig.sink.fault = (call) => {
        if (rig.clock.nowMs() >= outageEndsMs) return undefined;
        if (call === "send" && first) {
          first = false;
          return "lost";
        }
        return "unknown";
      };
      rig.join("A");
      await rig.pollAndFlush();
      for (let minute = 0; minute < 70; minute++) {
        rig.join(`Later${minute}`);
        await rig.pollAndFlush(60_000);
      }
      await rig.clock.advance(120_000);
      assert.deepEqual(joined(rig), ["A", ...Array.from({ length: 70 }, (_, n) => `Later${n}`)]);
      assert.equal(rig.sink.text("channel-1").match(/⏳ Late/g)?.length, 1, "late is said once");
    }));

  test("a restart between sending and acknowledging neither repeats nor forgets", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.sink.fault = (call) => (call === "send" ? "lost" : undefined);
      rig.join("A");
      await rig.pollAndFlush(3_000);
      await rig.crash();
      rig.sink.fault = () => undefined;
      await rig.clock.advance(600_000);
      rig.join("B");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["A", "B"]);
    }));

  test("a restart before sending posts what was frozen", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.sink.fault = () => "unknown";
      rig.join("A");
      await rig.pollAndFlush(3_000);
      await rig.crash();
      rig.sink.fault = () => undefined;
      await rig.clock.advance(120_000);
      assert.deepEqual(joined(rig), ["A"]);
    }));

  test("where history cannot be read, a doubtful message is sent again with a mark", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      let sent = 0;
      rig.sink.fault = (call) => (call === "readBack" ? "no-history" : sent++ === 0 ? "lost" : "unknown");
      rig.join("A");
      await rig.pollAndFlush(600_000);
      rig.sink.fault = (call) => (call === "readBack" ? "no-history" : undefined);
      await rig.crash();
      await rig.pollAndFlush(60_000);
      rig.join("B");
      await rig.pollAndFlush();
      const text = rig.sink.text("channel-1");
      assert.match(text, /Possibly repeated/);
      assert.equal(text.match(/Possibly repeated/g)?.length, 1, "only the doubtful one is marked");
      assert.deepEqual([...new Set(joined(rig))], ["A", "B"]);
    }));

  test("the nonce is the same after a restart: Discord itself recognises the repeat, history or not", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.sink.fault = (call) => (call === "readBack" ? "no-history" : "lost");
      rig.join("A");
      await rig.pollAndFlush(3_000);
      await rig.crash();
      rig.sink.fault = (call) => (call === "readBack" ? "no-history" : undefined);
      await rig.clock.advance(60_000);
      assert.deepEqual(joined(rig), ["A"]);
      assert.equal(rig.sink.messages("channel-1")[0]?.nonce.length, 25);
    }));

  test("a channel that is gone parks the feed, and the person who configured it gets one notice", () =>
    withRig(async (rig) => {
      const feed = await rig.add();
      await rig.poll();
      rig.sink.fault = () => "gone";
      rig.join("A");
      await rig.pollAndFlush();
      rig.join("B");
      await rig.pollAndFlush();
      assert.equal(rig.told.length, 1);
      assert.equal(rig.told[0]?.userId, "user-1");
      assert.match(rig.told[0]?.body.content ?? "", /has stopped: the channel was deleted/);
      const [stored] = await rig.wing.feeds.list("guild-1");
      assert.equal(stored?.state, "parked");
      assert.equal(rig.demands.size, 0, "nobody polls for it any more");
      rig.sink.fault = () => undefined;
      await rig.wing.feeds.resume("guild-1", feed.id);
      await rig.pollAndFlush();
      rig.join("C");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["C"], "a resumed feed starts at the head");
    }));

  test("a batch that Discord refuses for its form follows as a file, and never loops", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.sink.fault = (call, _channel, message) =>
        call === "send" && message?.files === undefined ? "form" : undefined;
      rig.join("A");
      rig.join("B");
      await rig.pollAndFlush();
      const [message] = rig.sink.messages("channel-1");
      assert.match(message?.body.content ?? "", /\*\*2 entries\*\*.*refused/);
      assert.match(String(message?.body.files?.[0]?.data), /A \(1\)\tjoined\n.*B \(1\)\tjoined\n/);
      assert.equal(rig.sink.calls.filter((call) => call.startsWith("send")).length, 2);
    }));

  test("what Discord takes neither as text nor as a file is at least said; then the feed is parked", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.sink.fault = (call, _channel, message) =>
        call === "send" && !message?.content?.includes("as text and as a file") ? "form" : undefined;
      rig.join("A");
      await rig.pollAndFlush();
      assert.match(rig.sink.text("channel-1"), /refused 1 of the joins and leaves/);
      rig.sink.fault = () => "form";
      rig.join("B");
      await rig.pollAndFlush();
      assert.equal(rig.told.length, 1);
    }));

  test("a backlog past 2,000 becomes one digest that holds every entry; nothing is lost or repeated", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.sink.fault = () => "unknown";
      for (let n = 0; n < 2_500; n++) rig.join(`P${n}`);
      await rig.pollAndFlush(60_000);
      rig.sink.fault = () => undefined;
      await rig.clock.advance(120_000);
      const posted = rig.sink.messages("channel-1");
      const inFiles = posted.flatMap(({ body }) =>
        (body.files ?? []).flatMap((file) =>
          [...String(file.data).matchAll(/\t(P\d+) /g)].map((hit) => hit[1]),
        ),
      );
      const all = [...joined(rig), ...inFiles];
      assert.equal(new Set(all).size, 2_500);
      assert.equal(all.length, 2_500);
      assert.ok(inFiles.length > 2_000);
    }));

  test("a backlog of long commands becomes several files, none larger than Discord takes", () =>
    withRig(async (rig) => {
      await rig.add({ kind: "commands" });
      await rig.poll();
      rig.sink.fault = () => "unknown";
      const size = 5_000;
      for (let n = 0; n < size; n++) {
        const text = `:m ${n} ${"ä".repeat(1_100)}`;
        rig.log.commandLogs.push({ kind: "command", atS: rig.nowS, player: { name: "Mod", id: 1 }, text });
      }
      await rig.pollAndFlush(60_000);
      const sizes: number[] = [];
      rig.sink.fault = (call, _channel, message) => {
        const bytes = (message?.files ?? []).reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
        if (call === "send" && bytes > 10_000_000) return "rejected";
        if (bytes > 0) sizes.push(bytes);
        return undefined;
      };
      await rig.clock.advance(300_000);
      const shown = rig.sink
        .messages("channel-1")
        .flatMap(({ body }) => [body.content ?? "", ...(body.files ?? []).map(({ data }) => String(data))])
        .flatMap((text) => [...text.matchAll(/:m (\d+) ä/g)].map((hit) => Number(hit[1])));
      assert.deepEqual(
        shown,
        Array.from({ length: size }, (_, n) => n),
      );
      assert.ok(sizes.length > 1);
    }));

  test("a store that fails holds everything back and loses nothing", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.join("A");
      await rig.poll();
      rig.stores.offsets.failure = new Error("disk full");
      await rig.clock.advance(60_000);
      assert.deepEqual(joined(rig), []);
      rig.stores.offsets.failure = undefined;
      await rig.clock.advance(120_000);
      assert.deepEqual(joined(rig), ["A"]);
      assert.ok(rig.warnings.length > 0);
    }));

  test("a store that fails just after the message was posted does not post it again", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.sink.fault = (call) => {
        if (call === "send") rig.stores.offsets.failure = new Error("disk full");
        return undefined;
      };
      rig.join("A");
      await rig.pollAndFlush(600_000);
      rig.stores.offsets.failure = undefined;
      rig.sink.fault = () => undefined;
      await rig.clock.advance(120_000);
      rig.join("B");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["A", "B"]);
    }));

  test("a game service whose clock is an hour ahead: what was posted before a kill is found all the same", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      const ahead = {
        kind: "join",
        atS: rig.nowS + 3_600,
        player: { name: "A", id: 1 },
        joined: true,
      } as const;
      rig.log.joinLogs.push(ahead);
      rig.sink.fault = (call) => {
        if (call === "send") rig.stores.offsets.failure = new Error("killed here");
        return undefined;
      };
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["A"]);
      await rig.clock.advance(rig.sink.nonceMemoryMs);
      rig.stores.offsets.failure = undefined;
      rig.sink.fault = () => undefined;
      await rig.crash();
      await rig.calmDown();
      assert.deepEqual(joined(rig), ["A"]);
    }));

  test("feeds with different filters read one journal, each at its own pace", () =>
    withRig(async (rig) => {
      rig.players = [
        { player: { name: "Cop", id: 1 }, team: "Police", permission: "Normal", wantedStars: 0 },
        { player: { name: "Civ", id: 2 }, team: "Civilian", permission: "Normal", wantedStars: 0 },
      ];
      await rig.add({ channelId: "all" });
      await rig.add({ channelId: "police", filter: { teams: ["police"] } });
      await rig.add({ channelId: "civ", filter: { players: ["civ"] } });
      await rig.poll();
      for (const name of ["Cop", "Civ", "Unknown"]) rig.join(name);
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig, "all"), ["Cop", "Civ", "Unknown"]);
      assert.deepEqual(joined(rig, "police"), ["Cop", "Unknown"], "an unknown team passes");
      assert.deepEqual(joined(rig, "civ"), ["Civ"]);
    }));

  test("two feeds of one kind and server in one channel are refused: their messages could not be distinguished", () =>
    withRig(async (rig) => {
      await rig.add();
      await assert.rejects(rig.add({ filter: { teams: ["Police"] } }), { code: "bad-command" });
    }));

  test("several servers of a guild: each message says whose it is", () =>
    withRig(async (rig) => {
      rig.link("binding-2", "Other *Town*", "source-b" as typeof source);
      await rig.add();
      await rig.poll();
      rig.join("A");
      await rig.pollAndFlush();
      assert.match(rig.sink.text("channel-1"), /^-# Town\n/);
      await rig.clock.advance(400_000);
      rig.log.joinLogs = [];
      await rig.poll();
      await rig.clock.advance(10_000);
      rig.join("B");
      await rig.pollAndFlush();
      rig.sink.fault = () => "unknown";
      for (let n = 0; n < 2_100; n++) rig.join(`Player${n}`);
      await rig.pollAndFlush();
      rig.sink.fault = () => undefined;
      await rig.calmDown();
      const messages = rig.sink.messages("channel-1").map(({ body }) => body.content ?? "");
      for (const words of ["⏳ Late", "⚠ Gap", "⚠ **"])
        assert.ok(
          messages.some((text) => text.includes(words)),
          words,
        );
      for (const text of messages) assert.match(text, /^-# Town\n/);
    }));

  test("paused: nothing is posted or asked for; resumed: from now on", () =>
    withRig(async (rig) => {
      const feed = await rig.add();
      await rig.poll();
      await rig.wing.feeds.pause("guild-1", feed.id);
      assert.equal(rig.demands.size, 0);
      rig.join("A");
      await rig.pollAndFlush();
      await rig.wing.feeds.resume("guild-1", feed.id);
      await rig.pollAndFlush();
      rig.join("B");
      await rig.pollAndFlush();
      assert.deepEqual(joined(rig), ["B"]);
    }));

  test("a busy server that is not read for 5 minutes: the channel gets one notice, and another only after it caught up", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      await rig.clock.advance(3_600_000);
      assert.equal(rig.sink.messages("channel-1").length, 1);
      assert.match(rig.sink.text("channel-1"), /Late: joins and leaves/);
      await rig.crash();
      await rig.clock.advance(3_600_000);
      assert.equal(rig.sink.messages("channel-1").length, 1);
      await rig.pollAndFlush();
      await rig.clock.advance(600_000);
      assert.equal(rig.sink.messages("channel-1").length, 2);
    }));

  test("a parked key is not called late: its guilds get a notice of their own", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.parkedKey = true;
      await rig.clock.advance(3_600_000);
      assert.equal(rig.sink.messages("channel-1").length, 0);
    }));

  test("a replaced key takes the feed along: nothing lost, nothing repeated", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.join("A");
      await rig.pollAndFlush();
      const next = "source-new" as typeof source;
      rig.join("B");
      rig.link("binding-1", "Town", next);
      await rig.wing.replaced(source);
      rig.join("C");
      await rig.poll(next);
      await rig.clock.advance(10_000);
      assert.deepEqual(joined(rig), ["A", "B", "C"]);
      assert.equal([...rig.demands.values()][0]?.[0]?.source, next);
    }));

  test("a crash between the new key and the move is made good at the next start", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.poll();
      rig.join("A");
      await rig.pollAndFlush();
      const next = "source-new" as typeof source;
      rig.link("binding-1", "Town", next);
      await rig.crash();
      rig.join("B");
      await rig.poll(next);
      await rig.clock.advance(10_000);
      assert.deepEqual(joined(rig), ["A", "B"]);
    }));

  test("a guild that is left, or a server unlinked: its feeds, offsets and journals go", () =>
    withRig(async (rig) => {
      await rig.add();
      await rig.add({ kind: "modCalls", channelId: "mods" });
      await rig.poll();
      rig.log.modCalls.push({ kind: "modCall", atS: rig.nowS, caller: { name: "X", id: 9 } });
      rig.join("A");
      await rig.pollAndFlush();
      await rig.wing.forgetGuild("guild-1");
      assert.deepEqual(rig.stores.offsets.keys, []);
      assert.deepEqual(rig.stores.heads.keys, []);
      assert.deepEqual(rig.stores.cards.keys, []);
      assert.equal(rig.demands.size, 0);
      assert.equal((await rig.wing.state()).live, 0);
    }));

  test("a test message goes to the channel, and its refusal to the person who asked for it", () =>
    withRig(async (rig) => {
      const feed = await rig.add();
      await rig.wing.feeds.test("guild-1", feed.id);
      assert.match(rig.sink.text("channel-1"), /Test: joins and leaves will be posted here/);
      rig.sink.fault = () => "no-access";
      await assert.rejects(rig.wing.feeds.test("guild-1", feed.id), { reason: "no-access" });
    }));

  test("whenever the process dies, at any call and in any outage, each entry is posted once and in order", async () => {
    for (let seed = 1; seed <= 120; seed++) {
      const random = seededRandom(seed);
      const rig = await new FeedsRig().start();
      await rig.add();
      await rig.add({ kind: "kills", channelId: "kills", style: "cards" });
      await rig.poll();
      const fault = () => (["lost", "unknown", undefined, undefined] as const)[Math.floor(random.next() * 4)];
      const expected: string[] = [];
      for (let step = 0; step < 25; step++) {
        rig.sink.fault = random.next() < 0.3 ? fault : () => undefined;
        for (let n = Math.floor(random.next() * 4); n > 0; n--) {
          const name = `P${expected.length}`;
          expected.push(name);
          rig.join(name);
          const killer = { name, id: 1 };
          rig.log.killLogs.push({ kind: "kill", atS: rig.nowS, killer, killed: { name: "V" } });
        }
        if (random.next() < 0.4) rig.dieAfter(Math.ceil(random.next() * 16) / 2);
        await rig.pollUnlessDead(Math.floor(random.next() * random.next() * 200_000));
      }
      await rig.calmDown();
      assert.deepEqual(joined(rig), expected, `joins of seed ${seed}`);
      const killed = [...rig.sink.text("kills").matchAll(/\*\*(P\d+)\*\*\S* killed/g)].map((hit) => hit[1]);
      assert.deepEqual(killed, expected, `kills of seed ${seed}`);
      await rig.stop();
    }
  });
});
