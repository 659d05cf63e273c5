/** Discord counts as away after this many unanswered requests to different channels, with no answer between them. */
const UNANSWERED_UNTIL_AWAY = 3;
/** While it is away and no post in doubt tries, another one does after this time. */
const TRY_ANYWAY_MS = 20_000;

/** Whether Discord is away. While it is, one post at a time tries, so that few are in doubt when it returns. */
export class Away {
  readonly #unanswered = new Set<string>();
  #lastTryMs = 0;

  get isAway(): boolean {
    return this.#unanswered.size >= UNANSWERED_UNTIL_AWAY;
  }

  onAnswered(): void {
    this.#unanswered.clear();
  }

  onUnanswered(channelId: string, nowMs: number): void {
    this.#lastTryMs = nowMs;
    if (!this.isAway) this.#unanswered.add(channelId);
  }

  /** When a post of which no attempt was made may try, while Discord is away. */
  get othersFromMs(): number {
    return this.#lastTryMs + TRY_ANYWAY_MS;
  }
}
