/** Each team by a shape as well as a colour, in pictures and in the words beside them. */

export type MarkShape = "circle" | "square" | "triangle" | "diamond" | "hexagon" | "cross" | "drop";

export interface TeamMark {
  readonly shape: MarkShape;
  /** The same shape as a letter. */
  readonly sign: string;
}

const MARKS: Readonly<Record<string, TeamMark>> = {
  Civilian: { shape: "circle", sign: "●" },
  Police: { shape: "square", sign: "■" },
  Sheriff: { shape: "triangle", sign: "▲" },
  Fire: { shape: "diamond", sign: "◆" },
  DOT: { shape: "hexagon", sign: "⬢" },
  Jail: { shape: "cross", sign: "✚" },
};

/** A team that the game has and we have not met. */
const OTHER: TeamMark = { shape: "drop", sign: "▼" };

export function teamMark(team: string): TeamMark {
  return Object.hasOwn(MARKS, team) ? (MARKS[team] ?? OTHER) : OTHER;
}

/** In the order of lists; others come after them. */
export const KNOWN_TEAMS: readonly string[] = Object.keys(MARKS);
