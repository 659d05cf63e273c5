import { after, before } from "node:test";
import type { Store } from "../../src/store/keyv-documents.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type RedisOptions, type RedisServer, startRedis } from "../support/redis-server.ts";

/** For a suite: a Redis of its own and a store on it, from its beginning to its end. */
export function storeOnRedis(options: RedisOptions = {}): {
  readonly server: RedisServer;
  readonly store: Store;
} {
  let opened: { readonly server: RedisServer; readonly store: Store } | undefined;
  before(async () => {
    const server = await startRedis(options);
    opened = { server, store: await openStore(server.url) };
  });
  after(async () => {
    await opened?.store.close();
    await opened?.server.stop();
  });
  const now = () => {
    if (opened === undefined) throw new Error("the suite has not begun");
    return opened;
  };
  return {
    get server() {
      return now().server;
    },
    get store() {
      return now().store;
    },
  };
}
