import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { LastDue, Schedule } from "../../domain/schedule.ts";
import { resultOf } from "./launch-due.ts";

export interface KeptPorts {
  /** With `parseSchedule`; durable. */
  readonly documents: Documents<Schedule>;
  readonly audit: Pick<AuditLog, "get">;
  /** Whether this process serves the guild. */
  owns(guildId: string): boolean;
}

/** The schedules of this process, in memory and in the store. */
export class KeptSchedules {
  readonly #ports: KeptPorts;
  readonly #byId = new Map<string, Schedule>();

  constructor(ports: KeptPorts) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Reads the store. Resolves with those that had ended before their notice was sent. */
  async load(): Promise<readonly Schedule[]> {
    const { documents, owns } = this.#ports;
    const ended: Schedule[] = [];
    for await (const [, stored] of documents.entries()) {
      if (!owns(stored.guildId)) continue;
      if (stored.endedWhy === undefined) this.#byId.set(stored.id, await this.#concluded(stored));
      else ended.push(stored);
    }
    return ended;
  }

  get(id: string): Schedule | undefined {
    return this.#byId.get(id);
  }

  all(): readonly Schedule[] {
    return [...this.#byId.values()];
  }

  /** Oldest first. */
  of(guildId: string): readonly Schedule[] {
    return this.all()
      .filter((one) => one.guildId === guildId)
      .toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
  }

  /** A new one, known once it is stored. */
  async add(schedule: Schedule): Promise<void> {
    await this.#ports.documents.set(keyOf(schedule), schedule);
    this.#byId.set(schedule.id, schedule);
  }

  /** A change, known at once, also where the store fails: then it rejects. */
  async put(schedule: Schedule): Promise<void> {
    this.#byId.set(schedule.id, schedule);
    await this.#ports.documents.set(keyOf(schedule), schedule);
  }

  /** In memory alone. */
  note(schedule: Schedule): void {
    this.#byId.set(schedule.id, schedule);
  }

  /** It is due no more, and remembered in the store until its notice was sent. Rejects when the store does. */
  async end(schedule: Schedule, endedWhy: string): Promise<void> {
    this.#byId.delete(schedule.id);
    await this.#ports.documents.set(keyOf(schedule), { ...schedule, endedWhy });
  }

  /** Rejects when the store does; then it is kept here as well, because the next start would find it there. */
  async delete(schedule: Schedule): Promise<void> {
    const wasKept = this.#byId.delete(schedule.id);
    try {
      await this.#ports.documents.delete(keyOf(schedule));
    } catch (error) {
      if (wasKept) this.#byId.set(schedule.id, schedule);
      throw error;
    }
  }

  /** How its last due time ended, with what the game's log has shown since. */
  async lastOf({ guildId, last }: Schedule): Promise<LastDue | undefined> {
    if (last?.result !== "unknown") return last;
    const row = await this.#ports.audit.get(guildId, last.runId);
    return row === undefined ? last : { ...last, ...resultOf(row) };
  }

  /** What the process before this one had begun is over: its row in the audit says how. */
  async #concluded(stored: Schedule): Promise<Schedule> {
    const { last, guildId } = stored;
    if (last?.result !== "claimed") return stored;
    const row = await this.#ports.audit.get(guildId, last.runId);
    const unsent = { result: "skipped", why: "Marshal stopped before sending it." } as const;
    return { ...stored, last: { ...last, ...(row === undefined ? unsent : resultOf(row)) } };
  }
}

function keyOf({ guildId, id }: Schedule): string {
  return `${guildId}:${id}`;
}
