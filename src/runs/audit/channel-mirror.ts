import { channelMention, type Escaped, md } from "../../domain/escaped.ts";
import type { SinkRefusal } from "../../domain/failure.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { PostLine, Posts, Stands, WantedPost } from "../../domain/ports/posts.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { RunRecord } from "../../domain/run.ts";
import { MirroredRows } from "./mirrored-rows.ts";
import { isOver } from "./run-record.ts";

export interface MirrorPorts {
  readonly audit: AuditLog;
  readonly settings: Settings;
  readonly posts: Posts;
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: Pick<RunRenderer, "auditRow" | "auditEvent">;
  readonly clock: Clock;
  readonly random: Random;
  report(what: string, error: unknown): void;
  /** Somebody configured something, which may change what is watched for this guild. */
  onEvent(guildId: string): void;
}

/**
 * The audit, which also posts its rows into the guild's audit channel, in order. What waits for the channel when the
 * process ends stands in the audit only.
 */
export class AuditChannelMirror implements AuditLog {
  readonly #ports: MirrorPorts;
  readonly #line: PostLine<string>;
  /** By guild. */
  readonly #waiting = new Map<string, MirroredRows>();
  /** By guild: the channel whose refusal it was notified of. */
  readonly #notified = new Map<string, string>();
  #flushed: PromiseWithResolvers<void> | undefined;
  readonly #listeners: ((record: RunRecord) => void)[] = [];

  constructor(ports: MirrorPorts) {
    this.#ports = ports;
    this.#line = ports.posts.line<string>({
      name: "rows of the audit",
      classes: { post: "first", edit: "change" },
      keyOf: (guildId) => guildId,
      guildOf: (guildId) => guildId,
      wanted: (guildId) => this.#wanted(guildId),
      isIt: (guildId, posted) => this.#waiting.get(guildId)?.isIt(posted) === true,
      onStands: (guildId, stands) => this.#onStands(guildId, stands),
      onRefused: (guildId, refusal) => this.#onRefused(guildId, refusal),
    });
  }

  /** Hears of each row of a run, after it was written. */
  listen(listener: (record: RunRecord) => void): void {
    this.#listeners.push(listener);
  }

  async put(record: RunRecord): Promise<void> {
    await this.#ports.audit.put(record);
    this.heard(record);
    // Posted when the run is over, and again when the log contradicts its outcome or resolves an unknown one.
    if (isOver(record.status) && (record.proof !== "seen" || record.status === "unknown")) {
      this.#post(record.guildId, this.#ports.renderer.auditRow(record));
    }
  }

  /** Another process wrote this row, and mirrors it. */
  heard(record: RunRecord): void {
    for (const listener of this.#listeners) listener(record);
  }

  async event(event: Parameters<AuditLog["event"]>[0]): Promise<void> {
    await this.#ports.audit.event(event);
    this.#post(event.guildId, this.#ports.renderer.auditEvent(event));
    this.#ports.onEvent(event.guildId);
  }

  get: AuditLog["get"] = (guildId, runId) => this.#ports.audit.get(guildId, runId);
  search: AuditLog["search"] = (guildId, filter) => this.#ports.audit.search(guildId, filter);
  events: AuditLog["events"] = (guildId, filter) => this.#ports.audit.events(guildId, filter);
  recentRuns: AuditLog["recentRuns"] = (source, sinceMs) => this.#ports.audit.recentRuns(source, sinceMs);
  unfinished: AuditLog["unfinished"] = () => this.#ports.audit.unfinished();
  prune: AuditLog["prune"] = (guildId, beforeMs) => this.#ports.audit.prune(guildId, beforeMs);

  /** Resolves when each row so far stands in its channel. */
  async flushed(): Promise<void> {
    if (this.#waiting.size === 0) return;
    this.#flushed ??= Promise.withResolvers<void>();
    await this.#flushed.promise;
  }

  #post(guildId: string, text: Escaped): void {
    const { random, clock } = this.#ports;
    const rows = this.#waiting.get(guildId) ?? new MirroredRows(() => random.id().slice(0, 25));
    rows.add(text, clock.nowMs());
    this.#waiting.set(guildId, rows);
    this.#line.show(guildId);
  }

  async #wanted(guildId: string): Promise<WantedPost | undefined> {
    const { auditChannelId: channelId } = await this.#ports.settings.of(guildId);
    // Nobody wants them, or no longer.
    if (channelId === undefined) this.#end(guildId);
    const next = this.#waiting.get(guildId)?.next();
    if (channelId === undefined || next === undefined) return undefined;
    const { content, ...message } = next;
    return { ...message, channelId, body: { content }, silent: true };
  }

  async #onStands(guildId: string, { kind, messageId, isMarked }: Stands): Promise<void> {
    this.#notified.delete(guildId);
    const rows = this.#waiting.get(guildId);
    if (kind === "found") rows?.onFound(messageId, isMarked);
    else rows?.onStands(messageId);
    if (rows?.isEmpty === true) this.#end(guildId);
    else this.#line.show(guildId);
  }

  async #onRefused(guildId: string, refusal: SinkRefusal): Promise<"over" | "closed"> {
    this.#ports.report("rows of the audit could not be mirrored", refusal);
    if (refusal.reason === "form" || refusal.reason === "message-gone") {
      this.#waiting.get(guildId)?.leaveOut(this.#ports.clock.nowMs());
      this.#line.show(guildId);
      return "over";
    }
    const { auditChannelId } = await this.#ports.settings.of(guildId);
    if (auditChannelId !== undefined && this.#notified.get(guildId) !== auditChannelId) {
      this.#notified.set(guildId, auditChannelId);
      const content = md`Marshal can't post in the audit channel ${channelMention(auditChannelId)}. Nothing is lost: \`/audit search\` has it all. Pick another channel with \`/audit channel\`.`;
      await this.#ports.notifier.guild(guildId, { content });
    }
    return "closed";
  }

  #end(guildId: string): void {
    this.#waiting.delete(guildId);
    if (this.#waiting.size > 0) return;
    this.#flushed?.resolve();
    this.#flushed = undefined;
  }
}
