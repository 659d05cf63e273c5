import { Failure, type SinkRefusal } from "../../domain/failure.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { Notifier } from "../../domain/ports/notifier.ts";
import type { Panel, PanelRenderer, Panels, ShownPanel } from "../../domain/ports/panels.ts";
import type { PostLine, Posts, Stands, WantedPost } from "../../domain/ports/posts.ts";
import { reasonInWords } from "../delivery/refusal-words.ts";
import { type PanelBodyPorts, type PanelServer, panelBody } from "./panel-body.ts";
import { demandOwner, formerKey, isPanel, nextPost, type PanelRecord, panelKey } from "./panel-records.ts";

const LOOK_EVERY_MS = 15_000;
/** So many are drawn together, and as long passes to the next: all of ten thousand at once would hold up everybody. */
const LOOKED_AT_ONCE = 50;
const NEXT_LOOKED_AT_MS = 50;
/** Not while everything starts. */
const FIRST_LOOK_MS = 1_000;
/** Edits of one panel: at most one in this time. */
const EDIT_EVERY_MS = 60_000;
const MOST_PANELS = 10;
/** Who asked for a panel waits so long for its message. */
const FIRST_POST_WITHIN_MS = 10_000;

export interface PanelBoardPorts extends PanelBodyPorts {
  readonly panels: Documents<PanelRecord>;
  readonly posts: Posts;
  readonly renderer: PanelRenderer;
  readonly notifier: Pick<Notifier, "person">;
  readonly random: Random;
  warn(message: string, error: unknown): void;
}

/** A panel that runs. */
interface LivePanel extends PanelServer {
  /** An earlier process may have posted it. */
  isDoubtful: boolean;
  /** What its message is to say, as it was last asked for. */
  wanted: MessageBody | undefined;
  /** Who asked for it waits to hear of its first message. */
  first: PromiseWithResolvers<void> | undefined;
}

/** The panels of all guilds: each says what the latest state says, within a minute, and never more often. */
export class PanelBoard implements Panels {
  readonly #ports: PanelBoardPorts;
  readonly #live = new Map<string, LivePanel>();
  /** Messages that were panels, by their keys: they are to go. */
  readonly #former = new Map<string, PanelRecord>();
  /** Panels that were removed before it was known whether their message stands. */
  readonly #withdrawn = new Map<string, PanelRecord>();
  readonly #line: PostLine<string>;
  readonly #formerLine: PostLine<string>;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(ports: PanelBoardPorts) {
    this.#ports = ports;
    this.#line = ports.posts.line<string>({
      name: "a panel",
      classes: { post: "first", edit: "refresh" },
      keyOf: (key) => key,
      guildOf: (key) => this.#live.get(key)?.record.guildId ?? key,
      wanted: (key) => this.#wanted(key),
      isIt: (key, posted) => isPanel(posted, this.#live.get(key)?.record),
      onStands: (key, stands) => this.#onStands(key, stands),
      onRefused: (key, refusal) => this.#onRefused(key, refusal),
      replace: (key) => this.#replace(key),
    });
    this.#formerLine = ports.posts.line<string>({
      name: "a former panel",
      classes: { post: "first", edit: "refresh" },
      keyOf: (key) => key,
      guildOf: (key) => this.#former.get(key)?.guildId ?? key,
      wanted: async (key) => {
        const record = this.#former.get(key);
        if (record === undefined) return undefined;
        const { channelId, messageId, nonce } = record;
        return { channelId, messageId, nonce, body: {}, isToGo: true };
      },
      isIt: () => false,
      onStands: (key) => this.#forgetFormer(key),
      onRefused: async (key, refusal) => {
        if (refusal.reason !== "message-gone")
          ports.warn("the message of a former panel could not be removed", refusal);
        await this.#forgetFormer(key);
        return "over";
      },
    });
  }

  /** Takes up the messages that stand in their channels. Rejects when the store fails. */
  async start(): Promise<void> {
    for await (const [key, record] of this.#ports.panels.entries()) {
      if (record.isFormer === true) this.#takeAway(key, record);
      else {
        const isDoubtful = record.messageId === undefined;
        this.#live.set(key, this.#opened(record, { isDoubtful, first: undefined }));
      }
    }
    this.#lookLater(FIRST_LOOK_MS);
  }

  /** What is on its way is the outbox's. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async add(panel: Panel): Promise<"posted" | "stands" | "follows"> {
    const key = panelKey(panel);
    if (this.#live.has(key)) return "stands";
    if (this.list(panel.guildId).length >= MOST_PANELS) {
      throw new Failure(
        "bad-command",
        `This community has ${MOST_PANELS} panels, the maximum. Remove one first.`,
      );
    }
    const { random, panels, clock } = this.#ports;
    const { guildId, bindingId, channelId, createdBy } = panel;
    const mark = random.id().slice(0, 8);
    const record = { guildId, bindingId, channelId, createdBy, mark, ...this.#newPost(), goodAtMs: 0 };
    const first = Promise.withResolvers<void>();
    const live = this.#opened(record, { isDoubtful: false, first });
    this.#live.set(key, live);
    this.#withdrawn.delete(key);
    try {
      if ((await panelBody(this.#ports, live)) === undefined)
        throw new Failure(
          "bad-command",
          "Marshal has not read this server yet, so there is nothing to show.",
        );
      await panels.set(key, live.record);
    } catch (error) {
      await this.#forget(key);
      throw error;
    }
    this.#line.show(key);
    const inTime = new AbortController();
    const late = clock.sleep(FIRST_POST_WITHIN_MS, inTime.signal).then(() => "follows" as const);
    late.catch(() => undefined);
    return await Promise.race([first.promise.then(() => "posted" as const), late]).finally(() => {
      live.first = undefined;
      inTime.abort();
    });
  }

  list(guildId: string): readonly ShownPanel[] {
    return [...this.#live.values()].map(({ record }) => record).filter((one) => one.guildId === guildId);
  }

  async remove(panel: Omit<Panel, "createdBy">): Promise<boolean> {
    const key = panelKey(panel);
    const live = this.#live.get(key);
    if (live === undefined) return false;
    const { messageId, after } = live.record;
    for (const id of [messageId, after]) if (id !== undefined) await this.#makeFormer(live.record, id);
    if (messageId === undefined) this.#withdrawn.set(key, live.record);
    await this.#forget(key);
    return true;
  }

  /** A guild is gone, or one of its servers is no longer linked. Messages stay as they are. */
  async drop(whose: { readonly guildId: string; readonly bindingId?: string }): Promise<void> {
    for (const [key, { record }] of [...this.#live]) {
      const isTheirs = record.guildId === whose.guildId;
      if (isTheirs && (whose.bindingId === undefined || record.bindingId === whose.bindingId)) {
        await this.#forget(key);
      }
    }
  }

  #opened(record: PanelRecord, { isDoubtful, first }: Pick<LivePanel, "isDoubtful" | "first">): LivePanel {
    const goodSinceMs = this.#ports.clock.monotonicMs();
    return { record, source: undefined, goodSinceMs, notBeforeMs: 0, isDoubtful, wanted: undefined, first };
  }

  #lookLater(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#ports.clock.after(delayMs, () => this.#look(this.#live.keys(), LOOK_EVERY_MS));
  }

  /** `againMs`: until the next round. */
  #look(keys: MapIterator<string>, againMs: number): void {
    const some = [...keys.take(LOOKED_AT_ONCE)];
    for (const key of some) this.#line.show(key);
    const leftMs = againMs - NEXT_LOOKED_AT_MS;
    const goOn = () => this.#look(keys, leftMs);
    if (some.length < LOOKED_AT_ONCE) this.#lookLater(Math.max(1, againMs));
    else this.#cancel = this.#ports.clock.after(NEXT_LOOKED_AT_MS, goOn);
  }

  async #wanted(key: string): Promise<WantedPost | undefined> {
    const live = this.#live.get(key);
    const body = live === undefined ? undefined : await panelBody(this.#ports, live);
    if (live === undefined || body === undefined) return undefined;
    const { channelId, messageId, nonce, isMarked, body: shown, sinceMs } = live.record;
    const isCurrent = JSON.stringify(body) === JSON.stringify(shown);
    if (messageId !== undefined && isCurrent) return undefined;
    live.wanted = body;
    const { isDoubtful } = live;
    return { channelId, messageId, nonce, isMarked, body, silent: true, isDoubtful, sinceMs };
  }

  async #onStands(key: string, { kind, messageId, isMarked }: Stands): Promise<void> {
    const live = this.#live.get(key);
    if (live === undefined) return await this.#takeBack(key, messageId);
    const { after, body: _, ...record } = live.record;
    if (kind !== "edited" && after !== undefined) await this.#makeFormer(live.record, after);
    live.first?.resolve();
    live.isDoubtful = false;
    // What was found may say something older, and is then edited at once.
    const isCurrent = kind !== "found";
    live.notBeforeMs = isCurrent ? this.#ports.clock.monotonicMs() + EDIT_EVERY_MS : 0;
    const said = isCurrent && live.wanted !== undefined ? { body: live.wanted } : {};
    await this.#keep(key, live, { ...record, ...said, messageId, ...(isMarked ? { isMarked } : {}) });
  }

  /** It was removed while its message was on its way: nothing would ever keep that current. */
  async #takeBack(key: string, messageId: string): Promise<void> {
    const record = this.#withdrawn.get(key);
    if (record !== undefined) await this.#makeFormer(record, messageId);
    this.#withdrawn.delete(key);
  }

  async #onRefused(key: string, refusal: SinkRefusal): Promise<"over"> {
    const { notifier, renderer } = this.#ports;
    const live = this.#live.get(key);
    this.#withdrawn.delete(key);
    if (live === undefined) return "over";
    const { record } = live;
    const next = nextPost(record, refusal);
    if (next !== undefined) {
      await this.#postAnew(key, live, next);
      return "over";
    }
    await this.#forget(key);
    // Who asked for it and still waits reads the refusal there.
    const isAwaited = live.first !== undefined;
    live.first?.reject(refusal);
    if (isAwaited || refusal.reason === "message-gone") return "over";
    const why = reasonInWords(refusal);
    await notifier.person(record.guildId, record.createdBy, renderer.stopped(record.channelId, why));
    return "over";
  }

  async #replace(key: string): Promise<void> {
    const live = this.#live.get(key);
    const messageId = live?.record.messageId;
    if (live !== undefined && messageId !== undefined) await this.#postAnew(key, live, { after: messageId });
  }

  /** The next message is another one; the nonce is written before it is used. */
  async #postAnew(key: string, live: LivePanel, more: Partial<PanelRecord>): Promise<void> {
    const { messageId: _, isMarked: __, body, ...record } = live.record;
    live.notBeforeMs = 0;
    await this.#keep(key, live, {
      ...record,
      ...(body === undefined ? {} : { body }),
      ...more,
      ...this.#newPost(),
    });
    this.#line.show(key);
  }

  async #keep(key: string, live: LivePanel, record: PanelRecord): Promise<void> {
    live.record = record;
    if (this.#live.get(key) === live) await this.#ports.panels.set(key, record);
  }

  async #forget(key: string): Promise<void> {
    const live = this.#live.get(key);
    this.#live.delete(key);
    if (live !== undefined) this.#ports.demands.put(demandOwner(live.record), []);
    await this.#ports.panels.delete(key);
  }

  /** Its message is to go, also where the process ends before that. */
  async #makeFormer({ body: _, ...record }: PanelRecord, messageId: string): Promise<void> {
    const former = { ...record, messageId, isFormer: true };
    const key = formerKey(former, messageId);
    await this.#ports.panels.set(key, former);
    this.#takeAway(key, former);
  }

  #takeAway(key: string, former: PanelRecord): void {
    this.#former.set(key, former);
    this.#formerLine.show(key);
  }

  async #forgetFormer(key: string): Promise<void> {
    await this.#ports.panels.delete(key);
    this.#former.delete(key);
  }

  #newPost(): Pick<PanelRecord, "nonce" | "sinceMs"> {
    return { nonce: this.#ports.random.id().slice(0, 25), sinceMs: this.#ports.posts.nowMs() };
  }
}
