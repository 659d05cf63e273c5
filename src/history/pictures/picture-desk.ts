import { createHash } from "node:crypto";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Drawn } from "../../domain/ports/stats.ts";
import type { Picture } from "../../domain/stats.ts";

export interface PictureDeskPorts {
  readonly clock: Clock;
  /** Draws in the worker. */
  draw(pictures: readonly Picture[]): Promise<readonly Uint8Array[]>;
}

/** One new drawing of a guild in this time. */
const EVERY_MS = 60_000;
/** Drawings that are kept: about 60 KB each. */
const MOST_KEPT = 64;

/** The pictures of all guilds: none is drawn twice in a row, and none of a guild soon after another. */
export class PictureDesk {
  readonly #ports: PictureDeskPorts;
  /** The oldest use first. */
  readonly #kept = new Map<string, Promise<readonly Uint8Array[]>>();
  /** By guild, on the monotonic clock. */
  readonly #nextMs = new Map<string, number>();

  constructor(ports: PictureDeskPorts) {
    this.#ports = ports;
  }

  /** Rejects as the worker does; that counts as no drawing. */
  async draw(guildId: string, pictures: readonly Picture[]): Promise<Drawn> {
    const { clock, draw } = this.#ports;
    const key = createHash("sha256").update(guildId).update(JSON.stringify(pictures)).digest("base64url");
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#keep(key, kept);
      return { kind: "made", pngs: await kept };
    }

    const nowMs = clock.monotonicMs();
    const nextMs = this.#nextMs.get(guildId) ?? nowMs;
    if (nextMs > nowMs) return { kind: "later", atMs: clock.nowMs() + nextMs - nowMs };

    this.#forgetPast(nowMs);
    this.#nextMs.set(guildId, nowMs + EVERY_MS);
    const drawing = draw(pictures);
    this.#keep(key, drawing);
    try {
      return { kind: "made", pngs: await drawing };
    } catch (error) {
      this.#kept.delete(key);
      this.#nextMs.delete(guildId);
      throw error;
    }
  }

  #keep(key: string, drawing: Promise<readonly Uint8Array[]>): void {
    this.#kept.delete(key);
    this.#kept.set(key, drawing);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  #forgetPast(nowMs: number): void {
    for (const [guildId, nextMs] of this.#nextMs) {
      if (nextMs > nowMs) return;
      this.#nextMs.delete(guildId);
    }
  }
}
