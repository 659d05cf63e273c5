import type { Feed } from "../../domain/guild.ts";
import type { EmergencyCall, Player, Snapshot } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { EmergencyCallView } from "../../domain/ports/feed-renderer.ts";
import { callPasses } from "../delivery/filter.ts";
import type { CardBoard } from "./card-board.ts";
import { emergencyCardId } from "./card-identity.ts";
import type { CardSlot, EmergencyRecord } from "./card-records.ts";

/** Ended after so many answers without it in a row: one may be an old answer served again. */
const ABSENCES_TO_END = 2;
/** Older calls are never begun: their record may have been let go, and an old answer may still show them. */
const OLDEST_BEGUN_MS = 6 * 3_600_000;
/** Calls of one server that wait for the store. A server has some twenty at a time. */
const MOST_OWED = 500;

export interface EmergencyPorts {
  readonly board: CardBoard;
  readonly clock: Clock;
  readonly nonceKey: Uint8Array | string;
  warn(message: string, error: unknown): void;
}

/** A feed of emergency calls that is live, and since when: calls from before are not its business. */
export interface EmergencyFeed {
  readonly feed: Feed;
  readonly sinceMs: number;
}

/** A call as an answer showed it. */
interface SeenCall {
  readonly call: EmergencyCall;
  readonly players: readonly Player[];
  readonly seenAtMs: number;
  readonly endedAtMs?: number;
}

/** Emergency calls are state, not a log: each answer of the service is compared with what the cards hold. */
export class EmergencyCards {
  readonly #ports: EmergencyPorts;
  /** By card: answers in a row that did not hold the call. Lost by a restart, which only delays the end. */
  readonly #absences = new Map<string, number>();
  /**
   * By linked server and card: calls that were shown while the store could not write. No later answer need show them
   * again, so they are kept here and told when it can.
   */
  readonly #owed = new Map<string, Map<string, SeenCall>>();

  constructor(ports: EmergencyPorts) {
    this.#ports = ports;
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
      await this.#tell(id, bindingId, seen, feeds).catch((error: unknown) => failures.push(error));
    }

    const waiting = [...(this.#owed.get(bindingId) ?? [])].filter(([id]) => !handled.has(id));
    for (const [id, seen] of waiting) {
      handled.add(id);
      const ended = this.#isOver(id) ? { endedAtMs: seen.endedAtMs ?? takenAtMs } : {};
      const later = { ...seen, ...ended };
      await this.#tell(id, bindingId, later, feeds).catch((error: unknown) => failures.push(error));
    }

    for (const card of this.#ports.board.ofBinding(bindingId)) {
      if (card.kind !== "emergency" || card.endedAtMs !== undefined || handled.has(card.id)) continue;
      await this.#missed(card.id, takenAtMs).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Writes what an answer showed of a call, or keeps it in mind until it can be written. Rejects with the store. */
  async #tell(id: string, bindingId: string, seen: SeenCall, feeds: readonly EmergencyFeed[]): Promise<void> {
    const owed = this.#owed.get(bindingId) ?? new Map<string, SeenCall>();
    const first = owed.get(id);
    try {
      await this.#seen(id, bindingId, { ...seen, seenAtMs: first?.seenAtMs ?? seen.seenAtMs }, feeds);
      owed.delete(id);
      if (owed.size === 0) this.#owed.delete(bindingId);
    } catch (error) {
      const involved = new Set([seen.call.callerId, ...seen.call.unitIds]);
      const players = seen.players.filter(({ player }) => involved.has(player.id));
      owed.set(id, { ...seen, players, seenAtMs: first?.seenAtMs ?? seen.seenAtMs });
      this.#owed.set(bindingId, owed);
      this.#bound(bindingId, owed);
      throw error;
    }
  }

  async #seen(
    id: string,
    bindingId: string,
    { call, players, seenAtMs, endedAtMs }: SeenCall,
    feeds: readonly EmergencyFeed[],
  ): Promise<void> {
    const ended = endedAtMs === undefined ? {} : { endedAtMs };
    await this.#ports.board.change(id, (card) => {
      if (card?.kind === "emergency") return changed(card, call, players, endedAtMs);
      if (seenAtMs - call.startedAtS * 1_000 > OLDEST_BEGUN_MS) return undefined;
      const slots = Object.fromEntries(
        feeds
          .filter(({ feed, sinceMs }) => call.startedAtS * 1_000 >= sinceMs && callPasses(feed.filter, call))
          .map(({ feed }): [string, CardSlot] => [
            feed.id,
            { channelId: feed.channelId, silent: feed.silent, shown: 0 },
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

  #bound(bindingId: string, owed: Map<string, SeenCall>): void {
    const [oldest] = owed.keys();
    if (owed.size <= MOST_OWED || oldest === undefined) return;
    owed.delete(oldest);
    this.#ports.warn(
      `more than ${MOST_OWED} emergency calls of linked server ${bindingId} wait for the store; the oldest is lost`,
      new Error("the store cannot write"),
    );
  }
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
function changed(
  card: EmergencyRecord,
  call: EmergencyCall,
  players: readonly Player[],
  endedAtMs: number | undefined,
): EmergencyRecord | undefined {
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
