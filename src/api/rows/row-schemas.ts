import { z } from "zod";

/**
 * The service's spelling of each row, and what it may be instead: a field that nothing depends on is left out where it
 * is odd. Compiled, since each row of each answer passes here.
 */

const text = z.string();
const oddText = text.nullish().catch(undefined);
const digits = z.string().regex(/^\d+$/).transform(Number);
const epoch = z.union([z.number(), digits]);
const userId = z.int().min(0);
const oddUserId = z.union([userId, digits.pipe(userId)]);
const list = z.array(z.unknown());
const count = z.number();

const location = z.object({
  LocationX: z.number(),
  LocationZ: z.number(),
  PostalCode: oddText,
  StreetName: oddText,
  BuildingNumber: oddText,
});
export const playerRow = z.compile(
  z.object({
    Player: text,
    Team: text.catch(""),
    Permission: text.catch(""),
    Callsign: oddText,
    Location: location.nullish().catch(undefined),
    WantedStars: count.catch(0),
  }),
);
export const joinRow = z.compile(z.object({ Join: z.boolean(), Timestamp: epoch, Player: text }));
export const killRow = z.compile(z.object({ Killed: text, Killer: text, Timestamp: epoch }));
export const commandRow = z.compile(z.object({ Player: text, Timestamp: epoch, Command: text }));
export const modCallRow = z.compile(z.object({ Caller: text, Timestamp: epoch, Moderator: oddText }));
export const emergencyRow = z.compile(
  z.object({
    Team: text,
    StartedAt: epoch,
    CallNumber: count,
    Caller: oddUserId.nullish().catch(undefined),
    Players: list.catch([]),
    Position: z.tuple([z.number(), z.number()]).nullish().catch(undefined),
    Description: oddText,
    PositionDescriptor: oddText,
  }),
);
export const vehicleRow = z.compile(
  z.object({
    Name: text,
    Owner: text,
    Plate: oddText,
    Texture: oddText,
    ColorHex: oddText,
    ColorName: oddText,
  }),
);
