import { channelMention, type Escaped, md } from "../../domain/escaped.ts";
import { FEED_TABLE, feedLabel } from "../../domain/feed-kinds.ts";
import type { Binding, Feed } from "../../domain/guild.ts";
import type { Button, MessageBody, Row } from "../../domain/message.ts";
import type { FeedStatus } from "../../domain/ports/feeds.ts";
import type { WaitingPosts } from "../../domain/ports/host-health.ts";
import type { ServiceHealth } from "../../domain/ports/service-health.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import { HOW_TO_MEND, isShut, obstacle, obstacleIn } from "./channel-access.ts";
import { type Finding, type PlacesView, placeFindings } from "./diagnosis-places.ts";
import { duration } from "./entry-line.ts";
import { cut, cutLines, escapeMarkdown, inlineName, plainText } from "./escape.ts";
import { PAUSED_UNTIL_READ } from "./feed-cards.ts";
import { waitEnd } from "./fine-print.ts";
import { beyondWrongKey } from "./key-refusal.ts";
import { notReadWords } from "./server/not-read.ts";
import { chooseRoles, PASTE_NEW_KEY } from "./setup-cards.ts";
import { letCommandsRun } from "./setup-guide-allow.ts";

/** `/diagnose`: each server and each log in one line, fine or what is wrong, with the press that mends it. Pure. */

export interface ServerFacts {
  readonly binding: Binding;
  readonly parked: ReturnType<ServiceHealth["parked"]>;
  readonly held: ReturnType<ServiceHealth["held"]>;
  readonly readRefused: ReturnType<ServiceHealth["readRefused"]>;
  /** Nothing is read of it before one of these is mended. */
  readonly isStill: boolean;
  readonly permission: ReturnType<ServiceHealth["commandPermission"]>;
  readonly failing: ReturnType<Snapshots["failing"]>;
  /** When it was last read, epoch milliseconds; undefined: not since the start. */
  readonly readAtMs: number | undefined;
  readonly players: number | undefined;
  readonly hasStaff: boolean;
  readonly feeds: readonly { readonly feed: Feed; readonly status: FeedStatus }[];
}

export interface DiagnosisView extends PlacesView {
  readonly servers: readonly ServerFacts[];
  readonly noticeChannelId: string | undefined;
  readonly halt: ReturnType<ServiceHealth["halt"]>;
  readonly storeWorks: boolean;
  readonly posts: WaitingPosts;
  readonly nowMs: number;
}

/** A server with players is read far more often than this; without any there is nothing to be late for. */
const LATE_AFTER_MS = 15 * 60_000;
/** Messages that wait for Discord for longer are told. */
const POSTS_LATE_MS = 60_000;
const LONGEST_TEXT = 3_900;
/** One row is for looking again. */
const MOST_BUTTONS = 20;
const LONGEST_NAME_IN_LABEL = 30;

export function diagnosisMessage(view: DiagnosisView): MessageBody {
  const groups = view.servers.map((facts) => [
    serverFinding(facts, view),
    ...(facts.hasStaff ? [] : [noStaff(facts.binding)]),
    ...permissionFindings(facts, view.halt),
    ...facts.feeds.map((one) => feedFinding(one.feed, one.status, { view, facts })),
  ]);
  // What is wrong elsewhere stands before the logs, of which there may be more than fit.
  const all = [...hostFindings(view), ...placeFindings(view), ...groups.flat()];
  const wrong = all.filter(({ isFine }) => !isFine).length;
  const accesses = [
    ...channelsOf(view).map((id) => view.accessOf(id)),
    ...view.places.map(({ access }) => access),
  ];
  const isMissing = accesses.some((access) => access?.kind === "missing");
  const lines = all.map(({ line }) => line);
  return {
    cards: [
      {
        title:
          wrong === 0
            ? md`✅ All is well`
            : md`⚠ ${wrong} ${wrong === 1 ? "thing needs" : "things need"} a look`,
        description: cutLines([...lines, ...(isMissing ? [HOW_TO_MEND] : [])], LONGEST_TEXT),
        color: wrong === 0 ? 0x2d7d46 : 0xb7791f,
      },
    ],
    rows: buttonRows(all),
  };
}

/** Every channel that a diagnosis speaks of; some may come twice. */
export function channelsOf({
  servers,
  places,
  noticeChannelId,
}: Pick<DiagnosisView, "servers" | "places" | "noticeChannelId">): readonly string[] {
  return [
    ...servers.flatMap(({ feeds }) => feeds.map(({ feed }) => feed.channelId)),
    ...places.map(({ channelId }) => channelId),
    ...(noticeChannelId === undefined ? [] : [noticeChannelId]),
  ];
}

const LOOK_AGAIN: Button = { kind: "button", style: "secondary", label: "Check again", id: "diagnose-again" };

function buttonRows(findings: readonly Finding[]): readonly Row[] {
  const ids = new Set<string>();
  const mends = findings
    .flatMap(({ mend }) => mend ?? [])
    .filter(({ id }) => id !== LOOK_AGAIN.id && !ids.has(id) && ids.add(id))
    .slice(0, MOST_BUTTONS);
  const rows: Row[] = [];
  for (let at = 0; at < mends.length; at += 5) rows.push(mends.slice(at, at + 5));
  return [...rows, [LOOK_AGAIN]];
}

function hostFindings(view: DiagnosisView): Finding[] {
  const { halt, storeWorks, posts, noticeChannelId, accessOf, servers } = view;
  const findings: Finding[] = [];
  if (posts.oldestMs >= POSTS_LATE_MS) {
    const line = md`⏳ ${posts.waiting} of your messages are waiting for Discord, the first for ${duration(posts.oldestMs / 1_000)}. A channel gets one a second, and a community four a second while others wait. Fewer logs or more channels help.`;
    findings.push({ isFine: false, line });
  }
  if (!storeWorks) {
    const line = md`⛔ Marshal can't write to its database. Logs and commands wait until its host fixes that.`;
    findings.push({ isFine: false, line });
  }
  if (halt !== undefined) {
    const line = md`⏳ ${haltWords(halt)}. Marshal continues by itself at ${waitEnd(halt.untilMs)}.`;
    findings.push({ isFine: false, line });
  }
  if (servers.length === 0) {
    const line = md`⚠ No game server is linked yet.`;
    findings.push({ isFine: false, line, mend: button("Set it up", "guide-open") });
  }
  if (noticeChannelId !== undefined) {
    const access = accessOf(noticeChannelId);
    if (isShut(access)) {
      const line = md`⚠ Notices: ${obstacleIn(noticeChannelId, access)}`;
      findings.push({ isFine: false, line, mend: button("Other notice channel", "guide:notices:") });
    }
  }
  return findings;
}

function haltWords({ why }: NonNullable<DiagnosisView["halt"]>): Escaped {
  return why === "blocked"
    ? md`The game service blocks requests from Marshal`
    : md`The game service asked Marshal to wait`;
}

function serverFinding(facts: ServerFacts, { nowMs, halt }: DiagnosisView): Finding {
  const { binding, parked, held, readRefused, failing, readAtMs, players = 0, feeds } = facts;
  const name = md`**${inlineName(binding.name)}**`;
  if (parked !== undefined) {
    const more = beyondWrongKey(parked.why);
    const why = more === "" ? "" : md` (${escapeMarkdown(cut(more, 150))})`;
    const line = md`⛔ ${name}: the server key is wrong or expired${why}`;
    return { isFine: false, line, mend: button(`New key for ${labelName(binding.name)}`, PASTE_NEW_KEY.id) };
  }
  if (held !== undefined) {
    const line = md`⏳ ${name}: waiting, because too many other keys were refused. Next try <t:${Math.ceil(held.untilMs / 1_000)}:t>`;
    return { isFine: false, line };
  }
  if (readRefused !== undefined) {
    const again = md`next try ${waitEnd(readRefused.untilMs)}; the owner should check the game's API settings`;
    const line = md`⛔ ${name}: can't be read (${escapeMarkdown(cut(readRefused.why, 150))}); ${again}`;
    return { isFine: false, line };
  }
  // The halt has a line of its own, which is what needs a look.
  if (halt !== undefined) return { isFine: true, line: md`⏳ ${name}: ${notReadNow(readAtMs)}` };
  if (failing !== undefined) {
    const last = readAtMs === undefined ? md`` : md` Last read <t:${Math.floor(readAtMs / 1_000)}:R>.`;
    return { isFine: false, line: md`⚠ ${name}: ${notReadWords(failing.code)}${last} Marshal keeps trying` };
  }
  const hasLogs = feeds.some(({ feed }) => feed.state === "live");
  if (readAtMs === undefined) {
    return hasLogs
      ? { isFine: false, line: md`⏳ ${name}: not read since Marshal started` }
      : { isFine: true, line: md`✅ ${name}: read only when someone asks, because it has no feeds` };
  }
  const read = md`read <t:${Math.floor(readAtMs / 1_000)}:R>`;
  const isLate = hasLogs && players > 0 && nowMs - readAtMs > LATE_AFTER_MS;
  return isLate
    ? { isFine: false, line: md`⚠ ${name}: last ${read}. That is late. Marshal keeps trying` }
    : { isFine: true, line: md`✅ ${name}: ${read}` };
}

function noStaff({ id, name }: Binding): Finding {
  const line = md`⚠ **${inlineName(name)}**: no role can run commands yet`;
  const { style } = chooseRoles(id);
  return {
    isFine: false,
    line,
    mend: { ...chooseRoles(id), style, label: `Roles for ${labelName(name)}` },
  };
}

/** What is unknown is nothing wrong, but "all is well" would say too much. */
function permissionFindings(
  { binding: { id, name }, permission, parked, failing }: ServerFacts,
  halt: DiagnosisView["halt"],
): readonly Finding[] {
  // Nothing of a server is read or run with a key that is refused.
  if (parked !== undefined) return [];
  if (permission.kind === "refused") {
    const isRead = failing === undefined && halt === undefined;
    const line = md`⛔ **${inlineName(name)}**: its owner does not let Marshal run commands${isRead ? md`. Reading works` : md``}`;
    const mend = { ...letCommandsRun(id), label: `Commands on ${labelName(name)}` };
    return [{ isFine: false, line, mend }];
  }
  if (permission.kind === "allowed") return [];
  const line = md`❔ **${inlineName(name)}**: not known yet whether Marshal can run commands. The first one shows it`;
  return [{ isFine: true, line }];
}

/** For as long as the service is silent or lets Marshal ask nothing. */
function notReadNow(readAtMs: number | undefined): Escaped {
  const last = readAtMs === undefined ? md`` : md`. Last read <t:${Math.floor(readAtMs / 1_000)}:R>`;
  return md`nothing is read at the moment${last}`;
}

interface FeedContext {
  readonly view: DiagnosisView;
  /** Of its server. */
  readonly facts: ServerFacts;
}

function feedFinding(
  feed: Feed,
  status: FeedStatus,
  { view: { accessOf, halt }, facts }: FeedContext,
): Finding {
  const what = md`${feedLabel(feed.kind)} in ${channelMention(feed.channelId)}`;
  const access = accessOf(feed.channelId);
  const resume = button(`Post ${FEED_TABLE[feed.kind].name} again`, `diagnose-resume:${feed.id}`);
  if (access.kind === "gone") {
    const mend = button(`Another channel for ${FEED_TABLE[feed.kind].name}`, `guide:logs:${feed.bindingId}`);
    return { isFine: false, line: md`⛔ ${what}: the channel was deleted`, mend };
  }
  if (isShut(access)) return { isFine: false, line: md`⚠ ${what}: ${obstacle(access)}`, mend: LOOK_AGAIN };
  if (feed.state === "parked") {
    const why = feed.parkedWhy === undefined ? "" : md` (${escapeMarkdown(cut(feed.parkedWhy, 150))})`;
    return { isFine: false, line: md`⛔ ${what}: stopped${why}`, mend: resume };
  }
  if (feed.state === "paused") return { isFine: true, line: md`⏸ ${what}: paused`, mend: resume };
  if (facts.isStill) return { isFine: true, line: md`⏸ ${what}: ${PAUSED_UNTIL_READ}` };
  const isNotRead = halt !== undefined || facts.failing !== undefined;
  return {
    isFine: status.waitsForStore !== true && status.lateSinceMs === undefined,
    line: liveLine(what, status, isNotRead ? notReadNow(facts.readAtMs) : undefined),
  };
}

/** `notRead`: that its server is not read at the moment. */
function liveLine(
  what: Escaped,
  { undelivered, lateSinceMs, waitsForStore }: FeedStatus,
  notRead: Escaped | undefined,
): Escaped {
  if (waitsForStore === true) return md`⏳ ${what}: waiting for Marshal's database`;
  const waiting =
    undelivered === 0 ? "" : md`, ${undelivered} ${undelivered === 1 ? "entry waits" : "entries wait"}`;
  if (lateSinceMs !== undefined)
    return md`⚠ ${what}: fell behind <t:${Math.floor(lateSinceMs / 1_000)}:R>${waiting}`;
  return notRead === undefined ? md`✅ ${what}${waiting}` : md`⏳ ${what}: ${notRead}${waiting}`;
}

function button(label: string, id: string): Button {
  return { kind: "button", style: "primary", label, id };
}

function labelName(name: string): string {
  return cut(plainText(name), LONGEST_NAME_IN_LABEL);
}
