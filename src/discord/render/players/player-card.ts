import type { CaseKind, Watch } from "../../../domain/case.ts";
import { type Escaped, joined, md, userMention } from "../../../domain/escaped.ts";
import type { HistoryRow, KnownPlayer, PlayerHistory, SessionEnd } from "../../../domain/history.ts";
import type { CardField, MessageBody, Row } from "../../../domain/message.ts";
import type { Player, PlayerRef, ServerState } from "../../../domain/model.ts";
import type { CaseSummary } from "../../../domain/ports/cases.ts";
import type { GameAccount } from "../../../domain/ports/game-accounts.ts";
import type { RunAuthor } from "../../../domain/ports/run-authors.ts";
import { duration, person } from "../entry-line.ts";
import { cut, escapeMarkdown, inlineName, plainText } from "../escape.ts";
import { commandWithNames } from "../hit-words.ts";
import { byWhom } from "../me-cards.ts";
import { playerLines } from "../server/player-card.ts";
import { ageFirst, ageLine } from "../server/view.ts";
import { caseLine, KINDS } from "./case-words.ts";
import { commandBy } from "./history-line.ts";
import { playerButtons } from "./player-buttons.ts";
import { watchText } from "./watch-cards.ts";

/** `/player show`: who this is, what they did before, who dealt with it. At most two screens of a phone. Pure. */

export interface PlayerShow {
  readonly player: Required<PlayerRef>;
  /** The server that buttons act on. */
  readonly bindingId: string | undefined;
  /** The same for the lists behind the card; it says as well whether they are of that server only. */
  readonly place: string;
  /** The one server of which the card tells. Undefined: all of them. */
  readonly onlyServer?: string | undefined;
  /** Where they are now, as the latest list shows them. */
  readonly live?: {
    readonly state: ServerState;
    readonly player: Player;
    readonly atMs: number;
    readonly serverName: string;
    /** Why nothing newer is known. */
    readonly staleWhy: Escaped | undefined;
  };
  /** Of somebody who is on no list: why the lists may be old. */
  readonly awayWhy: readonly Escaped[];
  /** "nothing": they were never seen; else why it is not known, in words. */
  readonly history: PlayerHistory | "nothing" | { readonly why: Escaped };
  /** Who asked for the commands against them that came through the API. */
  readonly authors: ReadonlyMap<HistoryRow, RunAuthor>;
  /** Undefined: it is not known. */
  readonly cases: CaseSummary | undefined;
  readonly watch: Watch | undefined;
  /** The member whose account it is, where that is known. */
  readonly account: GameAccount | undefined;
  /** Whether the person who reads it may ban there. */
  readonly mayBan: boolean;
}

const LIVE_COLOR = 0x2d7d46;
/** Of somebody who is not in the game. */
export const AWAY_COLOR = 0x4a6fa5;
const MOST_NAMES = 5;
const MOST_AGAINST = 3;
const MOST_CASES = 3;

export function playerShow(view: PlayerShow): MessageBody {
  const { player, live, watch, account, bindingId, onlyServer } = view;
  const serverName = live?.serverName ?? onlyServer;
  const lines = [
    ...presenceLines(view),
    ...(account === undefined ? [] : [md`🔗 ${userMention(account.userId)}, ${byWhom(account)}`]),
    ...(watch === undefined ? [] : [watchText(watch)]),
    ...silenceLines(view),
    ...(onlyServer === undefined ? [] : [md`-# This server only. Cases are from all servers.`]),
  ];
  const history = known(view.history);
  return {
    cards: [
      {
        ...(serverName === undefined ? {} : { author: cut(plainText(serverName), 200) }),
        title: inlineName(player.name),
        url: `https://www.roblox.com/users/${player.id}/profile`,
        description: joined(lines, "\n"),
        color: live === undefined ? AWAY_COLOR : LIVE_COLOR,
        fields: [
          ...(history === undefined ? [] : historyFields(history, view.authors)),
          ...caseFields(view.cases),
        ],
        ...sinceFooter(history),
      },
    ],
    rows: [
      ...playerButtons({
        bindingId,
        playerId: player.id,
        name: player.name,
        inGame: live !== undefined,
        isWatched: watch !== undefined,
        mayBan: view.mayBan,
      }),
      ...openRow(view),
    ],
  };
}

function known(history: PlayerShow["history"]): PlayerHistory | undefined {
  return history === "nothing" || "why" in history ? undefined : history;
}

/** A join that only the lists of players show may have been earlier than its first look. */
function joinedWords({ atS, isSure }: SessionEnd): Escaped {
  return md`, joined <t:${atS}:R>${isSure ? "" : " or earlier"}`;
}

function presenceLines({ live, awayWhy, history, onlyServer }: PlayerShow): Escaped[] {
  if (live !== undefined) {
    const { state, player, atMs, staleWhy } = live;
    const since = known(history)?.latestSession;
    const from = since === undefined || since.end !== undefined ? md`` : joinedWords(since.start);
    return [
      ...ageFirst({ staleWhy }),
      md`🟢 **In the game**${from}`,
      ...playerLines(state, player),
      ageLine(atMs),
    ];
  }
  const { player, sessions = 0 } = known(history) ?? {};
  const wasHere = onlyServer === undefined || sessions > 0;
  const last = wasHere ? player?.lastSeenS : undefined;
  const notThere =
    awayWhy.length === 0 ? md`⚪ Not in the game` : md`⚪ Not in the game when it was last read`;
  return [
    ...awayWhy.flatMap((staleWhy) => ageFirst({ staleWhy })),
    last === undefined ? notThere : md`⚪ Last seen <t:${last}:R>`,
    ...rankLines(history),
  ];
}

function rankLines(history: PlayerShow["history"]): Escaped[] {
  const permission = known(history)?.permission;
  return permission === undefined
    ? []
    : [md`🛡 ${escapeMarkdown(cut(permission.replace(/^Server /, ""), 60))}`];
}

function silenceLines({ history }: PlayerShow): Escaped[] {
  if (history === "nothing") return [md`Nothing is recorded about this player here.`];
  return "why" in history ? [history.why] : [];
}

function historyFields(history: PlayerHistory, authors: PlayerShow["authors"]): CardField[] {
  return [
    playField(history),
    fightField(history),
    ...callField(history),
    ...againstField(history, authors),
    ...namesField(history.player),
  ];
}

function playField({ player, sessions, playedLast7DaysS, playedLast30DaysS }: PlayerHistory): CardField {
  const count = sessions === 1 ? md`1 session` : md`${sessions} sessions`;
  if (sessions === 0) return { name: md`🕒 ${count}`, value: md`Never seen joining or leaving` };
  return {
    name: md`🕒 ${count}`,
    value: md`First seen <t:${player.firstSeenS}:D>\n7 days: **${duration(playedLast7DaysS)}** · 30 days: **${duration(playedLast30DaysS)}**`,
  };
}

function spanWords(spanS: number): Escaped {
  return spanS === 0 ? md` at once` : md` in ${duration(spanS)}`;
}

function fightField({ kills, deaths, bestStreak, commandsRun }: PlayerHistory): CardField {
  const streak =
    bestStreak === undefined
      ? md``
      : md`\nBest streak: ${bestStreak.kills}${spanWords(bestStreak.lastS - bestStreak.firstS)} <t:${bestStreak.firstS}:R>`;
  const ran =
    commandsRun === 0 ? md`` : md`\nRan ${commandsRun} ${commandsRun === 1 ? "command" : "commands"}`;
  return { name: md`💀 Kills · ${kills}`, value: md`Deaths: ${deaths}${streak}${ran}` };
}

function callField(history: PlayerHistory): CardField[] {
  const { callsMade, callsAnswered, callsNearKills, latestCallsNearKills } = history;
  if (callsMade + callsAnswered + callsNearKills === 0) return [];
  const parts = [
    ...(callsMade === 0 ? [] : [md`Called ${times(callsMade)}`]),
    ...(callsAnswered === 0 ? [] : [md`Answered ${callsAnswered} ${callsAnswered === 1 ? "call" : "calls"}`]),
    ...(callsNearKills === 0
      ? []
      : [md`Others called staff ${times(callsNearKills)} within 3 min after this player's kills`]),
    ...latestCallsNearKills.slice(0, 2).map(({ call, byVictim }) => {
      const victim = byVictim ? md`, killed by this player` : md``;
      return md`<t:${call.atS}:R> ${person(call.caller, false)}${victim}`;
    }),
  ];
  return [{ name: md`🔔 Calls`, value: joined(parts, "\n") }];
}

function times(count: number): Escaped {
  return count === 1 ? md`once` : md`${count} times`;
}

function againstField(
  { commandsAgainst, latestCommandsAgainst }: PlayerHistory,
  authors: PlayerShow["authors"],
): CardField[] {
  if (commandsAgainst === 0) return [];
  const lines = latestCommandsAgainst.slice(0, MOST_AGAINST).map((row) => {
    return md`<t:${row.atS}:R> ${commandBy(row.player, authors.get(row))} ${commandWithNames(row.text, 80, row.hit ?? [])}`;
  });
  return [{ name: md`⌨️ Commands against them · ${commandsAgainst}`, value: joined(lines, "\n") }];
}

function namesField({ earlierNames }: KnownPlayer): CardField[] {
  if (earlierNames.length === 0) return [];
  const shown = earlierNames.slice(0, MOST_NAMES).map((name) => inlineName(name));
  const left = earlierNames.length - shown.length;
  const names = joined([...shown, ...(left === 0 ? [] : [md`${left} more`])], ", ");
  return [{ name: md`🏷 Earlier names`, value: names }];
}

function caseFields(cases: CaseSummary | undefined): CardField[] {
  if (cases === undefined) return [];
  const counts = Object.entries(KINDS).flatMap(([kind, { symbol, small }]) => {
    const count = cases.counts[kind as CaseKind] ?? 0;
    return count === 0 ? [] : [md`${symbol} ${count} ${small}${count === 1 || kind === "jail" ? "" : "s"}`];
  });
  const lines = cases.latest.slice(0, MOST_CASES).map((one) => caseLine(one, { withTarget: false }));
  const all = [...(counts.length === 0 ? [] : [joined(counts, " · ")]), ...lines];
  return [{ name: md`🗂 Cases`, value: all.length === 0 ? md`None` : joined(all, "\n") }];
}

/** As Discord writes dates elsewhere on the card; a footer shows none of its own. */
const dayFormat = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  day: "numeric",
  month: "long",
  year: "numeric",
});

function sinceFooter(history: PlayerHistory | undefined): { readonly footer?: string } {
  const sinceS = history?.recordedSinceS;
  return sinceS === undefined ? {} : { footer: `Recorded since ${dayFormat.format(sinceS * 1_000)}` };
}

/** What stands behind the card, page by page. */
const PAGES = [
  { value: "sessions", label: "Sessions" },
  { value: "kills", label: "Kills" },
  { value: "deaths", label: "Deaths" },
  { value: "commands", label: "Commands they ran" },
  { value: "against", label: "Commands against them" },
  { value: "calls", label: "Calls" },
  { value: "cases", label: "Cases" },
] as const;

function openRow({ player, place, history, cases }: PlayerShow): readonly Row[] {
  const options = PAGES.filter(({ value }) =>
    value === "cases" ? cases !== undefined : known(history) !== undefined,
  );
  if (options.length === 0) return [];
  const id = `player-list:${place}/${player.id}`;
  return [[{ kind: "select", of: "string", id, placeholder: "More about this player", options }]];
}
