import { Failure } from "../domain/failure.ts";
import type { Actor } from "../domain/guild.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Board, NewCorrection, NewQuota, Staffing } from "../domain/ports/staffing.ts";
import { type Correction, isWaiting, type Quota, type QuotaResult } from "../domain/quota.ts";
import { type BoardPorts, boardOf, periodBegan } from "./duty-board.ts";
import { correctionIn, correctionRow, resultIn } from "./duty-rows.ts";
import { HoursImports } from "./hours-imports.ts";
import { LeaveDesk, type LeavePorts } from "./leave-desk.ts";
import { periodAround } from "./quota-periods.ts";
import type { Span } from "./shift-parts.ts";

export interface StaffingPorts extends BoardPorts, Omit<LeavePorts, "mutex"> {
  /** Keeps the list of a quota, and posts it where it has a channel. */
  keepResult(guildId: string, channelId: string | undefined, result: QuotaResult): Promise<void>;
}

const MOST_QUOTAS = 20;
/** Less changes nothing that a quota asks for. */
const TOLD_UNREAD_S = 3_600;
const SAME_RESET_S = 60;
/** More than the zones of the world are apart, and less than a week. */
const SAME_END_S = 3 * 86_400;

/** Hours, quotas and leave: changes of one guild come one after another. */
export class StaffingDesk implements Staffing {
  readonly #ports: StaffingPorts;
  readonly #mutex = new KeyedMutex();
  readonly #imports: HoursImports;
  readonly #leaves: LeaveDesk;
  readonly planImport: Staffing["planImport"] = (actor, read) =>
    this.#mutex.take(actor.guildId, () => this.#imports.plan(actor, read));
  readonly doImport: Staffing["doImport"] = (actor, id) =>
    this.#mutex.take(actor.guildId, () => this.#imports.do(actor, id));
  readonly undoImport: Staffing["undoImport"] = (actor, id) =>
    this.#mutex.take(actor.guildId, () => this.#imports.undo(actor, id));
  readonly askLeave: Staffing["askLeave"] = (actor, draft) => this.#leaves.askLeave(actor, draft);
  readonly leaves: Staffing["leaves"] = (guildId) => this.#leaves.leaves(guildId);
  readonly decideLeave: Staffing["decideLeave"] = (actor, id, isApproved) =>
    this.#leaves.decideLeave(actor, id, isApproved);
  readonly endLeave: Staffing["endLeave"] = (actor, userId) => this.#leaves.endLeave(actor, userId);

  constructor(ports: StaffingPorts) {
    this.#ports = ports;
    this.#imports = new HoursImports(ports);
    this.#leaves = new LeaveDesk({ ...ports, mutex: this.#mutex });
  }

  imports(guildId: string) {
    return this.#imports.list(guildId);
  }

  board(guildId: string, span: Span): Promise<Board> {
    return boardOf(this.#ports, guildId, span);
  }

  periodBegan(guildId: string): Promise<number | undefined> {
    return periodBegan(this.#ports, guildId);
  }

  async quotas(guildId: string): Promise<readonly Quota[]> {
    return (await this.#ports.book.page(guildId)).setup.quotas;
  }

  setQuota(guildId: string, draft: NewQuota): Promise<Quota> {
    return this.#mutex.take(guildId, async () => {
      const { book, random, nowS } = this.#ports;
      const isSame = (one: Quota) => one.roleId === draft.roleId && one.typeId === draft.typeId;
      const all = await this.quotas(guildId);
      const before = all.filter((one) => !isSame(one));
      if (before.length >= MOST_QUOTAS) {
        throw new Failure("bad-command", `${MOST_QUOTAS} quotas are the maximum. Remove one first.`);
      }
      // The period that runs counts as a whole: whoever sets a quota on Friday means this week.
      const zone = await this.#ports.zoneOf(guildId);
      const { fromS } = periodAround(draft.period, nowS(), zone);
      const replaced = all.find(isSame);
      // What was reset within it is in a list already, and the rest gets its own.
      const sinceS = Math.max(fromS, replaced === undefined ? fromS : resetS(replaced, zone));
      const id = replaced?.period === draft.period ? replaced.id : random.id();
      const quota: Quota = { ...draft, id, sinceS };
      await book.change(guildId, (setup) => ({ ...setup, quotas: [...before, quota] }));
      return quota;
    });
  }

  removeQuota(guildId: string, id: string): Promise<Quota | undefined> {
    return this.#mutex.take(guildId, async () => {
      const gone = (await this.quotas(guildId)).find((quota) => quota.id === id);
      await this.#ports.book.change(guildId, (setup) => ({
        ...setup,
        quotas: setup.quotas.filter((quota) => quota.id !== id),
      }));
      return gone;
    });
  }

  resetQuota(guildId: string, id: string): Promise<QuotaResult | undefined> {
    const pressedS = this.#ports.nowS();
    return this.#mutex.take(guildId, async () => {
      const { nowS, zoneOf, book } = this.#ports;
      const quota = (await this.quotas(guildId)).find((one) => one.id === id);
      if (quota === undefined) return undefined;
      const untilS = nowS();
      const whole = periodAround(quota.period, untilS, await zoneOf(guildId));
      // Two pressed at once: a second list would be of nothing.
      if (quota.sinceS > whole.fromS && pressedS - quota.sinceS < SAME_RESET_S)
        throw new Failure(
          "bad-command",
          "This quota was reset less than a minute ago. See /duty quota list.",
        );
      const result = await this.#keep(guildId, quota, { whole, untilS });
      await book.change(guildId, (setup) => ({
        ...setup,
        quotas: setup.quotas.map((one) => (one.id === id ? { ...one, sinceS: untilS } : one)),
      }));
      return result;
    });
  }

  /** Keeps and posts the lists of periods that are over, as far as they were not kept yet. */
  closePeriods(guildId: string, knownS: number): Promise<void> {
    return this.#mutex.take(guildId, async () => {
      const { zoneOf } = this.#ports;
      const zone = await zoneOf(guildId);
      for (const quota of await this.quotas(guildId)) {
        const { fromS: beginsS } = periodAround(quota.period, knownS, zone);
        if (quota.sinceS >= beginsS) continue;
        const whole = periodAround(quota.period, beginsS - 1, zone);
        if (await this.#isSettled(guildId, quota, whole)) continue;
        await this.#keep(guildId, quota, { whole, untilS: whole.untilS });
      }
    });
  }

  /** Whether the list of that period was kept, or none is wanted: periods move when a community changes its time zone. */
  async #isSettled(guildId: string, { id, sinceS }: Quota, { untilS }: Span): Promise<boolean> {
    const since = { kinds: ["result"], sinceS: untilS - SAME_END_S } as const;
    const rows = await this.#ports.store.rows({ guildId, ...since });
    const kept = rows.map(resultIn).filter(({ quotaId }) => quotaId === id);
    const isKept = kept.some((one) => one.untilS > sinceS && one.untilS <= untilS + SAME_END_S);
    // It was set in the next period, which began earlier then. What a reset began is wanted, however short it is.
    const isCut = untilS - sinceS < SAME_END_S && kept.every((one) => one.untilS !== sinceS);
    return isKept || isCut;
  }

  async #keep(
    guildId: string,
    quota: Quota,
    { whole, untilS }: { readonly whole: Span; readonly untilS: number },
  ): Promise<QuotaResult> {
    const { records, store } = this.#ports;
    const fromS = Math.max(whole.fromS, quota.sinceS);
    const lines = await records.lines(guildId, quota, { ...whole, stoppedS: untilS });
    const unreadS = await store.unreadS({ guildId, fromS, untilS });
    const told = unreadS < TOLD_UNREAD_S ? {} : { unreadS };
    const result = { quotaId: quota.id, fromS, untilS, lines, ...told };
    await this.#ports.keepResult(guildId, quota.channelId, result);
    return result;
  }

  async results(guildId: string, limit: number): Promise<readonly QuotaResult[]> {
    return (await this.#ports.store.rows({ guildId, kinds: ["result"], limit })).map(resultIn);
  }

  async correct({ guildId, userId: byId }: Actor, draft: NewCorrection): Promise<Correction> {
    const { store, random, isOwner } = this.#ports;
    const correction: Correction = { ...draft, id: random.id(), byId, isOwner: isOwner(guildId, byId) };
    await store.write({ put: [correctionRow(guildId, correction)] });
    return correction;
  }

  confirm({ guildId, userId: byId }: Actor, id: string): Promise<Correction | undefined> {
    return this.#mutex.take(guildId, async () => {
      const { store } = this.#ports;
      const [row] = await store.rows({ guildId, kinds: ["correction"], id });
      const correction = row && correctionIn(row);
      if (correction === undefined || !isWaiting(correction)) return undefined;
      if (correction.byId === byId || correction.userId === byId) {
        throw new Failure("denied", "Somebody else has to confirm a change of your own time.");
      }
      const confirmed = { ...correction, confirmedBy: byId };
      await store.write({ put: [correctionRow(guildId, confirmed)] });
      return confirmed;
    });
  }

  async corrections(
    guildId: string,
    { userId, fromS, untilS }: Span & { readonly userId: string },
  ): Promise<readonly Correction[]> {
    const rows = await this.#ports.store.rows({
      guildId,
      kinds: ["correction"],
      userId,
      sinceS: fromS,
      beforeS: untilS,
    });
    return rows.map(correctionIn);
  }
}

/** When a quota was reset by hand within a period; 0 where it counts from the beginning of one. */
function resetS({ period, sinceS }: Quota, zone: string): number {
  return sinceS === periodAround(period, sinceS, zone).fromS ? 0 : sinceS;
}
