import type { Clock } from "../domain/ports/clock.ts";
import type { StepDone } from "./queries/erase-expired.ts";

export interface EraserParts {
  readonly clock: Clock;
  /** The present by the service's clock, seconds; undefined before any answer stated it. */
  presentS(): number | undefined;
  erase(args: {
    readonly afterScope: number;
    readonly nowS: number | undefined;
    readonly nowMs: number;
  }): Promise<StepDone | undefined>;
  /** Gathers what cases keep of the minutes around them, for some. True: for all. */
  keepEvidence(args: { readonly nowS: number }): Promise<boolean>;
  erasePersons(args: { readonly nowS: number | undefined }): Promise<boolean>;
  /** Guilds of this process that went long ago, of which cases or watches are left. */
  departed(args: { readonly nowMs: number }): Promise<readonly string[]>;
  /** False: it is back, and nothing was erased. */
  eraseDeparted(guildId: string): Promise<boolean>;
  onErased(guildId: string): void;
  onFailed(error: unknown): void;
}

const FIRST_ROUND_AFTER_MS = 10 * 60_000;
const ROUND_MS = 60 * 60_000;
/** A pause between two steps, in which other queries have the database. */
const PAUSE_MS = 50;

/**
 * Erases what is too old, in small steps. The age of rows is counted by the clock that is behind, the service's or ours:
 * either may have been set by years, and would then erase everything. Where no server has stated the time, only what has ended by our clock goes: a
 * guild that has unlinked its last server may never hear of the service again.
 */
export class Eraser {
  readonly #parts: EraserParts;
  readonly #abort = new AbortController();
  #cancel: () => void = () => undefined;

  constructor(parts: EraserParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#after(FIRST_ROUND_AFTER_MS);
  }

  stop(): void {
    this.#cancel();
    this.#abort.abort();
  }

  /** One round over all servers. Rejects when the database fails or the bot stops. */
  async round(): Promise<void> {
    const { clock, erase, erasePersons, keepEvidence } = this.#parts;
    await this.#eraseDeparted();
    const serviceS = this.#parts.presentS();
    const nowS = serviceS && Math.min(serviceS, Math.floor(clock.nowMs() / 1_000));
    while (nowS !== undefined && !(await keepEvidence({ nowS })))
      await clock.sleep(PAUSE_MS, this.#abort.signal);
    let afterScope = 0;
    for (;;) {
      const step = await erase({ afterScope, nowS, nowMs: clock.nowMs() });
      if (step === undefined) break;
      // The same server again, until nothing is left of it.
      afterScope = step.isDone ? step.scope : step.scope - 1;
      if (!step.isDone) await clock.sleep(PAUSE_MS, this.#abort.signal);
    }
    while (!(await erasePersons({ nowS }))) await clock.sleep(PAUSE_MS, this.#abort.signal);
  }

  async #eraseDeparted(): Promise<void> {
    const { clock, departed, eraseDeparted, onErased } = this.#parts;
    for (const guildId of await departed({ nowMs: clock.nowMs() })) {
      if (await eraseDeparted(guildId)) onErased(guildId);
      await clock.sleep(PAUSE_MS, this.#abort.signal);
    }
  }

  #after(delayMs: number): void {
    this.#cancel = this.#parts.clock.after(delayMs, () => {
      const again = () => {
        if (!this.#abort.signal.aborted) this.#after(ROUND_MS);
      };
      this.round()
        .catch((error: unknown) => {
          if (!this.#abort.signal.aborted) this.#parts.onFailed(error);
        })
        .finally(again);
    });
  }
}
