import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that systems give by themselves (from 32768 on Linux, from 49152 elsewhere): one of those may go to
 * any connection of the machine between this look and the start of the program that shall listen there.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 30_000;
const TRIES = 100;

/**
 * A port of the loopback that is free, for a program that must be told its address before it starts. No other process
 * gets it here while this one lives, also where the program starts much later: the UDP port of that number, which no
 * program of ours uses, is kept as a sign that it was given.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
  throw new Error(`no free port was found in ${TRIES} tries`);
}

/** Makes it this process's until it ends, however it ends; false: it is another one's. */
async function reserve(port: number): Promise<boolean> {
  const sign = createSocket("udp4");
  try {
    sign.bind({ port, address: "127.0.0.1", exclusive: true });
    await once(sign, "listening");
  } catch {
    sign.close();
    return false;
  }
  sign.unref();
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, "127.0.0.1");
    await once(probe, "listening");
  } catch {
    return false;
  }
  probe.close();
  await once(probe, "close");
  return true;
}
