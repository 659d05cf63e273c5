import { ChannelState } from "../channel.ts";
import { ApiError, Problems, refuse } from "../errors.ts";
import { integer, isRecord } from "../form.ts";
import type { MessageState } from "../message.ts";
import { changeOf, contentsOf, leavesNothing } from "../posting.ts";
import { messageJson } from "../serialize.ts";
import type { Channel } from "../types.ts";
import { type MessageForm, readMessageForm, refuseEmpty } from "../validate-message.ts";
import type { World } from "../world.ts";
import { channelOf, may, need, needOpenThread, needSending } from "./access.ts";
import { type Answer, type Api, type ApiRequest, done, ok, param, type Route, route } from "./route.ts";

const twoWeeksMs = 14 * 24 * 3_600_000;

export const messageRoutes: readonly Route[] = [
  route("POST", "/channels/:id/messages", create),
  route("GET", "/channels/:id/messages", page),
  route("GET", "/channels/:id/messages/:id", read),
  route("PATCH", "/channels/:id/messages/:id", edit),
  route("DELETE", "/channels/:id/messages/:id", remove),
  route("POST", "/channels/:id/messages/bulk-delete", removeMany),
];

function create(api: Api, request: ApiRequest): Answer {
  const { world } = api;
  const channel = channelOf(world, param(request, 0));
  needSending(world, channel);
  const form = readMessageForm(request.body, request.files, "channel");
  refuseEmpty(form);
  if (form.enforceNonce && form.nonce !== undefined) {
    const earlier = world.messages.withNonce(world.bot.id, form.nonce);
    if (earlier !== undefined) return ok(show(world, earlier, true));
  }
  if ((form.embeds ?? []).length > 0) need(channel, "EmbedLinks");
  if (form.files.length > 0) need(channel, "AttachFiles");
  const repliesTo = replyTarget(world, channel, form);
  if (channel.archived && channel instanceof ChannelState) channel.revive();
  const message = world.messages.create({
    channel,
    author: world.bot,
    ...contentsOf(world, channel, form),
    flags: form.flags,
    repliesTo,
    kind: repliesTo === undefined ? 0 : 19,
  });
  return ok(show(world, message, true));
}

function replyTarget(world: World, channel: Channel, form: MessageForm): string | undefined {
  if (form.repliesTo === undefined) return undefined;
  if (!may(channel, "ReadMessageHistory")) throw refuse("noHistoryToReply");
  const target = world.messages.find(form.repliesTo.messageId);
  if (target !== undefined && target.channel === channel) return target.id;
  if (!form.repliesTo.mustExist) return undefined;
  const problems = new Problems();
  problems.add(["message_reference"], "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
  problems.throwIfAny();
  return undefined;
}

function page(api: Api, request: ApiRequest): Answer {
  const channel = channelOf(api.world, param(request, 0));
  const problems = new Problems();
  const limit = integer(problems, request.query.get("limit"), ["limit"], { min: 1, max: 100 }) ?? 50;
  problems.throwIfAny();
  // Without the permission the list is empty, not refused.
  if (!may(channel, "ReadMessageHistory")) return ok([]);
  const at = (name: string): string | undefined => request.query.get(name) ?? undefined;
  const found = api.world.messages.page(channel.id, {
    before: at("before"),
    after: at("after"),
    around: at("around"),
    limit,
  });
  return ok(found.map((message) => show(api.world, message)));
}

function read(api: Api, request: ApiRequest): Answer {
  const channel = channelOf(api.world, param(request, 0));
  if (!may(channel, "ReadMessageHistory")) throw refuse("missingAccess");
  return ok(show(api.world, messageIn(api.world, channel, param(request, 1))));
}

function edit(api: Api, request: ApiRequest): Answer {
  const { world } = api;
  const channel = channelOf(world, param(request, 0));
  const message = messageIn(world, channel, param(request, 1));
  const form = readMessageForm(request.body, request.files, "channel");
  if (message.author !== world.bot) {
    const onlyFlags = isRecord(request.body) && Object.keys(request.body).every((key) => key === "flags");
    if (!onlyFlags) throw refuse("notYourMessage");
    need(channel, "ManageMessages");
  }
  needOpenThread(channel);
  if ((form.embeds ?? []).length > 0) need(channel, "EmbedLinks");
  if (form.files.length > 0) need(channel, "AttachFiles");
  const change = changeOf(world, message, form);
  if (leavesNothing(message, change)) throw refuse("emptyMessage");
  world.oldEdits.spend(message);
  world.messages.change(message, change);
  return ok(show(world, message));
}

function remove(api: Api, request: ApiRequest): Answer {
  const channel = channelOf(api.world, param(request, 0));
  const message = messageIn(api.world, channel, param(request, 1));
  if (message.author !== api.world.bot) need(channel, "ManageMessages");
  needOpenThread(channel);
  api.world.messages.delete(message);
  return done;
}

function removeMany(api: Api, request: ApiRequest): Answer {
  const { world } = api;
  const channel = channelOf(world, param(request, 0));
  need(channel, "ManageMessages");
  const given = isRecord(request.body) ? request.body.messages : undefined;
  const ids = Array.isArray(given) ? given.map(String) : [];
  if (ids.length < 2 || ids.length > 100) throw refuse("tooFewToDelete");
  const found = ids.map((id) => world.messages.find(id)).filter((message) => message?.channel === channel);
  const oldest = world.nowMs() - twoWeeksMs;
  if (found.some((message) => message !== undefined && message.createdAtMs < oldest))
    throw refuse("tooOldToDelete");
  for (const message of found) if (message !== undefined) world.messages.delete(message);
  return done;
}

/** A message of that channel; an ephemeral one does not exist for these routes. */
export function messageIn(world: World, channel: Channel, id: string): MessageState {
  const message = world.messages.find(id);
  if (message === undefined || message.channel !== channel || message.ephemeralFor !== undefined)
    throw refuse("unknownMessage");
  return message;
}

export function show(world: World, message: MessageState, withNonce = false): unknown {
  return messageJson(message, (id) => world.users.get(id), { withNonce });
}

/** Discord's own failure, for faults. */
export function serverError(): ApiError {
  return new ApiError(500, { message: "500: Internal Server Error", code: 0 });
}
