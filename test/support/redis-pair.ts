import { connect, createServer, type Server, type Socket } from "node:net";
import { createClient } from "@redis/client";
import { type RedisServer, startRedis } from "./redis-server.ts";

/**
 * A Redis and its replica behind one address, as a proxy or a name that moves gives them: a failover is a new machine
 * under the old address.
 */
export class RedisPair {
  readonly #servers: readonly [RedisServer, RedisServer];
  readonly #proxy: Server;
  readonly #sockets = new Set<Socket>();
  #present: RedisServer;
  #port = 0;

  private constructor(servers: readonly [RedisServer, RedisServer]) {
    this.#servers = servers;
    this.#present = servers[0];
    this.#proxy = createServer((socket) => this.#carry(socket));
  }

  static async start(): Promise<RedisPair> {
    const first = await startRedis({ appendfsync: "everysec" });
    const second = await startRedis({ appendfsync: "everysec" });
    const pair = new RedisPair([first, second]);
    await new Promise<void>((resolve) => pair.#proxy.listen(0, "127.0.0.1", resolve));
    const address = pair.#proxy.address();
    pair.#port = typeof address === "object" && address !== null ? address.port : 0;
    await pair.#follow();
    return pair;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  /** kill -9, and after a while the same machine again with what its file kept. */
  async crash(awayMs: number): Promise<void> {
    await this.#present.kill();
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    await this.#present.start();
    await this.#follow();
  }

  /** The replica takes over without what was written in the last `behindMs`; the old one is gone. */
  async failOver(behindMs: number): Promise<void> {
    const old = this.#present;
    const heir = this.#other();
    await ask(heir, ["REPLICAOF", "NO", "ONE"]);
    await new Promise((resolve) => setTimeout(resolve, behindMs));
    this.#present = heir;
    for (const socket of this.#sockets) socket.destroy();
    await old.kill();
    await old.start();
    await this.#follow();
  }

  /** Every write is refused, as by a machine whose memory or disk is full. */
  async refuseWrites(forMs: number): Promise<void> {
    await ask(this.#present, ["CONFIG", "SET", "maxmemory", "1"]);
    await new Promise((resolve) => setTimeout(resolve, forMs));
    await ask(this.#present, ["CONFIG", "SET", "maxmemory", "0"]);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#proxy.close();
    for (const server of this.#servers) await server.stop();
  }

  #other(): RedisServer {
    const [first, second] = this.#servers;
    return this.#present === first ? second : first;
  }

  /** The one that is not in use copies the other. */
  async #follow(): Promise<void> {
    const port = new URL(this.#present.url).port;
    await ask(this.#other(), ["REPLICAOF", "127.0.0.1", port]);
  }

  #carry(socket: Socket): void {
    const onward = connect(Number(new URL(this.#present.url).port), "127.0.0.1");
    for (const end of [socket, onward]) {
      this.#sockets.add(end);
      end.on("error", () => undefined);
      end.on("close", () => {
        this.#sockets.delete(end);
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
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
