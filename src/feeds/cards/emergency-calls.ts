import { createHmac } from "node:crypto";
import type { Feed } from "../../domain/guild.ts";
import type { EmergencyCall, Player, Snapshot } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { EmergencyCallView } from "../../domain/ports/feed-renderer.ts";
import { callPasses } from "../delivery/filter.ts";
import type { CardBoard } from "./card-board.ts";
import type { CardSlot, EmergencyRecord } from "./card-records.ts";

/** Ended after so many answers without it in a row: one may be an old answer served again (design 5). */
const absencesToEnd = 2;
/** Older calls are never begun: their record may have been let go, and an old answer may still show them. */
const oldestBegunMs = 6 * 3_600_000;

export interface EmergencyPorts {
  readonly board: CardBoard;
  readonly clock: Clock;
  readonly nonceKey: Uint8Array | string;
}

/** A feed of emergency calls that is live, and since when: calls from before are not its business. */
export interface EmergencyFeed {
  readonly feed: Feed;
  readonly sinceMs: number;
}

/** Emergency calls are state, not a log: each answer of the service is compared with what the cards hold. */
export class EmergencyCards {
  readonly #ports: EmergencyPorts;
  /** By card: answers in a row that did not hold the call. Lost by a restart, which only delays the end. */
  readonly #absences = new Map<string, number>();

  constructor(ports: EmergencyPorts) {
    this.#ports = ports;
  }

  /** An answer for one linked server. Rejects when the store fails; the next answer brings the same again. */
  async take(snapshot: Snapshot, bindingId: string, feeds: readonly EmergencyFeed[]): Promise<void> {
    const calls = snapshot.lists.emergencyCalls;
    if (calls === undefined || feeds.length === 0) return;
    const players = snapshot.lists.players ?? [];
    const present = new Set<string>();
    for (const call of calls) {
      const id = this.#cardId(bindingId, call);
      present.add(id);
      this.#absences.delete(id);
      await this.#seen(id, call, players, bindingId, feeds);
    }
    for (const card of this.#ports.board.ofBinding(bindingId)) {
      if (card.kind !== "emergency" || card.endedAtMs !== undefined || present.has(card.id)) continue;
      await this.#missed(card.id, snapshot.takenAtMs);
    }
  }

  async #seen(
    id: string,
    call: EmergencyCall,
    players: readonly Player[],
    bindingId: string,
    feeds: readonly EmergencyFeed[],
  ): Promise<void> {
    const nowMs = this.#ports.clock.nowMs();
    await this.#ports.board.change(id, (card) => {
      if (card?.kind === "emergency") return changed(card, call, players);
      if (nowMs - call.startedAtS * 1_000 > oldestBegunMs) return undefined;
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
      const { guildId } = first.feed;
      const names = namesFor(call, players, undefined);
      return {
        kind: "emergency",
        id,
        guildId,
        bindingId,
        version: 0,
        createdAtMs: nowMs,
        slots,
        call,
        ...names,
      };
    });
  }

  async #missed(id: string, takenAtMs: number): Promise<void> {
    const absences = (this.#absences.get(id) ?? 0) + 1;
    this.#absences.set(id, absences);
    if (absences < absencesToEnd) return;
    await this.#ports.board.change(id, (card) =>
      card?.kind === "emergency" && card.endedAtMs === undefined
        ? { ...card, endedAtMs: takenAtMs }
        : undefined,
    );
    this.#absences.delete(id);
  }

  #cardId(bindingId: string, call: EmergencyCall): string {
    const parts = JSON.stringify(["emergency", bindingId, call.callNumber, call.startedAtS]);
    return createHmac("sha256", this.#ports.nonceKey).update(parts).digest("hex").slice(0, 12);
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
): EmergencyRecord | undefined {
  if (card.endedAtMs !== undefined) return undefined;
  const names = namesFor(call, players, card);
  const next = { ...card, call, ...names };
  return shownParts(next) === shownParts(card) ? undefined : next;
}

function shownParts({ call, callerName, unitNames }: EmergencyRecord): string {
  const { description, positionDescriptor, team } = call;
  return JSON.stringify([team, description, positionDescriptor, callerName, unitNames]);
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
