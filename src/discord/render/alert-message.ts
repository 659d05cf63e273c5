import type { AlertEntry, AlertPerson, AlertRow, AlertVictim } from "../../domain/alert.ts";
import { ALERT_TABLE } from "../../domain/alert-kinds.ts";
import { type Escaped, joined, md, roleMention, userMention } from "../../domain/escaped.ts";
import type { MessageBody, PostedMessage } from "../../domain/message.ts";
import type { AlertView } from "../../domain/ports/alert-renderer.ts";
import { alertButtons } from "./alert-buttons.ts";
import { callCardLink, timesWords } from "./call-cards.ts";
import { type CallMatter, callMatters } from "./call-matters.ts";
import { duration, person } from "./entry-line.ts";
import { cut, cutLines, plainText } from "./escape.ts";
import { commandWithHits } from "./hit-words.ts";
import { rewindMarkOf } from "./players/rewind-buttons.ts";
import { placeText } from "./server/player-card.ts";
import { leftOutLine } from "./words-left-out.ts";

/** One message of an alert: what happened, who it was, and what can be done about it. Pure. */

/** Alerts of earlier versions show the key. */
const FOOTER = /^Alert · ([\w-]{1,40})$/;
const ROOM = 3_800;
const ENTRIES_SHOWN = 12;
const LEFT_SHOWN = 6;
const COMMAND_LENGTH = 120;
/** One line of a phone. */
const VICTIMS_SHOWN = 3;
const RED = 0xc53030;
const AMBER = 0xb7791f;
const GREY = 0x6b7280;

export function alertMessage(view: AlertView): MessageBody {
  const { serverName, pingedRoleId, pingedUserIds = [] } = view;
  const pinged = [
    ...(pingedRoleId === undefined ? [] : [roleMention(pingedRoleId)]),
    ...pingedUserIds.map((userId) => userMention(userId)),
  ];
  return {
    ...(pinged.length === 0 ? {} : { content: joined(pinged, " ") }),
    cards: [
      {
        author: cut(plainText(serverName), 200),
        title: titleOf(view),
        description: cutLines([...bodyLines(view), ...leftOutLine(view), ...endLines(view)], ROOM),
        color: colorOf(view),
      },
    ],
    rows: alertButtons(view),
  };
}

export function alertKeyOf({
  cards,
  componentIds,
}: Pick<PostedMessage, "cards" | "componentIds">): string | undefined {
  return rewindMarkOf(componentIds) ?? FOOTER.exec(cards[0]?.footer ?? "")?.[1];
}

function titleOf(view: AlertView): Escaped {
  const { rule, entries, more } = view;
  const people = peopleIn(entries);
  const total = entries.reduce((all, { count }) => all + count, 0);
  // Of what the message has no room for neither who it was nor how often is kept.
  const plus = more === 0 ? md`` : md`+`;
  const sum = md`${total}${plus}`;
  switch (rule.kind) {
    case "kills":
      return people === 1
        ? md`🚨 ${sum} kills${spanOf(entries)}`
        : md`🚨 ${people}${plus} players killed ${sum}`;
    case "punishments":
      return people === 1
        ? md`⚠️ ${sum} punishments${spanOf(entries)}`
        : md`⚠️ ${people}${plus} staff members: ${sum} punishments`;
    case "outside":
      return total === 1 ? md`🛰️ A command from outside Marshal` : md`🛰️ ${sum} commands from outside Marshal`;
    case "teams":
      return people === 1
        ? md`🎽 ${sum} team changes${spanOf(entries)}`
        : md`🎽 ${people}${plus} players changed team ${sum} times`;
    case "calls":
      return callsTitle(view);
    case "full":
      if (rule.count === undefined)
        return isOver(entries) ? md`📈 The server was full` : md`📈 The server is full`;
      return isOver(entries) ? md`📈 The server was filling up` : md`📈 The server is filling up`;
    case "empty":
      if ((rule.count ?? 0) === 0)
        return isOver(entries) ? md`📉 The server was empty` : md`📉 The server is empty`;
      return isOver(entries) ? md`📉 Few players were left` : md`📉 Few players are left`;
  }
}

/** Counts who waits, not how often they called, nor who has left. */
function callsTitle(view: AlertView): Escaped {
  const every = callMatters(view);
  const matters = every.filter(({ hasLeft }) => !hasLeft);
  const left = every.length - matters.length;
  const all = matters.length + view.more;
  const open = matters.filter(({ end }) => end === undefined).length;
  if (open > 0)
    return all === 1
      ? md`🔔 A moderator call is waiting`
      : md`🔔 ${open === all ? md`${open}` : md`${open} of ${all}`} moderator calls are waiting`;
  if (left > 0 && all > 0) return md`🔔 No moderator call is waiting any more`;
  if (left > 0) return left === 1 ? md`🔔 The caller has left` : md`🔔 The callers have left`;
  const end = matters.some((matter) => matter.end?.kind === "answered") ? "answered" : "claimed";
  return all === 1 ? md`🔔 The call was ${end}` : md`🔔 The calls were ${end}`;
}

/** Somebody who began anew after a while has an entry for each time. */
function peopleIn(entries: readonly AlertEntry[]): number {
  return new Set(entries.map(({ who }) => who?.userId ?? who?.id ?? who?.name)).size;
}

function spanOf(entries: readonly AlertEntry[]): Escaped {
  const firstS = Math.min(...entries.map((one) => one.firstS));
  const spanS = Math.max(firstS, ...entries.map((one) => one.lastS)) - firstS;
  return spanS === 0 ? md` at once` : md` in ${duration(spanS)}`;
}

function isOver(entries: readonly AlertEntry[]): boolean {
  return entries.every(({ endedS }) => endedS !== undefined);
}

function colorOf(view: AlertView): number {
  const { rule, entries } = view;
  const isDone =
    rule.kind === "calls"
      ? callMatters(view).every(({ end, hasLeft }) => end !== undefined || hasLeft)
      : isOver(entries);
  if (isDone) return GREY;
  return rule.kind === "full" || rule.kind === "empty" ? AMBER : RED;
}

function bodyLines(view: AlertView): readonly Escaped[] {
  const { entries } = view;
  if (view.rule.kind === "calls") return callLines(view);
  const shown = entries.slice(-ENTRIES_SHOWN);
  return [
    ...moreLine(entries.length - shown.length, "before"),
    ...shown.flatMap((entry) => entryLines(view, entry, shown.length)),
    ...moreLine(view.more, "after"),
    ...placeLines(view),
  ];
}

function moreLine(count: number, where: "before" | "after"): readonly Escaped[] {
  return count === 0 ? [] : [md`-# and ${count} more ${where} these`];
}

/** One line for each matter, and one for all whose callers have left: nobody can help them. */
function callLines(view: AlertView): readonly Escaped[] {
  const every = callMatters(view);
  const matters = every.filter(({ hasLeft }) => !hasLeft);
  const shown = matters.slice(-ENTRIES_SHOWN);
  return [
    ...moreLine(matters.length - shown.length, "before"),
    ...shown.map((matter) => callLine(view, matter)),
    ...moreLine(view.more, "after"),
    ...leftLine(every.filter(({ hasLeft }) => hasLeft)),
    ...placeLines(view),
  ];
}

/** `🚪 Left before anyone answered: Ann · card, Bob and 4 more` */
function leftLine(matters: readonly CallMatter[]): readonly Escaped[] {
  if (matters.length === 0) return [];
  const names = matters
    .slice(0, LEFT_SHOWN)
    .map(({ who, card }) => joined([named(who), ...callCardLink(card)], " · "));
  const more = matters.length <= LEFT_SHOWN ? md`` : md` and ${matters.length - LEFT_SHOWN} more`;
  return [md`🚪 Left before anyone answered: ${joined(names, ", ")}${more}`];
}

function callLine(view: AlertView, matter: CallMatter): Escaped {
  const { who, firstS, times } = matter;
  const called = md`${named(who)} called ${at(firstS)}${timesWords(times)}`;
  return joined([called, ...callState(matter), ...callerPlace(view, matter)], " · ");
}

/** Of one person on a line of its own; of several each has it beside their name. */
function placeLines(view: AlertView): readonly Escaped[] {
  const ids = new Set(view.entries.map(({ who }) => who?.id));
  const [id] = ids;
  const where =
    ids.size === 1 && id !== undefined ? placeText(view.whereabouts.locations.get(id)) : undefined;
  return where === undefined ? [] : [md`📍 ${where}`];
}

/** ` · 📍 Main Street` of one of several callers. */
function callerPlace({ entries, whereabouts }: AlertView, { who, end }: CallMatter): readonly Escaped[] {
  if (who?.id === undefined || end !== undefined) return [];
  if (entries.every((other) => other.who?.id === who.id)) return [];
  const where = placeText(whereabouts.locations.get(who.id));
  return where === undefined ? [] : [md`📍 ${where}`];
}

function entryLines(view: AlertView, entry: AlertEntry, together: number): readonly Escaped[] {
  const { rule } = view;
  const { who, count, firstS, lastS, players, endedS } = entry;
  const rows = together === 1 ? entry.rows : [];
  const when = firstS === lastS ? at(lastS) : md`<t:${firstS}:T> to ${at(lastS)}`;
  switch (rule.kind) {
    case "kills":
      return [md`${named(who)} killed **${count}** · ${when}`, ...(together === 1 ? victimsLine(entry) : [])];
    case "punishments":
      return [md`${named(who)} ran **${count}** · ${when}`, ...commands(rows, count)];
    case "outside":
      return [md`Run by another program or on the game's own page · ${when}`, ...commands(rows, count)];
    case "teams":
      return [md`${named(who)} changed team **${count} times** · ${when}`, ...commands(rows, count)];
    case "calls":
      // By matter: see callLines.
      return [];
    case "full":
    case "empty": {
      const most = md`**${players?.current ?? count}** of **${players?.most ?? count}** players`;
      return [
        endedS === undefined
          ? md`${most} · since ${at(firstS)}`
          : md`${most} · <t:${firstS}:T> to <t:${endedS}:T>, ${duration(endedS - firstS)}`,
      ];
    }
  }
}

function at(second: number): Escaped {
  return md`<t:${second}:T> (<t:${second}:R>)`;
}

function named(who: AlertPerson | undefined): Escaped {
  if (who === undefined) return md`Somebody`;
  const { userId, id } = who;
  if (userId === undefined) return person(who, true);
  // Of a member who is no known player, the mention is the name.
  return id === undefined ? userMention(userId) : md`${person(who, true)} (${userMention(userId)})`;
}

/** `> Ann ×3, Bob and 4 more` on one line; the times are in the rewind. */
function victimsLine({ victims, rows, count }: AlertEntry): readonly Escaped[] {
  const all = victims ?? victimsOf(rows);
  if (all.length === 0) return [];
  const shown = all.slice(0, VICTIMS_SHOWN);
  const names = shown.map(({ deaths, ...player }) => {
    const name = person(player, false);
    return deaths === 1 ? name : md`${name}\u00a0×${deaths}`;
  });
  // Of very many not everybody is there: then the others are counted by kills.
  const isAll = deathsOf(all) >= count;
  const left = isAll ? all.length - shown.length : count - deathsOf(shown);
  const more = left === 0 ? md`` : md` and ${left} more${isAll ? md`` : md` kills`}`;
  return [md`> ${joined(names, ", ")}${more}`];
}

function deathsOf(victims: readonly AlertVictim[]): number {
  return victims.reduce((sum, { deaths }) => sum + deaths, 0);
}

/** As the version before kept them: rows, of which many are missing. */
function victimsOf(rows: readonly AlertRow[]): readonly AlertVictim[] {
  const byVictim = Map.groupBy(rows, ({ other }) => `${other?.id ?? ""}:${other?.name ?? ""}`);
  return [...byVictim.values()].map((kills) => ({ name: "", ...kills[0]?.other, deaths: kills.length }));
}

function commands(rows: readonly AlertRow[], count: number): readonly Escaped[] {
  if (rows.length === 0) return [];
  const before = count - rows.length;
  return [
    ...(before === 0 ? [] : [md`> ${before} before these`]),
    ...rows.map(({ atS, text = "", other }) => {
      const hit = other === undefined ? [] : [other];
      return md`> <t:${atS}:T> ${commandWithHits(text, COMMAND_LENGTH, hit)}`;
    }),
  ];
}

/** Who has it in hand, and the way to its card. */
function callState({ end, card }: CallMatter): readonly Escaped[] {
  const link = callCardLink(card);
  if (end?.kind === "answered") return [md`answered by ${person(end.by, true)}`, ...link];
  if (card?.claimedBy !== undefined) return [md`claimed by ${userMention(card.claimedBy.userId)}`, ...link];
  return [end === undefined ? md`nobody has answered` : md`claimed`, ...link];
}

function endLines(view: AlertView): readonly Escaped[] {
  const { postedLateMs } = view;
  if (postedLateMs === undefined) return whyNow(view);
  const late = duration(Math.round(postedLateMs / 1_000));
  return [...whyNow(view), md`-# Posted ${late} late.`];
}

function whyNow({ isLate, rule }: AlertView): readonly Escaped[] {
  if (isLate) return [md`-# Late: Marshal could not read the server at the time. Nobody was pinged.`];
  if (rule.kind === "calls") {
    const waitS = rule.withinS ?? ALERT_TABLE.calls.defaults.withinS;
    return [md`-# Alerts when nobody has answered for ${duration(waitS)}.`];
  }
  return [];
}
