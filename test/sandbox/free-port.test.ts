import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";

const MODULE = new URL("../../src/sandbox/free-port.ts", import.meta.url).href;
/** So many that processes which chose by chance alone would meet, of the ten thousand there are. */
const PORTS = 300;
const PROCESSES = 3;
const CHOOSE = `
  const { freePort } = await import(${JSON.stringify(MODULE)});
  const ports = [];
  while (ports.length < ${PORTS}) ports.push(await freePort());
  console.log(JSON.stringify(ports));
  process.stdin.resume();
`;

test("no two processes get one port, also where nothing listens there yet", async (t) => {
  const chosen = Array.from({ length: PROCESSES }, async () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", CHOOSE], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    t.after(() => child.kill());
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const ports: unknown = JSON.parse(String(line));
    assert.ok(Array.isArray(ports));
    return ports;
  });
  const ports = (await Promise.all(chosen)).flat();
  assert.equal(ports.length, PROCESSES * PORTS);
  assert.equal(new Set(ports).size, ports.length);
});
