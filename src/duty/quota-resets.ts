import { Failure } from "../domain/failure.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { DutyStore } from "../domain/ports/duty-store.ts";
import type { DutyBook } from "./duty-book.ts";
import type { DutyDesk } from "./duty-desk.ts";
import type { StaffingDesk } from "./staffing-desk.ts";

export interface QuotaResetsPorts {
  readonly bindings: Pick<Bindings, "linkedOf">;
  readonly store: DutyStore;
  readonly book: DutyBook;
  readonly desk: DutyDesk;
  readonly staffing: StaffingDesk;
  readonly clock: Clock;
  isOurs(guildId: string): boolean;
  report(what: string, error: unknown): void;
}

const ROUND_MS = 60_000;
/** Guilds whose lists are made at the same time: at the end of a week all of them are due. */
const MOST_CLOSING = 4;

/** Keeps and posts who met a quota when its period is over and everything of it is known. */
export class QuotaResets {
  readonly #ports: QuotaResetsPorts;
  #cancel: () => void = () => undefined;
  #isStopped = false;
  /** Guilds without a server whose shifts have ended. */
  readonly #over = new Set<string>();
  /** Guilds whose lists are being made: the roles of thousands of members take minutes to read. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(ports: QuotaResetsPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#cancel = this.#ports.clock.after(ROUND_MS, () => {
      void this.#walk().finally(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Looks at every guild once, and waits for the lists that follow. Never rejects. */
  async round(): Promise<void> {
    await this.#walk();
    await Promise.all(this.#closing.values());
  }

  async #walk(): Promise<void> {
    try {
      for (const guildId of await this.#ports.store.guilds()) {
        if (this.#isStopped) return;
        if (this.#ports.isOurs(guildId) && !this.#closing.has(guildId))
          await this.#look(guildId).catch((error: unknown) => this.#pass(error));
      }
    } catch (error) {
      this.#report(error);
    }
  }

  /** One guild's roles that cannot be read are no matter of the others. @throws where the database is away: it is for all. */
  #pass(error: unknown): void {
    if (error instanceof Failure && error.code === "store") throw error;
    this.#report(error);
  }

  /** Where the database or Discord is away, the next round comes. */
  #report(error: unknown): void {
    if (!(error instanceof Failure)) this.#ports.report("quotas could not be looked at", error);
  }

  async #look(guildId: string): Promise<void> {
    const { book, bindings, desk, staffing } = this.#ports;
    const { setup } = await book.page(guildId);
    // No look has shifts ended any more.
    const isUnlinked = bindings.linkedOf(guildId).length === 0;
    if (!isUnlinked) this.#over.delete(guildId);
    if (isUnlinked ? this.#over.has(guildId) : setup.quotas.length === 0) return;
    const { knownS, open } = await desk.refresh(guildId, async () => undefined);
    if (isUnlinked && open.length === 0) this.#over.add(guildId);
    if (knownS === 0 || isUnlinked) return;
    if (this.#closing.size >= MOST_CLOSING) await Promise.race(this.#closing.values());
    // Not waited for: it is the turn of the others.
    const closing = staffing
      .closePeriods(guildId, knownS)
      .catch((error: unknown) => this.#report(error))
      .finally(() => this.#closing.delete(guildId));
    this.#closing.set(guildId, closing);
  }
}
