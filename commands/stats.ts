import { defineCommand } from "../src/discord/command.ts";
import { serverEntry, serverStatsActions } from "./stats-server.ts";
import { settingsEntry } from "./stats-settings.ts";
import { staffEntry } from "./stats-staff.ts";
import { weeklyEntry } from "./stats-weekly.ts";

export const stats = defineCommand({
  name: "stats",
  description: "Server and staff statistics",
  subcommands: { server: serverEntry, staff: staffEntry, weekly: weeklyEntry, settings: settingsEntry },
  actions: serverStatsActions,
});
