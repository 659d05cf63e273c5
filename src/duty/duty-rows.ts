import { z } from "zod";
import {
  DUTY_STARTS,
  type DutyLink,
  type DutyMark,
  type DutyState,
  type DutyType,
  SHIFT_ENDS,
  type Shift,
  type Still,
} from "../domain/duty.ts";
import type { DutyRow } from "../domain/ports/duty-store.ts";
import {
  type Correction,
  type HoursImport,
  type Leave,
  QUOTA_PERIODS,
  type Quota,
  type QuotaResult,
} from "../domain/quota.ts";

/** What is kept of duty, as rows: bodies are checked on reading. Pure. */

const type = z.object({
  id: z.string(),
  name: z.string(),
  start: z.enum(DUTY_STARTS),
  teams: z.array(z.string()),
  callsign: z.string().optional(),
  requiredRoleId: z.string().optional(),
  most: z.number().optional(),
  channelId: z.string().optional(),
  roleId: z.string().optional(),
  sinceS: z.number(),
  untilS: z.number().optional(),
});
const quota = z.object({
  id: z.string(),
  roleId: z.string(),
  needS: z.number(),
  period: z.enum(QUOTA_PERIODS),
  typeId: z.string().optional(),
  channelId: z.string().optional(),
  sinceS: z.number(),
});
const setup = z.object({ types: z.array(type), quotas: z.array(quota).default([]) });
const leave = z.object({
  percent: z.number(),
  reason: z.string(),
  state: z.enum(["asked", "approved", "denied", "ended"]),
  byId: z.string().optional(),
});
const correction = z.object({
  typeId: z.string(),
  seconds: z.number(),
  reason: z.string(),
  byId: z.string(),
  confirmedBy: z.string().optional(),
  isOwner: z.boolean().optional(),
  importId: z.string().optional(),
});
const hoursImport = z.object({
  byId: z.string(),
  state: z.enum(["planned", "done", "undone"]),
  totals: z.array(
    z.object({ userId: z.string(), typeId: z.string(), seconds: z.number(), asOfS: z.number() }),
  ),
});
const result = z.object({
  quotaId: z.string(),
  unreadS: z.number().optional(),
  lines: z.array(
    z.object({
      userId: z.string(),
      countedS: z.number(),
      unsureS: z.number(),
      needS: z.number(),
      linkedS: z.number().optional(),
      isOnLeave: z.boolean().optional(),
      reducedTo: z.number().optional(),
      addedS: z.number().optional(),
      takenS: z.number().optional(),
      outcome: z.enum(["met", "not-met", "excused"]),
    }),
  ),
});
const part = z.object({
  bindingId: z.string(),
  playerId: z.number(),
  fromS: z.number(),
  untilS: z.number(),
  mightFromS: z.number(),
  mightUntilS: z.number(),
});
const shift = z.object({
  typeId: z.string(),
  untilS: z.number().optional(),
  why: z.enum(SHIFT_ENDS).optional(),
  isServerUnlinked: z.literal(true).optional(),
  isUnseen: z.literal(true).optional(),
  decidedS: z.number().optional(),
  lastMark: z.string().optional(),
  parts: z.array(part),
  breaks: z.array(z.object({ fromS: z.number(), untilS: z.number().optional() })),
});
const mark = z.object({
  kind: z.enum(["start", "break", "resume", "end", "refused"]),
  typeId: z.string().optional(),
  by: z.enum(["discord", "game", "manager", "restore"]),
});
const state = z.object({
  bindingId: z.string(),
  mightFromS: z.number(),
  mightUntilS: z.number().optional(),
  team: z.string(),
  callsign: z.string(),
  rank: z.string(),
});

/** What a community has set up. */
export interface DutySetup {
  /** Also those that were removed: shifts of theirs stand. */
  readonly types: readonly DutyType[];
  readonly quotas: readonly Quota[];
}

export const NO_SETUP: DutySetup = { types: [], quotas: [] };

const NOBODY = { userId: "", playerId: 0 };

export function setupRow(guildId: string, value: DutySetup): DutyRow {
  return { ...NOBODY, guildId, kind: "setup", id: "", fromS: 0, body: JSON.stringify(value) };
}

export function setupIn({ body }: DutyRow): DutySetup {
  return setup.parse(JSON.parse(body));
}

export function markRow(guildId: string, { id, userId, atS, ...rest }: DutyMark): DutyRow {
  const body = JSON.stringify(rest);
  return { guildId, kind: "mark", id: `${userId} ${id}`, userId, playerId: 0, fromS: atS, untilS: atS, body };
}

export function markIn({ id, userId, fromS, body }: DutyRow): DutyMark {
  return { id: id.slice(userId.length + 1), userId, atS: fromS, ...mark.parse(JSON.parse(body)) };
}

export function linkRow(guildId: string, { userId, playerId, fromS, untilS }: DutyLink): DutyRow {
  const id = `${userId} ${playerId} ${fromS}`;
  return { guildId, kind: "link", id, userId, playerId, fromS, untilS, body: "{}" };
}

export function linkIn({ userId, playerId, fromS, untilS }: DutyRow): DutyLink {
  return { userId, playerId, fromS, untilS };
}

export function stateRow(guildId: string, { playerId, fromS, untilS, ...rest }: DutyState): DutyRow {
  const id = `${rest.bindingId} ${playerId} ${fromS}`;
  return { guildId, kind: "state", id, userId: "", playerId, fromS, untilS, body: JSON.stringify(rest) };
}

export function stateIn({ playerId, fromS, untilS, body }: DutyRow): DutyState {
  return { playerId, fromS, untilS, ...state.parse(JSON.parse(body)) };
}

export function stillRow(guildId: string, { bindingId, playerId, fromS, untilS }: Still): DutyRow {
  const id = `${bindingId} ${playerId} ${fromS}`;
  return { guildId, kind: "still", id, userId: "", playerId, fromS, untilS, body: "{}" };
}

export function stillIn({ id, playerId, fromS, untilS = fromS }: DutyRow): Still {
  return { bindingId: id.split(" ")[0] ?? "", playerId, fromS, untilS };
}

/** `isOver`: nothing more will change it. Until then the row has no end, whatever the shift says. */
export function shiftRow(guildId: string, { id, userId, fromS, ...rest }: Shift, isOver: boolean): DutyRow {
  return {
    guildId,
    kind: "shift",
    id: `${userId} ${id}`,
    userId,
    playerId: 0,
    fromS,
    untilS: isOver ? rest.untilS : undefined,
    body: JSON.stringify(rest),
  };
}

export function shiftIn({ id, userId, fromS, body }: DutyRow): Shift {
  return { id: id.slice(userId.length + 1), userId, fromS, ...shift.parse(JSON.parse(body)) };
}

/** An id of a mark: they sort by their time, and within a second as they were written. */
export function markId(atS: number, nth: string): string {
  return `${String(atS).padStart(12, "0")} ${nth}`;
}

export function leaveRow(guildId: string, { id, userId, fromS, untilS, ...rest }: Leave): DutyRow {
  return { guildId, kind: "leave", id, userId, playerId: 0, fromS, untilS, body: JSON.stringify(rest) };
}

export function leaveIn({ id, userId, fromS, untilS = fromS, body }: DutyRow): Leave {
  return { id, userId, fromS, untilS, ...leave.parse(JSON.parse(body)) };
}

export function correctionRow(guildId: string, { id, userId, atS, ...rest }: Correction): DutyRow {
  const body = JSON.stringify(rest);
  return { guildId, kind: "correction", id, userId, playerId: 0, fromS: atS, untilS: atS, body };
}

export function correctionIn({ id, userId, fromS, body }: DutyRow): Correction {
  return { id, userId, atS: fromS, ...correction.parse(JSON.parse(body)) };
}

export function importRow(guildId: string, { id, atS, ...rest }: HoursImport): DutyRow {
  return { ...NOBODY, guildId, kind: "import", id, fromS: atS, untilS: atS, body: JSON.stringify(rest) };
}

export function importIn({ id, fromS, body }: DutyRow): HoursImport {
  return { id, atS: fromS, ...hoursImport.parse(JSON.parse(body)) };
}

export function resultRow(guildId: string, { fromS, untilS, ...rest }: QuotaResult): DutyRow {
  const id = `${rest.quotaId} ${fromS}`;
  return { ...NOBODY, guildId, kind: "result", id, fromS, untilS, body: JSON.stringify(rest) };
}

export function resultIn({ fromS, untilS = fromS, body }: DutyRow): QuotaResult {
  return { fromS, untilS, ...result.parse(JSON.parse(body)) };
}
