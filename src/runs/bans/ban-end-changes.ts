import type { BanEnd } from "../../domain/ban-end.ts";
import { Failure } from "../../domain/failure.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import { type BanNoticePorts, BanNotices } from "./ban-notices.ts";
import type { DueTimes } from "./due-times.ts";
import { afterLift, type Next, over, type Row } from "./end-after-run.ts";
import type { KeptBanEnds } from "./kept-ban-ends.ts";

/** Wait until the store is written to again. */
const AGAIN_AFTER_MS = 20_000;
const EMPTY_AGAIN_MS = 5 * 60_000;

export interface ChangesPorts extends BanNoticePorts {
  readonly kept: KeptBanEnds;
  readonly audit: Pick<AuditLog, "get" | "event">;
  readonly times: DueTimes;
  /** Ends an un-ban that was not sent yet. */
  withdraw(runId: string, why: Failure): void;
  /** What is to be lifted next may be another. */
  onChanged(bindingId: string): void;
  report(what: string, error: unknown): void;
}

/** Changes ends of bans, one change of an end at a time, in memory, in the store and in words. */
export class BanEndChanges {
  readonly #ports: ChangesPorts;
  readonly #notices: BanNotices;
  readonly #mutex = new KeyedMutex();
  readonly #open = new Set<Promise<void>>();
  #isRewriting = false;

  constructor(ports: ChangesPorts) {
    this.#ports = ports;
    this.#notices = new BanNotices(ports);
  }

  /** Each change is judged by what the one before left. Never rejects: what the store refuses is written later. */
  async change(id: string, judge: (end: BanEnd) => Next | Promise<Next>): Promise<void> {
    await this.#mutex.take(id, async () => {
      const end = this.#ports.kept.get(id);
      if (end !== undefined && end.state !== "over") await this.#perform(end, await judge(end));
    });
  }

  /** The same without waiting for it. */
  begin(id: string, judge: (end: BanEnd) => Next | Promise<Next>): void {
    this.track(this.change(id, judge));
  }

  /** By the row of that un-ban; undefined: nothing was ever sent. Never rejects. */
  async lifted(id: string, liftId: string, row: Row | undefined): Promise<void> {
    await this.change(id, async (end): Promise<Next> => {
      return end.liftId === liftId ? afterLift(end, row, await this.#laterRow(end)) : { kind: "same" };
    });
  }

  /** A change that counts only once it is stored: rejects when the store does, and then all is as it was before. */
  async must<T>(id: string, work: (end: BanEnd) => Promise<T>): Promise<T | undefined> {
    return await this.#mutex.take(id, async () => {
      const end = this.#ports.kept.get(id);
      if (end === undefined || end.state === "over") return undefined;
      const done = await work(end).catch((error: unknown) => {
        this.#putBack(end);
        throw error;
      });
      this.#ports.onChanged(end.bindingId);
      return done;
    });
  }

  /** It was lifted, or is not to be any more. Rejects where the store does not take it: whoever found it out asks again. */
  async end(id: string, { isBan, why }: { readonly isBan: boolean; readonly why: string }): Promise<void> {
    await this.must(id, async (end) => {
      const ended = over(end, why);
      await (isBan ? this.#ports.kept.put(ended) : this.#ports.kept.delete(end));
      this.#withdrawLift(end, why);
      if (isBan) this.tellOver(ended);
    });
  }

  /** An un-ban that waits is wanted no more: it would stand in the queue until its time is over, which says another why. */
  #withdrawLift({ state, liftId }: BanEnd, why: string): void {
    if (state === "lifting" && liftId !== undefined)
      this.#ports.withdraw(liftId, new Failure("expired", why));
  }

  /** Tells that it ends nothing any more; then nothing of it is kept. */
  tellOver(end: BanEnd): void {
    const tell = async () => {
      await this.#notices.onOver(end);
      await this.#ports.kept.delete(end).catch(() => this.rewrite());
    };
    this.track(tell());
  }

  /** Several of one guild that a Manager decides about, for one reason. */
  async tellHeld(ends: readonly BanEnd[], why: string): Promise<void> {
    await this.#notices.onHeld(ends, why);
  }

  /** Writes what the store refused, until it takes it. */
  rewrite(): void {
    if (this.#isRewriting) return;
    this.#isRewriting = true;
    this.#ports.clock.after(AGAIN_AFTER_MS, () => {
      this.#isRewriting = false;
      this.track(this.#ports.kept.writeAgain().catch(() => this.rewrite()));
    });
  }

  track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#ports.report("the end of a ban could not be looked after", error))
      .finally(() => this.#open.delete(tracked));
    this.#open.add(tracked);
  }

  /** Resolves when what was begun is over. */
  async flushed(): Promise<void> {
    await Promise.all(this.#open);
  }

  /** The row of a later ban of the player; undefined: none is noted, or it cannot be read. */
  async #laterRow({ guildId, laterId }: BanEnd): Promise<Row | undefined> {
    const { audit, report } = this.#ports;
    if (laterId === undefined) return undefined;
    return await audit.get(guildId, laterId).catch((error: unknown) => {
      // The un-ban's own row counts all the same.
      report("the row of a later ban could not be read", error);
      return undefined;
    });
  }

  /** What was not stored must not count as done: who would do it again has to find it undone, as the next process would. */
  #putBack(end: BanEnd): void {
    // A ban that is being sent may have been noted meanwhile.
    const laterId = this.#ports.kept.get(end.id)?.laterId;
    this.#ports.kept.note(laterId === undefined ? end : { ...end, laterId });
  }

  async #perform(end: BanEnd, next: Next): Promise<void> {
    const { kept, times, onChanged, report } = this.#ports;
    if (next.kind === "same") return;
    if (next.kind === "again") {
      const why = "Its un-ban did not get through.";
      if (next.isServerEmpty) {
        const words = { why: "Nobody is in the server.", endsBy: "players" } as const;
        times.serverWaitsFor(end.bindingId, EMPTY_AGAIN_MS, words);
      } else times.waitFor(end, next.inMs, why);
    }
    try {
      await (next.kind === "gone" ? kept.delete(end) : kept.put(next.end));
    } catch (error) {
      report("the end of a ban could not be written", error);
      this.rewrite();
    }
    if (next.kind === "gone") times.forget(end.id);
    if (next.kind === "is" && next.end.state === "over") {
      this.#withdrawLift(end, next.end.why ?? "");
      this.tellOver(next.end);
    }
    if (next.kind === "is" && next.end.state === "held" && end.heldFor !== next.end.heldFor)
      this.track(this.tellHeld([next.end], next.end.why ?? ""));
    onChanged(end.bindingId);
  }
}
