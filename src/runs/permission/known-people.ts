import { isMassWord } from "../../domain/command-hits.ts";
import { Failure } from "../../domain/failure.ts";
import type { KnownPlayer } from "../../domain/history.ts";
import type { PlayerRef, ServerState } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { HistoryPlayers } from "../../domain/ports/history.ts";
import type { ParsedCommand } from "../../domain/run.ts";
import { type People, peopleOf } from "../catalogue/targets.ts";

export interface KnownPeoplePorts {
  readonly history: Pick<HistoryPlayers, "findAll">;
  readonly clock: Pick<Clock, "nowMs">;
  report(what: string, error: unknown): void;
}

export interface AboutCommand {
  readonly guildId: string;
  readonly command: ParsedCommand;
}

/**
 * The people of a server, and whoever else a command may name: the service gives owners by id alone, and who is not in
 * the server may have left its logs long ago. Where the history is off or does not answer, what the lists show counts.
 */
export async function knownPeople(
  ports: KnownPeoplePorts,
  state: ServerState | undefined,
  { guildId, command }: AboutCommand,
): Promise<People | undefined> {
  const people = peopleOf(state, ports.clock.nowMs());
  if (people === undefined) return undefined;
  const here = new Set(people.players.map(({ player }) => player.name.toLowerCase()));
  const away = command.targetTexts.filter((text) => !isMassWord(text) && !here.has(text.toLowerCase()));
  if (away.length === 0) return people;
  const owners = [people.ownerId, ...people.coOwnerIds].filter((id) => !people.seen.has(id)).map(String);
  const found = await ports.history
    .findAll(guildId, [...new Set([...away, ...owners])])
    .catch((error: unknown) => {
      if (!(error instanceof Failure)) ports.report("names of players could not be looked up", error);
      return [];
    });
  const typed = new Set(away.map((text) => text.toLowerCase()));
  return { ...people, kept: found.flatMap((player) => namesOf(player, typed)) };
}

/** The name of today, and an earlier one that was typed. */
function namesOf(
  { playerId, name, earlierNames }: KnownPlayer,
  typed: ReadonlySet<string>,
): readonly Required<PlayerRef>[] {
  const earlier = earlierNames.filter((one) => typed.has(one.toLowerCase()));
  return [...earlier, name].map((one) => ({ id: playerId, name: one }));
}
