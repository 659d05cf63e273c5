import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * A process that does nothing but answer: what its answers are late by is the machine's doing, and the bot's are late
 * by that too. The figures are not corrected by it.
 */
export class Echo {
  readonly times: number[] = [];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on("message", (askedAtMs) => this.times.push(performance.now() - Number(askedAtMs)));
  }

  static async start(): Promise<Echo> {
    const child = fork(fileURLToPath(new URL("./ack-echo.ts", import.meta.url)), [], { execArgv: [] });
    await once(child, "message");
    return new Echo(child);
  }

  ask(): void {
    this.#child.send(performance.now());
  }

  forget(): void {
    this.times.length = 0;
  }

  stop(): void {
    this.#child.disconnect();
  }
}
