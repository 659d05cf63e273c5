import { ApplicationCommandOptionType } from "discord.js";
import { defineEntry } from "../src/discord/command.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { GuildSettings } from "../src/domain/guild.ts";
import { recordEvent } from "./audit-event.ts";

/** `/stats settings`: how pictures look, and who sees the figures of all of staff. */

interface SettingsArgs {
  readonly look: GuildSettings["pictureLook"];
  readonly staff: GuildSettings["staffFiguresFor"];
}

const { String: text } = ApplicationCommandOptionType;

export const settingsEntry = defineEntry<SettingsArgs>({
  description: "Picture colours, and who sees everyone's staff stats (Manage Server)",
  first: "ephemeral",
  options: [
    {
      type: text,
      name: "pictures",
      description: "Default: dark",
      choices: [
        { name: "Dark", value: "dark" },
        { name: "Light", value: "light" },
      ],
    },
    {
      type: text,
      name: "staff-figures",
      description: "Who sees everyone's stats. Everyone sees their own",
      choices: [
        { name: "Managers", value: "managers" },
        { name: "Moderators and above", value: "moderators" },
      ],
    },
  ],
  parse(options) {
    const look = options.string("pictures");
    const staff = options.string("staff-figures");
    return {
      look: look === "light" || look === "dark" ? look : undefined,
      staff: staff === "managers" || staff === "moderators" ? staff : undefined,
    };
  },
  async execute({ actor, args: { look, staff } }, services) {
    if (!actor.manageGuild) {
      throw new Failure("denied", "Only people with Manage Server can do this.");
    }
    const settings = await services.settings.change(actor.guildId, (before) => ({
      ...before,
      ...(look === undefined ? {} : { pictureLook: look }),
      ...(staff === undefined ? {} : { staffFiguresFor: staff }),
    }));
    if (look !== undefined || staff !== undefined) {
      const said = [look, staff].filter((word) => word !== undefined).join(", ");
      await recordEvent(services, actor, { action: "stats-settings", text: said });
    }
    const { pictureLook = "dark", staffFiguresFor = "managers" } = settings;
    const who = staffFiguresFor === "managers" ? md`Managers` : md`Moderators and above`;
    return {
      content: md`${look === undefined && staff === undefined ? "" : "✅ "}Pictures are **${pictureLook}**. ${who} can see everyone's staff stats. All staff can see their own.`,
    };
  },
});
