import { createHash } from "node:crypto";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Drawn } from "../../domain/ports/stats.ts";
import type { Picture } from "../../domain/stats.ts";
import { KeptAnswers } from "../stats/kept-answers.ts";

export interface PictureDeskPorts {
  readonly clock: Clock;
  /** Draws in the thread for it. */
  draw(pictures: readonly Picture[], options?: DrawOptions): Promise<readonly Uint8Array[]>;
}

export interface DrawOptions {
  readonly withinMs?: number;
}

/** One new drawing of a guild in this time. */
const EVERY_MS = 60_000;
/** Drawings that are kept: about 60 KB for each picture. */
const MOST_KEPT = 64;

/** The pictures of all guilds: none is drawn twice in a row, and none of a guild soon after another. */
export class PictureDesk {
  readonly #ports: PictureDeskPorts;
  readonly #kept = new KeptAnswers<readonly Uint8Array[]>(MOST_KEPT);
  /** By guild, on the monotonic clock; the earliest first. */
  readonly #nextMs = new Map<string, number>();

  constructor(ports: PictureDeskPorts) {
    this.#ports = ports;
  }

  /** Rejects as the thread does; that counts as no drawing. */
  async draw(guildId: string, pictures: readonly Picture[], options?: DrawOptions): Promise<Drawn> {
    const { clock, draw } = this.#ports;
    const question = createHash("sha256").update(JSON.stringify(pictures)).digest("base64url");
    const kept = this.#kept.get(guildId, question);
    if (kept !== undefined) return { kind: "made", pngs: await kept };

    const nowMs = clock.monotonicMs();
    const nextMs = this.#nextMs.get(guildId) ?? nowMs;
    if (nextMs > nowMs) return { kind: "later", atMs: clock.nowMs() + nextMs - nowMs };

    this.#forgetPast(nowMs);
    this.#nextMs.set(guildId, nowMs + EVERY_MS);
    const drawing = draw(pictures, options);
    this.#kept.put(guildId, question, drawing);
    try {
      return { kind: "made", pngs: await drawing };
    } catch (error) {
      this.#nextMs.delete(guildId);
      throw error;
    }
  }

  /** What was drawn may name somebody who is to be forgotten. */
  forgetGuild(guildId: string): void {
    this.#kept.forgetGuild(guildId);
  }

  #forgetPast(nowMs: number): void {
    for (const [guildId, nextMs] of this.#nextMs) {
      if (nextMs > nowMs) return;
      this.#nextMs.delete(guildId);
    }
  }
}
