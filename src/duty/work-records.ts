import type { DutyLink, Shift, Still } from "../domain/duty.ts";
import { Failure } from "../domain/failure.ts";
import { type DutyStore, MOST_DUTY_ROWS } from "../domain/ports/duty-store.ts";
import { type Correction, isExcusing, type Leave, type Quota, type QuotaLine } from "../domain/quota.ts";
import type { DutyBook } from "./duty-book.ts";
import { correctionIn, leaveIn, shiftIn, stillIn } from "./duty-rows.ts";
import { type Period, quotaLines } from "./quota-lines.ts";
import type { Settled } from "./settle.ts";
import { shiftsIn } from "./shift-list.ts";
import type { Span } from "./shift-parts.ts";
import type { StaffRoles } from "./staff-roles.ts";

/** What one member did and was excused from in a time. */
export interface MemberRecord {
  readonly userId: string;
  /** When their first account was linked, epoch seconds. */
  readonly linkedS: number;
  readonly links: readonly DutyLink[];
  readonly shifts: readonly Shift[];
  readonly corrections: readonly Correction[];
  readonly leaves: readonly Leave[];
  readonly stills: readonly Still[];
}

export interface WorkRecordsPorts {
  readonly store: DutyStore;
  readonly book: DutyBook;
  readonly roles: StaffRoles;
  /** The shifts of a guild as they are now. */
  settled(guildId: string): Promise<Settled>;
}

/** A community whose players are linked too has thousands, and each is a request to Discord. */
const MOST_ASKED = 500;

/** Shifts, corrections and leave of all members, and how they stand with quotas. */
export class WorkRecords {
  readonly #ports: WorkRecordsPorts;

  constructor(ports: WorkRecordsPorts) {
    this.#ports = ports;
  }

  /** Everybody who is linked, did something in that time, or was away. Rejects with a Failure where that is too much. */
  async of(guildId: string, { fromS, untilS }: Span): Promise<readonly MemberRecord[]> {
    const { store, book } = this.#ports;
    const { open } = await this.#ports.settled(guildId);
    const { links } = await book.page(guildId);
    const kinds = ["shift", "correction", "leave", "still"] as const;
    const rows = await store.rows({ guildId, kinds, sinceS: fromS, beforeS: untilS });
    // Of what does not fit the newest would be missing, and every sum would look right.
    if (rows.length >= MOST_DUTY_ROWS)
      throw new Failure("bad-command", "That is more than I can add up at once. Choose fewer days.");
    const ofKind = (kind: (typeof kinds)[number]) => rows.filter((row) => row.kind === kind);
    const worked = shiftsIn({ stored: ofKind("shift").map(shiftIn), open }, fromS);
    const shifts = Map.groupBy(worked, ({ userId }) => userId);
    const corrections = Map.groupBy(ofKind("correction").map(correctionIn), ({ userId }) => userId);
    const leaves = Map.groupBy(ofKind("leave").map(leaveIn), ({ userId }) => userId);
    const stills = Map.groupBy(ofKind("still").map(stillIn), ({ playerId }) => playerId);
    const linked = links.filter((link) => (link.untilS ?? untilS) >= fromS && link.fromS < untilS);
    const away = [...leaves.values()].flat().filter(isExcusing);
    const people = new Set([
      ...[...linked, ...away].map(({ userId }) => userId),
      ...[...shifts.keys(), ...corrections.keys()],
    ]);
    return [...people].map((userId) => {
      const own = links.filter((link) => link.userId === userId);
      const playerIds = [...new Set(own.map(({ playerId }) => playerId))];
      return {
        userId,
        linkedS: own.length === 0 ? fromS : Math.min(...own.map((link) => link.fromS)),
        links: own,
        stills: playerIds.flatMap((playerId) => stills.get(playerId) ?? []),
        shifts: shifts.get(userId) ?? [],
        corrections: corrections.get(userId) ?? [],
        leaves: leaves.get(userId) ?? [],
      };
    });
  }

  /** Who of these people is linked, or holds any role here. Rejects with a Failure where Discord cannot be asked. */
  async known(guildId: string, userIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { links } = await this.#ports.book.page(guildId);
    const known = new Set(links.map(({ userId }) => userId));
    const others = [...new Set(userIds)].filter((userId) => !known.has(userId));
    for (const [userId, roleIds] of await this.#ports.roles.of(guildId, others))
      if (roleIds.length > 0) known.add(userId);
    return known;
  }

  /** Who of these people holds one of these roles. Of very many people nobody is asked about: it would take minutes. */
  async holding(
    guildId: string,
    userIds: readonly string[],
    roleIds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    if (roleIds.length === 0 || userIds.length > MOST_ASKED) return new Set();
    const roles = await this.#ports.roles.of(guildId, userIds);
    return new Set(userIds.filter((userId) => roles.get(userId)?.some((role) => roleIds.includes(role))));
  }

  /** How everybody who holds the role stands in a period, or stood at a second of it. */
  async lines(
    guildId: string,
    quota: Quota,
    period: Period,
    untilS = period.untilS,
  ): Promise<readonly QuotaLine[]> {
    const records = await this.of(guildId, period);
    const roles = await this.#ports.roles.of(
      guildId,
      records.map(({ userId }) => userId),
    );
    const held = records.filter(({ userId }) => roles.get(userId)?.includes(quota.roleId));
    return quotaLines(quota, period, held, untilS);
  }
}
