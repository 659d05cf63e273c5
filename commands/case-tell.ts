import type { Press, Reply } from "../src/discord/command.ts";
import { cut, inlineName, plainText } from "../src/discord/render/escape.ts";
import { confirmCard } from "../src/discord/render/plan-cards.ts";
import type { Services } from "../src/discord/services.ts";
import type { Case } from "../src/domain/case.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { Button } from "../src/domain/message.ts";
import { caseOf } from "./case-rights.ts";
import { moderatedServers } from "./moderated-servers.ts";
import { oneTarget } from "./one-target.ts";
import { type LivePlayer, livePlayers } from "./player-choice.ts";
import { refuseUnsendable, withOwnPlayer } from "./run-flow.ts";

/** A warning is written down here and says nothing in the game: its answer offers to. */

/** Of the reason, in the message that the player reads. */
const LONGEST_SAID = 200;

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
  const tell: Button = {
    kind: "button",
    style: "primary",
    label: cut(`Tell ${plainText(live.player.name)}`, 80),
    id: `case-tell:${one.number}`,
  };
  const content = md`✅ Saved. **${name}** was not told in the game yet.`;
  return { ...card, content, rows: [[tell], ...(card.rows ?? [])] };
}

/** Shows the message to the player as a command that is sent by one more press. */
export async function tellWarned({ actor, argument }: Press, services: Services): Promise<Reply> {
  const one = await caseOf(services, actor, /^\d{1,9}$/.test(argument) ? Number(argument) : 0);
  const live = await warnedInGame(services, actor, one);
  if (live === undefined)
    throw new Failure("bad-command", "They left the server, so they can't be told now.");
  const { binding, player } = live;
  refuseUnsendable(services, binding);
  const reason = cut(plainText(one.reason ?? ""), LONGEST_SAID);
  const text = `:pm ${oneTarget(player.name)} You were warned by the staff${reason === "" ? "." : `: ${reason}`}`;
  const plan = await services.runner.plan(
    await withOwnPlayer(services, { actor, binding, text, origin: "button" }),
  );
  const { decision } = plan;
  if (!decision.allowed) {
    throw new Failure("denied", decision.why, { wants: decision.wants, bindingId: binding.id });
  }
  return confirmCard(plan);
}
