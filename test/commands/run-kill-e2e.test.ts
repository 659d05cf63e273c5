import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Failure } from "../../src/domain/failure.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/guild.ts";
import type { Cases } from "../../src/domain/ports/cases.ts";
import { CASES_OFF } from "../../src/history/cases/no-cases.ts";
import type { Channel, Exchange } from "../../src/sandbox/discord/types.ts";
import { type RunCommandsRig, startRunCommandsRig } from "../support/run-commands-rig.ts";

/** The process that is killed does not live to see the case. */
const NOT_YET: Cases = { ...CASES_OFF, isKept: true, ofRun: async () => undefined };

/** What a kill of the process leaves on people's screens, and how the next start completes it. */

/** The process dies: nothing of it goes on, also not what follows its runs. The next one begins. */
async function killAndStart(rig: RunCommandsRig, downMs = 0): Promise<void> {
  rig.runs.crash();
  await rig.runs.clock.advance(downMs);
  await rig.runs.runs.start();
}

function neverAnswering(rig: RunCommandsRig): void {
  rig.runs.answering = () => new Promise(() => undefined);
}

function labelsOf(exchange: Exchange): string[] {
  return [...JSON.stringify(exchange.message?.components).matchAll(/"label":"([^"]*)"/g)].map(
    ([, label]) => label ?? "",
  );
}

/** Moves the virtual clock until a message of the channel reads as wanted. */
async function posted(rig: RunCommandsRig, channel: Channel, wanted: RegExp): Promise<string> {
  const texts = () =>
    rig.emulated.messages(channel).map(({ content, embeds }) => `${content} ${JSON.stringify(embeds)}`);
  return eventually(
    rig,
    () => texts().find((text) => wanted.test(text)),
    () => texts().join("\n"),
  );
}

async function eventually<T>(
  rig: RunCommandsRig,
  look: () => T | undefined,
  story: () => string,
): Promise<T> {
  for (let turn = 0; turn < 2_000; turn += 1) {
    const found = look();
    if (found !== undefined) return found;
    await rig.runs.clock.advance(5);
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never seen; there is: ${story()}`);
}

/** Lets the virtual clock and everything that answers go on. */
async function goOn(rig: RunCommandsRig, turns = 150): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await rig.runs.clock.advance(5);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function stopInOrder(rig: RunCommandsRig, meanwhile: () => Promise<unknown>): Promise<void> {
  const stopped = Promise.all([rig.discord.quiet(0), rig.runs.runs.stop(5_000)]);
  await meanwhile();
  await rig.runs.clock.advance(10_000);
  await stopped;
}

function isLogAskedFor(rig: RunCommandsRig): boolean {
  return [...rig.runs.demandsPut.keys()].some((key) => key.startsWith("runs-proof"));
}

function isKeptShown(rig: RunCommandsRig): boolean {
  return [...rig.runs.answerTexts.values()].some((text) => text.includes('"isShown":true'));
}

function auditInto(rig: RunCommandsRig, channel: Channel): void {
  const settings = rig.runs.settingsOf.get(rig.guild.id) ?? DEFAULT_SETTINGS;
  rig.runs.settingsOf.set(rig.guild.id, { ...settings, auditChannelId: channel.id });
}

test("a run that waited when the process was killed: its own message says so and why, and offers it again", async (t) => {
  const rig = await startRunCommandsRig(t);
  rig.runs.readyAtMs = rig.runs.clock.nowMs() + 300_000;
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  await rig.reads(exchange, /It is next/);
  assert.deepEqual(labelsOf(exchange), ["Cancel"]);
  await killAndStart(rig, 60_000);
  const text = await rig.reads(exchange, /Marshal stopped before sending it/);
  assert.match(text, /stopped while the command was waiting/);
  assert.doesNotMatch(text, /waited too long/);
  assert.deepEqual(labelsOf(exchange), ["Run again"]);
  assert.equal(exchange.message?.ephemeralFor, rig.mod.member.id);
  assert.deepEqual(rig.mod.dms(), []);
  assert.deepEqual([...rig.runs.answerTexts.keys()], []);
  assert.equal(rig.runs.sent.length, 0);
});

test("a run that was being sent: its own message says that it may have run, then what the log says; so does the audit", async (t) => {
  const rig = await startRunCommandsRig(t);
  const audit = rig.guild.addChannel({ name: "audit" });
  auditInto(rig, audit);
  neverAnswering(rig);
  const exchange = await rig.admin.slash(rig.channel, "run command", { text: ":ban Alice" });
  await rig.reads(exchange, /Not sent yet/);
  assert.ok(exchange.message !== undefined);
  const pressed = await rig.admin.click(exchange.message, "Send it");
  await rig.reads(pressed, /Being sent/);
  await killAndStart(rig, 30_000);
  const text = await rig.reads(pressed, /It may have run[\s\S]*Marshal stopped while sending it/);
  assert.match(text, /Do not repeat it/);
  await posted(rig, audit, /❔ may have run.*:ban Alice/);

  const [row] = rig.runs.audit.rows.values();
  const atS = Math.floor((row?.sentAtMs ?? 0) / 1000) + 1;
  const log = { kind: "command", atS, player: { name: "Remote Server" }, text: ":ban Alice" } as const;
  await rig.runs.journal.take(rig.runs.snapshot([log]));
  assert.doesNotMatch(await rig.reads(pressed, /✅ It ran[\s\S]*log shows it/), /may have run|not repeat/);
  await posted(rig, audit, /✅ ran.*:ban Alice.*seen in the log/);
  assert.deepEqual([...rig.runs.answerTexts.keys()], []);
  assert.equal(rig.runs.sent.length, 1);
});

test("a punishment that the log shows after a kill has the buttons of one that nobody killed: its case, Undo, its reason", async (t) => {
  const rig = await startRunCommandsRig(t);
  let isStored = false;
  rig.runs.caseOf = async (guildId, runId) => {
    const one = { guildId, number: 7, kind: "jail", targets: [{ name: "Alice", playerId: 11 }] } as const;
    const more = { mass: false, author: { name: "Mo" }, atMs: 0, edits: [], origin: `run ${runId}` };
    return isStored ? { ...one, ...more } : undefined;
  };
  neverAnswering(rig);
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":jail Alice" });
  await rig.reads(exchange, /Being sent/);
  await killAndStart(rig, 30_000);
  await rig.reads(exchange, /It may have run/);
  const [row] = rig.runs.audit.rows.values();
  const atS = Math.floor((row?.sentAtMs ?? 0) / 1000) + 1;
  const log = { kind: "command", atS, player: { name: "Remote Server" }, text: ":jail Alice" } as const;
  await rig.runs.journal.take(rig.runs.snapshot([log]));
  await rig.reads(exchange, /It ran/);
  isStored = true;
  const hasCase = () => (labelsOf(exchange).includes("Case 7") ? true : undefined);
  await eventually(rig, hasCase, () => JSON.stringify(exchange.message?.components));
  assert.deepEqual(labelsOf(exchange), ["Give the reason", "Case 7", "Undo", "Run again"]);
  assert.deepEqual([...rig.runs.answerTexts.keys()], []);
});

test("past the token's fifteen minutes the outcome is sent by direct message, where that is closed in the channel", async (t) => {
  const rig = await startRunCommandsRig(t);
  neverAnswering(rig);
  rig.runs.readyAtMs = rig.runs.clock.nowMs() + 300_000;
  await rig.reads(await rig.mod.slash(rig.channel, "run command", { text: ":h one" }), /It is next/);
  await rig.reads(await rig.admin.slash(rig.channel, "run command", { text: ":h two" }), /Place/);
  rig.admin.member.closeDms();
  await killAndStart(rig, 16 * 60_000);
  const text = await eventually(
    rig,
    () => rig.mod.dms().map(({ embeds }) => JSON.stringify(embeds))[0],
    () => JSON.stringify(rig.log.lines),
  );
  assert.match(text, /Marshal stopped before sending it.*:h one/);
  const inChannel = await posted(rig, rig.channel, /stopped before sending it.*:h two/);
  assert.match(inChannel, new RegExp(`<@${rig.admin.member.id}>`));
  assert.deepEqual([...rig.runs.answerTexts.keys()], []);
});

test("an outcome that was known and not shown yet when the process was killed is shown by the next", async (t) => {
  const rig = await startRunCommandsRig(t);
  rig.runs.readyAtMs = rig.runs.clock.nowMs() + 300_000;
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  await rig.reads(exchange, /It is next/);
  const [row] = rig.runs.audit.rows.values();
  assert.ok(row !== undefined);
  await rig.runs.audit.put({
    ...row,
    status: "done",
    ran: "yes",
    sentAtMs: 1,
    endedAtMs: 2,
    message: "Success",
  });
  await killAndStart(rig);
  await rig.reads(exchange, /It ran/);
  assert.deepEqual([...rig.runs.answerTexts.keys()], []);
});

test("the token lies sealed in the store, and goes with the outcome or after fifteen minutes", async (t) => {
  const rig = await startRunCommandsRig(t);
  neverAnswering(rig);
  await rig.reads(await rig.mod.slash(rig.channel, "run command", { text: ":h one" }), /Being sent/);
  const [stored = ""] = rig.runs.answerTexts.values();
  assert.match(stored, /"sealed":"v1\./);
  assert.doesNotMatch(stored, /token|applicationId/);
  await rig.runs.clock.advance(15 * 60_000);
  assert.deepEqual([...rig.runs.answerTexts.keys()], []);
  // It would never end by itself.
  rig.runs.crash();
});

test("a run that is ended by a stop in order while Discord is down keeps its place, and the next process tells it there", async (t) => {
  const rig = await startRunCommandsRig(t);
  rig.runs.readyAtMs = rig.runs.clock.nowMs() + 300_000;
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  await rig.reads(exchange, /It is next/);
  rig.emulated.faults.set({ outage: "5xx", outageMs: 120_000 });
  const stopped = Promise.all([rig.discord.quiet(0), rig.runs.runs.stop(0)]);
  await eventually(
    rig,
    () => ([...rig.runs.audit.rows.values()].every(({ status }) => status === "expired") ? true : undefined),
    () => JSON.stringify([...rig.runs.audit.rows.values()]),
  );
  await stopped;
  await rig.runs.clock.advance(120_000);
  assert.match(exchange.text, /It is next/);
  assert.equal(rig.runs.answerTexts.size, 1);
  await killAndStart(rig);
  await rig.reads(exchange, /Marshal stopped before sending it/);
  await eventually(
    rig,
    () => (rig.runs.answerTexts.size === 0 ? true : undefined),
    () => "the place is still kept",
  );
});

describe("an outcome that may have run", () => {
  test("is looked for in the log by the next process, where the kill came while it was looked for", async (t) => {
    const rig = await startRunCommandsRig(t);
    rig.runs.answering = async () => {
      throw new Failure("unreachable", "no answer", { ran: "unknown" });
    };
    const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h one" });
    await rig.reads(exchange, /Checking the game's log/);
    rig.runs.demandsPut.clear();
    await killAndStart(rig);
    await rig.reads(exchange, /has not shown it yet/);
    assert.ok(isLogAskedFor(rig));
  });

  test("is looked for by the next process also after a stop in order, which gave it up", async (t) => {
    const rig = await startRunCommandsRig(t);
    rig.runs.answering = (_text, signal) =>
      new Promise((_, reject) =>
        signal?.addEventListener("abort", () => reject(new Failure("unreachable", "", { ran: "unknown" }))),
      );
    const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h one" });
    await rig.reads(exchange, /Being sent/);
    await stopInOrder(rig, () => rig.reads(exchange, /It may have run/));
    rig.runs.demandsPut.clear();
    await killAndStart(rig);
    await goOn(rig);
    assert.ok(isLogAskedFor(rig));
  });

  test("does not replace one that stands there: it ran, and only the store could not take that", async (t) => {
    const rig = await startRunCommandsRig(t);
    const answered = Promise.withResolvers<string>();
    rig.runs.answering = () => answered.promise;
    const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h one" });
    await rig.reads(exchange, /Being sent/);
    const away = new Error("the store is away");
    rig.runs.audit.failure = away;
    const { forget } = rig.runs.runAnswers;
    Object.assign(rig.runs.runAnswers, { forget: () => Promise.reject(away) });
    answered.resolve("Success");
    await rig.reads(exchange, /It ran/);
    rig.runs.audit.failure = undefined;
    Object.assign(rig.runs.runAnswers, { forget });
    await killAndStart(rig);
    await goOn(rig);
    assert.match(exchange.text, /It ran/);
    assert.deepEqual([...rig.runs.answerTexts.keys()], []);
  });
});

describe("an outcome that a stop in order has shown", () => {
  /** A run that is being sent; its answer comes during the stop, by `answered`. */
  async function sending(rig: RunCommandsRig) {
    const answered = Promise.withResolvers<string>();
    rig.runs.answering = () => answered.promise;
    const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h one" });
    await rig.reads(exchange, /Being sent/);
    return { answered, exchange };
  }

  test("is not told again after its token's end, let alone in the channel", async (t) => {
    const rig = await startRunCommandsRig(t);
    const { answered, exchange } = await sending(rig);
    rig.mod.member.closeDms();
    await stopInOrder(rig, () => {
      answered.resolve("Success");
      return rig.reads(exchange, /It ran/);
    });
    const kept = [...rig.runs.answerTexts];
    rig.runs.crash();
    await rig.runs.clock.advance(16 * 60_000);
    // No process was there to delete it in time.
    for (const [id, text] of kept) rig.runs.answerTexts.set(id, text);
    await rig.runs.runs.start();
    await goOn(rig);
    const posted = rig.emulated.messages(rig.channel).map(({ embeds }) => JSON.stringify(embeds));
    assert.deepEqual(
      posted.filter((text) => /It ran/.test(text)),
      [],
    );
  });

  test("keeps its buttons", async (t) => {
    const rig = await startRunCommandsRig(t);
    const { answered, exchange } = await sending(rig);
    await stopInOrder(rig, () => {
      answered.reject(new Failure("server-empty", "offline"));
      return rig.reads(exchange, /The server is empty/);
    });
    const before = labelsOf(exchange);
    await killAndStart(rig);
    await goOn(rig);
    assert.deepEqual(labelsOf(exchange), before);
  });
});

test("a punishment whose outcome stood there when the process was killed gets its case from the next, and no second message", async (t) => {
  const rig = await startRunCommandsRig(t, { cases: NOT_YET });
  let isStored = false;
  rig.runs.caseOf = async (guildId, runId) => {
    const one = { guildId, number: 7, kind: "jail", targets: [{ name: "Alice", playerId: 11 }] } as const;
    const more = { mass: false, author: { name: "Mo" }, atMs: 0, edits: [], origin: `run ${runId}` };
    return isStored ? { ...one, ...more } : undefined;
  };
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":jail Alice" });
  await rig.reads(exchange, /It ran/);
  await eventually(
    rig,
    () => (isKeptShown(rig) ? true : undefined),
    () => "an answer that is kept",
  );
  await killAndStart(rig, 30_000);
  isStored = true;
  const hasCase = () => (labelsOf(exchange).includes("Case 7") ? true : undefined);
  await eventually(rig, hasCase, () => JSON.stringify(exchange.message?.components));
  await eventually(
    rig,
    () => (rig.runs.answerTexts.size === 0 ? true : undefined),
    () => "a token",
  );
  assert.equal(rig.runs.sent.length, 1);
});

test("one that starts when the token has ended says nothing of an outcome that was shown", async (t) => {
  const rig = await startRunCommandsRig(t, { cases: NOT_YET });
  rig.runs.caseOf = async () => undefined;
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":jail Alice" });
  await rig.reads(exchange, /It ran/);
  await eventually(
    rig,
    () => (isKeptShown(rig) ? true : undefined),
    () => "an answer that is kept",
  );
  const before = JSON.stringify(rig.emulated.messages(rig.channel));
  await killAndStart(rig, 20 * 60_000);
  await goOn(rig);
  assert.equal(JSON.stringify(rig.emulated.messages(rig.channel)), before);
  assert.deepEqual([...rig.runs.answerTexts.keys()], []);
});

test("a run that ends by itself leaves no token behind", async (t) => {
  const rig = await startRunCommandsRig(t);
  await rig.reads(await rig.mod.slash(rig.channel, "run command", { text: ":h one" }), /It ran/);
  await eventually(
    rig,
    () => (rig.runs.answerTexts.size === 0 ? true : undefined),
    () => "a token",
  );
});

test("the outcome of a deferred run whose channel refuses is sent by direct message", async (t) => {
  const rig = await startRunCommandsRig(t);
  rig.runs.answering = async () => {
    throw new Failure("server-empty", "offline");
  };
  const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
  await rig.reads(exchange, /The server is empty/);
  assert.ok(exchange.message !== undefined);
  await rig.reads(await rig.mod.click(exchange.message, "Run when someone joins"), /sent when someone joins/);
  rig.channel.denyBot("SendMessages");
  rig.runs.answering = async () => "Success";
  await rig.runs.journal.take(rig.runs.snapshot());
  const text = await eventually(
    rig,
    () => rig.mod.dms().map(({ embeds }) => JSON.stringify(embeds))[0],
    () => JSON.stringify(rig.log.lines),
  );
  assert.match(text, /It ran.*:h Welcome/);
});

describe("a run that shows thinking... when the process is killed", () => {
  test("is not known yet, because players are still being read: its message says where to look before asking again", async (t) => {
    const rig = await startRunCommandsRig(t);
    rig.runs.snapshots.fresh = () => new Promise(() => undefined);
    rig.runs.snapshots.latest = () => undefined;
    const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":kick Alice" });
    await eventually(
      rig,
      () => (rig.runs.answerTexts.size === 1 ? true : undefined),
      () => exchange.text,
    );
    assert.equal(rig.runs.audit.rows.size, 0);
    await killAndStart(rig, 60_000);
    await rig.reads(exchange, /restarted before it could answer. Try again only if your command is not in/);
    assert.deepEqual([...rig.runs.answerTexts.keys()], []);
    assert.equal(rig.runs.sent.length, 0);
  });

  test("is known and waits for so short a time that nothing says so: its message says what came of it, and no more", async (t) => {
    const rig = await startRunCommandsRig(t);
    rig.runs.readyAtMs = rig.runs.clock.nowMs() + 1_400;
    const exchange = await rig.mod.slash(rig.channel, "run command", { text: ":h Welcome" });
    await eventually(
      rig,
      () => (rig.runs.answerTexts.size === 2 ? true : undefined),
      () => exchange.text,
    );
    await killAndStart(rig, 60_000);
    await rig.reads(exchange, /Marshal stopped before sending it/);
    await rig.runs.clock.advance(1_000);
    assert.doesNotMatch(exchange.text, /restarted/);
    assert.deepEqual([...rig.runs.answerTexts.keys()], []);
  });
});

describe("a command that is no run", () => {
  /** `/server status` asks the service, which says nothing. */
  async function thinking(rig: RunCommandsRig): Promise<Exchange> {
    rig.runs.snapshots.fresh = () => new Promise(() => undefined);
    rig.runs.snapshots.latest = () => undefined;
    const exchange = await rig.member.slash(rig.channel, "server status");
    await rig.runs.clock.advance(20);
    return exchange;
  }

  test("its answer that showed thinking when the process was killed says so after the start, and is forgotten", async (t) => {
    const rig = await startRunCommandsRig(t);
    const exchange = await thinking(rig);
    await eventually(
      rig,
      () => (rig.runs.answerTexts.size === 1 ? true : undefined),
      () => exchange.text,
    );
    assert.match([...rig.runs.answerTexts.values()][0] ?? "", /"sealed":"v1\./);
    await killAndStart(rig, 60_000);
    await rig.reads(exchange, /Marshal restarted before it could answer\. (?:Try|Check)/);
    assert.deepEqual([...rig.runs.answerTexts.keys()], []);
  });

  test("is kept before Discord has confirmed its first answer: a kill in that moment leaves no thinking... either", async (t) => {
    const rig = await startRunCommandsRig(t);
    const asked = new Promise<number>((resolve) => {
      rig.emulated.on((event) => event.type === "interaction-answered" && resolve(rig.runs.answerTexts.size));
    });
    const exchange = await thinking(rig);
    assert.equal(await asked, 1);
    await killAndStart(rig);
    await rig.reads(exchange, /Marshal restarted before it could answer\. (?:Try|Check)/);
  });

  test("is completed also where Discord is down when the next process starts", async (t) => {
    const rig = await startRunCommandsRig(t);
    const exchange = await thinking(rig);
    rig.emulated.faults.set({ outage: "5xx", outageMs: 120_000 });
    await killAndStart(rig);
    await rig.reads(exchange, /Marshal restarted before it could answer\. (?:Try|Check)/);
    assert.deepEqual(rig.mod.dms(), []);
    assert.deepEqual([...rig.runs.answerTexts.keys()], []);
  });

  test("is left as it is where it was answered, and only forgetting it failed", async (t) => {
    const rig = await startRunCommandsRig(t);
    const kept = new Promise<readonly [string, string]>((resolve) => {
      rig.emulated.on(() => {
        const [first] = rig.runs.answerTexts;
        if (first !== undefined) resolve(first);
      });
    });
    const exchange = await rig.member.slash(rig.channel, "help");
    const shown = await rig.reads(exchange, /Marshal/);
    const isForgotten = () => rig.runs.answerTexts.size === 0 || undefined;
    await eventually(rig, isForgotten, () => exchange.text);
    rig.runs.answerTexts.set(...(await kept));
    await killAndStart(rig);
    await eventually(rig, isForgotten, () => exchange.text);
    assert.equal(exchange.text, shown);
  });

  test("past the token's fifteen minutes nothing can be completed, and nothing is kept of it", async (t) => {
    const rig = await startRunCommandsRig(t);
    const exchange = await thinking(rig);
    await eventually(
      rig,
      () => (rig.runs.answerTexts.size === 1 ? true : undefined),
      () => exchange.text,
    );
    await killAndStart(rig, 16 * 60_000);
    await rig.runs.clock.advance(1_000);
    assert.doesNotMatch(exchange.text, /restarted/);
    assert.deepEqual([...rig.runs.answerTexts.keys()], []);
  });

  test("one that answers leaves nothing behind, also one that took long", async (t) => {
    const rig = await startRunCommandsRig(t);
    const answered = Promise.withResolvers<never>();
    let isAsking = false;
    rig.runs.snapshots.fresh = () => {
      isAsking = true;
      return answered.promise;
    };
    rig.runs.snapshots.latest = () => undefined;
    const exchange = await rig.member.slash(rig.channel, "server status");
    await eventually(
      rig,
      () => isAsking || undefined,
      () => exchange.text,
    );
    await eventually(
      rig,
      () => (rig.runs.answerTexts.size === 1 ? true : undefined),
      () => exchange.text,
    );
    answered.reject(new Failure("unreachable", "It cannot be reached."));
    await rig.reads(exchange, /is not answering/);
    await eventually(
      rig,
      () => (rig.runs.answerTexts.size === 0 ? true : undefined),
      () => "a token",
    );
  });
});
