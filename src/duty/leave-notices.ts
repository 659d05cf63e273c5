import type { DutyRenderer } from "../domain/ports/duty-renderer.ts";
import type { Notifier } from "../domain/ports/notifier.ts";
import type { Leave } from "../domain/quota.ts";

export interface LeaveNoticesPorts {
  readonly notifier: Pick<Notifier, "guild">;
  readonly renderer: Pick<DutyRenderer, "leaveAsked">;
  nowS(): number;
  zoneOf(guildId: string): Promise<string>;
}

/** Everybody may ask, also who only wants to fill a channel: what is not told stands in the list. */
const MOST_AN_HOUR = 10;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const MOST_REMEMBERED = 10_000;

/** Tells a guild that somebody asks for leave: of a member once a day, of all together ten times an hour. */
export class LeaveNotices {
  readonly #ports: LeaveNoticesPorts;
  readonly #told = new Map<string, readonly { readonly userId: string; readonly atS: number }[]>();

  constructor(ports: LeaveNoticesPorts) {
    this.#ports = ports;
  }

  /** Resolves once it is owed: whether it is. Never rejects. */
  async asked(guildId: string, leave: Leave): Promise<boolean> {
    const { notifier, renderer, nowS, zoneOf } = this.#ports;
    const atS = nowS();
    const told = (this.#told.get(guildId) ?? []).filter((one) => atS - one.atS < DAY_S);
    const isFull = told.filter((one) => atS - one.atS < HOUR_S).length >= MOST_AN_HOUR;
    if (isFull || told.some(({ userId }) => userId === leave.userId)) return false;
    if (this.#told.size >= MOST_REMEMBERED) this.#told.clear();
    this.#told.set(guildId, [...told, { userId: leave.userId, atS }]);
    await notifier.guild(guildId, renderer.leaveAsked(leave, await zoneOf(guildId)));
    return true;
  }
}
