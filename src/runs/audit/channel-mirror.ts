import { channelMention, md } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import type { RunRecord } from "../../domain/run.ts";
import { isOver } from "./run-record.ts";

/** Rows that may wait for a guild's channel; beyond it rows are not mirrored, but always in the audit. */
const MOST_WAITING_ROWS = 200;

export interface MirrorPorts {
  readonly audit: AuditLog;
  readonly settings: Settings;
  readonly sink: Sink;
  readonly notifier: Notifier;
  readonly renderer: RunRenderer;
  readonly random: Random;
  report(what: string, error: unknown): void;
  /** Somebody configured something, which may change what is watched for this guild. */
  onEvent(guildId: string): void;
}

/** The audit, which also posts its rows into the guild's audit channel, in order and by best effort. */
export class AuditChannelMirror implements AuditLog {
  readonly #ports: MirrorPorts;
  readonly #chains = new Map<string, Promise<void>>();
  readonly #behind = new Map<string, number>();
  /** Channels whose refusal the guild was notified of. */
  readonly #notified = new Set<string>();

  readonly #listeners: ((record: RunRecord) => void)[] = [];

  constructor(ports: MirrorPorts) {
    this.#ports = ports;
  }

  /** Hears of each row of a run, after it was written. */
  listen(listener: (record: RunRecord) => void): void {
    this.#listeners.push(listener);
  }

  async put(record: RunRecord): Promise<void> {
    await this.#ports.audit.put(record);
    for (const listener of this.#listeners) listener(record);
    // Posted when the run is over, and again when the log contradicts its outcome or resolves an unknown one.
    if (isOver(record.status) && (record.proof !== "seen" || record.status === "unknown")) {
      this.#post(record.guildId, () => this.#ports.renderer.auditRow(record));
    }
  }

  async event(event: Parameters<AuditLog["event"]>[0]): Promise<void> {
    await this.#ports.audit.event(event);
    this.#post(event.guildId, () => this.#ports.renderer.auditEvent(event));
    this.#ports.onEvent(event.guildId);
  }

  get: AuditLog["get"] = (guildId, runId) => this.#ports.audit.get(guildId, runId);
  search: AuditLog["search"] = (guildId, filter) => this.#ports.audit.search(guildId, filter);
  events: AuditLog["events"] = (guildId, filter) => this.#ports.audit.events(guildId, filter);
  recentRuns: AuditLog["recentRuns"] = (source, sinceMs) => this.#ports.audit.recentRuns(source, sinceMs);
  unfinished: AuditLog["unfinished"] = () => this.#ports.audit.unfinished();
  prune: AuditLog["prune"] = (guildId, beforeMs) => this.#ports.audit.prune(guildId, beforeMs);

  /** Resolves when each row so far was posted or refused. */
  async flushed(): Promise<void> {
    await Promise.all(this.#chains.values());
  }

  #post(guildId: string, render: () => MessageBody): void {
    const behind = this.#behind.get(guildId) ?? 0;
    if (behind >= MOST_WAITING_ROWS) return;
    this.#behind.set(guildId, behind + 1);
    const chain = (this.#chains.get(guildId) ?? Promise.resolve())
      .then(() => this.#send(guildId, render))
      .catch((error: unknown) => this.#ports.report("an audit row could not be mirrored", error))
      .finally(() => {
        const left = (this.#behind.get(guildId) ?? 1) - 1;
        if (left > 0) this.#behind.set(guildId, left);
        else {
          this.#behind.delete(guildId);
          this.#chains.delete(guildId);
        }
      });
    this.#chains.set(guildId, chain);
  }

  async #send(guildId: string, render: () => MessageBody): Promise<void> {
    const { settings, sink, random, notifier } = this.#ports;
    const { auditChannelId } = await settings.of(guildId);
    if (auditChannelId === undefined) return;
    try {
      await sink.send(auditChannelId, { ...render(), nonce: random.id().slice(0, 25), silent: true });
      this.#notified.delete(auditChannelId);
    } catch (error) {
      this.#ports.report("an audit row could not be mirrored", error);
      if (this.#notified.has(auditChannelId)) return;
      this.#notified.add(auditChannelId);
      const content = md`Marshal cannot post into the audit channel ${channelMention(auditChannelId)}. The audit itself is complete: see \`/audit search\`. Choose another channel with \`/audit channel\`.`;
      await notifier.guild(guildId, { content });
    }
  }
}
