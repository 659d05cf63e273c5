import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { NamedSchedule, RunRenderer } from "../../domain/ports/run-renderer.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Schedule } from "../../domain/schedule.ts";
import { textOf } from "./may-schedule.ts";

export interface NoticePorts {
  readonly audit: Pick<AuditLog, "event">;
  readonly bindings: Pick<Bindings, "list">;
  readonly settings: Pick<Settings, "of">;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: Pick<RunRenderer, "schedulesEnded" | "scheduleFailing">;
  readonly clock: Clock;
}

/** Tells a guild, where notices go, what became of its schedules. */
export class ScheduleNotices {
  readonly #ports: NoticePorts;

  constructor(ports: NoticePorts) {
    this.#ports = ports;
  }

  /** Into the audit as well. Schedules of one guild. Rejects when the store does. */
  async onEnded(schedules: readonly Schedule[], why: string): Promise<void> {
    const [first] = schedules;
    if (first === undefined) return;
    const { audit, clock, notifier, renderer } = this.#ports;
    const named = await this.#named(schedules);
    for (const { schedule, text } of named) {
      const { id, guildId } = schedule;
      const event = { id: `${id}-end`, guildId, atMs: clock.nowMs(), actorId: "", actorName: "Marshal" };
      await audit.event({ ...event, action: "schedule-end", text: `${text}: ${why}` });
    }
    await notifier.guild(first.guildId, renderer.schedulesEnded(named, why), first.ownerId);
  }

  async onFailing(schedule: Schedule, why: string): Promise<void> {
    const { notifier, renderer } = this.#ports;
    for (const named of await this.#named([schedule])) {
      await notifier.guild(schedule.guildId, renderer.scheduleFailing(named, why), schedule.ownerId);
    }
  }

  /** With what they run and the names of their servers, where these are known. */
  async #named(schedules: readonly Schedule[]): Promise<readonly NamedSchedule[]> {
    const guildId = schedules[0]?.guildId ?? "";
    const { presets } = await this.#ports.settings.of(guildId);
    const servers = await this.#ports.bindings.list(guildId);
    return schedules.map((schedule) => {
      const { what, bindingId } = schedule;
      const text = textOf(what, presets) ?? (what.kind === "preset" ? what.name : what.text);
      return { schedule, text, serverName: servers.find(({ id }) => id === bindingId)?.name };
    });
  }
}
