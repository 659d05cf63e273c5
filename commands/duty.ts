import { defineCommand } from "../src/discord/command.ts";
import { breakEntry, dutyActions, endEntry, nowEntry, showEntry, startEntry } from "./duty-shift.ts";
import { typeAddEntry, typeListEntry, typeRemoveEntry } from "./duty-type.ts";

export const duty = defineCommand({
  name: "duty",
  description: "Who is on duty, with evidence from the game",
  subcommands: {
    start: startEntry,
    break: breakEntry,
    end: endEntry,
    now: nowEntry,
    show: showEntry,
    type: {
      description: "Kinds of shifts",
      subcommands: { add: typeAddEntry, list: typeListEntry, remove: typeRemoveEntry },
    },
  },
  actions: dutyActions,
});
