import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { defineEntry, type Invocation, type Reply } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, md } from "../src/domain/escaped.ts";
import { Failure, SinkRefusal } from "../src/domain/failure.ts";
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
    throw new Failure("denied", "A panel needs the Manage Server permission.");
  }
  const { guildId, userId } = actor;
  const binding = await services.bindings.pick(guildId, args.server);
  const channelId = args.channelId ?? actor.channelId;
  const place = { guildId, bindingId: binding.id, channelId };
  const where = channelMention(channelId);

  if (args.isRemoval) {
    const wasThere = await services.panels.remove(place);
    if (!wasThere) return { content: md`There is no panel of this server in ${where}.` };
    await recordEvent(services, actor, { action: "panel-remove", text: where });
    return { content: md`🗑 The panel in ${where} is gone.` };
  }

  // The panel needs a state to show; an older one will do.
  for await (const _ of serverStates(services, { binding, lists: STATUS_LISTS, signal })) break;
  try {
    const done = await services.panels.add({ ...place, createdBy: userId });
    if (done === "stands") return { content: md`A panel of this server stands in ${where} already.` };
  } catch (error) {
    if (!(error instanceof SinkRefusal)) throw error;
    return { content: await notPostedText(services, place, error) };
  }
  await recordEvent(services, actor, { action: "panel-add", text: where });
  return {
    content: md`✅ The panel stands in ${where} and keeps itself current. \`/server panel remove: True\` takes it away.`,
  };
}

export const panel = defineEntry<PanelArgs>({
  description: "A message that shows the server and keeps itself current (Manage Server)",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.Channel,
      name: "channel",
      description: "Where; without one: here",
      channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
    },
    serverOption,
    { type: ApplicationCommandOptionType.Boolean, name: "remove", description: "Take the panel away" },
  ],
  parse: (options) => ({
    server: options.string("server"),
    channelId: options.id("channel"),
    isRemoval: options.boolean("remove") ?? false,
  }),
  autocomplete: completeServer,
  execute: panelReply,
});
