import { z } from "zod";
import type { RowChecks } from "./read-rows.ts";

/** The service's spelling of each row: first as it should be, then as it may be. */

const text = z.string();
const maybeText = text.nullish();
const oddText = maybeText.catch(undefined);
const digits = z.string().regex(/^\d+$/).transform(Number);
const epoch = z.number();
const oddEpoch = z.union([epoch, digits]);
const userId = z.int().min(0);
const oddUserId = z.union([userId, digits.pipe(userId)]);
const list = z.array(z.unknown());
const count = z.number();

const oddLocation = z.object({
  LocationX: z.number(),
  LocationZ: z.number(),
  PostalCode: oddText,
  StreetName: oddText,
  BuildingNumber: oddText,
});
export const playerRow = {
  isPlain: (row) =>
    isText(row.Player) &&
    isText(row.Team) &&
    isText(row.Permission) &&
    isMaybeText(row.Callsign) &&
    isNumber(row.WantedStars) &&
    (row.Location == null || isLocation(row.Location)),
  patient: z.object({
    Player: text,
    Team: text.catch(""),
    Permission: text.catch("Normal"),
    Callsign: oddText,
    Location: oddLocation.nullish().catch(undefined),
    WantedStars: count.catch(0),
  }),
} satisfies RowChecks<unknown>;
export const joinRow = {
  isPlain: (row) => isText(row.Player) && isNumber(row.Timestamp) && typeof row.Join === "boolean",
  patient: z.object({ Join: z.boolean(), Timestamp: oddEpoch, Player: text }),
} satisfies RowChecks<unknown>;
export const killRow = {
  isPlain: (row) => isText(row.Killed) && isText(row.Killer) && isNumber(row.Timestamp),
  patient: z.object({ Killed: text, Killer: text, Timestamp: oddEpoch }),
} satisfies RowChecks<unknown>;
export const commandRow = {
  isPlain: (row) => isText(row.Player) && isText(row.Command) && isNumber(row.Timestamp),
  patient: z.object({ Player: text, Timestamp: oddEpoch, Command: text }),
} satisfies RowChecks<unknown>;
export const modCallRow = {
  isPlain: (row) => isText(row.Caller) && isNumber(row.Timestamp) && isMaybeText(row.Moderator),
  patient: z.object({ Caller: text, Timestamp: oddEpoch, Moderator: oddText }),
} satisfies RowChecks<unknown>;
const position = z.tuple([z.number(), z.number()]);
export const emergencyRow = {
  isPlain: (row) =>
    isText(row.Team) &&
    isNumber(row.StartedAt) &&
    isNumber(row.CallNumber) &&
    (row.Caller == null || isUserId(row.Caller)) &&
    Array.isArray(row.Players) &&
    (row.Position == null || isPosition(row.Position)) &&
    isMaybeText(row.Description) &&
    isMaybeText(row.PositionDescriptor),
  patient: z.object({
    Team: text,
    StartedAt: oddEpoch,
    CallNumber: count,
    Caller: oddUserId.nullish().catch(undefined),
    Players: list.catch([]),
    Position: position.nullish().catch(undefined),
    Description: oddText,
    PositionDescriptor: oddText,
  }),
} satisfies RowChecks<unknown>;
export const vehicleRow = {
  isPlain: (row) =>
    isText(row.Name) &&
    isText(row.Owner) &&
    isMaybeText(row.Plate) &&
    isMaybeText(row.Texture) &&
    isMaybeText(row.ColorHex) &&
    isMaybeText(row.ColorName),
  patient: z.object({
    Name: text,
    Owner: text,
    Plate: oddText,
    Texture: oddText,
    ColorHex: oddText,
    ColorName: oddText,
  }),
} satisfies RowChecks<unknown>;

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isMaybeText(value: unknown): boolean {
  return value == null || typeof value === "string";
}

function isNumber(value: unknown): boolean {
  return Number.isFinite(value);
}

function isUserId(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isPosition(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && isNumber(value[0]) && isNumber(value[1]);
}

function isLocation(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { LocationX, LocationZ, PostalCode, StreetName, BuildingNumber } = value as Readonly<
    Record<string, unknown>
  >;
  return (
    isNumber(LocationX) &&
    isNumber(LocationZ) &&
    isMaybeText(PostalCode) &&
    isMaybeText(StreetName) &&
    isMaybeText(BuildingNumber)
  );
}
