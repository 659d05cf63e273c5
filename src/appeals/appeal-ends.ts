import type { Appeal, AppealDecision } from "../domain/appeal.ts";
import type { AppealRenderer } from "../domain/ports/appeals.ts";
import type { Cases } from "../domain/ports/cases.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { OwedMessages } from "../domain/ports/notifier.ts";
import type { AppealBook } from "./appeal-book.ts";
import type { AppealPosts } from "./appeal-posts.ts";
import { caseNow } from "./appealed-case.ts";

export interface AppealEndsPorts {
  readonly book: AppealBook;
  readonly shown: Pick<AppealPosts, "show">;
  readonly cases: Pick<Cases, "get" | "revoke">;
  readonly owed: OwedMessages;
  readonly renderer: Pick<AppealRenderer, "decided">;
  readonly clock: Clock;
  report(what: string, error: unknown): void;
}

const AGAIN_MS = 60_000;

/** Carries out what was decided about appeals: the case says so, and who appealed is told. */
export class AppealEnds {
  readonly #ports: AppealEndsPorts;
  readonly #again = new Map<string, () => void>();
  #isStopped = false;

  constructor(ports: AppealEndsPorts) {
    this.#ports = ports;
  }

  /** Now or, where the history or the store is away, again each minute until it is done. Never rejects. */
  async carryOut(appeal: Appeal): Promise<void> {
    try {
      await this.#finish(appeal);
    } catch (error) {
      this.#ports.report("an appeal could not be finished; it is tried again", error);
      this.#carryOutLater(appeal.id);
    }
  }

  /** What is not done yet is for the next process. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#again.values()) cancel();
  }

  #carryOutLater(id: string): void {
    if (this.#isStopped) return;
    const { book, clock } = this.#ports;
    const cancel = clock.after(AGAIN_MS, () => {
      this.#again.delete(id);
      const appeal = book.find(id);
      if (appeal !== undefined) void this.carryOut(appeal);
    });
    this.#again.set(id, cancel);
  }

  /** The same again after a kill changes nothing. */
  async #finish(appeal: Appeal): Promise<void> {
    const { book, shown } = this.#ports;
    const { guildId, id, decision } = appeal;
    if (decision === undefined || decision.isDone === true) return;
    if (decision.outcome === "accepted") await this.#revoke(appeal, decision);
    if (decision.isFromCard !== true) await this.#tell(appeal);
    await book.take(guildId, async () => {
      const now = book.find(id);
      if (now?.decision !== undefined)
        await book.keep({ ...now, decision: { ...now.decision, isDone: true } });
    });
    shown.show(appeal);
  }

  async #tell(appeal: Appeal): Promise<void> {
    const { owed, renderer } = this.#ports;
    const { guildId, id, userId, threadId, card } = appeal;
    await owed.owe({
      guildId,
      id: `appeal ${id}`,
      ways: [
        ...(threadId === undefined ? [] : [{ to: "channel" as const, channelId: threadId }]),
        { to: "person", userId },
        { to: "channel", channelId: card.channelId },
      ],
      body: renderer.decided(appeal),
    });
  }

  /** One that is of several stays for the others. */
  async #revoke(appeal: Appeal, { byId: userId }: AppealDecision): Promise<void> {
    const { cases } = this.#ports;
    const { guildId } = appeal;
    const one = await caseNow(cases, appeal);
    if (one?.targets.length === 1) await cases.revoke({ guildId, userId }, one.number, "Appeal accepted");
  }
}
