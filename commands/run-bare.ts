import type { Reply } from "../src/discord/command.ts";
import { dryCard, sayCard } from "../src/discord/render/plan-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import { isOneSlip } from "../src/domain/near-names.ts";
import type { RunPlan } from "../src/domain/run.ts";
import { ELSEWHERE } from "../src/domain/words-of-other-bots.ts";
import { blockedBy } from "./blocked-by.ts";
import { endInTime } from "./question-ends.ts";
import { ask, confirmReply, type RunAsk, refused, refuseUnsendable, withOwnPlayer } from "./run-flow.ts";

/** `/run command` with a text that has no colon: a command that lacks it, or words to say. */

/** Takes it for a command that lacks its colon, for a mistyped one about somebody in the game, or for words to say. */
export async function* askBare(services: Services, asked: RunAsk): AsyncGenerator<Reply> {
  if (services.catalogue.about(asked.text) !== undefined) yield* offerWithColon(services, asked);
  else if (await isMistyped(services, asked)) yield* ask(services, { ...asked, text: `:${asked.text}` });
  else yield* offerAsMessage(services, asked);
}

/** For a known verb that was typed without its colon: shows the command with one, to be sent by one press. */
async function* offerWithColon(
  services: Services,
  { on, dry, text, ...rest }: RunAsk,
): AsyncGenerator<Reply> {
  const request = await withOwnPlayer(services, { ...rest, text: `:${text}` });
  const plan = await services.runner.plan(request);
  if (!plan.decision.allowed) throw await refused(services, plan);
  yield dry === true
    ? dryCard(plan, blockedBy(services, plan.request.binding.source))
    : await confirmReply(services, plan, { answer: on.answer, isGuess: true });
}

/** A word that is nearly a verb and shorter may be one to say: "lol" is no :log. */
const LEAST_LETTERS = 4;
/** Of a verb and a name, which may be that of somebody who has just left. More words may be a sentence. */
const MOST_WORDS = 2;

/**
 * Whether words without a colon are a mistyped verb, and nothing to say to everyone: about a player in the game, or by
 * itself, or with one word.
 */
async function isMistyped(
  services: Services,
  { on: _, dry: __, text, ...request }: RunAsk,
): Promise<boolean> {
  const plan = await services.runner.plan({ ...request, text: `:${text}` }).catch((error: unknown) => {
    // An empty name, or an invisible one: it can still be said.
    if (error instanceof Failure && error.code === "bad-command") return undefined;
    throw error;
  });
  if (plan === undefined || plan.command.mass) return false;
  const { verb: typed = "" } = plan.command;
  // What it says instead names the nearest verb too.
  const verb = /:(\w+)/u.exec(plan.meant ?? plan.instead ?? "")?.[1] ?? "";
  const isSlip = isOneSlip(typed, verb);
  if (isSlip && typed.length >= LEAST_LETTERS && text.trim().split(/\s+/u).length <= MOST_WORDS) return true;
  // Short forms of other bots: `k` for :kick.
  const isNear = isSlip || (typed !== "" && verb.startsWith(typed)) || ELSEWHERE.has(typed);
  if (!isNear) return false;
  if (plan.targets.some(({ players }) => players.length > 0)) return true;
  // Of a verb that does not exist nobody is looked for: of the one that was meant they are.
  const meant =
    plan.meant === undefined ? plan : await services.runner.plan({ ...plan.request, text: plan.meant });
  return meant.near.length > 0;
}

/** For words that are no command: shows them as a hint and as a message, each to be sent by one press. */
async function* offerAsMessage(
  services: Services,
  { on, dry, text, ...request }: RunAsk,
): AsyncGenerator<Reply> {
  const plans: RunPlan[] = [];
  for (const verb of [":h", ":m"]) {
    const plan = await services.runner.plan({ ...request, text: `${verb} ${text}` });
    if (plan.decision.allowed) plans.push(plan);
  }
  const [first] = plans;
  if (first === undefined) throw new Failure("bad-command", "A command starts with a colon.");
  if (dry !== true) {
    await refuseUnsendable(services, first);
    endInTime(services, plans, on.answer);
  }
  yield dry === true ? dryCard(first, blockedBy(services, request.binding.source)) : sayCard(plans);
}
