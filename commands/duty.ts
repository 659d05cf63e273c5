import { defineCommand } from "../src/discord/command.ts";
import { boardActions, boardEntry, editEntry } from "./duty-board.ts";
import { importActions, importAddEntry, importListEntry } from "./duty-import.ts";
import {
  leaveActions,
  leaveAskEntry,
  leaveEndEntry,
  leaveListEntry,
  leaveReduceEntry,
} from "./duty-leave.ts";
import { pingsEntry } from "./duty-pings.ts";
import { quotaListEntry, quotaRemoveEntry, quotaResetEntry, quotaSetEntry } from "./duty-quota.ts";
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
    board: boardEntry,
    edit: editEntry,
    pings: pingsEntry,
    import: {
      description: "Hours from another bot",
      subcommands: { add: importAddEntry, list: importListEntry },
    },
    type: {
      description: "Kinds of shifts",
      subcommands: { add: typeAddEntry, list: typeListEntry, remove: typeRemoveEntry },
    },
    quota: {
      description: "How many hours on duty a role has to do",
      subcommands: {
        set: quotaSetEntry,
        list: quotaListEntry,
        remove: quotaRemoveEntry,
        reset: quotaResetEntry,
      },
    },
    leave: {
      description: "Being away, or doing less for a while",
      subcommands: {
        ask: leaveAskEntry,
        reduce: leaveReduceEntry,
        list: leaveListEntry,
        end: leaveEndEntry,
      },
    },
  },
  actions: { ...dutyActions, ...boardActions, ...leaveActions, ...importActions },
});
