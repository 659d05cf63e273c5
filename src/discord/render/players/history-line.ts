import { type Escaped, md, userMention } from "../../../domain/escaped.ts";
import {
  type HistoryRow,
  type HistoryRowOf,
  type PlayerSession,
  type SessionEnd,
  sessionUntilS,
} from "../../../domain/history.ts";
import type { PlayerRef } from "../../../domain/model.ts";
import type { RunAuthor } from "../../../domain/ports/run-authors.ts";
import type { RunOrigin } from "../../../domain/run.ts";
import { duration, note, person, SYMBOLS } from "../entry-line.ts";
import { inlineName } from "../escape.ts";
import { commandWithHits } from "../hit-words.ts";

/** What was kept, row by row. Pure. */

/** Of a command; a whole evening stands on one card. */
const LONGEST_COMMAND = 120;

export interface HistoryLineOptions {
  /** With the date in front. @default false */
  readonly day?: boolean;
  /** Of a command through the API: who asked for it. */
  readonly author?: RunAuthor | undefined;
  /** Of a call that was claimed on its card: the member who did. */
  readonly takenBy?: string | undefined;
}

/** `20:14:03 💀 Ann killed Bob`, with the same symbols as the feeds. */
export function historyLine(row: HistoryRow, { day = false, ...known }: HistoryLineOptions = {}): Escaped {
  const at = day ? md`<t:${row.atS}:f>` : md`<t:${row.atS}:T>`;
  return md`${at} ${whatHappened(row, known)}`;
}

/** Of what nobody typed or pressed: what sent it in their name. */
const HOW: Readonly<Partial<Record<RunOrigin, Escaped>>> = { schedule: md`by schedule`, rule: md`by a rule` };

/** `Ann`; `@Mo through Marshal`; of what others sent, what is known of it. */
export function commandBy(player: PlayerRef, author: RunAuthor | undefined): Escaped {
  switch (author?.kind) {
    case "member": {
      if (author.origin === "ban-end")
        return md`Marshal, at the end of a ban by ${userMention(author.userId)},`;
      const how = HOW[author.origin];
      return md`${userMention(author.userId)} through Marshal${how === undefined ? md`` : md`, ${how},`}`;
    }
    case "outside":
      return md`${who(player)}, another program,`;
    case "unknown":
      return md`${who(player)}, a program,`;
    case undefined:
      return who(player);
  }
}

function whatHappened(row: HistoryRow, { author, takenBy }: HistoryLineOptions): Escaped {
  switch (row.kind) {
    case "join":
      return md`${SYMBOLS.joined} ${who(row.player)} joined`;
    case "leave":
      return md`${SYMBOLS.left} ${who(row.player)} left`;
    case "appeared":
      return md`${SYMBOLS.joined} ${who(row.player)} ${row.afterS === undefined ? md`was already there` : md`joined unseen, after <t:${row.afterS}:T>`}`;
    case "vanished":
      return md`${SYMBOLS.left} ${who(row.player)} ${row.afterS === undefined ? md`was gone` : md`left unseen, after <t:${row.afterS}:T>`}`;
    case "kill":
      return md`${SYMBOLS.kill} ${who(row.killer)} killed ${who(row.killed)}`;
    case "command":
      return md`${SYMBOLS.command} ${commandBy(row.player, author)} ran ${textOf(row)}`;
    case "modCall":
      return md`${SYMBOLS.modCall} ${who(row.caller)} called a moderator${answerWords(row, takenBy)}`;
    case "emergencyCall":
      return emergencyWords(row);
  }
}

/** Who took it on its card may never have gone there. Without an account in the game their name is that of the member. */
function answerWords({ moderator, isByCard }: HistoryRowOf<"modCall">, takenBy: string | undefined): Escaped {
  if (moderator === undefined) return md``;
  if (isByCard !== true) return md`, answered by ${who(moderator)}`;
  if (takenBy !== undefined) return md`, claimed by ${userMention(takenBy)}`;
  return md`, claimed by ${moderator.id === undefined ? md`@${inlineName(moderator.name)}` : who(moderator)}`;
}

function textOf({ text, hit }: HistoryRowOf<"command">): Escaped {
  return commandWithHits(text, LONGEST_COMMAND, hit);
}

function emergencyWords({
  callNumber,
  team,
  caller,
  description,
}: Extract<HistoryRow, { kind: "emergencyCall" }>): Escaped {
  const by = caller === undefined ? md`` : md` by ${who(caller)}`;
  const said = description === undefined || description.trim() === "" ? md`` : md`: ${note(description, 80)}`;
  return md`🚓 Call #${callNumber} for ${inlineName(team)}${by}${said}`;
}

function who(player: PlayerRef): Escaped {
  return person(player, false);
}

/** `21 November 2026 at 20:14 to 21:02 · 48 min`; what is not sure says so. */
export function sessionLine({ start, end, seenS }: PlayerSession): Escaped {
  const from = endText(start, "f");
  // A server that can't be read may have been left since.
  const seen = seenS === undefined ? md`` : md`, last seen <t:${seenS}:R>`;
  if (end === undefined) return md`🟢 ${from} · in the game${seen}`;
  // As on the card: of an end that nobody saw only the time up to the last look that showed them is known.
  const untilS = sessionUntilS({ start, end }, undefined);
  const least = end.isSure ? md`` : md`at least `;
  return md`${from} to ${endText({ ...end, atS: untilS })} · ${least}${duration(untilS - start.atS)}`;
}

/** `20:14`, or `about 20:14` where only the lists of players tell; with its date in the style `f`. */
function endText({ atS, isSure }: SessionEnd, style: "f" | "t" = "t"): Escaped {
  return isSure ? md`<t:${atS}:${style}>` : md`about <t:${atS}:${style}>`;
}
