import type { FeedEntry } from "../../domain/changes.ts";
import type { FeedFilter } from "../../domain/guild.ts";
import type { EmergencyCall, PlayerRef, ServerState } from "../../domain/model.ts";

/** Older than this a team list says nothing about now. */
const TEAMS_MAX_AGE_MS = 120_000;

/** The team of a player, or undefined where it is not known. */
export type TeamOf = (player: PlayerRef) => string | undefined;

/** Teams by the last snapshot; a list that is missing or too old knows nobody. */
export function teamsOf(state: ServerState | undefined, nowMs: number): TeamOf {
  const players = state?.lists.players;
  if (players === undefined || nowMs - players.atMs > TEAMS_MAX_AGE_MS) return () => undefined;
  // Made with the first question: a feed that filters by no team asks none.
  let byName: ReadonlyMap<string, string> | undefined;
  return (player) => {
    byName ??= new Map(players.value.map((row) => [row.player.name, row.team]));
    return byName.get(player.name);
  };
}

/** Does this entry belong into a feed with this filter? All parts must agree; an unknown team passes. */
export function passes(filter: FeedFilter, entry: FeedEntry, teamOf: TeamOf): boolean {
  const people = peopleOf(entry);
  return (
    (isEmpty(filter.teams) || isOfTeam(filter.teams ?? [], entry, teamOf)) &&
    (isEmpty(filter.players) || people.some((player) => isNamed(filter.players ?? [], player))) &&
    (isEmpty(filter.verbs) || (entry.kind === "command" && (filter.verbs ?? []).includes(verbOf(entry.text))))
  );
}

/** Emergency calls name their team themselves; of people they hold ids only. */
export function callPasses(filter: FeedFilter, call: EmergencyCall): boolean {
  const teamFits = isEmpty(filter.teams) || includesText(filter.teams ?? [], call.team);
  const ids = [...(call.callerId === undefined ? [] : [call.callerId]), ...call.unitIds].map(String);
  return teamFits && (isEmpty(filter.players) || ids.some((id) => (filter.players ?? []).includes(id)));
}

/** `:Kick x` -> `kick`: the first word without its colon, lower case. */
function verbOf(text: string): string {
  return (text.trim().split(/\s+/)[0] ?? "").replace(/^:/, "").toLowerCase();
}

function peopleOf(entry: FeedEntry): readonly PlayerRef[] {
  switch (entry.kind) {
    case "join":
    case "command":
    case "change":
      return [entry.player];
    case "kill":
      return [entry.killer, entry.killed];
    case "modCall":
      return [entry.caller];
  }
}

/** A change of team is of the one that was left and of the one that was joined: by now they may be in a third. */
function isOfTeam(teams: readonly string[], entry: FeedEntry, teamOf: TeamOf): boolean {
  if (entry.kind === "change" && entry.what === "team")
    return entry.values.some((team) => includesText(teams, team));
  return peopleOf(entry).some((player) => {
    const team = teamOf(player);
    return team === undefined || includesText(teams, team);
  });
}

function isNamed(wanted: readonly string[], player: PlayerRef): boolean {
  return (
    wanted.includes(player.name.toLowerCase()) ||
    (player.id !== undefined && wanted.includes(String(player.id)))
  );
}

function includesText(texts: readonly string[], text: string): boolean {
  return texts.some((one) => one.toLowerCase() === text.toLowerCase());
}

function isEmpty(list: readonly string[] | undefined): boolean {
  return list === undefined || list.length === 0;
}
