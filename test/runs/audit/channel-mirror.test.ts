import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runRenderer } from "../../../src/discord/render/run-renderer.ts";
import { DEFAULT_SETTINGS } from "../../../src/domain/guild.ts";
import { AuditChannelMirror } from "../../../src/runs/audit/channel-mirror.ts";
import { seededRandom, VirtualClock } from "../../support/clock.ts";
import { FakeSink } from "../../support/fake-sink.ts";
import { outboxOver } from "../../support/outbox.ts";
import { MemoryAudit } from "../../support/runs-rig.ts";

function rig() {
  const clock = new VirtualClock();
  const audit = new MemoryAudit();
  const sink = new FakeSink(clock);
  const outbox = outboxOver(sink, clock);
  const reported: string[] = [];
  const told: string[] = [];
  const settings = { ...DEFAULT_SETTINGS, auditChannelId: "audit" };
  const mirror = new AuditChannelMirror({
    audit,
    settings: {
      of: async () => settings,
      known: () => undefined,
      change: async () => settings,
    },
    posts: outbox.posts,
    notifier: { guild: async (_, { content }) => void told.push(content ?? "") },
    renderer: runRenderer,
    clock,
    random: seededRandom(3),
    report: (what) => void reported.push(what),
    onEvent: () => {},
  });
  let written = 0;
  const write = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      const text = `row ${written++}.`;
      const event = {
        guildId: "g1",
        atMs: clock.nowMs(),
        actorId: "1",
        actorName: "Ann",
        action: "feed-add",
      };
      await mirror.event({ ...event, id: text, text });
    }
  };
  const rows = () => [...sink.text("audit").matchAll(/row (\d+)\./g)].map(([, number]) => Number(number));
  return { clock, audit, outbox, sink, mirror, reported, told, write, rows };
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

describe("the audit's channel", () => {
  test("that was behind when the process stopped is no failure of it, and nobody is told that it takes nothing", async () => {
    const { clock, audit, outbox, sink, reported, told, write } = rig();
    sink.fault = () => "unknown";
    await write(20);
    await clock.advance(1_000);
    await outbox.stop();
    assert.equal(audit.eventRows.length, 20);
    assert.deepEqual([reported, told], [[], []]);
  });

  test("that takes nothing is told once, and gets what waited when it takes messages again", async () => {
    const { clock, outbox, sink, told, write, rows } = rig();
    sink.fault = () => "no-access";
    await write(3);
    await clock.advance(3_600_000);
    assert.equal(told.length, 1);
    assert.match(told[0] ?? "", /can't post in the audit channel/);
    sink.fault = () => undefined;
    outbox.permissionsChanged("g1");
    await clock.advance(10_000);
    assert.deepEqual(rows(), upTo(3));
  });

  for (const minutes of [1, 60, 360]) {
    test(`shows every row once and in order after ${minutes} minutes without Discord, many in one message`, async () => {
      const { clock, sink, mirror, write, rows } = rig();
      await write(2);
      await clock.advance(2_000);
      // The first attempt arrives and nobody hears of it.
      let isFirst = true;
      sink.fault = (call) => {
        if (call !== "send" || !isFirst) return "unknown";
        isFirst = false;
        return "lost";
      };
      await write(3);
      await clock.advance(5_000);
      await write(100);
      await clock.advance(minutes * 60_000);
      sink.fault = () => undefined;
      await clock.advance(180_000);
      await mirror.flushed();
      assert.deepEqual(rows(), upTo(105));
      assert.ok(sink.messages("audit").length < 15, `${sink.messages("audit").length} messages`);
    });
  }

  test("says how many rows it does not show where more waited than are kept", async () => {
    const { clock, sink, write, rows } = rig();
    sink.fault = () => "unknown";
    await write(230);
    await clock.advance(60_000);
    sink.fault = () => undefined;
    await clock.advance(180_000);
    await write(1);
    await clock.advance(10_000);
    assert.deepEqual(rows(), [...upTo(200), 230]);
    assert.match(sink.text("audit"), /30 rows are not posted here/);
  });

  test("goes on after a row that Discord takes in no form", async () => {
    const { clock, sink, write, rows } = rig();
    sink.fault = (_, __, message) => (message?.content?.includes("row 0.") === true ? "form" : undefined);
    await write(1);
    await clock.advance(2_000);
    await write(2);
    await clock.advance(10_000);
    assert.deepEqual(rows(), [1, 2]);
    assert.match(sink.text("audit"), /1 row is not posted here/);
  });
});
