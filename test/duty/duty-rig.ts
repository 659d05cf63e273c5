import assert from "node:assert/strict";
import { dutyRenderer } from "../../src/discord/render/shifts/duty-renderer.ts";
import type { DutyType } from "../../src/domain/duty.ts";
import { DutyRoster } from "../../src/domain/duty-roster.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { Player, ServerState, Snapshot, SourceId } from "../../src/domain/model.ts";
import type { DutyStore } from "../../src/domain/ports/duty-store.ts";
import type { GameAccount } from "../../src/domain/ports/game-accounts.ts";
import { createDuty, type DutyWing } from "../../src/duty/create-duty.ts";
import * as duty from "../../src/history/queries/duty.ts";
import { answeredCalls, facts } from "../../src/history/queries/duty-facts.ts";
import { unreadS } from "../../src/history/queries/unread-time.ts";
import type { Outbox } from "../../src/outbox/create-outbox.ts";
import { BINDING, GUILD, type HistoryRig, openRig, SOURCE } from "../history/rig.ts";
import type { Databases } from "../history/tracked-databases.ts";
import { VirtualClock } from "../support/clock.ts";
import { actorOf } from "../support/fake-services.ts";
import { FakeSink } from "../support/fake-sink.ts";
import { outboxOver } from "../support/outbox.ts";

export const EAST = { source: SOURCE, bindingId: BINDING };
export const WEST = { source: "s2" as SourceId, bindingId: "b2" };

export interface DutyRig {
  readonly history: HistoryRig;
  readonly wing: DutyWing;
  readonly store: DutyStore;
  readonly clock: VirtualClock;
  readonly accounts: Map<string, GameAccount>;
  /** Roles by member. */
  readonly roles: Map<string, readonly string[]>;
  /** What the guild was told. */
  readonly told: string[];
  readonly sink: FakeSink;
  readonly outbox: Outbox;
  /** The servers that are linked. */
  places: readonly (typeof EAST)[];
  /** The guild keeps a history. */
  isRecorded: boolean;
  /** IANA name. */
  zone: string;
  readonly roster: DutyRoster;
  readonly url: string;
  /** Shows an answer to duty and the history, and waits until both have it. */
  take(snapshot: Snapshot): Promise<void>;
  /** Links from that second on. */
  link(userId: string, player: Required<GameAccount["player"]>, atS: number): void;
  unlink(userId: string): void;
  addType(type: Partial<DutyType> & Pick<DutyType, "name" | "start">): Promise<DutyType>;
}

/** Duty over a real database of the history; `rig.clock` is the time of both. */
export async function openDutyRig(
  databases: Pick<Databases, "open" | "fresh"> & Partial<Pick<Databases, "beforeClose">>,
  {
    startS,
    url,
    before,
    isCopy = false,
  }: {
    readonly startS: number;
    readonly url?: string;
    readonly before?: DutyRig;
    readonly isCopy?: boolean;
  },
): Promise<DutyRig> {
  const at = url ?? (await databases.fresh());
  const history = await openRig(databases, at);
  const link = { guildId: GUILD, linkedAtS: startS };
  history.links = [{ ...link, bindingId: EAST.bindingId }];
  history.linksBySource.set(WEST.source, [{ ...link, bindingId: WEST.bindingId }]);
  const clock = before?.clock ?? new VirtualClock(startS * 1_000);
  const accounts = before?.accounts ?? new Map<string, GameAccount>();
  const roles = before?.roles ?? new Map<string, readonly string[]>();
  const states = new Map<SourceId, ServerState>();
  const told: string[] = before?.told ?? [];
  const sink = before?.sink ?? new FakeSink(clock);
  const store: DutyStore = {
    rows: (wanted) => duty.rows(history.context, structuredClone(wanted)),
    write: (change) => duty.write(history.context, structuredClone(change)),
    facts: (wanted) => facts(history.context, wanted),
    calls: (wanted) => answeredCalls(history.context, wanted),
    unreadS: (wanted) => unreadS(history.context, wanted),
    guilds: () => duty.guilds(history.context, {}),
  };
  const outbox = outboxOver(sink, clock);
  const roster = new DutyRoster(clock);
  let ids = 0;
  const wing = createDuty({
    roster,
    store,
    accounts: { list: async () => [...accounts.values()].toReversed() },
    bindings: {
      list: async () => [],
      linkedOf: (guildId) => rig.places.map(({ bindingId, source }) => ({ guildId, id: bindingId, source })),
      guildsOf: () => [GUILD],
    },
    snapshots: { latest: (source) => states.get(source) },
    roles: {
      has: async ({ userId, roleId }) => (roles.get(userId) ?? []).includes(roleId),
      give: async ({ userId, roleId }) => {
        roles.set(userId, [...new Set([...(roles.get(userId) ?? []), roleId])]);
        return "done";
      },
      take: async ({ userId, roleId }) => {
        roles.set(
          userId,
          (roles.get(userId) ?? []).filter((id) => id !== roleId),
        );
        return "done";
      },
    },
    grantable: { roleBar: () => undefined, isOwner: (_, userId) => userId === "owner" },
    zoneOf: async () => rig.zone,
    posts: outbox.posts,
    renderer: dutyRenderer,
    notifier: {
      person: async (_, userId, body) => {
        told.push(`${userId}: ${body.content}`);
      },
      guild: async (_, body) => {
        told.push(String(body.content));
      },
    },
    members: {
      now: async (_, userId) => ({ roleIds: roles.get(userId) ?? [], manageGuild: false }),
    },
    isManager: async (_, { roleIds, manageGuild }) => manageGuild || roleIds.includes("managers"),
    clock,
    random: { next: () => 0.5, id: () => `id${String(ids++).padStart(6, "0")}-${startS}` },
    isCopy,
    isRecorded: async () => rig.isRecorded,
    isOurs: () => true,
    report: (what, error) => {
      throw new Error(what, { cause: error });
    },
  });
  // A test may end while a round of the clock asks the database.
  databases.beforeClose?.(async () => {
    await wing.stop();
    await wing.idle();
  });
  const rig: DutyRig = {
    history,
    wing,
    store,
    clock,
    accounts,
    roles,
    told,
    sink,
    outbox,
    places: [EAST, WEST],
    isRecorded: true,
    zone: "Europe/Berlin",
    roster,
    url: at,
    async take(snapshot) {
      states.set(snapshot.source, stateOf(snapshot));
      wing.take(snapshot);
      await history.take(snapshot);
      wing.onRecorded(snapshot.source);
      // Comes after what that has begun.
      await wing.duty.types(GUILD);
      await wing.idle();
    },
    link(userId, player, atS) {
      accounts.set(userId, { userId, player, linkedAtMs: atS * 1_000 });
      wing.onAccountsChanged(GUILD);
    },
    unlink(userId) {
      accounts.delete(userId);
      wing.onAccountsChanged(GUILD);
    },
    addType: (type) => wing.duty.addType(GUILD, { teams: [], ...type }),
  };
  return rig;
}

function stateOf({ source, status, takenAtMs, lists }: Snapshot): ServerState {
  const players: readonly Player[] = lists.players ?? [];
  return { source, status, statusAtMs: takenAtMs, lists: { players: { atMs: takenAtMs, value: players } } };
}

/** A member who types, with these roles. */
export function member(userId: string, roleIds: readonly string[] = []) {
  return actorOf({ userId, guildId: GUILD, roleIds });
}

/** Refused for a reason that a person can mend. */
export async function refuses(work: Promise<unknown>, words: RegExp): Promise<void> {
  await assert.rejects(work, (error) => error instanceof Failure && words.test(error.message));
}
