import type { AskedBan } from "../../domain/asked-ban.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import { APPROVED_FOR_MS } from "./asked-rules.ts";

const AGAIN_AFTER_MS = 60_000;

export interface AskedWaitsPorts {
  readonly clock: Clock;
  /** Its minute is over. */
  onAgain(id: string): void;
  /** A day has passed since it was approved. */
  onOld(id: string): void;
}

interface Wait {
  readonly isForPlayers: boolean;
  end(): void;
}

/** What each approved ban waits for: somebody who joins, or a minute, where something passes by itself. */
export class AskedWaits {
  readonly #ports: AskedWaitsPorts;
  readonly #byId = new Map<string, Wait>();

  constructor(ports: AskedWaitsPorts) {
    this.#ports = ports;
  }

  /** In the place of what it waited for before: tries that each made their own would become a flood. */
  begin({ id, approval }: AskedBan, { isForPlayers }: Pick<Wait, "isForPlayers">): void {
    const { clock, onAgain, onOld } = this.#ports;
    this.forget(id);
    // Of a clock that was set back the rest would be longer than all of it.
    const leftMs = Math.min(APPROVED_FOR_MS, (approval?.atMs ?? 0) + APPROVED_FOR_MS - clock.nowMs());
    const timers = [clock.after(Math.max(0, leftMs), () => onOld(id))];
    if (!isForPlayers) timers.push(clock.after(AGAIN_AFTER_MS, () => onAgain(id)));
    const end = () => {
      for (const cancel of timers) cancel();
    };
    this.#byId.set(id, { isForPlayers, end });
  }

  /** Somebody who joins changes nothing: its minute is not over. */
  isResting(id: string): boolean {
    return this.#byId.get(id)?.isForPlayers === false;
  }

  forget(id: string): void {
    this.#byId.get(id)?.end();
    this.#byId.delete(id);
  }
}
