import { ApplicationCommandOptionType } from "discord.js";
import { defineEntry } from "../src/discord/command.ts";
import { md } from "../src/domain/escaped.ts";
import { recordEvent } from "./audit-event.ts";
import { mustBeManager } from "./staff-rights.ts";

/** `/duty pings`: whether alerts and calls that wait ping who is on duty instead of their role. */

export const pingsEntry = defineEntry<{ readonly isOn: boolean | undefined }>({
  description: "Whether alerts and waiting calls ping who is on duty (Managers)",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.Boolean,
      name: "on",
      description: "Ping who is on duty instead of the role; leave empty to see the setting",
    },
  ],
  parse: (options) => ({ isOn: options.boolean("on") }),
  async execute({ actor, args: { isOn } }, services) {
    await mustBeManager(services, actor, "Only Managers can set who gets pinged.");
    if (isOn !== undefined) {
      await services.settings.change(actor.guildId, (before) => ({ ...before, pingsOnDuty: isOn }));
      await recordEvent(services, actor, { action: "duty-pings", text: isOn ? "on duty" : "role" });
    }
    const { pingsOnDuty = false } = await services.settings.of(actor.guildId);
    return {
      content: pingsOnDuty
        ? md`🔔 Alerts and unclaimed calls ping up to 5 people on duty who allowed it (\`/me mentions\`). If there are none, they ping the role of the alert or feed.`
        : md`🔔 Alerts and unclaimed calls ping the role of the alert or feed.`,
    };
  },
});
