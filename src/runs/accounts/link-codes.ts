import { Failure } from "../../domain/failure.ts";
import type { Actor, Binding } from "../../domain/guild.ts";
import type { CommandEntry, PlayerRef, Snapshot, SourceId } from "../../domain/model.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { LinkCode, LinkOutcome } from "../../domain/ports/game-accounts.ts";
import type { SnapshotListener } from "../../domain/ports/snapshots.ts";

/** Time to walk over to the game and type it. */
const CODE_LIVES_MS = 10 * 60_000;
/** How often the log is read while a code waits to be typed. */
const LOG_MAX_AGE_MS = 5_000;
/** A row this much older than the code is not about it; an answer is seconds old. */
const EARLY_S = 30;
/** Codes of one guild that may wait at a time, because the log is read for each. */
const MOST_OF_GUILD = 20;
const CODES = 1_000_000;
const DIGITS = 6;

const TYPED = /^:log\s+marshal\s+(\d{6})(?!\d)/iu;

export interface LinkCodesPorts {
  readonly demands: Demands;
  readonly clock: Clock;
  readonly random: Random;
  /** The player has typed the code of this member. Rejects with a Failure where they cannot be linked. */
  onTyped(actor: Actor, player: Required<PlayerRef>): Promise<LinkOutcome>;
  report(what: string, error: unknown): void;
}

interface Waiting {
  readonly code: string;
  readonly actor: Actor;
  /** As it is linked now. */
  binding: Binding;
  /** Its account is being linked: the next look may come before that is written. */
  isLinking: boolean;
  /** By the monotonic clock. */
  readonly begunMs: number;
  readonly untilMs: number;
  readonly end: (outcome: LinkOutcome) => void;
}

/**
 * Codes that wait to be typed in the game. They are in memory only; after a restart people ask for a new one. A code is
 * no secret, because it links the account that typed it.
 */
export class LinkCodes implements SnapshotListener {
  readonly #ports: LinkCodesPorts;
  readonly #waiting = new Map<string, Waiting>();

  constructor(ports: LinkCodesPorts) {
    this.#ports = ports;
  }

  /** @throws Failure "busy" */
  begin(actor: Actor, binding: Binding): LinkCode {
    const { clock } = this.#ports;
    const ofGuild = [...this.#waiting.values()].filter(({ actor: other }) => other.guildId === actor.guildId);
    const earlier = ofGuild.find(({ actor: other }) => other.userId === actor.userId);
    if (earlier === undefined && ofGuild.length >= MOST_OF_GUILD) {
      throw new Failure("busy", "Too many members are linking right now. Try again in a few minutes.");
    }
    earlier?.end({ kind: "withdrawn" });

    const code = this.#freshCode();
    const nowMs = clock.nowMs();
    const outcome = Promise.withResolvers<LinkOutcome>();
    const cancelExpiry = clock.after(CODE_LIVES_MS, () => waiting.end({ kind: "expired" }));
    const waiting: Waiting = {
      code,
      actor,
      binding,
      isLinking: false,
      begunMs: clock.monotonicMs(),
      untilMs: nowMs + CODE_LIVES_MS,
      end: (ended) => {
        cancelExpiry();
        this.#waiting.delete(code);
        this.#demand(waiting.binding);
        outcome.resolve(ended);
      },
    };
    this.#waiting.set(code, waiting);
    this.#demand(binding);
    return { code, untilMs: waiting.untilMs, outcome: outcome.promise };
  }

  async take({
    source,
    takenAtMs,
    serviceAtMs = takenAtMs,
    lists: { commandLogs },
  }: Snapshot): Promise<void> {
    if (commandLogs === undefined || !this.#isAwaited(source)) return;
    const typed = Map.groupBy(commandLogs, ({ text }) => TYPED.exec(text.trim())?.[1]);
    for (const [code, rows] of typed) {
      const waiting = code === undefined ? undefined : this.#waiting.get(code);
      if (waiting?.binding.source === source) await this.#onTyped(waiting, rows, serviceAtMs);
    }
  }

  /** Servers as they are linked now: one that has a new key is another source. */
  followLinks(linked: readonly Binding[]): void {
    for (const waiting of this.#waiting.values()) {
      const { id, guildId, source } = waiting.binding;
      const now = linked.find((one) => one.id === id && one.guildId === guildId);
      if (now === undefined || now.source === source) continue;
      waiting.binding = now;
      this.#demand(now);
    }
  }

  /** Withdraws the codes of a server that was unlinked. */
  onUnlinked(binding: Binding): void {
    for (const waiting of this.#waiting.values()) {
      if (waiting.binding.id === binding.id && waiting.binding.guildId === binding.guildId) {
        waiting.end({ kind: "withdrawn" });
      }
    }
  }

  stop(): void {
    for (const waiting of this.#waiting.values()) waiting.end({ kind: "withdrawn" });
  }

  /** Rows are in the service's time: the clock of this machine may be wrong, or have been set since. */
  async #onTyped(waiting: Waiting, rows: readonly CommandEntry[], serviceAtMs: number): Promise<void> {
    const { actor, begunMs, end } = waiting;
    if (waiting.isLinking) return;
    const agoMs = this.#ports.clock.monotonicMs() - begunMs;
    const fromS = Math.floor((serviceAtMs - agoMs) / 1_000) - EARLY_S;
    const since = rows.filter(({ atS, player }) => atS >= fromS && player.id !== undefined);
    const firstS = Math.min(...since.map(({ atS }) => atS));
    const first = since.filter(({ atS }) => atS === firstS).map(({ player }) => player);
    const [player] = first;
    if (player?.id === undefined) return;
    if (first.some(({ id }) => id !== player.id)) return end({ kind: "contested" });
    waiting.isLinking = true;
    try {
      end(await this.#ports.onTyped(actor, { name: player.name, id: player.id }));
    } catch (error) {
      // The row stays in the log for a while, so the next reading tries again.
      this.#ports.report("a game account could not be linked", error);
    } finally {
      waiting.isLinking = false;
    }
  }

  #isAwaited(source: SourceId): boolean {
    return [...this.#waiting.values()].some(({ binding }) => binding.source === source);
  }

  #freshCode(): string {
    for (;;) {
      const code = digitsOf(this.#ports.random.id());
      if (!this.#waiting.has(code)) return code;
    }
  }

  #demand({ guildId, id, source }: Binding): void {
    const owner = `runs-accounts:${guildId}:${id}`;
    const waiting = [...this.#waiting.values()].filter(({ binding }) => binding.id === id);
    const untilMs = Math.max(...waiting.map((one) => one.untilMs));
    const demand = { source, lists: ["commandLogs"] as const, guildId, maxAgeMs: LOG_MAX_AGE_MS, untilMs };
    this.#ports.demands.put(owner, waiting.length === 0 ? [] : [demand]);
  }
}

/** An id is random enough for secrets; `random.next` is not. */
function digitsOf(id: string): string {
  let rest = 0;
  for (const character of id) rest = (rest * 131 + (character.codePointAt(0) ?? 0)) % CODES;
  return String(rest).padStart(DIGITS, "0");
}
