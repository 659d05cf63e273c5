import { type Escaped, joined, md } from "../../../domain/escaped.ts";
import type { Card, CardField } from "../../../domain/message.ts";
import type { ModCallEntry, Player, ServerState, ServerStatus } from "../../../domain/model.ts";
import { inlineCode, inlineName } from "../escape.ts";
import { type Freshness, isGameStaff, namesOf, profile, serverCard, serverTitle, stars } from "./view.ts";

/** `/server status` and the panel: a server at one glance. Pure. */

/** More names than this say less: the lists have all of them. */
const MOST_NAMES = 10;
/** A call that nobody answered within this time is over, whatever the log says. */
const CALL_LIFE_S = 1_800;

/** Everything that is known of a server on one card; what is not known is left out, never shown as zero. */
export function statusCard(state: ServerState, seen: Freshness): Card {
  const { status } = state;
  return serverCard({
    title: serverTitle(status),
    lines: [statusHeadline(state)],
    seen,
    fields: statusFields(state),
    footer: rulesWords(status),
  });
}

/** Staff, wanted, calls and owners, as far as they are known. */
export function statusFields(state: ServerState): CardField[] {
  return [...peopleFields(state), ...callFields(state), ...ownerFields(state)];
}

/** How many play and wait. */
export function statusHeadline({ status, lists }: ServerState): Escaped {
  const queue = lists.queue?.value.length;
  const waiting = queue === undefined || queue === 0 ? md`` : md` · **${queue}** in the queue`;
  return md`👥 **${status.currentPlayers}** of **${status.maxPlayers}** players${waiting}`;
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
    const open = openCallers(state);
    const lines = open.map(
      ({ call: { caller, atS }, times }) => md`${inlineName(caller.name)} <t:${atS}:R>${timesWords(times)}`,
    );
    if (open.length > 0)
      fields.push({ name: md`🔔 Open moderator calls · ${open.length}`, value: names(lines, ONE_A_LINE) });
  }
  if (emergencyCalls !== undefined && emergencyCalls.value.length > 0) {
    const calls = emergencyCalls.value;
    const lines = calls.map(({ team, callNumber }) => md`#${callNumber} ${inlineName(team)}`);
    fields.push({ name: md`🚓 Emergency calls · ${calls.length}`, value: names(lines) });
  }
  return fields;
}

/** Somebody who waits for a moderator: their latest call, and how often they have called. */
interface OpenCaller {
  readonly call: ModCallEntry;
  readonly times: number;
}

/** Unanswered, young, and made by somebody who is still there, as far as that is known. Newest first. */
export function openCallers({ lists }: ServerState): readonly OpenCaller[] {
  const { modCalls, players } = lists;
  if (modCalls === undefined) return [];
  const present = players && new Set(players.value.map(({ player }) => player.name));
  const sinceS = modCalls.atMs / 1000 - CALL_LIFE_S;
  const open = modCalls.value
    .filter(({ moderator, atS }) => moderator === undefined && atS >= sinceS)
    .filter(({ caller }) => present === undefined || present.has(caller.name))
    .sort((a, b) => b.atS - a.atS);
  const byCaller = Map.groupBy(open, ({ caller }) => `${caller.name}:${caller.id ?? ""}`);
  return [...byCaller.values()].flatMap(([call, ...more]) =>
    call === undefined ? [] : [{ call, times: 1 + more.length }],
  );
}

/** `, 3 times`; nothing for the first call. */
export function timesWords(times: number): Escaped {
  return times < 2 ? md`` : md`, ${times} times`;
}

/** In one field, since two beside each other break names on a phone. Who was not seen yet is a link with what they are. */
function ownerFields(state: ServerState): CardField[] {
  const { status } = state;
  const known = namesOf(state);
  const others = status.coOwnerIds;
  const co = (nth: number) => (others.length === 1 ? "co-owner" : `co-owner ${nth}`);
  const people = [status.ownerId, ...others].map((id, nth) =>
    profile(id, known.get(id) ?? (nth === 0 ? "owner" : co(nth))),
  );
  if (others.length === 0) return [{ name: md`👑 Owner`, value: names(people) }];
  const title = others.length === 1 ? md`👑 Owner and co-owner` : md`👑 Owner and ${others.length} co-owners`;
  return [{ name: title, value: names(people) }];
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

const ONE_A_LINE = { between: "\n", most: 5 } as const;

/** A field holds 1,024 characters; what does not fit is counted. */
function names(
  all: readonly Escaped[],
  { between, most }: { readonly between: ", " | "\n"; readonly most: number } = {
    between: ", ",
    most: MOST_NAMES,
  },
): Escaped {
  if (all.length === 0) return md`Nobody`;
  const shown: Escaped[] = [];
  let length = 0;
  for (const one of all.slice(0, most)) {
    length += one.length + 2;
    if (length > 960) break;
    shown.push(one);
  }
  const left = all.length - shown.length;
  return joined([...shown, ...(left === 0 ? [] : [md`${left} more`])], between);
}

function byName(a: Player, b: Player): number {
  return a.player.name.localeCompare(b.player.name, "en");
}
