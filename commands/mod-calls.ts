import { defineAction, defineFormAction, type Form, type Press, type Reply } from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import { moreOfCall } from "../src/discord/render/mod-call-card.ts";
import { escapeButRoles } from "../src/discord/render/own-markup.ts";
import { chooseRoles } from "../src/discord/render/setup-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { ModCallAct } from "../src/domain/ports/mod-calls.ts";
import { auditEventOf, recordEvent } from "./audit-event.ts";
import { refuseOnCall } from "./before-form.ts";
import { formTitle } from "./form-title.ts";
import { positionDaysOf } from "./history-positions.ts";
import { mustTakeCalls } from "./may-take-calls.ts";

/** The buttons of a moderator call's card: for people who may take calls on that server; each act stands in the audit. */

const TOO_OLD = "This call is too old.";

/** Of the call of that caller. */
const DONE: Readonly<Record<ModCallAct["do"], (caller: Escaped) => Escaped>> = {
  claim: (caller) => md`The call of **${caller}** is yours.`,
  release: (caller) => md`The call of **${caller}** is open again.`,
  resolve: (caller) => md`The call of **${caller}** is resolved.`,
};

/** Claims, releases or resolves the call of a card, where this person may, and says so. */
export async function actOn(
  { actor, argument }: Pick<Press, "actor" | "argument">,
  act: ModCallAct,
  services: Services,
): Promise<Reply> {
  const { modCalls, bindings, permissions } = services;
  const call = await modCalls.find(actor.guildId, argument);
  if (call === undefined) return { content: md`✋ ${TOO_OLD}` };
  const binding = (await bindings.list(actor.guildId)).find(({ id }) => id === call.bindingId);
  if (binding === undefined) return { content: md`✋ The server of this call is no longer linked.` };
  const decision = await permissions.decideCalls(actor, binding);
  if (!decision.allowed) {
    const what = `${act.do} the call of ${call.callerName} on ${binding.name}`;
    await services.refusals.noteEvent(auditEventOf(services, actor, { action: "call-refused", text: what }));
    const mends = actor.manageGuild && decision.wants === "tier";
    return {
      content: md`⛔ ${escapeButRoles(decision.why, actor.roleIds)}`,
      ...(mends ? { rows: [[chooseRoles(binding.id)]] } : {}),
    };
  }

  const answer = await modCalls.act(actor, argument, act);
  if (!answer.ok) return { content: md`✋ ${answer.text}` };
  const said = act.do === "resolve" && act.note !== undefined && act.note !== "" ? `: ${act.note}` : "";
  await recordEvent(services, actor, {
    action: `call-${act.do}`,
    text: `the call of ${call.callerName} on ${binding.name}${said}`,
  });
  const left = act.do === "claim" && call.hasLeft === true ? md` They left the server.` : md``;
  return { content: md`✅ ${DONE[act.do](inlineName(call.callerName))}${left}` };
}

function resolveForm(cardId: string, caller: string | undefined): Form {
  return {
    id: `mod-resolved:${cardId}`,
    title: formTitle("Resolve the call of", caller, "a player"),
    fields: [
      {
        kind: "text",
        id: "note",
        label: "Result",
        description: "Everyone can see it on the card",
        required: false,
        long: true,
        maxLength: 500,
      },
    ],
  };
}

/** The rest of what can be done about a call. */
async function more({ actor, argument }: Press, services: Services): Promise<Reply> {
  const call = await services.modCalls.find(actor.guildId, argument);
  if (call === undefined) throw new Failure("expired", TOO_OLD, { isRead: true });
  const { bindingId, callerName, calledAtS: atS } = call;
  const binding = await services.bindings.pick(actor.guildId, bindingId);
  await mustTakeCalls(services, { actor, binding }, "these buttons");
  const hasReplay = ((await positionDaysOf(services, actor.guildId)) ?? 0) > 0;
  return moreOfCall({ cardId: argument, callerName, atS, hasReplay });
}

const claim = defineAction({
  first: "ephemeral",
  execute: (press, services) => actOn(press, { do: "claim" }, services),
});

export const modCallActions = {
  "mod-more": defineAction({ first: "ephemeral", execute: more }),
  "mod-claim": claim,
  /** On an alert about the call. */
  "alert-claim": claim,
  "mod-release": defineAction({
    first: "ephemeral",
    execute: (press, services) => actOn(press, { do: "release" }, services),
  }),
  "mod-resolve": defineFormAction({
    first: "modal",
    form(press, services) {
      const call = refuseOnCall(services, press, {
        decide: (rights) => rights.calls(),
        what: (caller = "a player") => `resolve the call of ${caller}`,
      });
      return resolveForm(press.argument, call?.callerName);
    },
  }),
  "mod-resolved": defineAction({
    first: "ephemeral",
    execute: (press, services) =>
      actOn(press, { do: "resolve", note: press.form.text("note").trim() }, services),
  }),
};
