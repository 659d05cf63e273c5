import { defineAction, defineFormAction, type Form, type Press, type Reply } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Binding } from "../src/domain/guild.ts";
import type { PlayerRef } from "../src/domain/model.ts";
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
  /** Undefined: the game did not say who that is. */
  readonly only: Required<PlayerRef> | undefined;
}

async function callOf({ actor, argument }: Press, { modCalls, bindings }: Services): Promise<OpenCall> {
  const call = await modCalls.find(actor.guildId, argument);
  if (call === undefined) throw new Failure("expired", "This call is too old.");
  const binding = (await bindings.list(actor.guildId)).find(({ id }) => id === call.bindingId);
  if (binding === undefined) throw new Failure("not-linked", "The server of this call is no longer linked.");
  const { callerName: name, callerId: id } = call;
  return { binding, caller: oneTarget(name), only: id === undefined ? undefined : { name, id } };
}

/** The name under which this person plays, while they are in the game. */
async function ownPlayer(
  { actor }: Press,
  binding: Binding,
  services: Services,
): Promise<Required<PlayerRef>> {
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
  return { name: oneTarget(here?.name ?? name), id };
}

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
function teleport(who: "caller" | "own") {
  return defineAction({
    first: "ephemeral",
    runs: true,
    async *execute(press: Press, services: Services): AsyncGenerator<Reply> {
      const call = await callOf(press, services);
      await refuseMoving(services, press, call);
      const { binding, caller } = call;
      const own = await ownPlayer(press, binding, services);
      if (call.only?.id === own.id)
        throw new Failure("bad-command", "This is your own call: you are there already.");
      const [text, only] =
        who === "caller" ? [`:tp ${caller} ${own.name}`, call.only] : [`:tp ${own.name} ${caller}`, own];
      yield* ask(services, { actor: press.actor, binding, text, origin: "button", only, on: press });
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
        description: "Sent as a :pm from the server",
        maxLength: 200,
      },
    ],
  };
}

export const modCallRunActions = {
  "mod-bring": teleport("caller"),
  "mod-to": teleport("own"),
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
      const { binding, caller, only } = await callOf(press, services);
      const text = `:pm ${caller} ${press.form.text("text").trim()}`;
      yield* ask(services, { actor: press.actor, binding, text, origin: "button", only, on: press });
    },
  }),
};
