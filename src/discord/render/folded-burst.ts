import type { FeedEntry } from "../../domain/changes.ts";
import { type Escaped, joined, md } from "../../domain/escaped.ts";
import type { CommandEntry, JoinEntry, KillEntry } from "../../domain/model.ts";
import { duration, type EntryFacts, person, SYMBOLS, streakWords } from "./entry-line.ts";
import { inlineCode, LONGEST_CODE } from "./escape.ts";
import { isBurst, spanS } from "./feed-bursts.ts";

/**
 * A burst as one thing: a heading that counts it, and below it, quoted, each entry with its own second, so that staff
 * can still tell who and when. `posted-lines.ts` reads it back. Pure.
 */

export interface Burst {
  readonly entries: readonly FeedEntry[];
  readonly factsOf: (index: number) => EntryFacts;
  /** Names link to profiles. */
  readonly linked: boolean;
}

/** The longest beginning of a burst that fits the room; a count of 0 where too little fits to be called a burst. */
export function foldedBurst(burst: Burst, room: number): { readonly text: Escaped; readonly count: number } {
  let best = { text: md``, count: 0 };
  let [low, high] = [1, burst.entries.length];
  while (low <= high) {
    const count = Math.ceil((low + high) / 2);
    const text = folded(burst, count);
    if (text.length <= room) {
      best = { text, count };
      low = count + 1;
    } else {
      high = count - 1;
    }
  }
  return isBurst(burst.entries.slice(0, best.count)) ? best : { text: md``, count: 0 };
}

function folded({ entries, factsOf, linked }: Burst, count: number): Escaped {
  const part = entries.slice(0, count);
  const [first] = part;
  if (first === undefined) return md``;
  const time = md`in ${duration(spanS(part))}`;
  const at = md`<t:${first.atS}:T>`;
  switch (first.kind) {
    case "kill": {
      const kills = part.filter((entry) => entry.kind === "kill");
      const streak = streakWords(factsOf(count - 1).streak, count);
      const heading = md`${at} ${SYMBOLS.kill} ${person(first.killer, linked)} killed **${count}** ${time}${streak}`;
      return quoted(heading, [bySecond(kills, ({ killed }) => person(killed, linked))]);
    }
    case "command": {
      const heading = md`${at} ${SYMBOLS.command} ${person(first.player, linked)} ran **${count} commands** ${time}`;
      return quoted(heading, part.filter((entry) => entry.kind === "command").map(commandLine));
    }
    case "join": {
      const joins = part.filter((entry) => entry.kind === "join");
      const word = first.joined ? "joined" : "left";
      const heading = md`${at} ${SYMBOLS[word]} **${count} ${word}** ${time}`;
      const whoOf = ({ player }: JoinEntry, index: number) =>
        md`${person(player, linked)}${first.joined ? md`` : shortStay(factsOf(index).stayedS)}`;
      return quoted(heading, [bySecond(joins, whoOf)]);
    }
    case "modCall":
    case "change":
      return md``;
  }
}

/** Many in one line: shorter than the words of a single leave. */
function shortStay(stayedS: number | undefined): Escaped {
  return stayedS === undefined ? md`` : md` (${duration(stayedS)})`;
}

function quoted(heading: Escaped, lines: readonly Escaped[]): Escaped {
  return joined([heading, ...lines.map((line) => md`> ${line}`)], "\n");
}

function commandLine({ atS, text }: CommandEntry): Escaped {
  return md`<t:${atS}:T> ${inlineCode(text, LONGEST_CODE)}`;
}

/** `<t:1:T> A, B, <t:4:T> C`: the second stands before the first of its entries. */
function bySecond<Entry extends JoinEntry | KillEntry>(
  entries: readonly Entry[],
  show: (entry: Entry, index: number) => Escaped,
): Escaped {
  const parts = entries.map((entry, index) => {
    const same = entries[index - 1]?.atS === entry.atS;
    return same ? show(entry, index) : md`<t:${entry.atS}:T> ${show(entry, index)}`;
  });
  return joined(parts, ", ");
}
