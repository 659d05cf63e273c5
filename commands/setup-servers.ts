import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType, ChannelType } from "discord.js";
import { type Choice, defineEntry, type Press, type Reply } from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import { unlinkQuestion } from "../src/discord/render/setup-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { channelMention, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { GuildSettings } from "../src/domain/guild.ts";
import { recordEvent } from "./audit-event.ts";
import { completeServer, serverOption } from "./server-option.ts";

/** `/setup` for a server that is linked: rename it, make it the default, unlink it. */

/** Channels with a default server of their own; a guild with more has made a mistake. */
const MOST_CHANNELS = 200;
/** The value of the choice that removes a default: nobody types it for the name of a server. */
const ASK = ":ask";
/** Discord shows no more, and one of them removes a default. */
const MOST_CHOICES = 25;
const ASK_CHOICE: Choice = { name: "None: ask each time", value: ASK };

export const unlinkEntry = defineEntry<string | undefined>({
  description: "Unlink a game server: its key, logs, alerts and staff roles are removed",
  first: "ephemeral",
  options: [serverOption],
  parse: (options) => options.string("server"),
  autocomplete: completeServer,
  execute: async ({ actor, args }, { bindings }) => unlinkQuestion(await bindings.pick(actor.guildId, args)),
});

export async function unlink({ actor, argument }: Press, services: Services): Promise<Reply> {
  const binding = await services.bindings.unlink(actor.guildId, argument);
  if (binding === undefined) throw new Failure("not-linked", "It is already unlinked.");
  // Before the rest is written: where the store refuses that, a second press finds nothing that it could unlink.
  await services.onUnlinked(binding);
  await services.settings.change(actor.guildId, (settings) => withoutServer(settings, binding.id));
  await recordEvent(services, actor, { action: "unlink", text: binding.name });
  return {
    content: md`Unlinked **${inlineName(binding.name)}**. Its key is erased here, and its logs and alerts are removed.`,
  };
}

/** The settings without a server that was unlinked. */
function withoutServer(settings: GuildSettings, bindingId: string): GuildSettings {
  const { guide, defaultServer, channelServers, ...rest } = settings;
  const { [bindingId]: _, ...policies } = settings.policies;
  const channels = Object.entries(channelServers ?? {}).filter(([, server]) => server !== bindingId);
  return {
    ...rest,
    policies,
    ...(guide === undefined || guide.bindingId === bindingId ? {} : { guide }),
    ...(defaultServer === undefined || defaultServer === bindingId ? {} : { defaultServer }),
    ...(channels.length === 0 ? {} : { channelServers: Object.fromEntries(channels) }),
  };
}

interface RenameArgs {
  readonly name: string;
  readonly server: string | undefined;
}

export const renameEntry = defineEntry<RenameArgs>({
  description: "Rename a linked server",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.String,
      name: "name",
      description: "What people call it, for example Night server",
      required: true,
      max_length: 40,
    },
    serverOption,
  ],
  parse: (options) => ({ name: options.string("name", true), server: options.string("server") }),
  autocomplete: completeServer,
  async execute({ actor, args }, services) {
    const before = await services.bindings.pick(actor.guildId, args.server);
    const after = await services.bindings.rename(actor.guildId, before.id, args.name);
    if (after === undefined) throw new Failure("not-linked", "It is already unlinked.");
    await recordEvent(services, actor, {
      action: "rename-server",
      text: `${before.name} is now ${after.name}`,
    });
    return {
      content: md`✅ **${inlineName(before.name)}** is called **${inlineName(after.name)}** here from now on.`,
    };
  },
});

interface DefaultArgs {
  readonly server: string;
  readonly channelId: string | undefined;
}

const meantServerOption: APIApplicationCommandBasicOption = {
  ...serverOption,
  description: "The default server, here or everywhere",
  required: true,
};

export const defaultEntry = defineEntry<DefaultArgs>({
  description: "Set the default server, everywhere or in one channel",
  first: "ephemeral",
  options: [
    meantServerOption,
    {
      type: ApplicationCommandOptionType.Channel,
      name: "channel",
      description: "Only in this channel",
      channel_types: [
        ChannelType.GuildText,
        ChannelType.GuildAnnouncement,
        ChannelType.PublicThread,
        ChannelType.PrivateThread,
      ],
    },
  ],
  parse: (options) => ({ server: options.string("server", true), channelId: options.id("channel") }),
  autocomplete: async (typing, services) => [
    ...(await completeServer(typing, services)).slice(0, MOST_CHOICES - 1),
    ASK_CHOICE,
  ],
  async execute({ actor, args: { server, channelId } }, services) {
    const binding = server === ASK ? undefined : await services.bindings.pick(actor.guildId, server);
    await services.settings.change(actor.guildId, (settings) =>
      withDefault(settings, channelId, binding?.id),
    );
    const where = channelId === undefined ? md`everywhere` : md`in ${channelMention(channelId)}`;
    const place = channelId === undefined ? "everywhere" : channelMention(channelId);
    await recordEvent(services, actor, {
      action: "default-server",
      text: `${place}: ${binding?.name ?? "none"}`,
    });
    return {
      content:
        binding === undefined
          ? md`✅ There is no default server ${where}. Marshal asks which one.`
          : md`✅ **${inlineName(binding.name)}** is the default server ${where} now.`,
    };
  },
});

function withDefault(
  settings: GuildSettings,
  channelId: string | undefined,
  bindingId: string | undefined,
): GuildSettings {
  const { defaultServer: _, channelServers, ...rest } = settings;
  if (channelId === undefined) {
    return {
      ...rest,
      ...(channelServers === undefined ? {} : { channelServers }),
      ...(bindingId === undefined ? {} : { defaultServer: bindingId }),
    };
  }
  const { [channelId]: __, ...others } = channelServers ?? {};
  if (bindingId !== undefined && Object.keys(others).length >= MOST_CHANNELS) {
    throw new Failure("bad-command", `${MOST_CHANNELS} channels already have a default server.`);
  }
  return {
    ...settings,
    channelServers: bindingId === undefined ? others : { ...others, [channelId]: bindingId },
  };
}
