import { type Escaped, joined, md, roleMention, userMention } from "../../domain/escaped.ts";
import { SinkRefusal } from "../../domain/failure.ts";
import type { Actor, Feed } from "../../domain/guild.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { ModCallEntry } from "../../domain/model.ts";
import type { FeedRenderer, ModCallView } from "../../domain/ports/feed-renderer.ts";
import type { ModCallAct, ModCallCard, ModCalls } from "../../domain/ports/mod-calls.ts";
import { passes, type TeamOf } from "../delivery/filter.ts";
import { nonceOf } from "../delivery/nonce.ts";
import { type PosterPorts, post } from "../delivery/poster.ts";
import { identityOf } from "../diff/identity.ts";
import type { AnswerItem, EntryItem, JournalItem } from "../journal/journal-port.ts";
import type { CardBoard } from "./card-board.ts";
import { modCallCardId } from "./card-identity.ts";
import type { CardSlot, ModCallRecord } from "./card-records.ts";

/** Between two pings of one feed, where the feed does not say: a spree of calls must not become a spree of pings. */
const defaultCooldownMs = 60_000;
/** An old call that comes to light late (after an outage) is shown, but nobody is pinged for it. */
const pingAtMostOldMs = 900_000;

export interface ModCallPorts extends PosterPorts {
  readonly board: CardBoard;
  readonly renderer: FeedRenderer;
  readonly nonceKey: Uint8Array | string;
  /** How the process before ended. */
  readonly lastEnd: { readonly postedUpToS: number | undefined };
}

type ActAnswer = Awaited<ReturnType<ModCalls["act"]>>;

/** Moderator calls as cards: created and answered by the journal, claimed, released and resolved by people. */
export class ModCallCards implements ModCalls {
  readonly #ports: ModCallPorts;
  readonly #calls = new KeyedMutex();
  readonly #stop = new AbortController();
  /** By feed, by the monotonic clock. */
  readonly #lastPingMs = new Map<string, number>();
  readonly #timers = new Map<string, () => void>();
  readonly #pings = new Set<Promise<void>>();

  constructor(ports: ModCallPorts) {
    this.#ports = ports;
  }

  /** After the board has started: cooldowns and escalations go on where they were. */
  start(): void {
    const { board, clock } = this.#ports;
    for (const card of board.all()) {
      if (card.kind !== "modCall") continue;
      const agoMs = Math.max(0, clock.nowMs() - card.createdAtMs);
      for (const [feedId, slot] of Object.entries(card.slots)) {
        if (slot.pingRoleId !== undefined) this.#pinged(feedId, clock.monotonicMs() - agoMs);
      }
      this.#watch(card);
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("the mod-call cards were stopped"));
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    await Promise.allSettled(this.#pings);
  }

  /** Rows of a feed's journal. Reading them again changes nothing: a crash before the acknowledgement is harmless. */
  async take(feed: Feed, items: readonly JournalItem[], teamOf: TeamOf): Promise<void> {
    for (const item of items) {
      if (item.kind === "gap") continue;
      if (item.entry.kind !== "modCall") continue;
      const call = item.entry;
      // Two feeds of one guild read the same answer; the second must find what the first wrote.
      await this.#calls.take(`${feed.bindingId} ${identityOf(call)}`, async () => {
        if (item.kind === "answer") await this.#answer(feed, item);
        else if (passes(feed.filter, call, teamOf)) await this.#called(feed, item, call);
      });
    }
  }

  async find(guildId: string, cardId: string): Promise<ModCallCard | undefined> {
    const card = await this.#ports.board.change(cardId, () => undefined);
    if (card?.kind !== "modCall" || card.guildId !== guildId) return undefined;
    return { bindingId: card.bindingId, callerName: card.caller.name, calledAtS: card.atS };
  }

  async act(actor: Actor, cardId: string, act: ModCallAct): Promise<ActAnswer> {
    let answer: ActAnswer = { ok: false, text: md`This call is too old: its card is no longer kept.` };
    const atMs = this.#ports.clock.nowMs();
    const record = await this.#ports.board.change(cardId, (card) => {
      if (card?.kind !== "modCall" || card.guildId !== actor.guildId) return undefined;
      const judged = judge(card, actor, act, atMs);
      answer = { ok: judged.next !== undefined, text: judged.text };
      return judged.next;
    });
    if (record?.kind !== "modCall" || record.guildId !== actor.guildId) return answer;
    return { ...answer, view: modCallView(record, undefined) };
  }

  async #called(feed: Feed, item: EntryItem, call: ModCallEntry): Promise<void> {
    const same = this.#cardsOf(feed.bindingId, call);
    // The journal's number of a call holds as long as its card does; a card that a power cut took is made anew, and
    // its place among the equal calls gives it the id that it had.
    const id =
      same.find((card) => card.seq === item.seq)?.id ??
      modCallCardId(this.#ports.nonceKey, feed, call, same.length);
    const nowMs = this.#ports.clock.nowMs();
    const record = await this.#ports.board.change(id, (card) => {
      if (card?.kind === "modCall" && feed.id in card.slots) return undefined;
      const slot = this.#slot(feed, call);
      if (card?.kind === "modCall") return { ...card, slots: { ...card.slots, [feed.id]: slot } };
      return {
        kind: "modCall",
        id,
        guildId: feed.guildId,
        bindingId: feed.bindingId,
        version: 0,
        createdAtMs: nowMs,
        slots: { [feed.id]: slot },
        seq: item.seq,
        caller: call.caller,
        atS: call.atS,
        escalated: false,
      };
    });
    if (record?.kind !== "modCall") return;
    if (record.slots[feed.id]?.pingRoleId !== undefined) {
      this.#pinged(feed.id, this.#ports.clock.monotonicMs() - Math.max(0, nowMs - record.createdAtMs));
    }
    this.#watch(record);
  }

  /** Fills the lowest open ordinal of that caller and second; an answer never goes away again. */
  async #answer(feed: Feed, item: AnswerItem): Promise<void> {
    const same = this.#cardsOf(feed.bindingId, item.entry);
    if (same.some((card) => card.answerSeq === item.seq)) return;
    const open = same.find((card) => card.answeredBy === undefined);
    if (open === undefined) return;
    await this.#ports.board.change(open.id, (card) =>
      card?.kind === "modCall" && card.answeredBy === undefined
        ? { ...card, answeredBy: item.entry.moderator, answerSeq: item.seq }
        : undefined,
    );
  }

  /** The cards of one person's calls in one second, in their order. */
  #cardsOf(bindingId: string, call: ModCallEntry): ModCallRecord[] {
    const identity = identityOf(call);
    return this.#ports.board
      .ofBinding(bindingId)
      .filter((card) => card.kind === "modCall")
      .filter((card) => identityOf({ kind: "modCall", caller: card.caller, atS: card.atS }) === identity)
      .sort((a, b) => a.seq - b.seq);
  }

  #slot(feed: Feed, call: ModCallEntry): CardSlot {
    const { pingRoleId, escalateAfterMs } = feed;
    const { clock } = this.#ports;
    const lastMs = this.#lastPingMs.get(feed.id) ?? Number.NEGATIVE_INFINITY;
    const cooled = clock.monotonicMs() - lastMs >= (feed.pingCooldownMs ?? defaultCooldownMs);
    const fresh = clock.nowMs() - call.atS * 1_000 <= pingAtMostOldMs;
    return {
      channelId: feed.channelId,
      silent: feed.silent,
      shown: 0,
      ...(pingRoleId !== undefined && cooled && fresh ? { pingRoleId } : {}),
      ...(escalateAfterMs === undefined ? {} : { escalateAfterMs }),
      ...(escalateAfterMs === undefined || pingRoleId === undefined ? {} : { escalateRoleId: pingRoleId }),
    };
  }

  #pinged(feedId: string, atMs: number): void {
    this.#lastPingMs.set(feedId, Math.max(atMs, this.#lastPingMs.get(feedId) ?? Number.NEGATIVE_INFINITY));
  }

  /** Sets the timers of a card that nobody has taken yet. */
  #watch(card: ModCallRecord): void {
    for (const [feedId, slot] of Object.entries(card.slots)) {
      if (slot.escalateAfterMs === undefined || slot.escalated === true || slot.gone === true) continue;
      const key = `${card.id} ${feedId}`;
      if (!isWaiting(card) || this.#timers.has(key) || this.#stop.signal.aborted) continue;
      const waitedMs = Math.max(0, this.#ports.clock.nowMs() - card.createdAtMs);
      const delayMs = Math.max(0, slot.escalateAfterMs - waitedMs);
      const cancel = this.#ports.clock.after(delayMs, () => {
        this.#timers.delete(key);
        const run = this.#escalate(card.id, feedId).catch((error: unknown) => {
          if (!this.#stop.signal.aborted) this.#ports.warn(`card ${card.id} was not escalated`, error);
        });
        this.#pings.add(run);
        run.finally(() => this.#pings.delete(run));
      });
      this.#timers.set(key, cancel);
    }
  }

  /** Written first: staff are pinged once or, if we crash right here, not at all. The card shows it either way. */
  async #escalate(cardId: string, feedId: string): Promise<void> {
    let mine: CardSlot | undefined;
    const record = await this.#ports.board.change(cardId, (card) => {
      const slot = card?.slots[feedId];
      if (card?.kind !== "modCall" || slot === undefined || slot.escalated === true) return undefined;
      if (!isWaiting(card) || slot.gone === true) return undefined;
      mine = slot;
      return { ...card, escalated: true, slots: { ...card.slots, [feedId]: { ...slot, escalated: true } } };
    });
    if (mine === undefined || record?.kind !== "modCall") return;
    const waitedMs = this.#ports.clock.nowMs() - record.createdAtMs;
    await this.#pingAgain(
      record,
      feedId,
      mine,
      this.#ports.renderer.escalation(record.caller.name, waitedMs),
    );
  }

  async #pingAgain(record: ModCallRecord, feedId: string, slot: CardSlot, body: MessageBody): Promise<void> {
    const ping = slot.escalateRoleId;
    const content =
      ping === undefined
        ? body.content
        : joined([roleMention(ping), ...(body.content === undefined ? [] : [body.content])], " ");
    try {
      await post(
        {
          channelId: slot.channelId,
          compose: () => ({
            ...body,
            ...(content === undefined ? {} : { content }),
            ...(ping === undefined ? {} : { pingRoleIds: [ping] }),
            ...(slot.messageId === undefined ? {} : { replyToMessageId: slot.messageId }),
          }),
          nonce: nonceOf(this.#ports.nonceKey, record.id, feedId, "escalation"),
          matches: (found) => found.content.trim() === (content ?? "").trim(),
          afterMessageId: slot.messageId,
          notBeforeMs: record.atS * 1_000,
          sentBefore: record.atS <= (this.#ports.lastEnd.postedUpToS ?? 0),
        },
        this.#ports,
        this.#stop.signal,
      );
    } catch (error) {
      // The card itself meets the same refusal and parks the feed; here there is nothing to add.
      if (!(error instanceof SinkRefusal)) throw error;
    }
  }
}

/** What a card shows, from its record. */
export function modCallView(record: ModCallRecord, serverName: string | undefined): ModCallView {
  const { id, caller, atS, answeredBy, claimedBy, resolved, escalated } = record;
  return {
    cardId: id,
    caller,
    calledAtS: atS,
    escalated,
    ...(answeredBy === undefined ? {} : { answeredBy }),
    ...(claimedBy === undefined ? {} : { claimedBy }),
    ...(resolved === undefined ? {} : { resolved }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}

function isWaiting(card: ModCallRecord): boolean {
  return card.claimedBy === undefined && card.answeredBy === undefined && card.resolved === undefined;
}

/** The rules of claiming: the first one wins; whoever holds a call lets it go; a manager may always. */
function judge(
  card: ModCallRecord,
  actor: Actor,
  act: ModCallAct,
  atMs: number,
): { readonly next?: ModCallRecord; readonly text: Escaped } {
  const { claimedBy, resolved } = card;
  if (resolved !== undefined) {
    return { text: md`${userMention(resolved.userId)} resolved this call already, ${when(resolved.atMs)}.` };
  }
  const mine = claimedBy?.userId === actor.userId;
  switch (act.do) {
    case "claim":
      if (mine) return { text: md`You hold this call already, since ${when(claimedBy.atMs)}.` };
      if (claimedBy !== undefined) {
        return {
          text: md`${userMention(claimedBy.userId)} was first and claimed this call ${when(claimedBy.atMs)}.`,
        };
      }
      return { next: { ...card, claimedBy: { userId: actor.userId, atMs } }, text: md`The call is yours.` };
    case "release": {
      if (claimedBy === undefined) return { text: md`Nobody holds this call.` };
      if (!mine && !actor.manageGuild) {
        return { text: md`Only ${userMention(claimedBy.userId)}, who claimed this call, can release it.` };
      }
      const { claimedBy: _, ...open } = card;
      return { next: open, text: md`The call is open again.` };
    }
    case "resolve": {
      if (claimedBy !== undefined && !mine && !actor.manageGuild) {
        return { text: md`Only ${userMention(claimedBy.userId)}, who claimed this call, can resolve it.` };
      }
      const note = act.note === undefined || act.note.trim() === "" ? {} : { note: act.note.trim() };
      const done = { userId: actor.userId, atMs, ...note };
      return { next: { ...card, resolved: done }, text: md`The call is resolved.` };
    }
  }
}

function when(atMs: number): Escaped {
  return md`<t:${Math.floor(atMs / 1_000)}:R>`;
}
