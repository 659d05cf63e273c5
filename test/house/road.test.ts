import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { REST } from "discord.js";
import { StatusReads } from "../../src/api/status-reads.ts";
import { createSink } from "../../src/discord/messages/sink.ts";
import { LatestSnapshots } from "../../src/watch/latest-snapshots.ts";
import { SourceReader } from "../../src/watch/source-reader.ts";
import { FeedsRig } from "../support/feeds-rig.ts";
import { FakeKeyRing, FakeMetrics } from "../support/network.ts";
import { bodyOf, KEY, makeRig } from "../support/service-rig.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SRC = `${ROOT}src/`;
/** What only decides when something may be asked or posted, and knows nothing of rows; the sandbox is another program. */
const LEFT_OUT = ["api/limits/", "outbox/turns/", "sandbox/"];
const MOST_FILES = 60;

/** By file, the functions that ran. */
type Walked = ReadonlyMap<string, number>;

/** Which functions of the bot run, as V8 counts them. */
class Runs {
  readonly #session = new Session();

  async begin(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** Since this was asked last. */
  async take(): Promise<Walked> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    const walked = result.flatMap(({ url, functions }): [string, number][] => {
      const path = url.startsWith("file:") ? fileURLToPath(url) : "";
      const file = path.slice(SRC.length);
      if (!path.startsWith(SRC) || LEFT_OUT.some((folder) => file.startsWith(folder))) return [];
      const ran = functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0);
      return ran.length === 0 ? [] : [[file, ran.length]];
    });
    return new Map(walked);
  }

  async end(): Promise<void> {
    await this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }
}

/**
 * A server whose log of joins becomes a channel: all of it is the bot's own but the store, the gate, which hands over what
 * the service has answered, and the request to Discord.
 */
class Road {
  readonly rig = new FeedsRig();
  readonly #service = makeRig();
  readonly #ring = new FakeKeyRing();
  readonly #source = this.#ring.add(KEY);
  readonly #reader = this.#readerOf();
  /** Called with each answer, and with each message before it leaves. */
  onAnswer = async (): Promise<unknown> => undefined;
  onMessage = async (): Promise<unknown> => undefined;
  messages = 0;

  async start(): Promise<void> {
    const rest = new REST({ makeRequest: () => this.#posted() }).setToken("token");
    const sink = createSink({ rest, ownId: () => "1", mayReadHistory: async () => true });
    this.rig.sink.send = (channelId, message) => sink.send(channelId, message);
    this.rig.link("binding-1", "Town", this.#source);
    await this.rig.start();
    await this.rig.add();
    await this.look();
  }

  /** Somebody joins, and what the next answer shows of it is posted. */
  async join(name: string): Promise<void> {
    this.#service.service.town(KEY).join(name);
    const before = this.messages;
    await this.look();
    while (this.messages === before) {
      await this.rig.clock.advance(1_000);
      await setImmediate();
    }
  }

  async look(): Promise<void> {
    this.#service.clock.ms += 10_000;
    await this.rig.clock.advance(10_000);
    const signal = new AbortController().signal;
    const lists = ["joinLogs"] as const;
    const { kind } = await this.#reader.read({
      source: this.#source,
      lists,
      signal,
      onSent: () => undefined,
    });
    assert.equal(kind, "kept");
  }

  #readerOf(): SourceReader {
    const { clock, journal } = this.rig;
    const reads = new StatusReads({
      gate: { send: () => this.#answer() },
      keys: this.#ring,
      clock,
      metrics: new FakeMetrics(),
      onEvent: () => undefined,
      keepRefused: () => undefined,
    });
    const client = {
      read: reads.read.bind(reads),
      command: () => Promise.reject(new Error("nobody runs a command here")),
    };
    const snapshots = new LatestSnapshots({ client, clock, onSent: () => undefined });
    return new SourceReader({
      client,
      clock,
      listeners: [journal],
      record: (look, askedMs) => snapshots.record(look, askedMs),
      onDefect: (error) => assert.fail(String(error)),
    });
  }

  async #answer() {
    const json = bodyOf(this.#service.get("/v2/server?JoinLogs=true"));
    const nowMs = this.rig.clock.nowMs();
    await this.onAnswer();
    return { json, dateMs: this.#service.clock.ms, sentAtMs: nowMs, readAtMs: nowMs };
  }

  async #posted() {
    await this.onMessage();
    this.messages += 1;
    const message = { id: String(this.messages), author: { id: "1" }, timestamp: "2026-03-01T12:00:00Z" };
    return new Response(JSON.stringify(message), { headers: { "content-type": "application/json" } });
  }
}

/** From the answer that shows a row to the request that posts it, as it goes once everything runs. */
async function walked(): Promise<Walked> {
  const road = new Road();
  const runs = new Runs();
  let found: Walked | undefined;
  await road.start();
  try {
    for (const name of ["Ann", "Bob"]) await road.join(name);
    await runs.begin();
    road.onAnswer = () => runs.take();
    road.onMessage = async () => {
      found ??= await runs.take();
    };
    await road.join("Cleo");
  } finally {
    await runs.end();
    await road.rig.stop();
  }
  assert.ok(found !== undefined);
  return found;
}

/** The block of docs/how-it-is-built.md under its heading: folder by folder. */
function named(): readonly string[] {
  const docs = readFileSync(`${ROOT}docs/how-it-is-built.md`, "utf8");
  const [, block = ""] = /^### Its files$.*?```text\n(.*?)```/ms.exec(docs) ?? [];
  let folder = "";
  return block.split("\n").flatMap((line) => {
    const [, start, names = ""] = /^(\S+\/)?\s+(.*)$/.exec(line) ?? [];
    folder = start ?? folder;
    return names.split(" ").flatMap((name) => (name === "" ? [] : `${folder}${name}.ts`));
  });
}

describe("the way of a row, from the service's answer to the channel", () => {
  test(`goes through the files that docs/how-it-is-built.md names, at most ${MOST_FILES}`, async (t) => {
    const road = await walked();
    const files = [...road.keys()].sort();
    const functions = [...road.values()].reduce((sum, count) => sum + count, 0);
    t.diagnostic(`${files.length} files, ${functions} functions`);
    assert.deepEqual(files, [...named()].sort());
    assert.ok(files.length <= MOST_FILES, `${files.length} files`);
  });
});
