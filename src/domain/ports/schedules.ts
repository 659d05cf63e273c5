import type { Actor, Binding } from "../guild.ts";
import type { LastDue, Schedule, ScheduledWhat, ScheduleRule } from "../schedule.ts";

export interface NewSchedule {
  readonly binding: Binding;
  readonly what: ScheduledWhat;
  readonly rule: ScheduleRule;
  readonly onlyWithPlayers: boolean;
}

/** A schedule as a list shows it. */
export interface ScheduleView {
  readonly schedule: Schedule;
  /** The text that it would send now; undefined: its preset is gone. */
  readonly text: string | undefined;
  readonly nextAtMs: number;
  /** With what the game's log has shown since. */
  readonly last: LastDue | undefined;
}

/** Commands that run by themselves, for those who manage them. */
export interface Schedules {
  /**
   * Keeps a schedule, which runs by the rights of this person. @throws Failure "bad-command" for what cannot be
   * scheduled, and where there are as many as may be; "denied" where they may not run it.
   */
  add(actor: Actor, wanted: NewSchedule): Promise<ScheduleView>;
  /** Oldest first. */
  list(guildId: string): Promise<readonly ScheduleView[]>;
  /** What was removed; undefined: there is no such schedule any more. */
  remove(guildId: string, id: string): Promise<Schedule | undefined>;
  /** The guild has another time zone: due times are those of its clocks from now on. */
  onZoneChanged(guildId: string): Promise<void>;
}
