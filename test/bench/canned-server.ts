import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Service } from "../../src/sandbox/service/service.ts";

/**
 * A process of its own that answers with real answers of the emulated service, made beforehand so that the CPU of a
 * client can be measured without the service's. Each request gets the next of an hour of polls of a living town, so that
 * the logs move as they do for a bot; then the hour begins again. Sends its port to the parent; ends with it.
 */
const EVERY_MS = 15_000;
const ANSWERS = 240;

const key = "bench-key";
const intensity = process.argv[2] === "busy" ? "busy" : "normal";
const runningMs = intensity === "busy" ? 3_600_000 : 900_000;
const startMs = Date.now() - runningMs;
let nowMs = startMs;
const service = new Service({ nowMs: () => nowMs, keys: [key], town: { intensity } });
const path = "/v2/server?JoinLogs=true&KillLogs=true&ModCalls=true";
const bodies = Array.from({ length: ANSWERS }, (_, poll) => {
  nowMs = startMs + runningMs + poll * EVERY_MS;
  const answer = service.handle({ method: "GET", path, headers: { "server-key": key } });
  if (answer.status !== 200) throw new Error(`the emulated service answered ${answer.status}`);
  return Buffer.from(answer.body);
});

let polls = 0;
const server = createServer((request, response) => {
  request.resume();
  const body = bodies[polls++ % ANSWERS];
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": body?.length,
    "x-ratelimit-bucket": "global",
    "x-ratelimit-limit": "1000000",
    "x-ratelimit-remaining": "999999",
    "x-ratelimit-reset": String(Math.ceil(Date.now() / 1_000) + 1),
  });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0) / ANSWERS;
  process.send?.({ port, bytes });
});
process.on("disconnect", () => process.exit());
