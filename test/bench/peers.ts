import { setTimeout as sleep } from "node:timers/promises";
import { ErlcClient } from "erlc-api";
import { Pool } from "undici";
import { serve } from "../../src/sandbox/service/http.ts";
import { Service, type ServiceOptions } from "../../src/sandbox/service/service.ts";
import { FakeKeyRing } from "../support/network.ts";
import { realClient } from "./real-client.ts";

/** A client as a bench drives it, with one server key after the other. */
export interface Peer {
  readonly name: string;
  read(key: string): Promise<unknown>;
  command(key: string, text: string): Promise<unknown>;
  close(): Promise<void>;
}

const TRY_AGAIN_MS = 1_200;

/** undici and JSON.parse, nothing else: what a first version of a bot does. */
export function bareUndici(url: string, tries = 1): Peer {
  const pool = new Pool(url, { connections: 32, allowH2: false });
  const ask = async (method: "GET" | "POST", path: string, key: string, body?: string): Promise<unknown> => {
    const headers = {
      "server-key": key,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const answer = await pool.request({ method, path, headers, body: body ?? null });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new Error(`status ${answer.statusCode}`);
    return JSON.parse(text);
  };
  const again = async (work: () => Promise<unknown>): Promise<unknown> => {
    for (let left = tries; ; left--) {
      try {
        return await work();
      } catch (error) {
        if (left <= 1) throw error;
        await sleep(TRY_AGAIN_MS);
      }
    }
  };
  return {
    name: tries > 1 ? `undici, ${tries} tries` : "bare undici",
    read: (key) => again(() => ask("GET", "/v2/server", key)),
    command: (key, text) =>
      again(() => ask("POST", "/v2/server/command", key, JSON.stringify({ command: text }))),
    close: () => pool.destroy(),
  };
}

/** npm's erlc-api@4.0.0 as its manual shows it: one client per server key, its own retries and waits on. */
export function erlcApi(url: string): Peer {
  const clients = new Map<string, ErlcClient>();
  const of = (key: string) => {
    const known = clients.get(key) ?? new ErlcClient({ serverKey: key, baseUrl: url });
    clients.set(key, known);
    return known;
  };
  return {
    name: "erlc-api",
    read: (key) => of(key).server.get(),
    command: (key, text) => of(key).commands.execute(text),
    close: async () => {},
  };
}

/** Ours, on the machine's clock and its real transport. */
export function marshal(url: string): Peer {
  const ring = new FakeKeyRing();
  const client = realClient(url, ring);
  return {
    name: "marshal",
    read: (key) => client.read(ring.add(key), [], { priority: "poll" }),
    command: (key, text) => client.command(ring.add(key), text),
    close: () => client.close(),
  };
}

/** A service of its own for each peer, so that none spends another's limits; all driven at the same time. */
export async function withService<T>(
  options: Omit<ServiceOptions, "nowMs">,
  make: (url: string) => Peer,
  drive: (peer: Peer, service: Service) => Promise<T>,
): Promise<T> {
  const service = new Service({ nowMs: () => Date.now(), ...options });
  const { url, close } = await serve(service);
  const peer = make(url);
  try {
    return await drive(peer, service);
  } finally {
    await peer.close();
    await close();
  }
}

/** Asks at a steady rate without waiting for answers, as pollers do that know no limits. */
export async function steadily(
  load: { readonly perSecond: number; readonly forMs: number; readonly mostWaiting: number },
  ask: (n: number) => Promise<unknown>,
): Promise<void> {
  const endMs = Date.now() + load.forMs;
  let waiting = 0;
  for (let n = 0; Date.now() < endMs; n++) {
    if (waiting < load.mostWaiting) {
      waiting += 1;
      ask(n).then(
        () => {
          waiting -= 1;
        },
        () => {
          waiting -= 1;
        },
      );
    }
    await sleep(1_000 / load.perSecond);
  }
}
