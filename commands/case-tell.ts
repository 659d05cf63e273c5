import type { Press, Reply } from "../src/discord/command.ts";
import { cut, inlineName, plainText } from "../src/discord/render/escape.ts";
import { confirmCard } from "../src/discord/render/plan-cards.ts";
import type { CaseView } from "../src/discord/render/players/case-card.ts";
import type { Services } from "../src/discord/services.ts";
import type { Case } from "../src/domain/case.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { Button } from "../src/domain/message.ts";
import type { AnswerPlace } from "../src/domain/ports/run-answers.ts";
import type { RunPlan } from "../src/domain/run.ts";
import { caseOf } from "./case-rights.ts";
import { moderatedServers } from "./moderated-servers.ts";
import { oneTarget } from "./one-target.ts";
import { type LivePlayer, livePlayers } from "./player-choice.ts";
import { endInTime } from "./question-ends.ts";
import { refuseUnsendable, withOwnPlayer } from "./run-flow.ts";

/** A warning is written down here and says nothing in the game: its answer offers to. */

/** Of the reason, in the message that the player reads. */
const LONGEST_SAID = 200;
/** The answer about the case does not wait for a long queue. */
const WAITED_FOR_MS = 10_000;

async function warnedInGame(services: Services, actor: Actor, one: Case): Promise<LivePlayer | undefined> {
  const servers = await moderatedServers(services, actor);
  const [target] = one.targets;
  const all = livePlayers(services, servers).filter(({ player }) => player.id === target?.playerId);
  return all.find(({ binding }) => binding.id === one.bindingId) ?? all[0];
}

/** Under a new warning: whether the player knows of it, and the button that tells them. */
export async function withTelling(
  services: Services,
  actor: Actor,
  { one, card }: { readonly one: Case; readonly card: Reply },
): Promise<Reply> {
  const name = inlineName(one.targets[0]?.name ?? "");
  const live = await warnedInGame(services, actor, one);
  if (live === undefined) {
    return { ...card, content: md`✅ Saved. **${name}** is not in the server, so they were not told.` };
  }
  const told = await toldAtOnce(services, actor, { one, live });
  if (told === "yes") return { ...card, content: md`✅ Saved. **${name}** was told in the game.` };
  const words = {
    off: md`was not told in the game yet.`,
    enough: md`got a message in the game on this visit, or three today, so they were not told.`,
    sending: md`is being told in the game. \`/run history\` shows when.`,
    no: md`could not be told in the game. See \`/run history\`.`,
    unknown: md`may have been told in the game. See \`/run history\` before you tell them again.`,
  };
  const content = md`✅ Saved. **${name}** ${words[told]}`;
  return { ...card, content, rows: [[tellButton(one, live)], ...(card.rows ?? [])] };
}

function tellButton({ number }: Case, { player }: LivePlayer): Button {
  const label = cut(`Tell ${plainText(player.name)}`, 80);
  return { kind: "button", style: "primary", label, id: `case-tell:${number}` };
}

/** What a warning shows until its player was told of it; the button is for who may press it now. */
export async function untoldOf(services: Services, actor: Actor, one: Case): Promise<CaseView["untold"]> {
  if (one.kind !== "warning" || one.told !== undefined || one.revoked !== undefined) return undefined;
  const live = await warnedInGame(services, actor, one);
  if (live === undefined) return { button: undefined };
  const { allowed } = await services.permissions.decide(actor, live.binding, ":pm");
  return { button: allowed ? tellButton(one, live) : undefined };
}

/** Answers that offer *Tell*, which `showTold` brings up to date: of the warning as it was written, and shown later. */
export function untoldAnswers({ guildId, number }: Pick<Case, "guildId" | "number">) {
  const id = (which: string) => `tell ${guildId} ${number} ${which}`;
  return [id("written"), id("shown")] as const;
}

export function keepUntold(
  { shownAnswers }: Services,
  one: Case,
  { which, answer }: { readonly which: "written" | "shown"; readonly answer: AnswerPlace | undefined },
): void {
  if (answer === undefined || one.kind !== "warning") return;
  if (one.told !== undefined || one.revoked !== undefined) return;
  const [written, shown] = untoldAnswers(one);
  shownAnswers.keep(which === "written" ? written : shown, answer);
}

interface Warned {
  readonly one: Case;
  readonly live: LivePlayer;
}

/** The one message that a community lets each warning send, in the name of who warned. */
async function toldAtOnce(
  services: Services,
  actor: Actor,
  { one, live }: Warned,
): Promise<"off" | "enough" | "yes" | "no" | "unknown" | "sending"> {
  const { settings, playerMessages, runner, clock } = services;
  if ((await settings.of(actor.guildId)).tellsWarned !== true) return "off";
  const plan = await planOf(services, actor, { one, live }).catch((error: unknown) => {
    // The case is saved; *Tell* says why it cannot be sent.
    if (error instanceof Failure) return undefined;
    throw error;
  });
  // What has to be asked about first is not sent by itself.
  if (plan?.decision.allowed !== true || plan.confirm !== "none") return "off";
  const message = { playerId: live.player.id, visitFromMs: await visitFromMs(services, actor, live) };
  if (!(await playerMessages.take(message))) return "enough";
  try {
    const { outcome } = await runner.submit(plan);
    return await Promise.race([
      outcome.then(({ record: { ran } }) => ran),
      clock.sleep(WAITED_FOR_MS).then(() => "sending" as const),
    ]);
  } catch (error) {
    if (error instanceof Failure) return "no";
    throw error;
  }
}

/** Since when they are in the server, as far as the history has it. */
async function visitFromMs(
  { history }: Services,
  { guildId }: Actor,
  { binding, player }: LivePlayer,
): Promise<number | undefined> {
  const options = { playerId: player.id, list: "sessions", limit: 1, bindingId: binding.id } as const;
  const page = await history.cards.page(guildId, options).catch((error: unknown) => {
    // Where the history is off or does not answer, a visit is a day.
    if (error instanceof Failure) return undefined;
    throw error;
  });
  const [last] = page?.sessions ?? [];
  return last === undefined || last.end !== undefined ? undefined : last.start.atS * 1_000;
}

/** Shows the message to the player as a command that is sent by one more press. */
export async function tellWarned({ actor, argument, answer }: Press, services: Services): Promise<Reply> {
  const one = await caseOf(services, actor, /^\d{1,9}$/.test(argument) ? Number(argument) : 0);
  if (one.told !== undefined) throw new Failure("bad-command", "They were told in the game already.");
  if (one.revoked !== undefined)
    throw new Failure("bad-command", "This warning was revoked, so there is nothing to tell.");
  const live = await warnedInGame(services, actor, one);
  if (live === undefined)
    throw new Failure("bad-command", "They left the server, so they can't be told now.");
  const plan = await planOf(services, actor, { one, live });
  const { decision } = plan;
  if (!decision.allowed) {
    throw new Failure("denied", decision.why, { wants: decision.wants, bindingId: live.binding.id });
  }
  await refuseUnsendable(services, plan);
  endInTime(services, [plan], answer);
  return confirmCard(plan);
}

async function planOf(
  services: Services,
  actor: Actor,
  { one, live: { binding, player } }: Warned,
): Promise<RunPlan> {
  const reason = cut(plainText(one.reason ?? ""), LONGEST_SAID);
  const text = `:pm ${oneTarget(player.name)} You were warned by the staff${reason === "" ? "." : `: ${reason}`}`;
  const request = { actor, binding, text, origin: "button", only: player, tells: one.number } as const;
  return await services.runner.plan(await withOwnPlayer(services, request));
}
