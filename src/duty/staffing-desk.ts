import { Failure } from "../domain/failure.ts";
import type { Actor } from "../domain/guild.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Random } from "../domain/ports/clock.ts";
import type { DutyRenderer } from "../domain/ports/duty-renderer.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type {
  AskedLeave,
  Board,
  NewCorrection,
  NewLeave,
  NewQuota,
  Staffing,
} from "../domain/ports/staffing.ts";
import { type Correction, isWaiting, type Leave, type Quota, type QuotaResult } from "../domain/quota.ts";
import { type BoardPorts, boardOf, periodBegan } from "./duty-board.ts";
import { correctionIn, correctionRow, leaveIn, leaveRow, resultIn } from "./duty-rows.ts";
import { HoursImports } from "./hours-imports.ts";
import { LeaveNotices } from "./leave-notices.ts";
import { periodAround } from "./quota-periods.ts";
import type { Span } from "./shift-parts.ts";

export interface StaffingPorts extends BoardPorts {
  readonly random: Random;
  readonly notifier: Pick<Notifier, "person" | "guild">;
  readonly renderer: Pick<DutyRenderer, "leaveDecided" | "leaveEnded" | "leaveAsked">;
  /** Keeps the list of a quota, and posts it where it has a channel. */
  keepResult(guildId: string, channelId: string | undefined, result: QuotaResult): Promise<void>;
  isOwner(guildId: string, userId: string): boolean;
  /** Whether Marshal knows of anybody else who decides about leave. */
  mayOthersDecide(actor: Pick<Actor, "guildId" | "userId">): Promise<boolean>;
}

const MOST_QUOTAS = 20;
const MOST_WAITING_LEAVES = 200;
/** Ahead of one member, asked or approved: everybody may ask, and one person's requests must not fill the list. */
const MOST_OWN_LEAVES = 10;
const LONGEST_LEAVE_S = 180 * 86_400;
/** Less changes nothing that a quota asks for. */
const TOLD_UNREAD_S = 3_600;
/** More than the zones of the world are apart, and less than a week. */
const SAME_END_S = 3 * 86_400;

/** Hours, quotas and leave: changes of one guild come one after another. */
export class StaffingDesk implements Staffing {
  readonly #ports: StaffingPorts;
  readonly #mutex = new KeyedMutex();
  readonly #imports: HoursImports;
  readonly #notices: LeaveNotices;
  readonly planImport: Staffing["planImport"] = (actor, read) =>
    this.#mutex.take(actor.guildId, () => this.#imports.plan(actor, read));
  readonly doImport: Staffing["doImport"] = (actor, id) =>
    this.#mutex.take(actor.guildId, () => this.#imports.do(actor, id));
  readonly undoImport: Staffing["undoImport"] = (actor, id) =>
    this.#mutex.take(actor.guildId, () => this.#imports.undo(actor, id));

  constructor(ports: StaffingPorts) {
    this.#ports = ports;
    this.#imports = new HoursImports(ports);
    this.#notices = new LeaveNotices(ports);
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
    return this.#mutex.take(guildId, async () => {
      const { nowS, zoneOf, book } = this.#ports;
      const quota = (await this.quotas(guildId)).find((one) => one.id === id);
      if (quota === undefined) return undefined;
      const untilS = nowS();
      const whole = periodAround(quota.period, untilS, await zoneOf(guildId));
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

  askLeave({ guildId, userId }: Actor, draft: NewLeave): Promise<AskedLeave> {
    return this.#mutex.take(guildId, async () => {
      const { store, random } = this.#ports;
      const others = await this.leaves(guildId);
      const own = others.filter((one) => one.userId === userId);
      const same = own.find(({ fromS, untilS }) => fromS < draft.untilS && draft.fromS < untilS);
      if (same !== undefined) {
        const words =
          same.state === "asked"
            ? "You have asked for leave in that time already. Withdraw it with /duty leave end."
            : "You already have leave in that time. End it with /duty leave end.";
        throw new Failure("bad-command", words);
      }
      if (draft.untilS - draft.fromS > LONGEST_LEAVE_S) {
        throw new Failure("bad-command", "Leave can last 180 days at most.");
      }
      if (own.length >= MOST_OWN_LEAVES) {
        throw new Failure(
          "bad-command",
          `You already have leave for ${MOST_OWN_LEAVES} times ahead. End one with /duty leave end.`,
        );
      }
      if (others.filter(({ state }) => state === "asked").length >= MOST_WAITING_LEAVES) {
        throw new Failure(
          "bad-command",
          "Too many requests are waiting. Ask a Manager to decide some first.",
        );
      }
      const leave: Leave = { ...draft, id: random.id(), userId, state: "asked" };
      await store.write({ put: [leaveRow(guildId, leave)] });
      return { ...leave, isTold: await this.#notices.asked(guildId, leave) };
    });
  }

  async leaves(guildId: string): Promise<readonly Leave[]> {
    const rows = await this.#ports.store.rows({ guildId, kinds: ["leave"], sinceS: this.#ports.nowS() });
    return rows.map(leaveIn).filter(({ state }) => state === "asked" || state === "approved");
  }

  decideLeave(actor: Actor, id: string, isApproved: boolean): Promise<Leave | undefined> {
    const { guildId, userId: byId } = actor;
    return this.#mutex.take(guildId, async () => {
      const asked = (await this.leaves(guildId)).find((leave) => leave.id === id);
      if (asked?.state !== "asked") return undefined;
      const { isOwner, mayOthersDecide, store } = this.#ports;
      const isOwn = asked.userId === byId;
      if (isOwn && (!isOwner(guildId, byId) || (await mayOthersDecide(actor)))) {
        throw new Failure("denied", "Somebody else has to decide about your leave. Ask another Manager.");
      }
      const decided: Leave = { ...asked, state: isApproved ? "approved" : "denied", byId };
      await store.write({ put: [leaveRow(guildId, decided)] });
      const { notifier, renderer, zoneOf } = this.#ports;
      const words = renderer.leaveDecided(decided, await zoneOf(guildId));
      await notifier.person(guildId, asked.userId, words);
      return decided;
    });
  }

  endLeave(actor: Actor, userId: string): Promise<Leave | undefined> {
    const { guildId, userId: byId } = actor;
    return this.#mutex.take(guildId, async () => {
      const { store, nowS, notifier, renderer, zoneOf } = this.#ports;
      const own = (await this.leaves(guildId)).find((leave) => leave.userId === userId);
      if (own === undefined) return undefined;
      const endS = nowS();
      // What has not begun, or was never approved, excuses from nothing.
      const isVoid = own.state === "asked" || own.fromS >= endS;
      const ended: Leave = {
        ...own,
        byId,
        state: isVoid ? "denied" : "ended",
        untilS: Math.max(own.fromS, endS),
      };
      await store.write({ put: [leaveRow(guildId, ended)] });
      if (byId !== userId)
        await notifier.person(guildId, userId, renderer.leaveEnded(ended, await zoneOf(guildId)));
      return ended;
    });
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
