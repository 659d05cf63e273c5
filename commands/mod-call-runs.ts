import { defineAction, defineFormAction, type Form, type Press, type Reply } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Binding } from "../src/domain/guild.ts";
import { refuseBeforeForm, refuseOnCall } from "./before-form.ts";
import { formTitle } from "./form-title.ts";
import { oneTarget } from "./one-target.ts";
import { ask } from "./run-flow.ts";

/**
 * The buttons of a moderator call that act in the game: a message to the caller, the caller to the moderator and the
 * other way round. Each is a run like any other, with the checks of /run and its place in the audit.
 */

interface OpenCall {
  readonly binding: Binding;
  /** The exact name, which can stand in a command. */
  readonly caller: string;
}

async function callOf({ actor, argument }: Press, { modCalls, bindings }: Services): Promise<OpenCall> {
  const call = await modCalls.find(actor.guildId, argument);
  if (call === undefined) throw new Failure("expired", "This call is too old.");
  const binding = (await bindings.list(actor.guildId)).find(({ id }) => id === call.bindingId);
  if (binding === undefined) throw new Failure("not-linked", "The server of this call is no longer linked.");
  return { binding, caller: oneTarget(call.callerName) };
}

/** The name under which this person plays, while they are in the game. */
async function ownName({ actor }: Press, binding: Binding, services: Services): Promise<string> {
  const account = await services.accounts.of(actor.guildId, actor.userId);
  if (account === undefined) {
    throw new Failure("bad-command", "Your game account is not linked. Link it first.", {
      wants: "account",
      bindingId: binding.id,
    });
  }
  const { id, name } = account.player;
  const players = services.snapshots.latest(binding.source)?.lists.players?.value;
  const here = players?.find(({ player }) => player.id === id)?.player;
  if (players !== undefined && here === undefined) {
    throw new Failure("bad-command", `You are not in the game as ${name}. Join the server first.`);
  }
  return oneTarget(here?.name ?? name);
}

type Words = (caller: string, own: string) => string;

/** Whoever may not move anybody is not asked to link an account for it. @throws Failure "denied" */
async function refuseMoving(services: Services, press: Press, { binding, caller }: OpenCall): Promise<void> {
  // What is read is in memory then, from which the refusal is decided.
  await services.settings.of(press.actor.guildId);
  refuseBeforeForm(services, press, {
    bindingIds: [binding.id],
    decide: (rights) => rights.verb(`:tp ${caller}`),
    what: `moving ${caller} of a moderator call`,
  });
}

/** Uses `:tp`, because a remote command has no body to which `:bring` or `:to` could lead. */
function teleport(words: Words) {
  return defineAction({
    first: "ephemeral",
    runs: true,
    async *execute(press: Press, services: Services): AsyncGenerator<Reply> {
      const call = await callOf(press, services);
      await refuseMoving(services, press, call);
      const { binding, caller } = call;
      const text = words(caller, await ownName(press, binding, services));
      yield* ask(services, { actor: press.actor, binding, text, origin: "button", on: press });
    },
  });
}

function messageForm(cardId: string, caller: string | undefined): Form {
  return {
    id: `mod-pm-sent:${cardId}`,
    title: formTitle("Message", caller, "the caller"),
    fields: [
      {
        kind: "text",
        id: "text",
        label: "What they read in the game",
        description: "Sent as :pm, in the name of the server",
        maxLength: 200,
      },
    ],
  };
}

export const modCallRunActions = {
  "mod-bring": teleport((caller, own) => `:tp ${caller} ${own}`),
  "mod-to": teleport((caller, own) => `:tp ${own} ${caller}`),
  "mod-pm": defineFormAction({
    first: "modal",
    form(press, services) {
      const call = refuseOnCall(services, press, {
        decide: (rights, caller = "caller") => rights.verb(`:pm ${caller}`),
        what: (caller = "the caller") => `a message to ${caller} of a moderator call`,
      });
      if (call !== undefined) oneTarget(call.callerName);
      return messageForm(press.argument, call?.callerName);
    },
  }),
  "mod-pm-sent": defineAction({
    first: "ephemeral",
    runs: true,
    async *execute(press, services) {
      const { binding, caller } = await callOf(press, services);
      const text = `:pm ${caller} ${press.form.text("text").trim()}`;
      yield* ask(services, { actor: press.actor, binding, text, origin: "button", on: press });
    },
  }),
};
