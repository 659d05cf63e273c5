import type { Clock } from "../../domain/ports/clock.ts";

/**
 * Discord remembers a nonce for minutes only: until then a repeat cannot stand there twice, and afterwards only the channel
 * can tell.
 */
const NONCE_TRUSTED_MS = 120_000;

/** What is known of attempts to post one message whose answers were lost. */
export class Doubt {
  readonly #clock: Clock;
  /** The first attempt since it was last known what stands there. */
  #unansweredSinceMs: number | undefined;
  /** It stands there and that is not written, so only the channel can tell where. */
  #isUnwritten = false;
  /** The channel was asked since the last attempt without an answer. */
  #isRead = false;
  /** The doubts of an earlier process were looked into. */
  #isLookedInto = false;
  /** The channel cannot tell; wall time before which no earlier process can have tried. */
  #unreadable: { readonly inheritedSinceMs: number | undefined } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An attempt of this process may have put it there, perhaps with older words. */
  get isUnanswered(): boolean {
    return this.#unansweredSinceMs !== undefined;
  }

  /** Nobody has found out yet whether it stands there. `isInherited`: an earlier process may have posted it. */
  isOpen(isInherited: boolean): boolean {
    return this.isUnanswered || this.#isUnwritten || (isInherited && !this.#isLookedInto);
  }

  /** Discord may answer the next attempt with the message of an earlier one. */
  get mayBeOlder(): boolean {
    return this.isUnanswered || this.#unreadable?.inheritedSinceMs !== undefined;
  }

  /** It may stand there already, nobody can tell, and Discord may have forgotten its nonce by now. */
  get mustMark(): boolean {
    if (this.#unreadable === undefined) return false;
    if (this.#unansweredForMs >= NONCE_TRUSTED_MS) return true;
    const { inheritedSinceMs } = this.#unreadable;
    if (inheritedSinceMs === undefined) return false;
    const inheritedMs = this.#clock.nowMs() - inheritedSinceMs;
    return inheritedMs < 0 || inheritedMs >= NONCE_TRUSTED_MS;
  }

  /** Whether only the channel can tell. `isInherited`: an earlier process may have posted it. */
  mustRead(isInherited: boolean): boolean {
    if (this.#isUnwritten || (isInherited && !this.#isLookedInto)) return true;
    return !this.#isRead && this.#unansweredForMs >= NONCE_TRUSTED_MS;
  }

  onUnanswered(startedMs: number): void {
    this.#unansweredSinceMs ??= startedMs;
    this.#isRead = false;
  }

  /** It stands there, and nobody could write that. */
  onUnwritten(): void {
    this.#isUnwritten = true;
  }

  /**
   * The channel was looked through, or its history may not be read: then the nonce alone guards against a repeat, for as
   * long as Discord remembers it. `sinceMs`: an earlier process cannot have tried before, epoch milliseconds.
   */
  onRead(
    found: "found" | "nowhere" | "unreadable",
    { isInherited, sinceMs = 0 }: { readonly isInherited: boolean; readonly sinceMs: number | undefined },
  ): void {
    this.#isUnwritten = false;
    this.#isRead = true;
    this.#isLookedInto = true;
    this.#unreadable =
      found === "unreadable" ? { inheritedSinceMs: isInherited ? sinceMs : undefined } : undefined;
    if (found === "nowhere") this.#unansweredSinceMs = undefined;
  }

  /** It is known where it stands. */
  settle(): void {
    this.#unansweredSinceMs = undefined;
    this.#isUnwritten = false;
    this.#isLookedInto = true;
    this.#unreadable = undefined;
  }

  get #unansweredForMs(): number {
    const nowMs = this.#clock.monotonicMs();
    return nowMs - (this.#unansweredSinceMs ?? nowMs);
  }
}
