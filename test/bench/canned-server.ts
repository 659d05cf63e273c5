import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Service } from "../../src/sandbox/service/service.ts";

/**
 * A process of its own that answers every request with one real answer of the emulated service, so that the CPU of a
 * client can be measured without the service's. Sends its port to the parent; ends with it.
 */
const key = "bench-key";
const intensity = process.argv[2] === "busy" ? "busy" : "normal";
const runningMs = intensity === "busy" ? 3_600_000 : 900_000;
const startMs = Date.now() - runningMs;
let nowMs = startMs;
const service = new Service({ nowMs: () => nowMs, keys: [key], town: { intensity } });
nowMs = startMs + runningMs;
const path = "/v2/server?JoinLogs=true&KillLogs=true&ModCalls=true";
const answer = service.handle({ method: "GET", path, headers: { "server-key": key } });
const body = Buffer.from(answer.body);

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": body.length,
    "x-ratelimit-bucket": "global",
    "x-ratelimit-limit": "1000000",
    "x-ratelimit-remaining": "999999",
    "x-ratelimit-reset": String(Math.ceil(Date.now() / 1_000) + 1),
  });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port, bytes: body.length });
});
process.on("disconnect", () => process.exit());
