import { defineCommand } from "../src/discord/command.ts";
import { at, rewindActions } from "./server-at.ts";
import { listActions, lists } from "./server-lists.ts";
import { map, mapActions } from "./server-map.ts";
import { panel } from "./server-panel.ts";
import { playerActions } from "./server-player.ts";
import { replayActions } from "./server-replay.ts";
import { status, statusActions } from "./server-status.ts";
import { unlinked } from "./server-unlinked.ts";

export const server = defineCommand({
  name: "server",
  description: "What is happening in the game server",
  subcommands: { status, ...lists, unlinked, at, map, panel },
  actions: {
    ...statusActions,
    ...listActions,
    ...playerActions,
    ...rewindActions,
    ...mapActions,
    ...replayActions,
  },
});
