import type { Press, Reply } from "../src/discord/command.ts";
import { casesErasedMessage, forgottenMessage, type Standing } from "../src/discord/render/forgotten.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { recordEvent } from "./audit-event.ts";

/** What `/history forget` erases: rows of the logs, and cases when that is asked for as well. */

const MS_PER_S = 1_000;
const MOST_COUNTED = 100;

/** Whom the newest case means of which nothing else is kept: by the id, or by the whole name. */
export async function playerOfCases(
  { cases }: Services,
  guildId: string,
  typed: string,
): Promise<{ readonly playerId: number; readonly name: string } | undefined> {
  const who = /^\d{1,15}$/.test(typed) ? { playerId: Number(typed) } : { playerName: typed };
  const [one] = await cases.search(guildId, { ...who, limit: 1 });
  for (const { playerId, name } of one?.targets ?? []) {
    const isMeant = playerId === who.playerId || name.toLowerCase() === typed.toLowerCase();
    if (playerId !== undefined && isMeant) return { playerId, name };
  }
  return undefined;
}

/** What stands of somebody beside the rows of the logs; what does not answer is left open. */
export async function standingOf(
  { cases, watches }: Services,
  guildId: string,
  playerId: number,
): Promise<Standing> {
  const found = await cases.search(guildId, { playerId, limit: MOST_COUNTED }).catch(onlyFailures);
  const watch = await watches.of(guildId, playerId).catch(onlyFailures);
  return { playerId, cases: found?.length, isWatched: watch !== undefined };
}

function onlyFailures(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}

/** Takes a player out of the cases and off the watchlist. */
export async function eraseCases({ actor, argument }: Press, services: Services): Promise<Reply> {
  const { guildId } = actor;
  const playerId = Number(argument);
  const erased = await services.cases.eraseOf(guildId, playerId);
  const watch = await services.watches.remove(guildId, playerId);
  await recordEvent(services, actor, { action: "history-forget-cases", text: String(playerId) });
  return casesErasedMessage(erased, watch !== undefined);
}

/** Erases the rows of a player, and asks about the cases. */
export async function eraseNow({ actor, argument }: Press, services: Services): Promise<Reply> {
  const playerId = Number(argument);
  const nowS = Math.floor(services.clock.nowMs() / MS_PER_S);
  const forgotten = await services.history.privacy.forget(actor.guildId, playerId, nowS);
  if (forgotten === undefined) return { content: md`Nothing is recorded about this player any more.` };
  // The audit names the id alone: who asks to be forgotten is not to be kept by name.
  await recordEvent(services, actor, { action: "history-forget", text: String(playerId) });
  return forgottenMessage(forgotten, await standingOf(services, actor.guildId, playerId));
}
