import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type RewindPlace, rewindPlaceOf } from "../../src/discord/render/players/rewind-buttons.ts";
import { componentIdsOf } from "../../src/domain/message.ts";
import type { RunRecord } from "../../src/domain/run.ts";
import { isFailure } from "../support/failures.ts";
import { runRecord } from "../support/run-record.ts";
import { serverStatus } from "../support/server-status.ts";
import { AlertsWorld, binding, CHANNEL } from "./alerts-world.ts";

const ann = { name: "Ann_Lee", id: 11 };
const bob = { name: "Bob", id: 12 };
const MINUTE_MS = 60_000;
const CARD = "00ff00ff00ff00ff";

const FROM_ALERT = {
  bindingId: "b1",
  openedFrom: "alert",
  playerId: undefined,
  offeredId: undefined,
} as const;

/** Where *Rewind* of the first message leads. */
function rewindOf(made: AlertsWorld): RewindPlace | undefined {
  const ids = componentIdsOf(made.messages()[0]?.body ?? {});
  const id = ids.find((one) => one.startsWith("rewind-open:"));
  return rewindPlaceOf(id?.slice("rewind-open:".length) ?? "");
}

/** Of the buttons of the first message; a menu has none. */
function labelsOf(made: AlertsWorld): readonly string[] {
  const parts = made.messages()[0]?.body.rows?.flat() ?? [];
  return parts.map((part) => (part.kind === "button" ? part.label : ""));
}

async function world(): Promise<AlertsWorld> {
  const made = new AlertsWorld();
  await made.start();
  return made;
}

/** Remembers what is stored now; the answer sets it back to that, as a power cut does. */
function powerCut({ texts: { states, journal } }: AlertsWorld): () => void {
  const disk = [states, ...Object.values(journal)];
  const saved = disk.map((texts) => [...texts]);
  return () => {
    for (const [nth, texts] of disk.entries()) {
      texts.clear();
      for (const [key, text] of saved[nth] ?? []) texts.set(key, text);
    }
  };
}

async function restarted(made: AlertsWorld): Promise<void> {
  const started = made.restart();
  await made.clock.advance(1_000);
  await started;
}

describe("an alert about kills", () => {
  test("tells of five within a minute, once, and its message grows while they go on", async () => {
    const made = await world();
    await made.add({ kind: "kills", roleId: "77" });
    made.kill(ann, 5, made.nowS - 30);
    await made.look();
    assert.deepEqual(made.messages(), [], "what was there before is of the past");
    await made.clock.advance(MINUTE_MS * 3);
    for (let nth = 0; nth < 7; nth += 1) {
      made.kill(ann);
      if (nth < 4) made.kill(bob);
      await made.look();
      await made.look();
      await made.clock.advance(10_000);
    }
    assert.equal(made.messages().length, 1);
    const [message] = made.messages();
    assert.match(made.shown()[0] ?? "", /^<@&77>\n🚨 7 kills.*\n.*Ann\\_Lee.*killed \*\*7\*\*.*Victim0/s);
    assert.deepEqual(message?.sent.pingRoleIds, ["77"]);
    assert.deepEqual(made.reports, []);
  });

  test("leads to its first kill, and shows that player alone until everybody is asked for", async () => {
    const made = await world();
    await made.add({ kind: "kills" });
    await made.look();
    await made.clock.advance(MINUTE_MS * 3);
    const firstS = made.nowS;
    for (let nth = 0; nth < 6; nth += 1) {
      made.kill(ann);
      await made.look();
      await made.clock.advance(5_000);
    }
    assert.match(made.messages()[0]?.body.cards?.[0]?.title ?? "", /6 kills/);
    assert.deepEqual(rewindOf(made), { ...FROM_ALERT, atS: firstS, playerId: ann.id });
  });

  test("offers a replay only where positions are recorded, and never a ban: that is on the player's card", async () => {
    const made = await world();
    const labels = () =>
      (made.messages().at(-1)?.body.rows ?? [])
        .flat()
        .map((part) => (part.kind === "button" ? part.label : ""));
    await made.add({ kind: "kills" });
    await made.look();
    await made.clock.advance(MINUTE_MS * 3);
    made.kill(ann, 5);
    await made.look();
    await made.clock.advance(20_000);
    assert.deepEqual(labels(), ["Player", "Rewind", "Kick", "Jail"]);
    made.tracked.add("g1");
    made.kill(ann, 2);
    await made.look();
    await made.clock.advance(20_000);
    assert.deepEqual(labels(), ["Player", "Rewind", "Replay", "Kick", "Jail"]);
  });

  test("pings who is on duty when it is posted, where somebody is; its edits keep that, over a restart too", async () => {
    const made = await world();
    await made.add({ kind: "kills", roleId: "77" });
    await made.look();
    await made.clock.advance(MINUTE_MS * 3);
    made.onDuty = ["5", "6"];
    made.kill(ann, 5);
    await made.look();
    await made.clock.advance(20_000);
    made.onDuty = ["8"];
    await made.restart();
    made.kill(ann, 2);
    await made.look();
    await made.clock.advance(20_000);
    made.onDuty = [];
    made.kill(bob, 5);
    await made.look();
    await made.clock.advance(20_000);
    assert.deepEqual(
      made.messages().map(({ sent: { pingUserIds, pingRoleIds } }) => [pingUserIds, pingRoleIds]),
      [
        [["5", "6"], undefined],
        [[], ["77"]],
      ],
    );
    assert.match(made.shown()[0] ?? "", /^<@5> <@6>\n🚨 7 kills/);
    assert.match(made.shown()[1] ?? "", /^<@&77>\n/);
  });

  test("says where the one is who kills, as long as that is known, and names the first victims on one line", async () => {
    const made = await world();
    await made.add({ kind: "kills", count: 3 });
    await made.look();
    const location = { x: 1, z: 2, streetName: "Main Street", postalCode: "204" };
    const row = { player: ann, team: "Civilian", permission: "Normal", wantedStars: 0, location };
    const stateAt = (atMs: number) => ({
      source: binding.source,
      status: serverStatus(),
      statusAtMs: atMs,
      lists: { players: { atMs, value: [row] } },
    });
    made.latest = stateAt(made.clock.nowMs());
    made.kill(ann, 6);
    await made.look();
    const shown = made.shown()[0] ?? "";
    assert.match(shown, /\n📍 Main Street, postal 204(?=\n|$)/);
    assert.match(shown, /\n> \*\*Victim0\*\*, \*\*Victim1\*\*, \*\*Victim2\*\* and 3 more\n/);
    await made.clock.advance(MINUTE_MS * 10);
    made.kill(ann, 3);
    await made.look();
    assert.doesNotMatch(made.shown().at(-1) ?? "", /Main Street/, "ten minutes later they may be anywhere");
  });

  test("counts the other victims as people, however often each was killed", async () => {
    const made = await world();
    await made.add({ kind: "kills", count: 3 });
    await made.look();
    made.kill(ann, 4);
    made.kill(ann, 3, made.nowS - 1);
    await made.look();
    assert.match(made.shown()[0] ?? "", /killed \*\*7\*\*[\s\S]*Victim0\*\*\u00a0×2 and 1 more$/m);
    const of = await world();
    await of.add({ kind: "kills", count: 3 });
    await of.look();
    of.kill(ann, 26);
    await of.look();
    assert.match(
      of.shown()[0] ?? "",
      /killed \*\*26\*\*[\s\S]*Victim0\*\*, \*\*Victim1\*\*, \*\*Victim2\*\* and 23 more kills$/m,
      "not everybody is kept",
    );
  });

  test("names the first victims, each with all of their deaths, however long it goes on", async () => {
    const made = await world();
    await made.add({ kind: "kills", count: 3 });
    await made.look();
    for (let more = 0; more < 4; more++) {
      made.kill(ann, 3 + more);
      await made.look();
      await made.clock.advance(5_000);
    }
    // 3, 4, 5 and 6 kills: the first three victims died each time, the fourth three times, the fifth twice.
    assert.match(
      made.shown()[0] ?? "",
      /killed \*\*18\*\*[\s\S]*Victim0\*\*\u00a0×4, \*\*Victim1\*\*\u00a0×4, \*\*Victim2\*\*\u00a0×4 and 3 more$/m,
    );
  });

  test("begins another message when the killing has stopped for as long as the window", async () => {
    const made = await world();
    await made.add({ kind: "kills", count: 3, withinS: 30 });
    await made.look();
    for (const pauseMs of [10_000, 45_000, 10_000]) {
      made.kill(ann, 3);
      await made.look();
      await made.clock.advance(pauseMs);
    }
    assert.equal(made.messages().length, 2);
    assert.match(made.shown()[0] ?? "", /killed \*\*6\*\*/);
  });

  test("counts on when it is changed, and posts in its new channel; what was posted stays where it is", async () => {
    const made = await world();
    const { id, createdAtMs } = await made.add({ kind: "kills", count: 5 });
    await made.look();
    made.kill(ann, 2);
    await made.look();
    await made.wing.alerts.edit("g1", id, (rule) => ({ ...rule, count: 3 }));
    await made.clock.advance(10_000);
    made.kill(ann);
    await made.look();
    assert.match(made.shown()[0] ?? "", /killed \*\*3\*\*/, "those from before the change count");
    const moved = await made.wing.alerts.edit("g1", id, (rule) => ({ ...rule, channelId: "others" }));
    assert.deepEqual([moved?.id, moved?.createdAtMs], [id, createdAtMs]);
    await made.clock.advance(MINUTE_MS * 10);
    await made.restart();
    made.kill(bob, 3);
    await made.look();
    await made.clock.advance(10_000);
    assert.deepEqual([made.messages().length, made.messages("others").length], [1, 1]);
    assert.match(made.shown("others")[0] ?? "", /Bob/);
  });

  test("is not changed into one that its channel has, nor where the store refuses; its channel's refusal goes with it", async () => {
    const made = await world();
    const first = await made.add({ kind: "kills", count: 5 });
    await made.add({ kind: "kills", count: 3 });
    const edit = made.wing.alerts.edit("g1", first.id, (rule) => ({ ...rule, count: 3 }));
    await assert.rejects(edit, isFailure("bad-command"));
    assert.deepEqual((await made.wing.alerts.list("g1"))[0], first);
    assert.equal(await made.wing.alerts.edit("g1", "none", (rule) => rule), undefined);
    made.sink.fault = (_, channelId) => (channelId === CHANNEL ? "no-access" : undefined);
    await made.look();
    made.kill(ann, 5);
    await made.look();
    await made.clock.advance(MINUTE_MS);
    assert.equal(made.wing.alerts.status(first).refused, "no-access");
    const moved = await made.wing.alerts.edit("g1", first.id, (rule) => ({ ...rule, channelId: "open" }));
    assert.deepEqual(made.wing.alerts.status(moved ?? first), {});
  });

  test("counts from its own beginning, also where an earlier alert had read the same logs before", async () => {
    const made = await world();
    await made.add({ kind: "kills", count: 2 });
    await made.look();
    await made.look();
    await made.add({ kind: "punishments", count: 2 });
    await made.look();
    made.type(ann, ":kick a");
    made.type(ann, ":kick b");
    await made.look();
    assert.equal(made.messages().length, 1);
    assert.equal(made.messages()[0]?.edits, 0, "it says all at once");
  });

  test("leaves out whom it is told to, by the team of that moment; unknown teams count", async () => {
    const made = await world();
    await made.add({ kind: "kills", count: 2, withinS: 30, withoutTeams: ["Police"] });
    made.players = [ann, bob];
    made.teams.set("Ann_Lee", "police");
    await made.look();
    made.kill(ann, 3);
    await made.look();
    assert.equal(made.messages().length, 0);
    made.kill({ name: "Gone", id: 14 }, 2);
    await made.look();
    assert.equal(made.messages().length, 1);
    assert.deepEqual(made.demands.get("alerts g1")?.[0]?.lists, ["killLogs", "players"]);
  });

  test("gives four players messages of their own; a fifth and all after share one", async () => {
    const made = await world();
    await made.add({ kind: "kills" });
    await made.look();
    for (let nth = 0; nth < 20; nth += 1) made.kill({ name: `Raider${nth}`, id: 100 + nth }, 5);
    await made.look();
    await made.clock.advance(MINUTE_MS);
    assert.equal(made.messages().length, 5);
    assert.match(made.shown()[4] ?? "", /16 players killed 80/);
  });

  test("tells late what happened while nothing could be read: when it was, in one message, without a ping", async () => {
    const made = await world();
    await made.add({ kind: "kills", roleId: "77" });
    await made.look();
    const atS = made.nowS + 60;
    await made.clock.advance(60 * MINUTE_MS);
    made.kill(ann, 5, atS);
    made.kill(bob, 6, atS + 300);
    await made.look();
    assert.equal(made.messages().length, 1);
    assert.match(
      made.shown()[0] ?? "",
      new RegExp(`Ann.*<t:${atS}:T>.*Bob.*Late: Marshal could not read`, "s"),
    );
    assert.deepEqual(
      [made.messages()[0]?.sent.pingRoleIds, made.messages()[0]?.sent.silent],
      [undefined, true],
    );
  });

  test("counts a player once who did it twice, and says what more there was than one message names", async () => {
    const made = await world();
    await made.add({ kind: "kills" });
    await made.look();
    const atS = made.nowS + 60;
    await made.clock.advance(60 * MINUTE_MS);
    made.kill(ann, 5, atS);
    made.kill(ann, 6, atS + 300);
    await made.look();
    assert.match(made.shown()[0] ?? "", /🚨 11 kills in 5.min/u);
    await made.clock.advance(60 * MINUTE_MS);
    for (let nth = 0; nth < 43; nth += 1)
      made.kill({ name: `Raider${nth}`, id: 100 + nth }, 5, atS + 3_600 + nth);
    await made.look();
    assert.match(made.shown()[1] ?? "", /🚨 40\+ players killed 200\+/u);
    assert.match(
      made.shown()[1] ?? "",
      /and 28 more before these.*Raider28.*Raider39.*and 3 more after these/su,
    );
  });

  test("is quiet in quiet hours of the community's zone", async () => {
    const made = await world();
    made.settings = { ...made.settings, timeZone: "Asia/Tokyo" };
    await made.clock.advance(60_000);
    // The world begins at 00:00 UTC, which is nine in the morning in Tokyo.
    await made.add({ kind: "kills", roleId: "77", quiet: { fromMinute: 8 * 60, toMinute: 10 * 60 } });
    await made.look();
    made.kill(ann, 5);
    await made.look();
    assert.deepEqual(
      [made.messages()[0]?.sent.pingRoleIds, made.messages()[0]?.sent.silent],
      [undefined, true],
    );
    await made.clock.advance(120 * MINUTE_MS);
    made.kill(bob, 5);
    await made.look();
    assert.deepEqual(made.messages()[1]?.sent.pingRoleIds, ["77"]);
  });
});

describe("an alert about punishments", () => {
  const run = (made: AlertsWorld, id: string, text: string): RunRecord =>
    runRecord({
      id,
      source: binding.source,
      actorId: "u9",
      text,
      askedAtMs: made.clock.nowMs(),
      sentAtMs: made.clock.nowMs(),
    });

  test("counts what staff type and what they run through Marshal as one person's, and nothing twice", async () => {
    const made = await world();
    made.accounts = [{ userId: "u9", player: ann, linkedAtMs: 0 }];
    await made.add({ kind: "punishments", count: 4, withinS: 60 });
    await made.look();
    made.type(ann, ":kick Bob");
    made.type(ann, ":pm Bob bye");
    made.type({ name: "Remote Server" }, ":ban Bob");
    made.type(ann, ":jail Cem");
    await made.look();
    for (const status of ["sending", "done", "done"] as const) {
      made.wing.onRun({ ...run(made, "r1", ":ban Bob"), status });
    }
    await made.look();
    assert.equal(made.messages().length, 0);
    made.wing.onRun(run(made, "r2", ":kill all"));
    await made.look();
    await made.look();
    assert.equal(made.messages().length, 1);
    assert.match(made.shown()[0] ?? "", /4 punishments[\s\S]*<@u9>.*ran \*\*4\*\*[\s\S]*`:kick Bob`/);
  });

  test("counts what may have run once the game's log shows it, and names the player whom a beginning of a name hit", async () => {
    const made = await world();
    await made.add({ kind: "punishments", count: 2, withinS: 60 });
    await made.look();
    made.wing.onRun({ ...run(made, "r1", ":kick Ce"), hit: ["Cem_Turbo"] });
    const byId = [{ name: "Bob", id: 4971003941 }];
    const banned = { ...run(made, "r2", ":ban 4971003941"), byId, hit: ["Bob"] };
    const unclear = { ...banned, status: "unknown", ran: "unknown" } as const;
    for (const proof of ["unchecked", "not-seen", "seen-twice"] as const) {
      made.wing.onRun({ ...unclear, proof });
      await made.look();
      await made.look();
    }
    assert.equal(made.messages().length, 0);
    await made.clock.advance(90_000);
    made.wing.onRun({ ...unclear, proof: "seen" });
    await made.look();
    await made.look();
    assert.equal(made.messages().length, 1);
    const [shown = ""] = made.shown();
    assert.match(shown, /ran \*\*2\*\*[\s\S]*`:kick Ce` \(Cem\\_Turbo\)[\s\S]*`:ban Bob`$/m);
  });

  test("counts nothing that staff do to themselves, in the game or through Marshal", async () => {
    const made = await world();
    await made.add({ kind: "punishments", count: 2, withinS: 60 });
    await made.look();
    for (const text of [":jail me", ":kill", ":kill me", `:jail ${ann.name}`]) made.type(ann, text);
    await made.look();
    made.accounts = [{ userId: "u9", player: ann, linkedAtMs: 0 }];
    for (const id of ["r1", "r2", "r3"]) made.wing.onRun(run(made, id, ":jail me"));
    for (const id of ["r4", "r5"]) made.wing.onRun(run(made, id, `:jail ${ann.name.toUpperCase()}`));
    for (const id of ["r6", "r7"]) made.wing.onRun(run(made, id, `:ban ${ann.id}`));
    await made.look();
    await made.look();
    assert.equal(made.messages().length, 0);
    made.type(ann, ":kick Bob");
    made.type(ann, ":kick Cem");
    await made.look();
    await made.look();
    assert.equal(made.messages().length, 1);
  });

  test("counts after a kill the run that the process before had not counted", async () => {
    const made = await world();
    await made.add({ kind: "punishments", count: 2, withinS: 60 });
    await made.look();
    await made.clock.advance(1_000);
    for (const id of ["r1", "r2"]) {
      made.runs.set(id, run(made, id, `:ban ${id}`));
      made.type({ name: "Remote Server" }, `:ban ${id}`);
    }
    const first = made.runs.get("r1");
    assert.ok(first !== undefined);
    made.wing.onRun(first);
    await made.look();
    await made.restart();
    await made.look();
    assert.equal(made.messages().length, 1);
    assert.match(made.shown()[0] ?? "", /ran \*\*2\*\*/);
  });
});

describe("an alert about commands from outside", () => {
  test("tells of each that comes, in one message while they go on; the same row once", async () => {
    const made = await world();
    await made.add({ kind: "outside" });
    await made.look();
    const rows = [{ atS: made.nowS, text: ":ban `Bob` @everyone", ordinal: 0 }];
    await made.wing.onOutside(binding, rows);
    await made.wing.onOutside(binding, rows);
    await made.wing.onOutside(binding, [{ atS: made.nowS, text: ":h hi", ordinal: 0 }]);
    await made.clock.advance(10_000);
    assert.equal(made.messages().length, 1);
    assert.match(made.shown()[0] ?? "", /2 commands from outside Marshal[\s\S]*:ban ˋBobˋ @\u200beveryone/);
  });
});

describe("alerts that a power cut made the store forget", () => {
  for (const [minutes, what] of [
    [9, "off for"],
    [30, "off for"],
    [30, "back at once, while the game service is away for"],
  ] as const) {
    test(`are told once, each with all of its rows: ${what} ${minutes} minutes`, async () => {
      const made = await world();
      await made.add({ kind: "kills", roleId: "77" });
      await made.look();
      const setBack = powerCut(made);
      made.kill(ann, 5);
      await made.look();
      await made.clock.advance(20_000);
      made.kill(bob, 6);
      await made.look();
      await made.clock.advance(20_000);
      assert.equal(made.messages().length, 2);
      made.kill(bob);
      made.kill({ name: "Cid", id: 13 }, 5);
      setBack();
      if (what === "off for") await made.clock.advance(minutes * MINUTE_MS);
      await restarted(made);
      if (what !== "off for") await made.clock.advance(minutes * MINUTE_MS);
      await made.look();
      await made.clock.advance(MINUTE_MS);
      const told = made.shown().map((text) => [...text.matchAll(/(\w+)\*\*\].* killed \*\*(\d+)/g)]);
      const lines = told.flat().map(([, name, count]) => `${name} ${count}`);
      assert.deepEqual(lines.sort(), ["Bob 7", "Cid 5", "_Lee 5"], made.shown().join("\n"));
      assert.match(made.shown()[1] ?? "", /^<@&77>.*7 kills/s, "Bob's, which pinged");
      assert.doesNotMatch(made.shown()[1] ?? "", /Late/);
    });
  }
});

describe("an alert that had joined another's message before a power cut", () => {
  /** What the channel tells at the end, where the store forgot what `joins` led to. */
  async function toldAfter(kind: "calls" | "kills", begin: Town, joins: Town): Promise<readonly string[]> {
    const made = await world();
    await made.add({ kind });
    await made.look();
    await begin(made);
    await made.look();
    await made.clock.advance(20_000);
    const setBack = powerCut(made);
    await joins(made);
    await made.look();
    await made.clock.advance(20_000);
    const before = made.shown();
    setBack();
    await made.clock.advance(30 * MINUTE_MS);
    await restarted(made);
    await made.look();
    await made.clock.advance(MINUTE_MS);
    assert.deepEqual(made.shown(), before);
    return before;
  }
  type Town = (made: AlertsWorld) => Promise<void>;

  test("stays there alone: a call", async () => {
    const calls = (who: typeof ann) => async (made: AlertsWorld) => {
      made.calls.push({ kind: "modCall", atS: made.nowS, caller: who });
      await made.look();
      await made.clock.advance(6 * MINUTE_MS);
    };
    const [only, ...others] = await toldAfter("calls", calls(ann), calls(bob));
    assert.match(only ?? "", /Ann.*Bob/s);
    assert.deepEqual(others, []);
  });

  test("stays there alone: one of many players", async () => {
    const kill = (from: number, to: number) => async (made: AlertsWorld) => {
      for (let nth = from; nth < to; nth += 1) made.kill({ name: `Raider${nth}`, id: 100 + nth }, 5);
    };
    const shown = await toldAfter("kills", kill(0, 5), kill(5, 6));
    assert.equal(shown.length, 5);
    assert.match(shown[4] ?? "", /Raider4.*Raider5/s);
  });
});

describe("where this machine's clock is not the game service's", () => {
  for (const serviceAheadS of [-3_600, 3_600]) {
    test(`an alert that a power cut made the store forget is found in its channel (${serviceAheadS / 60} min apart)`, async () => {
      const made = await world();
      made.serviceAheadS = serviceAheadS;
      await made.add({ kind: "kills" });
      await made.look();
      const setBack = powerCut(made);
      made.kill(ann, 5, made.serviceS);
      await made.look();
      await made.clock.advance(9 * MINUTE_MS);
      assert.equal(made.messages().length, 1);
      setBack();
      await restarted(made);
      await made.look();
      await made.clock.advance(10_000);
      assert.equal(made.messages().length, 1);
    });

    test(`a command from outside pings, and is not said to be late (${serviceAheadS / 60} min apart)`, async () => {
      const made = await world();
      made.serviceAheadS = serviceAheadS;
      await made.add({ kind: "outside", roleId: "777" });
      await made.look();
      await made.wing.onOutside(binding, [{ atS: made.serviceS, text: ":ban Bob", ordinal: 0 }]);
      await made.clock.advance(10_000);
      assert.equal(made.messages().length, 1);
      assert.match(made.shown()[0] ?? "", /^<@&777>/);
      assert.doesNotMatch(made.shown()[0] ?? "", /Late/);
    });

    test(`what staff run through Marshal counts at once with what they type (${serviceAheadS / 60} min apart)`, async () => {
      const made = await world();
      made.serviceAheadS = serviceAheadS;
      made.accounts = [{ userId: "u9", player: ann, linkedAtMs: 0 }];
      await made.add({ kind: "punishments", count: 4, withinS: 60, roleId: "777" });
      await made.look();
      for (const id of ["r1", "r2"]) {
        made.type(ann, ":kick Bob", made.serviceS);
        const record = runRecord({
          id,
          source: binding.source,
          actorId: "u9",
          text: ":kick Bob",
          askedAtMs: made.clock.nowMs(),
          sentAtMs: made.clock.nowMs(),
        });
        made.runs.set(id, record);
        made.wing.onRun(record);
        await made.clock.advance(10_000);
        await made.look();
      }
      const restarted = made.restart();
      await made.clock.advance(1_000);
      await restarted;
      await made.clock.advance(60_000);
      await made.look();
      await made.clock.advance(10_000);
      assert.equal(made.messages().length, 1);
      assert.match(made.shown()[0] ?? "", /^<@&777>\n⚠️ 4 punishments in 10\u00a0s[\s\S]*ran \*\*4\*\*/);
      assert.doesNotMatch(made.shown()[0] ?? "", /Late/);
    });
  }
});

describe("an alert about changes of teams", () => {
  test("tells of a player who changes again and again, once, and counts nothing twice over a restart", async () => {
    const made = await world();
    await made.add({ kind: "teams", count: 3, withinS: 60 });
    made.players = [ann, bob];
    await made.look();
    for (const [nth, team] of ["Police", "Fire", "Police", "Civilian"].entries()) {
      await made.clock.advance(10_000);
      made.teams.set("Ann_Lee", team);
      if (nth === 0) made.teams.set("Bob", team);
      await made.look();
      if (nth === 1) await made.restart();
      await made.look();
    }
    await made.clock.advance(10_000);
    assert.equal(made.messages().length, 1);
    const shown = made.shown()[0] ?? "";
    assert.match(shown, /🎽 4 team changes[\s\S]*Ann\\_Lee.*changed team \*\*4 times\*\*/);
    assert.match(shown, /`Civilian → Police`[\s\S]*`Police → Civilian`/);
    assert.deepEqual(made.demands.get("alerts g1")?.[0]?.lists, ["players"]);
  });
});

describe("after the game service's clock was ahead by hours and is right again", () => {
  for (const count of [1, 3]) {
    test(`a player counts at once who did it ${count} times meanwhile`, async () => {
      const made = await world();
      await made.add({ kind: "kills", count: 3, withinS: 60 });
      await made.look();
      made.serviceAheadS = 3 * 3_600;
      made.kill(ann, count, made.serviceS);
      await made.look();
      await made.clock.advance(60_000);
      const before = made.messages().length;
      made.serviceAheadS = 0;
      made.kills = [];
      await made.look();
      await made.clock.advance(60_000);
      for (let nth = 0; nth < 3; nth += 1) {
        made.kill(ann, 1);
        await made.look();
        await made.clock.advance(5_000);
      }
      assert.equal(made.messages().length, before + 1);
      assert.match(made.shown().at(-1) ?? "", /3 kills in 10\u00a0s/);
    });
  }
});

describe("an alert about calls", () => {
  test("tells of one that waits for five minutes, and that it was answered", async () => {
    const made = await world();
    await made.add({ kind: "calls", roleId: "77" });
    await made.look();
    made.calls.push({ kind: "modCall", atS: made.nowS, caller: ann });
    made.calls.push({ kind: "modCall", atS: made.nowS, caller: bob });
    await made.look();
    await made.clock.advance(4 * MINUTE_MS);
    made.calls[1] = { kind: "modCall", atS: made.calls[1]?.atS ?? 0, caller: bob, moderator: ann };
    await made.look();
    assert.equal(made.messages().length, 0);
    await made.clock.advance(2 * MINUTE_MS);
    await made.look();
    assert.match(made.shown()[0] ?? "", /A moderator call is waiting[\s\S]*Ann\\_Lee.*nobody has answered/);
    const buttons = (made.messages()[0]?.body.rows ?? []).flat();
    assert.deepEqual(
      buttons.map((part) => (part.kind === "button" ? part.label : "")),
      ["Player", "Rewind", "PM"],
      "who called is written to, not punished",
    );
    made.calls[0] = { kind: "modCall", atS: made.calls[0]?.atS ?? 0, caller: ann, moderator: bob };
    await made.clock.advance(10_000);
    await made.look();
    await made.clock.advance(10_000);
    assert.equal(made.messages().length, 1);
    assert.match(made.shown()[0] ?? "", /The call was answered[\s\S]*answered by .*Bob/);
  });

  for (const aheadMin of [-60, 11, 300]) {
    test(`does not come because one answer was dated ${aheadMin} minutes ahead, and comes in time`, async () => {
      const made = await world();
      await made.add({ kind: "calls" });
      await made.look();
      await made.clock.advance(10_000);
      made.calls.push({ kind: "modCall", atS: made.nowS, caller: ann });
      const look = made.snapshot();
      await made.look({ ...look, serviceAtMs: made.clock.nowMs() + aheadMin * MINUTE_MS });
      await made.clock.advance(10_000);
      await made.look();
      assert.deepEqual(made.shown(), []);
      await made.clock.advance(5 * MINUTE_MS);
      await made.look();
      assert.match(made.shown()[0] ?? "", /A moderator call is waiting/);
      assert.doesNotMatch(made.shown()[0] ?? "", /Late/);
    });
  }

  test("leads to the call's card and offers Claim there, until somebody has claimed it", async () => {
    const made = await world();
    await made.add({ kind: "calls" });
    await made.look();
    const atS = made.nowS;
    made.calls.push({ kind: "modCall", atS, caller: ann });
    const card = { cardId: CARD, caller: ann, calledAtS: [atS] };
    made.callCards = [{ ...card, message: { guildId: "1", channelId: "2", messageId: "3" } }];
    await made.look();
    await made.clock.advance(6 * MINUTE_MS);
    await made.look();
    const link = "[card](https://discord.com/channels/1/2/3)";
    const shown = made.shown()[0] ?? "";
    assert.ok(shown.includes(`nobody has answered · ${link}`), shown);
    assert.deepEqual(labelsOf(made), ["Claim", "Player", "Rewind", "PM"]);
    const [claim] = made.messages()[0]?.body.rows?.flat() ?? [];
    assert.equal(claim?.id, `alert-claim:${CARD}`);
    assert.deepEqual(rewindOf(made), { ...FROM_ALERT, atS, openedFrom: "call", offeredId: ann.id });

    made.callEnds.set(`Ann_Lee ${atS}`, { kind: "taken" });
    made.callCards = [{ ...card, claimedBy: { userId: "42" } }];
    await made.clock.advance(10_000);
    await made.look();
    await made.clock.advance(10_000);
    assert.match(made.shown()[0] ?? "", /The call was claimed[\s\S]*claimed by <@42>/);
    assert.deepEqual(labelsOf(made), ["Player", "Rewind", "PM"]);

    // What is not at hand, as after a start, says nothing of the call.
    made.callEnds.clear();
    made.callCards = [];
    for (let look = 0; look < 2; look += 1) {
      await made.look();
      await made.clock.advance(10_000);
    }
    assert.match(made.shown()[0] ?? "", /The call was claimed/);
    made.callCards = [card];
    await made.look();
    await made.clock.advance(10_000);
    assert.match(made.shown()[0] ?? "", /A moderator call is waiting[\s\S]*nobody has answered/);
    assert.deepEqual(labelsOf(made), ["Claim", "Player", "Rewind", "PM"]);
  });

  test("of several names whose call its buttons claim and rewind: the oldest that nobody has claimed", async () => {
    const made = await world();
    await made.add({ kind: "calls" });
    await made.look();
    const cora = { name: "Cora", id: 13 };
    for (const [nth, caller] of [ann, bob, cora].entries()) {
      const atS = made.nowS;
      made.calls.push({ kind: "modCall", atS, caller });
      const message = { guildId: "1", channelId: "2", messageId: `${nth}` };
      made.callCards.push({ cardId: `${nth}`.repeat(16), caller, calledAtS: [atS], message });
      await made.look();
      await made.clock.advance(10_000);
    }
    await made.clock.advance(6 * MINUTE_MS);
    const location = { x: 1, z: 2, streetName: "Main Street", postalCode: "204" };
    const row = { player: ann, team: "Civilian", permission: "Normal", wantedStars: 0, location };
    const atMs = made.clock.nowMs();
    const lists = { players: { atMs, value: [row] } };
    made.latest = { source: binding.source, status: serverStatus(), statusAtMs: atMs, lists };
    await made.look();
    const shown = made.shown()[0] ?? "";
    assert.match(shown, /🔔 A moderator call is waiting/);
    assert.match(shown, /\*\*Ann\\_Lee\*\*\].*nobody has answered.* · 📍 Main Street, postal 204\n/);
    assert.match(shown, /🚪 Left before anyone answered: \[\*\*Bob\*\*\]/);
    for (const nth of [0, 1, 2]) assert.ok(shown.includes(`[card](https://discord.com/channels/1/2/${nth})`));
    assert.deepEqual(labelsOf(made), ["", "Claim Ann_Lee", "Rewind Ann_Lee"]);

    made.callEnds.set(`Ann_Lee ${made.calls[0]?.atS}`, { kind: "taken" });
    made.callCards = made.callCards.slice(1);
    await made.clock.advance(10_000);
    await made.look();
    await made.clock.advance(10_000);
    assert.deepEqual(labelsOf(made), ["", "Claim Bob", "Rewind Bob"]);
    const claim = made.messages()[0]?.body.rows?.flat()[1];
    assert.equal(claim?.id, `alert-claim:${"1".repeat(16)}`);
    const atS = made.calls[1]?.atS;
    assert.deepEqual(rewindOf(made), { ...FROM_ALERT, atS, openedFrom: "call", offeredId: bob.id });
  });

  test("leaves alone what staff took on its card, and what was there before the alert", async () => {
    const made = await world();
    made.calls.push({ kind: "modCall", atS: made.nowS - 10, caller: bob });
    await made.look();
    await made.add({ kind: "calls", withinS: 60 });
    await made.look();
    await made.clock.advance(1_000);
    made.calls.push({ kind: "modCall", atS: made.nowS, caller: ann });
    made.callEnds.set(`Ann_Lee ${made.nowS}`, { kind: "taken" });
    await made.clock.advance(2 * MINUTE_MS);
    await made.look();
    assert.equal(made.messages().length, 0);
    made.callEnds.clear();
    await made.look();
    assert.equal(made.messages().length, 1);
  });

  test("is told that a matter is over where another call of it was answered, before and after it was posted", async () => {
    const made = await world();
    await made.add({ kind: "calls", withinS: 60 });
    await made.look();
    const firstS = made.nowS;
    made.calls.push({ kind: "modCall", atS: firstS, caller: ann });
    await made.look();
    await made.clock.advance(30_000);
    made.calls.push({ kind: "modCall", atS: made.nowS, caller: ann });
    const answered = { kind: "answered", by: bob } as const;
    made.callEnds.set(`Ann_Lee ${made.nowS}`, answered);
    await made.clock.advance(40_000);
    await made.look();
    await made.clock.advance(40_000);
    await made.look();
    assert.equal(made.messages().length, 1);
    assert.doesNotMatch(made.shown()[0] ?? "", /2 times/);

    made.callEnds.set(`Ann_Lee ${firstS}`, { kind: "taken" });
    await made.look();
    await made.clock.advance(10_000);
    assert.match(made.shown()[0] ?? "", /The call was claimed/);
    made.callEnds.set(`Ann_Lee ${firstS}`, answered);
    await made.look();
    await made.clock.advance(10_000);
    assert.match(made.shown()[0] ?? "", /The call was answered[\s\S]*answered by .*Bob/);
  });

  test("set up while a call waits: a further one of the matter is told with the first one's time", async () => {
    const made = await world();
    const firstS = made.nowS;
    made.calls.push(
      { kind: "modCall", atS: firstS, caller: ann },
      { kind: "modCall", atS: firstS, caller: bob },
    );
    await made.look();
    await made.add({ kind: "calls", withinS: 60 });
    await made.look();
    await made.clock.advance(30_000);
    made.calls.push({ kind: "modCall", atS: made.nowS, caller: ann });
    await made.look();
    await made.clock.advance(70_000);
    await made.look();
    await made.clock.advance(10_000);
    assert.equal(made.messages().length, 1);
    const shown = made.shown()[0] ?? "";
    assert.ok(
      shown.includes(`called <t:${firstS}:T> (<t:${firstS}:R>), 2 times · nobody has answered`),
      shown,
    );
    assert.doesNotMatch(
      shown,
      /Bob/,
      "what was there before the alert is told only where the matter goes on",
    );
    await made.look();
    assert.equal(made.messages().length, 1);
  });
});

describe("an alert about a server that fills or empties", () => {
  const crowd = (count: number) =>
    Array.from({ length: count }, (_, nth) => ({ name: `P${nth}`, id: nth + 1 }));

  test("is told once it is sure, ended when it is over, and not again for one who comes and goes", async () => {
    const made = await world();
    await made.add({ kind: "full" });
    await made.add({ kind: "empty" });
    const looks = async (...counts: readonly number[]) => {
      for (const count of counts) {
        made.players = crowd(count);
        await made.look();
        await made.clock.advance(MINUTE_MS);
      }
    };
    await looks(10, 10, 9, 10, 9, 10, 10);
    assert.deepEqual(made.messages(), [], "it was full when the alert was set up");
    await looks(5, 5, 5, 5, 5, 5, 5, 10, 9, 10, 10, 9, 10, 10);
    assert.equal(made.messages().length, 1);
    assert.match(made.shown()[0] ?? "", /The server is full[\s\S]*\*\*10\*\* of \*\*10\*\*/);
    await looks(4, 4, 4, 4, 4, 4, 4);
    assert.match(made.shown()[0] ?? "", /The server was full/);
    await looks(0, 0, 1, 0, 0);
    assert.equal(made.messages().length, 2);
    assert.match(made.shown()[1] ?? "", /The server is empty/);
  });

  test("says nothing of a number that was reached before it became the alert's, and ends what it had told", async () => {
    const made = await world();
    const { id } = await made.add({ kind: "full", count: 9 });
    const looks = async (...counts: readonly number[]) => {
      for (const count of counts) {
        made.players = crowd(count);
        await made.look();
        await made.clock.advance(MINUTE_MS);
      }
    };
    await looks(6, 6);
    await made.wing.alerts.edit("g1", id, (rule) => ({ ...rule, count: 5 }));
    await looks(6, 6, 5, 5);
    assert.deepEqual(made.messages(), []);
    await looks(2, 2, 2, 2, 2, 2, 2, 6, 6);
    assert.equal(made.messages().length, 1);
    await made.wing.alerts.edit("g1", id, (rule) => ({ ...rule, count: 9 }));
    await looks(6, 6, 6, 6, 6, 6, 6);
    assert.equal(made.messages().length, 1);
    assert.match(made.shown()[0] ?? "", /was filling up|<t:\d+:T> to <t:\d+:T>/);
    await looks(9, 9);
    assert.equal(made.messages().length, 2);
  });

  test("tells when it was at its number, and not until when it was nearly there; also over restarts", async () => {
    for (const restartsAfter of [Number.POSITIVE_INFINITY, 4, 12, 45]) {
      const made = await world();
      await made.add({ kind: "full" });
      const atNumber: number[] = [];
      // Seven minutes full, then 38 with one place free, then far below.
      const counts = [5, 5, ...Array(8).fill(10), ...Array(38).fill(9), ...Array(7).fill(3)];
      for (const [nth, count] of counts.entries()) {
        made.players = crowd(count);
        if (count === 10) atNumber.push(made.nowS);
        await made.look();
        await made.clock.advance(MINUTE_MS);
        if (nth === restartsAfter) {
          const started = made.restart();
          await made.clock.advance(1_000);
          await started;
        }
      }
      const told = (made.shown()[0] ?? "").replaceAll("\u00a0", " ");
      const [firstS, lastS] = [atNumber[0], atNumber.at(-1)];
      assert.match(
        told,
        new RegExp(`<t:${firstS}:T> to <t:${lastS}:T>, 7 min`),
        `restarted after ${restartsAfter}`,
      );
    }
  });
});

describe("the channel of an alert", () => {
  test("that refuses is told once, over a restart; alerts of the last hour follow when it opens", async () => {
    const made = await world();
    const rule = await made.add({ kind: "kills", roleId: "77" });
    await made.look();
    made.sink.fault = (call) => (call === "send" ? "no-access" : undefined);
    for (const player of [ann, bob]) {
      made.kill(player, 5);
      await made.look();
      await made.clock.advance(MINUTE_MS);
    }
    await made.restart();
    await made.clock.advance(10 * MINUTE_MS);
    assert.equal(made.notices.length, 1);
    assert.match(made.notices[0]?.content ?? "", /could not be posted in <#alerts>/);
    assert.equal(made.wing.alerts.status(rule).refused, "no-access");
    made.sink.fault = () => undefined;
    made.process.outbox.permissionsChanged("g1");
    await made.clock.advance(1_000);
    assert.equal(made.messages().length, 2);
    assert.deepEqual(made.wing.alerts.status(rule), {});
  });

  test("that takes no edits for a while gets them when it opens: what came meanwhile is shown", async () => {
    for (const reason of ["closed", "no-access"] as const) {
      const made = await world();
      await made.add({ kind: "kills" });
      await made.look();
      made.kill(ann, 5);
      await made.look();
      await made.clock.advance(10_000);
      made.sink.fault = (call) => (call === "edit" ? reason : undefined);
      made.kill(ann, 2);
      await made.look();
      await made.clock.advance(MINUTE_MS);
      assert.match(made.shown().join(), /killed \*\*5\*\*/u);
      made.sink.fault = () => undefined;
      made.process.outbox.permissionsChanged("g1");
      await made.clock.advance(10_000);
      assert.match(made.shown().join(), /killed \*\*7\*\*/u, reason);
      assert.equal(made.messages().length, 1);
    }
  });

  test("takes an alert without the words that Discord refuses, be they there at first or later", async () => {
    for (const isPosted of [false, true]) {
      const made = await world();
      const rule = await made.add({ kind: "punishments", count: 2 });
      await made.look();
      if (isPosted) {
        for (const text of [":kick Bob", ":kick Cat"]) made.type(ann, text);
        await made.look();
        await made.clock.advance(10_000);
      }
      made.sink.fault = (_, __, body) =>
        JSON.stringify(body ?? {}).match(/bad\.example|Ann/) === null ? undefined : "form";
      for (const text of [":kick Bob bad.example", ":kick Dan"]) made.type(ann, text);
      await made.look();
      await made.clock.advance(10_000);
      assert.match(made.shown().join(), /Player 11.* ran \*\*[24]\*\*[\s\S]*Discord refuses/u);
      assert.equal(made.messages().length, 1);
      assert.deepEqual([made.notices, made.wing.alerts.status(rule)], [[], {}]);
    }
  });

  test("that refuses is exchanged for another: what waits comes there, and nothing is told of a channel that is open", async () => {
    const made = await world();
    const { id } = await made.add({ kind: "kills" });
    await made.look();
    made.sink.fault = (call, channelId) =>
      call === "send" && channelId === CHANNEL ? "no-access" : undefined;
    made.kill(ann, 5);
    await made.look();
    await made.clock.advance(MINUTE_MS);
    const moved = await made.wing.alerts.edit("g1", id, (rule) => ({ ...rule, channelId: "open" }));
    assert.ok(moved !== undefined);
    await made.clock.advance(10 * MINUTE_MS);
    assert.match(made.shown("open").join(), /killed \*\*5\*\*/u);
    assert.deepEqual([made.notices.length, made.wing.alerts.status(moved)], [1, {}]);
  });

  test("that refuses after an answer was lost is exchanged for another: the alert comes there, and grows", async () => {
    const made = await world();
    const { id } = await made.add({ kind: "kills" });
    await made.look();
    let sends = 0;
    made.sink.fault = (call, channelId) => {
      if (call !== "send" || channelId !== CHANNEL) return undefined;
      return sends++ === 0 ? "lost" : "no-access";
    };
    made.kill(ann, 5);
    await made.look();
    await made.clock.advance(20_000);
    await made.wing.alerts.edit("g1", id, (rule) => ({ ...rule, channelId: "open" }));
    made.process.outbox.permissionsChanged("g1");
    await made.clock.advance(10_000);
    made.kill(ann, 2);
    await made.look();
    await made.clock.advance(10 * MINUTE_MS);
    assert.match(made.shown("open").join(), /killed \*\*7\*\*/u);
    assert.equal(made.messages("open").length, 1);
  });

  test("shows each alert once although the process is killed at any moment", async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const made = await world();
      made.sink.nonceMemoryMs = 0;
      await made.add({ kind: "kills" });
      await made.look();
      made.kill(ann, 5);
      await made.clock.advance(1_000);
      const taken = made.process.journal.take(made.snapshot());
      taken.catch(() => undefined);
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await made.restart();
      await made.look();
      await made.clock.advance(MINUTE_MS);
      assert.equal(made.messages().length, 1, `after ${turns} turns`);
    }
  });

  test("whose answer was lost shows the alert once", async () => {
    const made = await world();
    await made.add({ kind: "kills" });
    await made.look();
    let times = 0;
    made.sink.nonceMemoryMs = 130_000;
    const untilMs = made.clock.monotonicMs() + 5 * MINUTE_MS;
    made.sink.fault = (call) => {
      if (call === "send" && times++ === 0) return "lost";
      return made.clock.monotonicMs() < untilMs ? "unknown" : undefined;
    };
    made.kill(ann, 5);
    await made.look();
    await made.clock.advance(10 * MINUTE_MS);
    assert.equal(made.messages().length, 1);
  });
});

describe("the alerts of a community", () => {
  test("survive a restart and keep their servers polled; go with their server, rest while the bot is away", async () => {
    const made = await world();
    await made.add({ kind: "kills" });
    await made.add({ kind: "calls" });
    assert.deepEqual(made.demands.get("alerts g1"), [
      { source: binding.source, guildId: "g1", lists: ["killLogs", "players", "modCalls"] },
    ]);
    await made.restart();
    assert.deepEqual(
      (await made.wing.alerts.list("g1")).map(({ kind }) => kind),
      ["kills", "calls"],
    );
    await made.look();
    assert.equal(made.texts.states.size, 1);
    made.bindings = [];
    await made.wing.onGuildRemoved("g1", [binding]);
    assert.deepEqual(made.demands.get("alerts g1"), []);
    assert.equal(made.texts.states.size, 0);
    made.bindings = [binding];
    await made.wing.onLinksChanged("g1");
    assert.equal(made.demands.get("alerts g1")?.length, 1);
    await made.wing.onUnlinked(binding);
    assert.deepEqual(await made.wing.alerts.list("g1"), []);
    assert.equal(made.texts.rules.size, 0);
  });

  test("are watched for by the process that serves the community, and by no other", async () => {
    const made = await world();
    await made.add({ kind: "kills" });
    made.ours = () => false;
    await made.restart();
    made.demands.clear();
    await made.restart();
    assert.equal(made.demands.size, 0);
    await made.look();
    made.kill(ann, 5);
    await made.look();
    assert.deepEqual(made.messages(), []);
  });

  test("are 25 at most, each once in a channel; a test message shows in it", async () => {
    const made = await world();
    const rule = await made.add({ kind: "kills", roleId: "77" });
    await assert.rejects(made.add({ kind: "kills" }), isFailure("bad-command"));
    await made.wing.alerts.test("g1", rule.id);
    assert.doesNotMatch(made.shown()[0] ?? "", /Test$/m, "the title says that it is one");
    assert.match(made.shown()[0] ?? "", /Test of an alert[\s\S]*kills by one player, 5 in 1.min/);
    assert.equal(made.messages()[0]?.sent.pingRoleIds, undefined);
    for (let nth = 1; nth < 25; nth += 1) await made.add({ kind: "kills", channelId: `c${nth}` });
    await assert.rejects(made.add({ kind: "kills", channelId: "c25" }), isFailure("bad-command"));
    assert.equal((await made.wing.alerts.remove("g1", rule.id))?.id, rule.id);
    await made.add({ kind: "kills", channelId: "c25" });
  });

  test("count nothing that could not be written, and count it when it can be", async () => {
    const made = await world();
    await made.add({ kind: "kills" });
    await made.look();
    made.process.states.refuseWrites = new Error("the disk is full");
    made.kill(ann, 5);
    await assert.rejects(made.look());
    assert.equal(made.messages(CHANNEL).length, 0);
    made.process.states.refuseWrites = undefined;
    await made.look();
    await made.look();
    assert.equal(made.messages().length, 1);
    assert.match(made.shown()[0] ?? "", /killed \*\*5\*\*/);
  });
});

describe("an alert while Discord is away", () => {
  for (const minutes of [8, 60, 7 * 60]) {
    test(`for ${minutes} minutes stands once when it is back, says how late it is, and pings while that is of use`, async () => {
      const made = await world();
      await made.add({ kind: "kills", roleId: "77" });
      await made.look();
      made.sink.fault = () => "unknown";
      made.kill(ann, 5);
      await made.look();
      await made.clock.advance(minutes * MINUTE_MS);
      made.sink.fault = () => undefined;
      await made.clock.advance(2 * MINUTE_MS);
      assert.equal(made.messages().length, 1);
      const said = () => made.shown()[0] ?? "";
      assert.match(said(), /killed \*\*5\*\*/);
      assert.equal(/Posted .* late/.test(said()), minutes > 10);
      assert.deepEqual(made.messages()[0]?.sent.pingRoleIds ?? [], minutes > 360 ? [] : ["77"]);
      assert.equal(said().startsWith("<@&77>"), minutes <= 360);
    });
  }

  test("neither pings nor sounds where quiet hours have begun by the time it is posted, and its edits say so too", async () => {
    const made = await world();
    // The world begins at 00:00 UTC.
    await made.add({ kind: "kills", roleId: "77", quiet: { fromMinute: 60, toMinute: 120 } });
    await made.look();
    made.sink.fault = () => "unknown";
    made.kill(ann, 5);
    await made.look();
    await made.clock.advance(65 * MINUTE_MS);
    made.sink.fault = () => undefined;
    await made.clock.advance(2 * MINUTE_MS);
    const [posted] = made.messages();
    assert.deepEqual([posted?.sent.pingRoleIds ?? [], posted?.sent.silent], [[], true]);
    assert.doesNotMatch(made.shown()[0] ?? "", /<@&77>/u);
    await made.clock.advance(60 * MINUTE_MS);
    made.kill(ann, 1, made.nowS - 127 * 60 + 20);
    await made.look();
    await made.clock.advance(MINUTE_MS);
    assert.match(made.shown()[0] ?? "", /killed \*\*6\*\*/u);
    assert.doesNotMatch(made.shown()[0] ?? "", /<@&77>/u);
  });

  test("stands once, however often it is killed meanwhile", async () => {
    const made = await world();
    made.sink.nonceMemoryMs = 0;
    await made.add({ kind: "kills", roleId: "77" });
    await made.look();
    made.sink.fault = (call) => (call === "send" ? "lost" : "unknown");
    made.kill(ann, 5);
    await made.look();
    for (let hour = 0; hour < 3; hour += 1) {
      await made.clock.advance(60 * MINUTE_MS);
      await made.restart();
    }
    made.sink.fault = () => undefined;
    await made.clock.advance(2 * MINUTE_MS);
    assert.equal(made.messages().length, 1);
  });
});
