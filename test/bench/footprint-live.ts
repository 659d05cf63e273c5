import { systemClock } from "../../src/clock.ts";
import type { ListName } from "../../src/domain/model.ts";
import { LatestSnapshots } from "../../src/watch/latest-snapshots.ts";
import { FakeKeyRing } from "../support/network.ts";
import { settledHeapBytes } from "./heap.ts";
import { realClient } from "./real-client.ts";

/**
 * What is kept of the answers of so many servers, in a process of its own: the latest snapshot. Arguments: the service's
 * address, number of servers. Tells the parent its heap after an hour of polls, and a minute later.
 */
const LISTS: readonly ListName[] = ["joinLogs", "killLogs", "commandLogs", "modCalls", "players", "staff"];
/** Of each server; the logs are full long before. */
const POLLS = 6;
const MINUTE_MS = 60_000;

const [url = "", servers = ""] = process.argv.slice(2);
const ring = new FakeKeyRing();
const sources = Array.from({ length: Number(servers) }, (_, n) =>
  ring.add(`Server${n}Key-AbCdEfGhIjKlMnOpQrStUv`),
);
const client = realClient(url, ring);
let laterMs = 0;
const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs };
const snapshots = new LatestSnapshots({ client, clock });
let rows = 0;
for (let poll = 0; poll < POLLS; poll++) {
  for (const source of sources) {
    const askedMs = systemClock.monotonicMs();
    const snapshot = await client.read(source, LISTS, { priority: "poll" });
    rows += snapshot.lists.joinLogs?.length ?? 0;
    snapshots.record(snapshot, askedMs);
  }
}
if (rows === 0) throw new Error("the service answered without rows");
const heapBytes = await settledHeapBytes();
laterMs = MINUTE_MS;
const other = ring.add("AnotherServerKey-AbCdEfGhIjKlMnOpQrStUv");
const answer = await client.read(other, [], { priority: "poll" });
for (const _ of sources) snapshots.record(answer, clock.monotonicMs());
process.send?.({ heapBytes, packedBytes: await settledHeapBytes() });
// Both are still needed here, so the heap above held them.
snapshots.stop();
await client.close();
process.disconnect?.();
