import type { CallEnd } from "../../domain/alert.ts";
import { JOIN_WITHIN_S } from "../../domain/answered-calls.ts";
import type { DutyRoster, WhoToPing } from "../../domain/duty-roster.ts";
import { md } from "../../domain/escaped.ts";
import type { Actor, Feed } from "../../domain/guild.ts";
import { KeyedMutex } from "../../domain/keyed-mutex.ts";
import type { ModCallEntry, ServerState } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import { type AnswerItem, type EntryItem, isLogItem, type JournalItem } from "../../domain/ports/journal.ts";
import type {
  CallOnCard,
  ModCallAct,
  ModCallCard,
  ModCalls,
  OpenCallCard,
} from "../../domain/ports/mod-calls.ts";
import type { Posts } from "../../domain/ports/posts.ts";
import type { ServiceTime } from "../../domain/service-time.ts";
import { passes, type TeamOf } from "../delivery/filter.ts";
import { decideAct } from "./call-claims.ts";
import { CallEscalations } from "./call-escalations.ts";
import { CallPings } from "./call-pings.ts";
import { situationOf } from "./call-situation.ts";
import type { CardBoard } from "./card-board.ts";
import { calledAtS, modCallCardId } from "./card-identity.ts";
import type { CardCall, CardRecord, ModCallRecord } from "./card-records.ts";
import {
  cardHolding,
  cardsOfCaller,
  countAt,
  isOver,
  mayJoin,
  openCallAt,
  withCall,
  withPosted,
} from "./joined-calls.ts";
import { callsOnCards, endOfCall, openCards, withoutResolved } from "./resolved-calls.ts";
import type { SituationFollower } from "./situation-follower.ts";
import { StandingCards } from "./standing-cards.ts";

export interface ModCallPorts {
  readonly posts: Posts;
  readonly clock: Clock;
  readonly serviceTime: Pick<ServiceTime, "ms">;
  readonly board: CardBoard;
  readonly follower: SituationFollower;
  readonly renderer: FeedRenderer;
  readonly roster: Pick<DutyRoster, "of">;
  readonly whoToPing: WhoToPing;
  readonly nonceKey: Uint8Array | string;
  /** How the process before ended. */
  readonly lastEnd: { readonly postedUpToS: number | undefined };
  warn(message: string, error: unknown): void;
  /** The latest that is known of a feed's server. */
  latestOf(feed: Feed): ServerState | undefined;
}

type ActAnswer = Awaited<ReturnType<ModCalls["act"]>>;

/** The card that a call belongs on. */
interface Place {
  readonly id: string;
  /** Its call stands there already, or the card is its own; else it joins, while it may. */
  readonly joins: boolean;
  /** The calls that its message shows, where the store had forgotten some of them. */
  readonly postedAtS?: readonly number[];
  /** It may stand in the channel, which may not be read. */
  readonly doubtful?: boolean;
  /** The caller has other cards on which it may have stood then. */
  readonly hasOthers?: boolean;
}

/**
 * Moderator calls as cards: created, joined and answered by the journal, claimed, released and resolved by people. One
 * file, since all of these change the same record.
 */
export class ModCallCards implements ModCalls {
  readonly #ports: ModCallPorts;
  readonly #calls = new KeyedMutex();
  readonly #standing: StandingCards;
  readonly #escalations: CallEscalations;
  readonly #pings: CallPings;

  constructor(ports: ModCallPorts) {
    this.#ports = ports;
    this.#standing = new StandingCards(ports);
    this.#escalations = new CallEscalations(ports);
    this.#pings = new CallPings(ports.clock, ports.serviceTime);
  }

  /** After the board has started: cooldowns, escalations and what is followed go on where they were. */
  start(): void {
    for (const card of this.#ports.board.all()) {
      if (card.kind !== "modCall") continue;
      this.#pings.restore(card);
      this.#escalations.watch(card, true);
      this.#ports.follower.follow(card);
    }
  }

  stop(): void {
    this.#escalations.stop();
  }

  /** Rows of a feed's journal. Reading them again changes nothing: a crash before the acknowledgement is harmless. */
  async take(feed: Feed, items: readonly JournalItem[], teamOf: TeamOf): Promise<void> {
    for (const item of items) {
      if (!isLogItem(item) || item.kind === "gap") continue;
      if (item.entry.kind !== "modCall") continue;
      const call = item.entry;
      const { name, id } = call.caller;
      // Two feeds of one guild read the same answer; the second must find what the first wrote.
      await this.#calls.take(JSON.stringify([feed.bindingId, id, name]), async () => {
        if (item.kind === "answer") await this.#answer(feed, item);
        else if (passes(feed.filter, call, teamOf)) await this.#called(feed, item, call);
      });
    }
  }

  async find(guildId: string, cardId: string): Promise<ModCallCard | undefined> {
    return cardOf(guildId, await this.#ports.board.change(cardId, () => undefined));
  }

  atHand(guildId: string, cardId: string): ModCallCard | undefined {
    return cardOf(guildId, this.#ports.board.atHand(cardId));
  }

  /** By the cards at hand; undefined: nobody has this call in hand. */
  endOf(bindingId: string, call: Pick<ModCallEntry, "caller" | "atS">): CallEnd | undefined {
    return endOfCall(cardsOfCaller(this.#ports.board.ofBinding(bindingId), call.caller), call);
  }

  onCards(bindingId: string): readonly CallOnCard[] {
    return callsOnCards(this.#ports.board.ofBinding(bindingId));
  }

  openCards(bindingId: string): readonly OpenCallCard[] {
    return openCards(this.#ports.board.ofBinding(bindingId));
  }

  withoutResolved(bindingId: string, state: ServerState): ServerState {
    return withoutResolved(state, this.#ports.board.ofBinding(bindingId));
  }

  async act(actor: Actor, cardId: string, act: ModCallAct): Promise<ActAnswer> {
    let answer: ActAnswer = { ok: false, text: md`This call is too old.` };
    const nowMs = this.#ports.clock.nowMs();
    const atMs = this.#ports.serviceTime.ms() ?? nowMs;
    const record = await this.#ports.board.change(cardId, (card) => {
      if (card?.kind !== "modCall" || card.guildId !== actor.guildId) return undefined;
      const isOnDuty = this.#ports.roster.of(actor.guildId).some(({ userId }) => userId === actor.userId);
      const decision = decideAct(card, { actor, act, atMs, nowMs, isOnDuty });
      answer = decision.next === undefined ? { ok: false, text: decision.text } : { ok: true };
      return decision.next;
    });
    // The time for its second ping may be over: it comes once nobody has had the call for as long again.
    if (act.do === "release" && answer.ok && record?.kind === "modCall") this.#escalations.watch(record);
    return answer;
  }

  async #called(feed: Feed, item: EntryItem, call: ModCallEntry): Promise<void> {
    const { board } = this.#ports;
    const numbered = { seq: item.seq, atS: call.atS };
    for (;;) {
      const place = await this.#placeOf(feed, item, call);
      const record = await board.change(place.id, (card) => {
        const before = card?.kind === "modCall" ? card : undefined;
        if (place.joins && before !== undefined && !mayJoin(before, call)) return undefined;
        return this.#withCalled(before, place, { feed, seq: item.seq, call });
      });
      if (record?.kind !== "modCall") return;
      // Somebody resolved the card that it was to join: it looks for another one.
      if (place.joins && cardHolding([record], numbered) === undefined) continue;

      if (record.slots[feed.id]?.pingRoleId !== undefined) this.#pings.restore(record);
      this.#escalations.watch(record);
      this.#ports.follower.follow(record);
      return;
    }
  }

  async #placeOf(feed: Feed, item: EntryItem, call: ModCallEntry): Promise<Place> {
    const { board, nonceKey } = this.#ports;
    const numbered = { seq: item.seq, atS: call.atS };
    const known = cardsOfCaller(board.ofBinding(feed.bindingId), call.caller);
    const holding = cardHolding(known, numbered);
    if (holding !== undefined) return { id: holding.id, joins: false };

    const standing = await this.#standing.find(feed, call, (cardId) => {
      const card = board.atHand(cardId);
      if (card === undefined) return 0;
      const isOwn = card.kind === "modCall" && card.bindingId === feed.bindingId;
      return isOwn ? countAt([card], call.atS) : undefined;
    });
    if (standing.kind === "on") {
      return { id: standing.card.cardId, joins: false, postedAtS: standing.card.calledAtS };
    }
    // While the channel was read, an edit may have found this very call on its card and taken it up.
    const cards = cardsOfCaller(board.ofBinding(feed.bindingId), call.caller);
    const taken = cardHolding(cards, numbered);
    if (taken !== undefined) return { id: taken.id, joins: false };

    const hasOthers = cards.some(({ calls: [first] }) => isNear(first, call));
    const doubtful = standing.kind === "unknown" ? { doubtful: true, hasOthers } : {};
    const open = cards.findLast((card) => mayJoin(card, call));
    if (open !== undefined) return { id: open.id, joins: true, ...doubtful };
    // Its place among the equal calls gives it the id that it had before a power cut took its card.
    return {
      id: modCallCardId(nonceKey, feed, { call, ordinal: countAt(cards, call.atS) }),
      joins: false,
      ...doubtful,
    };
  }

  /** The card with this call on it and a message of it in this feed's channel; undefined: it has both. */
  #withCalled(
    card: ModCallRecord | undefined,
    place: Place,
    { feed, seq, call }: { readonly feed: Feed; readonly seq: number; readonly call: ModCallEntry },
  ): ModCallRecord | undefined {
    const { clock } = this.#ports;
    const nowMs = clock.nowMs();
    const before: readonly CardCall[] = card?.calls ?? [];
    const posted = place.postedAtS === undefined ? before : withPosted(before, place.postedAtS);
    const anew = card !== undefined && isOver(card) ? { anewAtMs: nowMs } : {};
    const calls = withCall(
      posted,
      { seq, atS: call.atS },
      place.joins || card === undefined ? anew : undefined,
    );
    const known = card?.slots[feed.id];
    if (known !== undefined && calls === before) return undefined;

    const slot = known ?? this.#pings.slot(feed, call);
    // Its own card is known again by its nonce, but not where it may have stood as a line on another card: what is edited
    // has no nonce, so nothing else can say that it may be a repeat.
    const mark = place.doubtful === true && (place.joins || place.hasOthers === true) ? { marked: true } : {};
    const firstAtS = calls[0]?.atS ?? call.atS;
    const called = { caller: call.caller, firstAtS };
    return {
      ...(card ?? {
        kind: "modCall",
        id: place.id,
        guildId: feed.guildId,
        bindingId: feed.bindingId,
        version: 0,
        createdAtMs: nowMs,
        caller: call.caller,
        escalated: false,
      }),
      // The caller is there again.
      ...(card?.hasLeft === true && place.joins ? { hasLeft: false } : {}),
      slots: { ...card?.slots, [feed.id]: { ...slot, ...mark } },
      calls,
      situation: situationOf(called, {
        state: this.#ports.latestOf(feed),
        nowMs,
        serviceMs: this.#ports.serviceTime.ms(),
        before: card?.situation,
      }),
    };
  }

  /** Fills the lowest open ordinal of that caller and second; an answer never goes away again. */
  async #answer(feed: Feed, { seq, entry }: AnswerItem): Promise<void> {
    const { board, roster } = this.#ports;
    const cards = cardsOfCaller(board.ofBinding(feed.bindingId), entry.caller);
    const open = openCallAt(cards, { seq, atS: entry.atS });
    if (open === undefined) return;
    await board.change(open.cardId, (card) => {
      if (card?.kind !== "modCall" || card.calls[open.index]?.answeredBy !== undefined) return undefined;
      const isOnDuty = roster.of(card.guildId).some(({ seen }) => seen?.playerId === entry.moderator.id);
      const answer = { answeredBy: entry.moderator, answerSeq: seq, ...(isOnDuty ? { isOnDuty } : {}) };
      return {
        ...card,
        calls: card.calls.map((one, index) => (index === open.index ? { ...one, ...answer } : one)),
      };
    });
  }
}

/** So soon after the first call of a card that it may have joined that card. */
function isNear(first: CardCall | undefined, { atS }: ModCallEntry): boolean {
  return first !== undefined && Math.abs(atS - first.atS) <= JOIN_WITHIN_S;
}

/** Of another guild's card nothing is told. */
function cardOf(guildId: string, card: CardRecord | undefined): ModCallCard | undefined {
  if (card?.kind !== "modCall" || card.guildId !== guildId) return undefined;
  const { bindingId, caller, situation } = card;
  const hasLeft = situation?.left === true ? { hasLeft: true as const } : {};
  const { name: callerName, id: callerId } = caller;
  return { bindingId, callerName, callerId, calledAtS: calledAtS(card), ...hasLeft };
}
