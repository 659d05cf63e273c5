import type { CallEntry } from "../../domain/changes.ts";
import type { Feed } from "../../domain/guild.ts";
import type { EmergencyCall, PlayerRef, Snapshot } from "../../domain/model.ts";
import type { EmergencyCallView } from "../../domain/ports/feed-renderer.ts";
import type { JournalItem } from "../../domain/ports/journal.ts";
import type { CallFeed } from "../delivery/delivery-start.ts";
import { callPasses } from "../delivery/filter.ts";
import type { CardBoard } from "./card-board.ts";
import { emergencyCardId } from "./card-identity.ts";
import type { CardSlot, EmergencyRecord } from "./card-records.ts";
import {
  ForgottenEmergencies,
  type ForgottenEmergenciesPorts,
  OLDEST_BEGUN_MS,
} from "./forgotten-emergencies.ts";

export interface EmergencyPorts extends ForgottenEmergenciesPorts {
  readonly board: CardBoard;
}

/** A call as a look showed it. */
interface SeenCall extends Pick<CallEntry, "call" | "people"> {
  /** By our clock. */
  readonly begunAtMs: number;
  /** How long before the look that was. */
  readonly agoMs: number;
}

/** Emergency calls as cards: begun, changed and ended by the journal. */
export class EmergencyCards {
  readonly #ports: EmergencyPorts;
  readonly #forgotten: ForgottenEmergencies;

  constructor(ports: EmergencyPorts) {
    this.#ports = ports;
    this.#forgotten = new ForgottenEmergencies(ports);
  }

  /** Items of a feed's journal. Reading them again changes nothing: a crash before the acknowledgement is harmless. */
  async take(feed: CallFeed, items: readonly JournalItem[]): Promise<void> {
    for (const { kind, entry, seenAtMs } of items.filter((item) => item.kind === "call")) {
      if (kind !== "call") continue;
      if (entry.step === "ended") await this.#ended(entry);
      else await this.#seen(feed, seenCall(entry, seenAtMs));
    }
  }

  /** An answer for these feeds of one linked server was kept; returns at once. */
  onKept(
    { lists: { emergencyCalls }, takenAtMs, serviceAtMs = takenAtMs }: Snapshot,
    bindingId: string,
    feeds: readonly Feed[],
  ): void {
    if (emergencyCalls === undefined) return;
    const { nonceKey, board } = this.#ports;
    const shown = new Set(emergencyCalls.map((call) => emergencyCardId(nonceKey, bindingId, call)));
    const isKnown = (id: string) => shown.has(id) || board.atHand(id) !== undefined;
    this.#forgotten.onAnswer(feeds, serviceAtMs, isKnown);
  }

  async #seen(place: CallFeed, seen: SeenCall): Promise<void> {
    const { call, people, agoMs } = seen;
    const { feed } = place;
    const id = emergencyCardId(this.#ports.nonceKey, feed.bindingId, call);
    const isFresh = agoMs <= OLDEST_BEGUN_MS;
    const slot: CardSlot | undefined = isFresh && wants(place, seen) ? slotOf(feed) : undefined;
    await this.#ports.board.change(id, (card) => {
      if (card?.kind === "emergency") {
        const slots = slot === undefined ? card.slots : { [feed.id]: slot, ...card.slots };
        return changed({ ...card, slots }, card, seen);
      }
      if (slot === undefined) return undefined;
      return {
        kind: "emergency",
        id,
        guildId: feed.guildId,
        bindingId: feed.bindingId,
        version: 0,
        createdAtMs: this.#ports.clock.nowMs(),
        slots: { [feed.id]: slot },
        call,
        ...namesFor(call, people, undefined),
      };
    });
  }

  /** On every card of it: feeds that rest have theirs too. */
  async #ended({ call, atS }: CallEntry): Promise<void> {
    const { board, nonceKey } = this.#ports;
    for (const { id, bindingId } of [...board.all()]) {
      if (id !== emergencyCardId(nonceKey, bindingId, call)) continue;
      await board.change(id, (card) =>
        card?.kind === "emergency" && card.endedAtMs === undefined
          ? { ...card, endedAtMs: atS * 1_000 }
          : undefined,
      );
    }
  }
}

function slotOf({ channelId, silent }: Feed): CardSlot {
  return { channelId, silent, shown: 0 };
}

/** Its start and the look are by the service's clock; the feed began by ours. */
function seenCall({ call, people, atS }: CallEntry, seenAtMs: number): SeenCall {
  const agoMs = (atS - call.startedAtS) * 1_000;
  return { call, people, agoMs, begunAtMs: seenAtMs - agoMs };
}

function wants({ feed, sinceMs }: CallFeed, { call, begunAtMs }: SeenCall): boolean {
  return begunAtMs >= sinceMs && callPasses(feed.filter, call);
}

/** What an emergency card shows, from its record. */
export function emergencyView(
  record: EmergencyRecord,
  {
    serverName,
    isWithoutWords,
  }: Pick<EmergencyCallView, "isWithoutWords"> & { readonly serverName: string | undefined },
): EmergencyCallView {
  const { id, bindingId, call, callerName, unitNames, endedAtMs } = record;
  return {
    cardId: id,
    bindingId,
    call,
    unitNames,
    isWithoutWords,
    ...(callerName === undefined ? {} : { callerName }),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}

/** The record with what is new about the call, or undefined when nothing is. A call that has ended stays ended. */
function changed(
  card: EmergencyRecord,
  before: EmergencyRecord,
  { call, people }: SeenCall,
): EmergencyRecord | undefined {
  if (card.endedAtMs !== undefined) return undefined;
  const next = { ...card, call, ...namesFor(call, people, card) };
  return shownParts(next) === shownParts(before) ? undefined : next;
}

function shownParts({ call, callerName, unitNames, slots }: EmergencyRecord): string {
  const { description, positionDescriptor, team } = call;
  return JSON.stringify([team, description, positionDescriptor, callerName, unitNames, Object.keys(slots)]);
}

/** Names for ids by the players of the same answer; a name once known stays when its player has left. */
function namesFor(
  call: EmergencyCall,
  people: readonly PlayerRef[],
  card: EmergencyRecord | undefined,
): Pick<EmergencyRecord, "unitNames"> & { readonly callerName?: string } {
  const byId = new Map(people.flatMap(({ id, name }) => (id === undefined ? [] : [[id, name]])));
  const known = new Map(card?.call.unitIds.map((id, index) => [id, card.unitNames[index]]));
  const callerName = card?.callerName ?? (call.callerId === undefined ? undefined : byId.get(call.callerId));
  return {
    unitNames: call.unitIds.map((id) => byId.get(id) ?? known.get(id) ?? String(id)),
    ...(callerName === undefined ? {} : { callerName }),
  };
}
