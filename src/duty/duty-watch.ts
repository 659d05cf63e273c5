import type { DutyLink, DutyMark, DutyType } from "../domain/duty.ts";
import { Failure } from "../domain/failure.ts";
import type { Snapshot, SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { DutyStore } from "../domain/ports/duty-store.ts";
import type { Members } from "../domain/ports/members.ts";
import type { DutyBook } from "./duty-book.ts";
import type { DutyDesk } from "./duty-desk.ts";
import { markRow, shiftIn, stateIn, stateRow, stillRow } from "./duty-rows.ts";
import type { Settled } from "./settle.ts";
import { StateTracker } from "./state-tracker.ts";
import { StillTracker } from "./still-tracker.ts";
import { type TypedMark, typedMarks, typeTyped } from "./typed-marks.ts";

export interface DutyWatchPorts {
  readonly store: DutyStore;
  readonly book: DutyBook;
  readonly desk: DutyDesk;
  readonly bindings: Pick<Bindings, "linkedOf" | "guildsOf">;
  readonly members: Members;
  readonly clock: Clock;
  nowS(): number;
  isOurs(guildId: string): boolean;
  report(what: string, error: unknown): void;
}

/** While somebody is on duty, shifts are worked out at least so often. */
const AGAIN_MS = 30_000;
/** After a change: the history believes two lists of players, and a log may be a moment behind. */
const LOOKS_AFTER_CHANGE = 3;
/** How far back rows that were typed in the game are read. */
const TYPED_BACK_S = 86_400;

/** A server of a guild, as looks showed it. */
interface Watched {
  readonly tracker: Promise<StateTracker>;
  readonly still: StillTracker;
}

interface GuildState {
  /** Looks after which shifts are to be worked out. */
  looksDue: number;
  /** Somebody is on duty, or a shift is not settled. */
  isBusy: boolean;
  settledAtMs: number;
  settling: Promise<void> | undefined;
}

/** Looks at the staff of guilds that keep duty, and has their shifts worked out when something changed. */
export class DutyWatch {
  readonly #ports: DutyWatchPorts;
  /** By guild, then by server. */
  readonly #watched = new Map<string, Map<string, Watched>>();
  readonly #guilds = new Map<string, GuildState>();
  /** By guild: looks that are still read. */
  readonly #looking = new Map<string, Promise<void>>();
  #isStopped = false;

  constructor(ports: DutyWatchPorts) {
    this.#ports = ports;
  }

  take(look: Snapshot): void {
    if (this.#isStopped) return;
    for (const { guildId, bindingId } of this.#linksOf(look.source)) {
      const looked = this.#look(guildId, bindingId, look).catch((error: unknown) => this.#onFailed(error));
      const looking = Promise.all([this.#looking.get(guildId), looked]).then(() => {
        if (this.#looking.get(guildId) === looking) this.#looking.delete(guildId);
      });
      this.#looking.set(guildId, looking);
    }
  }

  onRecorded(source: SourceId): void {
    if (this.#isStopped) return;
    for (const { guildId } of this.#linksOf(source)) {
      // What was recorded may be written before the look at it has read what it needs: then it is that look's turn first.
      const looking = this.#looking.get(guildId);
      if (looking === undefined) this.#settleSoon(guildId);
      else void looking.then(() => this.#settleSoon(guildId));
    }
  }

  onForgotten(guildId: string, playerId: number): void {
    for (const { tracker, still } of this.#watched.get(guildId)?.values() ?? []) {
      still.forget(playerId);
      // One that could not be loaded is loaded anew.
      tracker.then((loaded) => loaded.forget(playerId)).catch((error: unknown) => this.#onFailed(error));
    }
  }

  /** Shifts of a guild were worked out, also because somebody pressed something. */
  onSettled(guildId: string, { open }: Pick<Settled, "open">): void {
    const state = this.#stateOf(guildId);
    if (open.length > 0 && !state.isBusy) state.looksDue = LOOKS_AFTER_CHANGE;
    state.isBusy = open.length > 0;
  }

  /** Resolves when what was begun is written. */
  async idle(): Promise<void> {
    await Promise.all(this.#looking.values());
    await Promise.all([...this.#guilds.values()].map(({ settling }) => settling));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.idle();
  }

  #linksOf(source: SourceId): readonly { readonly guildId: string; readonly bindingId: string }[] {
    const { bindings, isOurs } = this.#ports;
    return bindings
      .guildsOf(source)
      .filter((guildId) => isOurs(guildId))
      .flatMap((guildId) =>
        bindings
          .linkedOf(guildId)
          .filter((linked) => linked.source === source)
          .map(({ id }) => ({ guildId, bindingId: id })),
      );
  }

  async #look(guildId: string, bindingId: string, look: Snapshot): Promise<void> {
    const { players, commandLogs = [] } = look.lists;
    if (players === undefined) return;
    const atS = Math.floor((look.serviceAtMs ?? look.takenAtMs) / 1_000);
    // Most guilds keep no duty: of them nothing is read but that.
    const { setup, staff } = await this.#ports.book.page(guildId);
    if (setup.types.length === 0) return;
    const { tracker: loading, still } = this.#watchedOf(guildId, bindingId, atS);
    const tracker = await loading;
    const state = this.#stateOf(guildId);
    const hasChanged = tracker.see(players, staff, atS);
    still.see(players, staff, atS);
    const hasTyped = commandLogs.some(
      ({ player, text, atS: rowS }) =>
        player.id !== undefined &&
        staff.has(player.id) &&
        rowS >= atS - AGAIN_MS / 1_000 &&
        /^\s*:log\s/iu.test(text),
    );
    if (hasChanged || hasTyped) state.looksDue = LOOKS_AFTER_CHANGE;
  }

  #watchedOf(guildId: string, bindingId: string, atS: number): Watched {
    const ofGuild = this.#watched.get(guildId) ?? new Map<string, Watched>();
    this.#watched.set(guildId, ofGuild);
    const known = ofGuild.get(bindingId);
    if (known !== undefined) return known;
    const tracker = this.#loadTracker(guildId, bindingId, atS);
    const watched = { tracker, still: new StillTracker(bindingId) };
    ofGuild.set(bindingId, watched);
    tracker.catch(() => ofGuild.delete(bindingId));
    return watched;
  }

  /** What was open when the process before ended; `atS` is the first look of this one, which may be stored meanwhile. */
  async #loadTracker(guildId: string, bindingId: string, atS: number): Promise<StateTracker> {
    const { store } = this.#ports;
    const [facts, rows] = await Promise.all([
      store.facts({ guildId, playerIds: [], fromS: 0 }),
      store.rows({ guildId, kinds: ["state"], isOpen: true }),
    ]);
    const server = facts.servers.find((one) => one.bindingId === bindingId);
    const lookedS = [server?.lookedS, server?.lookedBeforeS].find((one) => one !== undefined && one < atS);
    const open = rows.map(stateIn).filter((state) => state.bindingId === bindingId);
    return new StateTracker(bindingId, open, lookedS);
  }

  #stateOf(guildId: string): GuildState {
    const known = this.#guilds.get(guildId);
    if (known !== undefined) return known;
    // What an earlier process left open is looked at first.
    const state = { looksDue: 1, isBusy: true, settledAtMs: 0, settling: undefined };
    this.#guilds.set(guildId, state);
    return state;
  }

  #settleSoon(guildId: string): void {
    const state = this.#guilds.get(guildId);
    if (this.#isStopped || state === undefined || state.settling !== undefined) return;
    const isDue = this.#ports.clock.monotonicMs() - state.settledAtMs >= AGAIN_MS;
    if (state.looksDue === 0 && !(state.isBusy && isDue)) return;
    state.looksDue = Math.max(0, state.looksDue - 1);
    state.settling = this.#settle(guildId, state)
      .catch((error: unknown) => {
        state.looksDue += 1;
        this.#onFailed(error);
      })
      .finally(() => {
        state.settling = undefined;
      });
  }

  async #settle(guildId: string, state: GuildState): Promise<void> {
    await this.#ports.desk.refresh(guildId, () => this.#write(guildId));
    state.settledAtMs = this.#ports.clock.monotonicMs();
  }

  /** What looks showed, and what was typed in the game, before shifts are worked out of it. */
  async #write(guildId: string): Promise<void> {
    const { store, book } = this.#ports;
    const watched = [...(this.#watched.get(guildId)?.values() ?? [])];
    const trackers = await Promise.all(watched.map(({ tracker }) => tracker));
    const changes = trackers.map((tracker) => ({ tracker, states: tracker.takeChanges() }));
    const stills = watched.map(({ still }) => ({ still, spans: still.takeChanges() }));
    try {
      const states = changes.flatMap(({ states: own }) => own.map((state) => stateRow(guildId, state)));
      const stood = stills.flatMap(({ spans }) => spans.map((span) => stillRow(guildId, span)));
      if (states.length + stood.length > 0) await store.write({ put: [...states, ...stood] });
    } catch (error) {
      for (const { tracker, states } of changes) tracker.giveBack(states);
      for (const { still, spans } of stills) still.giveBack(spans);
      throw error;
    }
    const { setup, links } = await book.page(guildId);
    await this.#writeTyped(guildId, setup.types, links);
  }

  async #writeTyped(guildId: string, types: readonly DutyType[], links: readonly DutyLink[]): Promise<void> {
    const { store, nowS } = this.#ports;
    const declared = types.filter(({ start }) => start === "declared" || start === "outside");
    if (declared.length === 0) return;
    const fromS = Math.max(nowS() - TYPED_BACK_S, Math.min(...declared.map(({ sinceS }) => sinceS)));
    const playerIds = [...new Set(links.map(({ playerId }) => playerId))];
    const { typed } = await store.facts({ guildId, playerIds, fromS });
    const found = typedMarks(typed, links);
    if (found.length === 0) return;
    const marks = await store.rows({ guildId, kinds: ["mark"], sinceS: fromS });
    const known = new Set(marks.map(({ id }) => id));
    const isNew = ({ mark }: TypedMark) => !known.has(markRow(guildId, mark).id);
    const fresh = found.filter(isNew);
    if (fresh.length === 0) return;
    const on = await this.#startedNow(guildId);
    for (const one of fresh) {
      const mark = await this.#allowed(guildId, one, { types, on });
      await store.write({ put: [markRow(guildId, mark)] });
      // Of those who typed since the last look each counts for the next.
      if (mark.kind === "end") on.delete(mark.userId);
      else if (mark.kind === "start" && mark.typeId !== undefined) on.set(mark.userId, mark.typeId);
    }
  }

  /** Who types that they are on duty has the role for it, as far as the type asks for one. */
  async #allowed(
    guildId: string,
    { mark, typeName }: TypedMark,
    { types, on }: { readonly types: readonly DutyType[]; readonly on: ReadonlyMap<string, string> },
  ): Promise<DutyMark> {
    if (mark.kind !== "start") return mark;
    const asksForRole = types.some(({ requiredRoleId }) => requiredRoleId !== undefined);
    const { roleIds } = asksForRole
      ? await this.#ports.members.now(guildId, mark.userId)
      : { roleIds: [] as readonly string[] };
    const type = typeTyped(types, { typeName, roleIds });
    if (type === undefined) return { ...mark, kind: "refused" };
    const others = [...on].filter(([userId, typeId]) => typeId === type.id && userId !== mark.userId);
    const isFull = type.most !== undefined && others.length >= type.most;
    return isFull ? { ...mark, kind: "refused" } : { ...mark, typeId: type.id };
  }

  /** The type of each shift that somebody has started and that goes on, by member. */
  async #startedNow(guildId: string): Promise<Map<string, string>> {
    const open = await this.#ports.store.rows({ guildId, kinds: ["shift"], isOpen: true });
    const running = open
      .map(shiftIn)
      .filter(({ decidedS, lastMark }) => decidedS === undefined && lastMark !== undefined);
    return new Map(running.map(({ userId, typeId }) => [userId, typeId]));
  }

  #onFailed(error: unknown): void {
    // Where its database is away, the history says so itself; roles that cannot be read are read the next time.
    if (!(error instanceof Failure)) this.#ports.report("duty could not be worked out", error);
  }
}
