// Over 200 lines: one board of panels, whose edits, failures and records change together.
import { Failure, SinkRefusal } from "../../domain/failure.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { Panel, PanelRenderer, Panels, Remover } from "../../domain/ports/panels.ts";
import type { Sink } from "../../domain/ports/sink.ts";
import { reasonInWords } from "../delivery/refusal-words.ts";
import { type PanelBodyPorts, type PanelServer, panelBody } from "./panel-body.ts";
import { demandOwner, type PanelRecord, panelKey } from "./panel-records.ts";
import { afterRefusal, EDIT_EVERY_MS, LIMITED_EVERY_MS, panelStep } from "./panel-step.ts";

const LOOK_EVERY_MS = 15_000;
/** Not while everything starts. */
const FIRST_LOOK_MS = 1_000;
const MOST_PANELS = 10;
/** Our latest messages of a channel, among which a panel is looked for whose post went unanswered. */
const LOOK_BACK = 50;

export interface PanelBoardPorts extends PanelBodyPorts {
  readonly panels: Documents<PanelRecord>;
  readonly sink: Sink & Remover;
  readonly renderer: PanelRenderer;
  readonly notifier: Pick<Notifier, "person">;
  readonly random: Random;
  warn(message: string, error: unknown): void;
}

/** A panel that runs; the times are of the monotonic clock. */
interface LivePanel extends PanelServer {
  notBeforeMs: number;
  limited: number;
  /** A post may stand there of which we know nothing. */
  isDoubtful: boolean;
}

/**
 * The panels of all guilds: each says what the latest state says, within a minute, and never more often. One file: a
 * post, an edit and a replacement are steps of one message.
 */
export class PanelBoard implements Panels {
  readonly #ports: PanelBoardPorts;
  readonly #live = new Map<string, LivePanel>();
  readonly #turns = new KeyedMutex();
  #running: Promise<void> = Promise.resolve();
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(ports: PanelBoardPorts) {
    this.#ports = ports;
  }

  /** Takes up the messages that stand in their channels. Rejects when the store fails. */
  async start(): Promise<void> {
    for await (const [key, record] of this.#ports.panels.entries()) {
      this.#live.set(key, this.#opened(record, record.messageId === undefined));
    }
    this.#lookLater(FIRST_LOOK_MS);
  }

  /** Ends after the message that is on its way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  async add(panel: Panel): Promise<"posted" | "stands"> {
    const key = panelKey(panel);
    if (this.#live.has(key)) return "stands";
    if (this.list(panel.guildId).length >= MOST_PANELS) {
      throw new Failure("bad-command", `A community has at most ${MOST_PANELS} panels. Remove one first.`);
    }
    const { random, panels } = this.#ports;
    const { guildId, bindingId, channelId, createdBy } = panel;
    const mark = random.id().slice(0, 8);
    const record = { guildId, bindingId, channelId, createdBy, mark, nonce: this.#nonce(), goodAtMs: 0 };
    await panels.set(key, record);
    const live = this.#opened(record, false);
    this.#live.set(key, live);
    try {
      await this.#turns.take(key, () => this.#step(key, live));
    } catch (error) {
      await this.#forget(key);
      throw error;
    }
    if (live.record.messageId === undefined) {
      await this.#forget(key);
      throw new Failure("bad-command", "Nothing was read of this server yet, so there is nothing to show.");
    }
    return "posted";
  }

  list(guildId: string): readonly Panel[] {
    return [...this.#live.values()].map(({ record }) => record).filter((one) => one.guildId === guildId);
  }

  async remove(panel: Omit<Panel, "createdBy">): Promise<boolean> {
    const key = panelKey(panel);
    const live = this.#live.get(key);
    if (live === undefined) return false;
    return await this.#turns.take(key, async () => {
      await this.#forget(key);
      if (live.record.messageId !== undefined)
        await this.#takeAway(live.record.channelId, live.record.messageId);
      return true;
    });
  }

  /** A guild is gone, or one of its servers is no longer linked. Messages stay as they are. */
  async drop(whose: { readonly guildId: string; readonly bindingId?: string }): Promise<void> {
    for (const [key, { record }] of [...this.#live]) {
      const isTheirs = record.guildId === whose.guildId;
      if (isTheirs && (whose.bindingId === undefined || record.bindingId === whose.bindingId)) {
        await this.#turns.take(key, () => this.#forget(key));
      }
    }
  }

  #opened(record: PanelRecord, isDoubtful: boolean): LivePanel {
    const goodSinceMs = this.#ports.clock.monotonicMs();
    return { record, source: undefined, goodSinceMs, notBeforeMs: 0, limited: 0, isDoubtful };
  }

  #lookLater(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#ports.clock.after(delayMs, () => {
      this.#running = this.#look().then(() => this.#lookLater(LOOK_EVERY_MS));
    });
  }

  async #look(): Promise<void> {
    for (const [key, live] of [...this.#live]) {
      if (this.#isStopped) return;
      try {
        await this.#turns.take(key, () => this.#stepOrStop(key, live));
      } catch (error) {
        this.#ports.warn("a panel could not be brought up to date; it is tried again", error);
        live.notBeforeMs = this.#ports.clock.monotonicMs() + EDIT_EVERY_MS;
      }
    }
  }

  async #stepOrStop(key: string, live: LivePanel): Promise<void> {
    if (this.#live.get(key) !== live) return;
    try {
      await this.#step(key, live);
    } catch (error) {
      if (!(error instanceof SinkRefusal)) throw error;
      await this.#onRefused(key, live, error);
    }
  }

  /** Rejects with the SinkRefusal. */
  async #step(key: string, live: LivePanel): Promise<void> {
    const { clock, sink } = this.#ports;
    const wanted = await panelBody(this.#ports, live);
    const { record, notBeforeMs, limited } = live;
    const { messageId } = record;
    const nowMs = clock.monotonicMs();
    const step = panelStep({ wanted, shown: record.body, messageId, nowMs, notBeforeMs, limited });
    if (step === "wait" || wanted === undefined) return;

    live.notBeforeMs = nowMs + EDIT_EVERY_MS;
    if (step === "edit" && messageId !== undefined) {
      await sink.edit(record.channelId, messageId, wanted);
      live.limited = 0;
      await this.#keep(key, live, { body: wanted });
      return;
    }
    // The nonce is written before it is used: what a crash leaves unknown is sent again under the same one.
    if (step === "replace" && !live.isDoubtful) await this.#keep(key, live, { nonce: this.#nonce() });
    const found = live.isDoubtful ? await this.#found(live) : undefined;
    // Until Discord has answered, it may stand there.
    live.isDoubtful = true;
    const sent = found ?? {
      messageId: (await sink.send(record.channelId, { ...wanted, nonce: live.record.nonce, silent: true }))
        .messageId,
    };
    live.isDoubtful = false;
    live.limited = 0;
    await this.#keep(key, live, { body: wanted, messageId: sent.messageId });
    if (step === "replace" && messageId !== undefined) await this.#takeAway(record.channelId, messageId);
  }

  async #onRefused(key: string, live: LivePanel, refusal: SinkRefusal): Promise<void> {
    const { clock, notifier, renderer, warn } = this.#ports;
    const { record } = live;
    const nowMs = clock.monotonicMs();
    switch (afterRefusal(refusal.reason, record.isRemade === true)) {
      case "limited":
        live.limited += 1;
        live.notBeforeMs = nowMs + LIMITED_EVERY_MS;
        return;
      case "make-again": {
        const { messageId: _, ...rest } = record;
        live.record = { ...rest, isRemade: true, nonce: this.#nonce() };
        live.notBeforeMs = 0;
        await this.#keep(key, live, {});
        return;
      }
      case "stop": {
        await this.#forget(key);
        if (refusal.reason === "message-gone") return;
        const why = reasonInWords(refusal);
        await notifier.person(record.guildId, record.createdBy, renderer.stopped(record.channelId, why));
        return;
      }
      case "again":
        live.notBeforeMs = nowMs + (refusal.retryAfterMs ?? EDIT_EVERY_MS);
        warn("a panel could not be brought up to date; it is tried again", refusal);
    }
  }

  /** The message of a post whose answer was lost, by the mark in its footer: newer than the one that it replaces. */
  async #found({ record }: LivePanel): Promise<{ readonly messageId: string } | undefined> {
    const posted = await this.#ports.sink
      .readBack(record.channelId, undefined, LOOK_BACK)
      .catch((error: unknown) => {
        // Where the channel may not be read, the nonce alone guards against a second one.
        if (error instanceof SinkRefusal && error.reason === "no-history") return [];
        throw error;
      });
    const isNewer = (messageId: string) =>
      record.messageId === undefined || BigInt(messageId) > BigInt(record.messageId);
    return posted.findLast(
      ({ messageId, cards }) =>
        isNewer(messageId) && cards.some(({ footer }) => footer?.endsWith(record.mark) === true),
    );
  }

  async #keep(key: string, live: LivePanel, changes: Partial<PanelRecord>): Promise<void> {
    live.record = { ...live.record, ...changes };
    await this.#ports.panels.set(key, live.record);
  }

  async #forget(key: string): Promise<void> {
    const live = this.#live.get(key);
    this.#live.delete(key);
    if (live !== undefined) this.#ports.demands.put(demandOwner(live.record), []);
    await this.#ports.panels.delete(key);
  }

  async #takeAway(channelId: string, messageId: string): Promise<void> {
    try {
      await this.#ports.sink.remove(channelId, messageId);
    } catch (error) {
      this.#ports.warn("the message of a former panel could not be removed", error);
    }
  }

  #nonce(): string {
    return this.#ports.random.id().slice(0, 25);
  }
}
