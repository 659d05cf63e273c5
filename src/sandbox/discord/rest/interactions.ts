import { Problems, refuse } from "../errors.ts";
import { isRecord, type Raw, text } from "../form.ts";
import { InteractionKind, type InteractionState } from "../interactions.ts";
import type { MessageState } from "../message.ts";
import { fieldsOf } from "../modal.ts";
import { changeOf, contentsOf, leavesNothing, pingsOf } from "../posting.ts";
import type { Modal } from "../types.ts";
import { readChoices } from "../validate-commands.ts";
import { readModalComponents } from "../validate-components.ts";
import { type MessageForm, readMessageForm, refuseEmpty } from "../validate-message.ts";
import { MessageFlag } from "../wire.ts";
import { needOpenThread } from "./access.ts";
import { show } from "./messages.ts";
import { type Answer, type Api, type ApiRequest, done, ok, param, type Route, route } from "./route.ts";

/** Answering an interaction, and what its token allows for 15 minutes after. */
export const interactionRoutes: readonly Route[] = [
  route("POST", "/interactions/:id/:token/callback", answer, "token"),
  route("POST", "/webhooks/:id/:token", followUp, "token"),
  route("GET", "/webhooks/:id/:token/messages/:id", read, "token"),
  route("PATCH", "/webhooks/:id/:token/messages/:id", edit, "token"),
  route("DELETE", "/webhooks/:id/:token/messages/:id", remove, "token"),
];

/** Discord's types of answers. */
const Reply = { message: 4, deferred: 5, deferredUpdate: 6, update: 7, choices: 8, modal: 9 } as const;

function answer(api: Api, request: ApiRequest): Answer {
  const interaction = api.interactions.byId(param(request, 0), param(request, 1));
  interaction.mayAnswer();
  const body = isRecord(request.body) ? request.body : {};
  const type = typeOf(interaction, body);
  const data = isRecord(body.data) ? body.data : {};
  const message = give(api, interaction, type, data, request);
  if (request.query.get("with_response") !== "true") return done;
  return ok({
    interaction: {
      id: interaction.id,
      type: interaction.type,
      channel_id: interaction.channel.id,
      ...(interaction.channel.guild === undefined ? {} : { guild_id: interaction.channel.guild.id }),
      ...(message === undefined
        ? {}
        : {
            response_message_id: message.id,
            response_message_loading: message.thinking,
            response_message_ephemeral: message.ephemeralFor !== undefined,
          }),
    },
    ...(message === undefined
      ? {}
      : { resource: { type: resourceType(type), message: show(api.world, message) } }),
  });
}

/** A resource is a message created or updated; a deferral makes the same as what it defers. */
function resourceType(type: number): number {
  if (type === Reply.deferred) return Reply.message;
  return type === Reply.deferredUpdate ? Reply.update : type;
}

/** Which answers an interaction takes: choices only for an autocompletion, updates only where there is a message. */
function typeOf(interaction: InteractionState, body: Raw): number {
  const onMessage: readonly number[] =
    interaction.source === undefined ? [] : [Reply.deferredUpdate, Reply.update];
  const modal: readonly number[] = interaction.type === InteractionKind.modal ? [] : [Reply.modal];
  const allowed: readonly number[] =
    interaction.type === InteractionKind.autocomplete
      ? [Reply.choices]
      : [Reply.message, Reply.deferred, ...onMessage, ...modal];
  if (typeof body.type === "number" && allowed.includes(body.type)) return body.type;
  const problems = new Problems();
  problems.add(["type"], "BASE_TYPE_CHOICES", `Value must be one of {${allowed.join(", ")}}.`);
  problems.throwIfAny();
  return 0;
}

/** Carries the answer out and returns the message that it made or changed. */
function give(
  api: Api,
  interaction: InteractionState,
  type: number,
  data: Raw,
  request: ApiRequest,
): MessageState | undefined {
  switch (type) {
    case Reply.message: {
      const form = readMessageForm(data, request.files, "interaction");
      refuseEmpty(form);
      const message = createAnswer(api, interaction, form, 0);
      interaction.answerWithMessage(message, false);
      return message;
    }
    case Reply.deferred: {
      const form = readMessageForm({ flags: data.flags }, [], "interaction");
      const message = createAnswer(api, interaction, form, MessageFlag.loading);
      interaction.answerWithMessage(message, true);
      return message;
    }
    case Reply.deferredUpdate:
      interaction.answerWithUpdate(true);
      return interaction.source;
    case Reply.update: {
      const form = readMessageForm(data, request.files, "interaction");
      if (interaction.source !== undefined) update(api, interaction.source, form);
      interaction.answerWithUpdate(false);
      return interaction.source;
    }
    case Reply.choices:
      interaction.answerWithChoices(choicesIn(data));
      return undefined;
    default:
      interaction.answerWithModal(openModal(api, interaction, data));
      return undefined;
  }
}

function choicesIn(data: Raw): readonly { readonly name: string; readonly value: string | number }[] {
  const problems = new Problems();
  const numeric =
    Array.isArray(data.choices) && data.choices.some((one) => isRecord(one) && typeof one.value === "number");
  const choices = readChoices(problems, data.choices, ["data", "choices"], numeric) ?? [];
  problems.throwIfAny();
  return choices;
}

function openModal(api: Api, interaction: InteractionState, data: Raw): Modal {
  const problems = new Problems();
  const customId =
    text(problems, data.custom_id, ["data", "custom_id"], { min: 1, max: 100, required: true }) ?? "";
  const title = text(problems, data.title, ["data", "title"], { min: 1, max: 45, required: true }) ?? "";
  const components = readModalComponents(problems, data.components, ["data", "components"]);
  problems.throwIfAny();
  const modal = { customId, title, components, fields: fieldsOf(components) };
  api.interactions.rememberModal(modal, interaction);
  return modal;
}

/** A message out of an interaction, by the bot, shown to all or to the person alone. */
function createAnswer(
  api: Api,
  interaction: InteractionState,
  form: MessageForm,
  extraFlags: number,
  repliesTo?: string,
): MessageState {
  const { world } = api;
  // Its token outlives the channel, in which nothing can be posted any more.
  if (interaction.channel.deleted) throw refuse("unknownChannel");
  if (interaction.channel.locked) needOpenThread(interaction.channel);
  const flags = (form.flags ?? 0) | extraFlags;
  const isEphemeral = (flags & MessageFlag.ephemeral) !== 0;
  const plain = repliesTo === undefined && interaction.type === InteractionKind.command ? 20 : 0;
  return world.messages.create({
    channel: interaction.channel,
    author: world.bot,
    ...contentsOf(world, interaction.channel, form),
    // A nonce has no meaning here, and must not shadow one of a channel's message.
    nonce: undefined,
    flags,
    ephemeralFor: isEphemeral ? interaction.person.id : undefined,
    interaction: { id: interaction.id, userId: interaction.person.id, commandName: interaction.commandName },
    kind: repliesTo === undefined ? plain : 19,
    repliesTo,
  });
}

/** The interaction of a webhook path, if its token may still be used. */
function opened(api: Api, request: ApiRequest): InteractionState {
  if (param(request, 0) !== api.world.bot.id) throw refuse("unknownWebhook");
  const interaction = api.interactions.byToken(param(request, 1));
  interaction.mayUseToken();
  return interaction;
}

function followUp(api: Api, request: ApiRequest): Answer {
  const interaction = opened(api, request);
  const form = readMessageForm(request.body, request.files, "interaction");
  refuseEmpty(form);
  const thinking = interaction.message;
  if (thinking?.thinking === true) {
    needOpenThread(thinking.channel);
    // The first follow-up after a deferral fills the waiting answer and takes over its visibility.
    fill(api, interaction, thinking, form);
    return ok(show(api.world, thinking));
  }
  const message = createAnswer(api, interaction, form, 0, interaction.message?.id);
  interaction.addFollowUp(message);
  return ok(show(api.world, message));
}

function read(api: Api, request: ApiRequest): Answer {
  return ok(show(api.world, opened(api, request).messageAt(param(request, 2))));
}

function edit(api: Api, request: ApiRequest): Answer {
  const interaction = opened(api, request);
  const message = interaction.messageAt(param(request, 2));
  const form = readMessageForm(request.body, request.files, "interaction");
  needOpenThread(message.channel);
  if (message.thinking) fill(api, interaction, message, form);
  else update(api, message, form);
  if (interaction.isOriginal(message) && interaction.pending) interaction.settle();
  return ok(show(api.world, message));
}

function remove(api: Api, request: ApiRequest): Answer {
  const interaction = opened(api, request);
  const message = interaction.messageAt(param(request, 2));
  api.world.messages.delete(message);
  if (interaction.isOriginal(message) && interaction.pending) interaction.settle();
  return done;
}

function fill(api: Api, interaction: InteractionState, message: MessageState, form: MessageForm): void {
  const change = changeOf(api.world, message, form);
  if (leavesNothing(message, change)) throw refuse("emptyMessage");
  const pings = pingsOf(api.world, message.channel, form);
  api.world.messages.change(message, { ...change, fills: true, pings });
  if (interaction.pending) interaction.settle();
}

function update(api: Api, message: MessageState, form: MessageForm): void {
  const change = changeOf(api.world, message, form);
  if (leavesNothing(message, change)) throw refuse("emptyMessage");
  api.world.messages.change(message, change);
}
