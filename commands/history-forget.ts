import type { Press, Reply } from "../src/discord/command.ts";
import {
  casesErasedMessage,
  type Elsewhere,
  forgottenMessage,
  type Standing,
} from "../src/discord/render/forgotten.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { PlayerRef } from "../src/domain/model.ts";
import { recordEvent } from "./audit-event.ts";
import { isProtected } from "./staff-policy.ts";

/** What `/history forget` erases: rows of the logs, and cases when that is asked for as well. */

const MS_PER_S = 1_000;
const MOST_COUNTED = 100;

export interface KeptPlayer {
  readonly playerId: number;
  readonly name: string;
}

/** Somebody of whom the logs keep nothing any more, by the id or the whole name: in cases, watched, or kept elsewhere. */
export async function keptPlayer(
  services: Services,
  guildId: string,
  typed: string,
): Promise<KeptPlayer | undefined> {
  const inCases = await playerOfCases(services, guildId, typed);
  if (inCases !== undefined) return inCases;
  const watches = (await services.watches.list(guildId).catch(onlyFailures)) ?? [];
  const watched = watches.find(({ playerId, name }) => {
    return String(playerId) === typed || name.toLowerCase() === typed.toLowerCase();
  });
  if (watched !== undefined) return { playerId: watched.playerId, name: watched.name };
  // Duty knows no names, and a case of others names whom it is about.
  const playerId = idIn(typed);
  if (playerId === undefined) return undefined;
  const file = await services.history.privacy.export(guildId, playerId);
  return file === undefined ? undefined : { playerId, name: typed };
}

/** Whom the newest case means. */
async function playerOfCases(
  { cases }: Services,
  guildId: string,
  typed: string,
): Promise<KeptPlayer | undefined> {
  const id = idIn(typed);
  const who = id === undefined ? { playerName: typed } : { playerId: id };
  const [one] = await cases.search(guildId, { ...who, limit: 1 });
  for (const { playerId, name } of one?.targets ?? []) {
    const isMeant = playerId === id || name.toLowerCase() === typed.toLowerCase();
    if (playerId !== undefined && isMeant) return { playerId, name };
  }
  return undefined;
}

function idIn(typed: string): number | undefined {
  return /^\d{1,15}$/.test(typed) ? Number(typed) : undefined;
}

/** What stands of somebody beside the rows of the logs; what does not answer is left open. */
export async function standingOf(
  services: Services,
  guildId: string,
  { playerId, name }: KeptPlayer,
): Promise<Standing> {
  const { cases, watches } = services;
  const found = await cases.search(guildId, { playerId, limit: MOST_COUNTED }).catch(onlyFailures);
  const watch = await watches.of(guildId, playerId).catch(onlyFailures);
  const elsewhere = await elsewhereOf(services, guildId, { id: playerId, name });
  return { playerId, cases: found?.length, isWatched: watch !== undefined, elsewhere };
}

/** What other commands have set about somebody, and take back. */
async function elsewhereOf(
  { accounts, appeals, banEnds, bindings, settings }: Services,
  guildId: string,
  player: Required<PlayerRef>,
): Promise<Elsewhere> {
  const account = await accounts.ofPlayer(guildId, player.id);
  const { policies } = await settings.of(guildId);
  const servers = (await bindings.list(guildId)).filter(({ id }) => {
    const policy = policies[id];
    return policy !== undefined && isProtected(policy, player);
  });
  const ends = banEnds.list(guildId).filter(({ end }) => end.playerId === player.id);
  return {
    linkedTo: account?.userId,
    protectedOn: servers.map(({ name }) => name),
    endingBansOn: ends.map(({ end }) => end.serverName),
    appeals: appeals.ofPlayer(guildId, player.id).length,
  };
}

function onlyFailures(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}

/** Takes a player out of the cases and off the watchlist. */
export async function eraseCases({ actor, argument }: Press, services: Services): Promise<Reply> {
  const { guildId } = actor;
  const playerId = Number(argument);
  const erased = await services.cases.eraseOf(guildId, playerId);
  const record = () =>
    recordEvent(services, actor, { action: "history-forget-cases", text: String(playerId) });
  await forgetAnswered(services, guildId, { playerId, cases: 0 });
  // What is erased is erased, also where the watchlist cannot be changed now.
  if (erased.cases > 0) await record();
  const watch = await services.watches.remove(guildId, playerId);
  if (erased.cases === 0) await record();
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
  const { name } = forgotten.player;
  const found = await standingOf(services, actor.guildId, { playerId, name });
  await forgetAnswered(services, actor.guildId, found);
  const appeals = services.appeals.ofPlayer(actor.guildId, playerId).length;
  return forgottenMessage(forgotten, { ...found, elsewhere: { ...found.elsewhere, appeals } });
}

/** Of what is kept only to judge cases and appeals rightly. */
async function forgetAnswered(
  { accounts, appeals }: Services,
  guildId: string,
  { playerId, cases }: Pick<Standing, "playerId" | "cases">,
): Promise<void> {
  await appeals.forgetPlayer(guildId, playerId);
  if (cases === 0) await accounts.forgetFormer(guildId, playerId);
}
