import { ErlcClient } from "erlc-api";
import { Pool } from "undici";
import type { SourceId } from "../../src/domain/model.ts";
import { FakeKeyRing } from "../support/network.ts";
import { realClient } from "./real-client.ts";

/**
 * One client in a process of its own, so that no other's timers and garbage are put on its bill. Told a number of polls
 * it makes them one after the other and answers with the CPU of one, in microseconds.
 */
const [peer = "", url = ""] = process.argv.slice(2);
/** As long as real ones: what an answer is searched for costs by the length of the key. */
const KEY = "rVbTqLwXyPzKcMdN-aBcDeFgHjKmNpQrStUvWxYz2345";
/** So many are asked in turn that no answer repeats what was read a moment before. */
const COLD_SERVERS = 1_000;
const PATH = "/v2/server?JoinLogs=true&KillLogs=true&ModCalls=true";

/** Polls the three logs that a community with the usual feeds polls; gives the number of rows, so that all are read. */
function pollOf(name: string): () => Promise<number> {
  if (name === "marshal" || name === "marshal, cold") {
    const ring = new FakeKeyRing();
    const servers = name === "marshal" ? 1 : COLD_SERVERS;
    const sources = Array.from({ length: servers }, (_, n) => ring.add(n === 0 ? KEY : `${KEY}${n}`));
    const client = realClient(url, ring);
    let next = 0;
    // As the poller asks.
    const options = { priority: "poll", signal: new AbortController().signal, onSent: () => {} } as const;
    return async () => {
      const source = sources[next++ % servers] as SourceId;
      const { lists } = await client.read(source, ["joinLogs", "killLogs", "modCalls"], options);
      return (lists.joinLogs?.length ?? 0) + (lists.killLogs?.length ?? 0);
    };
  }
  if (name === "erlc-api") {
    const erlc = new ErlcClient({ serverKey: KEY, baseUrl: url });
    return async () => {
      const json = await erlc.server.get({ include: ["joinLogs", "killLogs", "modCalls"] });
      return json.JoinLogs.length + json.KillLogs.length;
    };
  }
  const pool = new Pool(url, { connections: 32, allowH2: false });
  if (name === "undici dispatch") return async () => rowsOf(await dispatched(pool));
  return async () => {
    const answer = await pool.request({ method: "GET", path: PATH, headers: { "server-key": KEY } });
    return rowsOf(await answer.body.text());
  };
}

function rowsOf(body: string): number {
  const json = JSON.parse(body) as { JoinLogs: unknown[]; KillLogs: unknown[] };
  return json.JoinLogs.length + json.KillLogs.length;
}

/** The least that undici can do for an answer: no stream, no promise of its own. */
function dispatched(pool: Pool): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    pool.dispatch(
      { method: "GET", path: PATH, headers: { "server-key": KEY } },
      {
        onRequestStart: () => {},
        onResponseStart: () => {},
        onResponseData: (_controller, chunk) => chunks.push(chunk),
        onResponseEnd: () => resolve(Buffer.concat(chunks).toString()),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

const poll = pollOf(peer);
process.on("message", async (polls: number) => {
  const before = process.cpuUsage();
  for (let n = 0; n < polls; n++) if ((await poll()) === 0) throw new Error("an empty answer was read");
  const { user, system } = process.cpuUsage(before);
  process.send?.((user + system) / polls);
});
process.on("disconnect", () => process.exit());
