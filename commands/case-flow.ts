import type { Form, Press, Reply } from "../src/discord/command.ts";
import { type CaseView, caseCard } from "../src/discord/render/players/case-card.ts";
import { CASES_A_PAGE, caseList } from "../src/discord/render/players/case-list.ts";
import { KINDS, targetsPlain } from "../src/discord/render/players/case-words.ts";
import type { Services } from "../src/discord/services.ts";
import { type Case, type CaseKind, soughtUntilMs } from "../src/domain/case.ts";
import { type Escaped, md, userMention } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { PlayerRef } from "../src/domain/model.ts";
import type { AnswerPlace } from "../src/domain/ports/run-answers.ts";
import { recordEvent } from "./audit-event.ts";
import { withPauseOf } from "./automatic.ts";
import { filterOf, LONGEST_REASON } from "./case-args.ts";
import { refuseAgainstOneself, refuseReason, seenCases } from "./case-rights.ts";
import { keepUntold, untoldOf, withTelling } from "./case-tell.ts";

/** What commands, buttons and forms about cases share. */

/** A case with everything that is known of it. `reader`: who may be offered what they can do about it. */
export async function shown(services: Services, one: Case, reader?: Actor): Promise<Reply> {
  const [only] = one.targets;
  const warnings =
    one.kind === "warning" && one.revoked === undefined && only?.playerId !== undefined
      ? await services.cases.warnings(one, only.playerId)
      : undefined;
  const end =
    services.banEnds.list(one.guildId).find(({ end: { id } }) => one.origin === `run ${id}`) ?? "none";
  const lift = one.kind === "ban" ? await services.cases.liftOf(one) : undefined;
  const hasReplay = await services.history.positions.hasReplay(one).catch(falseAfterFailure);
  const duty = await dutyOfAuthor(services, one);
  const untold = reader === undefined ? undefined : await untoldOf(services, reader, one);
  const isSought = services.clock.nowMs() < (soughtUntilMs(one) ?? 0);
  const card = caseCard(one, { warnings, end, lift, duty, untold, withEdits: true, hasReplay, isSought });
  return end === "none" ? card : await withPauseOf(services, one.guildId, card);
}

/** The database is away: the case itself is shown all the same. */
function falseAfterFailure(error: unknown): false {
  if (!(error instanceof Failure)) throw error;
  return false;
}

/** On which kind of shift its author was; undefined: it is not known, or nobody here keeps duty. */
async function dutyOfAuthor(services: Services, { guildId, author, atMs }: Case): Promise<CaseView["duty"]> {
  if (author.userId === undefined) return undefined;
  const fromS = Math.floor(atMs / 1_000);
  try {
    const span = { fromS, untilS: fromS + 1, userId: author.userId };
    const { shifts, types } = await services.duty.shifts(guildId, span);
    const shift = shifts.find((one) => one.fromS <= fromS && (one.untilS ?? fromS) >= fromS);
    if (shift !== undefined) return { typeName: types.find(({ id }) => id === shift.typeId)?.name ?? "" };
    return types.some(({ sinceS, untilS }) => sinceS <= fromS && (untilS ?? fromS) >= fromS)
      ? "off"
      : undefined;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

export interface NewCase {
  readonly kind: CaseKind;
  readonly player: Required<PlayerRef>;
  readonly binding: Binding | undefined;
  readonly reason: string;
  readonly evidence?: string | undefined;
  /** Where the answer that shows it stands. */
  readonly answer: AnswerPlace | undefined;
}

/** Writes it down, in the audit too, and shows it. */
export async function write(services: Services, actor: Actor, made: NewCase): Promise<Reply> {
  const { kind, player, binding, reason, evidence, answer } = made;
  const one = await services.cases.add({
    guildId: actor.guildId,
    kind,
    mass: false,
    atMs: services.clock.nowMs(),
    reason,
    targets: [{ name: player.name, playerId: player.id }],
    author: { name: actor.userName, userId: actor.userId },
    ...(binding === undefined ? {} : { bindingId: binding.id, serverName: binding.name }),
    ...(evidence === undefined ? {} : { evidence }),
  });
  await recordEvent(services, actor, {
    action: "case-add",
    text: `${one.number}: ${KINDS[kind].small} of ${targetsPlain(one)}`,
  });
  const card = await shown(services, one);
  if (kind !== "warning") return card;
  keepUntold(services, one, { which: "written", answer });
  return await withTelling(services, actor, { one, card });
}

/** A page of what a search found, of the cases below `before`. */
export async function foundCases(
  services: Services,
  actor: Actor,
  { filter, before, title = md`🗂 Cases` }: { filter: string; before?: number; title?: Escaped },
): Promise<Reply> {
  const narrowed = filterOf(filter);
  const { bindingIds } = await seenCases(services, actor);
  const found = await services.cases.search(actor.guildId, {
    ...narrowed,
    ...(bindingIds === undefined ? {} : { bindingIds }),
    ...(before === undefined ? {} : { before }),
    limit: CASES_A_PAGE + 1,
  });
  return caseList({
    cases: found.slice(0, CASES_A_PAGE),
    title,
    filter,
    isLater: before !== undefined,
    hasMore: found.length > CASES_A_PAGE,
    ofOne: narrowed.playerId !== undefined,
  });
}

export function reasonForm(id: string, title: string): Form {
  return {
    id,
    title,
    fields: [
      {
        kind: "text",
        id: "reason",
        label: "Reason",
        long: true,
        maxLength: LONGEST_REASON,
        description: "Staff see it on the case",
      },
    ],
  };
}

/** The reason that a case lacks: its author is asked, or any Moderator where the author is no member that is known. */
export async function giveReason(services: Services, { actor, form }: Press, one: Case): Promise<Reply> {
  const { userId } = one.author;
  await refuseReason(services, actor, one);
  await refuseAgainstOneself(services, actor, one);
  if (userId !== undefined && userId !== actor.userId) {
    return {
      content: md`✋ ${userMention(userId)} has to give this reason. You can change it with \`/case edit\`.`,
    };
  }
  if (one.reason !== undefined) return { content: md`✋ Case ${one.number} already has a reason.` };
  const reason = form.text("reason").trim();
  if (reason === "") throw new Failure("bad-command", "Write a reason.");
  const saved = await services.cases.edit(actor, one.number, { reason, isFirstReason: true });
  const giver = saved?.edits.findLast(({ field }) => field === "reason")?.byId;
  if (giver !== undefined && (giver !== actor.userId || saved?.reason !== reason)) {
    return {
      content: md`✋ ${userMention(giver)} has just given the reason of case ${one.number}. You can change it with \`/case edit\`.`,
    };
  }
  await recordEvent(services, actor, { action: "case-edit", text: `${one.number}: reason` });
  return { content: md`✅ Reason saved for case ${one.number}.` };
}
