import {
  type DutyLink,
  type DutyMark,
  type DutyType,
  type Shift,
  startsByItself,
  stopsWhen,
} from "../domain/duty.ts";
import { Failure } from "../domain/failure.ts";
import type { Actor } from "../domain/guild.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Random } from "../domain/ports/clock.ts";
import type { Duty, DutyNow, DutyShifts, NewDutyType, OnDuty } from "../domain/ports/duty.ts";
import type { DutyStore } from "../domain/ports/duty-store.ts";
import type { Snapshots } from "../domain/ports/snapshots.ts";
import type { DutyBook } from "./duty-book.ts";
import { type DutySetup, markId, markRow, shiftIn, stillIn } from "./duty-rows.ts";
import { idleStaff, placeOf } from "./present-staff.ts";
import { running, type Settled, settle } from "./settle.ts";
import { shiftsIn } from "./shift-list.ts";

export interface DutyDeskPorts {
  readonly store: DutyStore;
  readonly book: DutyBook;
  readonly bindings: Pick<Bindings, "linkedOf">;
  readonly snapshots: Pick<Snapshots, "latest">;
  readonly random: Random;
  nowS(): number;
  /** False where the guild has turned its history off. */
  isRecorded(guildId: string): Promise<boolean>;
  /** Shifts were worked out anew. Never throws. */
  onSettled(guildId: string, settled: Settled, types: readonly DutyType[]): void;
  /** Somebody who is on duty asked for something, with the roles that they have now. Never throws. */
  onSeen(actor: Actor): void;
}

/** Who had a shift within this time is staff, whatever their rank in the game. */
const LATELY_S = 7 * 86_400;
/** What is dated further ahead was dated by a clock that says nothing. */
const LONGEST_AHEAD_S = 86_400;
const MOST_TYPES = 15;
/** Shifts of one answer. */
const MOST_SHIFTS = 5_000;

/** What people ask of duty. Changes of one guild come one after another. */
export class DutyDesk implements Duty {
  readonly #ports: DutyDeskPorts;
  readonly #mutex = new KeyedMutex();

  constructor(ports: DutyDeskPorts) {
    this.#ports = ports;
  }

  async types(guildId: string): Promise<readonly DutyType[]> {
    const { setup } = await this.#ports.book.page(guildId);
    return setup.types.filter(({ untilS }) => untilS === undefined);
  }

  addType(guildId: string, draft: NewDutyType): Promise<DutyType> {
    return this.#mutex.take(guildId, async () => {
      await this.#refuseOff(guildId);
      const { book, random, nowS } = this.#ports;
      const before = await this.types(guildId);
      if (before.some(({ name }) => isNamed(name, draft.name))) {
        throw new Failure("bad-command", `There is already a duty type called ${draft.name}.`);
      }
      if (before.length >= MOST_TYPES) {
        throw new Failure("bad-command", `${MOST_TYPES} duty types are the maximum. Remove one first.`);
      }
      const type: DutyType = { ...draft, id: random.id(), sinceS: nowS() };
      await book.change(guildId, (setup) => ({ ...setup, types: [...setup.types, type] }));
      return type;
    });
  }

  removeType(guildId: string, id: string): Promise<DutyType | undefined> {
    return this.#mutex.take(guildId, async () => {
      const gone = (await this.types(guildId)).find((type) => type.id === id);
      if (gone === undefined) return undefined;
      const nowS = this.#ports.nowS();
      const { open } = await this.#settle(guildId);
      const ended = open.filter(({ typeId, lastMark }) => typeId === id && lastMark !== undefined);
      for (const { userId } of ended) await this.#mark(guildId, { userId, kind: "end", by: "manager" });
      await this.#ports.book.change(guildId, (setup) => ({
        ...setup,
        types: setup.types.map((type) => (type.id === id ? { ...type, untilS: nowS } : type)),
      }));
      await this.#settle(guildId);
      return gone;
    });
  }

  start(actor: Actor, typeId: string | undefined): Promise<OnDuty> {
    const { guildId, userId } = actor;
    return this.#mutex.take(guildId, async () => {
      await this.#refuseOff(guildId);
      const type = this.#meant(await this.types(guildId), typeId);
      this.#ports.onSeen(actor);
      const settled = await this.#settle(guildId);
      // Pressed twice, or after the game said it: their shift goes on.
      if (openOf(settled, userId)?.typeId === type.id) return this.#own(guildId, userId, settled);
      await this.#refuseStart(actor, type, settled);
      await this.#mark(guildId, { userId, kind: "start", typeId: type.id, by: "discord" });
      return this.#own(guildId, userId, await this.#settle(guildId));
    });
  }

  pause(actor: Actor, isOnBreak?: boolean): Promise<OnDuty> {
    const { guildId, userId } = actor;
    return this.#mutex.take(guildId, async () => {
      const isOn = (await this.#started(guildId, userId)).breakFromS !== undefined;
      this.#ports.onSeen(actor);
      const kind = isOn ? "resume" : "break";
      // Pressed twice, or on a message from before: it is as they want it.
      if (isOnBreak !== isOn) await this.#mark(guildId, { userId, kind, by: "discord" });
      return this.#own(guildId, userId, await this.#settle(guildId));
    });
  }

  end(actor: Actor): Promise<OnDuty> {
    const { guildId, userId } = actor;
    return this.#mutex.take(guildId, async () => {
      const before = await this.#started(guildId, userId);
      await this.#mark(guildId, { userId, kind: "end", by: "discord" });
      const { open, closed } = await this.#settle(guildId);
      const shift = [...closed, ...open].findLast(({ id }) => id === before.shift.id);
      return { ...before, shift: shift ?? before.shift };
    });
  }

  /** Takes in what was looked at since, in its turn among what people ask. */
  refresh(guildId: string, before: () => Promise<void>): Promise<Settled> {
    return this.#mutex.take(guildId, async () => {
      await before();
      return this.#settle(guildId);
    });
  }

  now(guildId: string): Promise<DutyNow> {
    return this.#mutex.take(guildId, async () => {
      await this.#refuseOff(guildId);
      const page = await this.#ports.book.page(guildId);
      const settled = await this.#settle(guildId);
      const on = running(settled)
        .map((shift) => this.#onDuty(guildId, shift, page))
        .filter((one) => one !== undefined)
        .sort((a, b) => a.shift.fromS - b.shift.fromS);
      const busy = new Set(on.map(({ shift }) => shift.userId));
      const workedLately = await this.#workedLately(guildId);
      const userOf = await this.#ports.book.linkedNow(guildId);
      const idle = idleStaff(this.#ports, guildId, { userOf, workedLately }).filter(
        ({ userId }) => userId === undefined || !busy.has(userId),
      );
      return { on, idle, knownS: settled.lookedS };
    });
  }

  async #workedLately(guildId: string): Promise<ReadonlySet<string>> {
    const { store, nowS } = this.#ports;
    const rows = await store.rows({ guildId, kinds: ["shift"], sinceS: nowS() - LATELY_S });
    return new Set(rows.map(({ userId }) => userId));
  }

  async shifts(
    guildId: string,
    { fromS, untilS, userId }: { fromS: number; untilS: number; userId?: string | undefined },
  ): Promise<DutyShifts> {
    const { store, book } = this.#ports;
    const { setup } = await book.page(guildId);
    const settled = await this.#mutex.take(guildId, () => this.#settle(guildId));
    const rows = await store.rows({
      guildId,
      kinds: ["shift"],
      sinceS: fromS,
      beforeS: untilS,
      limit: MOST_SHIFTS,
      userId,
    });
    const stills = await store.rows({ guildId, kinds: ["still"], sinceS: fromS, beforeS: untilS });
    const shifts = shiftsIn({ stored: rows.map(shiftIn), open: settled.open }, fromS);
    return { shifts, stills: stills.map(stillIn), types: setup.types };
  }

  async #refuseOff(guildId: string): Promise<void> {
    if (await this.#ports.isRecorded(guildId)) return;
    throw new Failure(
      "bad-command",
      "Duty needs Marshal's records, and recording is off. A manager can turn it on with /history retention.",
    );
  }

  #meant(types: readonly DutyType[], typeId: string | undefined): DutyType {
    const first = types.find((type) => startsByItself(type) === undefined);
    if (first === undefined) {
      throw new Failure(
        "bad-command",
        types.length === 0
          ? "No duty types are set up yet."
          : "Shifts start by themselves here, when you are seen on duty in the game.",
      );
    }
    if (typeId === undefined) return first;
    const meant = types.find(({ id, name }) => id === typeId || isNamed(name, typeId));
    if (meant === undefined) throw new Failure("bad-command", "There is no such duty type.");
    if (startsByItself(meant) !== undefined) throw new Failure("bad-command", byItselfWords(meant));
    return meant;
  }

  async #refuseStart({ guildId, userId, roleIds }: Actor, type: DutyType, settled: Settled): Promise<void> {
    const { links } = await this.#ports.book.page(guildId);
    const isLinked = links.some((link) => link.userId === userId && link.untilS === undefined);
    if (type.start !== "outside" && !isLinked) {
      throw new Failure(
        "bad-command",
        "Link your game account first: /me link. Only time in the game counts.",
        { wants: "account", bindingId: this.#ports.bindings.linkedOf(guildId)[0]?.id },
      );
    }
    if (type.requiredRoleId !== undefined && !roleIds.includes(type.requiredRoleId)) {
      throw new Failure("denied", `You need the role for ${type.name}.`);
    }
    const others = running(settled).filter((one) => one.typeId === type.id && one.userId !== userId);
    if (type.most !== undefined && others.length >= type.most) {
      throw new Failure("bad-command", `${type.name} is full: ${others.length} are on duty.`);
    }
  }

  /** @throws Failure "bad-command" where they are not on a shift that somebody started. */
  async #started(guildId: string, userId: string): Promise<OnDuty> {
    const settled = await this.#settle(guildId);
    const shift = openOf(settled, userId);
    if (shift === undefined) throw new Failure("bad-command", "You are not on duty.");
    const own = await this.#own(guildId, userId, settled);
    // What a look shows is on duty, whatever somebody says: a mark would change nothing of it.
    if (startsByItself(own.type) !== undefined) {
      throw new Failure(
        "bad-command",
        `${byItselfWords(own.type)} It stops counting when ${stopsWhen(own.type)}.`,
      );
    }
    return own;
  }

  async #own(guildId: string, userId: string, settled: Settled): Promise<OnDuty> {
    const page = await this.#ports.book.page(guildId);
    const shift = openOf(settled, userId);
    const own = shift && this.#onDuty(guildId, shift, page);
    if (own === undefined) throw new Failure("bad-command", "You are not on duty.");
    return own;
  }

  #onDuty(
    guildId: string,
    shift: Shift,
    { setup, links }: { readonly setup: DutySetup; readonly links: readonly DutyLink[] },
  ): OnDuty | undefined {
    const type = setup.types.find(({ id }) => id === shift.typeId);
    if (type === undefined) return undefined;
    const breakFromS = shift.breaks.find(({ untilS }) => untilS === undefined)?.fromS;
    const own = links.filter((link) => link.userId === shift.userId && link.untilS === undefined);
    const bindingId = own
      .map(({ playerId }) => placeOf(this.#ports, guildId, playerId))
      .find((place) => place !== undefined);
    return { type, shift, breakFromS, bindingId };
  }

  async #mark(guildId: string, { userId, ...mark }: Omit<DutyMark, "id" | "atS">): Promise<void> {
    const { store, random, nowS } = this.#ports;
    const sinceS = nowS();
    const [last] = await store.rows({ guildId, kinds: ["mark"], userId, sinceS, limit: 1 });
    // The clock was set back, or the game's is ahead: what is said later comes after what was said before all the same.
    const atS = last === undefined || last.fromS - sinceS > LONGEST_AHEAD_S ? sinceS : last.fromS;
    // Two of one second stay in their order.
    const nth = last === undefined ? 0 : Number(last.id.split(" ")[2] ?? 0) + 1;
    const id = markId(atS, `${String(nth).padStart(3, "0")} ${random.id()}`);
    await store.write({ put: [markRow(guildId, { id, userId, atS, ...mark })] });
  }

  async #settle(guildId: string): Promise<Settled> {
    const { store, book, nowS } = this.#ports;
    const { setup, links } = await book.page(guildId);
    const settled = await settle(store, { guildId, types: setup.types, links, nowS: nowS() });
    this.#ports.onSettled(guildId, settled, setup.types);
    return settled;
  }
}

function openOf(settled: Settled, userId: string): Shift | undefined {
  const own = running(settled).filter((shift) => shift.userId === userId);
  return own.find(({ lastMark }) => lastMark !== undefined) ?? own[0];
}

function byItselfWords(type: DutyType): string {
  return `${type.name} starts by itself ${startsByItself(type)}.`;
}

function isNamed(name: string, typed: string): boolean {
  return name.toLowerCase() === typed.trim().toLowerCase();
}
