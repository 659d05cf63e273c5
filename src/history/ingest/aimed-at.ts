import { type Aim, whomItPunishes } from "../../domain/command-hits.ts";
import type { CommandEntry, PlayerRef, SourceId } from "../../domain/model.ts";
import type { ParsedCommand } from "../../domain/run.ts";
import type { WhoWasThere } from "../who-was-there.ts";

export interface AimedAtPorts {
  /** The meaning of a text of the game's log; undefined: no command can be read in it. */
  read(text: string): (Aim & Pick<ParsedCommand, "known" | "mass">) | undefined;
  readonly there: Pick<WhoWasThere, "at" | "named">;
}

/**
 * Whom a command of the log hit, for what is kept of these players. A command for everyone is about nobody in
 * particular, and one on oneself is no matter of others.
 */
export function aimedAt(
  { read, there }: AimedAtPorts,
  source: SourceId,
  { text, player, atS }: CommandEntry,
): readonly PlayerRef[] {
  const command = read(text);
  if (command === undefined || !command.known || command.mass || command.targetTexts.length === 0) return [];
  const author = player.id === undefined ? undefined : player;
  const absent = command.targetTexts.flatMap((name) => there.named(source, name));
  return whomItPunishes(command, { present: there.at(source, atS), absent, author }).players;
}
