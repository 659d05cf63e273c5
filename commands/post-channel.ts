import {
  type APIApplicationCommandChannelOption,
  ApplicationCommandOptionType,
  ChannelType,
} from "discord.js";

/** The option that names where a feed or an alert posts: any channel or thread that takes messages. */
export const postChannelOption: APIApplicationCommandChannelOption = {
  type: ApplicationCommandOptionType.Channel,
  name: "channel",
  description: "Where to post (default: this channel)",
  channel_types: [
    ChannelType.GuildText,
    ChannelType.GuildAnnouncement,
    ChannelType.PublicThread,
    ChannelType.PrivateThread,
    ChannelType.AnnouncementThread,
  ],
};

/** Where a feed or an alert that stands shall post from now on. */
export const editChannelOption: APIApplicationCommandChannelOption = {
  ...postChannelOption,
  description: "Where to post from now on",
};
