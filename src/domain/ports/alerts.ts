import type { AlertRule } from "../alert.ts";
import type { SinkRefusalReason } from "../failure.ts";

export type NewAlert = Omit<AlertRule, "id" | "createdAtMs">;

export interface AlertStatus {
  /** Why Discord takes no message of it; absent: it does, as far as is known. */
  readonly refused?: SinkRefusalReason;
}

/** The alerts of a Discord server. */
export interface Alerts {
  /** Oldest first. */
  list(guildId: string): Promise<readonly AlertRule[]>;
  /**
   * From now on: what happened before is not told. @throws Failure "bad-command" where the guild has as many as it may,
   * or the same one in that channel. Rejects where the store refused it.
   */
  add(alert: NewAlert): Promise<AlertRule>;
  /**
   * `changed` answers the alert as it shall be; its id, kind, server and age stay, and what it has counted counts on.
   * Undefined: there is no such alert. @throws Failure "bad-command" where that channel has the same one, and what
   * `changed` throws. Rejects where the store refused it.
   */
  edit(
    guildId: string,
    alertId: string,
    changed: (alert: AlertRule) => AlertRule,
  ): Promise<AlertRule | undefined>;
  /** What was removed; undefined: there is no such alert. */
  remove(guildId: string, alertId: string): Promise<AlertRule | undefined>;
  /** Posts one example into the alert's channel, and pings nobody; rejects with SinkRefusal. */
  test(guildId: string, alertId: string): Promise<void>;
  status(alert: Pick<AlertRule, "id" | "bindingId">): AlertStatus;
}
