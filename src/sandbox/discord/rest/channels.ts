import { isThread } from "../channel.ts";
import { Problems, refuse } from "../errors.ts";
import { isRecord, text } from "../form.ts";
import { channelJson } from "../serialize.ts";
import type { Channel } from "../types.ts";
import type { World } from "../world.ts";
import { channelOf, guildOf, need } from "./access.ts";
import { messageIn } from "./messages.ts";
import { type Answer, type Api, type ApiRequest, done, ok, param, type Route, route } from "./route.ts";

const ARCHIVED_AFTER_MIN = [60, 1_440, 4_320, 10_080];

export const channelRoutes: readonly Route[] = [
  route("GET", "/channels/:id", (api, request) =>
    ok(show(api.world, channelOf(api.world, param(request, 0)))),
  ),
  route("PATCH", "/channels/:id", change),
  route("DELETE", "/channels/:id", remove),
  route("POST", "/channels/:id/typing", typing),
  route("POST", "/channels/:id/threads", openThread),
  route("POST", "/channels/:id/messages/:id/threads", openThread),
  route("PUT", "/channels/:id/thread-members/@me", joinThread),
  route("PUT", "/channels/:id/thread-members/:id", addToThread),
  route("GET", "/guilds/:id/channels", listChannels),
  route("GET", "/guilds/:id/threads/active", listThreads),
];

function show(world: World, channel: Channel): unknown {
  return channelJson(channel, world.lastMessageId(channel), world.bot);
}

/** Name, and for threads archived and locked. */
function change(api: Api, request: ApiRequest): Answer {
  const channel = channelOf(api.world, param(request, 0));
  const body = isRecord(request.body) ? request.body : {};
  const problems = new Problems();
  const name = text(problems, body.name, ["name"], { min: 1, max: 100 });
  problems.throwIfAny();
  const reopening = isThread(channel) && body.archived === false && Object.keys(body).length === 1;
  // Whoever may write in an unlocked thread may take it out of the archive; all else needs the managing permission.
  if (reopening && !channel.locked) need(channel, "SendMessagesInThreads");
  else need(channel, isThread(channel) ? "ManageThreads" : "ManageChannels");
  if (name !== undefined) channel.rename(name);
  if (isThread(channel) && body.archived === true) channel.archive({ locked: body.locked === true });
  if (isThread(channel) && body.archived === false) channel.unarchive();
  return ok(show(api.world, channel));
}

function remove(api: Api, request: ApiRequest): Answer {
  const channel = channelOf(api.world, param(request, 0));
  need(channel, isThread(channel) ? "ManageThreads" : "ManageChannels");
  const shown = show(api.world, channel);
  channel.delete();
  return ok(shown);
}

function typing(api: Api, request: ApiRequest): Answer {
  need(channelOf(api.world, param(request, 0)), "SendMessages");
  return done;
}

function openThread(api: Api, request: ApiRequest): Answer {
  const channel = channelOf(api.world, param(request, 0));
  if (request.params.length > 1) messageIn(api.world, channel, param(request, 1));
  if (channel.guild === undefined || isThread(channel)) throw refuse("wrongChannelType");
  const { guild } = channel;
  const body = isRecord(request.body) ? request.body : {};
  const problems = new Problems();
  const name = text(problems, body.name, ["name"], { min: 1, max: 100, required: true }) ?? "";
  const minutes = body.auto_archive_duration;
  if (typeof minutes === "number" && !ARCHIVED_AFTER_MIN.includes(minutes))
    problems.add(
      ["auto_archive_duration"],
      "BASE_TYPE_CHOICES",
      `Value must be one of (${ARCHIVED_AFTER_MIN.join(", ")}).`,
    );
  problems.throwIfAny();
  // Without a message the default is a private thread.
  const isPrivate = request.params.length === 1 && (body.type === undefined || body.type === 12);
  // Announcement channels have public threads alone, others none at all.
  if (channel.type !== "text" && (isPrivate || channel.type !== "announcement"))
    throw refuse("wrongChannelType");
  need(channel, isPrivate ? "CreatePrivateThreads" : "CreatePublicThreads");
  const type = isPrivate ? "private-thread" : "thread";
  const active = guild.channels.filter((one) => isThread(one) && !one.archived).length;
  if (active >= api.world.limits.activeThreads) throw refuse("tooManyThreads");
  const openedBy = api.world.bot.id;
  const thread = guild.addChannel({ name, type, parentId: channel.id, openedBy });
  thread.addThreadMember(openedBy);
  return { status: 201, body: show(api.world, thread) };
}

/** Somebody who sees the thread's channel; a private one is then theirs to read. */
function addToThread(api: Api, request: ApiRequest): Answer {
  const channel = channelOf(api.world, param(request, 0));
  if (!isThread(channel)) throw refuse("wrongChannelType");
  if (channel.archived) throw refuse("threadArchived");
  need(channel, "SendMessagesInThreads");
  const member = channel.guild?.members.find(({ id }) => id === param(request, 1));
  if (member === undefined) throw refuse("unknownMember");
  if (channel.parent === undefined || !member.may("ViewChannel", channel.parent))
    throw refuse("missingAccess");
  channel.addThreadMember(member.id);
  return done;
}

function joinThread(api: Api, request: ApiRequest): Answer {
  const channel = channelOf(api.world, param(request, 0));
  if (!isThread(channel)) throw refuse("wrongChannelType");
  if (channel.archived) throw refuse("threadArchived");
  return done;
}

function listChannels(api: Api, request: ApiRequest): Answer {
  const guild = guildOf(api.world, param(request, 0));
  return ok(
    guild.channels.filter((channel) => !isThread(channel)).map((channel) => show(api.world, channel)),
  );
}

function listThreads(api: Api, request: ApiRequest): Answer {
  const guild = guildOf(api.world, param(request, 0));
  const open = guild.channels.filter((channel) => isThread(channel) && !channel.archived);
  return ok({ threads: open.map((channel) => show(api.world, channel)), members: [], has_more: false });
}
