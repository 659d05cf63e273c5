import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "./free-port.ts";

export interface Redis {
  readonly url: string;
  stop(): Promise<void>;
}

/** The Redis or Valkey of this machine; undefined where it has none. */
function binary(): string | undefined {
  const places = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => [join(folder, "redis-server"), join(folder, "valkey-server")]);
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Starts a Redis of its own on a loopback port with its data in `folder`; undefined where this machine has none. */
export async function startRedis(folder: string): Promise<Redis | undefined> {
  const program = binary();
  if (program === undefined) return undefined;
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const child = spawn(program, [...options, "--appendonly", "yes"], { stdio: ["ignore", "pipe", "ignore"] });
  const gone = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  let isReady = false;
  for await (const line of lines) {
    isReady = /ready to accept connections/i.test(line);
    if (isReady) break;
  }
  if (!isReady) throw new Error(`redis-server ended on port ${port} before it was ready`);
  // What it says later is read and dropped: a full pipe would stop it.
  child.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await gone;
    },
  };
}
