import type { AuditLog, Refusals } from "../../domain/ports/audit-log.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { AuditEvent, RunRecord } from "../../domain/run.ts";

/** What one person was refused that gets a row each within a minute; the rest is counted in one row. */
const ROWS_A_MINUTE = 5;
const MINUTE_MS = 60_000;

export interface RefusalCountPorts {
  readonly audit: Pick<AuditLog, "put" | "event">;
  readonly clock: Clock;
  readonly random: Random;
  report(what: string, error: unknown): void;
}

/** Who was refused what: a command, or a press on a moderator call. */
type Refused = Pick<AuditEvent, "guildId" | "actorId" | "actorName" | "text">;

interface Minute {
  rows: number;
  more: number;
  /** The latest one: its person, guild and text stand in the row of the count. */
  last: Refused;
  cancel(): void;
}

/**
 * Writes refusals into the audit. Anyone in a community can cause them as fast as they can type, so past a few a minute
 * they are counted, and the count becomes one row when the minute is over. A crash loses the count of that minute.
 */
export class RefusalCount implements Refusals {
  readonly #ports: RefusalCountPorts;
  readonly #minutes = new Map<string, Minute>();

  constructor(ports: RefusalCountPorts) {
    this.#ports = ports;
  }

  /** Writes the row of a refused command, or counts it. Rejects when the store does. */
  async note(row: RunRecord): Promise<void> {
    if (this.#mayWrite(row)) await this.#ports.audit.put(row);
  }

  /** Writes the row of a refused press, or counts it. Rejects when the store does. */
  async noteEvent(event: AuditEvent): Promise<void> {
    if (this.#mayWrite(event)) await this.#ports.audit.event(event);
  }

  /** Writes what was counted so far, before the process ends. */
  async flush(): Promise<void> {
    await Promise.all([...this.#minutes.keys()].map((person) => this.#endMinute(person)));
  }

  /** Whether this one gets a row of its own; counts it where it gets none. */
  #mayWrite(refused: Refused): boolean {
    const minute = this.#minuteOf(refused);
    minute.last = refused;
    if (minute.rows >= ROWS_A_MINUTE) {
      minute.more += 1;
      return false;
    }
    minute.rows += 1;
    return true;
  }

  #minuteOf(refused: Refused): Minute {
    const person = `${refused.guildId}/${refused.actorId}`;
    const known = this.#minutes.get(person);
    if (known !== undefined) return known;
    const cancel = this.#ports.clock.after(MINUTE_MS, () => void this.#endMinute(person));
    const minute = { rows: 0, more: 0, last: refused, cancel };
    this.#minutes.set(person, minute);
    return minute;
  }

  async #endMinute(person: string): Promise<void> {
    const minute = this.#minutes.get(person);
    if (minute === undefined) return;
    this.#minutes.delete(person);
    minute.cancel();
    if (minute.more === 0) return;

    const { audit, clock, random, report } = this.#ports;
    const { guildId, actorId, actorName, text } = minute.last;
    const counted = `${minute.more} more ${minute.more === 1 ? "time" : "times"} within a minute. Last: ${text}`;
    const event = { id: random.id(), guildId, atMs: clock.nowMs(), actorId, actorName };
    await audit
      .event({ ...event, action: "refusals", text: counted })
      .catch((error: unknown) => report("a count of refusals could not be written into the audit", error));
  }
}
