import { type Escaped, joined, md, userMention } from "../../../domain/escaped.ts";
import type { Feed } from "../../../domain/guild.ts";
import type { Button, MessageBody } from "../../../domain/message.ts";
import type { EmergencyCall, LogEntry, LogList, ServerState } from "../../../domain/model.ts";
import type { OpenCallCard } from "../../../domain/ports/mod-calls.ts";
import { callCardLink, labelOfCall, timesWords } from "../call-cards.ts";
import { entryLine, person } from "../entry-line.ts";
import { cut, escapeMarkdown, inlineName } from "../escape.ts";
import { type ListView, listPage } from "./lists.ts";
import { callersLeftWords, type OpenMatter, openMatters } from "./open-calls.ts";
import { placeId, placeOf } from "./pages.ts";
import { placeWords } from "./player-card.ts";
import { profile, serverTitle } from "./view.ts";

/** `/server calls | logs`: what is open, and what the game's log still holds. Pure. */

/** Open moderator calls, who has waited longest first, then emergency calls; the filter is the beginning of an emergency call's team. */
export function callsPage(view: CallsView): MessageBody {
  const { state, place, cards, names } = view;
  const wanted = place.filter.toLowerCase();
  const open = wanted === "" ? openMatters(state, cards) : [];
  const emergency = (state.lists.emergencyCalls?.value ?? [])
    .filter(({ team }) => team.toLowerCase().startsWith(wanted))
    .toSorted((a, b) => b.startedAtS - a.startedAtS);
  const items = [
    ...open.map((one) => ({ of: one.call, text: openCallText(one, state) })),
    ...emergency.map((call) => ({ of: call, text: emergencyText(call, names) })),
  ];
  const counts =
    items.length === 0
      ? md`No open calls.`
      : md`**${open.length}** for moderators · **${emergency.length}** for emergency services`;
  const left = wanted === "" ? callersLeftWords(state, open) : undefined;
  const head = left === undefined ? counts : md`${counts}\n${left}`;
  const title = md`Open calls on ${serverTitle(state.status)}`;
  const page = listPage({ title, head, items, note: unclaimableNote(open, view) }, view);
  const claims = claimButtons(open, view);
  return claims.length === 0 ? page : { ...page, rows: [claims, ...(page.rows ?? [])] };
}

export interface CallsView extends ListView {
  readonly cards: readonly OpenCallCard[];
  /** The logs of moderator calls of this server: only their cards can be claimed. */
  readonly logs: readonly Pick<Feed, "state" | "createdAtMs">[];
  /** The reader can set up such a log. */
  readonly maySetUp: boolean;
  /** Of callers of emergency calls, by id. */
  readonly names: ReadonlyMap<number, string>;
}

/** Why some of the calls have no card to claim, and who can change that; undefined: they all have one, or it follows. */
function unclaimableNote(calls: readonly OpenMatter[], { logs, maySetUp }: CallsView): Escaped | undefined {
  const without = calls.filter(({ card }) => card === undefined);
  if (without.length === 0) return undefined;
  if (logs.length === 0) {
    const how = maySetUp ? md`Add one with \`/feed add\`.` : md`Someone with Manage Server can add one.`;
    return md`Claim needs a log of moderator calls. ${how}`;
  }
  const live = logs.filter(({ state }) => state === "live");
  if (live.length === 0) {
    const how = maySetUp ? md`Start it with \`/feed resume\`.` : md`Someone with Manage Server can start it.`;
    return md`Claim needs the log of moderator calls, which is off. ${how}`;
  }
  // In whole seconds, as the game has them: a call of the same second may still get its card.
  const beganAtS = Math.floor(Math.min(...live.map(({ createdAtMs }) => createdAtMs)) / 1_000);
  if (without.every(({ call }) => call.atS >= beganAtS)) return undefined;
  return md`Calls from before the log of moderator calls began can't be claimed here.`;
}

/** Who called, when and where; who has it in hand; and its card. */
function openCallText({ call, times, card }: OpenMatter, { lists }: ServerState): Escaped {
  const { caller, atS } = call;
  const row = lists.players?.value.find(({ player }) =>
    caller.id === undefined ? player.name === caller.name : player.id === caller.id,
  );
  const where = placeWords({ street: row?.location?.streetName, postal: row?.location?.postalCode });
  const details = [
    ...(where === undefined ? [] : [md`📍 ${where}`]),
    ...(card?.claimedBy === undefined ? [] : [md`✋ claimed by ${userMention(card.claimedBy.userId)}`]),
    ...callCardLink(card),
  ];
  const below = details.length === 0 ? md`` : md`\n${joined(details, " · ")}`;
  return md`🔔 ${person(caller, true)} called <t:${atS}:R>${timesWords(times)}${below}`;
}

/** One row, in the order of the list: who has waited longest comes first. */
function claimButtons(calls: readonly OpenMatter[], { place, page }: CallsView): readonly Button[] {
  const free = calls.flatMap(({ call, card }) =>
    card === undefined || card.claimedBy !== undefined ? [] : [{ name: call.caller.name, id: card.cardId }],
  );
  return free.slice(0, BUTTONS_A_ROW).map(({ name, id }) => ({
    kind: "button",
    style: "primary",
    label: labelOfCall("Claim", name),
    id: placeId(`server-claim:${id}/`, place, page),
  }));
}

/** Of the button's id, what follows the name of the action: the call's card, and the list that it is under. */
export function claimedIn(argument: string): ReturnType<typeof placeOf> & { readonly cardId: string } {
  const [cardId = ""] = argument.split("/", 1);
  return { ...placeOf(argument.slice(cardId.length + 1)), cardId };
}

const BUTTONS_A_ROW = 5;

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
      ? md`The game's log has none.`
      : md`**${items.length}** in the game's log, newest first`;
  return listPage({ title: md`${words} on ${serverTitle(view.state.status)}`, head, items }, view);
}

function entriesOf({ lists }: ServerState, list: LogList): readonly LogEntry[] {
  return lists[list]?.value ?? [];
}
