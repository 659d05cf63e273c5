import { isAnswered } from "../../domain/answered-calls.ts";
import type { ServerState, Snapshot, SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { CallSituation } from "../../domain/ports/feed-renderer.ts";
import type { ServiceTime } from "../../domain/service-time.ts";
import { differs, isInGame, situationOf } from "./call-situation.ts";
import type { CardBoard } from "./card-board.ts";
import { calledAtS } from "./card-identity.ts";
import type { CardRecord, ModCallRecord } from "./card-records.ts";

/** A card follows what happens around its caller for this long; most calls are over by then. */
const FOLLOWED_MS = 15 * 60_000;
/** Between two edits of a card because of what happens around its caller. */
const EDIT_EVERY_MS = 15_000;
/** A caller has left when this many lists in a row lack them: one may be an old list, served again. */
const ABSENCES_TO_LEAVE = 2;
const LISTS = ["players", "killLogs"] as const;

export interface FollowerPorts {
  readonly board: CardBoard;
  readonly clock: Clock;
  readonly demands: Demands;
  readonly serviceTime: Pick<ServiceTime, "ms">;
  /** The source that a linked server stands for now; undefined: no feed reads it. */
  sourceOf(card: CardRecord): SourceId | undefined;
  latest(source: SourceId): ServerState | undefined;
  warn(message: string, error: unknown): void;
}

/** A card that is followed. Lost by a restart, which only delays an edit or two. */
interface Followed {
  readonly cardId: string;
  /** Monotonic. */
  readonly untilMs: number;
  /** When it was last edited for this, monotonic. */
  editedMs: number;
  absences: number;
  cancel: () => void;
}

/**
 * Keeps the cards of moderator calls up to what is known of the caller's whereabouts; those that were answered in the
 * game only up to whether the caller is still there.
 */
export class SituationFollower {
  readonly #ports: FollowerPorts;
  /** By linked server and card. */
  readonly #followed = new Map<string, Map<string, Followed>>();
  /** What was asked for on behalf of a linked server, as text. */
  readonly #asked = new Map<string, string>();
  readonly #edits = new Set<Promise<unknown>>();
  #stopped = false;

  constructor(ports: FollowerPorts) {
    this.#ports = ports;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cards of this.#followed.values()) for (const { cancel } of cards.values()) cancel();
    this.#followed.clear();
    await Promise.allSettled(this.#edits);
  }

  /** From now on, while it is not resolved and young. */
  follow(card: ModCallRecord): void {
    if (this.#stopped || !isFollowed(card)) return;
    const { clock } = this.#ports;
    const leftMs = Math.min(FOLLOWED_MS, card.createdAtMs + FOLLOWED_MS - clock.nowMs());
    const ofServer = this.#followed.get(card.bindingId) ?? new Map<string, Followed>();
    if (leftMs <= 0 && !ofServer.has(card.id)) {
      this.#change(card.id, withoutPeopleNear);
      return;
    }
    this.#followed.set(card.bindingId, ofServer);
    if (!ofServer.has(card.id)) {
      ofServer.set(card.id, {
        cardId: card.id,
        untilMs: clock.monotonicMs() + leftMs,
        editedMs: Number.NEGATIVE_INFINITY,
        absences: 0,
        cancel: () => undefined,
      });
    }
    this.#ask(card.bindingId, card);
  }

  /** An answer of the server came that these linked servers stand for; returns at once. */
  onSnapshot({ lists }: Snapshot, bindingIds: ReadonlySet<string>): void {
    for (const bindingId of bindingIds) {
      for (const one of [...(this.#followed.get(bindingId)?.values() ?? [])]) {
        const card = this.#ports.board.atHand(one.cardId);
        const isOld = one.untilMs <= this.#ports.clock.monotonicMs();
        if (card?.kind !== "modCall" || !isFollowed(card) || isOld) {
          this.#drop(bindingId, one);
          if (card?.kind === "modCall" && isFollowed(card)) this.#change(card.id, withoutPeopleNear);
          continue;
        }
        const inGame = isInGame(card.caller, lists.players);
        if (inGame !== undefined) one.absences = inGame ? 0 : one.absences + 1;
        this.#ask(bindingId, card);
        this.#look(one);
      }
    }
  }

  /** Cards were dropped, or a feed ended: nothing is asked for on behalf of what nobody sees any more. */
  prune(): void {
    for (const [bindingId, cards] of [...this.#followed]) {
      for (const one of [...cards.values()]) {
        const card = this.#ports.board.atHand(one.cardId);
        if (card?.kind !== "modCall" || !isFollowed(card)) this.#drop(bindingId, one);
      }
    }
  }

  /** Edits the card where what is known has changed: at once, or when its last edit is old enough. */
  #look(one: Followed): void {
    one.cancel();
    const waitMs = one.editedMs + EDIT_EVERY_MS - this.#ports.clock.monotonicMs();
    if (waitMs > 0) {
      one.cancel = this.#ports.clock.after(Math.ceil(waitMs), () => this.#look(one));
      return;
    }
    const card = this.#ports.board.atHand(one.cardId);
    if (this.#stopped || card?.kind !== "modCall" || this.#next(card, one) === undefined) return;

    one.editedMs = this.#ports.clock.monotonicMs();
    this.#change(one.cardId, (now) => this.#next(now, one));
  }

  #change(cardId: string, next: (card: ModCallRecord) => ModCallRecord | undefined): void {
    const edit = this.#ports.board
      .change(cardId, (now) => (now?.kind === "modCall" ? next(now) : undefined), "surroundings")
      .catch((error: unknown) => this.#ports.warn(`card ${cardId} was not brought up to date`, error));
    this.#edits.add(edit);
    edit.finally(() => this.#edits.delete(edit));
  }

  /** The record with what is known now; undefined: a reader would see no difference. */
  #next(card: ModCallRecord, { absences }: Followed): ModCallRecord | undefined {
    if (!isFollowed(card)) return undefined;
    const { left: _, ...seen } = isAnswered(card.calls)
      ? (card.situation ?? { kills: [] })
      : this.#situationNow(card);
    const isGone = absences >= ABSENCES_TO_LEAVE || (absences > 0 && card.situation?.left === true);
    const situation = isGone ? { ...seen, left: true } : seen;
    if (!differs(card.situation, situation)) return undefined;
    return { ...card, situation, ...(isGone ? { hasLeft: true } : {}) };
  }

  #situationNow(card: ModCallRecord): CallSituation {
    const source = this.#ports.sourceOf(card);
    const called = { caller: card.caller, firstAtS: calledAtS(card) };
    const { clock, serviceTime } = this.#ports;
    return situationOf(called, {
      state: source === undefined ? undefined : this.#ports.latest(source),
      nowMs: clock.nowMs(),
      serviceMs: serviceTime.ms(),
      before: card.situation,
    });
  }

  /** The lists that the followed cards of a linked server need, for as long as the youngest of them is followed. */
  #ask(bindingId: string, card: ModCallRecord): void {
    const source = this.#ports.sourceOf(card);
    const followed = [...(this.#followed.get(bindingId)?.values() ?? [])];
    const untilMs = followed.reduce((latest, one) => Math.max(latest, one.untilMs), 0);
    const asked = source === undefined ? "" : `${source} ${untilMs}`;
    if ((this.#asked.get(bindingId) ?? "") === asked) return;
    this.#asked.set(bindingId, asked);
    const { guildId } = card;
    const { clock } = this.#ports;
    const until = { untilMs: clock.nowMs() + untilMs - clock.monotonicMs() };
    const demand = source === undefined ? [] : [{ source, lists: LISTS, guildId, ...until }];
    this.#ports.demands.put(owner(bindingId), demand);
  }

  #drop(bindingId: string, one: Followed): void {
    one.cancel();
    const ofServer = this.#followed.get(bindingId);
    ofServer?.delete(one.cardId);
    if (ofServer !== undefined && ofServer.size > 0) return;
    this.#followed.delete(bindingId);
    this.#asked.delete(bindingId);
    this.#ports.demands.put(owner(bindingId), []);
  }
}

function owner(bindingId: string): string {
  return `mod-call cards ${bindingId}`;
}

/** Somebody may still have to go to the caller, and can see the card. Who answered in the game may be on their way. */
/** Nobody looks at it any more, so who is said to be near the caller may have gone long ago. What happened stays. */
function withoutPeopleNear(card: ModCallRecord): ModCallRecord | undefined {
  const { staff, near, ...situation } = card.situation ?? { kills: [] };
  return staff === undefined && near === undefined ? undefined : { ...card, situation };
}

function isFollowed(card: ModCallRecord): boolean {
  const isSeen = Object.values(card.slots).some(({ gone }) => gone !== true);
  return isSeen && card.resolved === undefined;
}
