import type { BanEnd } from "../../domain/ban-end.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";

export interface BanNoticePorts {
  readonly audit: Pick<AuditLog, "event">;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: Pick<RunRenderer, "banEndOver" | "banEndsHeld">;
  readonly clock: Clock;
}

/** Tells a guild, where notices go, that a ban no longer ends by itself. Rejects when the store does. */
export class BanNotices {
  readonly #ports: BanNoticePorts;

  constructor(ports: BanNoticePorts) {
    this.#ports = ports;
  }

  /** It is over without an un-ban of ours. Into the audit as well. */
  async onOver(end: BanEnd): Promise<void> {
    const { notifier, renderer } = this.#ports;
    await this.#record(end, "ban-end-off");
    await notifier.guild(end.guildId, renderer.banEndOver(end), end.byId);
  }

  /** A Manager has to decide about them. */
  async onHeld(ends: readonly BanEnd[], why: string): Promise<void> {
    const { notifier, renderer } = this.#ports;
    const [first] = ends;
    if (first === undefined) return;
    for (const end of ends) await this.#record({ ...end, why }, "ban-end-held");
    await notifier.guild(first.guildId, renderer.banEndsHeld(ends, why), first.byId);
  }

  async #record({ id, guildId, playerName, why }: BanEnd, action: string): Promise<void> {
    const { audit, clock } = this.#ports;
    const event = { id: `${id}-${action}`, guildId, atMs: clock.nowMs(), actorId: "", actorName: "Marshal" };
    await audit.event({ ...event, action, text: `${playerName}: ${why ?? ""}` });
  }
}
