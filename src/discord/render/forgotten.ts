import { type Escaped, joined, md, userMention } from "../../domain/escaped.ts";
import type { Forgotten } from "../../domain/history.ts";
import type { MessageBody, Row } from "../../domain/message.ts";
import type { ErasedCases } from "../../domain/ports/cases.ts";
import { inlineName } from "./escape.ts";

/** What stands of a player beside the rows of the game's logs. */
export interface Standing {
  readonly playerId: number;
  /** That name them, at most 100; undefined: they cannot be counted now. */
  readonly cases: number | undefined;
  readonly isWatched: boolean;
  readonly elsewhere: Elsewhere;
}

/** What other commands have set about a player, and take back. */
export interface Elsewhere {
  /** The member whose account it is. */
  readonly linkedTo: string | undefined;
  /** Names of servers. */
  readonly protectedOn: readonly string[];
  readonly endingBansOn: readonly string[];
  readonly appeals: number;
}

const MOST_COUNTED = 100;

/** What went when a player was erased, what did not, and how to have that go too. Pure. */
export function forgottenMessage(forgotten: Forgotten, standing: Standing): MessageBody {
  const { player, names, visits, kills, commands, calls, dutyRecords, casesOfOthers } = forgotten;
  const { blankedCommands, untilS } = forgotten;
  const blanked =
    blankedCommands === 0
      ? md``
      : md` Their name was blanked in ${blankedCommands} ${blankedCommands === 1 ? "command" : "commands"} of other players.`;
  const counts = [
    [visits, "join or leave", "joins and leaves"],
    [kills, "kill or death", "kills and deaths"],
    [commands, "command", "commands"],
    [calls, "call", "calls"],
    [names, "name", "names"],
    [dutyRecords, "duty record", "duty records"],
  ] as const;
  const erased = joined(
    counts.flatMap(([count, one, many]) => (count === 0 ? [] : [md`${count} ${count === 1 ? one : many}`])),
    ", ",
  );
  const ofOthers =
    casesOfOthers === 0
      ? md``
      : md` They are gone from what ${casesOfOthers} ${casesOfOthers === 1 ? "case" : "cases"} of others kept.`;
  const what = counts.every(([count]) => count === 0) ? md`.` : md`: ${erased}.`;
  return {
    content: joined(
      [
        md`✅ **${inlineName(player.name)}** erased${what}${blanked}${ofOthers}`,
        md`The game still shows some of it for a while, but nothing up to <t:${untilS}:f> is recorded again.`,
        md`The audit and messages in channels stay. You can delete messages by hand.`,
        ...standingLines(standing),
      ],
      "\n",
    ),
    rows: standingRows(standing),
  };
}

/** Nothing of the logs is kept of somebody whom cases name still. Pure. */
export function onlyCasesMessage(name: string, standing: Standing): MessageBody {
  return {
    content: joined(
      [md`No log entries are recorded about **${inlineName(name)}**.`, ...standingLines(standing)],
      "\n",
    ),
    rows: standingRows(standing),
  };
}

/** What went when the cases of a player were erased. Pure. */
export function casesErasedMessage({ cases }: ErasedCases, wasWatched: boolean): MessageBody {
  const watch = wasWatched ? md` They are no longer watched.` : md``;
  return {
    content: joined(
      [
        md`✅ ${casesText(cases)} erased.${watch}`,
        md`Cases that also name others stay, without this player. The audit, cases this player wrote as staff, and messages in channels stay too.`,
      ],
      "\n",
    ),
    rows: [],
  };
}

function casesText(cases: number): Escaped {
  if (cases === 1) return md`1 case is`;
  return md`${cases} cases are`;
}

function elsewhereLines({ linkedTo, protectedOn, endingBansOn, appeals }: Elsewhere): Escaped[] {
  const on = (servers: readonly string[]) => joined(servers.map(inlineName), ", ");
  const lines = [
    ...(linkedTo === undefined
      ? []
      : [md`- Linked to ${userMention(linkedTo)}. Take it back with \`/me unlink member:\`.`]),
    ...(protectedOn.length === 0
      ? []
      : [md`- Protected on ${on(protectedOn)}. Take it back with \`/staff protect remove:\`.`]),
    ...(endingBansOn.length === 0
      ? []
      : [
          md`- A ban on ${on(endingBansOn)} that ends by itself. \`/run bans\` shows it, and it goes when the ban ends.`,
        ]),
    ...(appeals === 0
      ? []
      : [md`- ${appeals} ${appeals === 1 ? "appeal" : "appeals"}. Answer what is open on its card.`]),
  ];
  return lines.length === 0 ? [] : [md`Still kept about this player:`, ...lines];
}

function standingLines({ cases, isWatched, elsewhere }: Standing): Escaped[] {
  return [...elsewhereLines(elsewhere), ...caseLines({ cases, isWatched })];
}

function caseLines({ cases, isWatched }: Pick<Standing, "cases" | "isWatched">): Escaped[] {
  if (cases === undefined) return [md`Cases stay too. Marshal can't count them right now.`];
  if (cases === 0 && !isWatched) return [md`No case names this player.`];
  const watch = isWatched ? md` This player is on the watchlist.` : md``;
  const count = cases >= MOST_COUNTED ? md`${MOST_COUNTED} or more cases are` : casesText(cases);
  const text = cases === 0 ? md`` : md`${count} about this player.`;
  return [md`${text}${watch} Erase that too? This can't be undone.`];
}

function standingRows({ playerId, cases, isWatched }: Standing): readonly Row[] {
  if (cases === 0 && !isWatched) return [];
  const label = cases === 0 ? "Erase the watch" : isWatched ? "Erase cases and watch" : "Erase the cases";
  return [[{ kind: "button", style: "danger", label, id: `history-cases:${playerId}` }]];
}
