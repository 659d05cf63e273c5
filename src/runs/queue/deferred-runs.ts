import { Failure } from "../../domain/failure.ts";
import type { Actor, Binding } from "../../domain/guild.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Snapshot, SourceId } from "../../domain/model.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { RunRenderer } from "../../domain/ports/run-renderer.ts";
import type { SnapshotListener } from "../../domain/ports/snapshots.ts";
import type { DeferredRun, RunOutcome } from "../../domain/run.ts";
import type { LateOutcomes } from "../audit/late-outcomes.ts";
import {
  asLinked,
  type DeferredPress,
  deferredFailed,
  deferredKey,
  newDeferredRun,
} from "./deferred-run-record.ts";
import { type DeferredSender, sendDeferred } from "./send-deferred.ts";
import { wasDeferred, whyNotDeferred } from "./why-not-deferred.ts";

/** A deferred run expires after this time, because by then its author no longer expects it. */
const DEFERRED_FOR_MS = 60 * 60_000;
const PLAYERS_READ_EVERY_MS = 20_000;
/** Deferred runs of one guild; each person has one per server. */
const MOST_OF_GUILD = 100;

export interface DeferredPorts extends DeferredSender {
  readonly documents: Documents<DeferredRun>;
  readonly audit: AuditLog;
  readonly bindings: Bindings;
  readonly demands: Demands;
  readonly late: Pick<LateOutcomes, "post">;
  readonly notifier: Notifier;
  readonly renderer: RunRenderer;
  readonly random: Random;
  owns(guildId: string): boolean;
  /** The store may be set back by seconds: what it says of a run may be out of date. */
  readonly isStoreInDoubt: boolean;
}

interface HeldRun {
  readonly key: string;
  readonly run: DeferredRun;
  readonly cancelExpiry: () => void;
}

type DeferAnswer = { readonly ok: boolean; readonly text: string };

/** "Run when someone joins": one stored run for each person and server, which becomes an audited run when it fires. */
export class DeferredRuns implements SnapshotListener {
  readonly #ports: DeferredPorts;
  readonly #held = new Map<string, HeldRun>();
  readonly #firing = new Set<Promise<void>>();
  /** Those that are being sent, also while no row in the audit says so yet. */
  readonly #sending = new Set<DeferredRun>();
  /** The next one of a person has the same key as the one before. */
  readonly #changes = new KeyedMutex();
  readonly #presses = new KeyedMutex();

  constructor(ports: DeferredPorts) {
    this.#ports = ports;
  }

  get count(): number {
    return this.#held.size;
  }

  async load(): Promise<void> {
    const { documents, audit, bindings, owns, isStoreInDoubt } = this.#ports;
    for await (const [key, run] of documents.entries()) {
      const { guildId } = run.request.actor;
      if (!owns(guildId)) continue;
      // It has fired: its row, which has its id, says what became of it.
      const record = await audit.get(guildId, run.id);
      if (record !== undefined) this.#track(this.#tell(key, run, { outcome: { record }, isDoubtful: true }));
      else if (isStoreInDoubt) await this.#giveUp(key, run);
      else this.#hold(key, asLinked(run, await bindings.list(guildId)));
    }
  }

  /** It may have been sent already, and its removal from the store may be what was lost: it is not sent. */
  async #giveUp(key: string, run: DeferredRun): Promise<void> {
    const words = "The database was restored from an older copy, so it may already have been sent.";
    const failure = new Failure("store", words, { ran: "unknown" });
    const outcome = deferredFailed(run, failure, this.#ports.clock.nowMs());
    await this.#tell(key, run, { outcome, isDoubtful: true });
  }

  list(guildId: string): readonly DeferredRun[] {
    return [...this.#held.values()]
      .map(({ run }) => run)
      .filter((run) => run.request.actor.guildId === guildId);
  }

  async defer(actor: Actor, runId: string): Promise<DeferAnswer> {
    const record = await this.#ports.audit.get(actor.guildId, runId);
    const why =
      record === undefined ? "That command is no longer in the audit." : whyNotDeferred(record, actor);
    if (record === undefined || why !== undefined) return { ok: false, text: why ?? "" };
    const binding = (await this.#ports.bindings.list(actor.guildId)).find(
      ({ id }) => id === record.bindingId,
    );
    if (binding === undefined) return { ok: false, text: "This server is no longer linked." };
    // One press after the other: the button stays on its card.
    const key = deferredKey(actor, binding);
    return await this.#presses.take(key, () => this.#deferNext(key, { actor, binding, record }));
  }

  /** Whoever presses its button again reads what came of it, and sends nothing twice. */
  async #deferNext(key: string, press: DeferredPress): Promise<DeferAnswer> {
    const { actor, record } = press;
    const { audit, clock, documents, random } = this.#ports;
    const waited = this.#held.get(key);
    if (this.#isBeingSent(key, record.text) || (await wasDeferred(audit, record))) {
      return { ok: false, text: "It is on its way or was sent already." };
    }
    // Somebody joined in the meantime, or it was cancelled.
    if (this.#held.get(key) !== waited) return await this.#deferNext(key, press);
    if (waited === undefined && this.list(actor.guildId).length >= MOST_OF_GUILD) {
      return {
        ok: false,
        text: `${MOST_OF_GUILD} commands are already waiting for someone to join. Cancel one first.`,
      };
    }
    const run = newDeferredRun(random.id(), press, clock.nowMs() + DEFERRED_FOR_MS);
    // The one before must not be sent while this one is stored in its place.
    const replaced = this.#drop(key);
    try {
      await this.#changes.take(key, () => documents.set(key, run));
    } catch (error) {
      if (replaced !== undefined) this.#hold(key, replaced);
      throw error;
    }
    this.#hold(key, run);
    const until = `<t:${Math.ceil(run.expiresAtMs / 1000)}:t>`;
    const instead = replaced === undefined ? "" : " It replaces the one that was waiting.";
    return {
      ok: true,
      text: `It will be sent when someone joins, until ${until}. The result is posted here.${instead}`,
    };
  }

  /** The deferred run of this id; undefined: the guild has none. */
  get(guildId: string, id: string): DeferredRun | undefined {
    return this.list(guildId).find((run) => run.id === id);
  }

  /** false: by now it is being sent, or over. Where the store fails it waits on, as it does there. */
  async cancel({ id, request }: DeferredRun): Promise<boolean> {
    const key = deferredKey(request.actor, request.binding);
    const held = this.#held.get(key)?.run;
    if (held?.id !== id) return false;
    await this.#forget(key).catch((error: unknown) => {
      if (!this.#held.has(key)) this.#hold(key, held);
      throw error;
    });
    return true;
  }

  async onUnlinked(binding: Binding): Promise<void> {
    const gone = [...this.#held.values()].filter(({ run }) => run.request.binding.id === binding.id);
    for (const { key } of gone) await this.#forget(key);
  }

  /** Servers as they are linked now: one that has a new key is another source. */
  followLinks(linked: readonly Binding[]): void {
    for (const { key, run } of [...this.#held.values()]) {
      const now = asLinked(run, linked);
      if (now === run) continue;
      this.#drop(key);
      this.#hold(key, now);
    }
  }

  async take(snapshot: Snapshot): Promise<void> {
    if (snapshot.status.currentPlayers === 0) return;
    const due = [...this.#held.values()].filter(({ run }) => run.request.binding.source === snapshot.source);
    for (const { key, run } of due) {
      this.#drop(key);
      this.#track(this.#fire(key, run));
    }
  }

  async stop(): Promise<void> {
    for (const { cancelExpiry } of this.#held.values()) cancelExpiry();
    this.#held.clear();
    await Promise.all(this.#firing);
  }

  /**
   * Its row in the audit has its id and is written before anything is sent. It leaves the store once its outcome is
   * owed to who asked: a crash at any point neither loses it nor makes it run twice.
   */
  async #fire(key: string, run: DeferredRun): Promise<void> {
    this.#sending.add(run);
    try {
      const outcome = await sendDeferred(this.#ports, run);
      await this.#tell(key, run, { outcome, isDoubtful: false });
    } finally {
      this.#sending.delete(run);
    }
  }

  #isBeingSent(key: string, text: string): boolean {
    return [...this.#sending].some(({ request }) => {
      return deferredKey(request.actor, request.binding) === key && request.text === text;
    });
  }

  async #tell(
    key: string,
    run: DeferredRun,
    { outcome, isDoubtful }: { readonly outcome: RunOutcome; readonly isDoubtful: boolean },
  ): Promise<void> {
    if (await this.#ports.late.post(outcome, isDoubtful)) await this.#remove(key, run);
  }

  /** Takes it out of the store, unless the next one stands there already. Never rejects: the next start looks again. */
  async #remove(key: string, { id }: DeferredRun): Promise<void> {
    const { documents, report } = this.#ports;
    const remove = async () => {
      if ((await documents.get(key))?.id === id) await documents.delete(key);
    };
    await this.#changes
      .take(key, remove)
      .catch((error: unknown) => report("a deferred command could not be taken out of the store", error));
  }

  #hold(key: string, run: DeferredRun): void {
    // A wall clock that was set back since it was stored makes it wait no longer.
    const leftMs = Math.min(run.expiresAtMs - this.#ports.clock.nowMs(), DEFERRED_FOR_MS);
    const cancelExpiry = this.#ports.clock.after(leftMs, () => this.#track(this.#expire(key, run)));
    this.#held.set(key, { key, run, cancelExpiry });
    this.#demand(run.request.binding.source);
  }

  async #expire(key: string, run: DeferredRun): Promise<void> {
    if (this.#held.get(key)?.run !== run) return;
    await this.#forget(key);
    const { guildId, userId } = run.request.actor;
    await this.#ports.notifier.person(guildId, userId, this.#ports.renderer.deferredExpired(run));
  }

  async #forget(key: string): Promise<void> {
    this.#drop(key);
    await this.#changes.take(key, () => this.#ports.documents.delete(key));
  }

  #drop(key: string): DeferredRun | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    held.cancelExpiry();
    this.#held.delete(key);
    this.#demand(held.run.request.binding.source);
    return held.run;
  }

  #demand(source: SourceId): void {
    const runs = [...this.#held.values()].filter(({ run }) => run.request.binding.source === source);
    const untilMs = Math.max(0, ...runs.map(({ run }) => run.expiresAtMs));
    const demand = { source, lists: ["players"] as const, maxAgeMs: PLAYERS_READ_EVERY_MS, untilMs };
    this.#ports.demands.put(`runs-deferred:${source}`, runs.length === 0 ? [] : [demand]);
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#ports.report("a deferred command failed", error))
      .finally(() => this.#firing.delete(tracked));
    this.#firing.add(tracked);
  }
}
