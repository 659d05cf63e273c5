import type { Form, Press, Reply } from "../src/discord/command.ts";
import { caseCard } from "../src/discord/render/players/case-card.ts";
import { CASES_A_PAGE, caseList } from "../src/discord/render/players/case-list.ts";
import { KINDS, targetsPlain } from "../src/discord/render/players/case-words.ts";
import type { Services } from "../src/discord/services.ts";
import type { Case, CaseKind } from "../src/domain/case.ts";
import { type Escaped, md, userMention } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { PlayerRef } from "../src/domain/model.ts";
import { recordEvent } from "./audit-event.ts";
import { filterOf, LONGEST_REASON } from "./case-args.ts";
import { moderatedServers } from "./moderated-servers.ts";

/** What commands, buttons and forms about cases share. */

export async function caseOf({ cases }: Services, actor: Actor, number: number): Promise<Case> {
  const one = await cases.get(actor.guildId, number);
  if (one !== undefined) return one;
  throw new Failure("bad-command", `There is no case ${number} here.`, { isRead: true });
}

/** A case with everything that is known of it. */
export async function shown(services: Services, one: Case): Promise<Reply> {
  const [only] = one.targets;
  const warnings =
    one.kind === "warning" && one.revoked === undefined && only?.playerId !== undefined
      ? await services.cases.warnings(one.guildId, only.playerId)
      : undefined;
  return caseCard(one, { warnings, withEdits: true });
}

export interface NewCase {
  readonly kind: CaseKind;
  readonly player: Required<PlayerRef>;
  readonly binding: Binding | undefined;
  readonly reason: string;
  readonly evidence?: string | undefined;
}

/** Writes it down, in the audit too, and shows it. */
export async function write(services: Services, actor: Actor, made: NewCase): Promise<Reply> {
  const { kind, player, binding, reason, evidence } = made;
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
  return await shown(services, one);
}

/** A page of what a search found, of the cases below `before`. */
export async function foundCases(
  services: Services,
  actor: Actor,
  { filter, before, title = md`🗂 Cases` }: { filter: string; before?: number; title?: Escaped },
): Promise<Reply> {
  const narrowed = filterOf(filter);
  const found = await services.cases.search(actor.guildId, {
    ...narrowed,
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
        description: "Stands on the case for all staff to see",
      },
    ],
  };
}

/** The reason that a case lacks: its author is asked, or any Moderator where the author is no member that is known. */
export async function giveReason(services: Services, { actor, form }: Press, one: Case): Promise<Reply> {
  const { userId } = one.author;
  if (userId !== actor.userId) await moderatedServers(services, actor);
  if (userId !== undefined && userId !== actor.userId) {
    return {
      content: md`✋ ${userMention(userId)} is asked for this reason. \`/case edit\` changes it.`,
    };
  }
  if (one.reason !== undefined) return { content: md`✋ Case ${one.number} has a reason already.` };
  const reason = form.text("reason").trim();
  if (reason === "") throw new Failure("bad-command", "A reason has at least one word.");
  await services.cases.edit(actor, one.number, { reason });
  await recordEvent(services, actor, { action: "case-edit", text: `${one.number}: reason` });
  return { content: md`✅ Case ${one.number} has its reason.` };
}
