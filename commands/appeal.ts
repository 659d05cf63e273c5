import { defineAction, defineFormAction, type Form, type Press, type Reply } from "../src/discord/command.ts";
import { appealSent } from "../src/discord/render/appeal-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { type Appeal, isStillAbout } from "../src/domain/appeal.ts";
import type { Case } from "../src/domain/case.ts";
import { channelMention, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { recordEvent } from "./audit-event.ts";
import { shown } from "./case-flow.ts";
import { caseOf, refuseAgainstOneself } from "./case-rights.ts";
import { showRevoked } from "./case-told.ts";
import { moderatedServers } from "./moderated-servers.ts";
import { follow } from "./run-follow.ts";

/** What people press who were punished, and the staff who answer them. */

const FORM: Form = {
  id: "appeal-sent:",
  title: "Appeal a punishment",
  fields: [
    { kind: "text", id: "name", label: "Your name in the game", maxLength: 40 },
    {
      kind: "text",
      id: "words",
      label: "Why should it be taken back?",
      long: true,
      minLength: 10,
      maxLength: 1_000,
    },
  ],
};

async function send({ actor, form }: Press, services: Services): Promise<Reply> {
  const [typedName, words] = [form.text("name").trim(), form.text("words").trim()];
  if (typedName === "" || words === "") throw new Failure("bad-command", "Fill in both fields.");
  await services.appeals.ask(actor, { typedName, words });
  await recordEvent(services, actor, { action: "appeal-ask", text: typedName });
  return appealSent();
}

/** Staff who may change its case; of none, staff of any server. @throws Failure "denied", "expired" */
async function answering(
  services: Services,
  actor: Actor,
  id: string,
): Promise<{ readonly appeal: Appeal; readonly one: Case | undefined }> {
  await moderatedServers(services, actor, "answer appeals");
  const appeal = services.appeals.get(actor.guildId, id);
  const { caseNumber } = appeal;
  const kept = caseNumber === undefined ? undefined : await services.cases.get(actor.guildId, caseNumber);
  // Erased: the appeal is answered all the same.
  if (kept === undefined || !isStillAbout(kept, appeal)) return { appeal, one: undefined };
  const one = await caseOf(services, actor, kept.number);
  await refuseAgainstOneself(services, actor, one);
  return { appeal, one };
}

/** The ban is lifted by who accepts, through the queue and the audit like any command. */
async function* accept({ actor, argument, ...on }: Press, services: Services): AsyncGenerator<Reply> {
  const { one, appeal: asked } = await answering(services, actor, argument);
  const plan = one?.kind === "ban" ? await unbanPlan(services, actor, { one, asked }) : undefined;
  const appeal = await services.appeals.decide(actor, argument, {
    isAccepted: true,
    unbans: plan !== undefined,
  });
  await recordEvent(services, actor, { action: "appeal-accept", text: `case ${one?.number ?? 0}` });
  if (plan === undefined) {
    const isDone = appeal.decision?.isDone === true;
    const revoked = isDone ? md`is revoked` : md`is revoked as soon as Marshal's records answer again`;
    const end = one !== undefined && one.targets.length > 1 ? md`stays for the others` : revoked;
    if (one !== undefined) await takeTellAway(services, actor, one);
    yield { content: md`✅ Accepted. Case ${one?.number ?? 0} ${end}.` };
    return;
  }
  // Who accepts has decided: there is nothing more to ask.
  const submitting =
    plan.confirm === "none" ? services.runner.submit(plan) : services.runner.confirmed(plan.id, actor);
  const submitted = await submitting.catch(async (error: unknown) => {
    if (error instanceof Failure && error.ran === "no") await services.appeals.unbanned(appeal, "not-sent");
    throw error;
  });
  const noted = submitted.outcome.then(({ record: { ran } }) =>
    services.appeals.unbanned(appeal, ran === "yes" ? "ran" : ran === "no" ? "not-sent" : "asked"),
  );
  const failed = noted.then(
    () => undefined,
    (error: unknown) => error,
  );
  yield* follow(services, submitted, { actor, ...on });
  if ((await failed) !== undefined) throw await failed;
}

/** Nobody is to be told of a warning that counts no longer. */
async function takeTellAway(services: Services, actor: Actor, before: Case): Promise<void> {
  if (before.kind !== "warning") return;
  const one = await services.cases.get(before.guildId, before.number);
  if (one?.revoked === undefined) return;
  const card = await shown(services, one, actor);
  showRevoked(services, one, {
    ...card,
    content: md`↩️ Case ${one.number} revoked: their appeal was accepted.`,
  });
}

/** @throws Failure "denied" where they may not unban; somebody else has to accept then. */
async function unbanPlan(
  services: Services,
  actor: Actor,
  { one: { bindingId }, asked }: { readonly one: Case; readonly asked: Appeal },
) {
  const binding = (await services.bindings.list(actor.guildId)).find(({ id }) => id === bindingId);
  // The case may be of several.
  const playerId = asked.player?.id;
  // Of a server that was unlinked nothing can be lifted: the case alone is revoked.
  if (binding === undefined || playerId === undefined) return undefined;
  const text = `:unban ${playerId}`;
  const plan = await services.runner.plan({ actor, binding, text, origin: "appeal" });
  if (!plan.decision.allowed) {
    const { why, wants } = plan.decision;
    throw new Failure("denied", `Accepting lifts the ban. ${why}`, { wants, bindingId: binding.id });
  }
  return plan;
}

export const appealActions = {
  "appeal-open": defineFormAction({
    first: "modal",
    form({ actor }, services) {
      // Nobody fills in what would be refused.
      services.appeals.refuseForm(actor);
      return FORM;
    },
  }),
  "appeal-sent": defineAction({ first: "ephemeral", execute: send }),
  "appeal-theirs": defineAction({
    first: "ephemeral",
    async execute({ actor, argument }, services) {
      const { appeal, one } = await answering(services, actor, argument);
      await services.appeals.prove(actor, argument);
      await recordEvent(services, actor, { action: "appeal-prove", text: appeal.typedName });
      // To accept lifts the ban, which not everybody may who answers appeals.
      const mayDecide = one === undefined || (await services.appeals.mayDecide(actor, one));
      const who = one?.kind === "ban" ? md`Whoever may run \`:unban\`` : md`You`;
      return mayDecide
        ? { content: md`✅ Noted. ${who} can press *Accept* now.` }
        : {
            content: md`✅ Noted. This is your own case, so somebody else has to press *Accept* or *Refuse*.`,
          };
    },
  }),
  "appeal-talk": defineAction({
    first: "ephemeral",
    async execute({ actor, argument }, services) {
      await answering(services, actor, argument);
      const threadId = await services.appeals.talk(actor, argument);
      return { content: md`💬 ${channelMention(threadId)}` };
    },
  }),
  "appeal-yes": defineAction({ first: "ephemeral", runs: true, execute: accept }),
  "appeal-no": defineAction({
    first: "ephemeral",
    async execute({ actor, argument }, services) {
      const { appeal } = await answering(services, actor, argument);
      await services.appeals.decide(actor, argument, { isAccepted: false, unbans: false });
      await recordEvent(services, actor, { action: "appeal-refuse", text: appeal.typedName });
      return { content: md`⚪ Refused. They get a message.` };
    },
  }),
};
