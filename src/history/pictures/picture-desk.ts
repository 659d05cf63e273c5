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

/**
 * One new drawing of a guild in this time: of figures, of where people are, and one replay, which takes as long to draw as
 * twenty of the others. Who is in a situation waits for nobody's figures.
 */
const EVERY_MS = { figures: 60_000, map: 60_000, replay: 5 * 60_000 } as const;
type Turn = keyof typeof EVERY_MS;
/** Drawings that are kept: about 60 KB for each picture. */
const MOST_KEPT = 64;

interface Recent {
  readonly pngs: Promise<readonly Uint8Array[]>;
  readonly ofMs: number;
  /** On the monotonic clock. */
  readonly untilMs: number;
}

/** The pictures of all guilds: none is drawn twice in a row, and none of a guild soon after another. */
export class PictureDesk {
  readonly #ports: PictureDeskPorts;
  readonly #kept = new KeptAnswers<readonly Uint8Array[]>(MOST_KEPT);
  /** By guild, on the monotonic clock. */
  readonly #nextMs = {
    figures: new Map<string, number>(),
    map: new Map<string, number>(),
    replay: new Map<string, number>(),
  };
  /** By guild and subject: what was drawn within its turn. */
  readonly #recent = new Map<string, Recent>();
  /** Who waits for a drawing now. */
  readonly #waiting = new Set<{ readonly guildId: string; isOutdated: boolean }>();

  constructor(ports: PictureDeskPorts) {
    this.#ports = ports;
  }

  /** Rejects as the thread does; that counts as no drawing. */
  async draw(
    guildId: string,
    pictures: readonly Picture[],
    options: DrawOptions & { readonly subject?: string | undefined } = {},
  ): Promise<Drawn> {
    const waiting = { guildId, isOutdated: false };
    this.#waiting.add(waiting);
    const drawing = this.#drawn(guildId, pictures, options);
    const drawn = await drawing.finally(() => this.#waiting.delete(waiting));
    if (drawn.kind === "later" || !waiting.isOutdated) return drawn;
    // It may show somebody who was forgotten while it was drawn: it is drawn anew when it is asked for again.
    const turn = turnOf(pictures);
    this.#nextMs[turn].delete(guildId);
    return { kind: "later", atMs: this.#ports.clock.nowMs(), everyMs: EVERY_MS[turn] };
  }

  async #drawn(
    guildId: string,
    pictures: readonly Picture[],
    { withinMs, subject }: DrawOptions & { readonly subject?: string | undefined },
  ): Promise<Drawn> {
    const { clock, draw } = this.#ports;
    const question = createHash("sha256").update(JSON.stringify(pictures)).digest("base64url");
    const kept = this.#kept.get(guildId, question);
    if (kept !== undefined) return { kind: "made", pngs: await kept };

    const nowMs = clock.monotonicMs();
    const turn = turnOf(pictures);
    const next = this.#nextMs[turn];
    const nextMs = next.get(guildId) ?? nowMs;
    const key = subject === undefined ? undefined : `${guildId} ${subject}`;
    if (nextMs > nowMs) {
      const recent = key === undefined ? undefined : this.#recent.get(key);
      if (recent !== undefined && recent.untilMs > nowMs)
        return { kind: "made", pngs: await recent.pngs, ofMs: recent.ofMs };
      return { kind: "later", atMs: clock.nowMs() + nextMs - nowMs, everyMs: EVERY_MS[turn] };
    }

    const untilMs = nowMs + EVERY_MS[turn];
    forgetPast(next, nowMs);
    next.set(guildId, untilMs);
    const drawing = draw(pictures, withinMs === undefined ? undefined : { withinMs });
    this.#kept.put(guildId, question, drawing);
    if (key !== undefined) this.#keepRecent(key, { pngs: drawing, ofMs: clock.nowMs(), untilMs });
    try {
      return { kind: "made", pngs: await drawing };
    } catch (error) {
      next.delete(guildId);
      if (key !== undefined) this.#recent.delete(key);
      throw error;
    }
  }

  /** What was drawn may name somebody who is to be forgotten. */
  forgetGuild(guildId: string): void {
    for (const waiting of this.#waiting) if (waiting.guildId === guildId) waiting.isOutdated = true;
    this.#kept.forgetGuild(guildId);
    for (const key of [...this.#recent.keys()]) if (key.startsWith(`${guildId} `)) this.#recent.delete(key);
  }

  #keepRecent(key: string, recent: Recent): void {
    const nowMs = this.#ports.clock.monotonicMs();
    this.#recent.delete(key);
    for (const [other, { untilMs }] of this.#recent)
      if (untilMs <= nowMs || this.#recent.size >= MOST_KEPT) this.#recent.delete(other);
    this.#recent.set(key, recent);
  }
}

function turnOf(pictures: readonly Picture[]): Turn {
  if (pictures.some((picture) => picture.kind === "replay" && isMoving(picture))) return "replay";
  return pictures.every(({ kind }) => kind === "map" || kind === "replay") ? "map" : "figures";
}

/** Those whose time is over; the earliest stand first. */
function forgetPast(next: Map<string, number>, nowMs: number): void {
  for (const [guildId, nextMs] of next) {
    if (nextMs > nowMs) return;
    next.delete(guildId);
  }
}
