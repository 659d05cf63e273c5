import { createClient } from "@redis/client";
import { type RedisServer, startRedis } from "./redis-server.ts";
import { TcpWay } from "./tcp-way.ts";

/**
 * A Redis and its replica behind one address, as a proxy or a name that moves gives them: a failover is a new machine
 * under the old address.
 */
export class RedisPair {
  readonly #servers: readonly [RedisServer, RedisServer];
  readonly #way: TcpWay;
  readonly #present: { server: RedisServer };

  private constructor(
    servers: readonly [RedisServer, RedisServer],
    present: { server: RedisServer },
    way: TcpWay,
  ) {
    this.#servers = servers;
    this.#present = present;
    this.#way = way;
  }

  static async start(): Promise<RedisPair> {
    const first = await startRedis({ appendfsync: "everysec" });
    const second = await startRedis({ appendfsync: "everysec" });
    const present = { server: first };
    const way = await TcpWay.open(() => Number(new URL(present.server.url).port));
    const pair = new RedisPair([first, second], present, way);
    await pair.#follow();
    return pair;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#way.port}`;
  }

  /** kill -9, and after a while the same machine again with what its file kept. */
  async crash(awayMs: number): Promise<void> {
    await this.#present.server.kill();
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    await this.#present.server.start();
    await this.#follow();
  }

  /** The replica takes over without what was written in the last `behindMs`; the old one is gone. */
  async failOver(behindMs: number): Promise<void> {
    const old = this.#present.server;
    const heir = this.#other();
    await ask(heir, ["REPLICAOF", "NO", "ONE"]);
    await new Promise((resolve) => setTimeout(resolve, behindMs));
    this.#present.server = heir;
    this.#way.drop();
    await old.kill();
    await old.start();
    await this.#follow();
  }

  /** Every write is refused, as by a machine whose memory or disk is full. */
  async refuseWrites(forMs: number): Promise<void> {
    await ask(this.#present.server, ["CONFIG", "SET", "maxmemory", "1"]);
    await new Promise((resolve) => setTimeout(resolve, forMs));
    await ask(this.#present.server, ["CONFIG", "SET", "maxmemory", "0"]);
  }

  async stop(): Promise<void> {
    this.#way.close();
    for (const server of this.#servers) await server.stop();
  }

  #other(): RedisServer {
    const [first, second] = this.#servers;
    return this.#present.server === first ? second : first;
  }

  /** The one that is not in use copies the other. */
  async #follow(): Promise<void> {
    const port = new URL(this.#present.server.url).port;
    await ask(this.#other(), ["REPLICAOF", "127.0.0.1", port]);
  }
}

/** One command of an operator. */
async function ask({ url }: RedisServer, words: readonly string[]): Promise<void> {
  const client = createClient({ url });
  client.on("error", () => undefined);
  await client.connect();
  await client.sendCommand([...words]);
  client.destroy();
}
