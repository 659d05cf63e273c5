// Over 200 lines: one message from its first attempt to what it says last; each step meets the same refusals.
import type { AlertRule } from "../domain/alert.ts";
import { BackOff } from "../domain/back-off.ts";
import { SinkRefusal, type SinkRefusalReason } from "../domain/failure.ts";
import type { PostedMessage } from "../domain/message.ts";
import type { AlertRenderer } from "../domain/ports/alert-renderer.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Sink } from "../domain/ports/sink.ts";
import { type PostedOnce, postOnce } from "../domain/post-once.ts";
import type { Incident } from "./incidents.ts";

/** Which message is meant. */
export interface MessageRef {
  readonly guildId: string;
  readonly bindingId: string;
  readonly ruleId: string;
  readonly key: string;
}

/** A message as it is wanted now. */
export interface Wanted {
  readonly rule: AlertRule;
  readonly serverName: string;
  readonly incident: Incident;
}

type Shown = Partial<Pick<Incident, "messageId" | "shown" | "isGone">>;

export interface AlertPostsPorts {
  readonly sink: Sink;
  readonly renderer: AlertRenderer;
  readonly clock: Clock;
  readonly random: Random;
  /** Undefined: the alert was removed, or nothing is kept of it any more. */
  find(ref: MessageRef): Promise<Wanted | undefined>;
  /** Notes what stands in the channel now. Answers whether it is written; never rejects. */
  note(ref: MessageRef, shown: Shown): Promise<boolean>;
  /** Notes what its message says now. Not written for that alone: after a restart one edit more is harmless. */
  noteEdit(ref: MessageRef, version: number): void;
  /** Discord took a message of the alert, or refused one. */
  onOutcome(rule: AlertRule, refused: SinkRefusalReason | undefined): Promise<void>;
  report(what: string, error: unknown): void;
}

/** A message is edited at most once in this time while the matter goes on. */
const EDIT_EVERY_MS = 5_000;
/** A channel that takes no messages is tried again after this time, or when permissions change. */
const REFUSED_AGAIN_MS = 5 * 60_000;
/** What could not be posted for this long is no alert any more. */
const GIVEN_UP_AFTER_MS = 60 * 60_000;
const EDIT_LIMIT_MS = 5 * 60_000;
/** Clocks differ: what happened up to this long after the start may have been posted before it. */
const DOUBT_S = 120;

/** The messages of alerts: each is posted once, then edited until it says all there is to say. */
export class AlertPosts {
  readonly #ports: AlertPostsPorts;
  readonly #startedS: number;
  readonly #running = new Map<string, Promise<void>>();
  /** Asked for once more while it ran: it may just have ended. */
  readonly #again = new Set<string>();
  /** Those that wait for a channel to open, with what ends the wait. */
  readonly #refused = new Map<string, { readonly guildId: string; readonly wake: () => void }>();
  /** An attempt went unanswered, or an earlier process may have made one. */
  readonly #doubtful = new Set<string>();
  readonly #stop = new AbortController();

  constructor(ports: AlertPostsPorts) {
    this.#ports = ports;
    this.#startedS = ports.clock.nowMs() / 1_000;
  }

  /** Its message is to say what is known now. `isDoubtful`: it may stand in the channel although nobody noted it. */
  show(ref: MessageRef, isDoubtful = false): void {
    const { key } = ref;
    if (isDoubtful) this.#doubtful.add(key);
    if (this.#stop.signal.aborted) return;
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    const run = this.#bringUpToDate(ref)
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#ports.report("the message of an alert failed", error);
      })
      .finally(() => {
        this.#running.delete(key);
        if (this.#again.delete(key)) this.show(ref);
      });
    this.#running.set(key, run);
  }

  /** Roles or a channel of this guild have changed: what was refused may pass. */
  permissionsChanged(guildId: string): void {
    for (const waiting of this.#refused.values()) if (waiting.guildId === guildId) waiting.wake();
  }

  /** Ends after the messages that are on their way. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the alerts were stopped"));
    await Promise.all(this.#running.values());
  }

  async #bringUpToDate(ref: MessageRef): Promise<void> {
    const backOff = new BackOff(this.#ports.clock, this.#ports.random);
    for (;;) {
      this.#stop.signal.throwIfAborted();
      const wanted = await this.#ports.find(ref);
      if (wanted === undefined || isShown(wanted.incident)) return;
      try {
        await this.#step(ref, wanted);
        backOff.reset();
        // While the matter goes on it changes with each answer of the service.
        await this.#ports.clock.sleep(EDIT_EVERY_MS, this.#stop.signal);
      } catch (error) {
        this.#stop.signal.throwIfAborted();
        const isOver = await this.#onFailure(ref, wanted, { error, backOff });
        if (isOver) return;
      }
    }
  }

  async #step(ref: MessageRef, wanted: Wanted): Promise<void> {
    const { sink, note, noteEdit, onOutcome } = this.#ports;
    const { incident, rule } = wanted;
    const { version, messageId } = incident;
    if (messageId !== undefined) {
      await sink.edit(incident.channelId, messageId, this.#body(wanted));
      noteEdit(ref, version);
      return;
    }
    const isDoubtful = this.#isDoubtful(wanted);
    const posted = await this.#post(wanted, isDoubtful);
    // A message from before may say less than is known now; so may one that Discord knew by its nonce.
    const isOlder = posted.wasThere || this.#doubtful.delete(ref.key);
    const isNoted = await note(ref, { messageId: posted.messageId, shown: isOlder ? 0 : version });
    // The store may know nothing of it when it is read next.
    if (!isNoted) this.#doubtful.add(ref.key);
    await onOutcome(rule, undefined);
  }

  #post(wanted: Wanted, isDoubtful: boolean): Promise<PostedOnce> {
    const { sink, renderer } = this.#ports;
    const { incident, rule } = wanted;
    const { key, channelId, roleId, isSilent, eventS, openedAtMs } = incident;
    // No row shows when a server became full: its alert may have been posted at any time before.
    const sinceMs = isLevel(rule) ? undefined : Math.min(openedAtMs, eventS * 1_000);
    return postOnce(sink, {
      channelId,
      nonce: key,
      body: this.#body(wanted),
      silent: isSilent,
      isDoubtful,
      sinceMs,
      ...(roleId === undefined ? {} : { pingRoleIds: [roleId] }),
      isIt: (posted: PostedMessage) => renderer.keyOf(posted) === key,
    });
  }

  #isDoubtful({ rule, incident }: Wanted): boolean {
    // A power cut may have taken what was noted: messages of that time are looked for before they are posted again.
    return (
      this.#doubtful.has(incident.key) ||
      incident.isShared ||
      isLevel(rule) ||
      incident.eventS <= this.#startedS + DOUBT_S
    );
  }

  #body({ rule, serverName, incident }: Wanted) {
    const { key, entries, more, isLate, roleId } = incident;
    return this.#ports.renderer.alert({
      key,
      rule,
      serverName,
      entries,
      more,
      isLate,
      pingedRoleId: roleId,
    });
  }

  /** Waits as long as the failure demands. @returns whether nothing more is done */
  async #onFailure(
    ref: MessageRef,
    { rule, incident }: Wanted,
    { error, backOff }: { readonly error: unknown; readonly backOff: BackOff },
  ): Promise<boolean> {
    const { clock, note, onOutcome, report } = this.#ports;
    const { signal } = this.#stop;
    const reason = error instanceof SinkRefusal ? error.reason : "unknown";
    if (reason === "unknown") {
      report("the message of an alert had no answer; it is tried again", error);
      this.#doubtful.add(ref.key);
      await backOff.wait(signal);
      return false;
    }
    if (reason === "edit-limit" && error instanceof SinkRefusal) {
      await clock.sleep(error.retryAfterMs ?? EDIT_LIMIT_MS, signal);
      return false;
    }
    const isPosted = incident.messageId !== undefined;
    const isTooOld = clock.nowMs() - incident.openedAtMs >= GIVEN_UP_AFTER_MS;
    if (!isPosted) await onOutcome(rule, reason);
    if (isPosted || isTooOld) {
      await note(ref, { isGone: true });
      return true;
    }
    await this.#untilOpen(ref);
    return false;
  }

  async #untilOpen({ guildId, key }: MessageRef): Promise<void> {
    const woken = new AbortController();
    this.#refused.set(key, { guildId, wake: () => woken.abort() });
    try {
      const either = AbortSignal.any([woken.signal, this.#stop.signal]);
      await this.#ports.clock.sleep(REFUSED_AGAIN_MS, either).catch(() => undefined);
    } finally {
      this.#refused.delete(key);
    }
  }
}

export function isShown({ shown, version, isGone }: Incident): boolean {
  return isGone === true || shown >= version;
}

function isLevel({ kind }: AlertRule): boolean {
  return kind === "full" || kind === "empty";
}
