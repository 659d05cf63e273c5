import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { defineEntry, type Invocation, type Reply } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, type Escaped, md } from "../src/domain/escaped.ts";
import { Failure, SinkRefusal } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import { recordEvent } from "./audit-event.ts";
import { notPostedText } from "./not-posted.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { serverStates } from "./server-state.ts";
import { STATUS_LISTS } from "./server-status.ts";

/** `/server panel`: a message that shows the server and keeps itself current. */

interface PanelArgs {
  readonly server: string | undefined;
  readonly channelId: string | undefined;
  readonly isRemoval: boolean;
}

async function panelReply(
  { actor, args, signal }: Invocation<PanelArgs>,
  services: Services,
): Promise<Reply> {
  if (!actor.manageGuild) {
    throw new Failure("denied", "Only people with Manage Server can add a panel.");
  }
  const binding = await services.bindings.pick(actor.guildId, args.server);
  const place: PanelPlace = { actor, binding, channelId: args.channelId ?? actor.channelId };
  return {
    content: args.isRemoval
      ? await removePanel(place, services)
      : await addPanel({ ...place, signal }, services),
  };
}

interface PanelPlace {
  readonly actor: Actor;
  readonly binding: Binding;
  readonly channelId: string;
}

/** Posts it, and answers in words how that went: also where Discord refused it. */
export async function addPanel(
  { actor, binding, channelId, signal }: PanelPlace & { readonly signal: AbortSignal },
  services: Services,
): Promise<Escaped> {
  const { guildId, userId: createdBy } = actor;
  const place = { guildId, bindingId: binding.id, channelId };
  const where = channelMention(channelId);
  // The panel needs a state to show; an older one will do.
  for await (const _ of serverStates(services, { binding, lists: STATUS_LISTS, signal })) break;
  let done: Awaited<ReturnType<typeof services.panels.add>>;
  try {
    done = await services.panels.add({ ...place, createdBy });
  } catch (error) {
    if (!(error instanceof SinkRefusal)) throw error;
    return await notPostedText(services, place, { refusal: error, chooseWith: md`\`/server panel\`` });
  }
  if (done === "stands") return md`There is already a panel for this server in ${where}.`;
  await recordEvent(services, actor, { action: "panel-add", text: where });
  if (done === "follows")
    return md`⏳ Discord does not answer. The panel in ${where} follows as soon as it does.`;
  return md`✅ Panel posted in ${where}. It updates itself. Remove it with \`/server panel remove:True\`.`;
}

export async function removePanel(
  { actor, binding, channelId }: PanelPlace,
  services: Services,
): Promise<Escaped> {
  const where = channelMention(channelId);
  const place = { guildId: actor.guildId, bindingId: binding.id, channelId };
  if (!(await services.panels.remove(place))) return md`There is no panel for this server in ${where}.`;
  await recordEvent(services, actor, { action: "panel-remove", text: where });
  return md`🗑 Panel removed from ${where}.`;
}

export const panel = defineEntry<PanelArgs>({
  description: "Post a live server status that updates itself (Manage Server)",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.Channel,
      name: "channel",
      description: "Where to post it (default: this channel)",
      channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
    },
    serverOption,
    { type: ApplicationCommandOptionType.Boolean, name: "remove", description: "Remove the panel" },
  ],
  parse: (options) => ({
    server: options.string("server"),
    channelId: options.id("channel"),
    isRemoval: options.boolean("remove") ?? false,
  }),
  autocomplete: completeServer,
  execute: panelReply,
});
