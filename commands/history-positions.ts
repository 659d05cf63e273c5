import type { Reply } from "../src/discord/command.ts";
import { ABOUT_POSITIONS, positionsSaid } from "../src/discord/render/position-words.ts";
import type { Services } from "../src/discord/services.ts";
import { joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { MOST_POSITION_DAYS } from "../src/domain/track.ts";
import { recordEvent } from "./audit-event.ts";

/** Whether it is recorded where players are: asked first, because it says much about people who are often children. */

/** `off`, or a number of days. */
export function parsePositionDays(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  const days = typed.trim().toLowerCase() === "off" ? 0 : Number(typed);
  if (typed.trim() !== "" && Number.isInteger(days) && days >= 0 && days <= MOST_POSITION_DAYS) return days;
  throw new Failure("bad-command", `Give a number of days from 1 to ${MOST_POSITION_DAYS}, or off.`, {
    isRead: true,
  });
}

/** For how many days positions are kept; undefined where the host records nothing, or its database is away. */
export async function positionDaysOf({ history }: Services, guildId: string): Promise<number | undefined> {
  try {
    return await history.positions.days(guildId);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

/** @throws Failure "bad-command" where the records of servers are off */
export async function setPositions(services: Services, actor: Actor, days: number): Promise<void> {
  const { history } = services;
  if (days > 0 && (await history.privacy.retention(actor.guildId)) === "off") {
    const words = "Recording is off. Turn it on first with /history retention days:90.";
    throw new Failure("bad-command", words, { isRead: true });
  }
  await history.positions.setDays(actor.guildId, days);
  const text = days === 0 ? "off" : `${days} days`;
  await recordEvent(services, actor, { action: "history-positions", text });
}

/** Asks before they are recorded for the first time; else sets it at once. */
export async function changePositions(services: Services, actor: Actor, days: number): Promise<Reply> {
  const before = await services.history.positions.days(actor.guildId);
  if (before === 0 && days > 0) {
    const id = `history-positions:${days}`;
    const label = days === 1 ? "Save them for 1 day" : `Save them for ${days} days`;
    return {
      content: joined([md`Save where players are?`, ...ABOUT_POSITIONS], "\n"),
      rows: [[{ kind: "button", style: "primary", label, id }]],
    };
  }
  return await setAndSay(services, actor, days);
}

export async function setAndSay(services: Services, actor: Actor, days: number): Promise<Reply> {
  await setPositions(services, actor, days);
  const erased = days === 0 ? md` What was saved is erased. Cases keep theirs.` : md``;
  return { content: md`${positionsSaid(days)}${erased}`, rows: [] };
}
