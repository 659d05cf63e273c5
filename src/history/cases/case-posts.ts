import type { Case } from "../../domain/case.ts";
import { SinkRefusal } from "../../domain/failure.ts";
import type { CaseRenderer } from "../../domain/ports/case-renderer.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import { postOnce } from "../../domain/post-once.ts";

/** A message that did not get through is tried again after these waits, and then no more. */
const AGAIN_AFTER_MS = [2_000, 10_000, 60_000, 300_000] as const;
/** Cards that wait for one guild's channel; beyond it a change is shown with the next one of its case. */
const MOST_WAITING = 500;

export interface CasePostsPorts {
  readonly sink: Sink;
  readonly renderer: CaseRenderer;
  readonly notifier: Pick<Notifier, "guild">;
  readonly clock: Clock;
  /** The case as it is now, and how many warnings its card names. */
  current(
    guildId: string,
    number: number,
  ): Promise<{ readonly one: Case; readonly warnings?: number } | undefined>;
  onPosted(one: Case, messageId: string): Promise<void>;
  report(what: string, error: unknown): void;
}

/** The cards in the case channels: each is posted once and then says what its case says, one at a time in a guild. */
export class CasePosts {
  readonly #ports: CasePostsPorts;
  readonly #waiting = new Map<string, Map<number, number>>();
  readonly #running = new Map<string, Promise<void>>();
  /** Posts that may stand in a channel although no answer of Discord named them: `guild number`. */
  readonly #doubtful = new Set<string>();
  readonly #notified = new Set<string>();
  #isStopped = false;

  constructor(ports: CasePostsPorts) {
    this.#ports = ports;
  }

  /** Its card is to show what the case says now. */
  show(guildId: string, number: number, tries = 0): void {
    if (this.#isStopped) return;
    const waiting = this.#waiting.get(guildId) ?? new Map<number, number>();
    if (waiting.size >= MOST_WAITING && !waiting.has(number)) return;
    waiting.set(number, tries);
    this.#waiting.set(guildId, waiting);
    if (this.#running.has(guildId)) return;
    const running = this.#work(guildId).finally(() => this.#running.delete(guildId));
    this.#running.set(guildId, running);
  }

  /** The case is gone: its card says no more than that. Answers whether no card shows it any more. Never rejects. */
  async erase({ number, card }: Case): Promise<boolean> {
    if (card?.messageId === undefined) return true;
    try {
      await this.#ports.sink.edit(card.channelId, card.messageId, this.#ports.renderer.erased(number));
      return true;
    } catch (error) {
      if (error instanceof SinkRefusal && error.reason === "message-gone") return true;
      this.#ports.report("the card of an erased case could not be changed", error);
      return false;
    }
  }

  /** After a start: its card may stand there or not. */
  recover(one: Case): void {
    if (one.card === undefined) return;
    if (one.card.messageId === undefined) this.#doubtful.add(`${one.guildId} ${one.number}`);
    this.show(one.guildId, one.number);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running.values());
  }

  async #work(guildId: string): Promise<void> {
    const waiting = this.#waiting.get(guildId);
    for (const [number, tries] of waiting ?? []) {
      if (this.#isStopped) break;
      waiting?.delete(number);
      try {
        await this.#post(guildId, number);
      } catch (error) {
        await this.#onFailure({ guildId, number, tries, error });
      }
    }
    this.#waiting.delete(guildId);
  }

  async #post(guildId: string, number: number): Promise<void> {
    const { renderer, sink } = this.#ports;
    const current = await this.#ports.current(guildId, number);
    if (current?.one.card === undefined) return;
    const { one, warnings } = current;
    const { card } = one;
    if (card === undefined) return;
    const body = renderer.card(one, warnings);
    if (card.messageId !== undefined) {
      await sink.edit(card.channelId, card.messageId, body);
      return;
    }
    const key = `${guildId} ${number}`;
    const { messageId } = await postOnce(sink, {
      channelId: card.channelId,
      nonce: card.nonce,
      body,
      isDoubtful: this.#doubtful.has(key),
      isIt: (posted) => renderer.numberOf(posted) === number,
    });
    this.#doubtful.delete(key);
    this.#notified.delete(card.channelId);
    await this.#ports.onPosted(one, messageId);
  }

  async #onFailure(failed: {
    readonly guildId: string;
    readonly number: number;
    readonly tries: number;
    readonly error: unknown;
  }): Promise<void> {
    const { guildId, number, tries, error } = failed;
    const isRefusal = error instanceof SinkRefusal;
    // Somebody deleted the card: the case itself stays.
    if (isRefusal && error.reason === "message-gone") return;
    this.#ports.report("the card of a case could not be posted", error);
    if (isRefusal && error.reason !== "unknown" && error.reason !== "edit-limit") {
      await this.#tell(guildId, number);
      return;
    }
    if (isRefusal && error.reason === "unknown") this.#doubtful.add(`${guildId} ${number}`);
    const waitMs = AGAIN_AFTER_MS[tries];
    if (waitMs !== undefined) {
      this.#ports.clock.after(waitMs, () => this.show(guildId, number, tries + 1));
    }
  }

  /** Sends one notice, and none again until the channel takes messages. */
  async #tell(guildId: string, number: number): Promise<void> {
    const channelId = (await this.#ports.current(guildId, number).catch(() => undefined))?.one.card
      ?.channelId;
    if (channelId === undefined || this.#notified.has(channelId)) return;
    this.#notified.add(channelId);
    await this.#ports.notifier.guild(guildId, this.#ports.renderer.closed("cases", channelId));
  }
}
