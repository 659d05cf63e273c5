/** Reads the lines of a moderator-call card back: the card's keys and its calls come from the same place. Pure. */

/** An escaped name in bold, alone or as a link to its profile. */
export const PERSON = String.raw`(?:\[\*\*(?:\\.|[^\\*])+\*\*\]\(https://www\.roblox\.com/users/\d+/profile\)|\*\*(?:\\.|[^\\*])+\*\*)`;

/** `**Ann** called <t:1700000000:T> ...` is the first line. */
const FIRST = new RegExp(String.raw`^(${PERSON}) called <t:(\d+):T>`, "su");
const FURTHER = /^🔁 called again <t:(\d+):T>/u;

/** The caller, as Markdown, and the second of each call on the card; undefined: it is no such card. */
export function callsIn(
  description: string,
): { readonly caller: string; readonly calledAtS: readonly number[] } | undefined {
  const [first = "", ...lines] = description.split("\n");
  const [, caller, second] = FIRST.exec(first) ?? [];
  if (caller === undefined || second === undefined) return undefined;
  const further = lines.flatMap((line) => FURTHER.exec(line)?.[1] ?? []);
  return { caller, calledAtS: [second, ...further].map(Number) };
}

/** The second of each call, in the order of the card; empty where it is none. */
export function callTimesIn(description: string): readonly number[] {
  return callsIn(description)?.calledAtS ?? [];
}
