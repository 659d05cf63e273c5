import type { Choice, Typing } from "../src/discord/command.ts";
import { escapeMarkdown, inlineName } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";

/** Teams that are known of the game; others are taken as typed. */
const USUAL_TEAMS = ["Civilian", "Sheriff", "Police", "Fire", "DOT", "Jail"];
/** Discord takes no longer value of a choice. */
const LONGEST_VALUE = 100;

/** Upper and lower case are the same. */
function isUsualTeam(team: string): boolean {
  return USUAL_TEAMS.some((usual) => usual.toLowerCase() === team.toLowerCase());
}

/** A word of warning about teams that nobody has heard of; nothing where all are usual. */
export function strangeTeamLines(teams: readonly string[]): readonly Escaped[] {
  const strange = teams.filter((team) => !isUsualTeam(team));
  if (strange.length === 0) return [];
  return [
    md`⚠ I don't know the team ${inlineName(strange.join(", "))}. The usual ones are ${escapeMarkdown(USUAL_TEAMS.join(", "))}.`,
  ];
}

/** Completes the last of several teams; the value is the whole text, since a choice replaces all of it. */
export function completeTeams({ typed }: Typing): readonly Choice[] {
  const parts = typed.split(",").map((part) => part.trim());
  const last = (parts.at(-1) ?? "").toLowerCase();
  const before = parts.slice(0, -1).filter((part) => part !== "");
  const known = USUAL_TEAMS.filter((team) => team.toLowerCase().startsWith(last) && !before.includes(team));
  return known
    .map((team) => [...before, team].join(", "))
    .filter((value) => value.length <= LONGEST_VALUE)
    .map((value) => ({ name: value, value }));
}

/** Completes the option `team`, and the others as given. */
export function teamsOr(other: (typing: Typing, services: Services) => Promise<readonly Choice[]>) {
  return (typing: Typing, services: Services) =>
    typing.option === "team" ? completeTeams(typing) : other(typing, services);
}
