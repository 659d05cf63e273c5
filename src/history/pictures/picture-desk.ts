import { createHash } from "node:crypto";
import { isMoving } from "../../domain/map.ts";
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

/** One new drawing of a guild in this time, and one replay, which takes as long to draw as twenty of the others. */
const EVERY_MS = { still: 60_000, replay: 5 * 60_000 } as const;
/** Drawings that are kept: about 60 KB for each picture. */
const MOST_KEPT = 64;

/** The pictures of all guilds: none is drawn twice in a row, and none of a guild soon after another. */
export class PictureDesk {
  readonly #ports: PictureDeskPorts;
  readonly #kept = new KeptAnswers<readonly Uint8Array[]>(MOST_KEPT);
  /** By guild, on the monotonic clock. */
  readonly #nextMs = { still: new Map<string, number>(), replay: new Map<string, number>() };

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
    const kind = pictures.some((picture) => picture.kind === "replay" && isMoving(picture))
      ? "replay"
      : "still";
    const next = this.#nextMs[kind];
    const nextMs = next.get(guildId) ?? nowMs;
    if (nextMs > nowMs) return { kind: "later", atMs: clock.nowMs() + nextMs - nowMs };

    forgetPast(next, nowMs);
    next.set(guildId, nowMs + EVERY_MS[kind]);
    const drawing = draw(pictures, options);
    this.#kept.put(guildId, question, drawing);
    try {
      return { kind: "made", pngs: await drawing };
    } catch (error) {
      next.delete(guildId);
      throw error;
    }
  }

  /** What was drawn may name somebody who is to be forgotten. */
  forgetGuild(guildId: string): void {
    this.#kept.forgetGuild(guildId);
  }
}

/** Those whose time is over; the earliest stand first. */
function forgetPast(next: Map<string, number>, nowMs: number): void {
  for (const [guildId, nextMs] of next) {
    if (nextMs > nowMs) return;
    next.delete(guildId);
  }
}
