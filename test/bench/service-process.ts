import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { PlayerRef } from "../../src/domain/model.ts";

export interface Counts {
  /** Polls of the quiet servers' feeds. */
  readonly polls: number;
  /** Of these servers, how many were read twice or more often. */
  readonly readTwice: number;
  readonly answers429: number;
  readonly avoidable: number;
  readonly commands: number;
  readonly requests: number;
  /** Requests that were not answered with a 429, by whose servers and for what. */
  readonly taken: Readonly<Record<string, number>>;
}

export interface ServiceOptions {
  /** Servers whose keys it knows: those of the communities in the order of their index, then others. */
  readonly servers: number;
  /** Of these the first so many are counted. */
  readonly quiet: number;
  readonly perS: number;
  /** In which they are counted. @default 1_000 */
  readonly windowMs?: number;
  /** The share of servers that have players. @default 0.35 */
  readonly openShare?: number;
}

/** The emulated service as a child process. */
export class ServiceProcess {
  readonly url: string;
  /** Who of the staff plays on each server when it begins. */
  readonly staff: readonly (readonly Required<PlayerRef>[])[];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, { url, staff }: Pick<ServiceProcess, "url" | "staff">) {
    this.#child = child;
    this.url = url;
    this.staff = staff;
  }

  static async start({
    servers,
    quiet,
    perS,
    windowMs = 1_000,
    openShare = 0.35,
  }: ServiceOptions): Promise<ServiceProcess> {
    const file = fileURLToPath(new URL("./ack-service.ts", import.meta.url));
    const child = fork(file, [servers, quiet, perS, windowMs, openShare].map(String), { execArgv: [] });
    const [told] = await once(child, "message");
    return new ServiceProcess(child, told as Pick<ServiceProcess, "url" | "staff">);
  }

  async counts(): Promise<Counts> {
    const answer = once(this.#child, "message");
    this.#child.send("counts");
    const [counts] = await answer;
    return counts;
  }

  stop(): void {
    this.#child.disconnect();
  }
}
