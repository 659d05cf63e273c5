import { defineCommand } from "../src/discord/command.ts";
import { cancelEntry, endEntry, fullEntry, lowEntry, pastEntry, startEntry } from "./session-run.ts";
import { setupEntry } from "./session-setup.ts";
import { voteActions, voteEntry } from "./session-vote.ts";

export const session = defineCommand({
  name: "session",
  description: "Announce when your community plays",
  subcommands: {
    vote: voteEntry,
    start: startEntry,
    full: fullEntry,
    low: lowEntry,
    end: endEntry,
    cancel: cancelEntry,
    past: pastEntry,
    setup: setupEntry,
  },
  actions: voteActions,
});
