import { Failure } from "../domain/failure.ts";
import type { Actor } from "../domain/guild.ts";
import type { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Random } from "../domain/ports/clock.ts";
import type { DutyRenderer } from "../domain/ports/duty-renderer.ts";
import type { DutyStore } from "../domain/ports/duty-store.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { AskedLeave, NewLeave } from "../domain/ports/staffing.ts";
import type { Leave } from "../domain/quota.ts";
import { leaveIn, leaveRow } from "./duty-rows.ts";
import { LeaveNotices } from "./leave-notices.ts";

export interface LeavePorts {
  readonly store: DutyStore;
  readonly random: Random;
  readonly notifier: Pick<Notifier, "person" | "guild">;
  readonly renderer: Pick<DutyRenderer, "leaveDecided" | "leaveEnded" | "leaveAsked">;
  /** Of the changes of a guild. */
  readonly mutex: KeyedMutex;
  isOwner(guildId: string, userId: string): boolean;
  /** Whether Marshal knows of anybody else who decides about leave. */
  mayOthersDecide(actor: Pick<Actor, "guildId" | "userId">): Promise<boolean>;
  zoneOf(guildId: string): Promise<string>;
  nowS(): number;
}

const MOST_WAITING_LEAVES = 200;
/** Ahead of one member, asked or approved: everybody may ask, and one person's requests must not fill the list. */
const MOST_OWN_LEAVES = 10;
const LONGEST_LEAVE_S = 180 * 86_400;

/** Who is away: asked for by whom it is for, and decided by a Manager. */
export class LeaveDesk {
  readonly #ports: LeavePorts;
  readonly #notices: LeaveNotices;

  constructor(ports: LeavePorts) {
    this.#ports = ports;
    this.#notices = new LeaveNotices(ports);
  }

  askLeave({ guildId, userId }: Actor, draft: NewLeave): Promise<AskedLeave> {
    return this.#ports.mutex.take(guildId, async () => {
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
    return this.#ports.mutex.take(guildId, async () => {
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
    return this.#ports.mutex.take(guildId, async () => {
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
}
