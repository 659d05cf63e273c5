import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import type { MessageBody } from "../../../domain/message.ts";
import type { EmergencyCall, LogEntry, LogList, ServerState } from "../../../domain/model.ts";
import { entryLine, person } from "../entry-line.ts";
import { cut, escapeMarkdown, inlineName } from "../escape.ts";
import { type ListView, listPage } from "./lists.ts";
import { openCallers, timesWords } from "./status.ts";
import { namesOf, profile, serverTitle } from "./view.ts";

/** `/server calls | logs`: what is open, and what the game's log still holds. Pure. */

/** Open moderator calls, then emergency calls; the filter is the beginning of an emergency call's team. */
export function callsPage(view: ListView): MessageBody {
  const { state, place } = view;
  const wanted = place.filter.toLowerCase();
  const open = wanted === "" ? openCallers(state) : [];
  const emergency = (state.lists.emergencyCalls?.value ?? [])
    .filter(({ team }) => team.toLowerCase().startsWith(wanted))
    .toSorted((a, b) => b.startedAtS - a.startedAtS);
  const names = namesOf(state);
  const items = [
    ...open.map(({ call, times }) => ({
      of: call,
      text: md`🔔 ${person(call.caller, true)} called a moderator <t:${call.atS}:R>${timesWords(times)}`,
    })),
    ...emergency.map((call) => ({ of: call, text: emergencyText(call, names) })),
  ];
  const head =
    items.length === 0
      ? md`No call is open.`
      : md`**${open.length}** for moderators · **${emergency.length}** for emergency services`;
  return listPage({ title: md`Open calls on ${serverTitle(state.status)}`, head, items }, view);
}

function emergencyText(call: EmergencyCall, names: ReadonlyMap<number, string>): Escaped {
  const parts = [
    md`🚓 **#${call.callNumber}** ${inlineName(call.team)} <t:${call.startedAtS}:R>`,
    ...(call.callerId === undefined
      ? []
      : [md`by ${profile(call.callerId, names.get(call.callerId) ?? "somebody")}`]),
    call.unitIds.length === 0
      ? md`no units yet`
      : md`${call.unitIds.length} ${call.unitIds.length === 1 ? "unit" : "units"}`,
  ];
  const said = [call.description, call.positionDescriptor].filter(
    (part) => part !== undefined && part !== "",
  );
  const words = said.length === 0 ? md`` : md`\n> ${escapeMarkdown(cut(said.join(" · "), 200))}`;
  return md`${joined(parts, " · ")}${words}`;
}

/** What people call the kinds of logs, and the list of each. */
export const LOG_KINDS = {
  joins: { list: "joinLogs", words: "Joins and leaves" },
  kills: { list: "killLogs", words: "Kills" },
  commands: { list: "commandLogs", words: "Commands" },
  calls: { list: "modCalls", words: "Moderator calls" },
} as const satisfies Readonly<Record<string, { readonly list: LogList; readonly words: string }>>;

export type LogKind = keyof typeof LOG_KINDS;

/** The newest first. */
export function logsPage(kind: LogKind, view: ListView): MessageBody {
  const { list, words } = LOG_KINDS[kind];
  const entries = entriesOf(view.state, list).toSorted((a, b) => b.atS - a.atS);
  const items = entries.map((entry) => ({ of: entry, text: entryLine(entry, true) }));
  const head =
    items.length === 0
      ? md`The game's log holds none.`
      : md`**${items.length}** in the game's log, newest first`;
  return listPage({ title: md`${words} on ${serverTitle(view.state.status)}`, head, items }, view);
}

function entriesOf({ lists }: ServerState, list: LogList): readonly LogEntry[] {
  return lists[list]?.value ?? [];
}
