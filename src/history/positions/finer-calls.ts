import type { ModCallEntry, Snapshot, SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { CallOnCard } from "../../domain/ports/mod-calls.ts";
import type { Link } from "../ingest/recorded-answer.ts";

/** What follows a call of a moderator is seen more finely, so that it can be shown where people were then. */

export interface FinerCallsPorts {
  readonly demands: Demands;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">;
  /** The present by the service's clock, seconds; undefined before any answer stated it. */
  presentS(): number | undefined;
  /** The guilds for which a server is recorded. */
  linksOf(source: SourceId): readonly Link[];
  /** Whether a guild records where people are; nothing else gains by looks that are closer together. */
  tracks(guildId: string): boolean;
  callsOnCards(bindingId: string): readonly CallOnCard[];
}

interface OpenCall {
  readonly guildId: string;
  readonly atS: number;
}

const EVERY_MS = 5_000;
/** So long after a call. Also so long in any `WINDOW_MS`, however many calls there are. */
const FINER_MS = 10 * 60_000;
const WINDOW_MS = 30 * 60_000;
const MS_PER_S = 1_000;

/** Asks for more looks at servers of which a call is open. */
export class FinerCalls {
  readonly #ports: FinerCallsPorts;
  readonly #byServer = new Map<SourceId, FinerTime>();

  constructor(ports: FinerCallsPorts) {
    this.#ports = ports;
  }

  /** To be called with every answer of a server. */
  take({ source, takenAtMs, lists }: Snapshot): void {
    if (lists.modCalls === undefined) return;
    const nowS = this.#ports.presentS() ?? takenAtMs / MS_PER_S;
    const call = this.#newestOpen(source, lists.modCalls, nowS);
    if (call === undefined) this.#end(source);
    else this.#ask(source, call, nowS);
  }

  /** A server was linked or unlinked. */
  onLinksChanged(source: SourceId): void {
    if (this.#ports.linksOf(source).every(({ guildId }) => !this.#ports.tracks(guildId))) this.#end(source);
  }

  #newestOpen(source: SourceId, calls: readonly ModCallEntry[], nowS: number): OpenCall | undefined {
    const young = calls.filter(
      ({ moderator, atS }) => moderator === undefined && atS > nowS - FINER_MS / MS_PER_S,
    );
    if (young.length === 0) return undefined;
    const open = this.#ports.linksOf(source).flatMap(({ guildId, bindingId, linkedAtS }): OpenCall[] => {
      if (!this.#ports.tracks(guildId)) return [];
      const over = new Set(
        this.#ports.callsOnCards(bindingId).flatMap((call) => (call.isOver === true ? [keyOf(call)] : [])),
      );
      return young
        .filter((call) => call.atS >= linkedAtS && !over.has(keyOf(call)))
        .map(({ atS }) => ({ guildId, atS: Math.min(atS, nowS) }));
    });
    return open.reduce<OpenCall | undefined>(
      (newest, call) => (newest === undefined || call.atS > newest.atS ? call : newest),
      undefined,
    );
  }

  #ask(source: SourceId, { guildId, atS }: OpenCall, nowS: number): void {
    const { clock, demands } = this.#ports;
    const nowMs = clock.monotonicMs();
    const known = this.#byServer.get(source);
    if (known?.isFor(atS, nowMs) === true) return;

    for (const [other, time] of this.#byServer) if (time.isForgotten(nowMs)) this.#byServer.delete(other);
    const time = known ?? new FinerTime();
    this.#byServer.set(source, time);
    const leftMs = time.begin(atS, nowMs, FINER_MS - (nowS - atS) * MS_PER_S);
    const untilMs = clock.nowMs() + leftMs;
    const finer = { source, guildId, lists: ["players", "modCalls"], finerMs: EVERY_MS, untilMs } as const;
    demands.put(ownerOf(source), leftMs > 0 ? [finer] : []);
  }

  #end(source: SourceId): void {
    if (this.#byServer.get(source)?.end(this.#ports.clock.monotonicMs()) === true)
      this.#ports.demands.put(ownerOf(source), []);
  }
}

/** When one server was looked at more finely, monotonic milliseconds. */
class FinerTime {
  /** Oldest first; the last one may not be over. */
  #spans: { readonly fromMs: number; readonly untilMs: number }[] = [];
  #callS = 0;

  /** Whether it goes on for this call. */
  isFor(callS: number, nowMs: number): boolean {
    return this.#callS === callS && this.#untilMs > nowMs;
  }

  /** From now on for a call, as long as is wanted and left; returns that. */
  begin(callS: number, nowMs: number, wantedMs: number): number {
    this.end(nowMs);
    this.#callS = callS;
    this.#spans = this.#spans.filter(({ untilMs }) => untilMs > nowMs - WINDOW_MS);
    const spentMs = this.#spans.reduce(
      (sum, { fromMs, untilMs }) => sum + untilMs - Math.max(fromMs, nowMs - WINDOW_MS),
      0,
    );
    const leftMs = Math.min(wantedMs, FINER_MS - spentMs);
    if (leftMs > 0) this.#spans.push({ fromMs: nowMs, untilMs: nowMs + leftMs });
    return Math.max(0, leftMs);
  }

  /** Returns whether it was going on. */
  end(nowMs: number): boolean {
    const last = this.#spans.at(-1);
    if (last === undefined || last.untilMs <= nowMs) return false;
    this.#spans[this.#spans.length - 1] = { ...last, untilMs: nowMs };
    return true;
  }

  isForgotten(nowMs: number): boolean {
    return this.#untilMs <= nowMs - WINDOW_MS;
  }

  get #untilMs(): number {
    return this.#spans.at(-1)?.untilMs ?? Number.NEGATIVE_INFINITY;
  }
}

function ownerOf(source: SourceId): string {
  return `finer calls ${source}`;
}

function keyOf({ caller, atS }: Pick<CallOnCard, "caller" | "atS">): string {
  return JSON.stringify([caller.name, caller.id, atS]);
}
