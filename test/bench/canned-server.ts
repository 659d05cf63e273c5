import { type AddressInfo, createServer } from "node:net";
import { Service } from "../../src/sandbox/service/service.ts";

/**
 * A process of its own that answers with real answers of the emulated service, made beforehand so that the CPU of a
 * client can be measured without the service's. Each request gets the next of an hour of polls of a living town, so that
 * the logs move as they do for a bot; then the hour begins again. Sends its port to the parent; ends with it.
 */
const EVERY_MS = 15_000;
const ANSWERS = 240;
/** Of a request: all are GETs. */
const END = "\r\n\r\n";

const key = "bench-key";
const intensity = process.argv[2] === "busy" ? "busy" : "normal";
const runningMs = intensity === "busy" ? 3_600_000 : 900_000;
// The whole hour lies behind us: rows of the future are set aside.
const startMs = Date.now() - runningMs - ANSWERS * EVERY_MS;
let nowMs = startMs;
const service = new Service({ nowMs: () => nowMs, keys: [key], town: { intensity } });
/** With "whole" as the second argument each key has its own place in the hour, and answers hold players and staff too. */
const isWhole = process.argv[3] === "whole";
const lists = ["JoinLogs", "KillLogs", "ModCalls", ...(isWhole ? ["CommandLogs", "Players", "Staff"] : [])];
const path = `/v2/server?${lists.map((list) => `${list}=true`).join("&")}`;
const bodies = Array.from({ length: ANSWERS }, (_, poll) => {
  nowMs = startMs + runningMs + poll * EVERY_MS;
  const answered = service.handle({ method: "GET", path, headers: { "server-key": key } });
  if (answered.status !== 200) throw new Error(`the emulated service answered ${answered.status}`);
  return Buffer.from(answered.body);
});

const polls = new Map<string, number>();
function answer(request: string): Buffer {
  const from = isWhole ? (/server-key: *(\S+)/i.exec(request)?.[1] ?? "") : "";
  const poll = polls.get(from) ?? 0;
  polls.set(from, poll + 1);
  const body = bodies[poll % ANSWERS] ?? Buffer.alloc(0);
  const head = [
    "HTTP/1.1 200 OK",
    "content-type: application/json; charset=utf-8",
    `content-length: ${body.length}`,
    "x-ratelimit-bucket: global",
    "x-ratelimit-limit: 1000000",
    "x-ratelimit-remaining: 999999",
    `x-ratelimit-reset: ${Math.ceil(Date.now() / 1_000) + 1}`,
    `date: ${new Date().toUTCString()}`,
    "connection: keep-alive",
    "keep-alive: timeout=5",
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

// A real service runs on another machine: the less this one does, the less of the clients' caches it takes.
const server = createServer({ noDelay: true }, (socket) => {
  let heard = "";
  socket.on("data", (chunk) => {
    heard += chunk.toString("latin1");
    for (let end = heard.indexOf(END); end >= 0; end = heard.indexOf(END)) {
      const request = heard.slice(0, end);
      heard = heard.slice(end + END.length);
      socket.write(answer(request));
    }
  });
  socket.on("error", () => socket.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0) / ANSWERS;
  process.send?.({ port, bytes });
});
process.on("disconnect", () => process.exit());
