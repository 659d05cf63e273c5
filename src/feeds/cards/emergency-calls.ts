import type { Feed } from "../../domain/guild.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { EmergencyCall, Player, Snapshot } from "../../domain/model.ts";
import type { Random } from "../../domain/ports/clock.ts";
import type { EmergencyCallView, FeedRenderer } from "../../domain/ports/feed-renderer.ts";
import type { PostLine } from "../../domain/ports/posts.ts";
import { callPasses } from "../delivery/filter.ts";
import { sameMessage } from "../delivery/read-back.ts";
import type { CardBoard } from "./card-board.ts";
import { emergencyCardId } from "./card-identity.ts";
import type { CardSlot, EmergencyRecord } from "./card-records.ts";
import {
  ForgottenEmergencies,
  type ForgottenEmergenciesPorts,
  OLDEST_BEGUN_MS,
} from "./forgotten-emergencies.ts";
import { type CardPlace, type SeenCall, UnwrittenCalls } from "./unwritten-calls.ts";

/** A call has ended when this many answers in a row lack it: one may be an old answer, served again. */
const ABSENCES_TO_END = 2;

export interface EmergencyPorts extends ForgottenEmergenciesPorts {
  readonly random: Random;
  readonly board: CardBoard;
  readonly renderer: FeedRenderer;
}

/** A feed of emergency calls that is live, and since when: calls from before are not its business. */
export interface EmergencyFeed {
  readonly feed: Feed;
  readonly sinceMs: number;
}

/** Calls of a feed that nobody sees any more, to be said in its channel. */
interface LostNotice {
  readonly feed: Feed;
  readonly body: MessageBody;
  readonly nonce: string;
  readonly sinceMs: number;
}

/**
 * Emergency calls are state, not a log: each answer of the service is compared with what the cards hold. One file:
 * what is seen, missed and lost of a call is decided by the same answer.
 */
export class EmergencyCards {
  readonly #ports: EmergencyPorts;
  /** By card: answers in a row that did not hold the call. Lost by a restart, which only delays the end. */
  readonly #absences = new Map<string, number>();
  readonly #unwritten = new UnwrittenCalls();
  readonly #forgotten: ForgottenEmergencies;
  readonly #lostLine: PostLine<LostNotice>;

  constructor(ports: EmergencyPorts) {
    this.#ports = ports;
    this.#forgotten = new ForgottenEmergencies(ports);
    const standing = new WeakSet<LostNotice>();
    this.#lostLine = ports.posts.line<LostNotice>({
      name: "a notice of lost calls",
      classes: { post: "first", edit: "change" },
      keyOf: ({ nonce }) => nonce,
      guildOf: ({ feed }) => feed.guildId,
      wanted: async (notice) => {
        if (standing.has(notice)) return undefined;
        const { feed, nonce, body, sinceMs } = notice;
        return { channelId: feed.channelId, nonce, body, silent: feed.silent, sinceMs };
      },
      isIt: ({ body }, posted) => sameMessage(body, posted),
      onStands: async (notice) => void standing.add(notice),
      onRefused: async ({ feed }, refusal) => {
        ports.warn(`feed ${feed.id} was not told of lost calls`, refusal);
        return "over";
      },
    });
  }

  /**
   * An answer for one linked server. Rejects when the store fails; what could not be written is tried again with the
   * next answer, whether that still shows it or not.
   */
  async take(snapshot: Snapshot, bindingId: string, feeds: readonly EmergencyFeed[]): Promise<void> {
    const calls = snapshot.lists.emergencyCalls;
    if (calls === undefined || feeds.length === 0) return;
    const { takenAtMs } = snapshot;
    const players = snapshot.lists.players ?? [];
    const failures: unknown[] = [];

    /** Dealt with in this answer. */
    const handled = new Set<string>();
    for (const call of calls) {
      const id = emergencyCardId(this.#ports.nonceKey, bindingId, call);
      handled.add(id);
      this.#absences.delete(id);
      const seen = { call, players, seenAtMs: takenAtMs };
      await this.#tell({ bindingId, cardId: id }, seen, feeds).catch((error: unknown) =>
        failures.push(error),
      );
    }

    const waiting = this.#unwritten.of(bindingId).filter(([id]) => !handled.has(id));
    for (const [id, seen] of waiting) {
      handled.add(id);
      const ended = this.#isOver(id) ? { endedAtMs: seen.endedAtMs ?? takenAtMs } : {};
      const later = { ...seen, ...ended };
      await this.#tell({ bindingId, cardId: id }, later, feeds).catch((error: unknown) =>
        failures.push(error),
      );
    }

    for (const card of this.#ports.board.ofBinding(bindingId)) {
      if (card.kind !== "emergency" || card.endedAtMs !== undefined || handled.has(card.id)) continue;
      await this.#missed(card.id, takenAtMs).catch((error: unknown) => failures.push(error));
    }
    const isKnown = (id: string) => handled.has(id) || this.#ports.board.atHand(id) !== undefined;
    const all = feeds.map(({ feed }) => feed);
    this.#forgotten.onAnswer(all, takenAtMs, isKnown);
    if (failures.length > 0) throw failures[0];
    for (const feed of all) this.#sayLost(feed);
  }

  /** Writes what an answer showed of a call, or keeps it in mind until it can be written. Rejects with the store. */
  async #tell(card: CardPlace, seen: SeenCall, feeds: readonly EmergencyFeed[]): Promise<void> {
    const { bindingId, cardId } = card;
    const seenAtMs = this.#unwritten.get(bindingId, cardId)?.seenAtMs ?? seen.seenAtMs;
    try {
      await this.#seen(card, { ...seen, seenAtMs }, feeds);
      this.#unwritten.written(bindingId, cardId);
    } catch (error) {
      const involved = new Set([seen.call.callerId, ...seen.call.unitIds]);
      const players = seen.players.filter(({ player }) => involved.has(player.id));
      const wants = (call: EmergencyCall) => feedsFor(call, feeds).map((feed) => feed.id);
      const lost = this.#unwritten.keep(card, { ...seen, players, seenAtMs }, wants);
      if (lost !== undefined) {
        this.#ports.warn(`an emergency call of linked server ${bindingId} is lost: too many wait`, error);
      }
      throw error;
    }
  }

  async #seen(
    { bindingId, cardId: id }: CardPlace,
    seen: SeenCall,
    feeds: readonly EmergencyFeed[],
  ): Promise<void> {
    const { call, players, seenAtMs, endedAtMs } = seen;
    const ended = endedAtMs === undefined ? {} : { endedAtMs };
    await this.#ports.board.change(id, (card) => {
      if (card?.kind === "emergency") return changed(card, seen);
      if (seenAtMs - call.startedAtS * 1_000 > OLDEST_BEGUN_MS) return undefined;
      const slots = Object.fromEntries(
        feedsFor(call, feeds).map(({ id: feedId, channelId, silent }): [string, CardSlot] => [
          feedId,
          { channelId, silent, shown: 0 },
        ]),
      );
      const [first] = feeds;
      if (first === undefined || Object.keys(slots).length === 0) return undefined;
      return {
        kind: "emergency",
        id,
        guildId: first.feed.guildId,
        bindingId,
        version: 0,
        createdAtMs: this.#ports.clock.nowMs(),
        slots,
        call,
        ...ended,
        ...namesFor(call, players, undefined),
      };
    });
  }

  async #missed(id: string, takenAtMs: number): Promise<void> {
    if (!this.#isOver(id)) return;
    await this.#ports.board.change(id, (card) =>
      card?.kind === "emergency" && card.endedAtMs === undefined
        ? { ...card, endedAtMs: takenAtMs }
        : undefined,
    );
    this.#absences.delete(id);
  }

  /** Counts one more answer without the call. */
  #isOver(id: string): boolean {
    const absences = (this.#absences.get(id) ?? 0) + 1;
    this.#absences.set(id, absences);
    return absences >= ABSENCES_TO_END;
  }

  /** Calls that were lost while the store could not write are named once it can; returns at once. */
  #sayLost(feed: Feed): void {
    const lost = this.#unwritten.takeLost(feed.id);
    if (lost === undefined) return;
    const { renderer, clock, random } = this.#ports;
    const body = renderer.unwritten(lost.count, lost.fromS, lost.toS);
    this.#lostLine.show({ feed, body, nonce: random.id().slice(0, 25), sinceMs: clock.nowMs() });
  }
}

/** The feeds that show this call. */
function feedsFor(call: EmergencyCall, feeds: readonly EmergencyFeed[]): readonly Feed[] {
  return feeds
    .filter(({ feed, sinceMs }) => call.startedAtS * 1_000 >= sinceMs && callPasses(feed.filter, call))
    .map(({ feed }) => feed);
}

/** What an emergency card shows, from its record. */
export function emergencyView(record: EmergencyRecord, serverName: string | undefined): EmergencyCallView {
  const { id, call, callerName, unitNames, endedAtMs } = record;
  return {
    cardId: id,
    call,
    unitNames,
    ...(callerName === undefined ? {} : { callerName }),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}

/** The record with what is new about the call, or undefined when nothing is. A call that has ended stays ended. */
function changed(card: EmergencyRecord, { call, players, endedAtMs }: SeenCall): EmergencyRecord | undefined {
  if (card.endedAtMs !== undefined) return undefined;
  const names = namesFor(call, players, card);
  const next = { ...card, call, ...names, ...(endedAtMs === undefined ? {} : { endedAtMs }) };
  return shownParts(next) === shownParts(card) ? undefined : next;
}

function shownParts({ call, callerName, unitNames, endedAtMs }: EmergencyRecord): string {
  const { description, positionDescriptor, team } = call;
  return JSON.stringify([team, description, positionDescriptor, callerName, unitNames, endedAtMs]);
}

/** Names for ids by the players of the same answer; a name once known stays when its player has left. */
function namesFor(
  call: EmergencyCall,
  players: readonly Player[],
  card: EmergencyRecord | undefined,
): Pick<EmergencyRecord, "unitNames"> & { readonly callerName?: string } {
  const byId = new Map(
    players.flatMap(({ player }) => (player.id === undefined ? [] : [[player.id, player.name]])),
  );
  const known = new Map(card?.call.unitIds.map((id, index) => [id, card.unitNames[index]]));
  const callerName = card?.callerName ?? (call.callerId === undefined ? undefined : byId.get(call.callerId));
  return {
    unitNames: call.unitIds.map((id) => byId.get(id) ?? known.get(id) ?? String(id)),
    ...(callerName === undefined ? {} : { callerName }),
  };
}
