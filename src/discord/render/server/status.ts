import type { OnRoster } from "../../../domain/duty-roster.ts";
import { type Escaped, joined, md, userMention } from "../../../domain/escaped.ts";
import type { Card, CardField } from "../../../domain/message.ts";
import type { Player, ServerState, ServerStatus } from "../../../domain/model.ts";
import { namesOf } from "../../../domain/names-of.ts";
import { inlineCode, inlineName } from "../escape.ts";
import { callersLeftWords, openMatters } from "./open-calls.ts";
import {
  ageFirst,
  type Freshness,
  isGameStaff,
  profile,
  STALE_COLOR,
  serverCard,
  serverTitle,
  stars,
} from "./view.ts";

/** `/server status` and the panel: a server at one glance. Pure. */

/** More names than this say less: the lists have all of them. */
const MOST_NAMES = 10;
/** Lists that were read this close to each other stand under one age. */
const ONE_LOOK_MS = 10_000;

/** Everything that is known of a server on one card; what is not known is left out, never shown as zero. */
export function statusCard(known: ServerState, seen: Freshness, onDuty: readonly OnRoster[] = []): Card {
  const state = seen.staleWhy === undefined ? known : seenAt(known, seen.atMs);
  const { status } = state;
  return serverCard({
    title: serverTitle(status),
    lines: [statusHeadline(state)],
    seen,
    fields: statusFields(state, onDuty),
    footer: rulesWords(status),
  });
}

/** What a panel showed last, where nothing was read since a restart; it has its own age. */
export function earlierCard({ footer: _, description, ...card }: Card, staleWhy: Escaped): Card {
  const lines = [...ageFirst({ staleWhy }), ...(description === undefined ? [] : [description])];
  return { ...card, description: joined(lines, "\n"), color: STALE_COLOR };
}

/** Without what is older than the age on the card. The staff lists lend the owners their names, whatever their age. */
function seenAt(state: ServerState, atMs: number): ServerState {
  const { staff, ...lists } = state.lists;
  const current = Object.entries(lists).filter(([, list]) => list.atMs >= atMs - ONE_LOOK_MS);
  return { ...state, lists: { ...(staff === undefined ? {} : { staff }), ...Object.fromEntries(current) } };
}

/** Staff, who of them is on duty, wanted, calls and owners, as far as they are known. */
export function statusFields(state: ServerState, onDuty: readonly OnRoster[] = []): CardField[] {
  return [...dutyFields(onDuty), ...peopleFields(state), ...callFields(state), ...ownerFields(state)];
}

/** How many play and wait. */
export function statusHeadline({ status, lists }: ServerState): Escaped {
  const queue = lists.queue?.value.length;
  const waiting = queue === undefined || queue === 0 ? md`` : md` · **${queue}** in the queue`;
  return md`👥 **${status.currentPlayers}** of **${status.maxPlayers}** players${waiting}`;
}

function dutyFields(onDuty: readonly OnRoster[]): CardField[] {
  if (onDuty.length === 0) return [];
  const people = onDuty.map(
    ({ userId, isOnBreak }) => md`${userMention(userId)}${isOnBreak ? " (break)" : ""}`,
  );
  return [{ name: md`🟢 On duty in the game · ${onDuty.length}`, value: names(people) }];
}

function peopleFields({ lists }: ServerState): CardField[] {
  const players = lists.players?.value;
  if (players === undefined) return [];
  const staff = players.filter(isGameStaff).sort(byName);
  const wanted = players.filter((one) => one.wantedStars > 0).sort((a, b) => b.wantedStars - a.wantedStars);
  const staffNames = names(staff.map(({ player }) => inlineName(player.name)));
  const wantedNames = names(
    wanted.map(({ player, wantedStars }) => md`${inlineName(player.name)} ${stars(wantedStars)}`),
  );
  return [
    { name: md`🛡 Staff in the game · ${staff.length}`, value: staffNames },
    ...(wanted.length === 0 ? [] : [{ name: md`🚨 Wanted · ${wanted.length}`, value: wantedNames }]),
  ];
}

function callFields(state: ServerState): CardField[] {
  const { modCalls, emergencyCalls } = state.lists;
  const fields: CardField[] = [];
  if (modCalls !== undefined) {
    const open = openMatters(state);
    const [oldest] = open;
    // Everybody reads this card, so it does not say who called: /server calls does, for Moderators.
    const since =
      oldest === undefined ? [] : [md`${open.length === 1 ? "" : "the oldest "}<t:${oldest.call.atS}:R>`];
    const left = callersLeftWords(state, open);
    const lines = [...since, ...(left === undefined ? [] : [left])];
    if (lines.length > 0)
      fields.push({ name: md`🔔 Open moderator calls · ${open.length}`, value: joined(lines, "\n") });
  }
  if (emergencyCalls !== undefined && emergencyCalls.value.length > 0) {
    const calls = emergencyCalls.value;
    const lines = calls.map(({ team, callNumber }) => md`#${callNumber} ${inlineName(team)}`);
    fields.push({ name: md`🚓 Emergency calls · ${calls.length}`, value: names(lines) });
  }
  return fields;
}

/** Two lists in a field of 1,024 characters. */
const ROOM_OF_TWO = 440;

/** In one field, since two beside each other break names on a phone. The service tells ids; names come with who joins. */
function ownerFields(state: ServerState): CardField[] {
  const { ownerId, coOwnerIds } = state.status;
  const known = state.ownerNames ?? namesOf(state);
  const of = coOwnerIds.length;
  const title =
    of === 0 ? md`👑 Owner` : of === 1 ? md`👑 Owner and co-owner` : md`👑 Owner and ${of} co-owners`;
  const people = [ownerId, ...coOwnerIds].map((id, nth) => ({
    id,
    name: known.get(id),
    what: nth === 0 ? "Owner" : of === 1 ? "Co-owner" : `Co-owner ${nth}`,
  }));
  const named = people.flatMap(({ id, name }) => (name === undefined ? [] : [profile(id, name)]));
  const [owner, ...others] = people.map(({ id, name, what }) =>
    name === undefined ? [profile(id, what)] : [],
  );
  if (of === 0 && named.length === 0)
    return [{ name: title, value: profile(ownerId, "Unknown until they join") }];
  const lines = [
    ...(named.length === 0 ? [] : [names(named, ROOM_OF_TWO)]),
    ...[owner ?? [], others.flat()].flatMap((unnamed) =>
      unnamed.length === 0 ? [] : [md`${names(unnamed, ROOM_OF_TWO)}: unknown until they join`],
    ),
  ];
  return [{ name: title, value: joined(lines, "\n") }];
}

/** What joining takes. Values that are not known here are shown as they come: a footer is plain text. */
function rulesWords({ accVerifiedReq, teamBalance }: ServerStatus): string {
  const verified = /^(disabled)?$/i.test(accVerifiedReq.trim())
    ? "No account verification"
    : `Account verification: ${accVerifiedReq.slice(0, 60)}`;
  return `${verified} · Team balance ${teamBalance ? "on" : "off"}`;
}

/** The join key lets anybody in: for staff, and only for who asked. */
export function joinKeyText(status: Pick<ServerStatus, "name" | "joinKey">): Escaped {
  return md`🔑 Join key of **${inlineName(status.name)}**: ${inlineCode(status.joinKey)}\n-# Only you see this.`;
}

/** A field holds 1,024 characters; what does not fit is counted. */
function names(all: readonly Escaped[], room = 960): Escaped {
  if (all.length === 0) return md`Nobody`;
  const shown: Escaped[] = [];
  let length = 0;
  for (const one of all.slice(0, MOST_NAMES)) {
    length += one.length + 2;
    if (length > room) break;
    shown.push(one);
  }
  const left = all.length - shown.length;
  return joined([...shown, ...(left === 0 ? [] : [md`${left} more`])], ", ");
}

function byName(a: Player, b: Player): number {
  return a.player.name.localeCompare(b.player.name, "en");
}
